package claims

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/internal/hellinger"
	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/privbayes/dp/finite"
)

// randomSpaces visits spaces with priors over six decades, reproducibly.
func randomSpaces(count int, visit func(s *hellinger.Space, r *rand.Rand) error) error {
	r := rand.New(rand.NewPCG(1, 2))
	for range count {
		d := 2 + r.IntN(3)
		alpha := make([]float64, d)
		for i := range alpha {
			alpha[i] = math.Pow(10, -2.5+5.5*r.Float64())
		}
		n := 1 + r.IntN([]int{0, 0, 25, 8, 5}[d])
		if err := visit(space(n, alpha...), r); err != nil {
			return err
		}
	}
	return nil
}

// theorem1 puts factor in front of the bound.
func theorem1(ctx context.Context, f *Finding, factor float64) error {
	closest := 0.0
	err := randomSpaces(150, func(s *hellinger.Space, r *rand.Rand) error {
		gamma, kappa := math.Pow(10, -1.5+2*r.Float64()), math.Pow(10, -1+2*r.Float64())
		for _, c := range []struct {
			rate  func([]int64) float64
			gamma float64
		}{{reciprocal(s, kappa, gamma), gamma}, {localPlus(s, kappa), s.GammaPlus()}, {global(s, kappa), 0}} {
			res, err := audit(ctx, f, s, c.rate, finite.Options{})
			if err != nil {
				return err
			}
			closest = math.Max(closest, res.Range/(kappa*hellinger.Rho(c.gamma, 1)))
			rho := factor * hellinger.Rho(c.gamma, 1)
			f.trial().printed(res.Range <= kappa*rho*(1+1e-9)+1e-11 && res.Epsilon <= res.Range*(1+1e-12),
				float64(s.N()), "prior %v, n = %d, γ = %v: range %v of %v", s.Alpha(), s.N(), c.gamma, res.Range,
				kappa*rho)
		}
		return nil
	})
	f.require(closest > .9, "the range never comes close to κρ: %v", closest)
	return err
}

// theoremS compares with the maxima over all candidates for factor·β and factor·γ.
func theoremS(_ context.Context, f *Finding, factor float64) error {
	spaces := 60
	if factor != 1 {
		spaces = 10
	}
	return randomSpaces(spaces, func(s *hellinger.Space, r *rand.Rand) error {
		beta, gamma := math.Pow(10, -2+2*r.Float64()), math.Pow(10, -2+3*r.Float64())
		eachHistogram(s, func(x []int64) {
			a, b := s.Smooth(x, beta).Value, s.SmoothBrute(x, factor*beta)
			c, d := s.Reciprocal(x, gamma).Value, s.ReciprocalBrute(x, factor*gamma)
			f.trial().printed(math.Abs(a-b) <= 1e-13*b && math.Abs(c-d) <= 1e-13*d, float64(s.N()),
				"prior %v, x = %v: %v %v, %v %v", s.Alpha(), x, a, b, c, d)
		})
		return nil
	})
}

// theoremC claims factor·ε.
func theoremC(ctx context.Context, f *Finding, factor float64) error {
	return randomSpaces(100, func(s *hellinger.Space, r *rand.Rand) error {
		eps, delta := math.Pow(10, -.5+1.5*r.Float64()), math.Pow(10, -8*r.Float64()-.05)
		kappa := eps / 3
		beta := math.Log1p(kappa / (s.LogSize() - math.Log(delta)))
		levels := make([]float64, 21) // of ε: what the same δ costs
		for i := range levels {
			levels[i] = eps * float64(i) / 20
		}
		res, err := audit(ctx, f, s, smooth(s, kappa, beta), finite.Options{Epsilons: levels})
		if err != nil {
			return err
		}
		f.trial().printed(res.Delta[20] <= delta, float64(s.N()), "prior %v, n = %d, ε = %v: δ = %v of %v", s.Alpha(),
			s.N(), eps, res.Delta[20], delta)
		for i, d := range res.Delta {
			if d <= delta {
				f.trial().bound(factor*eps, levels[i], float64(s.N()), "prior %v, n = %d", s.Alpha(), s.N())
				break
			}
		}
		return nil
	})
}

// slopes are L′(t) and −L″(t) of L = ln g: sums of the positive terms h(t) = 1/(2t(t+1)(2t+1)) of the recurrence and of
// −h′, up to t ≥ 30, and the derivatives of the expansion from there, whose first term left out is below 1e-13 of the
// sum.
func slopes(t float64) (first, second float64) {
	for ; t < 30; t++ {
		h := 1 / (2 * t * (t + 1) * (2*t + 1))
		first += h
		second += h * (1/t + 1/(t+1) + 2/(2*t+1))
	}
	u := 1 / (t * t)
	first += u * (1./8 - u*(3./192-u*(5./640-u*(119./14336-u*(279./18432)))))
	second += u / t * (2./8 - u*(12./192-u*(30./640-u*(952./14336-u*(2790./18432)))))
	return first, second
}

// lemmaB certifies the inequality on geometric cells [a, b]: g increases, L′ and −L″ fall, so that on a cell the left
// side is at least (1 − g(b))·(−L″(b)) and the right side at most (1 + g(b)/2)·L′(a)². Below and above, the ratio of
// the sides tends to 2, needing less than 1.5.
//
// The coefficient of g is share, ½ in the lemma.
func lemmaB(_ context.Context, f *Finding, share float64) error {
	const lo, hi, cells = 1e-3, 1e4, 6000
	step := math.Pow(hi/lo, 1./cells)
	least := math.Inf(1)
	for i := range cells {
		a := lo * math.Pow(step, float64(i))
		b := a * step * (1 + 1e-12)
		la, _ := slopes(a)
		_, lb2 := slopes(b)
		g := math.Exp(num.LogGammaHalfRatio(b))
		gap := -math.Expm1(num.LogGammaHalfRatio(b)) // 1 − g without cancellation
		slack := gap*lb2/(la*la) - (1 + share*g)
		least = math.Min(least, slack)
		f.trial().printed(slack > 0, a, "cell [%v, %v]: slack %v", a, b, slack)
	}
	f.require(least > .25, "least slack %v", least)
	for _, t := range []float64{1e-6, 1e7} {
		l1, l2 := slopes(t)
		f.number("−(1−g)L″/L′² at an end", -math.Expm1(num.LogGammaHalfRatio(t))*l2/(l1*l1), 2, .01)
	}
	return nil
}

// gammaPlus puts factor in front of γ⁺.
func gammaPlus(_ context.Context, f *Finding, factor float64) error {
	err := randomSpaces(150, func(s *hellinger.Space, _ *rand.Rand) error {
		eachHistogram(s, func(x []int64) {
			for i, j := range hellinger.Neighbours(append([]int64(nil), x...)) {
				y := append([]int64(nil), x...)
				y[i]--
				y[j]++
				a, _, _ := s.LocalPlus(x)
				b, _, _ := s.LocalPlus(y)
				f.trial().printed(math.Abs(1/a-1/b) <= factor*s.GammaPlus()*(1+1e-9), float64(s.N()), "prior %v, %v to %v: "+
					"%v", s.Alpha(), x, y, math.Abs(1/a-1/b))
			}
		})
		return nil
	})
	for _, c := range [][2]float64{{.1, 1.68622}, {.5, 1.34068}, {1, 1.11730}, {7, .51396}, {30, .25580}} {
		f.number("γ⁺", space(1, c[0], c[0]).GammaPlus(), c[1], 6e-6)
	}
	s := space(20, 100, 100, 10000)
	a, _, _ := s.Local([]int64{0, 0, 20})
	b, _, _ := s.Local([]int64{1, 0, 19})
	f.number("jump of 1/LS, prior (100, 100, 10000)", math.Abs(1/a-1/b), 8.14, .02)
	return err
}
