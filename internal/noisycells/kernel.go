package noisycells

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/num"
)

// count is a released count r, with what does not change with the mean.
type count struct {
	r, rate, up, down float64 // up = 1/q, down = q, of noise P(z) ∝ q^|z|, q = e^−rate
	whole             float64 // ln(r!) − r·ln r + r
}

func newCount(r int64, rate float64) count {
	c := count{r: float64(r), rate: rate, up: math.Exp(rate), down: math.Exp(-rate)}
	if r > 0 {
		c.whole = math.Log(2*math.Pi*c.r)/2 + num.StirlingTail(c.r)
	}
	return c
}

// LogProbability is ln Σ_k Poisson(k; mu)·q^|r − k|, q = e^−rate: that of a released count but for a constant, where
// the count is Poisson with the mean mu > 0 and the noise two-sided geometric. In closed form it is
//
//	q^r·e^{mu(1/q − 1)}·P(Poisson(mu/q) ≤ r) + q^−r·e^{−mu(1 − q)}·P(Poisson(mu·q) > r),
//
// for r < 0 the second term, with P = 1. The probabilities are incomplete gammas of r + 1, by a series below the mean
// and a continued fraction above it. Both are Poisson(r; mu) times a sum, so that e^{mu/q} does not appear. Error:
// below 1e-13 of the value's size or of r. Source: theory/glm.md §5.
func LogProbability(r int64, mu, rate float64) float64 {
	c := newCount(r, rate)
	return c.logProbability(mu)
}

func (c *count) logProbability(mu float64) float64 {
	if c.r < 0 {
		return c.rate*c.r + mu*math.Expm1(-c.rate)
	}
	own, least := c.logPoisson(mu), -40-math.Log(c.r+2)
	var left, right float64
	if x := mu * c.up; x >= c.r+2 {
		left = own + math.Log(c.below(x))
	} else {
		left = mu*math.Expm1(c.rate) - c.rate*c.r
		if p := c.logPoisson(x); p > least { // else it is 1 − e^−40
			left += math.Log1p(-math.Exp(p) * c.above(x))
		}
	}
	if x := mu * c.down; x < c.r+2 {
		right = own + math.Log(c.above(x))
	} else {
		right = mu*math.Expm1(-c.rate) + c.rate*c.r
		if p := c.logPoisson(x); p > least {
			right += math.Log1p(-math.Exp(p) * c.below(x))
		}
	}
	if right > left {
		left, right = right, left
	}
	return left + math.Log1p(math.Exp(right-left))
}

// logPoisson is ln Poisson(r; x).
func (c *count) logPoisson(x float64) float64 {
	switch {
	case c.r == 0:
		return -x
	case x < c.r/2:
		return c.r*math.Log(x/c.r) + c.r - x - c.whole
	}
	return c.r*num.Log1pMinus((x-c.r)/c.r) - c.whole
}

// above is P(Poisson(x) > r)/Poisson(r; x) for x < r + 2, by its series.
func (c *count) above(x float64) float64 {
	a := c.r + 1
	term := x / a
	sum := term
	for term > sum*0x1p-54 {
		a++
		term *= x / a
		sum += term
	}
	return sum
}

// below is P(Poisson(x) ≤ r)/Poisson(r; x) for x ≥ r + 2, by a continued fraction, from the front (Lentz). Source:
// DLMF 8.9.2.
func (c *count) below(x float64) float64 {
	const tiny = 1e-300
	a := c.r + 1
	b := x + 1 - a
	f := 1 / b
	d, up := f, 1/tiny
	for i := 1.0; i < 1e6; i++ {
		n := -i * (i - a)
		b += 2
		if d = n*d + b; math.Abs(d) < tiny {
			d = tiny
		}
		if up = b + n/up; math.Abs(up) < tiny {
			up = tiny
		}
		d = 1 / d
		e := d * up
		if f *= e; math.Abs(e-1) < 0x1p-52 {
			break
		}
	}
	return x * f
}
