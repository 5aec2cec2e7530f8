// Package question reads the questions that are asked of a released network on the command line:
//
//	P(a=x, b=y | c=z)       the share of records with levels among those with others
//	diff(Q, Q)              a difference, such as of risks
//	ratio(Q, Q)             a ratio, such as a relative risk
//	odds(Q, Q)              an odds ratio of two probabilities
//	dependence(parent, child)  what an edge says, in bits
//
// Columns and levels stand in double quotes where they hold one of the characters , | ( ) = " or blanks at an end; in
// quotes a backslash stands before a quote and before a backslash.
package question

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/noiseaware"
)

// Limits of a question.
const (
	maxText  = 1 << 14 // bytes
	maxDepth = 20      // questions in each other
)

// Error is a question that cannot be asked.
type Error struct {
	Text   string // the question
	At     int    // the character at fault, from 1
	Found  string // what stands there
	Want   string
	Column string // where a level is at fault: its column
}

func (e *Error) Error() string {
	of := ""
	if e.Column != "" {
		of = ", no level of " + safetext.Short(e.Column)
	}
	return fmt.Sprintf("question %s, character %d: found %s%s; want %s", safetext.Short(e.Text), e.At, e.Found, of, e.Want)
}

// Column is a column of the network with its levels.
type Column struct {
	Name   string
	Levels []string
}

// Parse reads a question about columns. Error: *Error.
func Parse(text string, columns []Column) (*noiseaware.Question, error) {
	p := &parser{text: text, columns: columns}
	if len(text) > maxText {
		return nil, &Error{Text: text, At: 1, Found: fmt.Sprint(len(text), " bytes"), Want: fmt.Sprint("at most ", maxText)}
	}
	if !utf8.ValidString(text) {
		return nil, &Error{Text: text, At: 1, Found: "bytes that are no text", Want: "UTF-8"}
	}
	q, err := p.question(0)
	if err == nil && p.next() != 0 {
		err = p.wrong("the end")
	}
	if err != nil {
		return nil, err
	}
	return q.Named(strings.TrimSpace(text)), nil
}

// parser stands at a byte of the text.
type parser struct {
	text    string
	at      int
	columns []Column
}

// next is the byte at which the parser stands, behind blanks; 0 at the end.
func (p *parser) next() byte {
	rest := strings.TrimLeft(p.text[p.at:], " \t\n")
	if p.at = len(p.text) - len(rest); rest == "" {
		return 0
	}
	return rest[0]
}

// wrong says what stands at the parser's place.
func (p *parser) wrong(want string) *Error {
	found := "the end"
	if p.next() != 0 {
		r, _ := utf8.DecodeRuneInString(p.text[p.at:])
		found = safetext.Quote(string(r))
	}
	return p.fault(p.at, found, want)
}

func (p *parser) fault(at int, found, want string) *Error {
	return &Error{Text: p.text, At: utf8.RuneCountInString(p.text[:at]) + 1, Found: found, Want: want}
}

// take reads one mark.
func (p *parser) take(mark byte, want string) error {
	if p.next() != mark {
		return p.wrong(want)
	}
	p.at++
	return nil
}

// kinds are the questions made of others.
var kinds = map[string]func(a, b *noiseaware.Question) *noiseaware.Question{
	"diff": noiseaware.Difference, "ratio": noiseaware.Ratio, "odds": noiseaware.OddsRatio,
}

const wantQuestion = "P(…), diff(Q, Q), ratio(Q, Q), odds(Q, Q) or dependence(parent, child)"

func (p *parser) question(depth int) (*noiseaware.Question, error) {
	if depth > maxDepth {
		return nil, p.wrong(fmt.Sprintf("at most %d questions in each other", maxDepth))
	}
	p.next()
	start := p.at
	word := p.text[start:]
	if i := strings.IndexByte(word, '('); i >= 0 {
		word = word[:i]
	}
	kind := strings.TrimSpace(word)
	join := kinds[kind]
	if p.at += len(word); join == nil && kind != "P" && kind != "dependence" || p.next() != '(' {
		near := ""
		if other := safetext.Closest(kind, []string{"diff", "ratio", "odds", "dependence"}); other != "" && other != kind {
			near = "; did you mean " + other + "?"
		}
		return nil, p.fault(start, safetext.Short(kind), wantQuestion+near)
	}
	p.at++
	var q *noiseaware.Question
	var err error
	switch kind {
	case "P":
		q, err = p.probability()
	case "dependence":
		q, err = p.dependence()
	default:
		var a, b *noiseaware.Question
		if a, err = p.question(depth + 1); err == nil {
			err = p.take(',', "a comma and a second question")
		}
		if err == nil {
			b, err = p.question(depth + 1)
		}
		q = join(a, b)
	}
	if err == nil {
		err = p.take(')', "a closing parenthesis")
	}
	return q, err
}

// probability reads events, and those given behind a bar. A column stands once.
func (p *parser) probability() (*noiseaware.Question, error) {
	seen := map[string]bool{}
	of, err := p.event(seen)
	if err != nil || p.next() != '|' {
		return noiseaware.Probability(of), err
	}
	p.at++
	given, err := p.event(seen)
	return noiseaware.Probability(of, given), err
}

func (p *parser) event(seen map[string]bool) (noiseaware.Event, error) {
	e := noiseaware.Event{}
	for {
		p.next()
		start := p.at
		c, err := p.column()
		if err == nil && seen[c.Name] {
			err = p.fault(start, safetext.Short(c.Name)+" a second time", "every column once")
		}
		if err == nil {
			err = p.take('=', "= and a level")
		}
		if err != nil {
			return nil, err
		}
		seen[c.Name] = true
		if e[c.Name], err = p.name("level", c.Levels, c.Name); err != nil {
			return nil, err
		}
		if p.next() != ',' {
			return e, nil
		}
		p.at++
	}
}

func (p *parser) dependence() (*noiseaware.Question, error) {
	parent, err := p.column()
	if err == nil {
		err = p.take(',', "a comma and the child")
	}
	if err != nil {
		return nil, err
	}
	child, err := p.column()
	return noiseaware.Dependence(parent.Name, child.Name), err
}

func (p *parser) column() (Column, error) {
	var names []string
	for _, c := range p.columns {
		names = append(names, c.Name)
	}
	name, err := p.name("column", names, "")
	if err != nil {
		return Column{}, err
	}
	return p.columns[slices.Index(names, name)], nil
}

// name reads one of the names that there are, in quotes or bare.
func (p *parser) name(what string, names []string, of string) (string, error) {
	first := p.next()
	start, name := p.at, ""
	if first == '"' {
		for p.at++; ; p.at++ {
			if p.at == len(p.text) {
				return "", p.wrong("a closing quote")
			}
			c := p.text[p.at]
			if c == '"' {
				break
			}
			if c == '\\' && p.at+1 < len(p.text) && strings.IndexByte(`"\`, p.text[p.at+1]) >= 0 {
				p.at++
				c = p.text[p.at]
			}
			name += string([]byte{c})
		}
		p.at++
	} else {
		rest := p.text[p.at:]
		if i := strings.IndexAny(rest, `,|()="`); i >= 0 {
			rest = rest[:i]
		}
		if p.at += len(rest); strings.TrimSpace(rest) == "" {
			return "", p.wrong("a " + what)
		}
		name = strings.TrimRight(rest, " \t\n")
	}
	if slices.Contains(names, name) {
		return name, nil
	}
	e := p.fault(start, safetext.Short(name), safetext.OneOf(name, names))
	e.Column = of
	return "", e
}
