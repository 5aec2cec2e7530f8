package counts

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/sensitivity"
)

// noise is an exact law on the integers, symmetric about 0.
type noise interface {
	Draw(src interface{ Uint64() uint64 }) int64
	LogProb(z int64) float64
	LogTail(z int64) float64
	Variance() float64
}

// noiseFamily is a one-parameter family of integer noise on counts. The parameter is a dyadic rational, rounded toward
// privacy.
type noiseFamily interface {
	kind() string
	title() string
	unit() int64     // steps of the noise's lattice per record; counts are measured in steps
	everyCell() bool // measure every cell even where n minus the others would do
	// calibrate finds the least noise whose pair meets the level, or says why none does.
	calibrate(ctx context.Context, s sensitivity.CountTables, want dp.Level) (mechanism.Rational, error)
	noise(r mechanism.Rational) (noise, error)
	pair(r mechanism.Rational, s sensitivity.CountTables) loss.Pair
	textbook(r mechanism.Rational, s sensitivity.CountTables, want dp.Level) mechanism.Textbook
	settings(r mechanism.Rational) []mechanism.Setting
	// checks executes the claim for the parameters.
	checks(ctx context.Context, r mechanism.Rational, sh *model.Shape, s sensitivity.CountTables,
		want dp.Target) ([]cert.Check, error)
	meanAbsolute(r mechanism.Rational) float64
	additive(r mechanism.Rational) *mechanism.CountNoise
}

// Noise adds independent exact integer noise to every measured count of a model's tables: the Geometric and
// DiscreteGaussian mechanisms. The zero value is not usable.
type Noise struct {
	family noiseFamily
	post   PostProcess
}

// WithPostProcess returns the mechanism with another public post-processing of the noisy counts.
func (m Noise) WithPostProcess(p PostProcess) Noise { m.post = p; return m }

// Name is the registered kind.
func (m Noise) Name() string { return m.family.kind() }

// Title is the mechanism's name for people. It names the post-processing where that is not the family's default.
func (m Noise) Title() string { return m.family.title() + m.post.suffix(m.usual()) }

// usual is the family's default post-processing.
func (m Noise) usual() PostProcess {
	if m.family.everyCell() {
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

// Supports accepts every model made of count tables whose counts fit the noise's lattice.
func (m Noise) Supports(sh *model.Shape) error {
	if err := mechanism.CountsOnly(m.Title(), sh); err != nil {
		return err
	}
	if n, _ := sh.N(); int64(n) > math.MaxInt64/(1<<8)/m.family.unit() {
		return &mechanism.UnsupportedError{Mechanism: m.Title(), What: fmt.Sprintf("n = %d", n), Use: "Geometric()"}
	}
	return nil
}

type countParams struct {
	Noise mechanism.Rational `json:"noise"`
	Post  PostProcess        `json:"post_process"`
}

// noiseProblem is what noise is calibrated for.
type noiseProblem struct {
	shape  *model.Shape
	target dp.Target
	counts sensitivity.CountTables
}

func (m Noise) mathematics() mechanism.Family[noiseProblem, countParams] {
	return mechanism.Family[noiseProblem, countParams]{
		Of: m, Prepare: m.prepare, NoNominal: !m.family.everyCell(), Certify: m.certify,
		Calibrate: func(ctx context.Context, q noiseProblem) (countParams, error) {
			r, err := m.family.calibrate(ctx, q.counts, q.target.Level)
			return countParams{r, m.post}, err
		},
		Expect: func(_ context.Context, q noiseProblem, p countParams) ([]mechanism.Expectation, error) {
			law, err := m.family.noise(p.Noise)
			if err != nil {
				return nil, err
			}
			return expectCounts(q.shape, law, m.family.meanAbsolute(p.Noise), float64(m.family.unit())), nil
		},
	}
}

// Plan calibrates the noise to the target and certifies it.
func (m Noise) Plan(ctx context.Context, sh *model.Shape, t dp.Target) (*mechanism.Plan, error) {
	return m.mathematics().Plan(ctx, sh, t)
}

// Expect calibrates like Plan and predicts the errors, without the certificate: for searches over many targets, whose
// result is then planned. Errors are those of Plan.
func (m Noise) Expect(ctx context.Context, sh *model.Shape, t dp.Target) ([]mechanism.Expectation, error) {
	return m.mathematics().Expected(ctx, sh, t)
}

// rebuilt certifies the parameters of a file.
func (m Noise) rebuilt() mechanism.Rebuild {
	return mechanism.Rebuilds(m.Name(), func(p countParams) (mechanism.Family[noiseProblem, countParams], error) {
		return m.WithPostProcess(p.Post).mathematics(), p.Noise.Valid()
	})
}

// prepare checks what does not depend on the noise.
func (m Noise) prepare(_ context.Context, sh *model.Shape, t dp.Target) (q noiseProblem, err error) {
	if !t.Adjacency.PublicN() {
		sh = sh.WithoutN()
	}
	if err := m.post.valid(); err != nil {
		return q, err
	}
	if _, public := sh.N(); m.post == Project && !public {
		return q, &mechanism.UnsupportedError{
			Mechanism: m.Title(), What: "a projection to tables of n records under a private n",
			Use: "replace-one adjacency, or Clamp",
		}
	}
	if err := m.Supports(sh); err != nil {
		return q, err
	}
	s, err := sensitivity.OfMeasured(sh, t.Adjacency, m.measured(sh, t.Adjacency))
	return noiseProblem{sh, t, s}, err
}

// measured lists how many cells of each table are measured.
func (m Noise) measured(sh *model.Shape, adj dp.Adjacency) []int {
	out := sensitivity.Measured(sh, adj)
	if m.family.everyCell() {
		for i, t := range sh.Tables() {
			out[i] = t.Cells()
		}
	}
	return out
}

// certify states the release at given noise, and fails if its checks do.
func (m Noise) certify(ctx context.Context, q noiseProblem, params countParams) (spec mechanism.Spec, err error) {
	sh, s, t, r := q.shape, q.counts, q.target, params.Noise
	law, err := m.family.noise(r)
	if err != nil {
		return spec, err
	}
	if err := m.estimates(law); err != nil {
		return spec, err
	}
	pair := m.family.pair(r, s)
	level, err := spend(ctx, pair, t, m.Title())
	if err != nil {
		return spec, err
	}
	checks, err := m.checks(ctx, r, sh, s, t)
	if err != nil {
		return spec, err
	}
	settings := append([]mechanism.Setting{
		{Name: "sensitivity", Value: fmt.Sprintf("ℓ₁ = %d, ℓ₂² = %d: one row changes %d counts by one", s.L1(),
			s.L2Squared(), s.Cells)},
	}, m.family.settings(r)...)
	unit := m.family.unit()
	d := &countDrawer{shape: sh, measured: m.measured(sh, t.Adjacency), law: law, unit: unit, post: m.post}
	settings = append(settings, mechanism.Setting{Name: "post-processing", Value: string(m.post)})
	if m.post == Consistent {
		if d.consistent, err = newConsistency(ctx, sh, m.Title()); err != nil {
			return spec, err
		}
		settings = append(settings, d.consistent.setting(math.Sqrt(law.Variance())/float64(unit)))
	}
	expected := expectCounts(sh, law, m.family.meanAbsolute(r), float64(unit))
	e, ok, err := familyNoise(ctx, sh, m.post == Consistent, math.Sqrt(law.Variance())/float64(unit))
	if err != nil {
		return spec, err
	}
	if ok {
		expected = append(expected, e)
	}
	return mechanism.Spec{
		Shape: sh, Settings: settings, Level: level, Arithmetic: dp.Exact, Textbook: m.family.textbook(r, s, t.Level),
		Pair:   pair,
		Checks: checks, Expected: expected, Drawer: d, Noise: m.family.additive(r),
	}, nil
}

// spend is the level of noise with the pair. Noise is never nominal: the paper's mode of Laplace is its right one. It
// fails with *mechanism.UnmetTarget.
func spend(ctx context.Context, pair loss.Pair, t dp.Target, title string) (dp.Level, error) {
	t.NominalScale = false
	level, meets, err := loss.Spend(ctx, pair, t)
	if err == nil && !meets {
		err = &mechanism.UnmetTarget{Mechanism: title, Target: t.Level, Certified: level, Reachable: "more noise"}
	}
	return level, err
}

// checks starts with the sensitivity, in closed form and enumerated, and goes on with the family's own.
func (m Noise) checks(ctx context.Context, r mechanism.Rational, sh *model.Shape, s sensitivity.CountTables,
	t dp.Target) ([]cert.Check, error) {
	ctx = selfCheck(ctx)
	c, err := sensitivity.CellsCheck(ctx, sh, t.Adjacency, s.Cells)
	if err != nil {
		return nil, err
	}
	more, err := m.family.checks(ctx, r, sh, s, t)
	return append([]cert.Check{c}, more...), err
}

// selfCheck lifts a lower work limit for the small enumerations that belong to every certificate of this room, a few
// million cases.
func selfCheck(ctx context.Context) context.Context {
	return cert.WithWorkLimit(ctx, max(cert.WorkLimit(ctx), cert.DefaultWorkLimit))
}

// drawSteps is about what one integer draw takes, in elementary steps.
const drawSteps = 200

// countDrawer adds noise to the measured cells.
type countDrawer struct {
	shape    *model.Shape
	measured []int
	law      noise
	unit     int64 // steps per record
	post     PostProcess

	consistent *consistency // of Consistent only
}

// Draw measures every count in steps of the lattice and adds noise.
func (c *countDrawer) Draw(ctx context.Context, data mechanism.Private, src *dp.Stream) (mechanism.Numbers, error) {
	tables := data.Tables()
	pulse := cert.NewPulse(ctx, drawSteps*float64(c.shape.Cells()))
	out := make([][]int64, len(c.measured))
	for t, m := range c.measured {
		out[t] = make([]int64, m)
		for i := range out[t] {
			if err := pulse.Step(drawSteps); err != nil {
				return mechanism.Numbers{}, err
			}
			out[t][i] = tables[t][i]*c.unit + c.law.Draw(src)
		}
	}
	return mechanism.Numbers{Raw: out}, nil
}
