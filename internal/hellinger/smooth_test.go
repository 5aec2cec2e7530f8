package hellinger

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// small is a random space that can be enumerated, and counts in it. Priors are equal or tiny or large often enough to
// hit ties and corners.
func small(t testing.TB, r *rapid.T, atMost int64) (*Space, []int64) {
	d := rapid.IntRange(2, 4).Draw(r, "d")
	alpha, x := make([]float64, d), make([]int64, d)
	for i := range alpha {
		switch rapid.IntRange(0, 2).Draw(r, "kind") {
		case 0:
			alpha[i] = float64(rapid.IntRange(1, 4).Draw(r, "alpha"))
		default:
			alpha[i] = math.Exp(rapid.Float64Range(math.Log(1e-3), math.Log(1e4)).Draw(r, "ln alpha"))
		}
	}
	n := rapid.Int64Range(1, atMost).Draw(r, "n")
	for left := n; left > 0; {
		k := rapid.Int64Range(1, left).Draw(r, "records")
		x[rapid.IntRange(0, d-1).Draw(r, "cell")] += k
		left -= k
	}
	return space(t, n, alpha...), x
}

// moved is x after a move.
func moved(x []int64, from, to int) []int64 {
	y := append([]int64(nil), x...)
	y[from]--
	y[to]++
	return y
}

// localPlusBrute is LS⁺(x) over all pairs of cells; O(d²).
func (s *Space) localPlusBrute(x []int64) float64 {
	worst := 0.0
	for i, a := range s.alpha {
		for j, b := range s.alpha {
			if i != j && s.n > 0 {
				worst = math.Max(worst, edge(a+math.Max(float64(x[i]-1), 0), b+float64(x[j])))
			}
		}
	}
	return worst
}

// globalBrute is the largest LocalBrute.
func (s *Space) globalBrute() float64 {
	worst := 0.0
	for x := range Compositions(s.n, len(s.alpha)) {
		worst = math.Max(worst, s.LocalBrute(x))
	}
	return worst
}

// ratioRangeBrute is the largest span, over neighbours x, y, of
//
//	E(r) = H(x, r)/S(x) − H(y, r)/S(y),  max_r E − min_r E,
//
// so that the log-ratios of P[r] ∝ exp(−κ·H(x, r)/S(x)) span κ times it, and the mechanism is that much DP; it is at
// most Rho of a Lipschitz constant of 1/S. Visits all r for all pairs.
func (s *Space) ratioRangeBrute(scale func(x []int64) float64) float64 {
	d, worst := len(s.alpha), 0.0
	for x := range Compositions(s.n, d) {
		a := 1 / scale(x)
		y := append([]int64(nil), x...)
		for i, j := range Neighbours(y) {
			if i > j { // the span is the same from the other side
				continue
			}
			b, lo, hi := 1/scale(y), math.Inf(1), math.Inf(-1)
			for r := range Compositions(s.n, d) {
				e := a*s.Distance(x, r) - b*s.Distance(y, r)
				lo, hi = math.Min(lo, e), math.Max(hi, e)
			}
			worst = math.Max(worst, hi-lo)
		}
	}
	return worst
}

const bruteTolerance = 1e-13

func TestRulesEqualBruteForce(t *testing.T) {
	worst := 0.0
	rapid.Check(t, func(r *rapid.T) {
		s, x := small(t, r, 12)
		same := func(name string, got, want float64) {
			if e := off(got, want); e > bruteTolerance {
				r.Errorf("prior %v, x = %v: %s = %.17g, brute force %.17g", s.alpha, x, name, got, want)
			} else {
				worst = math.Max(worst, e)
			}
		}
		ls, i, j := s.Local(x)
		same("LS", ls, s.LocalBrute(x))
		same("LS at its move", s.Distance(x, moved(x, i, j)), ls)
		plus, _, _ := s.LocalPlus(x)
		same("LS⁺", plus, s.localPlusBrute(x))
		if s.Cells() == 2 {
			same("LS⁺ for d = 2", plus, ls)
		}
		if s.Size() <= 120 {
			gs, y, z := s.Global()
			same("Δ", gs, s.globalBrute())
			if s.Check(y) != nil || s.Check(z) != nil || Dist(y, z) != 1 {
				r.Errorf("Δ is attained by %v and %v, which are no neighbours", y, z)
			}
			same("Δ at its pair", s.Distance(y, z), gs)
			if u := s.GlobalEnclosure(); u.Lo > gs*(1+4e-15) || u.Hi < gs {
				r.Errorf("Δ = %.17g is not in %v", gs, u)
			}
		}
		attains := func(name string, a Attained, o objective) {
			if s.Check(a.Y) != nil || Dist(x, a.Y) != a.Distance || a.From < 0 || a.Y[a.From] < 1 {
				r.Fatalf("prior %v, x = %v: %s is attained by %+v, which is no data set with that move", s.alpha, x,
					name, a)
			}
			same(name+"'s edge", a.Edge, s.Distance(a.Y, moved(a.Y, a.From, a.To)))
			same(name+" where attained", a.Value, o.value(a.Edge, float64(a.Distance)))
			if a.Value < ls {
				r.Errorf("%s is below LS", name)
			}
		}
		beta := math.Exp(rapid.Float64Range(-6, 2).Draw(r, "ln beta"))
		a := s.Smooth(x, beta)
		same("S_β", a.Value, s.SmoothBrute(x, beta))
		attains("S_β", a, smooth(beta))
		gamma := math.Exp(rapid.Float64Range(-6, 2).Draw(r, "ln gamma"))
		b := s.Reciprocal(x, gamma)
		same("S_γ", b.Value, s.ReciprocalBrute(x, gamma))
		attains("S_γ", b, reciprocal(gamma))
	})
	t.Logf("worst relative deviation %.2g", worst)
}

// 1/LS⁺ is γ⁺-Lipschitz, 1/S_γ is γ-Lipschitz, and ln S_β is β-Lipschitz, up to rounding.
func TestLipschitz(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		s, x := small(t, r, 1000)
		gp := s.GammaPlus()
		gamma, beta := rapid.Float64Range(0.01, 2).Draw(r, "gamma"), rapid.Float64Range(0.01, 2).Draw(r, "beta")
		p, _, _ := s.LocalPlus(x)
		sb, sg := s.Smooth(x, beta).Value, s.Reciprocal(x, gamma).Value
		y := append([]int64(nil), x...)
		for range Neighbours(y) {
			q, _, _ := s.LocalPlus(y)
			if diff, slack := math.Abs(1/p-1/q), 1e-14*(1/p+1/q); diff > gp+slack {
				r.Errorf("prior %v: 1/LS⁺ changes by %v from %v to %v, γ⁺ = %v", s.alpha, diff, x, y, gp)
			}
			tb, tg := s.Smooth(y, beta).Value, s.Reciprocal(y, gamma).Value
			if math.Abs(math.Log(sb/tb)) > beta+1e-13 || math.Abs(1/sg-1/tg) > gamma+1e-13*(1/sg+1/tg) {
				r.Errorf("prior %v: from %v to %v: S_β %v → %v, S_γ %v → %v", s.alpha, x, y, sb, tb, sg, tg)
			}
		}
	})
}

// γ⁺ cannot be much smaller: with a huge third parameter one step reaches it.
func TestGammaPlusIsSharp(t *testing.T) {
	for _, a := range []float64{0.01, 1, 30} {
		s := space(t, 5, a, 1e12)
		x, y := []int64{1, 4}, []int64{2, 3}
		p, _, _ := s.LocalPlus(x)
		q, _, _ := s.LocalPlus(y)
		if diff := 1/q - 1/p; diff > s.GammaPlusUpper()+1e-14/q || diff < s.GammaPlus()*(1-1e-3) {
			t.Errorf("α = %g: step %v, γ⁺ = %v", a, diff, s.GammaPlus())
		}
	}
}

// The log-ratio's span stays within ρ of the Lipschitz constant, and LS alone can exceed 2 + γ⁺ for d = 3.
func TestRatioRangeIsWithinRho(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		s, _ := small(t, r, 6)
		if s.Size() > 40 {
			return
		}
		gamma := rapid.Float64Range(0.01, 1).Draw(r, "gamma")
		if got := s.ratioRangeBrute(func(x []int64) float64 { return s.Reciprocal(x, gamma).Value }); got > Rho(gamma,
			1)+1e-10 {
			r.Errorf("prior %v, n = %d: S_γ has range %v, ρ = %v", s.alpha, s.n, got, Rho(gamma, 1))
		}
		if got := s.ratioRangeBrute(func(x []int64) float64 {
			v, _,
				_ := s.LocalPlus(x)
			return v
		}); got > Rho(s.GammaPlus(), 1)+1e-10 {
			r.Errorf("prior %v, n = %d: LS⁺ has range %v, ρ = %v", s.alpha, s.n, got, Rho(s.GammaPlus(), 1))
		}
	})
	s := space(t, 10, 100, 100, 10000)
	if got := s.ratioRangeBrute(func(x []int64) float64 { v, _, _ := s.Local(x); return v }); !(got > 3) {
		t.Errorf("LS has range %v, want more than 3", got)
	}
}
