package noiseaware

import (
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/latent"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
)

// StatedNoise is the distribution of integer noise on the counts of a foreign table, as its publisher states it. Values
// come from [StatedGeometric], [StatedGaussian], [StatedLaplace] and [Stated].
type StatedNoise struct {
	words string
	err   error
	sd    float64
	form  noise.Form
	// log P(Z = d), up to a constant where there is a form; below is log P(Z ≤ d)
	mass, below func(d int64) float64
}

// LogProb is log P(Z = d).
func (z StatedNoise) LogProb(d int64) float64 { return z.mass(d) }

// LogTail is log P(Z ≥ d), by symmetry.
func (z StatedNoise) LogTail(d int64) float64 { return z.below(-d) }

// Variance is that of the noise.
func (z StatedNoise) Variance() float64 { return z.sd * z.sd }

// Unit is one: counts are of records.
func (z StatedNoise) Unit() int64 { return 1 }

// Form is its closed form, if it has one.
func (z StatedNoise) Form() noise.Form { return z.form }

// Stated is any noise distribution on whole records, in the words of the publisher.
func Stated(d noise.Probabilities, words string) StatedNoise {
	z := StatedNoise{words: words}
	if d == nil || d.Unit() != 1 || !(d.Variance() > 0) || math.IsInf(d.Variance(), 1) {
		z.err = domain.Refuse("noiseaware", "noise", words, "a distribution in records with a variance above 0")
		return z
	}
	z.sd, z.form, z.mass = math.Sqrt(d.Variance()), noise.FormOf(d), d.LogProb
	z.below = func(x int64) float64 { return d.LogTail(-x) }
	return z
}

// leastMoved: noise of a law so narrow that it is 0 but for a chance below 1e-17 is no noise.
const leastMoved = 80.0

// StatedGeometric is two-sided geometric (discrete Laplace) noise, P(Z = z) ∝ e^{−rate·|z|}: of scale 1/rate. rate is
// from 1e-6 to 40.
func StatedGeometric(rate float64) StatedNoise {
	z := StatedNoise{words: fmt.Sprintf("two-sided geometric noise of rate %.6g", rate)}
	if !(rate >= 1e-6 && rate <= leastMoved/2) {
		z.err = domain.Refuse("noiseaware", "rate of geometric noise", rate, "1e-6 to 40; counts without noise are not taken")
		return z
	}
	z.form = noise.Form{Rate: rate}
	z.sd = noise.SD(z)
	lead := math.Log1p(math.Exp(-rate)) // ln(1 + q)
	z.mass = func(d int64) float64 { return -rate*math.Abs(float64(d)) + math.Log(-math.Expm1(-rate)) - lead }
	z.below = func(d int64) float64 {
		if d <= 0 {
			return rate*float64(d) - lead
		}
		return math.Log1p(-math.Exp(-rate*float64(d+1) - lead))
	}
	return z
}

// StatedGaussian is discrete Gaussian noise, P(Z = z) ∝ e^{−z²/(2σ²)}: sigma2 is σ², which is its variance but for a
// hair unless it is below 1. From 1/80 to 1e8.
func StatedGaussian(sigma2 float64) StatedNoise {
	z := StatedNoise{words: fmt.Sprintf("discrete Gaussian noise of σ² = %.6g", sigma2)}
	if !(sigma2 >= 1/leastMoved && sigma2 <= 1e8) {
		z.err = domain.Refuse("noiseaware", "σ² of Gaussian noise", sigma2, "1/80 to 1e8; counts without noise are not taken")
		return z
	}
	z.form = noise.Form{Sigma2: sigma2}
	z.sd = math.Sqrt(sigma2)
	t := newGaussianTails(sigma2)
	z.mass, z.below = t.mass, t.below
	return z
}

// StatedLaplace is Laplace noise of scale b, added to an integer and rounded to the nearest one:
//
//	P(Z = 0) = 1 − e^{−1/(2b)},  P(Z = k) = e^{−|k|/b}·sinh(1/(2b)).
//
// It is not geometric noise of rate 1/b: at b = 1, P(Z = 0) is 0.393 and not 0.462. b is from 1/80 to 1e6.
func StatedLaplace(b float64) StatedNoise {
	z := StatedNoise{words: fmt.Sprintf("rounded Laplace noise of scale %.6g", b)}
	if !(b >= 1/leastMoved && b <= 1e6) {
		z.err = domain.Refuse("noiseaware", "scale of Laplace noise", b, "1/80 to 1e6; counts without noise are not taken")
		return z
	}
	z.sd = math.Max(math.Sqrt2*b, .5)
	h := 1 / (2 * b)
	zero, lead := math.Log(-math.Expm1(-h)), h+math.Log(-math.Expm1(-2*h))-math.Ln2 // ln sinh h
	z.mass = func(d int64) float64 {
		if d == 0 {
			return zero
		}
		return lead - math.Abs(float64(d))/b
	}
	z.below = func(d int64) float64 { // P(L ≤ d + ½)
		if x := (float64(d) + .5) / b; x < 0 {
			return x - math.Ln2
		} else {
			return math.Log1p(-math.Exp(-x) / 2)
		}
	}
	return z
}

// atLow is the term of a count cut to its lower bound y, P(f + Z ≤ y), and atHigh of one cut to the upper one.
func (z StatedNoise) atLow(y int64) latent.Term { return latent.OfLaw(y, 1, z.below) }

func (z StatedNoise) atHigh(y int64) latent.Term {
	return latent.OfLaw(y, 1, func(d int64) float64 { return z.below(-d) }) // P(Z ≥ d), by symmetry
}

// gaussianTails are logarithms of the discrete Gaussian law and of its distribution function.
type gaussianTails struct {
	sigma2 float64
	norm   float64
	width  int64
	log    []float64 // ln P(Z ≤ d), d from −width to width
}

func newGaussianTails(sigma2 float64) *gaussianTails {
	t := &gaussianTails{sigma2: sigma2, width: int64(math.Ceil(20*math.Sqrt(sigma2))) + 3}
	sum, below := 0.0, make([]float64, 2*t.width+1)
	for i := range below {
		d := float64(int64(i) - t.width)
		sum += math.Exp(-d * d / (2 * sigma2))
		below[i] = sum
	}
	t.norm = math.Log(sum)
	for i, s := range below {
		switch d := int64(i) - t.width; {
		case d <= 0:
			below[i] = math.Log(s) - t.norm
		default: // 1 − P(Z ≤ −d − 1)
			below[i] = 0
			if j := t.width - d - 1; j >= 0 {
				below[i] = math.Log1p(-math.Exp(below[j]))
			}
		}
	}
	t.log = below
	return t
}

func (t *gaussianTails) mass(d int64) float64 {
	return -float64(d)*float64(d)/(2*t.sigma2) - t.norm
}

// below is ln P(Z ≤ d). Below the table, where it is under −200, it is the sum P(d)·(1 + r + r² + …), r = P(d−1)/P(d):
// larger than the truth by at most a part in 400.
func (t *gaussianTails) below(d int64) float64 {
	switch {
	case d > t.width:
		return 0
	case d >= -t.width:
		return t.log[d+t.width]
	}
	return t.mass(d) - math.Log(-math.Expm1((2*float64(d)-1)/(2*t.sigma2)))
}
