package logratio

import (
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/internal/num"
)

// Beyond scanPairs a lattice is searched: never below a full scan, and above it by the gap at most.
func TestSearchAgainstScan(t *testing.T) {
	families := []*Posteriors{
		must.Get(NewBits(300, 1, 2, .05, .9, 1))(t), must.Get(NewBits(900, 3, 1, 1e-4, 1-1e-4, .2))(t),
		must.Get(NewBits(2500, .2, .2, .3, .7, .7))(t), must.Get(NewBits(700, 4, 4, 0, 1, .3))(t),
	}
	for _, f := range families {
		for _, order := range []float64{1.01, 1.7, 6, 60} {
			scan := f.scan(func(s, _ float64) float64 { return math.Max(f.renyiAt(order, s)) })
			if got := f.Renyi(order); !math.IsInf(scan, 1) && !(got >= scan && got <= scan*1.0002) {
				t.Errorf("%v, order %v: search %v, scan %v", f, order, got, scan)
			}
		}
		for _, e := range []float64{0, .02, .1, .4} {
			scan := f.scan(func(s, d float64) float64 { return math.Max(f.law.excess(s, d, e)) })
			if got := f.Profile(e); !(got >= scan && got <= scan*1.0002+2*negligible) {
				t.Errorf("%v, ε = %v: search %v, scan %v", f, e, got, scan)
			}
		}
	}
}

// The bounds of a cell hold at every S in it, and those of σ too.
func TestCellBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 3000).Draw(t, "n")
		var o *Posteriors
		if rapid.Bool().Draw(t, "bits") {
			w := math.Exp(rapid.Float64Range(-10, -1).Draw(t, "ln w"))
			o = must.Get(NewBits(n, rapid.Float64Range(.1, 9).Draw(t, "α"), rapid.Float64Range(.1, 9).Draw(t, "β"), w, 1-w,
				rapid.Float64Range(.01, 1).Draw(t, "power")))(t)
		} else {
			c1 := math.Exp(rapid.Float64Range(-5, 1).Draw(t, "ln c1"))
			o = must.Get(NewRate(n, rapid.Float64Range(.01, 1).Draw(t, "κ"), 1, c1,
				c1*(1+math.Exp(rapid.Float64Range(-3, 4).Draw(t, "ln c2/c1"))), 0,
				math.Exp(rapid.Float64Range(-4, 1).Draw(t, "ln T"))))(t)
		}
		span := math.Max(0, o.last-o.first)
		a := o.first + span*rapid.Float64Range(0, 1).Draw(t, "a")
		b := math.Min(o.first+span, a+o.d*math.Exp(rapid.Float64Range(-5, 4).Draw(t, "ln h")))
		s := a + (b-a)*rapid.Float64Range(0, 1).Draw(t, "s")
		if have, most := spread(o.spreads.(*envelope).k, s), o.spreads.sup(a, b); have > most {
			t.Fatalf("σ(%v) = %v above %v on [%v, %v]", s, have, most, a, b)
		}
		holds := func(what string, r region, rounding float64) {
			v := r.at(s)
			if c, f := r.cheap(a, b), r.fine(a, b, 0); v > c*(1+1e-9)+rounding || v > f*(1+1e-9)+rounding {
				t.Fatalf("%s at %v in [%v, %v]: %v above %v or %v", what, s, a, b, v, c, f)
			}
		}
		order := 1 + math.Exp(rapid.Float64Range(-4, 4).Draw(t, "ln λ−1"))
		holds("Rényi", o.renyiRegion(order), 1e-13+4e-15*(1+2*order)/(order-1)) // what renyiAt adds for its rounding
		holds("δ", o.deltaRegion(o.Epsilon()*rapid.Float64Range(0, 1).Draw(t, "ε")), 1e-13)
	})
}

// Nothing jumps where a limit of the search lies: n and n + 1 records have about one curve.
func TestNoCliffs(t *testing.T) {
	near := func(what string, a, b, rel float64) {
		t.Helper()
		if !(math.Abs(a/b-1) <= rel) {
			t.Errorf("%s: %v and %v", what, a, b)
		}
	}
	for _, n := range []int{scanPairs, scanPairs + 1, 20000} {
		for _, w := range []float64{0, 1e-4, .05} {
			f, g := must.Get(NewBits(n, 1, 1, w, 1-w, .05))(t), must.Get(NewBits(n+1, 1, 1, w, 1-w, .05))(t)
			near("bits, δ", f.Profile(.04), g.Profile(.04), .05)
			near("bits, Rényi", f.Renyi(9), g.Renyi(9), .02)
		}
	}
	f, g := must.Get(NewRate(400, .1, 1, .05, 5, 0, .2))(t), must.Get(NewRate(401, .1, 1, .05, 5, 0, .2))(t)
	near("rate, δ", f.Profile(.1), g.Profile(.1), .05)
	near("rate, Rényi", f.Renyi(9), g.Renyi(9), .02)
}

// Cut short, a search is +Inf, and itself again afterwards; priors that no quadrature resolves are refused.
func TestInterruptAndLimits(t *testing.T) {
	for _, f := range []*Posteriors{must.Get(NewBits(50, 1, 1, .1, .9, 1))(t), must.Get(NewBits(5000, 1, 1, .1, .9, 1))(t),
		must.Get(NewRate(50, 1, 1, .1, 9, 0, 1))(t)} {
		want := f.Renyi(3)
		f.Interrupt(func() bool { return true })
		if v := f.renyi(3); !math.IsInf(v, 1) {
			t.Errorf("interrupted: %v", v)
		}
		f.Interrupt(nil)
		if v := f.Renyi(3); v != want {
			t.Errorf("%v, then %v", want, v)
		}
	}
	var bad *domain.Error
	for _, c := range [][3]float64{{1e10, .1, 3}, {1e308, .1, 3}, {1, 5e-324, 1}, {1, 1e-300, 1e300},
		{1, 1e-10, 1e10}} {
		if _, err := NewRate(21, 1, c[0], c[1], c[2], 0, 2); !errors.As(err, &bad) {
			t.Errorf("%v: %v", c, err)
		}
	}
}

// The quick bound is one, and close for low orders.
func TestQuickRenyi(t *testing.T) {
	for _, n := range []int{5, 60, 400} {
		b := must.Get(NewBits(n, 1, 2, .05, .9, .4))(t)
		r := must.Get(NewRate(n, .4, 1, .2, 3, 0, .8))(t)
		for _, order := range []float64{1.1, 3, 30} {
			for _, f := range []*Posteriors{b, r} {
				exact, quick := f.Renyi(order), f.QuickRenyi(order)
				// the exact value of a rate stops within realGap
				if quick < exact/(1+2*realGap) || n == 400 && order < 4 && quick > 1.12*exact {
					t.Errorf("n = %d, order %v: %v above %v?", n, order, quick, exact)
				}
			}
		}
	}
	whole, err := NewBits(5, 1, 1, 0, 1, 1)
	if err != nil || !math.IsInf(whole.QuickRenyi(1.5), 1) || !math.IsNaN(whole.QuickRenyi(1)) {
		t.Error("untrimmed", err)
	}
}

func near(t *testing.T, what string, got, want, rel float64) {
	t.Helper()
	if !(math.Abs(got-want) <= rel*math.Max(1e-300, math.Abs(want))) {
		t.Errorf("%s: %.15g, want %.15g", what, got, want)
	}
}

// A lattice too long to scan is searched: the bound stays within the gap of a full scan.
func TestWorstSearchAgainstScan(t *testing.T) {
	f := must.Get(NewBits(200, 1, 1, .05, .95, 1))(t)
	search := *f
	// the same family with any real number of ones
	search.lattice = false
	// the last is 4e-7: a share of its logarithm
	for e, gap := range map[float64]float64{0: .01, .05: .01, .3: .03, 1: .75} {
		scan, got := f.Profile(e), search.delta(e)
		if got < scan*(1-1e-9) || got > scan*(1+gap) {
			t.Errorf("ε = %v: search %v, scan %v", e, got, scan)
		}
	}
	for _, order := range []float64{1.5, 2, 16} {
		scan, got := f.Renyi(order), search.renyi(order)
		if got < scan*(1-1e-9) || got > scan*1.1 {
			t.Errorf("order %v: search %v, scan %v", order, got, scan)
		}
		if loose := f.QuickRenyi(order); loose < scan*(1-1e-9) || loose > 1.6*scan {
			t.Errorf("order %v: by the variance %v, scan %v", order, loose, scan)
		}
	}
}

// logTruncatedBeta is ln ∫_l^u θ^{a−1}(1−θ)^{b−1} dθ by the kernel.
func logTruncatedBeta(a, b, l, u float64) float64 {
	k := NewBetaDensity(0, a, b, l, u, 1)
	return LogMass(k, 0, k.Lo, k.Hi)
}

// logTruncatedGamma is ln ∫_{c1}^{c2} θ^{k−1}e^{−bθ} dθ by the kernel, for a rate b of either sign.
func logTruncatedGamma(k, b, c1, c2 float64) float64 {
	g := GammaDensity{Shape: k, Rate: b, Lo: math.Log(c1), Hi: math.Log(c2)}
	return LogMass(g, 0, g.Lo, g.Hi)
}

// Masses far below the smallest float64, and a million records.
func TestLogMasses(t *testing.T) {
	// θ^{a−1} on [l, u] alone: (u^a − l^a)/a
	near(t, "power", logTruncatedBeta(2000, 1, .1, .2), 2000*math.Log(.2)-math.Log(2000), 1e-13)
	near(t, "power, upper end", logTruncatedBeta(1, 5000, .1, .2), 5000*math.Log(.9)-math.Log(5000), 1e-13)
	near(t, "whole", logTruncatedBeta(3e5, 7e5, 1e-9, 1-1e-9), num.LogBeta(3e5, 7e5), 1e-13)
	near(t, "tiny ends", logTruncatedBeta(1, 1, 1e-300, 2e-300), math.Log(1e-300), 1e-12)
	near(t, "rate 0", logTruncatedGamma(3, 0, 1, 2), math.Log(7./3), 1e-13)
	near(t, "exponential", logTruncatedGamma(1, 1e6, 1, 2), -1e6-math.Log(1e6), 1e-13)
	near(t, "rising", logTruncatedGamma(1, -1e6, 1, 2), 2e6-math.Log(1e6), 1e-13)
	near(t, "whole gamma", logTruncatedGamma(1e6, 1e6, 1e-3, 1e3), num.LogGamma(1e6)-1e6*math.Log(1e6), 1e-12)
	near(t, "1e-300", logTruncatedGamma(1, 1e300, 1e-302, 1e-300),
		-300*math.Log(10)+math.Log(math.Exp(-.01)-math.Exp(-1)), 1e-12)
	f := must.Get(NewBits(1_000_000, 1, 1, .05, .95, 1))(t)
	if e := f.Epsilon(); !(e > 5.8888 && e <= f.Oscillation()) {
		t.Errorf("n = 1e6: ε = %v", e)
	}
	if d := f.Renyi(2); !(d > 1e-5 && d < 1e-4) {
		t.Errorf("n = 1e6: D₂ = %v", d)
	}
}

// Evidence ratios over one set of nodes agree with the difference of two evidences, each integrated around its own
// mode, also where one record moves the posterior from one end of the support to the other.
func TestEvidenceRatios(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 2000).Draw(t, "n")
		c1 := math.Exp(rapid.Float64Range(-9, 2).Draw(t, "ln c1"))
		c2 := c1 * math.Exp(rapid.Float64Range(.01, 8).Draw(t, "ln c2/c1"))
		bound := math.Exp(rapid.Float64Range(-6, 9).Draw(t, "ln B"))
		lambda := math.Exp(rapid.Float64Range(-5, 5).Draw(t, "ln λ"))
		f := must.Get(NewRate(n, 1, lambda, c1, c2, 0, bound))(t)
		k, m := float64(n)+1, float64(n-1)
		low := logTruncatedGamma(k, lambda, c1, c2) - logTruncatedGamma(k, lambda+bound, c1, c2) - c1*bound
		high := c2*bound - (logTruncatedGamma(k, lambda+m*bound, c1, c2) - logTruncatedGamma(k, lambda+m*bound+bound,
			c1, c2))
		want := math.Max(low, high)
		scale := 1e-12 * (1 + math.Abs(logTruncatedGamma(k, lambda+m*bound, c1, c2)) + math.Abs(c2*bound) + k*10)
		if e := f.Epsilon(); math.Abs(e-want) > scale+3e-9*want {
			t.Fatalf("ε = %v, from the evidences %v", e, want)
		}
		alpha, beta := rapid.Float64Range(.05, 500).Draw(t, "α"), rapid.Float64Range(.05, 500).Draw(t, "β")
		l := math.Exp(rapid.Float64Range(-30, -1).Draw(t, "ln l"))
		u := 1 - math.Exp(rapid.Float64Range(-30, -1).Draw(t, "ln 1-u"))
		if u <= l || u >= 1 {
			return
		}
		g := must.Get(NewBits(n, alpha, beta, l, u, 1))(t)
		at := func(s float64) float64 { return logTruncatedBeta(alpha+s, beta+float64(n)-s, l, u) }
		want = math.Max(Logit(u)-(at(1)-at(0)), at(m+1)-at(m)-Logit(l))
		if e := g.Epsilon(); math.Abs(e-want) > 1e-12*(alpha+beta+float64(n))*30+3e-9*want {
			t.Fatalf("ε = %v, from the evidences %v", e, want)
		}
	})
}
