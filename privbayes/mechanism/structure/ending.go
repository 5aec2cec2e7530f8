package structure

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
)

// Where a fit ends depends on the machine: the last places of a product and of an exponential differ, and after
// hundreds of steps so does everything. So a file has the potentials at which the fit ended, and who reads it does not
// fit again: potentials are good where they are at most a gap from the minimum (maxent.Quality), which is one, and the
// distribution follows from them without a step.

// fitted is the gap where a fit ends, as a part of the standard deviation that sampling alone gives a cell: on Adult a
// tenth of it takes twice the time, and changes the fifth digit of distances and likelihood.
const fitted = 1e-2

// Noise of a variance below this part of the records tells much more than sampling does, and takes fits long: there
// they may end at a larger gap.
const (
	faint   = 1e-3
	hardest = 1.
)

// unlimited is a number of steps that no fit takes.
const unlimited = math.MaxInt

// allowed is the largest gap of a fit.
func (s *learner) allowed() float64 {
	for _, t := range s.done {
		if t.variance < faint*float64(s.size) {
			return hardest
		}
	}
	return fitted
}

// final fits from the start: a function of the draw alone.
func (s *learner) final(ctx context.Context) error {
	s.fit = nil
	if err := s.refit(ctx, finalSteps/s.batch()); err != nil || s.gap <= s.allowed() {
		return err
	}
	q, err := s.fit.FitTo(ctx, unlimited, s.allowed())
	s.gap = q.Residual
	return err
}

// rounding is what machines differ by in the gap of the same potentials, relative to it.
const rounding = 1e-2

// fitAt takes potentials in place of a fit.
func (s *learner) fitAt(ctx context.Context, potentials [][]float64) (err error) {
	if s.fit, err = s.unfitted(); err != nil {
		return err
	}
	q, err := s.fit.Take(ctx, potentials)
	if err != nil {
		return err
	}
	if s.gap = q.Residual; !(s.gap <= s.allowed()*(1+rounding)) {
		return domain.Refuse("structure", "potentials", fmt.Sprintf("a fit whose margins miss the noisy tables by %.3g",
			s.gap), fmt.Sprintf("one that ends within %g of its minimum, in units of about the square root of a count",
			s.allowed()))
	}
	return nil
}
