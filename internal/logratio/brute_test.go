package logratio

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/num"
)

func near(t *testing.T, what string, got, want, rel float64) {
	t.Helper()
	if !(math.Abs(got-want) <= rel*math.Max(1e-300, math.Abs(want))) {
		t.Errorf("%s: %.15g, want %.15g", what, got, want)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// A lattice too long to scan is searched: the bound stays within the gap of a full scan.
func TestWorstSearchAgainstScan(t *testing.T) {
	f := must(NewBits(200, 1, 1, .05, .95, 1))
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
	f := must(NewBits(1_000_000, 1, 1, .05, .95, 1))
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
		f := must(NewRate(n, 1, lambda, c1, c2, 0, bound))
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
		g := must(NewBits(n, alpha, beta, l, u, 1))
		at := func(s float64) float64 { return logTruncatedBeta(alpha+s, beta+float64(n)-s, l, u) }
		want = math.Max(Logit(u)-(at(1)-at(0)), at(m+1)-at(m)-Logit(l))
		if e := g.Epsilon(); math.Abs(e-want) > 1e-12*(alpha+beta+float64(n))*30+3e-9*want {
			t.Fatalf("ε = %v, from the evidences %v", e, want)
		}
	})
}
