// Package privbayes publishes what a Bayesian model learned from a sensitive table, with differential privacy that is checked and
// not only stated.
//
// The chain is four steps long:
//
//	train, test := privbayes.ReadFrame(data.Votes()).Split(0.7, 1)
//	report, err := train.
//		Model(privbayes.NaiveBayes("Class")).
//		Privatize(privbayes.Geometric(), privbayes.PureDP(1), privbayes.KeepIn("votes.release.json")).
//		Evaluate(test)
//
// [LoadFrame] and [ReadFrame] read a table under a public [Schema]. [Frame.Model] says what is inferred. [Model.Privatize] plans,
// charges the budget and draws, exactly once. [Privatized.Evaluate] compares with held-out data and never draws. Every value can
// be shown, the first error sticks with its step ([StepError]), and the terminal calls return it.
//
// What may be published is a [Release] and a [Plan]. A [Report] has a private part; [eval.Report.SavePublic] leaves it out. What may
// not be published is a [Diagnostic].
//
// # Models
//
//   - Of categories: [Categorical], [Binary], [NaiveBayes], and [Network] with [Node], [NetworkOf] and [ReadNetwork].
//   - Of numbers with public bounds: [LinearRegression], [Exponential], [LaplaceScale], [NormalPrecision].
//
// # Targets
//
//   - What to ask for: [PureDP], [ApproxDP], [RenyiDP], [ZCDP], [TCDP], and [Nominal] for a paper's own mode with the privacy it
//     really has.
//   - Between which data sets: [ReplaceOne] unless [dp.Target.Under] says [AddRemove] or [ReplaceValue].
//     [dp.Target.RequireExact] refuses floating-point draws.
//
// # Mechanisms
//
//   - Noise on counts: [Geometric], [DiscreteGaussian], [KNorm] (keeps the public totals), [BySize] (less on larger
//     tables), [Laplace] (the textbook's).
//   - Networks: [Consistent], [Fourier].
//   - A posterior chosen among posteriors: [Hellinger].
//   - Draws of parameters: [Dirichlet], [PosteriorSample]; in integers, as records: [SyntheticRecords]. One point of a grid: [MAP].
//   - Linear regression: [LinearSampler], [SufficientStatistics].
//
// # Before and after a draw
//
//   - Choosing, at no cost: [Model.Advise] compares mechanisms, [Model.Plan] certifies one.
//   - Evaluating, in private: [Privatized.Evaluate], [Model.Compare]; for a price, in public: [Privatized.ChargedAccuracy].
//   - Using a release: [release.Release] predicts, summarises and synthesises, [release.Release.Query] answers questions from a
//     posterior sample, [NoiseAware] gives intervals that know the noise.
//   - Files and budgets: [KeepIn] draws once and loads afterwards, [OpenBudget] with [Frame.WithBudget] adds up what is spent
//     ([ConvertAtOrder] and [ConvertWithDelta] refine an (ε, δ) budget), [LoadRelease] and [Verify] read a file again. [Seeded] is for tests and tutorials: not private.
//
// # Rooms
//
// The façade holds names and glue. Behind it, from the ground up, an import only goes down:
//
//   - [cert]: certificates, whose checks can be derived again.
//   - [frame]: schemas and private tables. [github.com/privbayes/privbayes-go/privbayes/gotaframe] moves tables to and from gota.
//   - [github.com/privbayes/privbayes-go/privbayes/posterior] and [github.com/privbayes/privbayes-go/privbayes/bayesnet]: the
//     distributions and networks that models are made of; [model]: what is inferred.
//   - [dp]: levels, targets, dominating pairs, composition, budgets. [github.com/privbayes/privbayes-go/privbayes/dp/finite]: the
//     exact privacy of a finite output law. [github.com/privbayes/privbayes-go/privbayes/audit]: the same for a mechanism of your own.
//   - [github.com/privbayes/privbayes-go/privbayes/sensitivity]: what one record can change.
//   - [mechanism] and a room for each kind below it: plans and draws. [release]: what may be published.
//   - [eval], [advise]: comparisons after and before a draw. [github.com/privbayes/privbayes-go/privbayes/noiseaware]: posteriors
//     given noisy counts. [github.com/privbayes/privbayes-go/privbayes/plots] and
//     [github.com/privbayes/privbayes-go/privbayes/nb]: pictures and notebooks.
//   - [github.com/privbayes/privbayes-go/papers/claims]: statements of the papers, executed;
//     [github.com/privbayes/privbayes-go/papers/study]: their experiments;
//     [github.com/privbayes/privbayes-go/papers/families]: the families of likelihoods of posterior sampling.
//
// The pages in docs explain the promise, the certificates and each mechanism; the notebooks show them on data.
package privbayes

import (
	"github.com/privbayes/privbayes-go/privbayes/advise"
	"github.com/privbayes/privbayes-go/privbayes/budget"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/eval"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/dirichlet"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/gridmap"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/hellinger"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/linear"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/posteriorsample"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// Names from the rooms behind the façade, so that a notebook needs one import.
type (
	// Schema is what is public about a table: see frame.Schema.
	Schema = frame.Schema
	// Column is one column of a schema: see frame.Column.
	Column = frame.Column
	// ModelSpec says what is inferred: see model.Model.
	ModelSpec = model.Model
	// Mechanism plans and draws releases: see mechanism.Mechanism.
	Mechanism = mechanism.Mechanism
	// Plan is a certified release not yet drawn: see mechanism.Plan.
	Plan = mechanism.Plan
	// Release is what may be published: see release.Release.
	Release = release.Release
	// Target is the privacy asked for: see dp.Target.
	Target = dp.Target
	// Guarantee is the privacy proved: see dp.Guarantee.
	Guarantee = dp.Guarantee
	// Budget is a spending limit on a data set: see budget.Budget.
	Budget = budget.Budget
	// BudgetOption refines OpenBudget: see ConvertAtOrder and ConvertWithDelta.
	BudgetOption = budget.Option
	// Report compares a release with held-out data: see eval.Report.
	Report = eval.Report
	// Diagnostic is a comparison that drew many times from private data: see eval.Diagnostic.
	Diagnostic = eval.Diagnostic
	// CompareOptions says what Compare runs: see eval.CompareOptions.
	CompareOptions = eval.CompareOptions
	// Queries answers questions from a released posterior sample, at no further cost. See release.Queries.
	Queries = release.Queries
	// Advice compares mechanisms before anything is spent. See advise.Advice.
	Advice = advise.Advice
	// AdviseOptions says how a comparison is made, and what it may take: see advise.Options.
	AdviseOptions = advise.Options
)

// The adjacencies: see dp.Adjacency.
var (
	ReplaceOne   = dp.ReplaceOne
	AddRemove    = dp.AddRemove
	ReplaceValue = dp.ReplaceValue
)

// PureDP asks for ε-differential privacy.
func PureDP(epsilon float64) Target { return dp.PureDP(epsilon) }

// ApproxDP asks for (ε, δ)-differential privacy.
func ApproxDP(epsilon, delta float64) Target { return dp.ApproxDP(epsilon, delta) }

// RenyiDP asks for (λ, ε)-Rényi differential privacy.
func RenyiDP(lambda, epsilon float64) Target { return dp.RenyiDP(lambda, epsilon) }

// ZCDP asks for ρ-zero-concentrated differential privacy.
func ZCDP(rho float64) Target { return dp.ZCDP(rho) }

// TCDP asks for (ρ, ω)-truncated concentrated differential privacy: Rényi divergence at most ρλ at every order 1 < λ ≤ ω.
func TCDP(rho, omega float64) Target { return dp.TCDP(rho, omega) }

// NaiveBayes is a classifier of the class column; without features it uses every other column. See model.NaiveBayes.
func NaiveBayes(class string, features ...string) model.Classifier {
	return model.NaiveBayes(class, features...)
}

// Categorical is the Dirichlet posterior of one column. See model.Categorical.
func Categorical(column string) model.Distribution { return model.Categorical(column) }

// Binary is the Beta posterior of a column with two levels. See model.Binary.
func Binary(column string) model.Distribution { return model.Binary(column) }

// Exponential is the rate of a column of exponential data with public bounds. See model.Exponential.
func Exponential(column string) model.Rate { return model.Exponential(column) }

// LaplaceScale is the inverse scale of a Laplace column with known location μ. See model.LaplaceScale.
func LaplaceScale(column string, mu float64) model.Rate { return model.LaplaceScale(column, mu) }

// NormalPrecision is the precision of a normal column with known mean μ. See model.NormalPrecision.
func NormalPrecision(column string, mu float64) model.Rate { return model.NormalPrecision(column, mu) }

// LinearRegression is a numeric response on numeric features. See model.LinearRegression.
func LinearRegression(target string, features ...string) model.Regression {
	return model.LinearRegression(target, features...)
}

// Nominal asks for a paper's own mode at its own ε (and δ, if given), with the privacy it really has.
func Nominal(epsilon float64, delta ...float64) Target { return dp.Nominal(epsilon, delta...) }

// Geometric is two-sided geometric noise on counts. See counts.Geometric.
func Geometric() counts.Noise { return counts.Geometric() }

// DiscreteGaussian is discrete Gaussian noise on counts. See counts.DiscreteGaussian.
func DiscreteGaussian() counts.Noise { return counts.DiscreteGaussian() }

// KNorm is geometric noise that keeps the public total: the recommended release of a single posterior. See counts.KNorm.
func KNorm() counts.SumZeroNoise { return counts.KNorm() }

// BySize is geometric noise with a rate for every table: more noise on tables of few cells. See counts.BySize.
func BySize() counts.SizedNoise { return counts.BySize() }

// Laplace is Laplace noise on every count, the notes' baseline. See counts.Laplace.
func Laplace() counts.Noise { return counts.Laplace() }

// Hellinger is the exponential mechanism over posteriors scored by Hellinger distance, with the reciprocal sensitivity unless
// refined. See hellinger.New.
func Hellinger() hellinger.Exponential { return hellinger.New() }

// Dirichlet is the Dirichlet mechanism with posterior means, for estimation; .Raw() is one draw of the paper's, for posterior samples.
// See dirichlet.New.
func Dirichlet() dirichlet.Mechanism { return dirichlet.New() }

// MAP is a maximum a posteriori estimate by the exponential mechanism over a grid of parameters. See gridmap.New.
func MAP() gridmap.Mechanism { return gridmap.New() }

// SyntheticRecords releases m synthetic records, drawn in integers: the exact form of the Dirichlet mechanism. See dirichlet.Records.
func SyntheticRecords(m int) dirichlet.SyntheticRecords { return dirichlet.Records(m) }

// PosteriorSample is draws of a model's parameters from its posterior, trimmed and tempered; Release.Query answers queries from them. See
// posteriorsample.New.
func PosteriorSample(draws int) posteriorsample.Mechanism { return posteriorsample.New(draws) }

// LinearSampler is draws of the weights of a linear regression from its posterior on a ball. See linear.Sampler.
func LinearSampler(draws int) linear.PosteriorSampler { return linear.Sampler(draws) }

// SufficientStatistics is noise on the moments of a linear regression: its plain release. See linear.SufficientStatistics.
func SufficientStatistics() linear.NoisyStatistics { return linear.SufficientStatistics() }

// Fourier is geometric noise on the parities of two-level columns. See counts.Fourier.
func Fourier() counts.FourierNoise { return counts.Fourier() }

// Consistent is geometric noise on the tables of a network or naive Bayes model, projected on tables that agree: the recommended
// release of a network. See counts.Consistent.
func Consistent() counts.Noise { return counts.Geometric().WithPostProcess(counts.Consistent) }

// LoadRelease reads a release file and checks that its numbers follow from its plan and draw. WithContext ends it and carries its limits, such
// as cert.WithMemoryLimit; other options have no meaning here. See release.LoadContext.
func LoadRelease(path string, opts ...Option) (*Release, error) {
	return release.LoadContext(refined(opts).ctx, path)
}

// Verify derives every check of a release file again and trusts none of its numbers. See release.Verify.
// WithContext ends it and carries its limits; other options have no meaning here.
func Verify(path string, opts ...Option) (*cert.Verification, error) {
	return release.Verify(refined(opts).ctx, path)
}
