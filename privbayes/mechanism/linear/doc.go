// Package linear releases regressions: linear ones by draws from the posterior on a ball ([Sampler]), linear and
// logistic ones by noise on the second moments ([SufficientStatistics]).
//
// Rows are clipped and scaled by public bounds, so that ‖x̃‖ ≤ 1 with the intercept inside and |ỹ| ≤ 1
// (leastsquares.Design); the weights lie in the ball ‖w‖ ≤ B. Both are public choices, and all that the guarantees rest
// on.
//
// # What is released, and its law
//
//	[Sampler]: w ~ N(0, b⁻¹I)·exp(−Σ(ỹ − w·x̃)²/(2σ²)) on ‖w‖ ≤ B, N draws;
//	[SufficientStatistics]: XᵀX, Xᵀy, yᵀy + Gaussian noise, and the posterior given those; of classes XᵀX, Xᵀy + Gaussian,
//	cube or geometric noise, and 2.4·(XᵀX + λI)⁻¹Xᵀy.
//
// # The dominating pairs, and why they dominate
//
// One replaced record changes the log-posterior by g(w)/σ², g the difference of two halved squared residuals; the
// normalisers cancel from a range, so the log-ratio of two posteriors has the range osc(B)/σ² with
//
//	osc(B) = sup over records and weights of g(w) − g(w*)
//	       = 4B for B ≤ 1, (1 + B)² for B ≥ 1 (at most; less in one coordinate).
//
// Such laws are dominated by a two-point pair with losses c and c − osc/σ² (internal/logratio.BoundedRange): N draws by
// its N-fold product, the worst over c, found from above by branch and bound. For the moments, with ‖x̃‖, |ỹ| ≤ 1, a
// replaced record moves (XᵀX, Xᵀy, yᵀy) by at most
//
//	Δ_2 = 3/√2  (√3 when a record comes or goes),
//
// proved at momentsSensitivity, and N(0, σ²) against N(Δ_2, σ²) dominates. Rows are rounded to a lattice, and moments
// and noise are integers: see moment, proposition.sensitivity, latticePair and, for pure ε, cubeLaw. A factor with
// public levels takes a coordinate for every level but the first, and counts once in the norm of a row.
//
// # Calibration
//
// σ² (of the draws, the temperature; of the moments, the noise) is the least at which the pair meets the target:
// N·osc/ε for pure ε, the analytic Gaussian mechanism for (ε, δ). It is a function of public inputs, never fitted to
// the data.
//
// Source: Zhang, Rubinstein, Dimitrakakis, "On the Differential Privacy of Bayesian Inference" (AAAI 2016), §5.2 and
// Appendix D, whose formulas are false; corrected in theory/networks.md §5.
//
// Place: the façade makes its mechanisms; release and eval know it, for files and for the baseline.
package linear

import (
	"fmt"

	"github.com/privbayes/privbayes-go/internal/ball"
	"github.com/privbayes/privbayes-go/internal/domain"
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
	m, radius, prior := sh.Model(), sh.Linear().Radius, sh.Model().Prior()[0]
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
		shape: sh, target: t, dim: dim, radius: radius, prior: prior, rows: rows,
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
