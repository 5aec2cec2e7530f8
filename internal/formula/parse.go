package formula

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/internal/safetext"
)

// Limits of what is read.
const (
	mostTerms   = 128
	mostDegree  = 4
	mostFactors = 64
)

type parser struct {
	tokens []token
	f      *Formula
}

// Parse reads a formula. Which of its columns are numbers is not known yet: see Code. Errors: *Error.
func Parse(text string) (*Formula, error) {
	tokens, err := lex(text)
	if err != nil {
		return nil, err
	}
	p := &parser{tokens: tokens, f: &Formula{text: canonical(tokens)}}
	left, err := p.column()
	if err == nil {
		p.f.response = left.text
		err = p.sign("~", "~ after the response")
	}
	if err != nil {
		return nil, err
	}
	if p.f.terms, err = p.expression(); err != nil {
		return nil, err
	}
	return p.f, p.finish(left.at)
}

// finish checks and orders the terms.
func (p *parser) finish(at int) error {
	f := p.f
	all := term(0)
	for _, t := range f.terms {
		all |= t
	}
	used := f.factorsOf(all)
	f.uses = slices.DeleteFunc(f.uses, func(u use) bool {
		return !slices.ContainsFunc(used, func(x factor) bool { return x.column == u.column })
	})
	for _, u := range f.uses {
		if u.column == f.response {
			return &Error{At: u.at, What: "the response on the right", Want: "other columns"}
		}
	}
	if len(f.terms) == 0 {
		return &Error{At: at, What: "a formula without a term", Want: "at least one, such as 1 or a column"}
	}
	order := func(t term) int { return bits.OnesCount64(uint64(t)) }
	slices.SortStableFunc(f.terms, func(a, b term) int { return order(a) - order(b) })
	return nil
}

func (p *parser) peek() token { return p.tokens[0] }

func (p *parser) next() token {
	t := p.tokens[0]
	if t.kind != end {
		p.tokens = p.tokens[1:]
	}
	return t
}

func (p *parser) is(text string) bool { t := p.peek(); return t.kind == sign && t.text == text }

func (p *parser) sign(text, want string) error {
	if !p.is(text) {
		return &Error{At: p.peek().at, What: p.peek().shown(), Want: want}
	}
	p.next()
	return nil
}

// expression is the right side.
func (p *parser) expression() ([]term, error) {
	terms, plus := []term{0}, true
	if p.is("-") {
		if p.next(); p.peek().text != "1" || p.peek().kind != number {
			return nil, &Error{At: p.peek().at, What: p.peek().shown(), Want: "1 after a - that comes first"}
		}
		plus = false
	}
	for {
		at := p.peek()
		switch {
		case at.kind == number && (at.text == "1" || at.text == "0" && plus):
			p.next()
			terms = slices.DeleteFunc(terms, func(t term) bool { return t == 0 })
			if at.text == "1" && plus {
				terms = append(terms, 0)
			}
		default:
			more, err := p.term()
			if err != nil {
				return nil, err
			}
			if plus {
				terms = join(terms, more...)
			} else {
				terms = slices.DeleteFunc(terms, func(t term) bool { return slices.Contains(more, t) })
			}
			if len(terms) > mostTerms {
				return nil, tooMany(at)
			}
		}
		switch {
		case p.peek().kind == end:
			return terms, nil
		case !p.is("+") && !p.is("-"):
			return nil, &Error{At: p.peek().at, What: p.peek().shown(), Want: "+ or - between terms, in a formula of " + grammar}
		}
		plus = p.next().text == "+"
	}
}

func tooMany(at token) error {
	return &Error{At: at.at, What: fmt.Sprintf("more than %d terms", mostTerms), Want: "fewer interactions"}
}

// term is of inter { "*" inter }.
func (p *parser) term() ([]term, error) {
	at := p.peek()
	out, err := p.inter()
	for err == nil && p.is("*") {
		p.next()
		var b []term
		if b, err = p.inter(); err == nil {
			out = join(join(out, b...), crossed(out, b)...)
		}
		if len(out) > mostTerms {
			return nil, tooMany(at)
		}
	}
	return out, err
}

// inter is of power { ":" power }.
func (p *parser) inter() ([]term, error) {
	at := p.peek()
	out, err := p.power()
	for err == nil && p.is(":") {
		p.next()
		var b []term
		if b, err = p.power(); err == nil {
			out = crossed(out, b)
		}
		if len(out) > mostTerms {
			return nil, tooMany(at)
		}
	}
	return out, err
}

// power is of atom [ "^" 2..4 ].
func (p *parser) power() ([]term, error) {
	at := p.peek()
	base, err := p.atom()
	if err != nil || !p.is("^") {
		return base, err
	}
	p.next()
	k, err := p.degree(2)
	if err != nil {
		return nil, err
	}
	out := base
	for range k - 1 {
		if out = join(out, crossed(out, base)...); len(out) > mostTerms {
			return nil, tooMany(at)
		}
	}
	return out, nil
}

// degree is a whole number from least to 4.
func (p *parser) degree(least int) (int, error) {
	t := p.next()
	if t.kind == number && len(t.text) == 1 {
		if k := int(t.text[0] - '0'); k >= least && k <= mostDegree {
			return k, nil
		}
	}
	return 0, &Error{At: t.at, What: t.shown(), Want: fmt.Sprintf("a whole number from %d to %d", least, mostDegree)}
}

func (p *parser) atom() ([]term, error) {
	t := p.peek()
	call := t.kind == name && t.bare && p.tokens[1].kind == sign && p.tokens[1].text == "("
	switch {
	case p.is("("):
		return p.bracket()
	case call && slices.Contains([]string{"C", "I", "poly"}, t.text):
		p.next()
		p.next()
		out, err := p.call(t.text)
		if err == nil {
			err = p.sign(")", ") after the column, and nothing else")
		}
		return out, err
	case call:
		return nil, &Error{At: t.at, What: "the function " + t.shown(), Want: grammar}
	}
	c, err := p.column()
	if err != nil {
		return nil, err
	}
	p.uses(c)
	return p.factors(c, 1, false)
}

// bracket is "(" term { "+" term } ")": signs, 0 and 1 stand outside of brackets.
func (p *parser) bracket() (out []term, err error) {
	open := p.next()
	for {
		more, err := p.term()
		if err != nil {
			return nil, err
		}
		if out = join(out, more...); len(out) > mostTerms {
			return nil, tooMany(open)
		}
		if p.is(")") {
			p.next()
			return out, nil
		}
		if err := p.sign("+", "+ or ) inside of brackets"); err != nil {
			return nil, err
		}
	}
}

// call is what stands in the brackets of C, I and poly.
func (p *parser) call(function string) ([]term, error) {
	c, err := p.column()
	if err != nil {
		return nil, err
	}
	u := p.uses(c)
	if function == "C" {
		if u.asFactor == 0 {
			u.asFactor = c.at
		}
		if p.is(",") {
			err = p.reference(u)
		}
		if err != nil {
			return nil, err
		}
		return p.factors(c, 1, false)
	}
	if u.asNumber == 0 {
		u.asNumber = c.at
	}
	if function == "I" {
		if err = p.sign("^", "^ and a power of 2 to 4"); err != nil {
			return nil, err
		}
		k, err := p.degree(2)
		if err != nil {
			return nil, err
		}
		return p.factors(c, k, false)
	}
	if err = p.sign(",", "a comma and a degree of 1 to 4"); err != nil {
		return nil, err
	}
	k, err := p.degree(1)
	if err != nil {
		return nil, err
	}
	return p.factors(c, k, true)
}

// factors are a power of a column, or its Legendre polynomials up to a degree, each a term.
func (p *parser) factors(c token, degree int, legendre bool) (out []term, err error) {
	first := degree
	if legendre {
		first = 1
	}
	for k := first; k <= degree; k++ {
		x := factor{c.text, k, legendre && k > 1}
		i := slices.Index(p.f.factors, x)
		if i < 0 {
			i, p.f.factors = len(p.f.factors), append(p.f.factors, x)
		}
		if i >= mostFactors {
			return nil, &Error{At: c.at, What: fmt.Sprintf("more than %d factors", mostFactors), Want: "fewer columns"}
		}
		out = append(out, 1<<i)
	}
	return out, nil
}

// reference is ", ref=" level.
func (p *parser) reference(u *use) error {
	p.next()
	if t := p.next(); t.kind != name || t.text != "ref" {
		return &Error{At: t.at, What: t.shown(), Want: "ref=level"}
	}
	if err := p.sign("=", "= after ref"); err != nil {
		return err
	}
	t := p.next()
	if t.kind == end || t.kind == sign {
		return &Error{At: t.at, What: t.shown(), Want: "a level: a word, a number, or text between quotes"}
	}
	if u.withReference && u.reference != t.text {
		return &Error{At: t.at, What: "another reference of " + safetext.Word(u.column), Want: "one reference a factor"}
	}
	u.reference, u.withReference = t.text, true
	return nil
}

func (p *parser) column() (token, error) {
	t := p.next()
	if t.kind != name || t.bare && t.text == "." {
		return t, &Error{At: t.at, What: t.shown(), Want: "a column, in a formula of " + grammar}
	}
	return t, nil
}

func (p *parser) uses(c token) *use {
	for i := range p.f.uses {
		if p.f.uses[i].column == c.text {
			return &p.f.uses[i]
		}
	}
	p.f.uses = append(p.f.uses, use{column: c.text, at: c.at})
	return &p.f.uses[len(p.f.uses)-1]
}

// canonical is the text of tokens.
func canonical(tokens []token) string {
	var b strings.Builder
	for i, t := range tokens {
		switch {
		case t.kind == name && !t.bare:
			b.WriteString(named(t.text))
		case t.kind == quoted && !strings.Contains(t.text, `"`):
			b.WriteString(`"` + t.text + `"`)
		case t.kind == quoted:
			b.WriteString("'" + t.text + "'")
		case t.text == "~", t.text == "+", t.text == "-" && i > 0 && tokens[i-1].text != "~":
			b.WriteString(" " + t.text + " ")
		case t.text == "-":
			b.WriteString(t.text)
		case t.text == ",":
			b.WriteString(", ")
		default:
			b.WriteString(t.text)
		}
	}
	return b.String()
}
