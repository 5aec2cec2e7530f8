package regression

import (
	"context"
	"fmt"
	"math"
	"math/big"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/gram"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/internal/steps"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// ScoringKind is the registered name of Fisher scoring.
const ScoringKind = "fisher-scoring"

// NoisyScoring releases a logistic regression by Fisher scoring with noise: see FisherScoring.
type NoisyScoring struct {
	mechanism.Front
	anyway bool
}

// FisherScoring reads the rows of a logistic or Poisson regression four times. Each step is at a public point: weights
// 0, then what the steps before it released. With t the log-odds of a scaled row there, m = tanh(t/2), ω = 1/(1 + |m|)
// and a = (1 − |m|)/2, or with t the log-rate of counts up to Y, m = min(e^t, Y), ω = 1/max(m, Y − m) and a = ωm, it
// releases, with discrete Gaussian noise,
//
//	G = Σ x·ω(y − m) + N(0, τ²I),   A = Σ xxᵀ·min(a, cut) + N(0, cut²τ²/places) on distinct products,
//
// of rows on a public lattice. One record moves (G, A/cut) by at most √5 where it is replaced and √2 where it comes or
// goes; τ² = σ²/share, the shares .07, .08, .15, .70, so that the four steps compose to one Gaussian mechanism. The
// posterior given what was released has the noise in it (steps.Design.Sample). Slopes of LogisticRegression have the
// prior N(0, 4/λ) and the intercept N(0, 25/λ), per half of the public range of a column, λ that of the model's
// WithPrior; Logistic and PoissonRegression state theirs.
//
// It needs a frame or a source, and an (ε, δ), Rényi, zCDP or tCDP target. If a later step fails, its context ends or
// the number of rows of a source has changed, the charge stands and nothing is released.
func FisherScoring() NoisyScoring { return NoisyScoring{}.made() }

// Anyway plans where n is public and so small that intervals are mostly the prior's: without it that is a
// *NotWorthError, before anything is charged.
func (m NoisyScoring) Anyway() NoisyScoring { m.anyway = true; return m.made() }

func (m NoisyScoring) made() NoisyScoring { m.Front = mechanism.FrontOf(m.mathematics); return m }

// leastRows is n/(Dσ) below which intervals are about as wide as the prior: nε/D = 1000 at ε = 1, δ = 1e-5. Source:
// theory/glm.md §4.8.
const leastRows = 120

// NotWorthError says that intervals would be mostly the prior's.
type NotWorthError struct {
	Rows, Want int // public n, and from where on it is worth the budget
	Terms      int // D: the intercept, numbers and factors
	Cells      int // of a ContingencyTable(), in place of Terms
}

// Error says what to change.
func (e *NotWorthError) Error() string {
	if e.Cells > 0 {
		return fmt.Sprintf("regression: %d rows in a table of %d cells: intervals would rest on the prior of the cells; "+
			"want at least %d rows at this privacy, fewer levels or a larger ε; Anyway() goes on", e.Rows, e.Cells, e.Want)
	}
	return fmt.Sprintf("regression: %d rows for an intercept, numbers and factors of %d in all: intervals would be "+
		"mostly the prior's; want at least %d rows at this privacy, fewer features or a larger ε; Anyway() goes on",
		e.Rows, e.Terms, e.Want)
}

// scoring is one problem of Fisher scoring.
type scoring struct {
	*setting
	design *steps.Design
	delta  float64 // L2 sensitivity of (G, A/cut) of a step
	anyway bool
}

func (m NoisyScoring) supports(sh *model.Shape) error {
	if _, ok := sh.Family(); !ok {
		return mechanism.Unsupported(sh.Model().String(), "LogisticRegression, Logistic or PoissonRegression, or "+
			"SufficientStatistics() for a linear one")
	}
	return nil
}

func (m NoisyScoring) prepare(_ context.Context, sh *model.Shape, t dp.Request) (*scoring, error) {
	s, err := newSetting(sh, t)
	if err != nil {
		return nil, err
	}
	family, _ := s.shape.Family()
	l, use := s.shape.Linear(), "an (ε, δ), Rényi or zCDP target, or SufficientStatistics()"
	if l.Formula != nil {
		use = "an (ε, δ), Rényi or zCDP target"
	}
	columns := l.Columns()
	switch {
	case t.Notion == dp.Pure:
		return nil, mechanism.Unsupported("pure ε-DP: its loss is unbounded", use)
	case s.replaced && s.n == 0:
		return nil, domain.Refuse("regression", "n", 0, "at least one row")
	case l.Formula == nil && !(s.prior >= 1e-6 && s.prior <= 1e6):
		return nil, domain.Refuse("regression", "ridge λ", s.prior, "1e-6 to 1e6")
	case len(columns) > gram.MostColumns:
		return nil, mechanism.Unsupported(fmt.Sprintf("%d coefficients", len(columns)),
			fmt.Sprintf("at most %d, or SufficientStatistics()", gram.MostColumns))
	}
	d := &steps.Design{Columns: columns, Terms: float64(l.Square()), Rows: float64(s.n), Family: family,
		ColumnBits: l.Bits()}
	d.Slope, d.Intercept = s.shape.FamilyPrior()
	return &scoring{s, d, stepSensitivity(s.rows, s.replaced), m.anyway}, d.Check()
}

// stepSensitivity is the L2 sensitivity of (G, A/cut) to one unit of k rows, k√5 or k√2. Proof: docs/theory/glm.md §3.
func stepSensitivity(rows int, replaced bool) float64 {
	square := steps.SquaredAdd
	if replaced {
		square = steps.SquaredReplace
	}
	return float64(rows) * math.Sqrt(float64(square)) * (1 + 1e-15)
}

// scoringParams are what a release file keeps: σ² of the steps in all.
type scoringParams struct {
	Sigma2 noise.Rational `json:"sigma2_steps"`
}

// Valid refuses what is no variance, or one that no plan has.
func (q scoringParams) Valid() error {
	if err := q.Sigma2.Valid(); err != nil {
		return err
	}
	if v := q.Sigma2.Float(); !(v >= 0x1p-20 && v <= 0x1p53) {
		return domain.Refuse("regression", "sigma2_steps", q.Sigma2.String(), "a variance from 2^−20 to 2^53")
	}
	return nil
}

// deviation is τ of step k.
func (q scoringParams) deviation(k int) float64 {
	return math.Sqrt(q.Sigma2.Float() * 100 / float64(steps.Shares[k]))
}

// stepsPair is the dominating pair of all steps: Σ μ_k² = Σ share·Δ²/σ². Whatever was released before it, a step is
// Gaussian noise on sums that one record moves by Δ, so that μ² adds up (Dong, Roth, Su 2022), and so do the distances
// of latticePair.
func stepsPair(d *steps.Design, delta float64, q scoringParams) loss.Pair {
	percent, distance := int64(0), 0.0
	for k, share := range steps.Shares {
		percent += share
		for _, v := range variances(d, steps.Point{Cut: steps.LeastCut}, k, q) {
			if own, _ := new(big.Float).SetRat(v).Float64(); own >= 4 {
				distance += 1 / (7 * own) // see latticeDistance
			} else {
				distance = 1
			}
		}
	}
	mu := delta * math.Sqrt(float64(percent)/100/q.Sigma2.Float()) * (1 + 2e-15)
	return latticePair{loss.GaussianPair{Mu: mu}, math.Min(distance, 1)}
}

// variances are those of the noise of step k, in the units of model.Statistics.OpenPass: of the products that the point
// has, D²·cut²·τ²/places, and of G, D·τ². With columns on 2^−22 they are 2^−132 and 2^−88, and of formulas, on 2^−23,
// 2^−136 and 2^−90; the cut is in 2^−22.
func variances(d *steps.Design, at steps.Point, k int, q scoringParams) (out []*big.Rat) {
	terms := int64(d.Terms)
	tau := new(big.Rat).SetFrac(new(big.Int).SetUint64(q.Sigma2.Num), new(big.Int).SetUint64(q.Sigma2.Den))
	tau.Mul(tau, big.NewRat(100, steps.Shares[k]))
	scaled := func(times int64, bits int) *big.Rat {
		v := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(times), uint(bits)))
		return v.Mul(v, tau)
	}
	product, gradient := scaled(terms*terms, 4*d.ColumnBits), scaled(terms, 2*(d.ColumnBits+steps.Bits))
	for _, e := range d.Entries(at) {
		v := big.NewRat(at.Cut*at.Cut, int64(e.Ordered()))
		out = append(out, v.Mul(v, product))
	}
	for range d.Columns {
		out = append(out, gradient)
	}
	return out
}

// noisesAt are the distributions of the noise of step k.
func noisesAt(d *steps.Design, at steps.Point, k int, q scoringParams) ([]sample.WideGaussian, error) {
	var out []sample.WideGaussian
	for _, v := range variances(d, at, k, q) {
		one, err := sample.NewWideGaussian(v.Num(), v.Denom())
		if err != nil {
			return nil, domain.Refuse("regression", "sigma2_steps", q.Sigma2.String(),
				"a variance that the integer sampler takes")
		}
		out = append(out, one)
	}
	return out, nil
}

func (p *scoring) calibrate(ctx context.Context) (q scoringParams, err error) {
	search := noise.Search{Low: 0x1p-20, High: 1 << 52, Start: p.delta * p.delta, Bits: 40, Variance: true,
		Pair: func(sigma2 float64) loss.Pair {
			return stepsPair(p.design, p.delta, scoringParams{noise.DyadicTo(sigma2, 53, 1<<40, true)})
		}}
	sigma2, met, err := search.Least(ctx, p.target.Parameters)
	q = scoringParams{sigma2}
	if err == nil && !met {
		err = mechanism.Unmet(ctx, p.target.Parameters, stepsPair(p.design, p.delta, q), "a weaker target, at which the "+
			"noise fits the sampler's range")
	}
	want := leastRows * p.design.Terms * math.Sqrt(sigma2.Float())
	if err == nil && p.replaced && !p.anyway && float64(p.n) < want {
		err = &NotWorthError{Rows: p.n, Want: int(math.Ceil(want)), Terms: int(p.design.Terms)}
	}
	return q, err
}

func (m NoisyScoring) mathematics() mechanism.Family[*scoring, scoringParams] {
	return mechanism.Family[*scoring, scoringParams]{
		Kind: ScoringKind, Title: "Fisher scoring with noise", NoNominal: true,
		Supports: m.supports, Prepare: m.prepare, Certify: certifyScoring,
		Calibrate: func(ctx context.Context, p *scoring) (scoringParams, error) { return p.calibrate(ctx) },
	}
}

func certifyScoring(ctx context.Context, p *scoring, q scoringParams) (spec mechanism.Spec, err error) {
	if err := q.Valid(); err != nil {
		return spec, err
	}
	for k := range steps.Shares { // whatever the cut, before anything is charged
		for _, cut := range []int64{steps.LeastCut, p.design.First().Cut} {
			if _, err := noisesAt(p.design, steps.Point{Cut: cut}, k, q); err != nil {
				return spec, err
			}
		}
	}
	checks, err := p.checks(ctx, q)
	if err != nil {
		return spec, err
	}
	last := q.deviation(len(steps.Shares) - 1)
	_, unit := p.shape.Link()
	spec = mechanism.Spec{
		Shape: p.shape, Arithmetic: dp.Exact, Pair: stepsPair(p.design, p.delta, q), Checks: checks,
		StandardFormula: gaussianFormula(p.target, p.delta/math.Sqrt(q.Sigma2.Float())),
		Settings: []mechanism.Setting{
			{Name: "noise", Value: fmt.Sprintf("discrete Gaussian in integers, σ² = %s over all steps", &q.Sigma2)},
			{Name: "steps", Value: fmt.Sprintf("%d, with %v %% of 1/σ²", len(steps.Shares), steps.Shares)},
			{Name: "L2 sensitivity of a step", Value: fmt.Sprintf("%.6g", p.delta)},
			{Name: "posterior", Value: "given the noisy steps, by Markov chains"},
			{Name: "prior", Value: fmt.Sprintf("%s: slopes N(0, %.6g²), intercept N(0, %.6g²), in half-ranges of the "+
				"columns", unit, p.design.Slope, p.design.Intercept)},
		},
		Expected: []mechanism.Expectation{{Name: "standard deviation of a sum of the last step", Value: last,
			Unit: "scaled records", How: "closed form, of Σ x·ω(y − m)"}},
		Sampler: &scoringSampler{scoring: p, scoringParams: q, last: &sampled{}}, Draws: mechanism.LatticeReals,
	}
	if e, ok := p.slopeWidth(last); ok {
		spec.Expected = append(spec.Expected, e)
	}
	return spec, nil
}

// Cost estimates a plan by the pairs of records of its certificate, and a draw by short chains.
func (m NoisyScoring) Cost(sh *model.Shape, _ dp.Request) mechanism.Cost {
	d := float64(len(sh.Linear().Weights()))
	return mechanism.Cost{Plan: 1e8 + 100*d*d*d*d, Draw: 1e9 * scoringSeconds(int(d)), Bytes: 1<<20 + 1e4*d}
}
