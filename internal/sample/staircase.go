package sample

import (
	"math"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/internal/domain"
)

// Staircase is the law of two-sided steps of width Period on the integers,
//
//	P(Z = z) ∝ e^{−ε(⌊|z|/Period⌋ + 1{|z| mod Period ≥ Low})},  ε = Num/Den > 0, 1 ≤ Low ≤ Period
//
// (Geng, Viswanath 2014). Moving z by at most Period changes the exponent by at most ε. Values come from [NewStaircase]
// or satisfy what it checks.
type Staircase struct{ Period, Low, Num, Den uint64 }

// NewStaircase checks 1 ≤ low ≤ period ≤ 2^40 and ε = num/den as NewTwoSidedGeometric checks its rate, with ε ≥ 2^−8.
// Errors: *[ParameterError].
func NewStaircase(period, low, num, den uint64) (Staircase, error) {
	if _, err := NewTwoSidedGeometric(num, den); err != nil {
		return Staircase{}, err
	}
	switch {
	case period == 0 || period > 1<<40:
		return Staircase{}, domain.Refuse("sample", "period", period, "1 ≤ period ≤ 2^40")
	case low == 0 || low > period:
		return Staircase{}, domain.Refuse("sample", "low", low, "1 ≤ low ≤ period")
	case float64(num)/float64(den) < 1.0/256:
		return Staircase{}, domain.Refuse("sample", "ε", float64(num)/float64(den), "at least 2^−8")
	}
	return Staircase{period, low, num, den}, nil
}

// BestLow is the width of the higher part of a step that has the least variance in the limit of wide steps,
//
//	Period·[−b/(1−b) + ((b − 2b² + 2b⁴ − b⁵)/2)^{1/3}/(1−b)²],  b = e^{−ε}
//
// (Geng, Viswanath 2014, Theorem 6), rounded, at least 1.
func BestLow(period uint64, epsilon float64) uint64 {
	b := math.Exp(-epsilon)
	share := -b/(1-b) + math.Cbrt((b-2*b*b+2*b*b*b*b-b*b*b*b*b)/2)/((1-b)*(1-b))
	return uint64(math.Min(math.Max(1, math.Round(float64(period)*share)), float64(period)))
}

// Draw is exact. The step is geometric at ε; the place in it is uniform, kept with probability e^{−ε} from Low on; a
// random sign is added and −0 rejected. Steps above 2^22, of probability below e^{−2^14}, are drawn again, so that |Z|
// ≤ 2^40·(2^22 + 1) < 2^63.
func (s Staircase) Draw(src rand.Source) int64 {
	step := TwoSidedGeometric{s.Num, s.Den}
	for {
		g := step.oneSided(src)
		if g > 1<<22 {
			continue
		}
		u := Uniform(src, s.Period)
		if u >= s.Low && !BernoulliExp(src, s.Num, s.Den) {
			continue
		}
		z := g*int64(s.Period) + int64(u)
		if src.Uint64()>>63 == 0 {
			return z
		}
		if z != 0 {
			return -z
		}
	}
}

// Epsilon is ε.
func (s Staircase) Epsilon() float64 { return float64(s.Num) / float64(s.Den) }

// exponent is ⌊|z|/Period⌋ + 1{|z| mod Period ≥ Low}.
func (s Staircase) exponent(z int64) float64 {
	a := uint64(max(z, -z))
	e := float64(a / s.Period)
	if a%s.Period >= s.Low {
		e++
	}
	return e
}

// total is Σ_z of the unnormalised law: twice the sum over z ≥ 0, less the 1 of z = 0.
func (s Staircase) total() float64 { return 2*s.perStep()/-math.Expm1(-s.Epsilon()) - 1 }

// perStep is the weight of the first step, Low + (Period − Low)·e^{−ε}.
func (s Staircase) perStep() float64 {
	return float64(s.Low) + float64(s.Period-s.Low)*math.Exp(-s.Epsilon())
}

// LogProb is log P(Z = z), within 1e-14 relative.
func (s Staircase) LogProb(z int64) float64 { return -s.Epsilon()*s.exponent(z) - math.Log(s.total()) }

// LogTail is log P(Z ≥ z).
func (s Staircase) LogTail(z int64) float64 {
	if z < 1 {
		return math.Log1p(-math.Exp(s.LogTail(1 - z)))
	}
	q := math.Exp(-s.Epsilon())
	g, u := uint64(z)/s.Period, uint64(z)%s.Period
	// what is left of step g from u on, then all later steps
	left := float64(s.Period-max(u, s.Low)) * q
	if u < s.Low {
		left += float64(s.Low - u)
	}
	return -s.Epsilon()*float64(g) + math.Log(left+q*s.perStep()/(1-q)) - math.Log(s.total())
}

// Variance is E Z²: over step g of weight e^{−εg}, z = g·Period + u.
func (s Staircase) Variance() float64 {
	q := math.Exp(-s.Epsilon())
	sums := func(n float64) (one, two float64) { return n * (n - 1) / 2, n * (n - 1) * (2*n - 1) / 6 }
	a1, a2 := sums(float64(s.Low))
	b1, b2 := sums(float64(s.Period))
	s0, s1, s2 := s.perStep(), a1+q*(b1-a1), a2+q*(b2-a2)
	k := float64(s.Period)
	g0, g1, g2 := 1/(1-q), q/((1-q)*(1-q)), q*(1+q)/((1-q)*(1-q)*(1-q)) // Σ q^g g^j
	return 2 * (k*k*g2*s0 + 2*k*g1*s1 + g0*s2) / s.total()
}
