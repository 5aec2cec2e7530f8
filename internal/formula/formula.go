// Package formula reads formulas of regressions, a subset of those of R and patsy, and codes them into columns:
//
//	formula = column "~" expr
//	expr    = term { ("+" | "-") term }           0 and -1 drop the intercept, which is there without being named
//	term    = inter { "*" inter }                 a*b = a + b + a:b
//	inter   = power { ":" power }
//	power   = atom [ "^" 2..4 ]                   (a + b)^2 = a + b + a:b
//	atom    = column | "(" term { "+" term } ")" | "C(" column [ ", ref=" level ] ")"
//	        | "I(" column "^" 2..4 ")" | "poly(" column "," 1..4 ")"
//
// A term is a set of factors, and a formula a set of terms. Their order is the intercept, main effects, interactions of
// two, and so on, each as first written. poly(x, k) is k terms, the Legendre polynomials P₁ = x to P_k of the number
// scaled to [−1, 1]: they are public, whereas R's poly looks at the data. Columns whose names are no words stand
// between backquotes. Source: theory/glm.md §3.
package formula

import (
	"fmt"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/internal/safetext"
)

// Error says where a formula is none, or does not fit its columns.
type Error struct {
	At    int    // the character, from 1 on
	What  string // what stands there
	Want  string // what is allowed
	Cause error  // of a column, where there is one
}

func (e *Error) Error() string {
	if e.Cause != nil {
		return fmt.Sprintf("formula: character %d: %v", e.At, e.Cause)
	}
	return fmt.Sprintf("formula: character %d: %s; want %s", e.At, e.What, e.Want)
}

// Unwrap is the error of the column.
func (e *Error) Unwrap() error { return e.Cause }

// Formula is a formula that was read. Immutable. Values come from Parse.
type Formula struct {
	text     string
	response string
	factors  []factor
	terms    []term
	uses     []use // of the columns on the right, in the order of their first places
}

// factor is one factor of a term: a column, a power of a number, or its Legendre polynomial of that degree.
type factor struct {
	column   string
	degree   int // 1 for a column as it is
	legendre bool
}

// term is a set of factors: bit i stands for number i of the formula's.
type term uint64

// use is how a formula takes a column.
type use struct {
	column             string
	at                 int    // its first place
	asFactor, asNumber int    // the first place that says which it is; 0 for none
	reference          string // of C(column, ref=…)
	withReference      bool
}

// String is the canonical text: one space about ~, + and -, none about other signs but after a comma.
func (f *Formula) String() string { return f.text }

// Response is the column on the left.
func (f *Formula) Response() string { return f.response }

// Columns are those on the right, in the order of their first places.
func (f *Formula) Columns() (names []string) {
	for _, u := range f.uses {
		names = append(names, u.column)
	}
	return names
}

// factorsOf are the factors of a term.
func (f *Formula) factorsOf(t term) (out []factor) {
	for i, x := range f.factors {
		if t>>i&1 == 1 {
			out = append(out, x)
		}
	}
	return out
}

// without is a term without the factors that are so.
func (f *Formula) without(t term, so func(factor) bool) term {
	for i, x := range f.factors {
		if so(x) {
			t &^= 1 << i
		}
	}
	return t
}

// join adds the terms that are not there yet.
func join(terms []term, more ...term) []term {
	for _, t := range more {
		if !slices.Contains(terms, t) {
			terms = append(terms, t)
		}
	}
	return terms
}

// crossed are the interactions of every term with every other one, one more than are allowed at most.
func crossed(a, b []term) (out []term) {
	for _, s := range a {
		for _, t := range b {
			if out = join(out, s|t); len(out) > mostTerms {
				return out
			}
		}
	}
	return out
}

// named is a column as a formula has it.
func named(column string) string {
	if word(column) {
		return column
	}
	return "`" + column + "`"
}

// shown is a term as it is printed.
func (f *Formula) shown(t term) string {
	if t == 0 {
		return "1"
	}
	var words []string
	for _, x := range f.factorsOf(t) {
		word := safetext.Word(x.column)
		switch {
		case x.legendre:
			word = fmt.Sprintf("P%d(%s)", x.degree, word)
		case x.degree > 1:
			word = fmt.Sprintf("%s^%d", word, x.degree)
		}
		words = append(words, word)
	}
	return strings.Join(words, ":")
}
