// Package regression releases linear and logistic regressions. [Sampler] gives draws from the posterior of a linear
// regression on a ball. [SufficientStatistics] adds noise to second moments, for both.
//
// Rows are clipped and scaled by public bounds, so that ‖x̃‖ ≤ 1 with the intercept inside and |ỹ| ≤ 1
// (leastsquares.Design); the weights lie in the ball ‖w‖ ≤ B. Both are public choices, and all that the guarantees rest
// on.
//
// # What is released
//
//	[Sampler]: w ~ N(0, b⁻¹I)·exp(−Σ(ỹ − w·x̃)²/(2σ²)) on ‖w‖ ≤ B, N draws;
//	[SufficientStatistics]: XᵀX, Xᵀy, yᵀy + Gaussian noise, and the posterior given those; of classes XᵀX, Xᵀy +
//	Gaussian, cube or geometric noise, and 2.4·(XᵀX + λI)⁻¹Xᵀy.
//
// # The dominating pairs, and why they dominate
//
// One replaced record changes the log-posterior by g(w)/σ², g the difference of two halved squared residuals; the
// normalisers cancel from a range, so the log-ratio of two posteriors has the range osc(B)/σ² with
//
//	osc(B) = sup over records and weights of g(w) − g(w*)
//	       = 4B for B ≤ 1, (1 + B)² for B ≥ 1 (at most; less in one coordinate).
//
// Such distributions are dominated by a two-point pair with losses c and c − osc/σ² (internal/logratio.BoundedRange): N
// draws by its N-fold product, the worst over c, found from above by branch and bound. For the moments, with ‖x̃‖, |ỹ|
// ≤ 1, a replaced record moves (XᵀX, Xᵀy, yᵀy) by at most
//
//	Δ_2 = 3/√2  (√3 when a record comes or goes),
//
// proved at momentsSensitivity, and N(0, σ²) against N(Δ_2, σ²) dominates. Rows are rounded to a grid, and moments and
// noise are integers: see moment, proposition.sensitivity, latticePair and, for pure ε, cubeLaw. A factor with public
// levels takes a coordinate for every level but the first, and counts once in the norm of a row.
//
// # Calibration
//
// σ² (of the draws, the temperature; of the moments, the noise) is the least at which the pair meets the target:
// N·osc/ε for pure ε, the analytic Gaussian mechanism for (ε, δ). It is a function of public inputs, never fitted to
// the data.
//
// Source: Zhang, Rubinstein, Dimitrakakis, "On the Differential Privacy of Bayesian Inference" (AAAI 2016), §5.2 and
// Appendix D, whose formulas are false; corrected in theory/networks.md §5.
package regression

import (
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/ball"
	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/leastsquares"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/sensitivity"
)

// setting is what both mechanisms plan for: a shape without what the adjacency hides, and how one unit moves in it.
type setting struct {
	shape    *model.Shape
	target   dp.Request
	dim      int     // coordinates of x̃, the intercept included
	radius   float64 // B
	prior    float64 // b, the precision of the prior
	wider    float64 // the prior's deviation of the intercept over that of a slope per half-range
	rows     int     // rows of a unit
	replaced bool    // a record is replaced, rather than comes or goes
	n        int     // 0 where private

	of *proposition // of a check, which has no shape
}

// classes reports whether the response is a class.
func (s *setting) classes() bool { return s.shape != nil && s.shape.Classifies() }

// What doubles can tell from none: laws in these limits keep their scale, B²(n/σ² + b), and its square, within floating
// point.
const (
	minRadius, maxRadius = 1e-12, 1e12
	maxPrior             = 1e30
)

// newSetting checks target, model and adjacency. Errors: *dp.ParameterError, *mechanism.UnsupportedError,
// *sensitivity.AdjacencyError, *dp.ParameterError for a radius or a prior beyond the limits, *cert.LimitError for
// more coordinates than are drawn.
func newSetting(sh *model.Shape, t dp.Request) (*setting, error) {
	m, radius, prior, wider := sh.Model(), sh.Linear().Radius, 0., float64(interceptSD)
	if f := sh.Linear().Formula; f == nil {
		prior = m.Prior()[0]
	} else {
		radius, prior, wider = maxRadius, 1/(f.Slopes*f.Slopes), f.InterceptSD/f.Slopes
	}
	switch _, public := sh.N(); {
	case t.Adjacency == dp.AddRemove:
		sh = sh.WithoutN()
	case t.Adjacency != dp.ReplaceOne && t.Adjacency != dp.ReplaceValue:
		return nil, &sensitivity.AdjacencyError{Adjacency: t.Adjacency, Model: m.String(), Want: "replace-one, " +
			"replace-value or add-remove"}
	case !public:
		return nil, &sensitivity.AdjacencyError{Adjacency: t.Adjacency, Model: m.String(), Step: sh.PrivateNStep(),
			Want: "add-remove adjacency, under which n is private"}
	}
	switch {
	case !(radius >= minRadius && radius <= maxRadius) && !sh.Classifies():
		return nil, domain.Refuse("linear", "radius B", radius,
			fmt.Sprintf("%g to %g, in scaled units", minRadius, maxRadius))
	case !(prior > 0 && prior <= maxPrior):
		return nil, domain.Refuse("linear", "prior precision b", prior, fmt.Sprintf("above 0, at most %g", maxPrior))
	}
	dim := len(sh.Linear().Weights())
	if err := cert.Within("the posterior of "+m.String(), float64(dim), "coordinates", ball.MaxDim,
		"use fewer features"); err != nil {
		return nil, err // before anything is charged: no draw of it could be made
	}
	n, _ := sh.N()
	_, rows := sh.Unit()
	return &setting{
		shape: sh, target: t, dim: dim, radius: radius, prior: prior, wider: wider, rows: rows,
		replaced: t.Adjacency != dp.AddRemove, n: n,
	}, nil
}

func supports(sh *model.Shape) error {
	if sh.Linear() == nil {
		return &mechanism.UnsupportedError{What: sh.Model().String(), Use: "LinearRegression, or a " +
			"mechanism for count tables"}
	}
	return nil
}

// change says in words what differs between neighbours.
func (s *setting) change() string {
	what := "one record added or removed"
	if s.replaced {
		what = "one record replaced"
	}
	if s.rows > 1 {
		return fmt.Sprintf("a unit of up to %d rows: %s, %d times", s.rows, what, s.rows)
	}
	return what
}

// least is the smallest scale, to 33 bits, from which on ok holds; ok is monotone and holds for large scales. found is
// false when no scale up to 1e300 is enough.
func least(start float64, ok func(scale float64) bool) (scale float64, found bool) {
	hi := start
	for !ok(hi) {
		if hi *= 4; hi > 1e300 {
			return hi, false
		}
	}
	for hi > start*1e-12 && ok(hi/4) {
		hi /= 4
	}
	return noise.Least(hi/4, hi, ok), true
}

// number rounds a computed bound up by a stated 1e-9.
func number(x float64) cert.Number { return cert.Number(x * (1 + 1e-9)) }

// Descriptors describes the mechanisms of this room.
func Descriptors() []mechanism.Descriptor {
	moments, continuous := SufficientStatistics(), SufficientStatistics().Continuous()
	noisy := mechanism.Describe(moments, "SufficientStatistics", "moments", "Noisy moments")
	noisy.Choices = func(sh *model.Shape) []mechanism.Choice {
		switch {
		case sh.Linear() == nil || moments.supports(sh) != nil:
			return nil
		case sh.Linear().Formula != nil:
			return []mechanism.Choice{{Name: "noise-aware posterior", Mechanism: moments, Go: "SufficientStatistics()"}}
		case sh.Classifies():
			return []mechanism.Choice{{Name: "floored ridge", Mechanism: moments, Go: "SufficientStatistics()"}}
		}
		return []mechanism.Choice{
			{Name: "noise-aware posterior", Mechanism: moments, Go: "SufficientStatistics()"},
			{Name: "plain posterior", Mechanism: moments.Plain(), Go: "SufficientStatistics().Plain()"},
		}
	}
	floats := mechanism.Describe(continuous, "SufficientStatistics", "moments-continuous", "Noisy moments, floats")
	floats.Choices = forRegression(mechanism.Choice{
		Name: "noise-aware posterior", Mechanism: continuous, Go: "SufficientStatistics().Continuous()",
	})
	sampler := mechanism.Describe(Sampler(1), "LinearSampler", "linear-sampler", "Posterior sampler")
	sampler.Title = "Posterior sampler of the weights"
	sampler.New = func(o mechanism.Options) mechanism.Mechanism { return Sampler(max(o.Count, 1)) }
	sampler.Choices = forRegression(
		mechanism.Choice{Name: "1 draw", Mechanism: Sampler(1), Go: "LinearSampler(1)"},
		mechanism.Choice{Name: "mean of 10 draws", Mechanism: Sampler(10), Go: "LinearSampler(10)"},
	)
	scoring := mechanism.Describe(FisherScoring(), "FisherScoring", "fisher-scoring", "Fisher scoring")
	scoring.Choices = nil // comparisons simulate sums, and have no rows to read again
	table := mechanism.Describe(ContingencyTable(), "ContingencyTable", "contingency-table", "Noisy table")
	table.Choices = nil // as of scoring
	return []mechanism.Descriptor{noisy, floats, sampler, scoring, table}
}

// forRegression are choices for linear regressions alone.
func forRegression(list ...mechanism.Choice) func(*model.Shape) []mechanism.Choice {
	return func(sh *model.Shape) []mechanism.Choice {
		if sh.Linear() == nil || sh.Classifies() || sh.Linear().Formula != nil {
			return nil
		}
		return list
	}
}

// Cost estimates a draw by the cube of the number of weights, and short chains of the posterior.
func (m NoisyStatistics) Cost(sh *model.Shape, _ dp.Request) mechanism.Cost {
	d := float64(len(sh.Linear().Weights()))
	draw := 100 * d * d * d
	if !m.plain && !sh.Classifies() {
		dim := len(sh.Linear().Weights())
		draw += 1e9 * seconds(dim, dim*(dim+1)/2) / 3
	}
	return mechanism.Cost{Plan: 1e6 + 10*d*d*d, Draw: 1e4 + draw, Bytes: 1<<20 + 100*d*d}
}

// Cost estimates a plan by the profiles of the draws, and a draw by the cube of the number of weights.
func (m PosteriorSampler) Cost(sh *model.Shape, t dp.Request) mechanism.Cost {
	d, plan := float64(len(sh.Linear().Weights())), 1e6
	if t.Notion == dp.Approximate {
		plan = 5e6 // a profile at many orders
	}
	return mechanism.Cost{Plan: plan, Draw: 1e4 + 2*d*d*d + 5*float64(m.draws)*d*d,
		Bytes: 1<<20 + 100*d*d + 8*float64(m.draws)*d}
}

// weightError is the error of a weight on scaled rows, first order, for features uniform on their bounds and factors
// uniform on their L levels: XᵀX = n·diag(S), S = 1/D for the intercept, 1/(3D) for a number and 1/(LD) for a level, D
// the squared norm of a row. With v = min(1/b, B²/(d+2)) the prior variance of one of d weights, the mechanisms add
//
//	draws at σ²            variance v(s² + s/N), s = σ²/(σ² + nSv): what is shrunk toward 0, and the spread of the mean
//	                       of N draws
//	moments with noise τ   variance 1/(1/v + (nS)²/(τ²(1 + ½(d+1)v)))
//
// and the mean absolute error is √(2/π) times the root, averaged over weights. variance gives it from nS and v. NaN
// where n is private. Source: theory/networks.md §5.2–5.3.
func (s *setting) weightError(variance func(information, prior float64) float64) (float64, string) {
	n, public := s.shape.N()
	if !public || n == 0 {
		return math.NaN(), ""
	}
	d, square := float64(s.dim), float64(s.shape.Linear().Square())
	v := math.Min(1/s.prior, s.radius*s.radius/(d+2))
	sum, shares, first := 0.0, make([]float64, s.dim), 0
	if s.shape.Linear().Intercept {
		first = 1
	}
	for i := range shares {
		if shares[i] = 1. / 3; i < first {
			shares[i] = 1
		}
	}
	for _, f := range s.shape.Linear().Factors() {
		for j := range f.Len {
			shares[first+f.First+j] = 1 / float64(f.Len+1)
		}
	}
	for i := range s.dim {
		information := float64(n) / square * shares[i]
		sum += math.Sqrt(2/math.Pi*variance(information, v)) / d
	}
	return sum, "closed form, first order, features uniform on their bounds"
}

func (p *perturbing) settings(z shipped) []mechanism.Setting {
	law := fmt.Sprintf("Gaussian, σ = %.6g", z.Sigma)
	if v := z.variance(); v != nil {
		law = fmt.Sprintf("discrete Gaussian in integers, σ² = %s, steps of 2^−%d of a product", v, 2*p.whole[0].bits)
	}
	if name, rate := z.pure(); name != "" {
		law = fmt.Sprintf("%s in integers, rate %s, steps of 2^−%d of a product", name, rate, 2*leastsquares.LatticeBits)
	}
	released, moments := entries(p.dim), "XᵀX, Xᵀy, yᵀy"
	if z.integer() {
		released = len(p.whole)
	}
	out := []mechanism.Setting{{Name: "noise", Value: law}}
	if p.classes() {
		moments = "XᵀX, Xᵀy"
	}
	out = append(out, mechanism.Setting{Name: "moments", Value: fmt.Sprintf("%d: %s", released, moments)})
	if name, _ := z.pure(); name != "" {
		out = append(out, mechanism.Setting{Name: "sensitivity in the noise's norm", Value: fmt.Sprintf("%.6g",
			p.proposition().reach(name, p.rows))})
	} else {
		out = append(out, mechanism.Setting{Name: "L2 sensitivity", Value: fmt.Sprintf("%.6g", p.delta)})
	}
	if p.formula != nil {
		return append(out, p.formulaSettings()...)
	}
	floor := mechanism.Setting{Name: "eigenvalue floor", Value: fmt.Sprintf("%.6g, public", p.floor(z))}
	switch {
	case p.classes():
		return append(out, floor,
			mechanism.Setting{Name: "estimate", Value: fmt.Sprintf("%g·(XᵀX + λI)⁻¹Xᵀy: biased where classes are nearly certain",
				leastsquares.LogitScale)},
			mechanism.Setting{Name: "λ", Value: fmt.Sprintf("%.6g", p.prior)})
	case p.m.plain:
		return append(out, floor,
			mechanism.Setting{Name: "posterior", Value: "as if the noisy moments were true, on ‖w‖ ≤ B"},
			mechanism.Setting{Name: "B", Value: fmt.Sprintf("%.6g", p.radius)},
			mechanism.Setting{Name: "b", Value: fmt.Sprintf("%.6g", p.prior)})
	}
	sd := 1 / math.Sqrt(p.prior)
	return append(out, mechanism.Setting{Name: "posterior", Value: "given the noisy moments, by Markov chains"},
		mechanism.Setting{Name: "prior", Value: fmt.Sprintf("slopes N(0, %.6g²), intercept N(0, %.6g²), in half-ranges of "+
			"the columns", sd, interceptSD*sd)})
}

// WidthName names the expected width of the 95 % interval of a slope: of a number on its half-range, where the number's
// standard deviation is a third of that and it goes with no other column.
const WidthName = "width of a slope's 95 % interval"

// columnVariance is that of a number whose standard deviation is a third of its half-range; so is the residual's of a
// response.
const columnVariance = 1. / 9

// expectedWidth is that of a slope of a design of so many terms, from public n: 2·1.96/√(P + I²/V), of the information
// I = n/9 of a number, the prior's precision P and the variance V of its score, which is the sampling variance and the
// noise. No prediction where n is private: which n there is, only the release tells.
func expectedWidth(information, precision, variance float64, unit string) mechanism.Expectation {
	return mechanism.Expectation{Name: WidthName,
		Value: 2 * 1.959963984540054 / math.Sqrt(precision+information*information/variance), Unit: unit,
		How: "first order, per half-range of a number whose standard deviation is a third of it, apart from other columns"}
}

// slopeWidth is expectedWidth of a linear regression, in half-ranges of the response: the score Xᵀy has the variance
// I/9, and the noise D·τ², and of XᵀX times coefficients of the prior as much again for each of them, D/2 times their
// squares.
func (p *perturbing) slopeWidth(tau float64) (e mechanism.Expectation, ok bool) {
	if p.n == 0 {
		return e, false
	}
	square, information := float64(p.shape.Linear().Square()), float64(p.n)*columnVariance
	noise := square * tau * tau * (1 + (float64(p.dim)+1)*square/p.prior/2)
	return expectedWidth(information, p.prior, information*columnVariance+noise, "half-ranges of the response"), true
}

// slopeWidth is expectedWidth of a logistic regression with classes equally likely, where the last step has the
// information I/2, the score the variance I, and the noise D·τ². Of counts up to Y, of mean Y/2, the last step has the
// information I, and the score the variance I·2/Y.
func (p *scoring) slopeWidth(tau float64) (e mechanism.Expectation, ok bool) {
	if p.n == 0 {
		return e, false
	}
	information, precision := float64(p.n)*columnVariance, 1/(p.design.Slope*p.design.Slope)
	noise := p.design.Terms * tau * tau
	if most := p.shape.Linear().Counts; most > 0 {
		return expectedWidth(information, precision, information*2/float64(most)+noise,
			"log-rates, where counts are about half of the largest, and more where they are fewer"), true
	}
	return expectedWidth(information/2, precision, information+noise,
		"log-odds, and more where classes are uneven or slopes steep"), true
}
