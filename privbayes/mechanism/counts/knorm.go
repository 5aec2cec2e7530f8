package counts

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/privbayes/privbayes-go/internal/denoise"
	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/finite"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/sensitivity"
)

// KNormNoise is the K-norm mechanism on count tables: see KNorm.
type KNormNoise struct {
	mechanism.Front
	post PostProcess // empty: as the shape asks for
}

// KNorm adds noise that keeps the public total: Z ∈ ℤ^d with ΣZ = 0 and P(Z = z) ∝ e^{−γΣ|z_i|}, to all d cells of
// every table (the K-norm mechanism of Hardt and Talwar 2010 on the lattice of histograms of n records). Moving one
// record changes ½Σ|z_i| by at most one, so γ = ε/2 per table is ε-DP with nothing lost: independent noise on every
// cell spends the same and also moves the total. It is the recommended release of a single posterior. For naive Bayes
// every class × feature table gets ε/K. Other targets are met through the K-fold randomised response that dominates K
// such releases. Unless told otherwise, a single noisy table is projected to the nearest table of n records, and
// several tables, whose rows are small and share ε, are released as posterior means: what the public shape decides, and
// the plan states. Replace-one only; arithmetic: exact. Source: theory/hellinger.md §8.
func KNorm() KNormNoise { return KNormNoise{}.WithPostProcess("") }

// usual is the post-processing on a shape. Of naive Bayes and networks at ε = 0.1 and 1 and n = 100 to 10 000 posterior
// means err up to 40 % less than projected tables and at most 4 % more; of one table, where noise is small against n,
// neither is better by much.
func (p PostProcess) usual(sh *model.Shape) PostProcess {
	switch {
	case p != "":
		return p
	case len(sh.Tables()) > 1:
		return PosteriorMean
	}
	return Project
}

// WithPostProcess returns the mechanism with another public post-processing of the noisy counts.
func (m KNormNoise) WithPostProcess(p PostProcess) KNormNoise {
	m.post, m.Front = p, mechanism.FrontOf(func() mechanism.Family[sumZero, knormParams] { return m.mathematics() })
	return m
}

// maxTableCells is the widest table that the sampler takes.
const maxTableCells = 1 << 20

// knormSupports accepts models with public n and tables of at most 2^20 cells: *mechanism.UnsupportedError.
func knormSupports(sh *model.Shape) error {
	if err := mechanism.CountsOnly(sh); err != nil {
		return err
	}
	for _, t := range sh.Tables() {
		if t.Cells() > maxTableCells {
			return mechanism.Unsupported(fmt.Sprintf("a table of %d cells", t.Cells()), "Geometric()")
		}
	}
	return nil
}

// sumZero is what sum-zero noise is calibrated for: a shape and a target, and as "cells" the tables that one unit
// changes, since a record that moves leaves one cell of a table and enters another.
type sumZero struct {
	shape  *model.Shape
	target dp.Request
	tables sensitivity.CountTables
	post   PostProcess
}

func (m KNormNoise) mathematics() mechanism.Family[sumZero, knormParams] {
	return mechanism.Family[sumZero, knormParams]{
		Kind: "k-norm", Title: knormTitle(m.post), Supports: knormSupports, NoNominal: true,
		Prepare: m.prepare, Certify: m.certify,
		Of: func(p knormParams) (mechanism.Family[sumZero, knormParams], error) {
			return m.WithPostProcess(p.Post).mathematics(), cmp.Or(p.Rate.Valid(), p.Post.valid())
		},
		Calibrate: func(ctx context.Context, q sumZero) (knormParams, error) {
			d, err := least(ctx, knormFamily, q.tables, q.target.Parameters)
			if err != nil {
				return knormParams{}, err
			}
			return knormParams{parameter(d), q.post}, nil
		},
		Expect: func(_ context.Context, q sumZero, p knormParams) ([]mechanism.Expectation, error) {
			list, _, err := knormNoise(q.shape, p.Rate)
			return list, err
		},
	}
}

func (m KNormNoise) prepare(_ context.Context, sh *model.Shape, t dp.Request) (q sumZero, err error) {
	q = sumZero{shape: sh, target: t, post: m.post.usual(sh)}
	if err := q.post.valid(); err != nil {
		return q, err
	}
	if t.Adjacency == dp.AddRemove {
		return q, mechanism.Unsupported(t.Adjacency.String()+" adjacency: the noise keeps the total, which is private there",
			"Geometric()")
	}
	q.tables, err = sensitivity.OfMeasured(sh, t.Adjacency, everyCell(sh))
	q.tables.Cells /= 2
	return q, err
}

func knormTitle(post PostProcess) string {
	return "K-norm: sum-zero geometric noise on counts" + post.suffix(Project)
}

// everyCell measures every cell of every table.
func everyCell(sh *model.Shape) (out []int) {
	for _, t := range sh.Tables() {
		out = append(out, t.Cells())
	}
	return out
}

type knormParams struct {
	Rate noise.Rational `json:"rate"`
	Post PostProcess    `json:"post_process"`
}

// knormFamily has the pairs of K-norm noise, with one cell for a table: at rate γ a moved record is a 2γ-DP step of its
// table, so one is dominated by the geometric mechanism's pair at 2γ, and a chain of k by a shift by k
// (loss.GeometricPair).
var knormFamily = noise.OneParameter{
	Named: "k-norm", Search: noise.GeometricFamily.Search, Of: noise.GeometricFamily.Of,
	PairAt: func(rate float64, tables, rows int) loss.Pair {
		return noise.GeometricFamily.PairAt(2*rate, tables, rows)
	},
}

// knormNoise is the noise of every table, and the errors it makes.
func knormNoise(sh *model.Shape, r noise.Rational) ([]mechanism.Expectation, []sample.SumZero, error) {
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
	list := []mechanism.Expectation{{Name: "absolute error of a count", Value: meanAbs / cells, Unit: "records",
		How: how}}
	if n, _ := sh.N(); n > 0 {
		list = append(list, mechanism.Expectation{Name: mechanism.ProportionErrorName,
			Value: meanAbs / cells / float64(n), How: how})
	}
	return list, laws, nil
}

func (m KNormNoise) certify(ctx context.Context, q sumZero, params knormParams) (spec mechanism.Spec, err error) {
	sh, r := q.shape, params.Rate
	expected, laws, err := knormNoise(sh, r)
	if err != nil {
		return spec, err
	}
	cell, err := noise.NewGeometric(r)
	if err != nil {
		return spec, err
	}
	d := &knormSampler{countSampler{shape: sh, measured: everyCell(sh), unit: 1, post: q.post,
		laws: slices.Repeat([]noise.Distribution{cell}, len(laws))},
		laws}
	if q.post == Consistent {
		if d.consistent, err = newConsistency(ctx, sh); err != nil {
			return spec, err
		}
	}
	checks, err := m.checks(ctx, q, r)
	if err != nil {
		return spec, err
	}
	return mechanism.Spec{
		Shape: sh, Title: knormTitle(q.post),
		Settings: []mechanism.Setting{
			{Name: "sensitivity", Value: fmt.Sprintf("½‖·‖₁ = 1 per row in %d tables: one record moves",
				q.tables.Cells)},
			{Name: "noise", Value: fmt.Sprintf("sum-zero geometric, rate γ = %s = %.6g", r, r.Float())},
			{Name: "post-processing", Value: string(q.post)},
		},
		Arithmetic: dp.Exact, Pair: knormFamily.PairAt(r.Float(), q.tables.Cells, q.tables.Rows),
		StandardFormula: mechanism.StandardFormula{
			Level: dp.Parameters{Notion: dp.Pure,
				Epsilon: cert.Number(2 * r.Float() * float64(q.tables.Rows*q.tables.Cells))},
			Source: "ε = 2γ per table, Hardt, Talwar 2010",
		},
		Checks: checks, Expected: expected, Sampler: d, Noise: cell,
	}, nil
}

// knormSampler draws the noise of a whole table at once; post-processing takes each cell's noise as two-sided
// geometric, which is its law before the total is fixed.
type knormSampler struct {
	countSampler
	sums []sample.SumZero
}

// Draw adds sum-zero noise to every table.
func (d *knormSampler) Draw(ctx context.Context, data mechanism.Private, src *dp.Stream) (mechanism.Output, error) {
	tables := data.Tables()
	out, progress := make([][]int64, len(d.sums)), cert.NewProgress(ctx, drawSteps*float64(d.shape.Cells()))
	for t, law := range d.sums {
		if err := progress.Step(drawSteps * law.Dim()); err != nil {
			return mechanism.Output{}, err
		}
		out[t] = make([]int64, law.Dim())
		if err := law.Draw(src, out[t]); err != nil {
			return mechanism.Output{}, err
		}
		for i, c := range tables[t] {
			out[t][i] += c
		}
	}
	return mechanism.Output{Raw: out}, nil
}

// Estimate checks that totals are kept, and estimates two cells through the first one's own law.
func (d *knormSampler) Estimate(ctx context.Context, drawn mechanism.Output) (model.Estimate, error) {
	raw := drawn.Raw
	e, err := d.countSampler.Estimate(ctx, drawn)
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
			return model.Estimate{}, domain.Refuse("counts", "raw",
				"a total that is not n in "+safetext.Short(d.shape.Tables()[t].Name),
				"cells that add up to n")
		}
		if len(r) == 2 && (d.post == PosteriorMean || d.post == FlatPosteriorMean) {
			first := denoise.Geometric(float64(r[0]), float64(n), 2*d.sums[t].Rate(), 0)
			e.Tables[t][0] = math.Min(math.Max(first, 0), float64(n))
			e.Tables[t][1] = float64(n) - e.Tables[t][0]
		}
	}
	return e, nil
}

type knormEnumParams struct {
	Rate  noise.Rational `json:"rate"`
	Cells int            `json:"cells"`
	N     int            `json:"n"`
}

func (m KNormNoise) checks(ctx context.Context, q sumZero, r noise.Rational) ([]cert.Check, error) {
	sh, t, tables, rows := q.shape, q.target, q.tables.Cells, q.tables.Rows
	ctx = selfCheck(ctx)
	a, err := knormPairChecker.Check(ctx, cert.Check{
		Statement: "loss of the dominating pair, " + loss.NotionWords(t.Parameters),
		Formula:   shiftWords(2*r.Float(), q.tables) + ", twice the rate of the noise",
		Source:    "theory/hellinger.md §8: |½‖z + e_i − e_j‖₁ − ½‖z‖₁| ≤ 1, and the normaliser does not depend on the data",
		Bound:     loss.Allowed(t.Parameters), Scope: "all data; the rate is exact, rounded toward privacy",
		Citation: forPure(t.Parameters, knormTheorem),
	}, pairParams{r, tables, rows, t.Parameters})
	if err != nil {
		return nil, err
	}
	p := knormEnumParams{Rate: r, Cells: min(sh.Tables()[0].Cells(), 4), N: 5}
	b, err := knormEnumChecker.Check(ctx, cert.Check{
		Statement: "exact pure ε of the shipped law on one table, by enumeration",
		Formula:   "max |log p_x(o)/p_y(o)| = 2γ, and 1e-12 for the rounding of log-probabilities",
		Source:    "dp/finite.Audit on the sampler's own weights",
		Bound:     cert.Number(2*r.Float()*(1+1e-12) + 1e-12),
		Scope: fmt.Sprintf("every data set of n = %d over %d cells, every neighbour, every noisy table with "+
			"cells in [−%d, %d]", p.N, p.Cells, knormReach, p.N+knormReach),
	}, p)
	if err != nil || rows == 1 {
		return []cert.Check{a, b}, err
	}
	// moving s records of a table is a chain of s steps, each 2γ-DP, which one count shifted by s at rate 2γ dominates
	c, err := shiftsCheck(ctx, noise.Rational{Num: 2 * r.Num, Den: r.Den}, rows)
	return []cert.Check{a, b, c}, err
}

// knormReach is how far below 0 and above n the enumeration follows noisy counts.
const knormReach = 3

// noisyTables is the law of x + Z on a box of tables around the histograms of n records. Log-probabilities of single
// tables do not depend on what is left out of the box, so ratios are exact.
type noisyTables struct {
	law sample.SumZero
	n   int
	box [][]int64
}

func newNoisyTables(law sample.SumZero, n int) noisyTables {
	t := noisyTables{law: law, n: n}
	d := law.Dim()
	for h := range finite.Histograms(d, n+d*knormReach) {
		y := make([]int64, d)
		for i, v := range h {
			y[i] = int64(v - knormReach)
		}
		t.box = append(t.box, y)
	}
	return t
}

// Outputs is the number of tables in the box.
func (t noisyTables) Outputs() int { return len(t.box) }

// LogLaw is the log-probability of every table of the box.
func (t noisyTables) LogLaw(x []int, out []float64) {
	norm, z := t.law.LogNorm(), make([]int64, len(x))
	for o, y := range t.box {
		for i := range z {
			z[i] = y[i] - int64(x[i])
		}
		out[o] = t.law.LogWeight(z) - norm
	}
}

var knormEnumChecker = cert.Define("k-norm/enumeration",
	func(ctx context.Context, p knormEnumParams) (cert.Outcome, error) {
		if err := p.Rate.Valid(); err != nil {
			return cert.Outcome{}, err
		}
		if p.Cells < 2 || p.Cells > 4 || p.N < 1 || p.N > 8 {
			return cert.Outcome{}, domain.Refuse("counts", "cells, n", fmt.Sprint(p.Cells, p.N), "2 ≤ cells ≤ 4, 1 ≤ n ≤ 8")
		}
		law, err := sample.NewSumZero(p.Cells, p.Rate.Num, p.Rate.Den)
		if err != nil {
			return cert.Outcome{}, err
		}
		res, err := finite.Audit(ctx, newNoisyTables(law, p.N),
			finite.Space{Cells: p.Cells, N: p.N, Adjacency: dp.ReplaceOne}, nil, nil)
		if err != nil {
			return cert.Outcome{}, err
		}
		return cert.Outcome{Value: res.Epsilon, Method: cert.Enumeration, Work: res.Work}, nil
	})

var knormPairChecker = definePair("k-norm/pair", knormFamily.PairAt, cert.ClosedForm)
