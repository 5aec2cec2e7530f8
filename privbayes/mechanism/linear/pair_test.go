package linear

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/lipschitz"
)

// The profile of N draws is never below that of any product of two-point laws with the range, nor above the greatest of them for a
// range larger by two cells; for one draw branch and bound agrees with the closed form.
func TestProfile(t *testing.T) {
	for _, c := range []struct {
		n   int
		w   float64
		eps []float64
	}{{1, 1.3, []float64{0, .2, 1, 1.29}}, {2, .7, []float64{0, .3, 1}}, {5, .3, []float64{.1, .5, 1.2}}, {40, .05, []float64{.1, .5, 1.5}}, {300, .02, []float64{.2, .9}}} {
		p := rangePair{width: c.w, draws: c.n}
		for _, eps := range c.eps {
			greatest := func(w float64) float64 {
				g := 0.0
				for i := range 4001 {
					g = math.Max(g, binomialDelta(c.n, w*float64(i)/4000, w, eps))
				}
				return g
			}
			got, wider := p.profile(eps), c.w*(1+2*cellWidth)
			if got < greatest(c.w) || got > greatest(wider)*(1+1e-6) {
				t.Errorf("N %d, w %g, ε %g: %.9g, greatest on a grid %.9g to %.9g", c.n, c.w, eps, got, greatest(c.w), greatest(wider))
			}
			if lo, hi := lipschitz.BoundedRange(c.w).Delta(eps), lipschitz.BoundedRange(wider).Delta(eps); c.n == 1 && (got < lo || got > hi) {
				t.Errorf("one draw: %g, closed form %g to %g", got, lo, hi)
			}
			if pure := (dp.PurePair{Epsilon: p.PureEpsilon()}).Delta(eps); got > pure {
				t.Errorf("N %d: %g above what pure ε gives, %g", c.n, got, pure)
			}
			if curve, _ := dp.DeltaFromRDP(p.RDP, eps); got > curve*1.05 {
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
		q := []float64{rapid.Float64Range(.01, 1).Draw(r, "q0"), rapid.Float64Range(.01, 1).Draw(r, "q1"), rapid.Float64Range(.01, 1).Draw(r, "q2")}
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
		if rdp := math.Log(moment) / (order - 1); p.RDP(order) < rdp*(1-1e-9)-1e-12 || p.ZCDP() < rdp/order*(1-1e-9)-1e-12 {
			r.Fatalf("Rényi %g, bounds %g, ρ %g", rdp, p.RDP(order), p.ZCDP())
		}
		if p.PureEpsilon() < 2*math.Max(w-math.Log(z), math.Log(z))*(1-1e-12) {
			r.Fatal("pure ε")
		}
	})
}

// With a release at ε₂ after the draws the profile lies between that of the draws and what pure ε and the Rényi curve give.
func TestProfileWithResidual(t *testing.T) {
	p := rangePair{width: .1, draws: 9, residual: .2}
	alone := rangePair{width: .1, draws: 9}
	for _, eps := range []float64{0, .1, .5, .9, 1.05} {
		got := p.Delta(eps)
		curve, _ := dp.DeltaFromRDP(p.RDP, eps)
		if pure := (dp.PurePair{Epsilon: p.PureEpsilon()}).Delta(eps); got > pure || got > curve*1.05 || got < alone.Delta(eps)*(1-1e-3) {
			t.Errorf("ε %g: %g; draws alone %g, pure %g, Rényi %g", eps, got, alone.Delta(eps), pure, curve)
		}
	}
	if d := p.Delta(1.1 + 1e-9); d != 0 {
		t.Errorf("δ = %g beyond pure ε", d)
	}
}

func BenchmarkProfile(b *testing.B) {
	for b.Loop() {
		rangePair{width: .05, draws: 40}.Delta(.5)
	}
}
