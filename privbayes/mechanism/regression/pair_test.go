package regression

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/logratio"
	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
)

// The profile of N draws is never below that of any product of two-point laws with the range, nor above the greatest of
// them for a range larger by two cells; for one draw branch and bound agrees with the closed form.
func TestProfile(t *testing.T) {
	for _, c := range []struct {
		n   int
		w   float64
		eps []float64
	}{{1, 1.3, []float64{0, .2, 1, 1.29}}, {2, .7, []float64{0, .3, 1}}, {5, .3, []float64{.1, .5, 1.2}},
		{40, .05, []float64{.1, .5, 1.5}}, {300, .02, []float64{.2, .9}}} {
		p := rangePair{width: c.w, draws: c.n}
		for _, eps := range c.eps {
			greatest := func(w float64) float64 {
				g := 0.0
				for i := range 4001 {
					g = math.Max(g, binomialDelta(c.n, w*float64(i)/4000, w, eps))
				}
				return g
			}
			got, wider := p.profile(eps, nil), c.w*(1+2*cellWidth)
			if got < greatest(c.w) || got > greatest(wider)*(1+1e-6) {
				t.Errorf("N %d, w %g, ε %g: %.9g, greatest on a grid %.9g to %.9g", c.n, c.w, eps, got, greatest(c.w),
					greatest(wider))
			}
			if lo, hi := logratio.BoundedRange(c.w).Delta(eps),
				logratio.BoundedRange(wider).Delta(eps); c.n == 1 && (got < lo || got > hi) {
				t.Errorf("one draw: %g, closed form %g to %g", got, lo, hi)
			}
			if pure := (loss.PurePair{Epsilon: p.PureEpsilon()}).Delta(eps); got > pure {
				t.Errorf("N %d: %g above what pure ε gives, %g", c.n, got, pure)
			}
			if curve, _ := loss.DeltaFromRDP(p.RDP, eps); got > curve*1.05 {
				t.Errorf("N %d: %g above what the Rényi curve gives, %g", c.n, got, curve)
			}
		}
	}
}

// Pairs of laws with three outcomes and losses inside [b−w, b], products of two of them: never above the bounds.
func TestBoundsHoldForOtherLaws(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		w := rapid.Float64Range(.01, 3).Draw(r, "w")
		g := []float64{0, w * rapid.Float64Range(0, 1).Draw(r, "middle"), w}
		q := []float64{rapid.Float64Range(.01, 1).Draw(r, "q0"), rapid.Float64Range(.01, 1).Draw(r, "q1"),
			rapid.Float64Range(.01, 1).Draw(r, "q2")}
		total, z := q[0]+q[1]+q[2], 0.0
		for i := range q {
			q[i] /= total
			z += q[i] * math.Exp(g[i])
		}
		order, eps := 1+rapid.Float64Range(.1, 20).Draw(r, "order"), rapid.Float64Range(0, 2*w).Draw(r, "ε")
		delta, moment := 0.0, 0.0
		for i := range g {
			for j := range g {
				loss := g[i] + g[j] - 2*math.Log(z)
				delta += math.Max(0, q[i]*q[j]*(math.Exp(loss)-math.Exp(eps)))
				moment += q[i] * q[j] * math.Exp(order*loss)
			}
		}
		p := rangePair{width: w, draws: 2}
		if d := p.Delta(eps); d < delta*(1-1e-9) {
			r.Fatalf("δ(%g) = %g, bound %g", eps, delta, d)
		}
		if rdp := math.Log(moment) / (order - 1); p.RDP(order) < rdp*(1-1e-9)-1e-12 ||
			p.ZCDP() < rdp/order*(1-1e-9)-1e-12 {
			r.Fatalf("Rényi %g, bounds %g, ρ %g", rdp, p.RDP(order), p.ZCDP())
		}
		if p.PureEpsilon() < 2*math.Max(w-math.Log(z), math.Log(z))*(1-1e-12) {
			r.Fatal("pure ε")
		}
	})
}

// With a release at ε₂ after the draws the profile lies between that of the draws and what pure ε and the Rényi curve
// give.
func TestProfileWithResidual(t *testing.T) {
	p := rangePair{width: .1, draws: 9, residual: .2}
	alone := rangePair{width: .1, draws: 9}
	for _, eps := range []float64{0, .1, .5, .9, 1.05} {
		got := p.Delta(eps)
		curve, _ := loss.DeltaFromRDP(p.RDP, eps)
		if pure := (loss.PurePair{Epsilon: p.PureEpsilon()}).Delta(eps); got > pure || got > curve*1.05 ||
			got < alone.Delta(eps)*(1-1e-3) {
			t.Errorf("ε %g: %g; draws alone %g, pure %g, Rényi %g", eps, got, alone.Delta(eps), pure, curve)
		}
	}
	if d := p.Delta(1.1 + 1e-9); d != 0 {
		t.Errorf("δ = %g beyond pure ε", d)
	}
}

// The sum both ways from its largest term is the sum of all terms, at any ε and range: also where one of the two laws'
// probabilities rounds to 1, at which a loss far above ε once counted for nothing.
func TestBinomialDelta(t *testing.T) {
	plain := func(n int, b, w, epsilon float64) float64 {
		less := func(x float64) float64 { return math.Log(-math.Expm1(x)) } // ln(1 − e^x)
		logP, logQ := less(b-w)-less(-w), b-w+less(-b)-less(-w)
		sum := 0.0
		for k := 0; k <= n; k++ {
			if loss := float64(n)*b - float64(n-k)*w; loss > epsilon {
				c := num.LogGamma(float64(n+1)) - num.LogGamma(float64(k+1)) - num.LogGamma(float64(n-k+1))
				sum += math.Exp(c+float64(k)*logP+float64(n-k)*logQ) * -math.Expm1(epsilon-loss)
			}
		}
		return sum
	}
	rapid.Check(t, func(r *rapid.T) {
		n := rapid.IntRange(1, 500).Draw(r, "n")
		w := math.Exp(rapid.Float64Range(-12, 8).Draw(r, "ln w"))
		b := w * rapid.Float64Range(1e-6, 1-1e-6).Draw(r, "b/w")
		epsilon := float64(n) * w * rapid.Float64Range(-.2, 1).Draw(r, "ε/nw")
		got, want := binomialDelta(n, b, w, epsilon), plain(n, b, w, epsilon)
		if slack := 1e-10*want + 1e-290 + 4e-15*float64(n)*w; got < want*(1-1e-10)-1e-290 || got > want+slack {
			r.Fatalf("%.15g, want %.15g", got, want)
		}
	})
	for _, n := range []int{1, 3, 50} {
		const w = 1e4
		if got := binomialDelta(n, w/2, w, 100); got < 1-1e-9 {
			t.Errorf("%d draws: δ = %g at a loss of %g", n, got, float64(n)*w/2)
		}
		if got := (rangePair{width: w, draws: n, residual: 1}).Delta(100); got < 1-1e-9 {
			t.Errorf("%d draws and a residual variance: δ = %g", n, got)
		}
	}
	for w := 60.0; w < 1e15; w *= 3 { // however small a variance is, no level is certified for it
		for _, p := range []rangePair{{w, 1, .1}, {w, 2, 0}, {w, 10, 0}, {w, maxDraws, 1}} {
			if got := p.Delta(1); got < 1-1e-6 {
				t.Errorf("%s: δ(1) = %g", p, got)
			}
		}
	}
	if got := binomialDelta(5, 0, 1, -.5); math.Abs(got+math.Expm1(-.5)) > 1e-15 {
		t.Errorf("no loss at ε = −½: %g", got)
	}
}

func BenchmarkProfile(b *testing.B) {
	for b.Loop() {
		rangePair{width: .05, draws: 40}.Delta(.5)
	}
}
