package divergence

import (
	"errors"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Case is a row of the comparison of sample sizes: a goal at a privacy level, the paper's calibration for that level
// and, when its R is not 0, a better one. Lambda and Epsilon, a Rényi order and bound, are for reading only: that the
// calibrations meet them is the caller's to know.
type Case struct {
	Lambda, Epsilon float64
	Goal            Goal
	Paper, Better   Calibration
}

// Need is how many records a case takes. Real numbers: rounding up is for tables.
type Need struct {
	Case
	Theorem2, Star, Simple, OneHot float64 // with the paper's calibration
	BetterStar                     float64 // Theorem 2* with the better one; 0 without it
}

// Comparison is sample sizes by case, as numbers, table and figure. The figure's own table twin is Figure.Table().
type Comparison struct {
	Needs  []Need
	Table  *table.Table
	Figure *figure.Figure
}

// RecordsNeeded compares how many records guarantee each case's goal for every histogram p by Theorem 2, by Theorem 2*
// and by both Theorem 2* and a better calibration, with the exact need of a one-hot histogram for reference. Reads no
// data.
//
// Errors: no case, or a case outside the domain of [RecordsTheorem2], is a *ParameterError; α < ½ is a *ConditionError.
func RecordsNeeded(cases []Case) (*Comparison, error) {
	if err := check("RecordsNeeded", domain.Arg("cases", len(cases), len(cases) > 0, "at least one")); err != nil {
		return nil, err
	}
	c := &Comparison{}
	for _, k := range cases {
		n, err := k.need()
		if err != nil {
			return nil, err
		}
		c.Needs = append(c.Needs, n)
	}
	c.Table = recordsTable(c.Needs)
	c.Figure = recordsFigure(c.Needs)
	return c, nil
}

func (k Case) need() (Need, error) {
	n := Need{Case: k}
	var errs [5]error
	n.Theorem2, errs[0] = RecordsTheorem2(k.Goal, k.Paper)
	n.Star, errs[1] = RecordsStar(k.Goal, k.Paper)
	n.Simple, errs[2] = RecordsSimple(k.Goal, k.Paper)
	n.OneHot, errs[3] = RecordsOneHot(k.Goal, k.Paper)
	if k.Better.R != 0 {
		n.BetterStar, errs[4] = RecordsStar(k.Goal, k.Better)
	}
	return n, errors.Join(errs[:]...)
}

func recordsTable(needs []Need) *table.Table {
	t := table.New("Records needed for a small divergence", "cells", "λ", "ε", "η", "γ", "Theorem 2", "Theorem 2*",
		"closed form", "one-hot, exact", "2* and better r, α")
	for _, n := range needs {
		row := []any{n.Goal.Cells, n.Lambda, n.Epsilon, n.Goal.Eta, n.Goal.Gamma}
		for _, x := range []float64{n.Theorem2, n.Star, n.Simple, n.OneHot} {
			row = append(row, math.Ceil(x))
		}
		if n.BetterStar > 0 {
			row = append(row, math.Ceil(n.BetterStar))
		}
		t.Add(row...)
	}
	return t.Note("Records from which Pr[KL > η] ≤ γ, KL in nats. Theorem 2, Theorem 2* and its closed form hold for " +
		"every histogram; one-hot is the exact need of one, which no such bound can undercut.")
}

func recordsFigure(needs []Need) *figure.Figure {
	f := &figure.Figure{
		Title: "Records needed for a small divergence", XLabel: "case", YLabel: "records", LogY: true,
		Caption: "Records from which Pr[KL > η] ≤ γ for every histogram; exact for a one-hot histogram. Each case is " +
			"cells d, Rényi bound ε, divergence η in nats" + shared(needs) + ".",
	}
	for _, n := range needs {
		f.XTicks = append(f.XTicks, fmt.Sprintf("d=%d ε=%g η=%g", n.Goal.Cells, n.Epsilon, n.Goal.Eta))
	}
	for _, s := range []struct {
		name string
		of   func(Need) float64
	}{
		{"Theorem 2", func(n Need) float64 { return n.Theorem2 }},
		{"Theorem 2*", func(n Need) float64 { return n.Star }},
		{"one-hot, exact", func(n Need) float64 { return n.OneHot }},
		{"Theorem 2* and better r, α", func(n Need) float64 { return n.BetterStar }},
	} {
		series := figure.Series{Name: s.name, Kind: figure.Points}
		for i, n := range needs {
			if y := s.of(n); y > 0 && domain.Finite(y) {
				series.X, series.Y = append(series.X, float64(i)), append(series.Y, math.Ceil(y))
			}
		}
		if len(series.X) > 0 {
			f.Series = append(f.Series, series)
		}
	}
	return f
}

// shared is what all cases have in common.
func shared(needs []Need) string {
	text := ""
	first := needs[0]
	same := func(of func(Need) float64) bool {
		for _, n := range needs {
			if of(n) != of(first) {
				return false
			}
		}
		return true
	}
	if same(func(n Need) float64 { return n.Lambda }) {
		text += fmt.Sprintf("; λ = %g", first.Lambda)
	}
	if same(func(n Need) float64 { return n.Goal.Gamma }) {
		text += fmt.Sprintf("; γ = %g", first.Goal.Gamma)
	}
	return text
}
