package synthetic

import (
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// Level is a level of a column.
type Level struct{ Column, Level string }

func (l Level) String() string { return l.Column + " = " + l.Level }

// in is the code of the level, and the column's codes.
func (l Level) in(f *frame.Frame) (code int, codes frame.Codes, err error) {
	c, _, err := f.Schema().Column(l.Column)
	if err != nil {
		return 0, codes, err
	}
	for k, name := range c.Labels() {
		if name == l.Level {
			codes, err = f.Codes(l.Column)
			return k, codes, err
		}
	}
	return 0, codes, domain.Refuse("synthetic", "level of "+l.Column, fmt.Sprintf("%q", l.Level),
		fmt.Sprintf("one of %q", c.Labels()))
}

// Share is the share of records at a level, with variance p(1 − p)/rows.
func Share(of Level) func(*frame.Frame) (Estimate, error) {
	return func(f *frame.Frame) (Estimate, error) {
		code, codes, err := of.in(f)
		if err != nil {
			return Estimate{}, err
		}
		hits := 0
		for i := range f.Len() {
			if codes.At(i) == code {
				hits++
			}
		}
		p := float64(hits) / float64(f.Len())
		return Estimate{p, p * (1 - p) / float64(f.Len())}, nil
	}
}

// LogOddsRatio is the coefficient of the logistic regression of one level on another, ln(a·d/(b·c)) of their 2 × 2
// table, with variance 1/a + 1/b + 1/c + 1/d. An empty cell makes it infinite, which Combine refuses.
func LogOddsRatio(outcome, exposure Level) func(*frame.Frame) (Estimate, error) {
	return func(f *frame.Frame) (Estimate, error) {
		y, ys, err := outcome.in(f)
		if err != nil {
			return Estimate{}, err
		}
		x, xs, err := exposure.in(f)
		if err != nil {
			return Estimate{}, err
		}
		var n [2][2]float64
		for i := range f.Len() {
			n[bit(ys.At(i) == y)][bit(xs.At(i) == x)]++
		}
		e := Estimate{Value: math.Log(n[1][1]) + math.Log(n[0][0]) - math.Log(n[0][1]) - math.Log(n[1][0])}
		for _, row := range n {
			for _, k := range row {
				e.Variance += 1 / k
			}
		}
		return e, nil
	}
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}
