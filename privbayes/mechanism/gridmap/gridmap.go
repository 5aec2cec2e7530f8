package gridmap

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/dp"
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

// made is the mechanism with its options as they are.
func (m MAP) made() MAP {
	m.Front = mechanism.FrontOf(func() mechanism.Family[*problem, params] { return m.mathematics() })
	return m
}

func (m MAP) title() string {
	if m.posterior {
		return "MAP by the exponential mechanism, posterior score"
	}
	return "MAP by the exponential mechanism"
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
			return MAP{steps: q.Steps, floor: q.Floor, posterior: q.Posterior}.mathematics(), nil
		},
		Calibrate: func(ctx context.Context, p *problem) (params, error) {
			rate, err := p.calibrate(ctx)
			return params{m.steps, m.floor, m.posterior, rate}, err
		},
	}
}

// params are what a release file keeps.
type params struct {
	Steps     int     `json:"steps"`
	Floor     int     `json:"floor"`
	Posterior bool    `json:"posterior_score,omitempty"`
	Rate      float64 `json:"rate"`
}

// Valid checks parameters from a file: *dp.ParameterError.
func (q params) Valid() error {
	if !(q.Rate > 0) || math.IsInf(q.Rate, 1) {
		return domain.Refuse("gridmap", "rate", q.Rate, "a finite number > 0")
	}
	return nil
}
