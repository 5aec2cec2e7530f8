package formula

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/internal/gram"
	"github.com/privbayes/privbayes-go/internal/safetext"
)

// Design is a formula coded into columns of numbers scaled to [−1, 1] and of levels. Immutable. Values come from
// Formula.Code.
type Design struct {
	Columns []gram.Column // numbers are named by their place among Numbers, factors by theirs among Factors
	Names   []string      // of the columns
	Numbers []string      // the columns that are numbers
	Factors []Factor
	Omitted []string // of terms that leave out a cell, that cell, named as a column would be
	Terms   []string // their number is D, the greatest squared norm of a row of columns
	Keys    []string // of Terms: see TermKeys
	Of      []int    // the term of every column
	Degree  int      // the greatest of a term, at least 1: an indicator counts 0, and a polynomial its degree
}

// Factor is a column of levels and the place of its reference among them.
type Factor struct {
	Name      string
	Levels    []string
	Reference int
}

// Code makes the columns. levels gives the levels of a column, none of a number; its error is given back with the
// place of the column.
//
// A factor of a term is coded without its reference, the first level or ref, where the term without that factor stands
// in the formula, and else in full. A term of two or more factors, all in full, leaves out the one cell of all
// references where its numbers alone stand in the formula. Without an intercept the first term of factors alone is
// coded in full, and stands for the intercept in those after it.
//
// D, the number of terms, is the greatest squared norm of a row: the columns of a term are a product of numbers of
// [−1, 1] times indicators of which at most one is 1. That is checked on the columns, pair by pair, and so is that none
// of them follows from those before it, whatever the data. Errors: *Error.
func (f *Formula) Code(levels func(column string) ([]string, error)) (*Design, error) {
	d, constant := &Design{Degree: 1}, slices.Contains(f.terms, 0)
	if err := d.sort(f.uses, levels); err != nil {
		return nil, err
	}
	for _, t := range f.terms {
		numbers, factors, degree := d.split(f.factorsOf(t))
		in := func(so func(factor) bool) bool {
			rest := f.without(t, so)
			return slices.Contains(f.terms, rest) || constant && rest == 0
		}
		cells, full := [][]gram.Level{nil}, true
		for _, k := range factors {
			reduced := in(func(x factor) bool { return x.column == d.Factors[k].Name })
			full = full && !reduced
			var next [][]gram.Level
			for _, cell := range cells {
				for level := range d.Factors[k].Levels {
					if !reduced || level != d.Factors[k].Reference {
						next = append(next, append(slices.Clone(cell), gram.Level{Of: k, Level: level,
							Levels: len(d.Factors[k].Levels)}))
					}
				}
			}
			if cells = next; len(cells) > gram.MostColumns {
				break
			}
		}
		if len(d.Columns)+len(cells) > gram.MostColumns {
			return nil, &Error{At: f.first(t), What: fmt.Sprintf("more than %d columns, with %s", gram.MostColumns, f.shown(t)),
				Want: "fewer levels or interactions"}
		}
		if len(factors) > 1 && full && in(func(x factor) bool { return d.factor(x.column) >= 0 }) {
			left := slices.IndexFunc(cells, d.reference)
			d.Omitted = append(d.Omitted, d.name(gram.Column{Powers: numbers, Levels: cells[left]}))
			cells = slices.Delete(cells, left, left+1)
		}
		for _, cell := range cells {
			d.add(gram.Column{Powers: numbers, Levels: cell})
		}
		d.Terms, d.Keys = append(d.Terms, f.shown(t)), append(d.Keys, f.key(t))
		d.Degree = max(d.Degree, degree)
		constant = constant || len(numbers) == 0
		if degree > mostDegree {
			return nil, &Error{At: f.first(t), What: fmt.Sprintf("%s of degree %d", f.shown(t), degree), Want: "at most 4"}
		}
	}
	if i, j, found := d.together(); found {
		return nil, &Error{At: 1, What: fmt.Sprintf("%s and %s can both be 1", safetext.Short(d.Names[i]),
			safetext.Short(d.Names[j])), Want: "columns of a term of which one is 1 at most"}
	}
	if j := d.dependent(); j >= 0 {
		return nil, &Error{At: f.first(f.terms[d.Of[j]]), What: fmt.Sprintf("the column %s, which follows from those "+
			"before it whatever the data", safetext.Short(d.Names[j])), Want: "independent columns, such as those of f*g"}
	}
	return d, nil
}

// Hierarchical refuses a design of the formula without an intercept, or with a number or factor that has no term of its
// own: the means and covariances of what remains would not say how rows are distributed. Errors: *Error.
func (f *Formula) Hierarchical(d *Design) error {
	if len(d.Columns[0].Powers)+len(d.Columns[0].Levels) > 0 {
		return &Error{At: len(f.text), What: "no intercept", Want: "an intercept in this kind of regression"}
	}
	for _, u := range f.uses {
		own, columns := 0, 1
		if k := d.factor(u.column); k >= 0 {
			columns = len(d.Factors[k].Levels) - 1
		}
		for _, c := range d.Columns {
			if of, ok := c.Number(); ok && d.Numbers[of] == u.column || len(c.Powers) == 0 && len(c.Levels) == 1 &&
				d.Factors[c.Levels[0].Of].Name == u.column {
				own++
			}
		}
		if own != columns {
			return &Error{At: u.at, What: safetext.Quote(u.column) + " in no term of its own",
				Want: fmt.Sprintf("the term %s as well as its powers and interactions, in this kind of regression",
					safetext.Word(u.column))}
		}
	}
	return nil
}

// sort tells numbers from factors.
func (d *Design) sort(uses []use, levels func(string) ([]string, error)) error {
	for _, u := range uses {
		list, err := levels(u.column)
		switch {
		case err != nil:
			return &Error{At: u.at, What: safetext.Quote(u.column), Want: "a column of the schema", Cause: err}
		case len(list) == 0 && u.asFactor > 0:
			return &Error{At: u.asFactor, What: safetext.Quote(u.column) + ", a number, in C()", Want: "a categorical column"}
		case len(list) == 0:
			d.Numbers = append(d.Numbers, u.column)
			continue
		case u.asNumber > 0:
			return &Error{At: u.asNumber, What: safetext.Quote(u.column) + ", a factor, in I() or poly()",
				Want: "a numeric column"}
		}
		reference := 0
		if u.withReference {
			if reference = slices.Index(list, u.reference); reference < 0 {
				return &Error{At: u.asFactor, What: fmt.Sprintf("no level %s of %s", safetext.Quote(u.reference),
					safetext.Word(u.column)), Want: safetext.OneOf(u.reference, list)}
			}
		}
		d.Factors = append(d.Factors, Factor{u.column, list, reference})
	}
	return nil
}

// factor is the place of a column among the factors, −1 for a number.
func (d *Design) factor(column string) int {
	return slices.IndexFunc(d.Factors, func(f Factor) bool { return f.Name == column })
}

// split are the powers of a term, the places of its factors, both in order, and its degree.
func (d *Design) split(t []factor) (powers []gram.Power, factors []int, degree int) {
	for _, f := range t {
		if k := d.factor(f.column); k >= 0 {
			factors = append(factors, k)
			continue
		}
		p := gram.Power{Of: slices.Index(d.Numbers, f.column), Degree: f.degree}
		if f.legendre {
			p.Legendre, p.Degree = f.degree, 1
		}
		same := func(q gram.Power) bool { return q.Of == p.Of && q.Legendre == p.Legendre }
		if i := slices.IndexFunc(powers, same); i >= 0 {
			powers[i].Degree += p.Degree
		} else {
			powers = append(powers, p)
		}
		degree += f.degree
	}
	slices.Sort(factors)
	slices.SortFunc(powers, func(a, b gram.Power) int {
		return cmp.Or(cmp.Compare(a.Of, b.Of), cmp.Compare(a.Legendre, b.Legendre))
	})
	return powers, factors, degree
}

// reference reports whether a cell is that of all references.
func (d *Design) reference(cell []gram.Level) bool {
	return !slices.ContainsFunc(cell, func(l gram.Level) bool { return l.Level != d.Factors[l.Of].Reference })
}

// first is where a term's columns first stand.
func (f *Formula) first(t term) int {
	at := math.MaxInt
	for _, u := range f.uses {
		if f.without(t, func(x factor) bool { return x.column == u.column }) != t {
			at = min(at, u.at)
		}
	}
	return min(at, len(f.text))
}

// add appends a column of the next term.
func (d *Design) add(c gram.Column) {
	d.Columns, d.Of, d.Names = append(d.Columns, c), append(d.Of, len(d.Terms)), append(d.Names, d.name(c))
}

// name is a column as outputs have it.
func (d *Design) name(c gram.Column) string {
	var words []string
	for _, p := range c.Powers {
		w := d.Numbers[p.Of]
		if p.Legendre > 1 {
			w = fmt.Sprintf("P%d(%s)", p.Legendre, w)
		}
		if p.Degree > 1 {
			w += fmt.Sprintf("^%d", p.Degree)
		}
		words = append(words, w)
	}
	for _, l := range c.Levels {
		words = append(words, d.Factors[l.Of].Name+"="+d.Factors[l.Of].Levels[l.Level])
	}
	return cmp.Or(strings.Join(words, ":"), "(intercept)")
}

// together finds two columns of one term that can both be other than 0 in a record.
func (d *Design) together() (i, j int, found bool) {
	for j, b := range d.Columns {
		for i, a := range d.Columns[:j] {
			apart := slices.Equal(a.Powers, b.Powers) && slices.ContainsFunc(a.Levels, func(l gram.Level) bool {
				return slices.ContainsFunc(b.Levels, func(m gram.Level) bool { return m.Of == l.Of && m.Level != l.Level })
			})
			if d.Of[i] == d.Of[j] && !apart {
				return i, j, true
			}
		}
	}
	return 0, 0, false
}
