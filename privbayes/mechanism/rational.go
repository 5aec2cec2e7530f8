package mechanism

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/privbayes/privbayes-go/internal/domain"
)

// Rational is a positive dyadic rational Num/Den, Den a power of two up to 2^40: exactly representable in float64 when
// Num < 2^53, and what the integer samplers take.
type Rational struct {
	Num uint64 `json:"num"`
	Den uint64 `json:"den"`
}

// Float is Num/Den.
func (r Rational) Float() float64 { return float64(r.Num) / float64(r.Den) }

// Reduced is the same number with the smallest denominator.
func (r Rational) Reduced() Rational {
	for r.Num%2 == 0 && r.Den > 1 {
		r.Num, r.Den = r.Num/2, r.Den/2
	}
	return r
}

// String shows the fraction.
func (r Rational) String() string { return fmt.Sprintf("%d/%d", r.Num, r.Den) }

// maxDen bounds denominators, so that the samplers' intermediate products keep their stated limits.
const maxDen = 1 << 40

// Valid checks a rational read from a file: *dp.ParameterError.
func (r Rational) Valid() error {
	if r.Num == 0 || r.Num >= 1<<53 || r.Den == 0 || r.Den > maxDen || bits.OnesCount64(r.Den) != 1 {
		return domain.Refuse("mechanism", "rational", r.String(), "num in [1, 2^53) and den a power of two up to 2^40")
	}
	return nil
}

// Dyadic rounds x > 0 to a rational with the given number of significant bits (fewer where the denominator would pass
// 2^40): up or down.
func Dyadic(x float64, bits int, roundUp bool) Rational {
	_, exp := math.Frexp(x)
	shift := min(max(bits-exp, 0), 40)
	scaled := math.Ldexp(x, shift)
	if roundUp {
		scaled = math.Ceil(scaled)
	} else {
		scaled = math.Floor(scaled)
	}
	return Rational{uint64(math.Max(scaled, 1)), 1 << shift}
}

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
