package latent

import "math"

// Term is what one noisy number says of an integer c, a count or a linear statistic of counts: the logarithm of its
// probability given c, up to a constant. The zero value says nothing.
type Term struct {
	kind  kind
	y     int64
	unit  int64 // of the noise's lattice per record
	rate  float64
	scale float64
	law   func(d int64) float64
	count int64 // of a rounded statistic along a line: see along
}

type kind uint8

const (
	silent kind = iota
	absolute
	square
	lattice
	general
)

// Geometric is the term −rate·|y − unit·c| of two-sided geometric noise: P(Z = z) ∝ e^{−rate·|z|}, z in steps of which
// a record has unit.
func Geometric(y, unit int64, rate float64) Term {
	return Term{kind: absolute, y: y, unit: unit, rate: rate}
}

// Gaussian is the term −(y − unit·c)²/(2σ²) of discrete Gaussian noise: P(Z = z) ∝ e^{−z²/(2σ²)}.
func Gaussian(y, unit int64, sigma2 float64) Term {
	return Term{kind: square, y: y, unit: unit, rate: 1 / (2 * sigma2)}
}

// Noise is the term of a count with noise whose closed form has the rate, or σ², where one is above 0; else log P(Z =
// d) is law's.
func Noise(y, unit int64, rate, sigma2 float64, law func(d int64) float64) Term {
	switch {
	case sigma2 > 0:
		return Gaussian(y, unit, sigma2)
	case rate > 0:
		return Geometric(y, unit, rate)
	}
	return OfLaw(y, unit, law)
}

// OfLaw is the term law(y − unit·c) of any other law: log P(Z = d), or, where y was cut to a bound, log P(Z ≤ d) or log
// P(Z ≥ d). law must be fast and finite.
func OfLaw(y, unit int64, law func(d int64) float64) Term {
	return Term{kind: general, y: y, unit: unit, law: law}
}

// Rounded is the term −rate·|y − round(scale·c)| of geometric noise on a statistic rounded to a lattice.
func Rounded(y int64, scale, rate float64) Term {
	return Term{kind: lattice, y: y, unit: 1, scale: scale, rate: rate}
}

// at is the term at c.
func (t *Term) at(c int64) float64 {
	switch t.kind {
	case absolute:
		return -t.rate * math.Abs(float64(t.y-t.unit*c))
	case square:
		d := float64(t.y - t.unit*c)
		return -t.rate * d * d
	case lattice:
		return -t.rate * math.Abs(float64(t.y)-math.Round(t.scale*float64(c)))
	case general:
		return t.law(t.y - t.unit*c)
	}
	return 0
}
