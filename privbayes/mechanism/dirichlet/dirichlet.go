package dirichlet

import (
	"context"
	"fmt"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/sensitivity"
)

// Kind is the registered name.
const Kind = "dirichlet"

// form is what is released of every table.
type form string

const (
	// gammaForm releases independent draws g ~ Gamma(r·count + α) of every cell and estimates each count by its
	// posterior mean, which removes the bias of α. It has the guarantee of the Dirichlet: the proof dominates the
	// latter with it.
	gammaForm form = "gamma"
	// simplexForm releases y ~ Dirichlet(r·counts + α), the gamma draws of a table divided by their sum: the paper's
	// mechanism. The parameters of the released model are y itself, a draw from a flattened posterior.
	simplexForm form = "simplex"
)

// Dirichlet is the Dirichlet mechanism. It has (λ, ε)-Rényi, (ρ, ω)-truncated concentrated and (ε, δ) guarantees,
// exactly calibrated; neither pure nor zCDP ones, for any parameters (its loss is unbounded and its Rényi divergence is
// infinite at high orders). Arithmetic: ideal. See [SyntheticRecords] for exact arithmetic.
type Dirichlet struct {
	mechanism.Front
	form        form
	calibration Calibration
	minCount    int
	bySize      bool
	prior       bool // an independent draw of the class prior
}

// New is the mechanism in gamma form at r = 32, where the posterior means have lost the bias and the noise is nearly
// Gaussian: the form for estimation.
func New() Dirichlet { return Dirichlet{form: gammaForm, calibration: AtRate(32)}.made() }

// Raw is the paper's form, one normalised draw, with the r of Algorithm 1 and the smallest α that meets the target: the
// form for posterior samples.
func (m Dirichlet) Raw() Dirichlet {
	m.form = simplexForm
	if m.calibration == AtRate(32) {
		m.calibration = AlphaStar
	}
	return m.made()
}

// made is the mechanism with its options as they are.
func (m Dirichlet) made() Dirichlet {
	m.Front = mechanism.FrontOf(func() mechanism.Family[*problem, params] { return m.mathematics() })
	return m
}

// WithCalibration chooses r and α otherwise.
func (m Dirichlet) WithCalibration(c Calibration) Dirichlet { m.calibration = c; return m.made() }

// WithMinCount raises every count below b to b before the draw, and calibrates for tables whose cells hold at least b
// records. The guarantee needs no promise: raising moves counts no further apart. The accuracy does: choose b from
// public knowledge that cells hold so many. Source: Remark 2; Corollary A5.
func (m Dirichlet) WithMinCount(b int) Dirichlet { m.minCount = b; return m.made() }

// BySize gives tables with more cells C a larger share of the budget, ε_k ∝ C_k^0.8: it helps where counts exceed the
// noise. Replace-one and add-remove. Source: theory/dirichlet.md §4.
func (m Dirichlet) BySize() Dirichlet { m.bySize = true; return m.made() }

// WithSeparatePrior draws the class prior of naive Bayes on its own, as the paper does, at the cost of one more table.
// Without, it comes from the tables' draws at no cost (Theorem D).
func (m Dirichlet) WithSeparatePrior() Dirichlet { m.prior = true; return m.made() }

func (m Dirichlet) title() string {
	t := "Dirichlet mechanism"
	if m.form == gammaForm {
		t += ", posterior mean"
	}
	if m.calibration != AlphaStar && m.calibration != AtRate(32) {
		t += ", " + m.calibration.String()
	}
	if m.bySize {
		t += ", by table size"
	}
	if m.prior {
		t += ", separate prior"
	}
	return t
}

// supports accepts every model made of count tables.
func (m Dirichlet) supports(sh *model.Shape) error {
	if err := mechanism.CountsOnly(sh); err != nil {
		return err
	}
	if m.prior && !sh.SharesClass() {
		return mechanism.Unsupported("a separate class prior of "+sh.Model().String(), "naive Bayes")
	}
	return nil
}

// problem is what a plan is made for: a shape without what the adjacency hides, and how one unit moves in it.
type problem struct {
	m        Dirichlet
	shape    *model.Shape
	target   dp.Request
	n        float64 // records; 0 where private
	touched  int     // tables that one unit's change reaches
	rows     int     // rows of a unit
	replaced bool    // a record moves, rather than comes or goes
	binary   bool    // one table of two cells and public n
	weighted bool    // blocks have different weights
	blocks   []block
	ctx      context.Context // of the search for r and α; nil: without end
}

// block is one table to draw, with the share of its noise.
type block struct {
	rows, levels int     // conditional distributions of the table, and the cells of each
	weight       float64 // α_k/α
}

// prepare checks everything that does not depend on r and α.
func (m Dirichlet) prepare(_ context.Context, sh *model.Shape, t dp.Request) (*problem, error) {
	if !t.Adjacency.PublicN() {
		sh = sh.WithoutN()
	}
	cells := make([]int, len(sh.Tables()))
	for i, tb := range sh.Tables() {
		cells[i] = tb.Cells()
	}
	s, err := sensitivity.OfMeasured(sh, t.Adjacency, cells)
	if err != nil {
		return nil, err
	}
	n, public := sh.N()
	p := &problem{m: m, shape: sh, target: t, n: float64(n), rows: s.Rows, touched: s.Cells,
		replaced: t.Adjacency != dp.AddRemove}
	if p.replaced {
		p.touched = s.Cells / 2
	}
	switch {
	case t.ExactOnly:
		return nil, mechanism.Unsupported("exact arithmetic", "SyntheticRecords(m), whose urn draws integers, or "+
			"DiscreteGaussian()")
	case t.Notion == dp.Pure:
		return nil, mechanism.Unsupported("pure ε-DP: its loss is unbounded", "ApproxDP, RenyiDP or TCDP, or Geometric()")
	case t.Notion == dp.Concentrated:
		return nil, mechanism.Unsupported("zCDP: its Rényi divergence is infinite at high orders", "TCDP(ρ, ω), which bounds "+
			"all orders up to ω, or DiscreteGaussian()")
	case t.NominalScale && m.calibration != Algorithm1 && m.calibration != Remark1:
		return nil, mechanism.Unsupported("a nominal scale with "+m.calibration.String(),
			"WithCalibration(dirichlet.Algorithm1)")
	case m.form == simplexForm && !public:
		return nil, mechanism.Unsupported("private n in simplex form, which has no totals", "the gamma form, dirichlet.New()")
	case public && float64(m.minCount)*float64(sh.Cells()) > float64(n)*float64(len(cells)):
		return nil, domain.Refuse("dirichlet", "min_count", m.minCount,
			fmt.Sprintf("a count that every cell can hold with n = %d", n))
	case m.minCount < 0:
		return nil, domain.Refuse("dirichlet", "min_count", m.minCount, "≥ 0 records in every cell")
	case t.Adjacency == dp.ReplaceValue && (m.bySize || m.prior):
		return nil, mechanism.Unsupported("shares by table or a separate prior under replace-value", "replace-one, or equal "+
			"shares")
	}
	p.binary = len(cells) == 1 && cells[0] == 2 && public && p.replaced && s.Rows == 1 && m.minCount == 0 && n > 0
	mean := 0.0
	for _, tb := range sh.Tables() {
		levels := tb.Levels[len(tb.Levels)-1]
		p.blocks = append(p.blocks, block{rows: tb.Cells() / levels, levels: levels, weight: 1})
		mean += float64(levels) / float64(len(cells))
	}
	if m.prior {
		p.blocks = append(p.blocks, block{rows: 1, levels: sh.Classes(), weight: 1})
		p.touched++
	}
	if p.weighted = m.bySize; m.bySize {
		for k := range p.blocks {
			p.blocks[k].weight = sizeWeight(float64(p.blocks[k].levels) / mean)
		}
	}
	return p, nil
}

func (m Dirichlet) mathematics() mechanism.Family[*problem, params] {
	return mechanism.Family[*problem, params]{
		Kind: Kind, Title: m.title(), Supports: m.supports, Prepare: m.prepare, Certify: certify,
		Of: func(q params) (mechanism.Family[*problem, params], error) {
			return Dirichlet{form: q.Form, calibration: q.Calibration, minCount: q.MinCount, bySize: q.BySize,
				prior: q.Prior}.mathematics(), nil
		},
		Calibrate: func(ctx context.Context, p *problem) (params, error) {
			r, alpha, err := p.searched(ctx)
			return params{m.form, m.calibration, r, alpha, m.minCount, m.bySize, m.prior}, err
		},
		Expect: func(_ context.Context, p *problem, q params) ([]mechanism.Expectation, error) {
			return p.expect(q.Rate, q.Shape), nil
		},
	}
}

// searched calibrates until ctx ends.
func (p *problem) searched(ctx context.Context) (r, alpha float64, err error) {
	p.ctx = ctx
	defer func() { p.ctx = nil }()
	return p.calibrate()
}

// params are what a release file keeps.
type params struct {
	Form        form        `json:"form"`
	Calibration Calibration `json:"calibration"`
	Rate        float64     `json:"rate"`
	Shape       float64     `json:"shape"`
	MinCount    int         `json:"min_count,omitempty"`
	BySize      bool        `json:"by_size,omitempty"`
	Prior       bool        `json:"separate_prior,omitempty"`
}

// Valid checks parameters from a file: *dp.ParameterError.
func (q params) Valid() error {
	if q.Form != gammaForm && q.Form != simplexForm {
		return domain.Refuse("dirichlet", "form", safetext.Short(string(q.Form)), `"gamma" or "simplex"`)
	}
	if err := q.Calibration.valid(); err != nil {
		return err
	}
	return validPair(q.Rate, q.Shape)
}
