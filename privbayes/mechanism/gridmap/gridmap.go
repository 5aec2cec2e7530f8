// Package gridmap releases a maximum a posteriori estimate by the exponential mechanism over a public grid of
// parameters.
//
// # What is released
//
// For every conditional distribution with counts k and prior Dirichlet(α), a point θ of the grid {θ : θ_i = s_i/S, Σs_i
// = S, s_i ≥ floor}:
//
//	P(θ) ∝ e^{κ·u(θ)},  u(θ) = Σ_i (k_i + α_i − 1) ln θ_i,
//
// the log posterior, whose maximum is the estimate.
//
// # The dominating pair, and why it dominates
//
// A replaced record takes ln θ_i from one score and adds ln θ_j to one: over the grid, where every probability is
// between l and h, each term varies by at most L = ln h/l, so that the difference of two neighbours' scores has a range
// of at most 2L in one conditional or shared by the two rows that it touches. The normalisers cancel from a range,
// hence
//
//	ln P(θ)/P′(θ) lies in an interval of length w = 2κL that contains 0,
//
// and every such pair of distributions is dominated by a two-point pair (logratio.BoundedRange):
//
//	ε = w,  δ(ε) = (e^{w/2} − e^{ε/2})²/(e^w − 1),  D_λ ≤ λw²/8.
//
// A network composes its conditionals. The paper's score, the posterior probability itself, moves by at most tanh(L/2)
// in either direction. A public base measure, such as the prior, cancels from all of it.
//
// # Calibration
//
// κ is the largest at which the composed pair meets the target. A single distribution with few enough data sets is
// calibrated by enumeration: every data set, neighbour and candidate, with the weights that are drawn from.
//
// Source: Zhang, Rubinstein and Dimitrakakis, "On the Differential Privacy of Bayesian Inference" (AAAI 2016),
// Algorithm 3, corrected in theory/networks.md §4: the score is the log posterior, on probabilities bounded away from
// 0. The paper's own score, the posterior probability, is there for comparison; with a density in its place the claim
// is false.
package gridmap

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/finite"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Kind is the registered name.
const Kind = "map-grid"

// MAP draws every conditional distribution of a model from its grid, P(θ) ∝ e^{η·u(θ)}, u the log posterior.
// Replace-one only. Arithmetic: exact.
type MAP struct {
	mechanism.Front
	steps, floor int
	posterior    bool // the paper's score
	base         bool // the paper's base measure, the prior
}

// New is the mechanism on the grid of twentieths, no probability below 1/20; fewer steps where a column's levels would
// make too many candidates.
func New() MAP { return MAP{steps: 20, floor: 1}.made() }

// WithGrid sets the steps m of the grid θ = r/m and the least r of every level: public choices. A higher floor loses
// extreme probabilities and gains a larger η at the same ε.
func (m MAP) WithGrid(steps, floor int) MAP { m.steps, m.floor = steps, floor; return m.made() }

// WithPosteriorScore takes the paper's score, the posterior probability of a grid point, with its exact sensitivity
// tanh(L/2), L the log range of the grid; AsPublished(ε) takes the paper's √L. Single posteriors only. Its exponents
// span at most ε/(2 tanh(L/2)), so that it tells candidates apart far less than the log posterior does.
func (m MAP) WithPosteriorScore() MAP { m.posterior = true; return m.made() }

// WithPriorBase takes the prior for the base measure, P(θ) ∝ ξ(θ)·e^{η·u(θ)} with ξ the prior density on the grid, in
// place of the uniform one: line 4 of the paper's Algorithm 3, with [MAP.WithPosteriorScore]. The base is public, so
// that the guarantee is the same; under a uniform prior so is the draw.
func (m MAP) WithPriorBase() MAP { m.base = true; return m.made() }

// made is the mechanism with its options as they are.
func (m MAP) made() MAP {
	m.Front = mechanism.FrontOf(func() mechanism.Family[*problem, params] { return m.mathematics() })
	return m
}

func (m MAP) title() string {
	title := "MAP by the exponential mechanism"
	if m.posterior {
		title += ", posterior score"
	}
	if m.base {
		title += ", prior as base measure"
	}
	return title
}

// supports accepts every model made of count tables; with the posterior score, single posteriors.
func (m MAP) supports(sh *model.Shape) error {
	if !sh.Counts() || m.posterior && len(sh.Conditionals()) != 1 {
		return mechanism.Unsupported(sh.Model().String(), "a model made of count tables, or, with the posterior score, one "+
			"posterior")
	}
	return nil
}

// problem is what a plan is made for.
type problem struct {
	m      MAP
	shape  *model.Shape
	target dp.Request
	n      int
	conds  []model.Conditional
	grids  []*grid
}

// prepare checks everything that does not depend on the rate.
func (m MAP) prepare(ctx context.Context, sh *model.Shape, t dp.Request) (*problem, error) {
	n, err := mechanism.NeedPublicN(sh, t)
	switch {
	case err != nil:
		return nil, err
	case t.NominalScale && !m.posterior:
		return nil, mechanism.Unsupported("a nominal scale with the log posterior", "WithPosteriorScore()")
	case m.floor < 1 || m.steps < 2 || m.steps > 1<<16:
		return nil, domain.Refuse("gridmap", "grid", fmt.Sprintf("%d steps, floor %d", m.steps, m.floor),
			"2 ≤ steps ≤ 65536 and floor ≥ 1")
	}
	p := &problem{m: m, shape: sh, target: t, n: n, conds: sh.Conditionals()}
	levels := make([]int, len(p.conds))
	for i, c := range p.conds {
		levels[i] = c.Levels
	}
	if p.grids, err = newGrids(ctx, levels, m.steps, m.floor); err != nil {
		return nil, err
	}
	cells := 0
	for i, c := range p.conds {
		g := p.grids[i]
		if cells += c.Rows * len(g.points); cells > 1<<26 {
			return nil, mechanism.Unsupported(fmt.Sprintf("%d candidates for %s", c.Rows*len(g.points), c.Name),
				"a coarser grid, or Geometric()")
		}
	}
	return p, nil
}

// prior is the model's hyperparameter of a level.
func (p *problem) prior(level int) float64 { return p.shape.Model().Prior().At(level) }

func (m MAP) mathematics() mechanism.Family[*problem, params] {
	return mechanism.Family[*problem, params]{
		Kind: Kind, Title: m.title(), Supports: m.supports, Prepare: m.prepare, Certify: certify,
		Of: func(q params) (mechanism.Family[*problem, params], error) {
			return MAP{steps: q.Steps, floor: q.Floor, posterior: q.Posterior, base: q.Base}.mathematics(), nil
		},
		Calibrate: func(ctx context.Context, p *problem) (params, error) {
			rate, err := p.calibrate(ctx)
			return params{m.steps, m.floor, m.posterior, m.base, rate}, err
		},
	}
}

// params are what a release file keeps.
type params struct {
	Steps     int     `json:"steps"`
	Floor     int     `json:"floor"`
	Posterior bool    `json:"posterior_score,omitempty"`
	Base      bool    `json:"prior_base,omitempty"`
	Rate      float64 `json:"rate"`
}

// Valid checks parameters from a file: *dp.ParameterError.
func (q params) Valid() error {
	if !(q.Rate > 0) || math.IsInf(q.Rate, 1) {
		return domain.Refuse("gridmap", "rate", q.Rate, "a finite number > 0")
	}
	return nil
}

// grid is the candidates for one conditional distribution: the points θ = r/m of the simplex with whole r_i ≥ floor.
type grid struct {
	levels, steps, floor int     // d, m, floor
	points               [][]int // r of every candidate
}

// maxCandidates bounds the candidates of one conditional distribution.
const maxCandidates = 200_000

// newGrid is the finest grid with at most the given steps and [maxCandidates] points: at least two.
func newGrid(ctx context.Context, levels, steps, floor int) (*grid, error) {
	for m := steps; m > levels*floor; m-- {
		if size := binomial(m-levels*floor+levels-1, levels-1); size <= maxCandidates {
			if err := cert.Memory(ctx, "a grid of candidates", size*float64(24+8*levels)); err != nil {
				return nil, err
			}
			g := &grid{levels: levels, steps: m, floor: floor}
			g.fill(make([]int, 0, levels), m)
			return g, nil
		}
	}
	return nil, domain.Refuse("gridmap",
		"resolution", fmt.Sprintf("%d steps, floor %d, %d levels", steps, floor, levels),
		fmt.Sprintf("more steps than levels × floor, and at most %d candidates", maxCandidates),
	)
}

func binomial(n, k int) float64 {
	out := 1.0
	for i := 1; i <= k; i++ {
		if out *= float64(n-k+i) / float64(i); out > 4*maxCandidates {
			break // it only grows
		}
	}
	return math.Round(out)
}

func (g *grid) fill(head []int, rest int) {
	left := g.levels - len(head)
	if left == 1 {
		g.points = append(g.points, append(append([]int(nil), head...), rest))
		return
	}
	for r := g.floor; rest-r >= (left-1)*g.floor; r++ {
		g.fill(append(head, r), rest-r)
	}
}

// logRange is ln of the largest ratio of two probabilities on the grid: what one record can change the log-likelihood
// by, from candidate to candidate.
func (g *grid) logRange() float64 {
	return math.Log(float64(g.steps-(g.levels-1)*g.floor) / float64(g.floor))
}

// score fills out with Σ_l (c_l + α_l − 1) ln θ_l of every candidate: the log posterior up to a constant.
func (g *grid) score(counts []int64, prior func(level int) float64, out []float64) {
	logs := make([]float64, g.steps+1)
	for r := 1; r <= g.steps; r++ {
		logs[r] = math.Log(float64(r) / float64(g.steps))
	}
	weights := make([]float64, g.levels)
	for l := range weights {
		weights[l] = float64(counts[l]) + prior(l) - 1
	}
	for i, p := range g.points {
		sum := 0.0
		for l, r := range p {
			sum += weights[l] * logs[r]
		}
		out[i] = sum
	}
}

// exponents turns scores into the exponents of the draw, P ∝ e^{−E}: E = rate·(max − score), cut at the sampler's
// limit. Both steps are 1-Lipschitz, and differences of neighbours' exponents take both signs or 0, so that neither
// widens their range.
func exponents(scores []float64, rate float64) {
	top := math.Inf(-1)
	for _, s := range scores {
		top = math.Max(top, s)
	}
	for i, s := range scores {
		scores[i] = math.Min(rate*(top-s), sample.MaxExponent)
	}
}

// based is [exponents] with a base measure, given by its logarithms: E = max − v, v = rate·score + ln μ. The base
// cancels from differences of neighbours' v.
func based(scores, logBase []float64, rate float64) {
	top := math.Inf(-1)
	for i, s := range scores {
		scores[i] = rate*s + logBase[i]
		top = math.Max(top, scores[i])
	}
	for i, v := range scores {
		scores[i] = math.Min(top-v, sample.MaxExponent)
	}
}

// logBase is the logarithm of the base measure at every candidate, up to a constant: that of the prior density.
func (p *problem) logBase(g *grid) []float64 {
	out := make([]float64, len(g.points))
	g.score(make([]int64, g.levels), p.prior, out)
	return out
}

// posteriorScores turns log posteriors into probabilities on the grid.
func posteriorScores(scores []float64) {
	top, sum := math.Inf(-1), 0.0
	for _, s := range scores {
		top = math.Max(top, s)
	}
	for i, s := range scores {
		scores[i] = math.Exp(s - top)
		sum += scores[i]
	}
	for i := range scores {
		scores[i] /= sum
	}
}

// rounding bounds what floating point adds to the range of neighbours' exponents, for a rate and n records: every score
// errs by at most (d+2)·2^−52 of Σ c|ln θ|, and the sampler's weights by a fixed relative error.
func (g *grid) rounding(rate, n, extra float64) float64 {
	largest := (n + extra) * math.Log(float64(g.steps)/float64(g.floor))
	return 2 * (rate*float64(g.levels+4)*0x1p-52*largest + 2*sample.RelativeError(sample.MaxExponent))
}

// newGrids makes the grid of every conditional distribution; those of the same number of levels share one.
func newGrids(ctx context.Context, levels []int, steps, floor int) ([]*grid, error) {
	known, bytes := map[int]*grid{}, 0.0
	out := make([]*grid, len(levels))
	for i, l := range levels {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		g, ok := known[l]
		if !ok {
			var err error
			if g, err = newGrid(ctx, l, steps, floor); err != nil {
				return nil, err
			}
			known[l] = g
			bytes += float64(len(g.points)) * float64(24+8*l)
			if err := cert.Memory(ctx, "the grids of candidates", bytes); err != nil {
				return nil, err
			}
		}
		out[i] = g
	}
	return out, nil
}

// Descriptors describes the mechanism of this room.
func Descriptors() []mechanism.Descriptor {
	d := mechanism.Describe(New(), "MAP", "map", "MAP")
	d.Choices = choices
	return []mechanism.Descriptor{d}
}

// choices are resolutions; the fine one where no column has more than three levels. Its exact calibration takes seconds
// for some thousand records: where that is too much, the estimate of its cost leaves it out.
func choices(sh *model.Shape) []mechanism.Choice {
	out := []mechanism.Choice{{Name: "grid of 1/20", Mechanism: New(), Go: "MAP()"}}
	for _, c := range sh.Conditionals() {
		if c.Levels > 3 {
			return out
		}
	}
	return append(out, mechanism.Choice{Name: "grid of 1/100", Mechanism: New().WithGrid(100, 1),
		Go: "MAP().WithGrid(100, 1)"})
}

// calibrated is the steps of one pair and candidate in an exact calibration: some forty audits.
const calibrated = 900

// Cost estimates a plan by its candidates, which distributions of as many levels share, and by pairs × candidates where
// they are enumerated; a draw weighs every candidate of every row. Where there is no grid it is refused at once.
func (m MAP) Cost(sh *model.Shape, _ dp.Request) (c mechanism.Cost) {
	n, _ := sh.N()
	conds := sh.Conditionals()
	c.Plan = 5e4
	known := map[int]bool{}
	for _, k := range conds {
		levels := float64(k.Levels)
		size := candidates(k.Levels, m.steps, m.floor) * levels
		if size == 0 {
			return mechanism.Cost{}
		}
		c.Draw += float64(k.Rows) * (2*size + 2000*levels)
		c.Bytes += 64 * float64(k.Rows) * levels
		if c.Plan += 3e3; !known[k.Levels] {
			known[k.Levels] = true
			c.Plan += 15 * size
			c.Bytes += 2 * (8*size + 40*size/levels)
		}
	}
	if len(conds) == 1 {
		visits := finite.Space{Cells: conds[0].Levels, N: n,
			Adjacency: dp.ReplaceOne}.Pairs() * candidates(conds[0].Levels, m.steps, m.floor)
		if visits <= calibrationWork {
			c.Plan += calibrated * visits
		}
	}
	return c
}

// candidates is the size of the grid that newGrid makes; 0 where it refuses.
func candidates(levels, steps, floor int) float64 {
	for m := steps; m > levels*floor; m-- {
		if size := binomial(m-levels*floor+levels-1, levels-1); size <= maxCandidates {
			return size
		}
	}
	return 0
}
