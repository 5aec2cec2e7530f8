// Package utility bounds how far a Laplace or Fourier release of Bayesian network counts lies from the exact counts, and the released
// posterior from the exact one. Every bound stands in the form printed by Zhang, Rubinstein and Dimitrakakis ("On the Differential Privacy
// of Bayesian Inference", AAAI 2016) and in a corrected form, side by side; a printed form that fails is named Paper… and says where.
//
//   - [MaxNoiseBound]: Proposition 1, the largest noise of all cells.
//   - [ClampedMean] and [PaperClampedMean]: the expectation of a count that is clamped to [0, n] after noise.
//   - [ExpectedKL], [CornerMax], [PosteriorLoss], [PublicTail]: Theorem 1, the divergence of the released posterior.
//   - [PaperRange], [PaperExpected], [PaperRefined], [PaperTail], [PaperLemmaA3]: its printed parts.
//   - [IncrementFailure], [SmallestT], [IncrementQuantile]: Corollary 3, the increment against negative cells.
//   - [FourierTable]: Theorem 3, the L1 error of a Fourier table.
//
// Throughout, n is the public number of records, b the Laplace scale (density exp(−|x|/b)/(2b)), δ a failure probability; divergences are
// in nats. Neighbours replace one record.
//
// [Loss] depends on exact counts: it is a diagnostic, private: do not publish. Everything else that takes no counts is public.
package utility

import (
	"fmt"
	"math"
)

// ParameterError is an argument outside its domain. Every error of the package is one.
type ParameterError struct {
	Function, Parameter string
	Value               any
	Want                string
}

func (e *ParameterError) Error() string {
	return fmt.Sprintf("utility: %s: %s = %v; want %s", e.Function, e.Parameter, e.Value, e.Want)
}

// argument is one check: the first that fails is reported.
type argument struct {
	name  string
	value any
	ok    bool
	want  string
}

func check(function string, args ...argument) error {
	for _, a := range args {
		if !a.ok {
			return &ParameterError{function, a.name, a.value, a.want}
		}
	}
	return nil
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

func positive(name string, x float64) argument {
	return argument{name, x, x > 0 && finite(x), "a finite number > 0"}
}

func atLeast(name string, k, least int) argument {
	return argument{name, k, k >= least, fmt.Sprintf("at least %d", least)}
}

func probability(x float64) argument {
	return argument{"delta", x, x > 0 && x < 1, "a probability strictly between 0 and 1"}
}

func count(name string, x float64, n int) argument {
	return argument{name, x, x >= 0 && x <= float64(n), fmt.Sprintf("a count in [0, %d]", n)}
}
