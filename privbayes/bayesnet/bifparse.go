package bayesnet

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"golang.org/x/text/encoding/unicode"
)

// bifVariable and bifTable are the blocks of a file before they are put together.
type bifVariable struct {
	name   string
	states []string
	line   int
}

type bifTable struct {
	names []string // the node, then its parents
	line  int
	rows  []bifRow
}

// bifRow is one statement with numbers: a row for a parent configuration, the default row, or the table as a whole.
type bifRow struct {
	kind   string // "row", "default" or "table"
	config []string
	values []float64
	slack  []float64 // how far each may be rounded, by its decimals
	line   int
}

// bifParser reads blocks; the first error ends it.
type bifParser struct {
	lex  *bifLexer
	err  error
	vars []bifVariable
	tabs []bifTable
	lim  bifLimits

	noNumbers  bool // they are not looked at
	unobserved bool // NaN or −1 stands for a probability
}

type bifLimits struct{ nodes, entries int }

func (p *bifParser) next() bifToken {
	if p.err != nil {
		return bifToken{}
	}
	t, err := p.lex.next()
	if err != nil {
		p.err = err
		return bifToken{}
	}
	return t
}

func (p *bifParser) failAt(line int, node, field, value, want string) {
	if p.err == nil {
		p.err = &Error{Node: node, Field: field, Value: value, Want: want, Line: line}
	}
}

// expect reads a token that must be this word or mark.
func (p *bifParser) expect(node, field, text string) {
	if t := p.next(); p.err == nil && !t.is(text) {
		p.failAt(t.line, node, field, t.show(), strconv.Quote(text))
	}
}

func (p *bifParser) name(node, field string) bifToken {
	t := p.next()
	if p.err == nil && !t.word() {
		p.failAt(t.line, node, field, t.show(), "a name")
	}
	return t
}

// list reads words up to the closing mark; between two words there may be a comma, and where bar is set a | behind the
// first.
func (p *bifParser) list(node, field, closing string, bar bool) (words []bifToken) {
	for comma := false; p.err == nil; {
		t := p.next()
		switch {
		case p.err != nil:
		case t.word():
			words, comma = append(words, t), false
		case t.is(closing) && !comma:
			return words
		case t.is(",") && !comma && len(words) > 0:
			comma = true
		case t.is("|") && bar && len(words) == 1 && !comma:
			bar = false
		default:
			p.failAt(t.line, node, field, t.show(), "a word or "+strconv.Quote(closing))
		}
	}
	return nil
}

// property skips a property statement, whose first word was read.
func (p *bifParser) property(node string) {
	for p.err == nil {
		t := p.next()
		if t.is(";") {
			return
		}
		if t.end() && p.err == nil {
			p.failAt(t.line, node, "property", t.show(), `";"`)
		}
	}
}

// file reads all blocks.
func (p *bifParser) file() {
	for p.err == nil {
		t := p.next()
		switch {
		case p.err != nil || t.end():
			return
		case t.is("network"):
			p.network()
		case t.is("variable"):
			p.variable(t.line)
		case t.is("probability"):
			p.probability(t.line)
		default:
			value, want := t.show(), "a network, variable or probability block"
			if f, ok := otherFormats[strings.ToLower(t.text)]; ok && len(p.vars)+len(p.tabs) == 0 {
				value, want = f.name, f.want
			}
			p.failAt(t.line, "", "file", value, want)
		}
	}
}

// network skips the network block: its name may be missing.
func (p *bifParser) network() {
	t := p.next()
	if p.err == nil && !t.is("{") {
		if !t.word() {
			p.failAt(t.line, "", "network", t.show(), `a name or "{"`)
		}
		p.expect("", "network", "{")
	}
	for p.err == nil {
		t = p.next()
		switch {
		case p.err != nil || t.is("}"):
			return
		case t.is("property"):
			p.property("")
		default:
			p.failAt(t.line, "", "network", t.show(), `a property or "}"`)
		}
	}
}

func (p *bifParser) variable(line int) {
	name := p.name("", "variable").text
	v := bifVariable{name: name, line: line}
	p.expect(name, "variable", "{")
	typed := false
	for p.err == nil {
		t := p.next()
		switch {
		case p.err != nil:
		case t.is("}"):
			if !typed {
				p.failAt(t.line, name, "states", "no type", "type discrete [n] { … };")
			} else if len(p.vars) == p.lim.nodes {
				p.failAt(line, name, "variable", fmt.Sprintf("more than %d", p.lim.nodes),
					fmt.Sprintf("at most %d variables", p.lim.nodes))
			}
			p.vars = append(p.vars, v)
			return
		case t.is("property"):
			p.property(name)
		case t.is("type") && !typed:
			v.states, typed = p.states(name), true
		default:
			p.failAt(t.line, name, "variable", t.show(), `a type, a property or "}"`)
		}
	}
}

// states reads "discrete [n] { … };".
func (p *bifParser) states(name string) (states []string) {
	p.expect(name, "states", "discrete")
	p.expect(name, "states", "[")
	t := p.next()
	count, err := strconv.Atoi(t.text)
	if p.err == nil && (err != nil || count < 1) {
		p.failAt(t.line, name, "states", t.show(), "the number of states")
	}
	p.expect(name, "states", "]")
	p.expect(name, "states", "{")
	words := p.list(name, "states", "}", false)
	p.expect(name, "states", ";")
	if p.err == nil && len(words) != count {
		p.failAt(t.line, name, "states", fmt.Sprintf("%d states", len(words)), fmt.Sprintf("%d, as announced", count))
	}
	for _, w := range words {
		states = append(states, w.text)
	}
	return states
}

func (p *bifParser) probability(line int) {
	p.expect("", "probability", "(")
	names := p.list("", "probability", ")", true)
	if p.err == nil && len(names) == 0 {
		p.failAt(line, "", "probability", "no name", "( node | parents )")
	}
	if p.err != nil {
		return
	}
	tab := bifTable{line: line}
	for _, n := range names {
		tab.names = append(tab.names, n.text)
	}
	node := names[0].text
	p.expect(node, "probability", "{")
	for p.err == nil {
		t := p.next()
		row := bifRow{kind: t.text, line: t.line}
		switch {
		case p.err != nil:
		case t.is("}"):
			p.tabs = append(p.tabs, tab)
			return
		case t.is("property"):
			p.property(node)
		case t.is("("):
			row.kind = "row"
			for _, w := range p.list(node, "table", ")", false) {
				row.config = append(row.config, w.text)
			}
			fallthrough
		case t.is("table"), t.is("default"):
			row.values, row.slack = p.numbers(node)
			if !p.noNumbers {
				tab.rows = append(tab.rows, row)
			}
		default:
			p.failAt(t.line, node, "table", t.show(), `"table", "default", a parent configuration in brackets or "}"`)
		}
	}
}

// numbers reads probabilities up to the semicolon.
func (p *bifParser) numbers(node string) (values, slack []float64) {
	words := p.list(node, "table", ";", false)
	if p.noNumbers {
		return nil, nil
	}
	values, slack = make([]float64, len(words)), make([]float64, len(words))
	for i, w := range words {
		x, err := strconv.ParseFloat(w.text, 64)
		if err == nil && (x == -1 || math.IsNaN(x)) {
			p.unobserved = true
			continue
		}
		// Too small for a float64 is a rounded 0, not an error of ParseFloat; too large is.
		if err != nil || !(x >= 0 && x <= 1+rowTolerance) {
			p.failAt(w.line, node, "table", w.show(), "a probability")
			return nil, nil
		}
		values[i], slack[i] = x, rounding(w.text)
	}
	return values, slack
}

// rounding is half a unit of the last decimal of a number, and 0 of one with an exponent or with less than two
// decimals: of 0.5 and 0.4 nobody can say whether they are rounded or wrong.
func rounding(text string) float64 {
	_, decimals, point := strings.Cut(text, ".")
	if !point || len(decimals) < 2 || strings.ContainsAny(decimals, "eE") {
		return 0
	}
	return 0.5 * math.Pow(10, -float64(len(decimals)))
}

// WriteBIF writes the network in the form that ReadBIF reads, one row for each parent configuration, numbers in full
// precision: reading it back gives the same network, to the bit. Errors: those of w.
func (n *Net) WriteBIF(w io.Writer) error { return n.dag.writeBIF(w, n.cpts) }

// WriteBIF writes the structure alone: probability blocks without numbers, which ReadBIF reads as a structure.
func (d *DAG) WriteBIF(w io.Writer) error { return d.writeBIF(w, nil) }

func (d *DAG) writeBIF(w io.Writer, cpts [][]float64) error {
	b := bufio.NewWriter(w) // it keeps the first error for Flush
	b.WriteString("network unknown {\n}\n")
	for _, n := range d.nodes {
		b.WriteString("variable " + bifWord(n.Name) + " {\n  type discrete [ " + strconv.Itoa(len(n.States)) +
			" ] { " + bifWords(n.States) + " };\n}\n")
	}
	for i, n := range d.nodes {
		b.WriteString("probability ( " + bifWord(n.Name))
		if len(n.Parents) > 0 {
			b.WriteString(" | " + bifWords(n.Parents))
		}
		b.WriteString(" ) {\n")
		if cpts != nil {
			d.writeRows(b, i, cpts[i])
		}
		b.WriteString("}\n")
	}
	return b.Flush()
}

func (d *DAG) writeRows(b *bufio.Writer, i int, cpt []float64) {
	r := d.arity[i]
	states := make([]string, len(d.parents[i]))
	for row := range len(cpt) / r {
		if len(states) == 0 {
			b.WriteString("  table")
		} else {
			left := row
			for j := len(states) - 1; j >= 0; j-- {
				p := d.parents[i][j]
				states[j] = d.nodes[p].States[left%d.arity[p]]
				left /= d.arity[p]
			}
			b.WriteString("  (" + bifWords(states) + ")")
		}
		for x, p := range cpt[row*r : row*r+r] {
			if x > 0 {
				b.WriteByte(',')
			}
			b.WriteByte(' ')
			b.WriteString(strconv.FormatFloat(p, 'g', -1, 64))
		}
		b.WriteString(";\n")
	}
}

func bifWords(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = bifWord(w)
	}
	return strings.Join(quoted, ", ")
}

// bifWord quotes a name that would not be read back as one word.
func bifWord(s string) string {
	plain := s != "" && !strings.Contains(s, "//") && !strings.Contains(s, "/*")
	for i := range len(s) {
		plain = plain && !isMark(s[i]) && !isSpace(s[i]) && s[i] != '"'
	}
	if plain {
		return s
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// mostText is the length that is read of a packed network when it is unpacked.
const mostText = 32 << 20

// bounded is a text of at most left bytes; a longer one is an error, since a small packed file can hold any number.
type bounded struct {
	r    io.Reader
	left int
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left == 0 {
		return 0, &Error{Field: "file", Value: "longer than 32 MiB, unpacked", Want: "a network of at most 32 MiB"}
	}
	n, err := b.r.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

// bifText undoes gzip, a byte-order mark and UTF-16, and names files that are no text.
func bifText(r io.Reader) (io.Reader, error) {
	b := bufio.NewReaderSize(r, 1<<16)
	refuse := func(value, want string) (io.Reader, error) {
		return nil, &Error{Field: "file", Value: value, Want: want, Line: 1}
	}
	if head, _ := b.Peek(2); string(head) == "\x1f\x8b" {
		z, err := gzip.NewReader(b)
		if err != nil {
			return refuse("gzip data that is broken", "whole gzip data")
		}
		b = bufio.NewReaderSize(&bounded{z, mostText}, 1<<16)
	}
	head, _ := b.Peek(512)
	switch s := string(head); {
	case strings.HasPrefix(s, "\xff\xfe"), strings.HasPrefix(s, "\xfe\xff"):
		return unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewDecoder().Reader(b), nil
	case strings.HasPrefix(s, "\xef\xbb\xbf"):
		_, _ = b.Discard(3)
	case strings.HasPrefix(s, "PK\x03\x04"):
		return refuse("a zip archive", "a BIF file: unpack it, and give the network in it")
	case strings.HasPrefix(s, "RDX"), strings.HasPrefix(s, "X\n\x00\x00"):
		return refuse("an R data file", `a BIF file: in R, bnlearn::write.bif("network.bif", fitted)`)
	}
	head, _ = b.Peek(512)
	s := strings.ToLower(strings.TrimLeft(string(head), " \t\r\n"))
	switch {
	case strings.HasPrefix(s, "<smile"), strings.HasPrefix(s, "<?xml") && strings.Contains(s, "<smile"):
		return refuse("a network of GeNIe (xdsl)", "a BIF file: save it as one from GeNIe")
	case strings.HasPrefix(s, "<"):
		return refuse("XML, such as XMLBIF", "a BIF file of text: in Python, pgmpy.readwrite.XMLBIFReader and BIFWriter convert it")
	case strings.HasPrefix(s, "{") || strings.HasPrefix(s, "["):
		return refuse("JSON", "a BIF file")
	case strings.HasPrefix(s, "%"): // a comment of Hugin
		f := otherFormats["net"]
		return refuse(f.name, f.want)
	}
	return b, nil
}

// otherFormat is a kind of file for networks that is not read, and what to do.
type otherFormat struct{ name, want string }

// otherFormats are known by their first word.
var otherFormats = func() map[string]otherFormat {
	net := otherFormat{"a network of Hugin (NET)", `a BIF file: in R, bnlearn::write.bif("n.bif", bnlearn::read.net("n.net"))`}
	dsc := otherFormat{"a network in DSC", `a BIF file: in R, bnlearn::write.bif("n.bif", bnlearn::read.dsc("n.dsc"))`}
	uai := otherFormat{"a network in the UAI format, which has no names", "a BIF file, with names of nodes and states: in " +
		"Python, pgmpy.readwrite.UAIReader and BIFWriter convert it"}
	return map[string]otherFormat{"net": net, "class": net, "node": net, "belief": dsc, "bayes": uai, "markov": uai,
		"bnet":    {"a network of Netica (dne)", "a BIF file: save it as one from Netica"},
		"digraph": {"a graph of Graphviz (dot)", "a BIF file, with the states of every node"}}
}()
