package noise

import (
	"context"
	"math"

	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
)

// Least is the smallest x in [lo, hi], to 33 bits, at which ok holds; ok is monotone (false, then true) and ok(hi)
// holds.
func Least(lo, hi float64, ok func(float64) bool) float64 {
	for hi-lo > hi*1e-11 {
		mid := math.Sqrt(lo) * math.Sqrt(hi)
		if mid <= lo || mid >= hi {
			break
		}
		if ok(mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi
}

// Greatest is the largest x in [lo, hi], to 33 bits, at which ok holds; ok is monotone (true, then false) and ok(lo)
// holds.
func Greatest(lo, hi float64, ok func(float64) bool) float64 {
	return 1 / Least(1/hi, 1/lo, func(inverse float64) bool { return ok(1 / inverse) })
}

// GreatestBy is Greatest where excess says by how much x is too large, and is at most 0 where it is not: it evaluates a
// third as often.
func GreatestBy(lo, hi float64, excess func(float64) float64) float64 {
	return 1 / Least(1/hi, 1/lo, num.Threshold(1/hi, 1/lo, func(inverse float64) float64 { return excess(1 / inverse) }))
}

// Search looks for the least noise of a parameter that meets a privacy level: the greatest rate, or the least variance.
type Search struct {
	Low, High float64 // of the parameter, within the range of the sampler
	Start     float64 // of a variance: where to begin; 0 is Low. Exact profiles cost more at a larger variance
	Bits      int     // significant ones of the parameter: 32 leave 1e-9 of the budget unspent
	Den       uint64  // its greatest denominator, a power of two; 0 is 2^40
	Variance  bool    // the noise grows with the parameter, which is rounded up; else it falls, and is rounded down
	Pair      func(x float64) loss.Pair
}

// Least is the parameter of the least noise that meets the level, rounded toward privacy; met is false where the widest
// noise, which is returned then, does not. The only error is the context's.
func (s Search) Least(ctx context.Context, want dp.Parameters) (r Rational, met bool, err error) {
	if s.Den == 0 {
		s.Den = maxDen
	}
	excess := func(x float64) float64 { return loss.Excess(loss.Until(ctx, s.Pair(x)), want) }
	meets := func(x float64) bool { return ctx.Err() != nil || excess(x) <= 0 }
	widest, step := s.Low, uint64(math.MaxUint64) // −1
	if s.Variance {
		widest, step = s.High, 1
	}
	round := func(x float64) Rational { return DyadicTo(x, s.Bits, s.Den, s.Variance) }
	if !meets(widest) {
		return round(widest), false, ctx.Err()
	}
	x := 0.0
	switch {
	case s.Variance:
		x = s.upward(meets, excess)
	case want.Notion == dp.Pure && s.linear():
		x = math.Min(s.High, float64(want.Epsilon)/s.Pair(1).PureEpsilon())
	default:
		x = GreatestBy(s.Low, s.High, excess)
	}
	r = round(x)
	for !meets(r.Float()) && (s.Variance || r.Num > 1) {
		r.Num += step // at most a step or two: the search stopped just beside the least noise
	}
	return r.Reduced(), meets(r.Float()), ctx.Err()
}

// linear reports whether pure ε goes by the rate, as far as two of them show.
func (s Search) linear() bool {
	a, b := s.Pair(1).PureEpsilon(), s.Pair(.5).PureEpsilon()
	return math.Abs(a-2*b) <= 1e-9*a
}

// upward brackets the least variance from Start, or from next to nothing where there is neither that nor a least one.
func (s Search) upward(meets func(float64) bool, excess func(float64) float64) float64 {
	hi := math.Max(math.Max(s.Start, s.Low), s.High*0x1p-80)
	for !meets(hi) {
		hi *= 4
	}
	for hi > s.Low && meets(hi/4) {
		hi /= 4
	}
	if hi <= s.Low {
		return s.Low
	}
	return Least(hi/4, hi, num.Threshold(hi/4, hi, excess))
}
