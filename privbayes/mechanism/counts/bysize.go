package counts

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/sensitivity"
)

// BySizeNoise is geometric noise with a rate for every table: see BySize.
type BySizeNoise struct {
	mechanism.Front
	post PostProcess
}

// BySize is two-sided geometric noise with more noise on tables of few cells: rates γ_t ∝ √m_t, m_t the cells of table
// t, with Σ_t c_t·γ_t = ε, c_t the counts of table t that one record changes. Of all rates with this sum these have the
// smallest total expected error Σ_t m_t/γ_t. Tables of one size get what Geometric gives them. Other targets than pure
// are met through the pure ε. Estimates are clamped, or consistent by least squares that knows the variances.
// Replace-one; arithmetic: exact. Source: theory/networks.md §1.1 (c).
func BySize() BySizeNoise { return BySizeNoise{}.WithPostProcess(Clamp) }

// WithPostProcess returns the mechanism with Clamp or Consistent.
func (m BySizeNoise) WithPostProcess(p PostProcess) BySizeNoise {
	m.post, m.Front = p, mechanism.FrontOf(func() mechanism.Family[sized, bySizeParams] { return m.mathematics() })
	return m
}

type bySizeParams struct {
	Rates []noise.Rational `json:"rates"`
	Post  PostProcess      `json:"post_process"`
}

// sized is what rates by size are calibrated for: the counts of every table that one unit's rows change.
type sized struct {
	shape   *model.Shape
	target  dp.Request
	changes []int
}

func (m BySizeNoise) mathematics() mechanism.Family[sized, bySizeParams] {
	return mechanism.Family[sized, bySizeParams]{
		Kind: "geometric-by-size", Title: "Geometric noise by table size" + m.post.suffix(Clamp), NoNominal: true,
		Prepare: m.prepare, Calibrate: m.calibrate, Certify: m.certify,
		Of: func(p bySizeParams) (mechanism.Family[sized, bySizeParams], error) {
			return m.WithPostProcess(p.Post).mathematics(), nil
		},
	}
}

func (m BySizeNoise) prepare(_ context.Context, sh *model.Shape, t dp.Request) (q sized, err error) {
	if m.post != Clamp && m.post != Consistent {
		return q, domain.Refuse("counts", "post_process", safetext.Short(string(m.post)), `"clamp" or "consistent"`)
	}
	s, err := sensitivity.OfCounts(sh, t.Adjacency)
	if err != nil {
		return q, err
	}
	if t.Adjacency != dp.ReplaceOne {
		return q, mechanism.Unsupported(t.Adjacency.String()+" adjacency", "replace-one, or Geometric()")
	}
	q = sized{shape: sh, target: t}
	for _, measured := range sensitivity.Measured(sh, t.Adjacency) {
		q.changes = append(q.changes, min(measured, 2)*s.Rows)
	}
	return q, nil
}

// calibrate minimises Σ m/γ under Σ cγ = ε: γ ∝ √(m/c).
func (m BySizeNoise) calibrate(_ context.Context, q sized) (p bySizeParams, err error) {
	epsilon := pureEpsilon(q.target.Parameters) * (1 - 1e-10) // room for the rounding of the sum
	weights, total := make([]float64, len(q.changes)), 0.0
	for i, tb := range q.shape.Tables() {
		weights[i] = math.Sqrt(float64(tb.Cells()) / float64(q.changes[i]))
		total += float64(q.changes[i]) * weights[i]
	}
	p.Post = m.post
	limits := noise.GeometricFamily.Search
	for _, w := range weights {
		r := noise.Dyadic(math.Min(limits.High, epsilon*w/total), 32, false)
		if r.Float() < limits.Low {
			return p, &mechanism.UnmetTarget{Target: q.target.Parameters,
				Reachable: fmt.Sprintf("rates of at least %.3g per count", limits.Low)}
		}
		p.Rates = append(p.Rates, r.Reduced())
	}
	return p, nil
}

// pureEpsilon is the greatest ε whose randomised response meets the level.
func pureEpsilon(level dp.Parameters) float64 {
	if level.Notion == dp.Pure {
		return float64(level.Epsilon)
	}
	meets := func(e float64) bool { return loss.Meets(loss.GeometricPair{Rate: e, Cells: 1}, level) }
	hi := noise.GeometricFamily.Search.Low
	for hi < 1e3 && meets(2*hi) {
		hi *= 2
	}
	return noise.Greatest(hi, 2*hi, meets)
}

// bySizeCheck are the public inputs of the check of the sum.
type bySizeCheck struct {
	Rates   []noise.Rational `json:"rates"`
	Changes []int            `json:"changes"`
}

func (c bySizeCheck) epsilon() (float64, error) {
	sum := 0.0
	if len(c.Rates) != len(c.Changes) {
		return 0, domain.Refuse("counts", "rates", len(c.Rates), "one per table")
	}
	for i, r := range c.Rates {
		if err := r.Valid(); err != nil {
			return 0, err
		}
		sum += float64(c.Changes[i]) * r.Float()
	}
	return sum * (1 + float64(len(c.Rates))*0x1p-52), nil
}

func (m BySizeNoise) certify(ctx context.Context, q sized, params bySizeParams) (spec mechanism.Spec, err error) {
	sh, t, changes, rates := q.shape, q.target, q.changes, params.Rates
	if len(rates) != len(changes) {
		return spec, domain.Refuse("counts", "rates", len(rates), "one per table")
	}
	ctx = selfCheck(ctx)
	sum, err := bySizeChecker.Check(ctx, cert.Check{
		Statement: "pure ε: every changed count at its table's rate", Formula: "Σ_t c_t·γ_t over the tables, c_t " +
			"counts of table t change by one",
		Source: "theory/networks.md §1.1 (c)", Bound: cert.Number(pureEpsilon(t.Parameters) * (1 + 1e-12)),
		Scope: "all data; the rates are exact, rounded toward privacy",
	}, bySizeCheck{rates, changes})
	if err != nil {
		return spec, err
	}
	pair := loss.GeometricPair{Rate: float64(sum.Value), Cells: 1}
	d := &sizedSampler{countSampler: countSampler{shape: sh, measured: sensitivity.Measured(sh, t.Adjacency), unit: 1,
		post: m.post}}
	n, _ := sh.N()
	tables := sh.Tables()
	measured := &mechanism.Measured{}
	meanAbs, cells, low, high := 0.0, 0.0, math.Inf(1), 0.0
	for i, r := range rates {
		law, err := noise.NewGeometric(r)
		if err != nil {
			return spec, err
		}
		measured.Tables = append(measured.Tables, law)
		d.laws, d.variances = append(d.laws, law), append(d.variances, law.Variance())
		size := float64(tables[i].Cells())
		meanAbs, cells = meanAbs+size*law.MeanAbsolute(), cells+size
		low, high = math.Min(low, r.Float()), math.Max(high, r.Float())
	}
	settings := []mechanism.Setting{
		{Name: "noise", Value: fmt.Sprintf("two-sided geometric, rates %.6g … %.6g per count", low, high)},
		{Name: "post-processing", Value: string(m.post)},
	}
	if m.post == Consistent {
		if d.consistent, err = newConsistency(ctx, sh); err != nil {
			return spec, err
		}
	}
	expected := []mechanism.Expectation{{Name: "absolute error of a count", Value: meanAbs / cells, Unit: "records",
		How: "closed form, mean over all cells, before post-processing"}}
	if n > 0 {
		expected = append(expected, mechanism.Expectation{Name: mechanism.ProportionErrorName,
			Value: meanAbs / cells / float64(n), How: "closed form, before post-processing"})
	}
	return mechanism.Spec{
		Shape: sh, Settings: settings, Arithmetic: dp.Exact, Pair: pair,
		StandardFormula: mechanism.StandardFormula{Level: dp.Parameters{Notion: dp.Pure, Epsilon: sum.Value},
			Source: "ε = Σ Δ_t·γ_t"},
		Checks: []cert.Check{sum}, Expected: expected, Sampler: d,
		Measured: measured,
	}, nil
}

// sizedSampler adds each table's own noise, whose variances weigh in the projection.
type sizedSampler struct {
	countSampler
	variances []float64
}

// Estimate clamps, or projects with weights that know the variances.
func (d *sizedSampler) Estimate(_ context.Context, drawn mechanism.Output) (model.Estimate, error) {
	noisy, err := d.records(drawn.Raw)
	if err != nil {
		return model.Estimate{}, err
	}
	n, _ := d.shape.N()
	top := float64(n)
	tables := d.shape.Tables()
	for t := range noisy {
		if tables[t].Cells() == 2 && len(noisy[t]) == 1 {
			noisy[t] = append(noisy[t], top-noisy[t][0])
		}
	}
	if d.consistent != nil {
		if noisy, err = d.consistent.spectrum.Project(noisy, d.variances, top); err != nil {
			return model.Estimate{}, err
		}
	}
	for _, t := range noisy {
		for i, v := range t {
			t[i] = math.Min(math.Max(v, 0), top)
		}
	}
	return model.Estimate{Tables: noisy, Class: model.ClassMargin(d.shape, noisy)}, nil
}

var bySizeChecker = cert.Define("geometric-by-size/sum", func(_ context.Context, c bySizeCheck) (cert.Outcome, error) {
	v, err := c.epsilon()
	return cert.Outcome{Value: v, Method: cert.ClosedForm}, err
})
