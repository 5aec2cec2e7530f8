// Package counts releases count tables with integer noise on every measured count: two-sided geometric, discrete
// Gaussian and Laplace noise, and sum-zero geometric noise (K-norm), which keeps the total of every table. They are the
// plain baselines of every comparison; K-norm is the recommended release of a single posterior.
//
// # What is released
//
//	y = f + Z,  f the measured counts,  P(Z = z) ∝ e^{−γΣ|z_i|}      (geometric)
//	                                    P(Z = z) ∝ e^{−Σz_i²/(2σ²)}   (discrete Gaussian)
//	                                    P(Z = z) ∝ e^{−γΣ|z_i|} on Σz_i = 0, a table at a time  (K-norm)
//
// Laplace noise is geometric noise on a grid of 1/65536 of a record.
//
// # The dominating pair, and why it dominates
//
// One unit changes m counts by at most k each (package sensitivity). For geometric noise and one count that moves by 1,
// P(y)/P′(y) is e^γ or e^{−γ}, the first with probability
//
//	P(+γ) = Σ_{z≤0} tanh(γ/2)e^{−γ|z|} = 1/(1 + e^{−γ}),
//
// randomised response at γ. Counts are independent, so the m-fold product of randomised responses is attained, not only
// a bound:
//
//	ε = mγ,  δ(ε) = Σ_j C(m,j) p^j (1−p)^{m−j} (1 − e^{ε−γ(2j−m)})₊,  p = 1/(1 + e^{−γ}),
//	D_λ = m·ln(cosh((2λ−1)γ/2)/cosh(γ/2))/(λ−1),  ρ = mγ·tanh(γ/2).
//
// For discrete Gaussian noise the loss of a shift by the integer vector v, ‖v‖² = m, is (m + 2⟨v, Z⟩)/(2σ²): D_λ ≤
// λm/(2σ²), with equality for whole λ, and δ is a sum over the distribution of ⟨v, Z⟩. For K-norm a moved record
// changes ½Σ|z_i| by at most one, and the normaliser does not depend on the data: a table's loss lies in [−2γ, 2γ],
// dominated by randomised response at 2γ.
//
// # Calibration
//
// γ (σ²) is the largest (smallest) number of the sampler's own grid at which the pair meets the target, found by
// bisection on the pair and rounded toward privacy; the certificate evaluates the pair at the parameters in use. Pure ε
// is γ = ε/m, or ε/(2T) for K-norm of T tables.
package counts

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/sensitivity"
)

// family is noise on counts: a family of distributions, and what a plan says and checks of it. Values are shared.
type family struct {
	noise.Family
	kind, title string
	everyCell   bool // measure every cell even where n minus the others would do
	// checks executes the claim for a distribution; nil: addedChecks.
	checks func(ctx context.Context, d noise.Distribution, sh *model.Shape, s sensitivity.CountTables,
		want dp.Request) ([]cert.Check, error)
	wide bool // a posterior mean sums over terms that have no recurrence
	// steps of a plan beyond the least; nil: those of an enumeration
	steps func(s size, want dp.Notion) float64
}

// Noise adds independent exact integer noise to every measured count of a model's tables: the Geometric,
// DiscreteGaussian and Laplace mechanisms, and those of [Adding]. The zero value is not usable.
type Noise struct {
	mechanism.Front
	family *family
	post   PostProcess
	byUnit bool
}

// mechanism is the family's with its default post-processing.
func (f *family) mechanism() Noise {
	m := Noise{family: f}
	return m.WithPostProcess(m.usual())
}

// WithPostProcess returns the mechanism with another public post-processing of the noisy counts. The title names it
// where it is not the family's default.
func (m Noise) WithPostProcess(p PostProcess) Noise {
	m.post, m.Front = p, mechanism.FrontOf(func() mechanism.Family[noiseProblem, countParams] { return m.mathematics() })
	return m
}

// usual is the family's default post-processing.
func (m Noise) usual() PostProcess {
	if m.family.everyCell {
		return Clamp
	}
	return PosteriorMean
}

// Refinements names what is not the family's default. See mechanism.Refined.
func (m Noise) Refinements() []string {
	var out []string
	if m.byUnit {
		out = append(out, "ByUnit()")
	}
	if m.post != m.usual() {
		out = append(out, "WithPostProcess("+m.post.goName()+")")
	}
	return out
}

// fits refuses counts that do not fit the lattice of the noise.
func (m Noise) fits(sh *model.Shape, d noise.Distribution) error {
	if d.Unit() < 1 {
		return domain.Refuse("counts", "unit of the noise", d.Unit(), "at least 1 step per record")
	}
	if n, _ := sh.N(); int64(n) > math.MaxInt64/(1<<8)/d.Unit() {
		return mechanism.Unsupported(fmt.Sprintf("n = %d", n), "Geometric()")
	}
	return nil
}

// countParams are what a release file keeps.
type countParams struct {
	Noise noise.Distribution `json:"noise"`
	Post  PostProcess        `json:"post_process"`
	Units *noise.Rational    `json:"units,omitempty"` // by unit: the rate of the noise on the moments
}

// noiseProblem is what noise is calibrated for.
type noiseProblem struct {
	shape  *model.Shape
	target dp.Request
	counts sensitivity.CountTables
}

func (m Noise) mathematics() mechanism.Family[noiseProblem, countParams] {
	return mechanism.Family[noiseProblem, countParams]{
		Kind: m.family.kind, Title: m.title(),
		Prepare: m.prepare, NoNominal: !m.family.everyCell, Certify: m.certify,
		Read: m.family.read, Of: func(p countParams) (mechanism.Family[noiseProblem, countParams], error) {
			m.byUnit = p.Units != nil
			return m.WithPostProcess(p.Post).mathematics(), nil
		},
		Calibrate: func(ctx context.Context, q noiseProblem) (countParams, error) {
			if m.byUnit {
				return m.leastByUnit(ctx, q)
			}
			d, err := least(ctx, m.family, q.counts, q.target.Parameters)
			if err == nil {
				err = m.fits(q.shape, d)
			}
			return countParams{Noise: d, Post: m.post}, err
		},
		Expect: func(_ context.Context, q noiseProblem, p countParams) ([]mechanism.Expectation, error) {
			return expectCounts(q.shape, p.Noise), nil
		},
	}
}

// title names the post-processing where it is not the usual one.
func (m Noise) title() string {
	title := m.family.title + m.post.suffix(m.usual())
	if m.byUnit {
		title += ", by unit"
	}
	return title
}

// least is the least noise of a family for counts: *mechanism.UnmetTarget, or *mechanism.UnsupportedError where no
// noise of the family has a level of that kind.
func least(ctx context.Context, f noise.Family, s sensitivity.CountTables, want dp.Parameters) (noise.Distribution,
	error) {
	d, met, err := f.Least(ctx, s.Cells, s.Rows, want)
	if err != nil || met {
		return d, err
	}
	pair := d.Pair(s.Cells, s.Rows)
	if want.Notion == dp.Pure && math.IsInf(pair.PureEpsilon(), 1) {
		return nil, mechanism.Unsupported(want.String()+": its loss is unbounded",
			"the geometric mechanism, or an (ε, δ), Rényi or zCDP target")
	}
	return nil, mechanism.Unmet(ctx, want, pair, "a level at least that of "+d.String())
}

// read reads the parameters of a file.
func (f *family) read(params json.RawMessage) (p countParams, err error) {
	var file struct {
		Noise json.RawMessage `json:"noise"`
		Post  PostProcess     `json:"post_process"`
		Units *noise.Rational `json:"units,omitempty"`
	}
	if err := mechanism.DecodeParams(f.kind, params, &file); err != nil {
		return p, err
	}
	p.Post, p.Units = file.Post, file.Units
	p.Noise, err = f.Parse(file.Noise)
	return p, err
}

// prepare checks what does not depend on the noise.
func (m Noise) prepare(_ context.Context, sh *model.Shape, t dp.Request) (q noiseProblem, err error) {
	if !t.Adjacency.PublicN() {
		sh = sh.WithoutN()
	}
	if err := m.post.valid(); err != nil {
		return q, err
	}
	if m.byUnit {
		if err := m.hasUnits(sh); err != nil {
			return q, err
		}
	}
	if _, public := sh.N(); m.post == Project && !public {
		return q, mechanism.Unsupported("a projection to tables of n records under a private n",
			"replace-one adjacency, or Clamp")
	}
	s, err := sensitivity.OfMeasured(sh, t.Adjacency, m.measured(sh, t.Adjacency))
	return noiseProblem{sh, t, s}, err
}

// measured lists how many cells of each table are measured.
func (m Noise) measured(sh *model.Shape, adj dp.Adjacency) []int {
	if m.family.everyCell {
		return everyCell(sh)
	}
	return sensitivity.Measured(sh, adj)
}

// certify states the release at given noise, and fails if its checks do.
func (m Noise) certify(ctx context.Context, q noiseProblem, params countParams) (spec mechanism.Spec, err error) {
	sh, s, t, z := q.shape, q.counts, q.target, params.Noise
	if err := m.fits(sh, z); err != nil {
		return spec, err
	}
	checks, err := m.checks(ctx, z, sh, s, t)
	if err != nil {
		return spec, err
	}
	settings := []mechanism.Setting{
		{Name: "sensitivity", Value: fmt.Sprintf("ℓ₁ = %d, ℓ₂² = %d: one row changes %d counts by one", s.L1(),
			s.L2Squared(), s.Cells)},
		{Name: "noise", Value: z.String()},
	}
	sd := math.Sqrt(z.Variance()) / float64(z.Unit())
	d := m.sampler(q, z)
	d.otherWay = m.other(q)
	settings = append(settings, mechanism.Setting{Name: "post-processing", Value: string(m.post)})
	if m.post == Consistent {
		if d.consistent, err = newConsistency(ctx, sh); err != nil {
			return spec, err
		}
		settings = append(settings, d.consistent.setting(sd))
	}
	expected := expectCounts(sh, z)
	e, ok, err := familyNoise(ctx, sh, m.post == Consistent, sd)
	if err != nil {
		return spec, err
	}
	if ok {
		expected = append(expected, e)
	}
	formula := mechanism.StandardFormula{}
	formula.Level, formula.Source = z.StandardFormula(s.Cells, s.Rows, t.Parameters)
	spec = mechanism.Spec{
		Shape: sh, Settings: settings, Arithmetic: dp.Exact, StandardFormula: formula, Pair: z.Pair(s.Cells, s.Rows),
		Checks: checks, Expected: expected, Sampler: d, Noise: z,
	}
	if m.byUnit {
		err = m.byUnitSpec(ctx, &spec, d, s, t, params)
	}
	return spec, err
}

// checks starts with the sensitivity, in closed form and enumerated, and goes on with the family's own.
func (m Noise) checks(ctx context.Context, z noise.Distribution, sh *model.Shape, s sensitivity.CountTables,
	t dp.Request) ([]cert.Check, error) {
	ctx = selfCheck(ctx)
	c, err := sensitivity.CellsCheck(ctx, sh, t.Adjacency, s.Cells)
	if err != nil {
		return nil, err
	}
	more, err := m.family.checksOf(ctx, z, sh, s, t)
	return append([]cert.Check{c}, more...), err
}

// selfCheck lifts a lower work limit for the small enumerations that belong to every certificate of this room, a few
// million cases.
func selfCheck(ctx context.Context) context.Context {
	return cert.WithWorkLimit(ctx, max(cert.WorkLimit(ctx), cert.DefaultWorkLimit))
}

// drawSteps is about what one integer draw takes, in elementary steps.
const drawSteps = 200

// countSampler adds noise to the measured cells.
type countSampler struct {
	shape    *model.Shape
	measured []int
	laws     []noise.Distribution // of every table
	unit     int64                // steps per record
	post     PostProcess

	consistent *consistency       // of Consistent only
	unitNoise  noise.Distribution // by unit: of the noise on the moments
	// that of the release by unit of one by rows, and the other way round: see Noise.other
	otherWay func(ctx context.Context) (*countSampler, bool)
}

// Draw measures every count in steps of the lattice and adds noise.
func (c *countSampler) Draw(ctx context.Context, data mechanism.Private, src *dp.Stream) (mechanism.Output, error) {
	tables := data.Tables()
	progress := cert.NewProgress(ctx, drawSteps*float64(c.shape.Cells()))
	out := make([][]int64, len(c.measured))
	for t, m := range c.measured {
		out[t] = make([]int64, m)
		for i := range out[t] {
			if err := progress.Step(drawSteps); err != nil {
				return mechanism.Output{}, err
			}
			out[t][i] = tables[t][i]*c.unit + c.laws[t].Draw(src)
		}
	}
	if c.unitNoise != nil {
		out = append(out, c.unitSums(data.Units(), src))
	}
	return mechanism.Output{Raw: out}, nil
}

// Descriptors describes the mechanisms of this room.
func Descriptors() []mechanism.Descriptor {
	fourier := mechanism.Describe(Fourier(), "Fourier", "fourier", "Fourier")
	fourier.Choices = func(*model.Shape) []mechanism.Choice {
		return []mechanism.Choice{{Name: "cut at 0", Mechanism: Fourier(), Go: "Fourier()"}}
	}
	consistent := mechanism.Describe(Geometric().WithPostProcess(Consistent), "Consistent", "consistent", "")
	consistent.Title, consistent.Choices = "Geometric noise, consistent tables", nil
	return []mechanism.Descriptor{
		described(KNorm(), "KNorm", "k-norm", "K-norm", "KNorm()", KNorm().WithPostProcess, Project, PosteriorMean),
		described(Geometric(), "Geometric", "geometric", "Geometric", "Geometric()", Geometric().WithPostProcess,
			PosteriorMean, Clamp, Consistent),
		described(DiscreteGaussian(), "DiscreteGaussian", "discrete-gaussian", "Discrete Gaussian", "DiscreteGaussian()",
			DiscreteGaussian().WithPostProcess, PosteriorMean, Clamp, Consistent),
		described(BySize(), "BySize", "by-size", "Geometric by size", "BySize()", BySize().WithPostProcess, Clamp,
			Consistent),
		fourier,
		described(Laplace(), "Laplace", "laplace", "Laplace", "Laplace()", Laplace().WithPostProcess, PosteriorMean, Clamp),
		consistent,
	}
}

// described describes a mechanism that a comparison tries with every post-processing of a list that fits a shape: a
// single table is consistent already.
func described[M mechanism.Fronted](m M, name, flag, short, expression string, with func(PostProcess) M,
	list ...PostProcess) mechanism.Descriptor {
	d := mechanism.Describe(m, name, flag, short)
	d.Choices = func(sh *model.Shape) (out []mechanism.Choice) {
		for _, p := range list {
			name := string(p)
			if p == Consistent {
				if name = "least squares"; len(sh.Tables()) == 1 {
					continue
				}
			}
			out = append(out, mechanism.Choice{Name: name, Mechanism: with(p),
				Go: expression + ".WithPostProcess(" + goNames[p] + ")"})
		}
		return out
	}
	return d
}

// goNames are the post-processings in Go.
var goNames = map[PostProcess]string{
	PosteriorMean: "counts.PosteriorMean", Clamp: "counts.Clamp", Project: "counts.Project",
	Consistent: "counts.Consistent", FlatPosteriorMean: "counts.FlatPosteriorMean", Clip: "counts.Clip",
}

// goName is the post-processing in Go, quoted where it is none.
func (p PostProcess) goName() string {
	if name, ok := goNames[p]; ok {
		return name
	}
	return safetext.Quote(string(p))
}

// expectCounts predicts errors of raw noisy counts: the standard deviation and mean absolute error of one count and,
// where n is public, of one estimated proportion and of the ℓ₁ distance of a single table.
func expectCounts(sh *model.Shape, d noise.Probabilities) []mechanism.Expectation {
	unit := float64(d.Unit())
	meanAbs := noise.MeanAbsolute(d) / unit
	out := []mechanism.Expectation{
		{Name: "standard deviation of a count", Value: math.Sqrt(d.Variance()) / unit, Unit: "records",
			How: "closed form, before post-processing"},
		{Name: "absolute error of a count", Value: meanAbs, Unit: "records", How: "closed form, before post-processing"},
	}
	if n, ok := sh.N(); ok && n > 0 {
		out = append(out, mechanism.Expectation{Name: mechanism.ProportionErrorName, Value: meanAbs / float64(n),
			How: "closed form, before post-processing"})
	}
	return out
}

// Steps of one cell: of a clamped count, of a posterior mean, which sums over what the count may have been, and of a
// consistent table; of one row of a fitted model.
const (
	clampSteps      = 60
	consistentSteps = 100
	meanSteps       = 1200
	wideMeanSteps   = 3000 // noise whose terms have no recurrence
	rowSteps        = 400
	cellBytes       = 64 // of a count, its noise, its estimate and the model's tables
)

// Steps of a plan.
const (
	leastPlan   = 5e4   // a certificate in closed form
	enumerated  = 7.5e6 // the enumeration that a certificate executes on a smaller table
	dominating  = 3.5e6 // of a table: its profile composed of Laplace noises, for (ε, δ)
	orders      = 2.1e7 // a divergence of Laplace noise at every order
	smallParity = 1.2e7 // an enumeration of a small table's parities at every order
)

// size is what costs follow.
type size struct{ tables, cells, widest, parameters, rows float64 }

func sizeOf(sh *model.Shape) (s size) {
	for _, t := range sh.Tables() {
		s.tables++
		s.cells += float64(t.Cells())
		s.widest = math.Max(s.widest, float64(t.Cells()))
	}
	for _, c := range sh.Conditionals() {
		s.parameters += float64(c.Rows) * float64(c.Levels)
		s.rows += float64(c.Rows)
	}
	return s
}

func (s size) bytes() float64 { return cellBytes * (s.cells + s.parameters) }

// drawn is a draw of so many steps a cell, with the model that is made of the estimate: by its numbers and its rows.
func (s size) drawn(each float64) float64 {
	return each*s.cells + clampSteps*s.parameters + rowSteps*s.rows
}

// stepsOf are those of a plan beyond the least.
func (f *family) stepsOf(s size, want dp.Notion) float64 {
	if f.steps == nil {
		return enumerated
	}
	return f.steps(s, want)
}

// Cost estimates calibration and checks by the number of composed tables, and a draw by the cells.
func (m Noise) Cost(sh *model.Shape, t dp.Request) mechanism.Cost {
	s := sizeOf(sh)
	c := mechanism.Cost{Plan: leastPlan + mechanism.StructureSteps(sh) + 20*s.cells, Draw: s.drawn(clampSteps),
		Bytes: s.bytes()}
	c.Plan += m.family.stepsOf(s, t.Notion)
	switch {
	case m.post == PosteriorMean && m.family.wide:
		c.Draw = s.drawn(wideMeanSteps)
	case m.post == PosteriorMean:
		c.Draw = s.drawn(meanSteps)
	case m.post == Consistent:
		c.Draw = s.drawn(consistentSteps)
		c.Plan += 1e4 * s.tables
	}
	return c
}

// Cost estimates a draw by the cells; sum-zero noise and its projections take more for a cell of a larger table.
func (m KNormNoise) Cost(sh *model.Shape, t dp.Request) mechanism.Cost {
	s := sizeOf(sh)
	each := math.Min(75*math.Sqrt(s.widest), 8000) + clampSteps
	if m.post.usual(sh) == PosteriorMean {
		each += meanSteps
	}
	return mechanism.Cost{Plan: 4e5 + 2e3*s.tables + 20*s.cells, Draw: s.drawn(each), Bytes: s.bytes()}
}

// Cost estimates the weighing of every table's noise against the others'.
func (m BySizeNoise) Cost(sh *model.Shape, t dp.Request) mechanism.Cost {
	s := sizeOf(sh)
	each := float64(clampSteps)
	if m.post == Consistent {
		each = consistentSteps
	}
	between := 5*s.tables*s.tables + 500*s.tables
	return mechanism.Cost{Plan: leastPlan + between + 20*s.cells, Draw: between + s.drawn(each), Bytes: s.bytes()}
}

// Cost estimates the transform, which is a matrix of cells × cells for tables of columns with more than two levels.
func (m FourierNoise) Cost(sh *model.Shape, t dp.Request) mechanism.Cost {
	s, squares := sizeOf(sh), 0.0
	for _, t := range sh.Tables() {
		if slices.Max(t.Levels) > 2 {
			squares += float64(t.Cells()) * float64(t.Cells())
		}
	}
	c := mechanism.Cost{Plan: leastPlan + 150*squares + 2e4*s.tables + 1000*s.cells, Draw: s.drawn(300),
		Bytes: 8*squares + 4*s.bytes()}
	switch {
	case s.cells <= 2:
	case squares == 0:
		c.Plan += 1e6 + 2*mechanism.StructureSteps(sh)/5
	case t.Notion != dp.Pure && s.tables == 1 && s.cells <= 8:
		c.Plan += smallParity
	default:
		c.Plan += 3e5
	}
	return c
}
