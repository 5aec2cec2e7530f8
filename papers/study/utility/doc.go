// Package utility bounds how far a Laplace or Fourier release of Bayesian network counts lies from the exact counts,
// and the released posterior from the exact one. Every bound stands in the form printed by Zhang, Rubinstein and
// Dimitrakakis ("On the Differential Privacy of Bayesian Inference", AAAI 2016) and in a corrected form, side by side;
// a printed form that fails is named Paper… and says where.
//
//   - [MaxNoiseBound]: Proposition 1, the largest noise of all cells.
//   - [ClampedMean] and [PaperClampedMean]: the expectation of a count that is clamped to [0, n] after noise.
//   - [ExpectedKL], [CornerMax], [PosteriorLoss], [PublicTail]: Theorem 1, the divergence of the released posterior.
//   - [PaperRange], [PaperExpected], [PaperRefined], [PaperTail], [PaperLemmaA3]: its printed parts.
//   - [IncrementFailure], [SmallestT], [IncrementQuantile]: Corollary 3, the increment against negative cells.
//   - [FourierTable]: Theorem 3, the L1 error of a Fourier table.
//
// Throughout, n is the public number of records, b the Laplace scale (density exp(−|x|/b)/(2b)), δ a failure
// probability; divergences are in nats. Neighbours replace one record.
//
// [Loss] depends on exact counts: it is a diagnostic, private: do not publish. Everything else that takes no counts is
// public.
//
// Place: at the top; notebook 03_networks shows its results.
package utility

import (
	"fmt"

	"github.com/privbayes/privbayes-go/internal/domain"
)

// ParameterError is an argument outside its domain: package, function and parameter, the value, and what was wanted.
// Every error of the package is one.
type ParameterError = domain.Error

// check reports the first argument outside its domain.
func check(function string, args ...domain.Argument) error {
	return domain.Check("utility", function, args...)
}

func count(name string, x float64, n int) domain.Argument {
	return domain.Arg(name, x, x >= 0 && x <= float64(n), fmt.Sprintf("a count in [0, %d]", n))
}
