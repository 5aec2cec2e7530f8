package maxent

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/privbayes/privbayes-go/internal/domain"
	"pgregory.net/rapid"
)

// Potentials say all of a fit: taken by another model of the same tables they give the same bits, and the gap at which
// the fit ended.
func TestPotentialsAreTheFit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := problems().Draw(t, "problem")
		m, again := p.model(t), p.model(t)
		want := fit(t, m, rapid.IntRange(1, 60).Draw(t, "steps"))
		have, err := again.Take(context.Background(), m.Potentials())
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(have.Residual-want.Residual) > 1e-9*math.Max(1, want.Residual) {
			t.Fatalf("gap %v; the fit ended at %v", have.Residual, want.Residual)
		}
		for _, f := range p.vars {
			a, err := m.Margin(context.Background(), f...)
			if err != nil {
				t.Fatal(err)
			}
			if b, err := again.Margin(context.Background(), f...); err != nil || !slices.Equal(a, b) {
				t.Fatalf("%v: %v; want %v", err, b, a)
			}
		}
	})
}

// The margins of the tables are as near to those at the minimum as the derivatives say, whenever a fit ends: the proof
// stands at Quality. A fifth of the bound would be too small.
func TestTheGapBoundsTheMargins(t *testing.T) {
	bound := func(m *Model) float64 {
		o := m.objective()
		slope := make([]float64, len(o.flat))
		o.here(slope)
		a, b, k := 0.0, 0.0, 0
		for i, f := range m.tables {
			for _, prob := range m.tree.factors[i].sum {
				g := slope[k] / o.scale[k]
				if np := m.total * prob; g > np {
					b += np * g / f.variance
				} else {
					a += g * g / f.variance
				}
				k++
			}
		}
		return math.Sqrt(a) + math.Sqrt(b)
	}
	tight := 0.0
	rapid.Check(t, func(t *rapid.T) {
		p := problems().Draw(t, "problem")
		early, best := p.model(t), p.model(t)
		fit(t, early, rapid.IntRange(1, 30).Draw(t, "steps"))
		if _, err := best.FitTo(context.Background(), 5000, 1e-9); err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for i, f := range early.tables {
			for c, prob := range early.tree.factors[i].sum {
				d := p.total * (prob - best.tree.factors[i].sum[c])
				sum += d * d / f.variance
			}
		}
		most := bound(early)
		if math.Sqrt(sum) > most*(1+1e-6)+1e-6 {
			t.Fatalf("margins are %v from the minimum; the bound says %v", math.Sqrt(sum), most)
		}
		if most > 1e-3 {
			tight = max(tight, math.Sqrt(sum)/most)
		}
	})
	if tight < .2 {
		t.Errorf("margins come no nearer to their bound than %.2g of it", tight)
	}
}

// What is none of a model's potentials is refused by a typed error, and the model then has no margins.
func TestPotentialsThatAreNone(t *testing.T) {
	fresh := func() *Model {
		m, err := New([]int{2, 2}, 10)
		if err != nil {
			t.Fatal(err)
		}
		if err := m.Forbid([]int{0, 1}, []bool{false, false, false, true}); err != nil {
			t.Fatal(err)
		}
		if err := m.Add([]int{0, 1}, []float64{4, 3, 3, 0}, 1); err != nil {
			t.Fatal(err)
		}
		return m
	}
	for name, p := range map[string][][]float64{
		"none": nil, "too many": {{0, 0, 0, 0}, {0, 0}}, "too few cells": {{0, 0, 0}}, "too many cells": {{0, 0, 0, 0, 0}},
		"no number": {{math.NaN(), 0, 0, 0}}, "infinite": {{math.Inf(1), 0, 0, 0}}, "too large": {{-1e10, 0, 0, 0}},
		"in a cell that cannot be": {{0, 0, 0, 1}},
	} {
		m := fresh()
		var refused *domain.Error
		if _, err := m.Take(context.Background(), p); !errors.As(err, &refused) || refused.Parameter != "potentials" {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := m.Margin(context.Background(), 0); !errors.Is(err, ErrNotFitted) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if q, err := fresh().Take(context.Background(), [][]float64{{.2, 0, 0, 0}}); err != nil || q.Residual > 1 {
		t.Error(q, err)
	}
}
