package posteriorsample

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"regexp"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/logratio"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// gridSup is the greatest RDP(λ)/λ over a grid of orders.
func gridSup(p *Pair, omega float64) float64 {
	most := 0.0
	for l := 1.001; l < omega; l = 1 + (l-1)*1.15 {
		most = math.Max(most, p.RDP(l)/l)
	}
	return most
}

// The supremum is that of the mechanism's own curve, to 2 %, and never below. The first two were certified at 0.4285
// and 0.3167 by the cheap bound.
func TestSupremumIsTight(t *testing.T) {
	for _, c := range []struct {
		n        int
		alpha, w float64
		rho      float64 // found by a quadrature of its own
	}{{10, 6, 1e-4, .0965}, {100, 6, 1e-4, .0774}, {60, 1, .05, 0}} {
		f := must.Get(logratio.NewBits(c.n, c.alpha, c.alpha, c.w, 1-c.w, .5))(t)
		p := must.Get(PairOf("bits", f, 3))(t)
		sup := gridSup(p, 500)
		if z := p.ZCDP(); z < sup || z > sup/.98 || c.rho > 0 && math.Abs(z/3-c.rho) > .02*c.rho {
			t.Errorf("%+v: zCDP %v, sup of the curve %v", c, z, sup)
		}
		for _, omega := range []float64{1.2, 9} {
			if z, sup := p.TCDP(omega), gridSup(p, omega); z < sup || z > sup/.97 {
				t.Errorf("%+v: tCDP(%v) %v, sup of the curve %v", c, omega, z, sup)
			}
		}
	}
	p := newPair("", conditionals{n: 50, alpha: 1, power: 1, nodes: []node{{1, 3, .01}, {3, 2, .03}}}, 2, false)
	if z, sup := p.ZCDP(), gridSup(p, 500); z < sup || z > sup/.98 {
		t.Errorf("conditionals: zCDP %v, sup of the curve %v", z, sup)
	}
}

func TestSupremumIsABound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := math.Exp(rapid.Float64Range(-9, -1).Draw(t, "ln w"))
		f := must.Get(logratio.NewBits(rapid.IntRange(1, 40).Draw(t, "n"), rapid.Float64Range(.1, 9).Draw(t, "α"),
			rapid.Float64Range(.1, 9).Draw(t, "β"), w, 1-w, rapid.Float64Range(.01, 1).Draw(t, "power")))(t)
		p := must.Get(PairOf("bits", f, 2))(t)
		order := 1 + math.Exp(rapid.Float64Range(-5, 7).Draw(t, "ln λ−1"))
		if z, v := p.ZCDP(), p.RDP(order)/order; v > z {
			t.Fatalf("RDP(%v)/λ = %v above %v", order, v, z)
		}
		omega := order * 1.5
		if z, v := p.TCDP(omega), p.RDP(order)/order; v > z {
			t.Fatalf("RDP(%v)/λ = %v above tCDP(%v) = %v", order, v, omega, z)
		}
	})
}

// One record more changes a plan little, wherever the accounting changes its way.
func TestPlansHaveNoCliffs(t *testing.T) {
	if testing.Short() {
		t.Skip()
	}
	power := func(m Sample, sh *model.Shape, target dp.Request) float64 {
		return planOf(t, m, sh, target).Sampler(key).(*sampler).s.power
	}
	target := dp.ApproxDP(.0898, 1e-4)
	for _, w := range []float64{0, 1e-4, .05} {
		a, b := power(New(1).WithBounds(w), shape(t, model.Binary("c0"), 20000, 2), target),
			power(New(1).WithBounds(w), shape(t, model.Binary("c0"), 20001, 2), target)
		if math.Abs(a/b-1) > .01 {
			t.Errorf("trim %v: powers %v and %v", w, a, b)
		}
	}
	rate := model.Exponential("x").WithRange(.05, 5)
	for _, target := range []dp.Request{dp.ApproxDP(.1, 1e-3), dp.ZCDP(.01)} {
		if a, b := power(New(1), shape(t, rate, 400, 2), target),
			power(New(1), shape(t, rate, 401, 2), target); math.Abs(a/b-1) > .02 {
			t.Errorf("rate, %s: powers %v and %v", target.Parameters, a, b)
		}
	}
}

// Priors and ranges beyond what the accounting resolves are refused, and a plan ends with its context.
func TestExtremesAreRefused(t *testing.T) {
	var param *dp.ParameterError
	for _, m := range []model.Model{
		model.Exponential("x").WithRange(1e-10, 1e10), model.Exponential("x").WithRange(1e-300, 1e300),
		model.Exponential("x").WithRange(5e-324, 1),
		model.Exponential("x").WithRange(.1, 3).WithPrior(1e10),
		model.Exponential("x").WithRange(.1, 3).WithPrior(1e100),
		model.Exponential("x").WithRange(.1, 3).WithPrior(1e308), model.Binary("c0").WithPrior(1e308),
	} {
		for _, target := range []dp.Request{dp.PureDP(1), dp.ApproxDP(1, 1e-6), dp.ZCDP(.1)} {
			if _, err := New(2).Plan(t.Context(), shape(t, m, 21, 2), target); !errors.As(err, &param) {
				t.Errorf("%v, %v: %v", m, target.Parameters, err)
			}
		}
	}
	// a forged file too
	sound := planOf(t, New(2), shape(t, model.Exponential("x").WithRange(.1, 3), 21, 2), dp.PureDP(1))
	raw := must.Get(json.Marshal(sound))(t)
	forged := regexp.MustCompile(`"alpha":[^,}]*`).ReplaceAll(raw, []byte(`"alpha":[1e308]`))
	if _, err := mechanism.ParsePlan(t.Context(), forged); string(raw) == string(forged) || !errors.As(err, &param) {
		t.Errorf("forged: %v\n%s", err, forged)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := New(1).Plan(ctx, shape(t, model.Exponential("x").WithRange(1e-3, 1e3), 1000, 2),
		dp.ApproxDP(1, 1e-6)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	// a plan outlives its context
	ctx, cancel = context.WithCancel(t.Context())
	p, err := New(1).Plan(ctx, shape(t, model.Exponential("x").WithRange(.2, 3), 50, 2), dp.ApproxDP(1, 1e-6))
	cancel()
	if err != nil {
		t.Fatal(err)
	}
	if d := p.Pair().Delta(.77); !(d > 0 && d < 1) {
		t.Errorf("δ = %v", d)
	}
}
