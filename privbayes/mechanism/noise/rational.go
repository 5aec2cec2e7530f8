package noise

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
		return domain.Refuse("noise", "rational", r.String(), "num in [1, 2^53) and den a power of two up to 2^40")
	}
	return nil
}

// Dyadic rounds x > 0 to a rational with the given number of significant bits (fewer where the denominator would pass
// 2^40): up or down.
func Dyadic(x float64, bits int, roundUp bool) Rational { return DyadicTo(x, bits, maxDen, roundUp) }

// DyadicTo is Dyadic with a denominator of at most most, a power of two up to 2^40.
func DyadicTo(x float64, significant int, most uint64, roundUp bool) Rational {
	_, exp := math.Frexp(x)
	shift := min(max(significant-exp, 0), bits.TrailingZeros64(most))
	scaled := math.Ldexp(x, shift)
	if roundUp {
		scaled = math.Ceil(scaled)
	} else {
		scaled = math.Floor(scaled)
	}
	return Rational{uint64(math.Max(scaled, 1)), 1 << shift}
}
