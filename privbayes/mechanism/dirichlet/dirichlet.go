// Package dirichlet implements the Dirichlet mechanism: one draw from Dirichlet(r·counts + α), or the gamma draws
// behind it, for every count table of a model, calibrated exactly.
//
// # What is released
//
//	g_c ~ Gamma(r·x_c + α, 1) independent,  y = g/Σg ~ Dirichlet(r·x + α),
//
// r how much one record weighs, α/r the pseudo-count of every cell.
//
// # The dominating pair, and why it dominates
//
// A record that moves from cell i to cell j changes two of the gamma draws. Take g_1 ~ Gamma(α + r), g_2 ~ Gamma(α) for
// the one data set, Gamma(α) and Gamma(α + r) for its neighbour. Their sum has one distribution in both cases and is
// independent of w = g_1/(g_1 + g_2), so that w gives both back, by a draw of the sum. Adding independent gamma draws
// for the other records of the two cells, and those of all other cells, gives the release: a post-processing of w, the
// same for both. Hence
//
//	P = Beta(α + r, α),  Q = Beta(α, α + r),  L = ln P/Q = r·logit(w)
//
// dominates for every data set of every size, and three cells attain it: two empty ones between which the record moves.
// All rows of a contingency table cost one pair (Theorem C), and row sums of gamma draws are gamma draws, so that class
// probabilities come at no cost (Theorem D). Then
//
//	D_λ(P‖Q) = [ln B(α + λr, α + (1−λ)r) − ln B(α + r, α)]/(λ−1),  finite for λ < 1 + α/r,
//
// B the beta function; there is no pure ε and no zCDP, as L is unbounded and its tails are exponential.
//
// # Calibration
//
// r comes first, by a rule that is public ([Calibration]: a number, the paper's, or the least expected risk over a
// public prior); α is then the smallest at which the pair, composed over the tables, meets the target.
//
// Source: Ponnoprat, "Dirichlet Mechanism for Differentially Private KL Divergence Minimization" (TMLR 2023), corrected
// and made exact in theory/dirichlet.md.
package dirichlet

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/num"
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
		return nil, mechanism.Unsupported("zCDP: its Rényi divergence is infinite at high orders",
			"TCDP(ρ, ω), which bounds "+
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
		if sh.Joint() { // one distribution
			levels = tb.Cells()
		}
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

// Descriptors describes the mechanisms of this room.
func Descriptors() []mechanism.Descriptor {
	mean := mechanism.Describe(New(), "Dirichlet", "dirichlet", "Dirichlet, gamma")
	mean.Title, mean.Choices = "Dirichlet mechanism, gamma draws", alone("posterior mean", New(), "Dirichlet()")
	raw := mechanism.Describe(New().Raw(), "Dirichlet", "dirichlet-raw", "Dirichlet, one draw")
	raw.Title, raw.Choices = "Dirichlet mechanism, one draw", alone("as drawn", New().Raw(), "Dirichlet().Raw()")
	raw.New = func(o mechanism.Options) mechanism.Mechanism {
		if o.Nominal {
			return New().Raw().WithCalibration(Algorithm1)
		}
		return New().Raw()
	}
	records := mechanism.Describe(SyntheticRecords(0), "SyntheticRecords", "records", "Synthetic records")
	records.Title, records.Choices = "Synthetic records (Pólya urn)", recordChoices
	records.New = func(o mechanism.Options) mechanism.Mechanism { return SyntheticRecords(o.Count) }
	return []mechanism.Descriptor{mean, raw, records}
}

func alone(name string, m mechanism.Mechanism, expression string) func(*model.Shape) []mechanism.Choice {
	return func(*model.Shape) []mechanism.Choice {
		return []mechanism.Choice{{Name: name, Mechanism: m, Go: expression}}
	}
}

// recordChoices are sizes of a synthetic data set: under pure ε fewer records can be told apart less, under other
// notions more cost nothing.
func recordChoices(sh *model.Shape) (out []mechanism.Choice) {
	sizes := []struct {
		m    int
		name string
	}{{100, "100 records"}, {1000, "1000 records"}, {10_000, "10 000 records"}}
	n, _ := sh.N()
	for _, s := range sizes {
		if s.m <= 1000 || n > 1000 {
			out = append(out, mechanism.Choice{Name: s.name, Mechanism: SyntheticRecords(s.m),
				Go: fmt.Sprintf("SyntheticRecords(%d)", s.m)})
		}
	}
	return out
}

// Steps: of a released number, alone and with the posterior mean of what was counted, which is a sum over counts; of
// one record of an urn.
const (
	drawnSteps  = 150
	meanSteps   = 3000
	recordSteps = 15
)

// Cost estimates calibration by the tables that a profile is composed of, with what their structure's check takes and,
// for few records of one distribution, an enumeration; and a draw by the cells.
func (m Dirichlet) Cost(sh *model.Shape, t dp.Request) mechanism.Cost {
	tables, cells, each := float64(len(sh.Tables())), float64(sh.Cells()), float64(drawnSteps)
	if m.form == gammaForm {
		each = meanSteps
	}
	plan := 8e5 + mechanism.StructureSteps(sh) + 1e4*tables + 100*cells
	if t.Notion == dp.Pure || t.Notion == dp.Concentrated { // refused, or one short list in closed form
		plan = 2e5 + 100*cells
	}
	if n, _ := sh.N(); tables == 1 && cells == 2 && float64(n) <= enumeratedRecords && t.Notion == dp.Approximate {
		plan += 2e7
	}
	return mechanism.Cost{Plan: plan, Draw: (each + drawnSteps) * cells, Bytes: 64 * cells}
}

// enumeratedRecords is about the n up to which the loss of one count is enumerated.
const enumeratedRecords = 100

// Cost estimates a draw by its records, each of which searches the levels' weights.
func (m Synthesis) Cost(sh *model.Shape, t dp.Request) mechanism.Cost {
	c := m.base.Cost(sh, t)
	records, cells := float64(m.count), float64(sh.Cells())
	levels := 0.0
	for _, column := range sh.Columns() {
		levels += recordSteps + float64(column.Levels())/8
	}
	c.Draw = records*levels + 2*drawnSteps*cells
	c.Bytes += 8 * records * float64(len(sh.Columns()))
	return c
}

// expect predicts the errors. Those of counts are of the gamma draw before post-processing, at an empty cell; those of
// distributions are of the raw draw, averaged over uniform p, with the records shared equally among the rows of every
// table.
func (p *problem) expect(r, alpha float64) []mechanism.Expectation {
	mean := 0.0
	for _, b := range p.blocks {
		mean += alpha * b.weight / float64(len(p.blocks))
	}
	var out []mechanism.Expectation
	if p.m.form == gammaForm {
		const how = "closed form, of an empty cell, before post-processing"
		// E|G − α| = 2 α^α e^{−α}/Γ(α)
		absolute := 2 * math.Sqrt(mean/(2*math.Pi)) * math.Exp(-num.StirlingTail(mean)) / r
		out = []mechanism.Expectation{
			{Name: "standard deviation of a count", Value: math.Sqrt(mean) / r, Unit: "records", How: how},
			{Name: "absolute error of a count", Value: absolute, Unit: "records", How: how},
		}
		if p.n > 0 {
			out = append(out, mechanism.Expectation{Name: mechanism.ProportionErrorName, Value: absolute / p.n,
				How: how})
		}
	} else if p.n > 0 {
		sum, known := 0.0, map[block]float64{}
		for _, b := range p.blocks {
			e, ok := known[b]
			if !ok {
				e = proportionError(p.n, b.rows*b.levels, r, alpha*b.weight)
				known[b] = e
			}
			sum += e / float64(len(p.blocks))
		}
		out = append(out, mechanism.Expectation{Name: mechanism.ProportionErrorName, Value: sum,
			How: "quadrature over uniform p"})
	}
	if p.n > 0 {
		kl, entropy := p.averageKL(r, alpha, 1), 0.0
		for _, b := range p.blocks {
			entropy += (num.Digamma(float64(b.levels)+1) - num.Digamma(2)) / float64(len(p.blocks))
		}
		out = append(out,
			mechanism.Expectation{Name: "KL divergence of the raw draw", Value: kl, Unit: "nats",
				How: "quadrature over uniform p, per distribution"},
			mechanism.Expectation{Name: "log-loss of the raw draw", Value: kl + entropy, Unit: "nats",
				How: "quadrature over uniform p, per distribution"})
	}
	return out
}

// proportionError is E|y_i − p_i| for y ~ Dirichlet(rnp + α) over d cells and p uniform on the simplex. Given p, y_i ~
// Beta(a, b), and E|y − p| = m − p + 2(p·I_p(a, b) − m·I_p(a+1, b)), m = a/(a+b).
func proportionError(n float64, d int, r, alpha float64) float64 {
	return num.Integrate24(func(q float64) float64 {
		p := -math.Expm1(math.Log1p(-q) / float64(d-1))
		a, b := r*n*p+alpha, r*n*(1-p)+float64(d-1)*alpha
		m := a / (a + b)
		return m - p + 2*(p*num.RegIncBeta(a, b, p)-m*num.RegIncBeta(a+1, b, p))
	}, 0, 1, 2)
}
