package counts

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/privbayes/privbayes-go/internal/domain"
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
}

// of is the mechanism with a family's default post-processing.
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

// Refinements names the post-processing where that is not the family's default. See mechanism.Refined.
func (m Noise) Refinements() []string {
	if m.post == m.usual() {
		return nil
	}
	return []string{"WithPostProcess(" + m.post.goName() + ")"}
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
}

// noiseProblem is what noise is calibrated for.
type noiseProblem struct {
	shape  *model.Shape
	target dp.Request
	counts sensitivity.CountTables
}

func (m Noise) mathematics() mechanism.Family[noiseProblem, countParams] {
	return mechanism.Family[noiseProblem, countParams]{
		Kind: m.family.kind, Title: m.family.title + m.post.suffix(m.usual()),
		Prepare: m.prepare, NoNominal: !m.family.everyCell, Certify: m.certify,
		Read: m.family.read, Of: func(p countParams) (mechanism.Family[noiseProblem, countParams], error) {
			return m.WithPostProcess(p.Post).mathematics(), nil
		},
		Calibrate: func(ctx context.Context, q noiseProblem) (countParams, error) {
			d, err := least(ctx, m.family, q.counts, q.target.Parameters)
			if err == nil {
				err = m.fits(q.shape, d)
			}
			return countParams{d, m.post}, err
		},
		Expect: func(_ context.Context, q noiseProblem, p countParams) ([]mechanism.Expectation, error) {
			return expectCounts(q.shape, p.Noise), nil
		},
	}
}

// least is the least noise of a family for counts: *mechanism.UnmetTarget, or *mechanism.UnsupportedError where no
// noise of the family has a level of that kind.
func least(ctx context.Context, f noise.Family, s sensitivity.CountTables, want dp.Parameters) (noise.Distribution, error) {
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
	}
	if err := mechanism.DecodeParams(f.kind, params, &file); err != nil {
		return p, err
	}
	p.Post = file.Post
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
	d := &countSampler{shape: sh, measured: m.measured(sh, t.Adjacency), laws: slices.Repeat([]noise.Distribution{z}, len(sh.Tables())),
		unit: z.Unit(), post: m.post}
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
	return mechanism.Spec{
		Shape: sh, Settings: settings, Arithmetic: dp.Exact, StandardFormula: formula, Pair: z.Pair(s.Cells, s.Rows),
		Checks: checks, Expected: expected, Sampler: d, Noise: z,
	}, nil
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

	consistent *consistency // of Consistent only
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
	return mechanism.Output{Raw: out}, nil
}
