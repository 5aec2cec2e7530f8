package regression

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/privbayes/privbayes-go/internal/ball"
	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/leastsquares"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// SamplerKind is the registered name of the sampler.
const SamplerKind = "linear-sampler"

// PosteriorSampler releases draws from the posterior of the weights under the prior N(0, b⁻¹I) truncated to ‖w‖ ≤ B, at
// a noise variance σ_eff² calibrated to the target: a tempered posterior. The variance is a function of public inputs,
// never one fitted to the data. Arithmetic: ideal; the draws are exact rejection draws, not a Markov chain's.
//
// One draw has ε = osc(B)/σ_eff², tight over all data, sizes and priors (theory/networks.md §5.2; half of it under
// add-remove).
type PosteriorSampler struct {
	mechanism.Front
	draws    int
	residual float64 // share of ε for the residual variance
}

// Sampler releases N draws, 1 to 10000. For pure ε they cost N·ε each of one draw, σ_eff² = N·osc(B)/ε; for other
// notions the bounded range of the log-ratio is used, so that zCDP costs N(osc/σ²)²/8.
func Sampler(draws int) PosteriorSampler { return PosteriorSampler{draws: draws}.WithResidual(0) }

// WithResidual spends a share in (0, 1) of ε on the residual variance at the mean of the draws, by Laplace noise on the
// residual sum of squares. Without it a release knows the plane but not how far data scatter about it:
// [model.Fitted.Forecast] then gives the sd of the plane alone. It needs public n.
func (m PosteriorSampler) WithResidual(share float64) PosteriorSampler {
	m.residual = share
	m.Front = mechanism.FrontOf(func() mechanism.Family[*sampling, samplerParams] { return m.mathematics() })
	return m
}

// samplerSupports accepts linear regressions.
func samplerSupports(sh *model.Shape) error {
	if err := supports(sh); err != nil {
		return err
	}
	if sh.Classifies() || sh.Linear().Formula != nil {
		return mechanism.Unsupported(sh.Model().String(), "SufficientStatistics()")
	}
	return nil
}

// maxDraws bounds the size of a release and of the profile's sums.
const maxDraws = 10000

// sampling is one problem of the sampler.
type sampling struct {
	*setting
	m   PosteriorSampler
	osc float64 // of one unit's change, times σ²
}

// prepare checks everything that does not depend on σ_eff².
func (m PosteriorSampler) prepare(_ context.Context, sh *model.Shape, t dp.Request) (*sampling, error) {
	s, err := newSetting(sh, t)
	if err != nil {
		return nil, err
	}
	switch {
	case m.draws < 1 || m.draws > maxDraws:
		return nil, domain.Refuse("linear", "draws", m.draws, fmt.Sprintf("1 to %d", maxDraws))
	case m.residual != 0 && !(m.residual > 0 && m.residual < 1):
		return nil, domain.Refuse("linear", "residual share", m.residual, "a share of ε in (0, 1), or none")
	case m.residual > 0 && !s.replaced:
		return nil, mechanism.Unsupported("the residual variance under add-remove, where n is private", "replace-one, or no "+
			"WithResidual")
	case t.ExactOnly:
		return nil, mechanism.Unsupported("exact arithmetic", "SufficientStatistics()")
	case t.NominalScale && (t.Notion != dp.Pure || !s.replaced || s.n < 1 || m.residual > 0):
		return nil, mechanism.Unsupported("the paper's formula without pure ε, public n ≥ 1, or with a residual variance",
			"AsPublished(ε) under replace-one")
	}
	osc, err := oscillation(s.radius, s.dim, s.rows, s.replaced)
	if err != nil {
		return nil, err
	}
	return &sampling{s, m, osc}, nil
}

// oscillation is the range of σ² times the log-ratio of two posteriors whose data differ in one unit of k rows:
//
//	replace   k·osc(B)
//	add-remove   k·max_{x,y} [max_w (y−w·x)² − min_w (y−w·x)²]/2 = k·2B for B ≤ 1, k·(1+B)²/2 for B ≥ 1
//
// since for ‖x‖ = s the residual ranges over y ± Bs, and (|y|+Bs)² − max(0, |y|−Bs)² grows with |y| and s.
func oscillation(radius float64, dim, rows int, replaced bool) (float64, error) {
	if rows < 1 {
		return 0, domain.Refuse("linear", "rows", rows, "at least 1")
	}
	if !replaced {
		osc, err := leastsquares.Osc(radius, 2)
		return osc * float64(rows) / 2, err
	}
	osc, err := leastsquares.Osc(radius, dim)
	return osc * float64(rows), err
}

// pair is the bound on the loss at σ_eff².
func (s *sampling) pair(sigma2 float64) rangePair {
	p := rangePair{width: s.osc / sigma2 * (1 + 4e-16), draws: s.m.draws}
	if r := s.m.residual; r > 0 {
		p.residual = r / (1 - r) * float64(p.draws) * p.width
	}
	return p
}

// calibrate is the least σ_eff² that meets the target; of the paper's own mode, the variance at which its formula
// claims ε. A search takes fewer than 600 evaluations of the loss, each bounded by maxCells, and ends with ctx.
func (s *sampling) calibrate(ctx context.Context) (float64, error) {
	if s.target.NominalScale {
		return paperConstant(s.radius, s.dim, s.n) / float64(s.target.Epsilon), nil
	}
	want := s.target.Parameters
	meets := func(sigma2 float64) bool {
		return ctx.Err() != nil || loss.Meets(loss.Until(ctx, s.pair(sigma2)), want)
	}
	if want.Notion == dp.Pure {
		total := float64(s.m.draws) * s.osc / (1 - s.m.residual)
		sigma2 := total / float64(want.Epsilon)
		for i := 0; !meets(sigma2) && i < 64; i++ {
			sigma2 *= 1 + 4e-16
		}
		if !(sigma2 > 0) || math.IsInf(sigma2, 1) || !meets(sigma2) {
			return 0, s.unmet(ctx, 1e300)
		}
		return sigma2, ctx.Err()
	}
	sigma2, ok := least(float64(s.m.draws)*s.osc, meets)
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if !ok {
		return 0, s.unmet(ctx, sigma2)
	}
	return sigma2, nil
}

func (s *sampling) unmet(ctx context.Context, sigma2 float64) error {
	return mechanism.Unmet(ctx, s.target.Parameters, s.pair(sigma2),
		"any level that floating point can tell from none; the variance grows as 1/ε and no target is below a floor")
}

// paperConstant is σ²·2L(w) of the paper's Appendix D, L(w) = n(1 + 2‖w‖₁ + d‖w‖₂)/(2σ²), at the worst w of the ball.
// Its n and d do not belong there, and for B well above 1 and small n it is below the truth (theory/networks.md §5.1).
func paperConstant(radius float64, dim, n int) float64 {
	d := float64(dim)
	return float64(n) * (1 + 2*math.Sqrt(d)*radius + d*radius)
}

func (m PosteriorSampler) mathematics() mechanism.Family[*sampling, samplerParams] {
	return mechanism.Family[*sampling, samplerParams]{
		Kind: SamplerKind, Title: "Posterior sampler, " + table.Count(m.draws, "draw"), Supports: samplerSupports,
		Prepare: m.prepare, Certify: certifySampler,
		Of: func(q samplerParams) (mechanism.Family[*sampling, samplerParams], error) {
			return Sampler(q.Draws).WithResidual(q.Residual).mathematics(), nil
		},
		Calibrate: func(ctx context.Context, s *sampling) (samplerParams, error) {
			sigma2, err := s.calibrate(ctx)
			return samplerParams{m.draws, sigma2, m.residual}, err
		},
	}
}

// samplerParams are what a release file keeps.
type samplerParams struct {
	Draws    int     `json:"draws"`
	Variance float64 `json:"variance"` // σ_eff², on scaled rows
	Residual float64 `json:"residual_share,omitempty"`
}

// Valid checks parameters from a file: *dp.ParameterError.
func (q samplerParams) Valid() error {
	if !(q.Variance > 0) || math.IsInf(q.Variance, 1) {
		return domain.Refuse("linear", "variance", q.Variance, "a finite number > 0")
	}
	return nil
}

// certifySampler states the release at σ_eff².
func certifySampler(ctx context.Context, s *sampling, q samplerParams) (spec mechanism.Spec, err error) {
	if err := q.Valid(); err != nil {
		return spec, err
	}
	sigma2 := q.Variance
	pair := s.pair(sigma2)
	checks, err := s.checks(ctx, sigma2, pair)
	if err != nil {
		return spec, err
	}
	return mechanism.Spec{
		Shape: s.shape, Settings: s.settings(sigma2, pair), Arithmetic: dp.Ideal,
		StandardFormula: s.standardFormula(sigma2), Pair: pair,
		Checks: checks, Sampler: &posteriorSampler{s, sigma2, pair.residual}, Draws: mechanism.Reals,
		Count:   s.m.draws*s.dim + 1,
		Sampled: s.sampled(sigma2),
		Predict: func() (float64, string) {
			return s.weightError(func(information, prior float64) float64 {
				shrink := sigma2 / (sigma2 + information*prior)
				return prior * (shrink*shrink + shrink/float64(s.m.draws))
			})
		},
	}, nil
}

// sampled compares the posterior that is drawn from with that of the data at the variance σ² of its residuals, which no
// plan knows but which is at most 1 on scaled rows: the power σ²/σ_eff² is at most 1/σ_eff². A record adds at most
// 1/σ_eff² to the trace of the precision, since ‖x̃‖ ≤ 1, and the prior adds b for every coordinate.
func (s *sampling) sampled(sigma2 float64) *mechanism.Sampled {
	return &mechanism.Sampled{Power: 1 / sigma2, AtMost: true, Box: 1, Prior: s.prior * float64(s.dim),
		PriorName: "the prior of the weights, at the least,"}
}

// standardFormula is the paper's 2L(w), which it charges once however many draws are taken.
func (s *sampling) standardFormula(sigma2 float64) mechanism.StandardFormula {
	if !s.replaced || s.n < 1 {
		return mechanism.StandardFormula{Level: dp.NotPrivate("the formula needs n"), Source: "Appendix D, L(w) = n(1 + " +
			"2‖w‖₁ + d‖w‖₂)/(2σ²)"}
	}
	return mechanism.StandardFormula{
		Level:  dp.Parameters{Notion: dp.Pure, Epsilon: cert.Number(paperConstant(s.radius, s.dim, s.n) / sigma2)},
		Source: "Appendix D, 2L(w) = n(1 + 2‖w‖₁ + d‖w‖₂)/σ² at ‖w‖ = B, once for all draws",
	}
}

func (s *sampling) settings(sigma2 float64, pair rangePair) []mechanism.Setting {
	out := []mechanism.Setting{
		{Name: "distribution", Value: "N(0, b⁻¹I) × exp(−Σ(ỹ − w·x̃)²/(2σ_eff²)) on ‖w‖ ≤ B"},
		{Name: "draws", Value: fmt.Sprint(s.m.draws)},
		{Name: "σ_eff²", Value: fmt.Sprintf("%.6g (scaled rows)", sigma2)},
		{Name: "osc(B)", Value: fmt.Sprintf("%.6g", s.osc)},
		{Name: "B", Value: fmt.Sprintf("%.6g", s.radius)},
		{Name: "b", Value: fmt.Sprintf("%.6g", s.prior)},
		{Name: "coordinates", Value: fmt.Sprint(s.dim)},
		{Name: "ε of one draw", Value: fmt.Sprintf("%.6g", pair.width)},
	}
	if pair.residual > 0 {
		out = append(out, mechanism.Setting{Name: "ε of the residual variance",
			Value: fmt.Sprintf("%.6g", pair.residual)})
	}
	return out
}

// law is the posterior before truncation: precision P = XᵀX/σ² + bI and h = Xᵀy/σ². The sampler samples it and the
// enumeration of the certificate weighs it.
func law(xx *mat.SymDense, xy []float64, sigma2, b float64) (p *mat.SymDense, h []float64) {
	d := len(xy)
	p, h = mat.NewSymDense(d, nil), make([]float64, d)
	p.ScaleSym(1/sigma2, xx)
	for i := range d {
		h[i] = xy[i] / sigma2
		p.SetSym(i, i, p.At(i, i)+b)
	}
	return p, h
}

// logWeight is the log-density of the law at w, up to a constant.
func logWeight(p *mat.SymDense, h, w []float64) float64 {
	v := 0.0
	for i, a := range w {
		v += h[i] * a
		for j, c := range w {
			v -= a * p.At(i, j) * c / 2
		}
	}
	return v
}

// posteriorSampler draws weights on scaled rows, one vector a draw, and after them, where asked for, the noisy residual
// sum of squares.
type posteriorSampler struct {
	*sampling
	sigma2   float64
	residual float64 // ε₂
}

// errLaw stands for causes that would show private numbers.
var errLaw = errors.New("mechanism: the posterior could not be prepared for sampling")

// Draw reads the moments once.
func (d *posteriorSampler) Draw(ctx context.Context, data mechanism.Private, src *dp.Stream) (mechanism.Output, error) {
	xx, xy, yy := d.shape.Linear().Moments(data.Sums())
	p, h := law(xx, xy, d.sigma2, d.prior)
	s, err := ball.New(p, h, d.radius)
	if err != nil {
		return mechanism.Output{}, errLaw
	}
	out, mean := make([][]float64, d.m.draws), make([]float64, d.dim)
	for k := range out {
		if err := ctx.Err(); err != nil {
			return mechanism.Output{}, err
		}
		out[k] = make([]float64, d.dim)
		if _, err := s.DrawContext(ctx, src, out[k]); err != nil {
			if ctx.Err() != nil {
				return mechanism.Output{}, ctx.Err()
			}
			return mechanism.Output{}, errLaw
		}
		for i, v := range out[k] {
			mean[i] += v / float64(d.m.draws)
		}
	}
	if d.residual > 0 {
		scale := residualSensitivity(d.radius, d.rows) / d.residual
		out = append(out, []float64{residualSum(xx, xy, yy, mean) + laplace(src, scale)})
	}
	return mechanism.Output{Real: out}, nil
}

// residualSum is Σ(ỹ − w·x̃)² from the moments.
func residualSum(xx *mat.SymDense, xy []float64, yy float64, w []float64) float64 {
	for i, a := range w {
		yy -= 2 * a * xy[i]
		for j, c := range w {
			yy += a * xx.At(i, j) * c
		}
	}
	return yy
}

// residualSensitivity is (1+B)² for each row of a unit: a squared residual lies in [0, (1+B)²] at any ‖w‖ ≤ B. The
// margin of 1e-6 covers the rounding of the sum, about D²·n·2^−53 of it since the moments themselves are exact sums, to
// some 1e9/D² rows; beyond that the guarantee is, as stated, of ideal arithmetic.
func residualSensitivity(radius float64, rows int) float64 {
	return float64(rows) * (1 + radius) * (1 + radius) * (1 + 1e-6)
}

// laplace is a draw from the density e^{−|z|/s}/(2s).
func laplace(src rand.Source, scale float64) float64 {
	return scale * (math.Log(sample.Float64(src)) - math.Log(sample.Float64(src)))
}

// Estimate lists the draws. The residual variance is the noisy sum over n, at least that of uniform values on one
// thousandth of the range, and at most (1+B)².
func (d *posteriorSampler) Estimate(_ context.Context, drawn mechanism.Output) (model.Estimate, error) {
	real := drawn.Real
	want := d.m.draws
	if d.residual > 0 {
		want++
	}
	if len(real) != want {
		return model.Estimate{}, domain.Refuse("linear", "real", fmt.Sprintf("%d vectors", len(real)), fmt.Sprint(want))
	}
	draws := &model.Draws{Names: d.shape.Linear().Weights()}
	for _, w := range real[:d.m.draws] {
		if len(w) != d.dim || !(norm(w) <= d.radius*(1+1e-9)) {
			return model.Estimate{}, domain.Refuse("linear", "real", "a draw outside the ball",
				fmt.Sprintf("%d weights, ‖w‖ ≤ %g", d.dim, d.radius))
		}
		draws.Values = append(draws.Values, append([]float64(nil), w...))
	}
	if d.residual > 0 {
		last := real[d.m.draws]
		if len(last) != 1 || math.IsNaN(last[0]) || math.IsInf(last[0], 0) {
			return model.Estimate{}, domain.Refuse("linear", "real", "no residual sum of squares",
				"one finite number after the draws")
		}
		draws = draws.WithResidual(residualSD(last[0], float64(d.n), d.radius))
	}
	return model.Estimate{Draws: draws}, nil
}

// leastResidual is the standard deviation of uniform values on a thousandth of the range of ỹ.
const leastResidual = 2e-3 / 3.4641016151377544

func residualSD(sum, n, radius float64) float64 {
	v := sum / math.Max(n, 1)
	return math.Sqrt(math.Min(math.Max(v, leastResidual*leastResidual), (1+radius)*(1+radius)))
}

func norm(w []float64) float64 {
	s := 0.0
	for _, v := range w {
		s += v * v
	}
	return math.Sqrt(s)
}
