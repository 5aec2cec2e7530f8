package sums

import (
	"context"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/latticesum"
)

// spread are points of the posterior of a normal law's mean and standard deviation given noisy (Σc, Σc²).
func (d *drawer) spread(_ context.Context, noisy []int64) ([][]float64, error) {
	m, unit := d.half()
	o := latticesum.TwoSums{N: d.n, Half: float64(m), Unit: float64(unit), First: float64(noisy[0]),
		Second: float64(noisy[1]), Variances: [2]float64{d.law.variance(0), d.law.variance(1)}}
	if d.law.law == parabolaLaw {
		scale, half := d.law.exponent([]int64{2 * m, 0}), float64(m)
		// the mass is Γ(3) times the hull's area, 4·5/3·M·M², over the scale's square
		o.Exponent, o.Mass = parabolaExponent(half, scale), 8*parabolaArea*half*half*half/(scale*scale)
	}
	surface, err := o.Posterior()
	if err != nil {
		return nil, domain.Refuse("sums", "raw", noisy, "sums that some mean and standard deviation give a probability")
	}
	l := d.shape.Lattice()
	return d.points(func(point int) []float64 {
		mu, sigma := surface.At(share(point, 1), share(point, 2), share(point, 3))
		return []float64{l.Value(0, (mu+float64(m))/float64(unit)), sigma * l.Step(0) / float64(unit)}
	}), nil
}

func (d *drawer) points(at func(point int) []float64) [][]float64 {
	out := make([][]float64, points)
	for k := range out {
		out[k] = at(k)
	}
	return out
}

// parabolaExponent is sample.ParabolaNorm of real numbers, times the exponent that the farthest change of a record has.
func parabolaExponent(m, scale float64) func(d, e float64) float64 {
	return func(d, e float64) float64 {
		d, e = math.Abs(d)/m, math.Abs(e)/(m*m)
		if e >= d {
			return scale * e
		}
		return scale * d * d / (2*d - e)
	}
}
