// Package sampling runs the theory of posterior sampling on finite families: exact numbers beside every bound of
// Dimitrakakis, Nelson, Zhang, Mitrokotsa and Rubinstein, "Differential Privacy for Bayesian Inference through
// Posterior Sampling" (JMLR 18(11), 2017), in the form printed and in a corrected or tighter one. A printed form that
// fails is named Paper… and says where.
//
//   - [Family]: parameters, prior, data sets, distances. [NewBernoulli] and [NewGrid] build the paper's Example 1.
//   - [Family.Levels], [Family.BestC], [Figure1]: Assumptions 1 and 2, the paper's Figure 1.
//   - [Family.Robustness], [Kappa], [RangeTV]: Theorems 7 and 8. [Family.Randomised]: Corollary 9.
//   - [FixedBar], [AdaptiveBar], [HalfSetsFailure], [Family.Answers]: Lemma 11, the error of query answers.
//     [EmpiricalRadius], [BinomialTail]: Lemma 12.
//   - [Samples], [SamplesStochastic], [ErrorFloor], [Play], [Contest.OptimalError]: Theorem 13, the distinguishability
//     game. [LeCam], [Family.Minimax]: section 4.5.
//   - [Regret], [PriorShift], [ShiftBar], [Family.Cost]: Lemmas 14 and 15, Corollary 16, Theorem 17.
//   - [GroupDelta], [HockeyStick], [RectangleHockeyStick]: Remark 3 and Theorem 4.
//
// Throughout, x and y are data sets, ρ their distance, L a Lipschitz constant of ln p_θ(·), N the number of posterior
// samples, ‖·‖₁ twice the total variation distance (TV); divergences and losses are in nats.
//
// Everything is computed from public families and hypothetical data: nothing here reads records.
//
// Place: at the top; notebook 05_posterior_sampling shows its results.
package sampling

import "github.com/privbayes/privbayes-go/internal/domain"

// ParameterError is an argument outside its domain: package, function and parameter, the value, and what was wanted.
// Every error of the package is one, or of the context passed in.
type ParameterError = domain.Error

// check reports the first argument outside its domain.
func check(function string, args ...domain.Argument) error {
	return domain.Check("sampling", function, args...)
}

// up inflates an upper bound against the rounding of its own evaluation.
func up(x float64) float64 { return x * (1 + 1e-9) }

// maxSamples bounds N: every count is then exact in a float and every sum of losses far from overflow.
const maxSamples = 1_000_000_000
