// Package privbayes fits Bayesian models to a sensitive table and releases the results with differential privacy. Every
// guarantee can be checked again from the released file.
//
// The chain is four steps long:
//
//	train, test := privbayes.ReadFrame(data.Votes()).Split(0.7, 1)
//	report, err := train.
//		Model(privbayes.NaiveBayes("Class")).
//		Privatize(privbayes.Geometric(), privbayes.PureDP(1), privbayes.KeepIn("votes.release.json")).
//		Evaluate(test)
//
// [LoadFrame] and [ReadFrame] read a table under a public [Schema]. [Frame.Model] says what is inferred.
// [Model.Privatize] plans, charges the budget and generates the noise, exactly once. [Privatized.Evaluate] compares
// with held-out data. Every value can be shown. The first error stays with its step ([StepError]), and the last call of
// a chain returns it.
//
// You may publish a [Release] and a [Plan]. A [Report] has a private part, which [eval.Report.SavePublic] leaves out.
// You may not publish a [Diagnostic].
//
// # Models
//
//   - Of categories: [Categorical], [Binary], [Table], [NaiveBayes], and [Network] with [Node], [NetworkOf] and
//     [ReadNetwork].
//   - Of numbers with public bounds: [Mean], [Means], [MeanSD], [GroupMeans], [Quantiles], [Poisson], [Exponential],
//     [LaplaceScale], [NormalPrecision], [LinearRegression], [Linear] by a formula, [LogisticRegression].
//   - Of the population, where the schema has a weight: [Mean], [GroupMeans], [Table], [Total].
//
// # Targets
//
//   - What to ask for: [PureDP], [ApproxDP], [RenyiDP], [ZCDP], [TCDP], and [AsPublished] for a paper's own mode.
//   - Between which data sets: [ReplaceOne] unless [dp.Request.Under] says [AddRemove] or [ReplaceValue].
//     [dp.Request.RequireExact] refuses floating-point draws.
//
// # Mechanisms
//
//   - Noise on counts: [Geometric], [DiscreteGaussian], [KNorm] (keeps the public totals), [BySize] (less on larger
//     tables), [Laplace] (for comparison).
//   - Networks: [Consistent], [Fourier].
//   - A posterior chosen among posteriors: [Hellinger].
//   - Draws of parameters: [Dirichlet], [PosteriorSample]; in integers, as records: [SyntheticRecords]. One point of a
//     grid: [MAP].
//   - Means and other models of numbers: [NoisySums]; quantiles: [QuantileEM], [JointQuantiles], [HistogramQuantiles].
//     Regression: [SufficientStatistics], for linear and logistic ones, and [LinearSampler]. Weighted tables: [Tokens].
//     Strata: [Stratified].
//
// # Before and after a draw
//
//   - Choosing, at no cost: [Model.Advise] compares mechanisms over ε, [Sweep] over n, [Model.Plan] certifies one.
//   - Evaluating, in private: [Privatized.Evaluate], [Model.Compare]; for a price, in public:
//     [Privatized.PrivateAccuracy].
//   - Several models under one guarantee: [Frame.Publish] with [Item]. Totals so far, period by period:
//     [Frame.RunningTotals].
//   - Using a release: [release.Release] predicts, summarises and synthesises, [release.Release.Query] answers
//     questions from a posterior sample, [NoiseAware] gives intervals that account for the noise.
//   - Files and budgets: [KeepIn] draws once and loads afterwards, [OpenBudget] with [Frame.WithBudget] adds up what is
//     spent ([ConvertAtOrder] and [ConvertWithDelta] refine an (ε, δ) budget), [LoadRelease] and [Verify] read a file
//     again. [Seeded] is for tests and tutorials: not private.
//
// # Packages
//
// This package holds names and glue. The packages behind it follow, the lowest first. Each imports only earlier ones:
//
//   - [cert]: certificates, whose checks can be derived again. table and figure: what people see, as data
//     ([table.Shown]).
//   - [frame]: schemas and private tables. posterior, [bayesnet]: what models are made of; [model]: what is inferred.
//   - [dp]: privacy parameters, guarantees, adjacencies, randomness. dp/loss: dominating pairs, composition. [budget]:
//     total privacy loss and its limit. dp/finite: the exact privacy of a finite output distribution; audit: the same
//     for a mechanism of your own.
//   - sensitivity: what one record can change. [mechanism] and a package for each kind below it: plans and draws.
//   - [release]: what may be published; [keep]: releasing once. noiseaware: posteriors given noisy counts.
//   - [eval], [advise]: comparisons after and before a draw. plots, nb, gotaframe: pixels, notebooks, gota's tables.
//   - papers, a module of its own: statements of the papers, their experiments, families of likelihoods, a gallery of
//     bugs.
//
// The pages in docs explain the promise, the certificates and each mechanism; the notebooks show them on data.
package privbayes

import (
	"io"

	"github.com/privbayes/privbayes-go/internal/formula"
	"github.com/privbayes/privbayes-go/privbayes/advise"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
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
	"github.com/privbayes/privbayes-go/privbayes/mechanism/posteriorsample"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/privbayes2017"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/quantiles"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/regression"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/stratified"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/structure"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/sums"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/weighted"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/publication"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/release/keep"
	"github.com/privbayes/privbayes-go/privbayes/release/privacyreport"
)

// Names from the rooms behind the façade, so that a notebook needs one import.
type (
	Schema         = frame.Schema        // what is public about a table
	Column         = frame.Column        // one column of a schema
	Shape          = model.Shape         // the public side of a model: schema, model, n and what is measured; no data
	ModelSpec      = model.Model         // says what is inferred
	Graph          = bayesnet.DAG        // the structure of a Bayesian network
	Mechanism      = mechanism.Mechanism // plans and draws releases
	Plan           = mechanism.Plan      // a certified release not yet drawn
	Release        = release.Release     // what may be published
	Queries        = release.Queries     // answers questions from a released posterior sample, at no further cost
	Target         = dp.Request          // the privacy asked for
	Guarantee      = dp.Guarantee        // the privacy proved
	Budget         = budget.Budget       // a spending limit on a data set
	BudgetOption   = budget.Option       // refines OpenBudget: see ConvertAtOrder and ConvertWithDelta
	Report         = eval.Report         // compares a release with held-out data
	Diagnostic     = eval.Diagnostic     // a comparison that drew many times from private data
	CompareOptions = eval.CompareOptions // says what Compare runs
	Advice         = advise.Advice       // compares mechanisms before anything is spent
	AdviseOptions  = advise.Options      // says how a comparison is made, and what it may take
	KeptError      = keep.Error          // a kept release is not the one asked for
	UnwrittenError = keep.UnwrittenError // a release was drawn but not written; it can be taken from the error
	DraftError     = keep.DraftError     // the draft of a kept release cannot be gone on with
)

// The adjacencies: see dp.Adjacency.
var ReplaceOne, AddRemove, ReplaceValue, WithinStrata = dp.ReplaceOne, dp.AddRemove, dp.ReplaceValue, dp.WithinStrata

// PureDP asks for ε-differential privacy.
func PureDP(epsilon float64) Target { return dp.PureDP(epsilon) }

// ApproxDP asks for (ε, δ)-differential privacy.
func ApproxDP(epsilon, delta float64) Target { return dp.ApproxDP(epsilon, delta) }

// RenyiDP asks for (λ, ε)-Rényi differential privacy.
func RenyiDP(lambda, epsilon float64) Target { return dp.RenyiDP(lambda, epsilon) }

// ZCDP asks for ρ-zero-concentrated differential privacy.
func ZCDP(rho float64) Target { return dp.ZCDP(rho) }

// TCDP asks for (ρ, ω)-truncated concentrated differential privacy: Rényi divergence at most ρλ at every order 1 < λ ≤
// ω.
func TCDP(rho, omega float64) Target { return dp.TCDP(rho, omega) }

// AsPublished asks for a paper's own mode at its own ε (and δ, if given), with the privacy it really has.
func AsPublished(epsilon float64, delta ...float64) Target { return dp.AsPublished(epsilon, delta...) }

// NaiveBayes is a classifier of the class column; without features it uses every other column. See model.NaiveBayes.
func NaiveBayes(class string, features ...string) model.NaiveBayesModel {
	return model.NaiveBayes(class, features...)
}

// Categorical is the Dirichlet posterior of one column. See model.Categorical.
func Categorical(column string) model.CategoricalModel { return model.Categorical(column) }

// Binary is the Beta posterior of a column with two levels. See model.Binary.
func Binary(column string) model.CategoricalModel { return model.Binary(column) }

// Table is the contingency table of 1 to 6 columns: the share of every cell, with margins. See model.ContingencyTable.
func Table(columns ...string) model.ContingencyTableModel { return model.ContingencyTable(columns...) }

// Histogram is the share of every public bin of a numeric column. See model.Histogram.
func Histogram(column string) model.HistogramModel { return model.Histogram(column) }

// CDF is the share of rows below each public edge of a numeric column. See model.CDF.
func CDF(column string) model.HistogramModel { return model.CDF(column) }

// Mean is the mean of a numeric column over the rows. See model.Mean.
func Mean(column string) model.MeansModel { return model.Mean(column) }

// Means are the means of several numeric columns at once. See model.Means.
func Means(column string, more ...string) model.MeansModel { return model.Means(column, more...) }

// MeanSD is the mean and the standard deviation of the values of a column; its Latent, of a normal before values are
// moved to the bounds. See model.MeanSD.
func MeanSD(column string) model.MeanSDModel { return model.MeanSD(column) }

// Quantiles are the p-quantiles of a numeric column; without p the quartiles. See model.Quantiles.
func Quantiles(column string, p ...float64) model.QuantilesModel {
	return model.Quantiles(column, p...)
}

// GroupMeans are the means of a numeric column in each level of another. See model.GroupMeans.
func GroupMeans(column, by string) model.GroupMeansModel { return model.GroupMeans(column, by) }

// Total is the total of a numeric column over the population that weighted rows stand for, or in each level of another
// column. Mean, GroupMeans and Table are of the population, too, under a schema with a weight. See model.Total.
func Total(column string, by ...string) model.WeightedModel { return model.Total(column, by...) }

// Poisson is the mean of a column of Poisson counts. See model.Poisson.
func Poisson(column string) model.PoissonModel { return model.Poisson(column) }

// Exponential is the rate of a column of exponential data with public bounds. See model.Exponential.
func Exponential(column string) model.RateModel { return model.Exponential(column) }

// LaplaceScale is the inverse scale of a Laplace column with known location μ. See model.LaplaceScale.
func LaplaceScale(column string, mu float64) model.RateModel { return model.LaplaceScale(column, mu) }

// NormalPrecision is the precision of a normal column with known mean μ. See model.NormalPrecision.
func NormalPrecision(column string, mu float64) model.RateModel {
	return model.NormalPrecision(column, mu)
}

// LinearRegression is a numeric response on numeric features. See model.LinearRegression.
func LinearRegression(target string, features ...string) model.LinearRegressionModel {
	return model.LinearRegression(target, features...)
}

// FormulaError says where a formula is none, or does not fit its columns, and what is allowed.
type FormulaError = formula.Error

// Linear is the linear regression of a formula such as "wage ~ school*sex + poly(age, 2)". See model.Linear.
func Linear(text string) model.LinearModel { return model.Linear(text) }

// Logistic is the logistic regression of a formula such as "income ~ education*sex + poly(age, 2)", for FisherScoring.
// See model.Logistic.
func Logistic(text string) model.LogisticModel { return model.Logistic(text) }

// PoissonRegression is the Poisson regression of counts by a formula such as "visits ~ age + sex", for FisherScoring.
// See model.PoissonRegression.
func PoissonRegression(text string) model.PoissonRegressionModel {
	return model.PoissonRegression(text)
}

// Term names coefficients of a regression for release.Test, such as Term("school:sex"). See model.Term.
type Term = model.Term

// Tests of whether two columns of a learned structure are independent, for release.TestPair. See release.Association.
const (
	ChiSquare   = release.ChiSquare
	TTest       = release.TTest
	MannWhitney = release.MannWhitney
	MedianTest  = release.MedianTest
)

// LogisticRegression is a column of two classes on numeric features and factors. See model.LogisticRegression.
func LogisticRegression(target string, features ...string) model.LogisticRegressionModel {
	return model.LogisticRegression(target, features...)
}

// Network is a Bayesian network over columns, with the node that is classified first. See model.Network.
func Network(target string, families ...model.Family) model.NetworkModel {
	return model.Network(target, families...)
}

// Node is a node of a network with its parents. See model.Node.
func Node(name string, parents ...string) model.Family { return model.Node(name, parents...) }

// NetworkOf is Network with the structure of a graph, such as one that ReadNetwork read. See model.NetworkOf.
func NetworkOf(target string, g *Graph) model.NetworkModel { return model.NetworkOf(target, g) }

// ReadNetwork reads a network in the interchange format (BIF): graph and, if there, tables. See bayesnet.ReadBIF.
func ReadNetwork(r io.Reader) (*Graph, *bayesnet.Net, error) { return bayesnet.ReadBIF(r) }

// Geometric is two-sided geometric noise on counts. See counts.Geometric.
func Geometric() counts.Noise { return counts.Geometric() }

// DiscreteGaussian is discrete Gaussian noise on counts. See counts.DiscreteGaussian.
func DiscreteGaussian() counts.Noise { return counts.DiscreteGaussian() }

// KNorm is geometric noise that keeps the public total: the recommended release of a single posterior. See
// counts.KNorm.
func KNorm() counts.KNormNoise { return counts.KNorm() }

// BySize is geometric noise with a rate for every table: more noise on tables of few cells. See counts.BySize.
func BySize() counts.BySizeNoise { return counts.BySize() }

// Laplace is Laplace noise on every count, the notes' baseline. See counts.Laplace.
func Laplace() counts.Noise { return counts.Laplace() }

// Hellinger is the exponential mechanism over posteriors scored by Hellinger distance. See hellinger.New.
func Hellinger() hellinger.Exponential { return hellinger.New() }

// Dirichlet is the Dirichlet mechanism with posterior means; .Raw() is one draw of the paper's. See dirichlet.New.
func Dirichlet() dirichlet.Dirichlet { return dirichlet.New() }

// MAP is a maximum a posteriori estimate by the exponential mechanism over a grid of parameters. See gridmap.New.
func MAP() gridmap.MAP { return gridmap.New() }

// SyntheticRecords releases m synthetic records, drawn in integers: the exact form of the Dirichlet mechanism. See
// dirichlet.SyntheticRecords.
func SyntheticRecords(m int) dirichlet.Synthesis { return dirichlet.SyntheticRecords(m) }

// PosteriorSample is draws of parameters from the posterior; Release.Query answers queries from them. See
// posteriorsample.New.
func PosteriorSample(draws int) posteriorsample.Sample { return posteriorsample.New(draws) }

// QuantileEM is the exponential mechanism for quantiles, each drawn on its own: the best for one. See quantiles.EM.
func QuantileEM() quantiles.Exponential { return quantiles.EM() }

// JointQuantiles draws several quantiles at once: the best for two to twenty. See quantiles.Joint.
func JointQuantiles() quantiles.Exponential { return quantiles.Joint() }

// HistogramQuantiles reads quantiles off the noisy counts of a histogram or a tree of intervals: the plain way, best
// where n·ε is small or quantiles are many. See quantiles.Histogram.
func HistogramQuantiles() quantiles.Counting { return quantiles.Histogram() }

// QuantileInterval are two ranks whose quantiles, drawn by QuantileEM at ε-DP in all, have the p-quantile of the rows
// between them but for a probability of missed. See quantiles.Around.
func QuantileInterval(sh *Shape, p, epsilon, missed float64) (low, high float64, err error) {
	return quantiles.Around(sh, p, epsilon, missed)
}

// BestBound finds, from a guess of an exponential rate that is public knowledge, the upper bound of the column at which
// NoisySums tells the rate best at ε-DP, and the relative error to expect. See advise.BestBound.
func BestBound(guess float64, n int, epsilon float64) (advise.Bound, error) {
	return advise.BestBound(guess, n, epsilon)
}

// NoisySums is integer noise on the sums of a model of numbers, and the posterior that knows it. See sums.New.
func NoisySums() sums.Noisy { return sums.New() }

// Tokens is noise on what the rows of a weighted table deal to boxes by their weights: the mechanism of Mean,
// GroupMeans, Table, Quantiles and Total of the population, which NoisySums and Geometric stand for there, too. See
// weighted.New.
func Tokens() weighted.Tokens { return weighted.New() }

// Stratified is geometric noise in every stratum of a survey in strata that no unit leaves: the mechanism of Mean, and
// of Table of one column, under a schema that says so. NoisySums and Geometric stand for it there. See stratified.New.
func Stratified() mechanism.Front { return stratified.New() }

// LinearSampler is draws of the weights of a linear regression from its posterior on a ball. See regression.Sampler.
func LinearSampler(draws int) regression.PosteriorSampler { return regression.Sampler(draws) }

// SufficientStatistics is noise on the moments of a regression, linear or logistic. See
// regression.SufficientStatistics.
func SufficientStatistics() regression.NoisyStatistics { return regression.SufficientStatistics() }

// FisherScoring is a logistic or Poisson regression by four steps with noise, with intervals. See
// regression.FisherScoring.
func FisherScoring() regression.NoisyScoring { return regression.FisherScoring() }

// ContingencyTable is a logistic regression on factors by a table of noisy counts, with intervals, also under pure
// ε-DP. See regression.ContingencyTable.
func ContingencyTable() regression.NoisyTable { return regression.ContingencyTable() }

// Fourier is geometric noise on the parities of two-level columns. See counts.Fourier.
func Fourier() counts.FourierNoise { return counts.Fourier() }

// Consistent is geometric noise on tables, projected on tables that agree: for networks. See counts.Consistent.
func Consistent() counts.Noise { return counts.Geometric().WithPostProcess(counts.Consistent) }

// MaxEntropy learns which pairs of columns to measure, and fits the distribution of maximum entropy. See
// model.MaxEntropy.
func MaxEntropy() model.LearnedModel { return model.MaxEntropy() }

// Tree learns a tree of columns. See model.Tree.
func Tree() model.LearnedModel { return model.Tree() }

// Cliques learns a chordal graph with cliques of up to width columns. See model.Cliques.
func Cliques(width int) model.LearnedModel { return model.Cliques(width) }

// PrivBayes learns a network as Zhang et al. 2017 publish it, to compare with: with Laplace, and PureDP or AsPublished.
// See model.PrivBayes.
func PrivBayes() model.LearnedModel { return model.PrivBayes() }

// The scores by which PrivBayes compares parents: see model.ParentScore.
const (
	ByInformation = model.ByInformation
	ByDistance    = model.ByDistance
	ByMaximum     = model.ByMaximum
)

// LearnedGeometric learns a structure with geometric noise: what Learn makes of Geometric. See structure.Geometric.
func LearnedGeometric() structure.Learning { return structure.Geometric() }

// LearnedGaussian learns a structure with discrete Gaussian noise: what Learn makes of DiscreteGaussian. See
// structure.DiscreteGaussian.
func LearnedGaussian() structure.Learning { return structure.DiscreteGaussian() }

// LearnedAsPublished is PrivBayes with Laplace noise: what Learn makes of Laplace for PrivBayes. See privbayes2017.New.
func LearnedAsPublished() privbayes2017.Published { return privbayes2017.New() }

// LoadRelease reads a release file and checks that its numbers follow from its plan and draw. Of the options
// WithContext alone matters: it ends it and carries its limits, such as cert.WithMemoryLimit. See release.Load.
func LoadRelease(path string, opts ...Option) (*Release, error) {
	return release.Load(refined(opts).ctx, path)
}

// Verify derives every check of a release or a publication file again and trusts none of its numbers; options as in
// LoadRelease. See release.Verify and publication.Verify.
func Verify(path string, opts ...Option) (*cert.Verification, error) {
	return publication.VerifyFile(refined(opts).ctx, path)
}

// PrivacyReport is the page about a release file for a data-protection officer: what is published, who is protected and
// how strongly, what budget is left, and how to check it. It reads no data, and may be published. Options as in
// LoadRelease. See privacyreport.Draft.
func PrivacyReport(path string, about privacyreport.Options, opts ...Option) (*privacyreport.Report, error) {
	ctx := refined(opts).ctx
	file, err := release.ReadFile(ctx, path)
	if err != nil {
		return nil, err
	}
	about.File = path
	page, err := privacyreport.Draft(ctx, file, about)
	if unnamed, ok := err.(*release.FileError); ok && unnamed.Path == "" {
		err = release.InFile(path, err)
	}
	return page, err
}
