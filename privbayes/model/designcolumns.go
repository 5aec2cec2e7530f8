package model

import (
	"github.com/privbayes/privbayes-go/internal/formula"
	"github.com/privbayes/privbayes-go/internal/gram"
	"github.com/privbayes/privbayes-go/internal/leastsquares"
)

// Bits says that columns of a row, on [−1, 1], are multiples of 2^−Bits.
func (l *RegressionDesign) Bits() int {
	if l.Formula != nil {
		return formula.LatticeBits
	}
	return leastsquares.LatticeBits
}

// Columns are those of a row as the posterior reads them: the intercept, and of features the first power of a number or
// the indicator of a level; or those of a formula. Numbers are named by their place among the features, factors by
// theirs among Runs.
func (l *RegressionDesign) Columns() (out []gram.Column) {
	if l.Formula != nil {
		return l.Formula.Columns
	}
	if l.Intercept {
		out = append(out, gram.Column{})
	}
	factor := 0
	for j := 0; j < len(l.X); j++ {
		if factor == len(l.Runs) || j < l.Runs[factor].First {
			out = append(out, gram.Column{Powers: []gram.Power{{Of: j, Degree: 1}}})
			continue
		}
		levels := l.Runs[factor].Len
		for i := range levels {
			out = append(out, gram.Column{Levels: []gram.Level{{Of: factor, Level: i + 1, Levels: levels + 1}}})
		}
		factor++
		j += levels - 1
	}
	return out
}
