package mechanism

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
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

// noiseFamily is a one-parameter family of integer noise on counts. The parameter is a dyadic rational, rounded toward privacy.
type noiseFamily interface {
	kind() string
	title() string
	notions() string // the notions it supports, in words
	// calibrate finds the least noise whose pair meets the level, or says why none does.
	calibrate(s sensitivity.CountTables, want dp.Level) (Rational, error)
	noise(r Rational) (noise, error)
	pair(r Rational, s sensitivity.CountTables) dp.Pair
	textbook(r Rational, s sensitivity.CountTables, want dp.Level) Textbook
	settings(r Rational) []Setting
	// checks executes the claim for the parameters.
	checks(ctx context.Context, r Rational, sh *model.Shape, s sensitivity.CountTables, want dp.Target) ([]cert.Check, error)
	meanAbsolute(r Rational) float64
}

// CountNoise adds independent exact integer noise to every measured count of a model's tables: the Geometric and
// DiscreteGaussian mechanisms. The zero value is not usable.
type CountNoise struct {
	family noiseFamily
	post   PostProcess
}

// WithPostProcess returns the mechanism with another public post-processing of the noisy counts.
func (m CountNoise) WithPostProcess(p PostProcess) CountNoise { m.post = p; return m }

// Name is the registered kind.
func (m CountNoise) Name() string { return m.family.kind() }

// Title is the mechanism's name for people.
func (m CountNoise) Title() string { return m.family.title() }

// Supports accepts every model made of count tables.
func (m CountNoise) Supports(*model.Shape) error { return nil }

type countParams struct {
	Noise Rational    `json:"noise"`
	Post  PostProcess `json:"post_process"`
}

// Plan calibrates the noise to the target and certifies it.
func (m CountNoise) Plan(ctx context.Context, sh *model.Shape, t dp.Target) (*Plan, error) {
	sh, s, err := m.prepare(sh, t)
	if err != nil {
		return nil, err
	}
	if t.NominalScale {
		return nil, &UnsupportedError{m.Title(), "a nominal scale: it has no paper mode", "PureDP, ApproxDP, RenyiDP or ZCDP"}
	}
	r, err := m.family.calibrate(s, t.Level)
	if err != nil {
		return nil, err
	}
	return m.certify(ctx, sh, s, t, r)
}

// Expect calibrates like Plan and predicts the errors, without the certificate: for searches over many targets, whose result is
// then planned. Errors are those of Plan.
func (m CountNoise) Expect(sh *model.Shape, t dp.Target) ([]Expectation, error) {
	sh, s, err := m.prepare(sh, t)
	if err != nil {
		return nil, err
	}
	r, err := m.family.calibrate(s, t.Level)
	if err != nil {
		return nil, err
	}
	law, err := m.family.noise(r)
	if err != nil {
		return nil, err
	}
	return expectCounts(sh, law, m.family.meanAbsolute(r)), nil
}

// prepare checks what does not depend on the noise.
func (m CountNoise) prepare(sh *model.Shape, t dp.Target) (*model.Shape, sensitivity.CountTables, error) {
	if err := t.Valid(); err != nil {
		return nil, sensitivity.CountTables{}, err
	}
	if !t.Adjacency.PublicN() {
		sh = sh.WithoutN()
	}
	if err := m.post.valid(); err != nil {
		return nil, sensitivity.CountTables{}, err
	}
	s, err := sensitivity.OfCounts(sh, t.Adjacency)
	return sh, s, err
}

// certify builds the plan for given noise, and fails if its checks do.
func (m CountNoise) certify(ctx context.Context, sh *model.Shape, s sensitivity.CountTables, t dp.Target, r Rational) (*Plan, error) {
	law, err := m.family.noise(r)
	if err != nil {
		return nil, err
	}
	pair := m.family.pair(r, s)
	level := dp.LevelOf(pair, t.Level)
	if !dp.Meets(pair, t.Level) {
		return nil, &UnmetTarget{m.Title(), t.Level, level, "more noise"}
	}
	if t.Notion == dp.Approximate {
		// state the asked ε with the δ spent there, which is what the noise was calibrated on
		level = dp.Level{Notion: dp.Approximate, Epsilon: t.Epsilon, Delta: pair.Delta(float64(t.Epsilon))}
	}
	checks, err := m.checks(ctx, r, sh, s, t)
	if err != nil {
		return nil, err
	}
	c := &cert.Certificate{Title: m.Title() + ", " + sh.Model().String(), Checks: checks}
	if !c.OK() {
		return nil, fmt.Errorf("mechanism: a check of %s failed:\n%s", m.Title(), c)
	}
	params, err := json.Marshal(countParams{r, m.post})
	if err != nil {
		return nil, err
	}
	unit, rows := sh.Unit()
	p := &Plan{
		mechanism: m.Name(), title: m.Title(), shape: sh, target: t, params: params, pair: pair, certificate: c,
		certified: dp.Guarantee{Level: level, Adjacency: t.Adjacency, Arithmetic: dp.Exact, Unit: unit, RowsPerUnit: rows},
		textbook:  m.family.textbook(r, s, t.Level),
		settings: append([]Setting{
			{"sensitivity", fmt.Sprintf("ℓ₁ = %d, ℓ₂² = %d: one row changes %d counts by one", s.L1(), s.L2Squared(), s.Cells)},
		}, append(m.family.settings(r), Setting{"post-processing", string(m.post)})...),
		drawer: &countDrawer{shape: sh, measured: sensitivity.Measured(sh, t.Adjacency), law: law, post: m.post},
	}
	p.expected = expectCounts(sh, law, m.family.meanAbsolute(r))
	return p, nil
}

// checks starts with the sensitivity, in closed form and enumerated, and goes on with the family's own.
func (m CountNoise) checks(ctx context.Context, r Rational, sh *model.Shape, s sensitivity.CountTables, t dp.Target) ([]cert.Check, error) {
	small := sensitivity.StructureOf(sh, t.Adjacency).Reduced(enumerationPairs)
	scope := "every pair of rows of this structure"
	full := sensitivity.StructureOf(sh, t.Adjacency)
	bound := float64(s.Cells)
	if small.Records() < full.Records() {
		scope = fmt.Sprintf("every pair of rows with %d features of %v levels and %d classes; the full structure by the closed form", len(small.Features), small.Features, small.Target)
		bound = math.Min(bound, float64(smallCells(small)))
	}
	c, err := cert.Fill(ctx, cert.Check{
		Statement: "one row changes at most this many counts, each by one",
		Formula:   fmt.Sprintf("%d counts per row; ℓ₁ = %d", s.Cells, s.L1()),
		Source:    "theory/dirichlet.md §4; sensitivity.OfCounts",
		Kind:      sensitivity.EnumerationKind, Bound: cert.Number(bound), Scope: scope,
	}, small)
	if err != nil {
		return nil, err
	}
	more, err := m.family.checks(ctx, r, sh, s, t)
	return append([]cert.Check{c}, more...), err
}

// enumerationPairs keeps the enumeration inside a plan around a millisecond per feature.
const enumerationPairs = 1 << 20

// smallCells is the closed form for a reduced structure.
func smallCells(s sensitivity.Structure) int {
	k := max(len(s.Features), 1)
	switch s.Adjacency {
	case dp.AddRemove:
		return k
	case dp.ReplaceValue:
		return 2
	default:
		return 2 * k
	}
}

// rebuild certifies parameters from a file.
func (m CountNoise) rebuild(ctx context.Context, sh *model.Shape, t dp.Target, raw json.RawMessage) (*Plan, error) {
	var p countParams
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&p); err != nil {
		return nil, fmt.Errorf("mechanism: parameters of %s: %w", m.Name(), err)
	}
	if err := p.Noise.valid(); err != nil {
		return nil, err
	}
	m.post = p.Post
	sh, s, err := m.prepare(sh, t)
	if err != nil {
		return nil, err
	}
	return m.certify(ctx, sh, s, t, p.Noise)
}

// countDrawer adds noise to the measured cells.
type countDrawer struct {
	shape    *model.Shape
	measured []int
	law      noise
	post     PostProcess
}

func (c *countDrawer) draw(tables [][]int64, src *dp.Stream) [][]int64 {
	out := make([][]int64, len(c.measured))
	for t, m := range c.measured {
		out[t] = make([]int64, m)
		for i := range out[t] {
			out[t][i] = tables[t][i] + c.law.Draw(src)
		}
	}
	return out
}
