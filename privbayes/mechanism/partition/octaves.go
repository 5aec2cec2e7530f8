package partition

import (
	"math"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
)

// The grid of octaves is public: the sizes 2^j ≤ |x| < 2^(j+1) of both signs, and the numbers around 0.
const (
	leastOctave = -20 // numbers below 2^-20 in size lie around 0
	lastOctave  = 40  // numbers from 2^40 on lie in the outermost octave of their sign
	sizes       = lastOctave - leastOctave

	// OctaveCount is the number of octaves.
	OctaveCount = 2*sizes + 1
)

// FalseEnd bounds the probability that an end of a range is that of an octave which nobody holds. It is small since
// such an end may be 2^40 away, so that one in 10^4 releases rules the mean error of all.
const FalseEnd = 1e-4

// OctaveOf is the octave of a number, from 0 for the least numbers to OctaveCount − 1, by the exponent of the float.
// Numbers beyond ±2^40 and infinities lie in the outermost ones; NaN lies in none, -1.
func OctaveOf(x float64) int {
	if math.IsNaN(x) {
		return -1
	}
	size := sizes // of an infinity
	if !math.IsInf(x, 0) {
		_, exponent := math.Frexp(x) // 2^(exponent-1) ≤ |x| < 2^exponent; 0 of 0
		size = min(max(exponent-leastOctave, 0), sizes)
	}
	if x == 0 {
		size = 0
	}
	if x < 0 {
		size = -size
	}
	return sizes + size
}

// OctaveEnds are the ends of an octave, powers of two.
func OctaveEnds(octave int) (low, high float64) {
	size := octave - sizes
	switch {
	case size == 0:
		return -math.Ldexp(1, leastOctave), math.Ldexp(1, leastOctave)
	case size < 0:
		low, high = OctaveEnds(sizes - size)
		return -high, -low
	}
	return math.Ldexp(1, leastOctave+size-1), math.Ldexp(1, leastOctave+size)
}

// Octaves says how the number of units in each octave is released: with geometric noise at the rate num/den, exact in
// integers. A range reaches from the first octave with a noisy count of at least the cut to the last one.
type Octaves struct {
	Num uint64 `json:"num"`
	Den uint64 `json:"den"`
	Cut int64  `json:"cut"`
}

// CalibrateOctaves is the noise for a pure ε with the least cut that [FalseEnd] allows. A unit counts in one octave, so
// one count moves where a unit is added or removed, and two where one is replaced. Errors: *dp.ParameterError.
func CalibrateOctaves(epsilon float64, adjacency dp.Adjacency) (Octaves, error) {
	c, err := ChangeOf(1, adjacency)
	if err != nil {
		return Octaves{}, err
	}
	rate := noise.DyadicTo(epsilon/float64(c.Moved), 24, 1<<40, false)
	o := Octaves{rate.Num, rate.Den, maxCut}
	if err := o.Valid(); err != nil {
		return Octaves{}, domain.Refuse("partition", "ε", epsilon, "2^-30 to 2^53")
	}
	o.Cut = o.LeastCut()
	return o, o.Valid()
}

// LeastCut is the least cut that [FalseEnd] allows at the rate.
func (o Octaves) LeastCut() int64 {
	return first(1, maxCut, func(cut int64) bool { return Octaves{o.Num, o.Den, cut}.FalseEnd() <= FalseEnd })
}

// Valid returns a *dp.ParameterError for noise or a cut that is none.
func (o Octaves) Valid() error {
	_, err := sample.NewTwoSidedGeometric(o.Num, o.Den)
	if err == nil && (o.Cut < 1 || o.Cut > maxCut) {
		err = domain.Refuse("partition", "cut", o.Cut, "1 to 2^40")
	}
	return err
}

// Rate is γ: P(Z = z) ∝ e^{−γ|z|}.
func (o Octaves) Rate() float64 { return o.noise().Rate() }

func (o Octaves) noise() sample.TwoSidedGeometric {
	return sample.TwoSidedGeometric{Num: o.Num, Den: o.Den}
}

// Draw is the noise of one count.
func (o Octaves) Draw(src rand.Source) int64 { return o.noise().Draw(src) }

// SD is the standard deviation of the noise of one count.
func (o Octaves) SD() float64 { return math.Sqrt(o.noise().Variance()) }

// tail is P(Z ≥ z), which is q^z/(1 + q) for z ≥ 1, with q = e^{−γ}.
func (o Octaves) tail(z int64) float64 { return math.Exp(o.noise().LogTail(z)) }

// FalseEnd bounds the probability that an end of the range is that of an octave which nobody holds: the number of
// octaves times P(Z ≥ cut), rounded up.
func (o Octaves) FalseEnd() float64 { return slackened(OctaveCount * o.tail(o.Cut)) }

// Kept is the probability that the noisy count of an octave of n units reaches the cut.
func (o Octaves) Kept(n int64) float64 { return o.tail(o.Cut - n) }

// Reach is the least h with P(|Z| ≤ h) ≥ level: noisy counts are within h of the counts.
func (o Octaves) Reach(level float64) int64 {
	return first(0, maxCut, func(h int64) bool { return 2*o.tail(h+1) <= 1-level })
}

// Ends are the ends of the range of noisy counts, one of each octave: found is false where none reaches the cut.
func (o Octaves) Ends(noisy []int64) (low, high float64, found bool) {
	for i, y := range noisy {
		if y < o.Cut {
			continue
		}
		a, b := OctaveEnds(i)
		if !found {
			low, found = a, true
		}
		high = b
	}
	return low, high, found
}
