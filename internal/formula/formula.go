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
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
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

// side is what an expression is parsed behind: no formula calls its response so.
const side = "` ` ~ 0 + "

// TermKeys are the keys of the terms of an expression such as "poly(age, 2)", "b:a" or "age + I(age^2)", in its order:
// as Design.Keys has those of a formula, whatever the order of the factors in a term. Errors: *Error, with the place in
// the expression.
func TermKeys(expression string) (keys []string, err error) {
	f, err := Parse(side + expression)
	if err != nil {
		var e *Error
		if errors.As(err, &e) {
			e.At = max(1, e.At-len(side))
		}
		return nil, err
	}
	for _, t := range f.terms {
		keys = append(keys, f.key(t))
	}
	return keys, nil
}

// ColumnKey is the key of the term that is one column as it is.
func ColumnKey(column string) string { return fmt.Sprintf("%q 1", column) }

// key names a term by its factors, sorted; that of the intercept is "".
func (f *Formula) key(t term) string {
	var words []string
	for _, x := range f.factorsOf(t) {
		word := fmt.Sprintf("%q %d", x.column, x.degree)
		if x.legendre {
			word += " Legendre"
		}
		words = append(words, word)
	}
	slices.Sort(words)
	return strings.Join(words, ", ")
}

// KeyColumns are the columns of a term.
func KeyColumns(key string) (columns []string) {
	for key != "" {
		quoted, err := strconv.QuotedPrefix(key)
		column, err2 := strconv.Unquote(quoted)
		if err != nil || err2 != nil { // no key
			return columns
		}
		columns = append(columns, column)
		_, key, _ = strings.Cut(key[len(quoted):], ", ")
	}
	return columns
}

// LatticeBits says that columns are multiples of 2^−LatticeBits at numbers that were rounded: products of powers are of
// 2^−22, and Legendre polynomials of even degree add one halving at most. The arithmetic of Fill is exact there.
const LatticeBits = 23

// Step is 2^−⌊22/g⌋, g the degree of the formula: of numbers on [−1, 1], so that products of columns are whole numbers.
func (d *Design) Step() float64 { return 1 / float64(uint(1)<<(22/d.Degree)) }

// Round is the multiple of Step nearest to a number of [−1, 1], ties to even.
func (d *Design) Round(u float64) float64 { return math.RoundToEven(u/d.Step()) * d.Step() }

// Fill writes the columns of rows: out a list a column, from a list of every number, scaled to [−1, 1], and of every
// factor's places among its levels.
func (d *Design) Fill(out, numbers [][]float64, levels [][]int) {
	for c, column := range d.Columns {
		to := out[c]
		for r := range to {
			to[r] = 1
		}
		for _, p := range column.Powers {
			for r, x := range numbers[p.Of][:len(to)] {
				to[r] *= p.At(x)
			}
		}
		for _, l := range column.Levels {
			for r, level := range levels[l.Of][:len(to)] {
				if level != l.Level {
					to[r] = 0
				}
			}
		}
	}
}
