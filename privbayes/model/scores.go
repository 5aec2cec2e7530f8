package model

import (
	"context"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/internal/seal"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// Words are what people read about the model.
func (s *Shape) Words() Words { return s.model.words() }

// Score is a number that a fitted model gets on held-out rows: private, do not publish.
type Score struct {
	Name  string
	Value float64 // NaN where the model does not know it
	Share bool    // to be shown in per cent
}

// Scores are what the model says of held-out rows, beside the scores of class probabilities: the log-likelihood; the
// errors and intervals of a regression; the log-density of a rate. Errors: *Error without rows, *MismatchError.
func (f *Fitted) Scores(x *frame.Frame) ([]Score, error) {
	if err := f.shape.Accepts(x); err != nil {
		return nil, err
	}
	return f.shape.model.scores(f, x)
}

// Measure gives the numbers that comparisons of the model are about, as Words.Measures names them, on held-out rows and
// beside the model np that was fitted without privacy. Where n is private, no rows measure 0: a refusal would tell that
// there are none.
func (f *Fitted) Measure(np *Fitted, x *frame.Frame) ([]float64, error) {
	return f.shape.model.measure(f, np, x)
}

// Guess is the first of the measures for what Words.Guess names, which knows no features.
func (f *Fitted) Guess(x *frame.Frame) (float64, error) { return f.shape.model.guess(f, x) }

// Figure draws the posterior of the target or, of a model of numbers, the draws of its parameters: released and, when
// np is not nil, non-private. With np it is private.
func (f *Fitted) Figure(np *Fitted, caption string) *figure.Figure {
	return f.shape.model.figure(f, np, caption)
}

// Simulate draws the statistics of a data set of the shape from the public prior that Words.Source names, with the
// hyperparameter a0 of every distribution. No data is read. Errors: the context's.
func (s *Shape) Simulate(ctx context.Context, a0 float64, src rand.Source) (*Statistics, error) {
	return s.model.simulate(ctx, s, s.n, a0, src)
}

// SimulationSteps is about what Simulate takes, in steps of some nanoseconds.
func (s *Shape) SimulationSteps() float64 { return s.model.steps(s, s.n) }

// Means are the numbers that releases are compared by before a draw: the posterior mean of every distribution of a
// model made of count tables; of other models one vector, the means of the parameters.
func (f *Fitted) Means() [][]float64 { return f.shape.model.means(f) }

// Means are those of the model fitted without privacy; the key keeps them inside this module. Errors: ErrSealed without
// it.
func (s *Statistics) Means(key seal.Key) ([][]float64, error) {
	if !key.Opens() {
		return nil, ErrSealed
	}
	if m, ok := s.shape.model.(interface {
		exactMeans(st *Statistics) ([][]float64, error)
	}); ok {
		return m.exactMeans(s)
	}
	f, err := s.shape.model.fitPlain(s)
	if err != nil {
		return nil, err
	}
	return f.Means(), nil
}

// Distance compares Means: the mean absolute difference, which of a rate is relative, and for distributions the mean of
// KL(plain ‖ released), nats, else NaN.
func (s *Shape) Distance(plain, released [][]float64) (absolute, kl float64) {
	return s.model.distance(plain, released)
}
