package structure

import (
	"context"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Again is the estimate of simulated records: every table that a draw measured, and its sums within bins, of these
// records, each with fresh noise of its distribution, and the fit to them. What was chosen stays as it was drawn. The
// fit begins at the given potentials. Source: theory/structure.md §12.
func (d *sampler) Again(ctx context.Context, of mechanism.Simulated, drawn mechanism.Output, potentials [][]float64,
	src rand.Source) (e model.Estimate, err error) {
	s, err := d.replay(ctx, drawn)
	if err != nil {
		return e, err
	}
	columns := s.shape.Columns()
	s.raw = nil
	for i := range s.done {
		t := &s.done[i]
		var names []string
		for _, v := range t.columns {
			names = append(names, columns[v].Name)
		}
		counts, err := of.Table(names...)
		if err != nil {
			return e, err
		}
		t.counts = freshNoise(t.law, counts[:len(t.counts)], src) // what follows from a public n is left out
		if t.noisy = s.whole(t.columns[0], t.counts); len(t.columns) > 1 {
			t.noisy = wholes(t.counts)
		}
		if i < len(s.levels) {
			s.raw = append(s.raw, t.counts)
		}
	}
	s.size = sizeOf(s)
	if err := s.finalFrom(ctx, potentials); err != nil {
		return e, err
	}
	var within [][]int64
	for i, sums := range of.Within {
		within = append(within, freshNoise(d.laws.within[i], sums, src))
	}
	return s.estimate(ctx, mechanism.Output{Within: within})
}

// freshNoise adds noise to counts.
func freshNoise(l noise.Distribution, counts []int64, src rand.Source) []int64 {
	out := make([]int64, len(counts))
	for i, v := range counts {
		out[i] = v + l.Draw(src)
	}
	return out
}

func wholes(counts []int64) (out []float64) {
	for _, v := range counts {
		out = append(out, float64(v))
	}
	return out
}

// finalFrom is final that begins at the potentials of another fit to the same tables.
func (s *learner) finalFrom(ctx context.Context, potentials [][]float64) (err error) {
	if s.fit, err = s.unfitted(); err != nil {
		return err
	}
	if _, err = s.fit.Take(ctx, potentials); err != nil {
		return err
	}
	return s.finish(ctx)
}

// finish takes a fit to its end.
func (s *learner) finish(ctx context.Context) error {
	if err := s.begun(); err != nil {
		return err
	}
	q, err := s.fit.FitTo(ctx, finalSteps/s.batch(), fitted)
	if err == nil && q.Residual > s.allowed() {
		q, err = s.fit.FitTo(ctx, unlimited, s.allowed())
	}
	s.gap = q.Residual
	return err
}
