package counts

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/countmean"
	"github.com/privbayes/privbayes-go/internal/label"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/internal/seal"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/sensitivity"
)

// SumZeroNoise is the K-norm mechanism on count tables: see KNorm.
type SumZeroNoise struct{ post PostProcess }

// KNorm adds noise that keeps the public total: Z ∈ ℤ^d with ΣZ = 0 and P(Z = z) ∝ e^{−γΣ|z_i|}, to all d cells of every table
// (the K-norm mechanism of Hardt and Talwar 2010 on the lattice of histograms of n records). Moving one record changes ½Σ|z_i| by
// at most one, so γ = ε/2 per table is ε-DP with nothing lost: independent noise on every cell spends the same and also moves the
// total. It is the recommended release of a single posterior. For naive Bayes every class × feature table gets ε/K. Other targets
// are met through the K-fold randomised response that dominates K such releases. Noisy tables are projected to the nearest table of
// n records unless told otherwise. Replace-one only; arithmetic: exact. Source:
// theory/hellinger.md §8.
func KNorm() SumZeroNoise { return SumZeroNoise{Project} }

// WithPostProcess returns the mechanism with another public post-processing of the noisy counts.
func (m SumZeroNoise) WithPostProcess(p PostProcess) SumZeroNoise { m.post = p; return m }

const knormKind = "k-norm"

// Name is the registered kind.
func (m SumZeroNoise) Name() string { return knormKind }

// Title is the mechanism's name for people.
func (m SumZeroNoise) Title() string {
	return "K-norm: sum-zero geometric noise on counts" + m.post.suffix(Project)
}

// maxTableCells is the widest table that the sampler takes.
const maxTableCells = 1 << 20

// Supports accepts models with public n and tables of at most 2^20 cells: *mechanism.UnsupportedError.
func (m SumZeroNoise) Supports(sh *model.Shape) error {
	if err := mechanism.CountsOnly(m.Title(), sh); err != nil {
		return err
	}
	for _, t := range sh.Tables() {
		if t.Cells() > maxTableCells {
			return &mechanism.UnsupportedError{Mechanism: m.Title(), What: fmt.Sprintf("a table of %d cells", t.Cells()), Use: "Geometric()"}
		}
	}
	return nil
}

// prepare checks what does not depend on the rate, and counts the tables that one unit changes and its rows.
func (m SumZeroNoise) prepare(sh *model.Shape, t dp.Target) (tables, rows int, err error) {
	if err := t.Valid(); err != nil {
		return 0, 0, err
	}
	if err := m.post.valid(); err != nil {
		return 0, 0, err
	}
	if err := m.Supports(sh); err != nil {
		return 0, 0, err
	}
	if t.Adjacency == dp.AddRemove {
		return 0, 0, &mechanism.UnsupportedError{Mechanism: m.Title(), What: t.Adjacency.String() + " adjacency: the noise keeps the total, which is private there", Use: "Geometric()"}
	}
	s, err := sensitivity.OfMeasured(sh, t.Adjacency, m.measured(sh))
	if err != nil {
		return 0, 0, err
	}
	tables = s.Cells / 2 // a record that moves leaves one cell of a table and enters another
	return tables, s.Rows, nil
}

// measured is every cell of every table.
func (m SumZeroNoise) measured(sh *model.Shape) []int {
	var out []int
	for _, t := range sh.Tables() {
		out = append(out, t.Cells())
	}
	return out
}

type knormParams struct {
	Rate mechanism.Rational `json:"rate"`
	Post PostProcess        `json:"post_process"`
}

// Plan finds the greatest rate that meets the target and certifies it.
func (m SumZeroNoise) Plan(ctx context.Context, sh *model.Shape, t dp.Target) (*mechanism.Plan, error) {
	tables, rows, err := m.prepare(sh, t)
	if err != nil {
		return nil, err
	}
	if t.NominalScale {
		return nil, &mechanism.UnsupportedError{Mechanism: m.Title(), What: "a nominal scale: it has no paper mode", Use: "PureDP, ApproxDP, RenyiDP or ZCDP"}
	}
	r, err := knormRate(ctx, t, tables, rows)
	if err != nil {
		return nil, err
	}
	return m.certify(ctx, sh, t, tables, rows, r)
}

// knormPairs is the family of pairs of K-norm noise, with one cell for a table: at rate γ a moved record is a 2γ-DP step of its table, so one
// is dominated by the geometric mechanism's pair at 2γ, and a chain of k by a shift by k (loss.GeometricPair).
type knormPairs struct{ geometricNoise }

func (knormPairs) pairAt(rate float64, s sensitivity.CountTables) loss.Pair {
	return geometricNoise{}.pairAt(2*rate, s)
}

func (p knormPairs) pair(r mechanism.Rational, s sensitivity.CountTables) loss.Pair {
	return p.pairAt(r.Float(), s)
}

// knormRate is the greatest rate that meets the target.
func knormRate(ctx context.Context, t dp.Target, tables, rows int) (mechanism.Rational, error) {
	return calibrateRate(ctx, KNorm().Title(), sensitivity.CountTables{Cells: tables, Rows: rows}, t.Level, knormPairs{}.pairAt)
}

// Expect calibrates like Plan and predicts the errors, without the certificate. Errors are those of Plan.
func (m SumZeroNoise) Expect(ctx context.Context, sh *model.Shape, t dp.Target) ([]mechanism.Expectation, error) {
	tables, rows, err := m.prepare(sh, t)
	if err != nil {
		return nil, err
	}
	r, err := knormRate(ctx, t, tables, rows)
	if err != nil {
		return nil, err
	}
	list, _, err := knormNoise(sh, r)
	return list, err
}

// knormNoise is the noise of every table, and the errors it makes.
func knormNoise(sh *model.Shape, r mechanism.Rational) ([]mechanism.Expectation, []sample.SumZero, error) {
	var laws []sample.SumZero
	meanAbs, cells := 0.0, 0.0
	for _, tb := range sh.Tables() {
		z, err := sample.NewSumZero(tb.Cells(), r.Num, r.Den)
		if err != nil {
			return nil, nil, err
		}
		laws = append(laws, z)
		meanAbs += z.MeanAbsolute() * float64(tb.Cells())
		cells += float64(tb.Cells())
	}
	const how = "closed form, before post-processing"
	list := []mechanism.Expectation{{Name: "absolute error of a count", Value: meanAbs / cells, Unit: "records", How: how}}
	if n, _ := sh.N(); n > 0 {
		list = append(list, mechanism.Expectation{Name: mechanism.ProportionErrorName, Value: meanAbs / cells / float64(n), How: how})
	}
	return list, laws, nil
}

func (m SumZeroNoise) certify(ctx context.Context, sh *model.Shape, t dp.Target, tables, rows int, r mechanism.Rational) (*mechanism.Plan, error) {
	s := sensitivity.CountTables{Cells: tables, Rows: rows}
	pair := knormPairs{}.pair(r, s)
	bounded := loss.Until(ctx, pair)
	level, meets := loss.LevelOf(bounded, t.Level), loss.Meets(bounded, t.Level)
	if t.Notion == dp.Approximate {
		level = dp.Level{Notion: dp.Approximate, Epsilon: t.Epsilon, Delta: bounded.Delta(float64(t.Epsilon))}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !meets {
		return nil, &mechanism.UnmetTarget{Mechanism: m.Title(), Target: t.Level, Certified: level, Reachable: "more noise"}
	}
	expected, laws, err := knormNoise(sh, r)
	if err != nil {
		return nil, err
	}
	cell, err := sample.NewTwoSidedGeometric(r.Num, r.Den)
	if err != nil {
		return nil, err
	}
	d := &knormDrawer{countDrawer{shape: sh, measured: m.measured(sh), law: geometricLaw{cell}, unit: 1, post: m.post}, laws}
	if m.post == Consistent {
		if d.consistent, err = newConsistency(ctx, sh, m.Title()); err != nil {
			return nil, err
		}
	}
	checks, err := m.checks(ctx, sh, t, tables, rows, r)
	if err != nil {
		return nil, err
	}
	return mechanism.New(mechanism.Spec{
		Mechanism: knormKind, Title: m.Title(), Shape: sh, Target: t, Params: knormParams{r, m.post},
		Settings: []mechanism.Setting{
			{Name: "sensitivity", Value: fmt.Sprintf("½‖·‖₁ = 1 per row in %d tables: one record moves", tables)},
			{Name: "noise", Value: fmt.Sprintf("sum-zero geometric, rate γ = %s = %.6g", r, r.Float())},
			{Name: "post-processing", Value: string(m.post)},
		},
		Level: level, Arithmetic: dp.Exact, Pair: pair,
		Textbook: mechanism.Textbook{
			Level:  dp.Level{Notion: dp.Pure, Epsilon: cert.Number(2 * r.Float() * float64(rows*tables))},
			Source: "ε = 2γ per table, Hardt, Talwar 2010",
		},
		Certificate: &cert.Certificate{Title: m.Title() + ", " + sh.Model().String(), Checks: checks},
		Expected:    expected, Drawer: d,
	})
}

// knormDrawer draws the noise of a whole table at once; post-processing takes each cell's noise as two-sided geometric, which is its
// law before the total is fixed.
type knormDrawer struct {
	countDrawer
	sums []sample.SumZero
}

// Draw adds sum-zero noise to every table.
func (d *knormDrawer) Draw(ctx context.Context, _ seal.Key, tables [][]int64, src *dp.Stream) ([][]int64, error) {
	out, pulse := make([][]int64, len(d.sums)), cert.NewPulse(ctx, drawSteps*float64(d.shape.Cells()))
	for t, law := range d.sums {
		if err := pulse.Step(drawSteps * law.Dim()); err != nil {
			return nil, err
		}
		out[t] = make([]int64, law.Dim())
		if err := law.Draw(src, out[t]); err != nil {
			return nil, err
		}
		for i, c := range tables[t] {
			out[t][i] += c
		}
	}
	return out, nil
}

// Estimate checks that totals are kept, and estimates two cells through the first one's own law.
func (d *knormDrawer) Estimate(raw [][]int64) (model.Estimate, error) {
	return d.EstimateContext(context.Background(), raw)
}

// EstimateContext is Estimate, ended by ctx.
func (d *knormDrawer) EstimateContext(ctx context.Context, raw [][]int64) (model.Estimate, error) {
	e, err := d.countDrawer.EstimateContext(ctx, raw)
	if err != nil {
		return e, err
	}
	n, _ := d.shape.N()
	for t, r := range raw {
		total := int64(0)
		for _, y := range r {
			total += y
		}
		if total != int64(n) {
			return model.Estimate{}, &mechanism.ParamsError{Field: "raw", Value: "a total that is not n in " + label.Short(d.shape.Tables()[t].Name), Want: "cells that add up to n"}
		}
		if len(r) == 2 && (d.post == PosteriorMean || d.post == FlatPosteriorMean) {
			law := d.law.(geometricLaw)
			first := countmean.Geometric(float64(r[0]), float64(n), 2*law.Rate(), 0)
			e.Tables[t][0] = math.Min(math.Max(first, 0), float64(n))
			e.Tables[t][1] = float64(n) - e.Tables[t][0]
		}
	}
	return e, nil
}
