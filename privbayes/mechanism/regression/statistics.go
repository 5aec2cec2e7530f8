package regression

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/leastsquares"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// statisticsKind is the registered name of the baseline.
const statisticsKind = "linear-statistics"

// NoisyStatistics adds noise to the second moments of the scaled rows, XᵀX, Xᵀy and yᵀy, and estimates the weights from
// the noisy moments, which is post-processing: see SufficientStatistics.
type NoisyStatistics struct {
	mechanism.Front
	continuous bool
	plain      bool
}

// SufficientStatistics adds noise, drawn in integers, to the integer moments of rows that were rounded to a public
// lattice, one by one: arithmetic exact, at no cost for the rounding, with n public or private. A factor counts once,
// whatever its levels, and no moment is released that another one, or n, says.
//
// For (ε, δ), Rényi, zCDP and tCDP targets the noise is discrete Gaussian, analytically calibrated. For pure ε, of
// which Gaussian noise has none, a logistic regression takes noise of the cube or geometric noise: see cubeLaw. A
// linear regression then has the posterior given the noisy moments, all of the noise included; a logistic one is
// estimated by leastsquares.Logit, with a public floor for eigenvalues that the noise drowns.
func SufficientStatistics() NoisyStatistics { return NoisyStatistics{}.made() }

// Continuous draws Gaussian noise in floating point, on moments whose sensitivity is that of all rows of the unit ball:
// arithmetic ideal. It is how releases were made once, and for comparisons; of linear regressions alone.
func (m NoisyStatistics) Continuous() NoisyStatistics { m.continuous = true; return m.made() }

// Plain takes the posterior given the noisy moments as if they were the true ones, in place of the noise-aware one.
func (m NoisyStatistics) Plain() NoisyStatistics { m.plain = true; return m.made() }

// made is the mechanism with its options as they are.
func (m NoisyStatistics) made() NoisyStatistics {
	m.Front = mechanism.FrontOf(func() mechanism.Family[*perturbing, statisticsParams] { return m.mathematics() })
	return m
}

func (m NoisyStatistics) title() string {
	t := "Discrete Gaussian noise on second moments"
	if m.continuous {
		t = "Gaussian noise on second moments"
	}
	if m.plain {
		t += ", plain posterior"
	}
	return t
}

// supports accepts linear regressions and LogisticRegression; Continuous and Plain are of linear ones without a
// formula.
func (m NoisyStatistics) supports(sh *model.Shape) error {
	if err := supports(sh); err != nil {
		return err
	}
	_, steps := sh.Family()
	switch formula := sh.Linear().Formula != nil; {
	case formula && steps:
		return mechanism.Unsupported(sh.Model().String(), "FisherScoring()")
	case (formula || steps) && (m.continuous || m.plain):
		return mechanism.Unsupported(sh.Model().String(), "SufficientStatistics()")
	}
	return nil
}

// perturbing is one problem of the baseline.
type perturbing struct {
	*setting
	m     NoisyStatistics
	delta float64  // L2 sensitivity of the stacked moments
	whole []moment // of integer moments: what is released

	formula *formulaParams // of a regression by a formula
}

// entries is the number of released moments.
func entries(dim int) int { return dim*(dim+3)/2 + 1 }

func (m NoisyStatistics) prepare(_ context.Context, sh *model.Shape, t dp.Request) (*perturbing, error) {
	s, err := newSetting(sh, t)
	if err != nil {
		return nil, err
	}
	switch {
	case t.Notion == dp.Pure && !t.NominalScale && s.classes():
	case t.Notion == dp.Pure:
		use := "LinearSampler(N), or an (ε, δ), Rényi or zCDP target"
		if sh.Linear().Formula != nil {
			use = "an (ε, δ), Rényi or zCDP target"
		}
		return nil, mechanism.Unsupported("pure ε-DP: its loss is unbounded", use)
	case t.NominalScale:
		return nil, mechanism.Unsupported("a nominal scale: no formula of a paper is followed", "ApproxDP(ε, δ)")
	case t.ExactOnly && m.continuous:
		return nil, mechanism.Unsupported("exact arithmetic", "SufficientStatistics()")
	case !s.replaced && !s.shape.Linear().Intercept:
		return nil, mechanism.Unsupported("private n without an intercept, whose moment tells n", "replace-one, or an "+
			"intercept")
	}
	p := &perturbing{setting: s, m: m, delta: momentsSensitivity(s.rows, s.replaced)}
	if f := s.shape.Linear().Formula; f != nil {
		return p.byFormula(f, formulaOf(s.shape)), nil
	}
	if !m.continuous {
		q := s.proposition()
		p.whole, p.delta = q.moments(s.shape.Linear().Design), q.rowsOf(s.rows)
	}
	return p, nil
}

// momentsSensitivity is the L2 sensitivity of the moments (XᵀX in Frobenius norm, Xᵀy, yᵀy) to one unit of k rows:
// k·3/√2 when rows are replaced, k√3 when they come or go.
//
// Proof for one row: with r = ‖x‖, s = ‖z‖, k = |x·z|, p = |y|, q = |y′|, the squared change is at most r⁴ + s⁴ − 2k² +
// r²p² + s²q² + 2kpq + (p²−q²)². Over all real k, 2kpq − 2k² ≤ p²q²/2, so that with a = p², b = q² and r, s ≤ 1 it is
// at most 2 + a + b + a² + b² − 3ab/2, convex in a and in b, hence largest at a corner: 2, 4, or 4.5 at a = b = 1. Two
// unit vectors at 60° attain it, without yᵀy as well: it comes at no cost. One dimension has room for 4 only and is
// charged 4.5. A row alone moves the moments by at most √(r⁴ + r²p² + p⁴) ≤ √3.
func momentsSensitivity(rows int, replaced bool) float64 {
	one := math.Sqrt(3)
	if replaced {
		one = 3 / math.Sqrt2
	}
	return float64(rows) * one * (1 + 1e-15)
}

// pair is the dominating pair at noise σ, in units of the moments.
func (p *perturbing) pair(z shipped) loss.Pair {
	if v := z.variance(); v != nil {
		return latticePair{loss.GaussianPair{Mu: p.delta / p.sigma(z) * (1 + 8e-16)},
			latticeDistance(p.whole, v.Float())}
	}
	if law, rate := z.pure(); law != "" {
		return loss.PurePair{Epsilon: rate.Float() * p.proposition().reach(law, p.rows) * (1 + 4e-16)}
	}
	return loss.GaussianPair{Mu: p.delta / z.Sigma * (1 + 4e-16)}
}

// deviations are those of the noise on integer moments, in products of [−1, 1].
func (p *perturbing) deviations(z shipped) []float64 {
	if law, rate := z.pure(); law != "" {
		return deviations(law, p.proposition().weighed(p.whole, p.shape.Linear().Design, law), rate.Float())
	}
	out := make([]float64, len(p.whole))
	for k, m := range p.whole {
		out[k] = m.deviation(p.sigma(z))
	}
	return out
}

// sigma is the noise's standard deviation on a diagonal moment; for pure ε the largest on any moment of scaled rows.
func (p *perturbing) sigma(z shipped) (largest float64) {
	if law, _ := z.pure(); law != "" {
		for k, sd := range p.deviations(z) {
			largest = math.Max(largest, p.whole[k].onRows(sd, p.shape.Linear().Square()))
		}
		return largest
	}
	if v := z.variance(); v != nil {
		return math.Sqrt(v.Float())
	}
	return z.Sigma
}

func (p *perturbing) calibrate(ctx context.Context) (shipped, error) {
	want := p.target.Parameters
	within := func(pair loss.Pair) bool { return ctx.Err() != nil || loss.Meets(loss.Until(ctx, pair), want) }
	if p.m.continuous {
		sigma, ok := least(p.delta, func(sigma float64) bool { return within(p.pair(shipped{Sigma: sigma})) })
		if !ok {
			return shipped{}, p.unmet(ctx, shipped{Sigma: sigma})
		}
		return shipped{Sigma: sigma}, ctx.Err()
	}
	if want.Notion == dp.Pure {
		return p.calibratePure(ctx, within)
	}
	return p.calibrateWhole(ctx)
}

func (p *perturbing) unmet(ctx context.Context, z shipped) error {
	return mechanism.Unmet(ctx, p.target.Parameters, p.pair(z), "a weaker target, at which the noise fits "+
		"the sampler's range")
}

func (m NoisyStatistics) mathematics() mechanism.Family[*perturbing, statisticsParams] {
	return mechanism.Family[*perturbing, statisticsParams]{
		Kind: statisticsKind, Title: m.title(), Supports: m.supports, Prepare: m.prepare, Certify: certifyStatistics,
		Of: func(q statisticsParams) (mechanism.Family[*perturbing, statisticsParams], error) {
			return NoisyStatistics{continuous: !q.integer(), plain: q.Plain}.mathematics(), nil
		},
		Calibrate: func(ctx context.Context, p *perturbing) (statisticsParams, error) {
			z, err := p.calibrate(ctx)
			return statisticsParams{z, m.plain}, err
		},
	}
}

// statisticsParams are what a release file keeps.
type statisticsParams struct {
	shipped
	Plain bool `json:"plain_posterior,omitempty"`
}

func certifyStatistics(ctx context.Context, p *perturbing, q statisticsParams) (spec mechanism.Spec, err error) {
	z := q.shipped
	if err := z.valid(); err != nil {
		return spec, err
	}
	if (z.Products != nil) != (p.formula != nil) {
		return spec, domain.Refuse("linear", "sigma2_products", z.Products != nil,
			"it with a formula, and with no other model")
	}
	if law, _ := z.pure(); (law != "") != (p.target.Notion == dp.Pure) {
		return spec, domain.Refuse("linear", "noise", law, "a noise distribution of pure ε for such a target, and for no "+
			"other")
	}
	checks, err := p.checks(ctx, z)
	if err != nil {
		return spec, err
	}
	pair := p.pair(z)
	d := &statisticsSampler{perturbing: p, shipped: z, last: &sampled{}}
	arithmetic, draws := dp.Ideal, mechanism.Reals
	if v := z.variance(); v != nil {
		if d.laws, err = noisesOf(p.whole, *v); err != nil {
			return spec, err
		}
	}
	if law, rate := z.pure(); law != "" {
		if d.pure, err = newPureNoise(law, len(p.whole), *rate); err != nil {
			return spec, err
		}
		d.weights = p.proposition().weighed(p.whole, p.shape.Linear().Design, law)
	}
	if z.integer() {
		d.spread, arithmetic, draws = p.deviations(z), dp.Exact, mechanism.LatticeReals
	}
	tau := p.sigma(z)
	spec = mechanism.Spec{
		Shape: p.shape, Settings: p.settings(z), Arithmetic: arithmetic, StandardFormula: p.standardFormula(z),
		Pair: pair, Checks: checks,
		Expected: []mechanism.Expectation{{
			Name: "standard deviation of a second moment", Value: tau, Unit: "scaled records",
			How: "closed form, on the diagonal of XᵀX, on Xᵀy and yᵀy",
		}},
		Sampler: d, Draws: draws,
	}
	if e, ok := p.slopeWidth(tau); ok && !p.classes() && !p.m.plain {
		spec.Expected = append(spec.Expected, e)
	}
	if p.formula != nil {
		spec.Predict = func() (float64, string) { return p.formulaError(tau) }
		return spec, nil
	}
	if p.classes() {
		spec.Expected[0].How = "closed form, on the diagonal of XᵀX and on Xᵀy"
		if law, _ := z.pure(); law != "" {
			spec.Title = lawWords[law].title
			spec.Expected[0].How = "closed form, where it is largest"
		}
		return spec, nil
	}
	spec.Predict = func() (float64, string) {
		return p.weightError(func(information, prior float64) float64 {
			return 1 / (p.prior/float64(p.shape.Linear().Square()) +
				information*information/(tau*tau*(1+(float64(p.dim)+1)*prior/2)))
		})
	}
	return spec, nil
}

// standardFormula is the classical Gaussian mechanism, or zCDP, at the shipped σ.
func (p *perturbing) standardFormula(z shipped) mechanism.StandardFormula {
	if law, rate := z.pure(); law != "" {
		return mechanism.StandardFormula{Level: dp.Parameters{Notion: dp.Pure,
			Epsilon: cert.Number(rate.Float() * p.proposition().reach(law, p.rows))},
			Source: "ε = rate × sensitivity, Hardt, Talwar 2010"}
	}
	return gaussianFormula(p.target, p.delta/p.sigma(z))
}

// gaussianFormula is the usual one for the Gaussian mechanism with Δ₂/σ = ratio.
func gaussianFormula(t dp.Request, ratio float64) mechanism.StandardFormula {
	if d := t.Delta; t.Notion == dp.Approximate {
		return mechanism.StandardFormula{
			Level: dp.Parameters{Notion: dp.Approximate, Epsilon: cert.Number(ratio * math.Sqrt(2*math.Log(1.25/d))),
				Delta: d},
			Source: "ε = Δ₂√(2 ln(1.25/δ))/σ, Dwork, Roth 2014, Theorem A.1 (for ε < 1)",
		}
	}
	return mechanism.StandardFormula{Level: dp.Parameters{Notion: dp.Concentrated, Rho: ratio * ratio / 2},
		Source: "ρ = Δ₂²/(2σ²), Bun, Steinke 2016, Proposition 1.6"}
}

// shipped is σ in units of the moments or, of integer moments, σ² as a fraction in those units; for pure ε it is a
// rate.
type shipped struct {
	Sigma     float64         `json:"sigma,omitempty"`
	Whole     *noise.Rational `json:"sigma2_moments,omitempty"`  // σ² of moments: see moment
	Products  *noise.Rational `json:"sigma2_products,omitempty"` // σ² of the products of a formula: see moment
	Cube      *noise.Rational `json:"cube_rate,omitempty"`       // per product: see cubeLaw
	Geometric *noise.Rational `json:"geometric_rate,omitempty"`
}

// pure is the law for pure ε, with its rate; "" for others.
func (z shipped) pure() (law string, rate *noise.Rational) {
	switch {
	case z.Cube != nil:
		return cubeLaw, z.Cube
	case z.Geometric != nil:
		return geometricLaw, z.Geometric
	}
	return "", nil
}

// variance is σ² of Gaussian noise on integer moments; nil of others.
func (z shipped) variance() *noise.Rational { return cmp.Or(z.Whole, z.Products) }

// integer reports whether the noise is on integer moments.
func (z shipped) integer() bool { return z.variance() != nil || z.Cube != nil || z.Geometric != nil }

func (z shipped) valid() error {
	given := 0
	if z.Sigma != 0 {
		given++
	}
	for _, r := range []*noise.Rational{z.Whole, z.Products, z.Cube, z.Geometric} {
		if r == nil {
			continue
		}
		if given++; r.Valid() != nil {
			return r.Valid()
		}
	}
	switch {
	case given > 1:
		return domain.Refuse("linear", "sigma", z.Sigma,
			"one of sigma, sigma2_moments, sigma2_products, cube_rate and geometric_rate")
	case given == 1 && z.Sigma == 0:
		return nil
	}
	if !(z.Sigma > 0) || math.IsInf(z.Sigma, 1) {
		return domain.Refuse("linear", "sigma", z.Sigma, "a finite number > 0")
	}
	return nil
}

// noiseParams are the public inputs of the loss.
type noiseParams struct {
	Dim      int            `json:"dim"`
	Rows     int            `json:"rows"`
	Replaced bool           `json:"replaced"`
	Of       *proposition   `json:"of,omitempty"`      // of integer moments
	Formula  *formulaParams `json:"formula,omitempty"` // in its place
	Noise    shipped        `json:"noise"`
	Want     dp.Parameters  `json:"want"`
}

func (q noiseParams) problem() (*perturbing, error) {
	if q.Dim < 1 || q.Dim > 4096 || q.Rows < 1 {
		return nil, domain.Refuse("linear", "dim, rows", fmt.Sprint(q.Dim, q.Rows), "1 to 4096 coordinates, at least one row")
	}
	if err := q.Noise.valid(); err != nil {
		return nil, err
	}
	if q.Of != nil && q.Of.Replaced != q.Replaced {
		return nil, domain.Refuse("linear", "replaced", q.Replaced, "as its columns say")
	}
	p := &perturbing{setting: &setting{dim: q.Dim, rows: q.Rows, replaced: q.Replaced, of: q.Of},
		delta: momentsSensitivity(q.Rows, q.Replaced)}
	switch {
	case q.Formula != nil:
		if q.Noise.Products == nil || q.Of != nil {
			return nil, domain.Refuse("linear", "formula", q.Formula.Text, "sigma2_products, and no other columns")
		}
		sh, err := q.Formula.shape()
		if err != nil {
			return nil, err
		}
		f := sh.Linear().Formula
		if len(f.Columns) != q.Dim {
			return nil, domain.Refuse("linear", "dim", q.Dim, fmt.Sprintf("%d, the columns of the formula", len(f.Columns)))
		}
		return p.byFormula(f, q.Formula), nil
	case q.Noise.Products != nil || q.Noise.integer() != (q.Of != nil):
		return nil, domain.Refuse("linear", "of", q.Of != nil, "the columns of integer moments, and of no others")
	case q.Of != nil:
		if err := q.Of.valid(); err != nil {
			return nil, err
		}
		d, err := q.Of.design()
		if err != nil {
			return nil, err
		}
		if law, _ := q.Noise.pure(); law != "" && !q.Of.Classes {
			return nil, domain.Refuse("linear", "classes", false, "classes, for a noise distribution of pure ε")
		}
		p.whole, p.delta = q.Of.moments(d), q.Of.rowsOf(q.Rows)
	}
	return p, nil
}

// movesParams are the public inputs of the enumeration of moments: dimensions, and directions on the circle.
type movesParams struct {
	Dim      int  `json:"dim"` // 1 or 2
	Angles   int  `json:"angles"`
	Replaced bool `json:"replaced"`
}

var noiseChecker = cert.Define("linear-statistics/loss",
	func(ctx context.Context, q noiseParams) (cert.Outcome, error) {
		p, err := q.problem()
		if err != nil {
			return cert.Outcome{}, err
		}
		if err := q.Want.Valid(); err != nil {
			return cert.Outcome{}, err
		}
		method := cert.ClosedForm
		if q.Noise.integer() {
			method = cert.ProvedBound
		}
		value := loss.Spent(loss.Until(ctx, p.pair(q.Noise)), q.Want)
		return cert.Outcome{Value: value, Method: method}, ctx.Err()
	})

var movesChecker = cert.Define("linear-statistics/moves",
	func(ctx context.Context, q movesParams) (cert.Outcome, error) {
		return q.enumerate(ctx)
	})

func (p *perturbing) checks(ctx context.Context, z shipped) ([]cert.Check, error) {
	if p.formula != nil {
		return p.formulaChecks(ctx, z)
	}
	inside, err := p.designCheck(ctx)
	if err != nil {
		return nil, err
	}
	if z.integer() {
		return p.wholeChecks(ctx, inside, z)
	}
	moves, err := movesChecker.Check(ctx, cert.Check{
		Statement: "one record moves the moments by at most this, L2 norm, by enumeration",
		Formula:   "Δ₂² = ‖xxᵀ − zzᵀ‖² + ‖xy − zy′‖² + (y² − y′²)² ≤ 9/2; a record alone ≤ 3",
		Source:    "the shipped moments of pairs of records; proof at momentsSensitivity",
		Bound:     number(momentsSensitivity(1, p.replaced)),
		Scope:     "pairs of records of norm 0, ½, 1 on 24 directions, responses −1, 0, 1",
	}, movesParams{min(p.dim, 2), 24, p.replaced})
	if err != nil {
		return nil, err
	}
	q := noiseParams{Dim: p.dim, Rows: p.rows, Replaced: p.replaced, Noise: z, Want: p.target.Parameters}
	loss, err := noiseChecker.Check(ctx, cert.Check{
		Statement: "loss of the dominating pair, " + loss.NotionWords(p.target.Parameters),
		Formula:   fmt.Sprintf("%s, Δ₂ = %.6g", p.pair(z), p.delta), Source: "dp.GaussianPair; Balle, Wang 2018",
		Bound: loss.Allowed(p.target.Parameters), Scope: "all data of all sizes; " + p.change(),
	}, q)
	return []cert.Check{inside, moves, loss}, err
}

// enumerate is the greatest change of the shipped moments over pairs of records.
func (q movesParams) enumerate(ctx context.Context) (cert.Outcome, error) {
	if q.Dim < 1 || q.Dim > 2 || q.Angles < 1 || q.Angles > 360 {
		return cert.Outcome{}, domain.Refuse("linear", "dim, angles", fmt.Sprint(q.Dim, q.Angles),
			"1 or 2 dimensions, 1 to 360 directions")
	}
	directions := [][]float64{{1}, {-1}}
	if q.Dim == 2 {
		directions = nil
		for i := range q.Angles {
			s, c := math.Sincos(2 * math.Pi * float64(i) / float64(q.Angles))
			directions = append(directions, []float64{c, s})
		}
	}
	var moments [][]float64
	for _, r := range []float64{0, .5, 1} {
		for _, u := range directions {
			for _, y := range []float64{-1, 0, 1} {
				row := make([]float64, q.Dim+1)
				for i, v := range u {
					row[i] = r * v
				}
				row[q.Dim] = y
				m, err := leastsquares.NewMoments(q.Dim)
				if err == nil {
					err = m.AddRows(row)
				}
				if err != nil {
					return cert.Outcome{}, err
				}
				moments = append(moments, append(m.Stack(), m.YY()))
			}
		}
	}
	return farthest(ctx, moments, q.Replaced, norm)
}
