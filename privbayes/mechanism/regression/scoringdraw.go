package regression

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/gram"
	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/internal/steps"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// scoringSampler releases one vector a step: the point, the cut in units of 2^−22, the products of A and G, both in
// products of [−1, 1].
type scoringSampler struct {
	*scoring
	scoringParams
	last *sampled
}

// Accepts refuses rows that cannot be read again, before anything is charged.
func (d *scoringSampler) Accepts(st *model.Statistics) error {
	if st.CanPass() {
		return nil
	}
	return &mechanism.StatisticsError{Have: "sums without their rows",
		Want: "a frame or a source, whose rows FisherScoring() reads four times; or SufficientStatistics()"}
}

// Draw reads the rows once a step. What follows the first step sees of the data what was released, and nothing else.
func (d *scoringSampler) Draw(ctx context.Context, data mechanism.Private, src *dp.Stream) (out mechanism.Output,
	err error) {
	var made []steps.Released
	for k := range steps.Shares {
		at := d.design.First()
		if k > 0 {
			if at, err = d.design.Next(made[0], made[k-1]); err != nil {
				return mechanism.Output{}, err
			}
		}
		exact, err := d.sums(ctx, data, at)
		if err != nil {
			return mechanism.Output{}, err
		}
		v, err := d.noisy(exact, at, k, src)
		if err != nil {
			return mechanism.Output{}, err
		}
		r, err := d.released(v, k)
		if err != nil {
			return mechanism.Output{}, err
		}
		out.Real, made = append(out.Real, v), append(made, r)
	}
	return out, nil
}

// sums are what a step reads, of each product of A that is released and then of G, in the units of
// model.Statistics.OpenPass. The first reading of a formula is that of the first step. At weights 0 sums of other
// regressions are half of XᵀX and Xᵀy, which are there.
func (d *scoringSampler) sums(ctx context.Context, data mechanism.Private, at steps.Point) (out []num.Int128,
	err error) {
	all, f := data.Moments(), d.shape.Linear().Formula
	if !at.First {
		if all, err = data.Pass(ctx, at); err != nil {
			return nil, err
		}
	}
	entries := d.design.Entries(at)
	if f != nil {
		for _, e := range entries {
			out = append(out, all[f.Product(e.Places[0])])
		}
		return append(out, all[len(f.Places):]...), nil
	}
	for _, e := range entries {
		v := all[packed(e.Places[0][0], e.Places[0][1], d.dim+1)]
		if at.First {
			v = v.Shifted(steps.Bits - 1)
		}
		out = append(out, v)
	}
	for j := range d.dim {
		out = append(out, all[packed(j, d.dim, d.dim+1)])
	}
	return out, nil
}

// noisy is the vector of step k.
func (d *scoringSampler) noisy(exact []num.Int128, at steps.Point, k int, src *dp.Stream) ([]float64, error) {
	noise, err := noisesAt(d.design, at, k, d.scoringParams)
	if err != nil {
		return nil, err
	}
	out := append(append([]float64(nil), at.Beta...), float64(at.Cut))
	entries, tau, columns := d.design.Entries(at), d.deviation(k), d.design.ColumnBits
	for i, v := range exact {
		bits, sd := columns+steps.Bits, math.Sqrt(d.design.Terms)*tau
		if i < len(entries) {
			bits += columns
			sd = d.design.Terms * tau * math.Ldexp(float64(at.Cut), -steps.Bits) / math.Sqrt(float64(entries[i].Ordered()))
		}
		out = append(out, rounded(v, noise[i].Draw(src), bits, sd))
	}
	return out, nil
}

// rounded is a sum in units of 2^−bits with its noise, rounded to a step of stepOf.
func rounded(sum num.Int128, noise *big.Int, bits int, deviation float64) float64 {
	y := new(big.Int).Lsh(big.NewInt(sum.Hi), 64)
	y.Add(y, new(big.Int).SetUint64(sum.Lo)).Add(y, noise)
	shift := uint(bits + stepOf(deviation))
	y.Add(y, new(big.Int).Lsh(big.NewInt(1), shift-1)).Rsh(y, shift)
	v, _ := new(big.Float).SetInt(y).Float64()
	return math.Ldexp(v, stepOf(deviation))
}

// released reads the vector of step k, here or from a file. Error: *domain.Error for numbers that no step releases.
func (d *scoringSampler) released(v []float64, k int) (r steps.Released, err error) {
	first, at := d.design.First(), steps.Point{First: k == 0}
	if len(v) <= d.dim {
		return r, domain.Refuse("regression", "real", fmt.Sprintf("%d numbers of a step", len(v)), "a point, a cut and sums")
	}
	at.Beta, at.Cut = v[:d.dim:d.dim], int64(v[d.dim])
	if float64(at.Cut) != v[d.dim] {
		return r, domain.Refuse("regression", "cut", v[d.dim], "a whole number")
	}
	for j, b := range first.Beta {
		if k == 0 && at.Beta[j] != b {
			return r, domain.Refuse("regression", "point of the first step", at.Beta[j], fmt.Sprint(b))
		}
	}
	v = v[d.dim+1:]
	n := len(d.design.Entries(at))
	if len(v) != n+d.dim {
		return r, domain.Refuse("regression", "real", fmt.Sprintf("%d sums of a step", len(v)), fmt.Sprint(n+d.dim))
	}
	r = steps.Released{Point: at, Deviation: d.deviation(k)}
	for i, x := range v {
		if i < n {
			r.Moments = append(r.Moments, x/d.design.Terms)
		} else {
			r.Gradient = append(r.Gradient, x/math.Sqrt(d.design.Terms))
		}
	}
	return r, d.design.CheckReleased(r)
}

// read are the first and the last step of what was drawn; all of it is checked.
func (d *scoringSampler) read(drawn mechanism.Output) (first, last steps.Released, err error) {
	if len(drawn.Real) != len(steps.Shares) {
		return first, last, domain.Refuse("regression", "real", fmt.Sprintf("%d vectors", len(drawn.Real)),
			fmt.Sprintf("%d, one a step", len(steps.Shares)))
	}
	for k, v := range drawn.Real {
		if last, err = d.released(v, k); err != nil {
			return first, last, err
		}
		if k == 0 {
			first = last
		}
	}
	return first, last, nil
}

// scoringSeconds is about how long the chains of so many weights take on one core.
func scoringSeconds(dim int) float64 { return seconds(dim, dim*(dim+1)/2) + .4*float64(dim) }

// Estimate is the posterior given the noisy steps, drawn when it is asked for. Without it there is its mode.
func (d *scoringSampler) Estimate(ctx context.Context, drawn mechanism.Output) (model.Estimate, error) {
	first, last, err := d.read(drawn)
	if err != nil {
		return model.Estimate{}, err
	}
	mode, err := d.design.Mode(first, last)
	if err != nil {
		return model.Estimate{}, err
	}
	names, contract := d.shape.Linear().Weights(), d.last.hold(ctx)
	of := d.seed(slices.Concat(drawn.Real...))
	return model.Estimate{Sampling: &model.Sampling{Seed: hex.EncodeToString(of[:]), Seconds: scoringSeconds(d.dim),
		Without: &model.Draws{Names: names, Values: [][]float64{mode}},
		Moments: func(ctx context.Context) ([]model.Moment, error) {
			return d.moments(held(ctx, contract), drawn, first, last)
		},
		Draw: func(ctx context.Context) (*model.Draws, error) {
			all, err := d.sample(held(ctx, contract), drawn, first, last)
			if err != nil {
				return nil, err
			}
			return &model.Draws{Names: names, Values: thinned(all.Weights), Chains: gram.Chains}, nil
		},
	}}, nil
}

// sample draws from the posterior. Errors: *ShapeError, *NotConvergedError, the context's.
func (d *scoringSampler) sample(ctx context.Context, drawn mechanism.Output, first, last steps.Released) (*gram.Draws,
	error) {
	return d.last.once(ctx, d.seed(slices.Concat(drawn.Real...)), func(of [32]byte) (*gram.Draws, error) {
		draws, err := d.design.Sample(ctx, first, last, of)
		names := d.shape.Linear().Weights()
		if shape := (*steps.ShapeError)(nil); errors.As(err, &shape) {
			err = &ShapeError{bare(names[shape.Column]), shape.Distance, shape.Most}
		}
		return draws, named(err, names, "")
	})
}

// ShapeError says that intervals would rest on how the features are distributed beyond their means and covariances,
// which a release does not tell.
type ShapeError struct {
	Parameter string
	Distance  float64 // in posterior deviations, under another distribution of the same means and covariances
	Most      float64 // that is let through: 1, or ½ where the release speaks for another distribution
}

// Error names the parameter and the limit.
func (e *ShapeError) Error() string {
	return fmt.Sprintf("regression: %s may be off by %.3g of its standard deviations, depending on how the features are "+
		"distributed beyond means and covariances, which the release does not tell; at most %g", e.Parameter, e.Distance,
		e.Most)
}

// Warned says that there are no intervals, or for which weights they are about as wide as the prior. It reads released
// numbers.
func (d *scoringSampler) Warned(drawn mechanism.Output) warning.List {
	first, last, err := d.read(drawn)
	if err != nil || scoringSeconds(d.dim) > model.MostSeconds && !d.last.has(d.seed(slices.Concat(drawn.Real...))) {
		return nil // until it is sampled
	}
	draws, err := d.sample(d.last.background(), drawn, first, last)
	if err != nil {
		return warning.List{warning.NoIntervals(err)}
	}
	var precision []float64
	var steep []string
	names := d.shape.Linear().Weights()
	for j := range d.dim {
		sd := d.design.Slope
		if j == 0 {
			sd = d.design.Intercept
		}
		precision = append(precision, 1/(sd*sd*d.design.Terms))
		if mean, _ := spread(draws.Weights, j); j > 0 && math.Abs(mean) > warning.MostSteep*sd*math.Sqrt(d.design.Terms) {
			steep = append(steep, names[j])
		}
	}
	var list warning.List
	if few := drowned(draws.Weights, precision, names); few != nil {
		list = append(list, warning.NoiseDrowns(few))
	}
	if steep != nil {
		list = append(list, warning.Steep(steep))
	}
	return list
}
