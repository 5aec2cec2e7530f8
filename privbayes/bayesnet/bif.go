package bayesnet

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/privbayes/privbayes-go/internal/safetext"
)

// The limits of ReadBIF: nodes, and numbers in all tables together (1 GiB).
const (
	MaxBIFNodes   = 10000
	MaxBIFEntries = 1 << 27
)

// ReadBIF reads a network in the interchange format for Bayesian networks (Cozman, "The Interchange Format for Bayesian
// Networks", 1998; version 0.15), as the public repositories of networks write it:
//
//	network unknown { property … ; }
//	variable lung { type discrete [2] { yes, no }; }
//	variable smoke { type discrete [2] { yes, no }; }
//	probability ( smoke ) { table 0.5, 0.5; }
//	probability ( lung | smoke ) { (yes) 0.1, 0.9; default 0.01, 0.99; }
//
// Blocks come in any order, properties are skipped, commas and | may be missing, names may be quoted; comments are
// those of C++. default fills the parent configurations without a row of their own. A table of a node with parents runs
// over node and parents as the block names them, the last parent fastest, as the format says: so the node's state runs
// slowest, unlike in Net.
//
// Nodes keep the order of the variable blocks. Without any numbers, or where NaN or −1 stands for one, which programs
// write where nothing was observed, net is nil: the file gives a structure only, as ReadBIFGraph does of any. Otherwise
// every node needs a complete table. A row is divided by its sum if that differs from 1 by no more than the rounding of
// its decimals can, as of 0.3333, 0.3333, 0.3333, and 1e-6: see Net.Rounded.
//
// The text may be UTF-8 or, with a byte-order mark, UTF-16, and compressed by gzip. Files of other programs are named:
// XMLBIF, NET, DSC, UAI and others.
//
// Errors: *Error with the line, also for what NewDAG and NewNet refuse (for a cycle, the line of a block on it), and
// for more than MaxBIFNodes nodes or MaxBIFEntries numbers, which is seen before any table is made; errors of r,
// wrapped.
func ReadBIF(r io.Reader) (dag *DAG, net *Net, err error) {
	return readBIF(r, bifLimits{MaxBIFNodes, MaxBIFEntries})
}

// ReadBIFGraph reads the graph of a network in the interchange format, and looks at no number: what plans and releases
// use of a network. Errors: those of ReadBIF but for numbers.
func ReadBIFGraph(r io.Reader) (*DAG, error) {
	p := &bifParser{lim: bifLimits{MaxBIFNodes, MaxBIFEntries}, noNumbers: true}
	dag, _, err := p.read(r)
	return dag, err
}

func readBIF(r io.Reader, lim bifLimits) (*DAG, *Net, error) {
	p := &bifParser{lim: lim}
	dag, of, err := p.read(r)
	if err != nil {
		return nil, nil, err
	}
	if p.unobserved || !slices.ContainsFunc(p.tabs, func(t bifTable) bool { return len(t.rows) > 0 }) {
		return dag, nil, nil
	}
	net, err := p.net(dag, of)
	if err != nil {
		return nil, nil, err
	}
	return dag, net, nil
}

// read reads the blocks and makes the graph.
func (p *bifParser) read(r io.Reader) (*DAG, []*bifTable, error) {
	text, err := bifText(r)
	if err != nil {
		return nil, nil, err
	}
	p.lex = newBIFLexer(text)
	if p.file(); p.err != nil {
		return nil, nil, p.err
	}
	return p.graph()
}

// graph makes the DAG; of[i] is the probability block of node i, nil if it has none.
func (p *bifParser) graph() (*DAG, []*bifTable, error) {
	if len(p.vars) == 0 {
		return nil, nil, p.lex.fail("no variable", "at least one variable block")
	}
	place := make(map[string]int, len(p.vars))
	nodes, of := make([]Node, len(p.vars)), make([]*bifTable, len(p.vars))
	for i, v := range p.vars {
		if first, ok := place[v.name]; ok {
			return nil, nil, &Error{Node: v.name, Field: "variable", Value: fmt.Sprintf("declared again, first in "+
				"line %d", p.vars[first].line),
				Want: "each variable once", Line: v.line}
		}
		place[v.name] = i
		nodes[i] = Node{Name: v.name, States: v.states}
		if err := checkNode(nodes[i], i); err != nil {
			return nil, nil, at(err, v.line)
		}
	}
	for k := range p.tabs {
		t := &p.tabs[k]
		for j, name := range t.names {
			if _, ok := place[name]; !ok {
				return nil, nil, &Error{Node: t.names[0], Field: "probability", Value: safetext.Short(name),
					Want: "a declared variable, " + safetext.OneOf(name, names(nodes)), Line: t.line}
			}
			if slices.Contains(t.names[:j], name) {
				return nil, nil, &Error{Node: t.names[0], Field: "probability", Value: safetext.Short(name) + " twice",
					Want: "each variable once", Line: t.line}
			}
		}
		i := place[t.names[0]]
		if of[i] != nil {
			return nil, nil, &Error{Node: t.names[0], Field: "probability", Value: fmt.Sprintf("given again, first "+
				"in line %d", of[i].line),
				Want: "one probability block for each variable", Line: t.line}
		}
		of[i] = t
		nodes[i].Parents = t.names[1:]
	}
	dag, err := NewDAG(nodes)
	if e, ok := err.(*Error); ok { // a cycle: all else was checked
		return nil, nil, at(err, of[place[e.Node]].line)
	}
	return dag, of, err
}

// net makes the tables.
func (p *bifParser) net(dag *DAG, of []*bifTable) (*Net, error) {
	total := 0
	for i, t := range of {
		name := dag.nodes[i].Name
		if t == nil {
			return nil, &Error{Node: name, Field: "table", Value: "no probability block", Want: "one for each " +
				"variable", Line: p.vars[i].line}
		}
		if cells := dag.cells[i]; cells > p.lim.entries-total {
			return nil, &Error{Node: name, Field: "table", Value: orMore(cells) + " numbers",
				Want: fmt.Sprintf("at most %d in all tables", p.lim.entries), Line: t.line}
		}
		total += dag.cells[i]
	}
	net := &Net{dag: dag, cpts: make([][]float64, dag.Len()), limit: DefaultCells, ctx: context.Background(),
		lazy: new(lazy)}
	for i, t := range of {
		var rounded int
		var err error
		if net.cpts[i], rounded, err = t.table(dag, i); err != nil {
			return nil, err
		}
		net.rounded += rounded
	}
	return net, nil
}

// table fills the table of node i, in the order of Net, and counts the rows that were rounded.
func (t *bifTable) table(dag *DAG, i int) (cpt []float64, rounded int, err error) {
	name, r := dag.nodes[i].Name, dag.arity[i]
	cpt = make([]float64, dag.cells[i])
	slack := make([]float64, len(cpt))
	rows := len(cpt) / r
	lines := make([]int, rows) // of the statement that gave each row, 0 if none
	var standard *bifRow
	for k := range t.rows {
		row := &t.rows[k]
		want := r
		if row.kind == "table" {
			want = len(cpt)
		}
		if len(row.values) != want {
			return nil, 0, &Error{Node: name, Field: "table", Value: fmt.Sprintf("%d numbers", len(row.values)),
				Want: fmt.Sprint(want), Line: row.line}
		}
		switch row.kind {
		case "default":
			if standard != nil {
				return nil, 0, &Error{Node: name, Field: "table", Value: fmt.Sprintf("a second default row, first in "+
					"line %d", standard.line), Want: "one", Line: row.line}
			}
			standard = row
		case "table":
			for x := range r {
				for j := range rows {
					cpt[j*r+x], slack[j*r+x] = row.values[x*rows+j], row.slack[x*rows+j]
				}
			}
			for j := range lines {
				if lines[j] != 0 {
					return nil, 0, &Error{Node: name, Field: "table",
						Value: fmt.Sprintf("a table besides line %d", lines[j]), Want: "a table or rows",
						Line: row.line}
				}
				lines[j] = row.line
			}
		default:
			j, err := dag.configRow(i, row.config)
			if err != nil {
				return nil, 0, at(err, row.line)
			}
			if lines[j] != 0 {
				return nil, 0, &Error{Node: name, Field: "table",
					Value: fmt.Sprintf("row %s again, first in line %d", dag.config(i, j), lines[j]),
					Want:  "each row once", Line: row.line}
			}
			lines[j] = row.line
			copy(cpt[j*r:], row.values)
			copy(slack[j*r:], row.slack)
		}
	}
	for j := range lines {
		if lines[j] == 0 {
			if standard == nil {
				return nil, 0, &Error{Node: name, Field: "table", Value: "no row " + dag.config(i, j),
					Want: "a row for every parent configuration, or a default", Line: t.line}
			}
			lines[j] = standard.line
			copy(cpt[j*r:], standard.values)
			copy(slack[j*r:], standard.slack)
		}
		most, sum := rowTolerance, 0.0
		for k := j * r; k < j*r+r; k++ {
			most, sum = most+slack[k], sum+cpt[k]
		}
		if math.Abs(sum-1) > rowTolerance {
			rounded++
		}
		if err := dag.normalise(i, j, cpt[j*r:j*r+r], most); err != nil {
			return nil, 0, at(err, lines[j])
		}
	}
	return cpt, rounded, nil
}

// configRow is the number of the row for parent states given by name.
func (d *DAG) configRow(i int, states []string) (int, error) {
	if len(states) != len(d.parents[i]) {
		return 0, &Error{Node: d.nodes[i].Name, Field: "table", Value: fmt.Sprintf("%d parent states", len(states)),
			Want: fmt.Sprint(len(d.parents[i]))}
	}
	row := 0
	for j, p := range d.parents[i] {
		c := slices.Index(d.nodes[p].States, states[j])
		if c < 0 {
			return 0, &Error{Node: d.nodes[i].Name, Field: "table",
				Value: fmt.Sprintf("state %s of parent %s", safetext.Short(states[j]), safetext.Short(d.nodes[p].Name)),
				Want:  "one of " + safetext.List(d.nodes[p].States, 12)}
		}
		row = row*d.arity[p] + c
	}
	return row, nil
}

// maxToken is the longest word of a BIF file, in bytes.
const maxToken = 1 << 16

// bifToken is a word, a quoted word, or one of the marks ( ) { } [ ] | , ; which stands for itself. The end of the file
// is "" unquoted.
type bifToken struct {
	text   string
	quoted bool
	line   int
}

func (t bifToken) is(text string) bool { return !t.quoted && t.text == text }

func (t bifToken) end() bool { return t.is("") }

// word tells whether the token can be a name or a number.
func (t bifToken) word() bool { return t.quoted || t.text != "" && !isMark(t.text[0]) }

// show is the token for an error message.
func (t bifToken) show() string {
	if t.end() {
		return "the end of the file"
	}
	return safetext.Short(t.text)
}

func isMark(c byte) bool { return strings.IndexByte("(){}[]|,;", c) >= 0 }

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

// bifLexer cuts the file into tokens; comments are // to the end of the line and /* to */, also right behind a word.
// Quoted words escape " and \ with \.
type bifLexer struct {
	r    *bufio.Reader
	line int
	peek *bifToken
}

func newBIFLexer(r io.Reader) *bifLexer { return &bifLexer{r: bufio.NewReaderSize(r, 1<<16), line: 1} }

func (l *bifLexer) fail(value, want string) error {
	return &Error{Field: "file", Value: value, Want: want, Line: l.line}
}

// byte reads one byte; ok is false at the end of the file.
func (l *bifLexer) byte() (c byte, ok bool, err error) {
	c, err = l.r.ReadByte()
	if err == io.EOF {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, fmt.Errorf("bayesnet: line %d: %w", l.line, err)
	}
	if c == '\n' {
		l.line++
	}
	return c, true, nil
}

// back unreads the last byte.
func (l *bifLexer) back(c byte) {
	l.r.UnreadByte() // the byte was just read, so this cannot fail
	if c == '\n' {
		l.line--
	}
}

// comment skips a comment whose first slash was read, if it is one.
func (l *bifLexer) comment() (was bool, err error) {
	next, _ := l.r.Peek(1)
	if len(next) == 0 || next[0] != '/' && next[0] != '*' {
		return false, nil
	}
	start, long := l.line, next[0] == '*'
	l.byte()
	for before := byte(0); ; {
		c, ok, err := l.byte()
		switch {
		case err != nil:
			return true, err
		case !ok && long:
			return true, &Error{Field: "file", Value: "a comment that does not end", Want: "*/", Line: start}
		case !ok || !long && (c == '\n' || c == '\r') || long && before == '*' && c == '/':
			return true, nil
		}
		before = c
	}
}

// next is the next token.
func (l *bifLexer) next() (bifToken, error) {
	if t := l.peek; t != nil {
		l.peek = nil
		return *t, nil
	}
	for {
		c, ok, err := l.byte()
		switch {
		case err != nil:
			return bifToken{}, err
		case !ok:
			return bifToken{line: l.line}, nil
		case isSpace(c):
			continue
		case isMark(c):
			return bifToken{text: string(c), line: l.line}, nil
		case c == '"':
			return l.quoted()
		case c == '/':
			was, err := l.comment()
			if err != nil {
				return bifToken{}, err
			}
			if was {
				continue
			}
		}
		return l.word(c)
	}
}

func (l *bifLexer) word(first byte) (bifToken, error) {
	line, b := l.line, []byte{first}
	for {
		c, ok, err := l.byte()
		if err != nil {
			return bifToken{}, err
		}
		if ok && c == '/' {
			was, err := l.comment()
			if err != nil {
				return bifToken{}, err
			}
			ok = !was
		} else if ok && (isSpace(c) || isMark(c) || c == '"') {
			l.back(c)
			ok = false
		}
		if !ok {
			return l.check(bifToken{text: string(b), line: line})
		}
		if b = append(b, c); len(b) > maxToken {
			return bifToken{}, l.fail("a word that is too long", fmt.Sprintf("at most %d bytes", maxToken))
		}
	}
}

func (l *bifLexer) quoted() (bifToken, error) {
	start, escaped := l.line, false
	var b []byte
	for {
		c, ok, err := l.byte()
		switch {
		case err != nil:
			return bifToken{}, err
		case !ok || len(b) > maxToken:
			return bifToken{}, &Error{Field: "file", Value: `a " without its end`,
				Want: fmt.Sprintf(`a closing " within %d bytes`, maxToken), Line: start}
		case !escaped && c == '\\':
			escaped = true
			continue
		case !escaped && c == '"':
			return l.check(bifToken{text: string(b), quoted: true, line: start})
		}
		b, escaped = append(b, c), false
	}
}

func (l *bifLexer) check(t bifToken) (bifToken, error) {
	if !utf8.ValidString(t.text) {
		return t, &Error{Field: "file", Value: safetext.Short(t.text), Want: "valid UTF-8", Line: t.line}
	}
	return t, nil
}
