package model

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/internal/gram"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// slopeNames are the columns of a formula without the intercept.
func (l *RegressionDesign) slopeNames() []string {
	if l.Intercept {
		return l.weights[1:]
	}
	return l.weights
}

// scaledNote says what the coefficients of a formula are of, on a scale; "" of other regressions.
func (l *RegressionDesign) scaledNote(scale string) string {
	if l.Formula == nil {
		return ""
	}
	text := "In " + scale + ", for one unit more of a column."
	var of []string
	for j, own := range l.Formula.own {
		polynomial := slices.ContainsFunc(l.Formula.Columns, func(c gram.Column) bool {
			return slices.ContainsFunc(c.Powers, func(p gram.Power) bool { return p.Of == j && p.Legendre > 1 })
		})
		switch name := safetext.Word(l.Formula.Numbers[j]); {
		case !own:
			of = append(of, "All powers of "+name)
		case polynomial:
			of = append(of, "Polynomials of "+name)
		}
	}
	if len(of) > 0 {
		text += " " + strings.Join(of, ", ") + ": of the number scaled to [−1, 1] by its public bounds."
	}
	return text
}

// references say which level of a factor a term has no column for, and which cell of its factors.
func (f *Formula) references() (out []string) {
	for k, x := range f.Factors {
		full := map[int]bool{} // terms with the factor: whether its reference has a column, too
		for c, column := range f.Columns {
			for _, l := range column.Levels {
				if l.Of == k {
					full[f.Of[c]] = full[f.Of[c]] || l.Level == x.Reference
				}
			}
		}
		if slices.Contains(slices.Collect(maps.Values(full)), false) {
			out = append(out, fmt.Sprintf("Levels of %s are compared with %s.", safetext.Word(x.Name),
				safetext.Word(x.Levels[x.Reference])))
		}
	}
	for _, cell := range f.Omitted {
		out = append(out, fmt.Sprintf("The cell %s has no column: others of its term are compared with it.",
			safetext.Word(cell)))
	}
	return out
}

// ofHalfRanges are the coefficients of a formula's columns on [−1, 1], in the units of the response; nil without draws
// of weights.
func (f *Fitted) ofHalfRanges() *Draws {
	w, _, _, err := f.weights()
	if err != nil {
		return nil
	}
	l := f.shape.linear
	names := l.slopeNames()
	out := &Draws{Names: slices.Clone(names)}
	for _, v := range w {
		v = slices.Clone(v[len(v)-len(names):])
		for i := range v {
			v[i] *= (l.Y.Hi/2 - l.Y.Lo/2) * l.Formula.unit()
		}
		out.Values = append(out.Values, v)
	}
	return out
}

// coefficientNames are those of inUnits: the constant first, unless the columns of a factor in full stand for it.
func (l *RegressionDesign) coefficientNames() []string {
	if first, _ := l.Formula.cells(); first >= 0 {
		return l.weights
	}
	return append([]string{"intercept"}, l.slopeNames()...)
}

// cells are the first columns of indicators alone, where they are all cells of their factors and add up to 1.
func (f *Formula) cells() (first, count int) {
	first = slices.IndexFunc(f.Columns, func(c gram.Column) bool { return len(c.Powers) == 0 })
	if first < 0 || constant(f.Columns[first]) {
		return -1, 0
	}
	all := 1
	for _, l := range f.Columns[first].Levels {
		all *= l.Levels
	}
	for _, of := range f.Of {
		if of == f.Of[first] {
			count++
		}
	}
	if count < all {
		return -1, 0
	}
	return first, count
}

// inUnits are coefficients of a formula in the units of the data, named by coefficientNames: those of powers of numbers
// that are in own, of numbers in their own units; of others, and of polynomials, of numbers scaled to [−1, 1].
func (l *RegressionDesign) inUnits(columns []frame.Column, w []float64) []float64 {
	f, half := l.Formula, l.Y.Hi/2-l.Y.Lo/2
	out := make([]float64, len(w)+1)
	out[0] = l.Y.Lo/2 + l.Y.Hi/2
	for c, v := range w {
		parts := []part{{f.Columns[c], half * f.unit() * v}}
		for j, place := range f.numbers {
			if f.own[j] {
				parts = expanded(parts, j, &columns[place])
			}
		}
		for _, p := range parts {
			if constant(p.column) {
				out[0] += p.times
			} else {
				out[1+slices.IndexFunc(f.Columns, p.column.Equal)] += p.times
			}
		}
	}
	if l.Intercept { // among the columns, too
		return slices.Delete(out, 1, 2)
	}
	if first, count := f.cells(); first >= 0 {
		for i := range count {
			out[1+first+i] += out[0]
		}
		return out[1:]
	}
	return out
}

// part is a column times a number.
type part struct {
	column gram.Column
	times  float64
}

// expanded writes ((x − mid)/half)^k of a number as Σ choose(k, e)·x^e·(−mid)^(k−e)/half^k.
func expanded(parts []part, of int, c *frame.Column) (out []part) {
	mid, half := c.Min/2+c.Max/2, c.Max/2-c.Min/2
	for _, p := range parts {
		i := plainPower(p.column, of)
		if i < 0 {
			out = append(out, p)
			continue
		}
		k, lower := p.column.Powers[i].Degree, p.column
		times := p.times / math.Pow(half, float64(k))
		for e := k; ; e-- {
			out = append(out, part{lower, times})
			if e == 0 {
				break
			}
			times *= -mid * float64(e) / float64(k-e+1)
			lower = lowered(lower, i)
		}
	}
	return out
}

// plainPower is the place of a number's own power in a column, −1 for none.
func plainPower(c gram.Column, of int) int {
	return slices.IndexFunc(c.Powers, func(p gram.Power) bool { return p.Of == of && p.Legendre < 2 })
}

// lowered is a column with one power lowered by one.
func lowered(c gram.Column, i int) gram.Column {
	c.Powers = slices.Clone(c.Powers)
	if c.Powers[i].Degree--; c.Powers[i].Degree == 0 {
		c.Powers = slices.Delete(c.Powers, i, i+1)
	}
	return c
}

// owned reports whether a number can be in its own units: all that its powers expand to are columns, or the constant.
func (f *Formula) owned(of int) bool {
	return !slices.ContainsFunc(f.Columns, func(c gram.Column) bool {
		i := plainPower(c, of)
		return i >= 0 && !constant(lowered(c, i)) && !slices.ContainsFunc(f.Columns, lowered(c, i).Equal)
	})
}
