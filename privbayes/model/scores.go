package model

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/privbayes/privbayes-go/internal/access"
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
// there are none. Errors: *Error if np is none or fitted to another model, *MismatchError.
func (f *Fitted) Measure(np *Fitted, x *frame.Frame) ([]float64, error) {
	if err := cmp.Or(f.beside(np), f.shape.Accepts(x)); err != nil {
		return nil, err
	}
	return f.shape.model.measure(f, np, x)
}

// Guess is the first of the measures for what Words.Guess names, which knows no features.
func (f *Fitted) Guess(x *frame.Frame) (float64, error) {
	if err := f.shape.Accepts(x); err != nil {
		return 0, err
	}
	return f.shape.model.guess(f, x)
}

// Figure draws the posterior of the target or, of a model of numbers, the draws of its parameters: released and, when
// np is not nil, non-private. With np it is private. Errors: *Error if np is fitted to another model.
func (f *Fitted) Figure(np *Fitted, caption string) (*figure.Figure, error) {
	if np != nil {
		if err := f.beside(np); err != nil {
			return nil, err
		}
	}
	return f.shape.model.figure(f, np, caption), nil
}

// beside checks a model that f is compared with: it must be there, and of the same model and schema; n and the rows may
// differ.
func (f *Fitted) beside(np *Fitted) error {
	if np == nil {
		return wrong(f.shape.model, "", "no model to compare with", "one fitted to the same model without privacy")
	}
	if f.of != nil && np.of != nil && f.of.WithoutN().OfRows().Equal(np.of.WithoutN().OfRows()) {
		return nil // two structures that were learned under one shape
	}
	if f.shape != np.shape && !f.shape.WithoutN().OfRows().Equal(np.shape.WithoutN().OfRows()) {
		return wrong(f.shape.model, "", "a comparison with "+np.shape.model.String(), "the same model on the same schema")
	}
	return nil
}

// Simulate draws the statistics of a data set of the shape from the public prior that Words.Source names, with the
// hyperparameter a0 > 0 of every distribution. No data is read. Errors: *Error for a private n or another a0, the
// context's.
func (s *Shape) Simulate(ctx context.Context, a0 float64, src rand.Source) (*Statistics, error) {
	if !s.publicN {
		return nil, wrong(s.model, "", "a simulation with private n", "a shape with a public number of rows")
	}
	if !(a0 > 0) || math.IsInf(a0, 1) {
		return nil, wrong(s.model, "", fmt.Sprintf("hyperparameter %v", a0), "a finite number > 0")
	}
	return s.model.simulate(ctx, s, s.n, a0, src)
}

// SimulationSteps is about what Simulate takes, in steps of some nanoseconds.
func (s *Shape) SimulationSteps() float64 { return s.model.steps(s, s.n) }

// Means are the numbers that releases are compared by before a draw: the posterior mean of every distribution of a
// model made of count tables; of other models one vector, the means of the parameters; of a learned structure the
// distributions of its pairs of columns, whatever the structure.
func (f *Fitted) Means() [][]float64 {
	if f.pairsOf != nil {
		return f.learnedPairs()
	}
	return f.shape.model.means(f)
}

// Means are those of the model fitted without privacy; the key keeps them inside this module. Errors: ErrSealed without
// it.
func (s *Statistics) Means(key access.Key) ([][]float64, error) {
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
// KL(plain ‖ released), nats, else NaN. Both are NaN where the two are not of one layout, or nothing is there.
func (s *Shape) Distance(plain, released [][]float64) (absolute, kl float64) {
	alike := func(a, b []float64) bool { return len(a) == len(b) && len(a) > 0 }
	if len(plain) == 0 || !slices.EqualFunc(plain, released, alike) {
		return math.NaN(), math.NaN()
	}
	return s.model.distance(s, plain, released)
}
