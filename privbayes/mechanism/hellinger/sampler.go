package hellinger

import (
	"context"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/hellingersample"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// sampler releases one candidate per table.
type sampler struct {
	shape  *model.Shape
	spaces []*space
	tables []tableParams
	flip   bool
}

// Draw takes the rate at the data and draws a candidate of every table.
func (d *sampler) Draw(ctx context.Context, data mechanism.Private, src *dp.Stream) (mechanism.Output, error) {
	tables := data.Tables()
	out := make([][]int64, len(d.spaces))
	for t, s := range d.spaces {
		x, kappa := tables[t], d.tables[t].Kappa
		a := s.rate(kappa, x)
		var err error
		if d.flip {
			out[t], err = permuteAndFlip(s, x, a, src)
		} else {
			out[t], err = exponential(ctx, s, x, a, s.maxRate(kappa), src)
		}
		if err != nil {
			return mechanism.Output{}, err
		}
	}
	return mechanism.Output{Raw: out}, nil
}

func exponential(ctx context.Context, s *space, x []int64, a, bound float64, src *dp.Stream) ([]int64, error) {
	var progress func(done float64)
	if f := cert.ProgressOf(ctx); f != nil {
		progress = func(done float64) { f(int64(1000*done), 1000) }
	}
	sampler, err := hellingersample.Choose(ctx, s.alpha, x, a, bound, progress)
	if err != nil {
		return nil, err
	}
	return sampler.Draw(src)
}

// flipBits is the denominator of a coin's exponent, 2^40.
const flipBits = 40

// permuteAndFlip visits the candidates in random order; the coin of x itself, whose distance is 0, always comes up.
func permuteAndFlip(s *space, x []int64, a float64, src *dp.Stream) ([]int64, error) {
	e, err := coins(s, x, a)
	if err != nil {
		return nil, err
	}
	for _, r := range sample.Permutation(src, len(e)) {
		if sample.BernoulliExp(src, e[r], 1<<flipBits) {
			return hellingersample.Unrank(r, s.n, len(s.alpha)), nil
		}
	}
	return append([]int64(nil), x...), nil
}

// Estimate takes the released candidate as the counts.
func (d *sampler) Estimate(_ context.Context, drawn mechanism.Output) (model.Estimate, error) {
	raw := drawn.Raw
	if len(raw) != len(d.spaces) {
		return model.Estimate{}, domain.Refuse("hellinger", "raw", "a wrong number of tables", "one per table of the model")
	}
	e := model.Estimate{}
	for t, s := range d.spaces {
		est, total := make([]float64, len(raw[t])), int64(0)
		for i, c := range raw[t] {
			if c < 0 || c > s.n {
				return model.Estimate{}, domain.Refuse("hellinger", "raw", c, "counts in [0, n]")
			}
			est[i] = float64(c)
			total += c
		}
		if len(est) != len(s.alpha) || total != s.n {
			return model.Estimate{}, domain.Refuse("hellinger", "raw",
				"cells that are no candidate of "+safetext.Short(d.shape.Tables()[t].Name),
				"one count per cell, adding up to n")
		}
		e.Tables = append(e.Tables, est)
	}
	e.Class = model.ClassMargin(d.shape, e.Tables)
	return e, nil
}
