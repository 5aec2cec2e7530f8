package sums

import (
	"context"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/roundedsum"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// values are the mean and the standard deviation of the rows from noisy (Σc, Σc²), with u = c/M in [−1, 1]: the mean ū,
// and the square root of v = Σu²/n − ū² + s₁²/n², since ū² is too large by the variance of its noise, cut to what is
// possible of values with a mean within 2.12 standard deviations of the noisy one (theory/publication.md §8).
func (d *sampler) values(noisy []int64) [][]float64 {
	m, unit := d.half()
	half, n := float64(m), float64(d.n)
	noise := math.Sqrt(d.law.variance(0)) / half / n
	raw := float64(noisy[0]) / half / n
	mean := math.Min(math.Max(raw, -1), 1)
	near := math.Max(math.Abs(mean)-noiseReach*noise, 0)
	v := float64(noisy[1])/half/half/n - raw*raw + noise*noise
	v = math.Min(math.Max(v, 0), 1-near*near) * n / math.Max(n-1, 1)
	l := d.shape.Lattice()
	scale := half / float64(unit) // steps
	return [][]float64{{l.Value(0, (mean+1)*scale), l.Step(0) * scale * math.Sqrt(v)}}
}

// noiseReach standard deviations are passed by Laplace noise once in twenty.
const noiseReach = 2.12

// latent reports whether the model is the normal before values are moved to the bounds.
func (d *sampler) latent() bool {
	m, ok := d.shape.Model().(model.MeanSDModel)
	return ok && m.IsLatent()
}

// Filed are the points of the latent normal, which files of MeanSD have held from the first.
func (d *sampler) Filed(ctx context.Context, drawn mechanism.Output) (e model.Estimate, ok bool) {
	if d.Kind != moments || d.latent() {
		return e, false
	}
	values, err := d.spread(ctx, drawn.Raw[0])
	return model.Estimate{Draws: &model.Draws{Names: d.shape.Parameters(), Values: values}}, err == nil
}

// Warned says how much of a distribution of values lies outside the bounds that they are moved to.
func (d *sampler) Warned(drawn mechanism.Output) warning.List {
	of, instead := d.shape.Distribution(), "Mean"
	if d.latent() {
		instead = "MeanSD"
	}
	if of == "" {
		return nil
	}
	e, err := d.Estimate(context.Background(), drawn)
	if err != nil {
		return nil
	}
	if out := d.shape.OutsideBounds(e.Draws); out > warning.MostOutside {
		return warning.List{warning.Outside(out, of, instead)}
	}
	return nil
}

// spread are points of the posterior of a latent normal's mean and standard deviation given noisy (Σc, Σc²).
func (d *sampler) spread(_ context.Context, noisy []int64) ([][]float64, error) {
	m, unit := d.half()
	o := roundedsum.TwoSums{N: d.n, Half: float64(m), Unit: float64(unit), First: float64(noisy[0]),
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

func (d *sampler) points(at func(point int) []float64) [][]float64 {
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
