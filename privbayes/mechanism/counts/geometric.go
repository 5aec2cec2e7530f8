package counts

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/finite"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/sensitivity"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Geometric adds two-sided geometric noise, P(Z = z) ∝ e^{−γ|z|}, to every measured count (Ghosh, Roughgarden,
// Sundararajan 2012). It supports every notion: its dominating pair is m-fold randomised response at γ, m the counts
// one unit changes ([loss.GeometricPair]), so γ is calibrated exactly, e.g. γ = ε/m for ε-DP, and larger for (ε, δ)
// when m > 1. For units of k rows it is m counts shifted by k, which covers every way to share k·m steps among the
// counts. Arithmetic: exact.
func Geometric() Noise { return geometricNoise.mechanism() }

var geometricNoise = family{
	Family: noise.GeometricFamily, kind: "geometric", title: "Geometric noise on counts", checks: geometricChecks,
	steps: func(s size, _ dp.Notion) float64 {
		switch {
		case s.widest > 3:
			return enumerated
		case s.widest > 2:
			return 4e5
		}
		return 0
	},
}

// shiftWords says what a unit does to the noisy counts.
func shiftWords(rate float64, s sensitivity.CountTables) string {
	if s.Rows > 1 {
		return fmt.Sprintf("%s shifted by %d at γ = %.6g", table.Count(s.Cells, "count"), s.Rows, rate)
	}
	return fmt.Sprintf("%d-fold randomised response at γ = %.6g", s.Cells, rate)
}

// parameter is that of a distribution of one parameter, of this room's own families.
func parameter(d noise.Distribution) noise.Rational {
	return d.(interface{ Parameter() noise.Rational }).Parameter()
}

type geometricEnumParams struct {
	Rate      noise.Rational `json:"rate"`
	Cells     int            `json:"cells"`
	N         int            `json:"n"`
	Measured  int            `json:"measured"`
	Adjacency dp.Adjacency   `json:"adjacency"`
}

var geometricEnumChecker = cert.Define("geometric/enumeration",
	func(ctx context.Context, p geometricEnumParams) (cert.Outcome, error) {
		if err := p.Rate.Valid(); err != nil {
			return cert.Outcome{}, err
		}
		if p.Cells < 1 || p.Cells > 6 || p.N < 0 || p.N > 12 || p.Measured < 1 || p.Measured > p.Cells {
			return cert.Outcome{}, domain.Refuse("counts", "cells, n, measured",
				fmt.Sprint(p.Cells, p.N, p.Measured), "1 ≤ measured ≤ cells ≤ 6, 0 ≤ n ≤ 12")
		}
		law, err := noise.NewGeometric(p.Rate)
		if err != nil {
			return cert.Outcome{}, err
		}
		m := clampedCounts{law: law, n: p.N, measured: p.Measured}
		out := cert.Outcome{Method: cert.Enumeration}
		for n := 1; n <= p.N; n++ {
			if p.Adjacency == dp.AddRemove && n < p.N {
				continue // the largest space visits all smaller totals
			}
			res, err := finite.Audit(ctx, m, finite.Space{Cells: p.Cells, N: n, Adjacency: p.Adjacency}, nil, nil)
			if err != nil {
				return cert.Outcome{}, err
			}
			out.Value, out.Work = math.Max(out.Value, res.Epsilon), out.Work+res.Work
		}
		return out, nil
	})

var geometricPairChecker = definePair("geometric/pair", noise.GeometricFamily.PairAt, cert.ClosedForm)

func geometricChecks(ctx context.Context, d noise.Distribution, sh *model.Shape, s sensitivity.CountTables,
	t dp.Request) ([]cert.Check, error) {
	r := parameter(d)
	a, err := geometricPairChecker.Check(ctx, cert.Check{
		Statement: "loss of the dominating pair, " + loss.NotionWords(t.Parameters),
		Formula:   shiftWords(r.Float(), s),
		Source:    "dp.GeometricPair: P(loss = ±γ) = 1/(1+e^∓γ) per count",
		Bound:     loss.Allowed(t.Parameters), Scope: "all data; the rate is exact, rounded toward privacy",
		Citation: forGeometric(t.Parameters), Program: textOfGeometric(r, t.Parameters),
	}, pairParams{r, s.Cells, s.Rows, t.Parameters})
	if err != nil {
		return nil, err
	}
	p := smallTable(sh, t.Adjacency)
	p.Rate = r
	moved := 2
	if t.Adjacency == dp.AddRemove || p.Measured < p.Cells {
		moved = 1
	}
	b, err := geometricEnumChecker.Check(ctx, cert.Check{
		Statement: "exact pure ε of the shipped law on one table, by enumeration",
		Formula:   fmt.Sprintf("max |log p_x(o)/p_y(o)| = %dγ, and 1e-12 for the rounding of log-probabilities", moved),
		Source:    "dp/finite.Audit on the sampler's own probabilities",
		Bound:     cert.Number(float64(moved)*r.Float()*(1+1e-12) + 1e-12),
		Scope: fmt.Sprintf("every data set of n ≤ %d over %d cells, every neighbour, every output clamped to [0, "+
			"n]", p.N, p.Cells),
	}, p)
	if err != nil {
		return nil, err
	}
	if s.Rows == 1 {
		return []cert.Check{a, b}, nil
	}
	c, err := shiftsCheck(ctx, r, s.Rows)
	return []cert.Check{a, b, c}, err
}

// smallTable is the largest single table of the shape's form with n ≤ 6 and d ≤ 4.
func smallTable(sh *model.Shape, adj dp.Adjacency) geometricEnumParams {
	p := geometricEnumParams{N: 6, Cells: min(sh.Tables()[0].Cells(), 4), Adjacency: adj}
	if adj == dp.ReplaceValue {
		p.Adjacency = dp.ReplaceOne
	}
	p.Measured = p.Cells
	if m := sensitivity.Measured(sh, adj)[0]; m < p.Cells {
		p.Measured = m
	}
	return p
}

// clampedCounts is the finite law of the first measured counts of a histogram, with noise, clamped to [0, n]. Clamping
// is post-processing, and it merges only outputs with equal ratios, so it keeps the exact ε of geometric noise.
type clampedCounts struct {
	law         noise.Probabilities
	n, measured int
}

func (c clampedCounts) Outputs() int {
	k := 1
	for range c.measured {
		k *= c.n + 1
	}
	return k
}

func (c clampedCounts) LogLaw(x []int, out []float64) {
	side := c.n + 1
	per := make([]float64, c.measured*side) // log-probability of every clamped output of every count
	for i := range c.measured {
		for y := range side {
			per[i*side+y] = c.one(y, x[i])
		}
	}
	// Outputs are in mixed radix, the first count fastest: those of one count more are a copy for each of its values.
	out[0] = 0
	for i, size := 0, 1; i < c.measured; i, size = i+1, size*side {
		for y := side - 1; y >= 0; y-- { // the first copy, where the others come from, is the last to change
			to, lp := out[y*size:(y+1)*size], per[i*side+y]
			for o, v := range out[:size] {
				to[o] = v + lp
			}
		}
	}
}

// one is the log-probability that count x, noised and clamped, comes out as y.
func (c clampedCounts) one(y, x int) float64 {
	z := int64(y - x)
	switch {
	case c.n == 0:
		return 0
	case y == 0:
		return c.law.LogTail(-z) // P(Z ≤ z) by symmetry
	case y == c.n:
		return c.law.LogTail(z)
	default:
		return c.law.LogProb(z)
	}
}

// Laplace adds Laplace noise of scale b = Δ₁/ε to every count, cut to [0, n], as in the notes and in most textbooks: Δ₁
// = 2 for one table under replace-one, also for two cells, where one noisy count would do ([Geometric] measures one).
// The noise is drawn on the lattice of 1/65536 of a record: two-sided geometric at rate γ/65536 per step, whose law is
// that of rounded Laplace noise, so the arithmetic is exact where floating-point Laplace noise leaks through its gaps
// (Mironov 2012). AsPublished(ε) asks for the same noise as PureDP(ε): here the paper's formula is right. n is at most
// 5e11.
func Laplace() Noise { return laplaceNoise.mechanism() }

var laplaceNoise = family{
	Family: noise.LaplaceFamily, kind: "laplace", title: "Laplace noise on counts", everyCell: true, checks: laplaceChecks,
	steps: func(s size, want dp.Notion) float64 {
		switch want {
		case dp.Pure: // in closed form
			return 0
		case dp.Approximate:
			return dominating * s.tables
		}
		return orders
	},
}

// laplacePairChecker derives the pair; enumeration stands with the geometric mechanism, whose law this is on another
// lattice.
var laplacePairChecker = definePair("laplace/pair", noise.LaplaceFamily.PairAt, cert.ClosedForm)

func laplaceChecks(ctx context.Context, d noise.Distribution, _ *model.Shape, s sensitivity.CountTables,
	t dp.Request) ([]cert.Check, error) {
	r := parameter(d)
	c, err := laplacePairChecker.Check(ctx, cert.Check{
		Statement: "loss of the dominating pair, " + loss.NotionWords(t.Parameters),
		Formula: fmt.Sprintf("%d counts shifted by %d steps of rate γ/%d, γ = %.6g", s.Cells, s.Rows*noise.LaplaceSteps,
			noise.LaplaceSteps, r.Float()),
		Source: "dp.ShiftedGeometricPair; theory/dirichlet.md §4",
		Bound:  loss.Allowed(t.Parameters), Scope: "all data; the rate is exact, rounded toward privacy",
	}, pairParams{r, s.Cells, s.Rows, t.Parameters})
	if err != nil || s.Rows == 1 {
		return []cert.Check{c}, err
	}
	shifts, err := shiftsCheck(ctx, r, s.Rows)
	return []cert.Check{c, shifts}, err
}

// shiftLaw is the law of J_s, by which the loss of one count shifted by s is γ(s − 2J_s): see loss.GeometricPair.
type shiftLaw func(s int) []float64

// shippedShift is the law from the sampler's own probabilities: the noise cut to [0, s].
func shippedShift(law noise.Probabilities) shiftLaw {
	return func(s int) []float64 {
		cut, out := clampedCounts{law: law, n: s}, make([]float64, s+1)
		for j := range out {
			out[j] = math.Exp(cut.one(j, 0))
		}
		return out
	}
}

// profile is E(1 − e^{−2γ(i−J)})₊ for i = 1, …, n: the δ at ε = γ(n − 2i) of independent counts shifted by the given
// numbers, n their sum. Between these points it is linear in e^ε, and outside them it is the same for all of one sum.
func (l shiftLaw) profile(gamma float64, shifts ...int) []float64 {
	sum := []float64{1}
	for _, s := range shifts {
		one := l(s)
		next := make([]float64, len(sum)+s)
		for i, p := range sum {
			for j, r := range one {
				next[i+j] += p * r
			}
		}
		sum = next
	}
	out := make([]float64, len(sum)-1)
	for i := range out {
		for j := range i + 1 {
			out[i] += sum[j] * -math.Expm1(-2*gamma*float64(i+1-j))
		}
	}
	return out
}

// excess is the greatest δ of counts shifted by some numbers, in units of the δ of others with the same sum: at most 1
// where the others dominate.
func (l shiftLaw) excess(gamma float64, shifts, others []int) float64 {
	worst := 0.0
	with := l.profile(gamma, others...)
	for i, d := range l.profile(gamma, shifts...) {
		worst = math.Max(worst, d/with[i])
	}
	return worst
}

// exchanges is the greatest excess of shifts (a, b) over (a+1, b−1), 1 ≤ b ≤ a < top.
func (l shiftLaw) exchanges(gamma float64, top int) (worst float64, cases int64) {
	for a := 1; a < top; a++ {
		for b := 1; b <= a; b++ {
			worst = math.Max(worst, l.excess(gamma, []int{a, b}, []int{a + 1, b - 1}))
			cases += int64(a + b)
		}
	}
	return worst, cases
}

// topShift is the largest shift of the exchanges that a certificate visits; they take a millisecond.
const topShift = 16

type shiftsParams struct {
	Noise noise.Rational `json:"noise"`
	Top   int            `json:"top"`
}

var shiftsChecker = cert.Define("geometric/shifts", func(_ context.Context, p shiftsParams) (cert.Outcome, error) {
	if err := p.Noise.Valid(); err != nil {
		return cert.Outcome{}, err
	}
	if p.Top < 2 || p.Top > topShift {
		return cert.Outcome{}, domain.Refuse("counts", "top", p.Top, fmt.Sprintf("2 … %d", topShift))
	}
	law, err := noise.NewGeometric(p.Noise)
	if err != nil {
		return cert.Outcome{}, err
	}
	gamma, l := p.Noise.Float(), shippedShift(law)
	worst, cases := l.exchanges(gamma, p.Top)
	pair := loss.ShiftedGeometricPair{Rate: gamma, Shift: p.Top, Cells: 1}
	for i, d := range l.profile(gamma, p.Top) {
		if eps := gamma * float64(p.Top-2*(i+1)); eps >= 0 {
			worst = math.Max(worst, d/pair.Delta(eps))
			cases++
		}
	}
	return cert.Outcome{Value: worst, Method: cert.Enumeration, Work: cases}, nil
})

// shiftsCheck executes the steps of the theorem of loss.GeometricPair at the given rate, for units of several rows and
// for steps of a lattice.
func shiftsCheck(ctx context.Context, r noise.Rational, rows int) (cert.Check, error) {
	top := min(rows, topShift)
	scope := fmt.Sprintf("every exchange of shifts up to %d, at every loss, on the sampler's own probabilities", top)
	if top < rows {
		scope += "; larger shifts by the closed form of the difference"
	}
	return shiftsChecker.Check(ctx, cert.Check{
		Statement: fmt.Sprintf("shifts that add up to the same and are at most %d each lose no more than if each is "+
			"%d or none: exchanging a step between two counts toward the more shifted one never lowers δ", rows, rows),
		Formula: "δ of shifts (a, b) ≤ δ of (a+1, b−1) for 1 ≤ b ≤ a, δ of one shift by k ≤ that of its pair; " +
			"their greatest ratio, and 1e-12 for rounding",
		Source: "dp.GeometricPair, theorem", Bound: 1 + 1e-12, Scope: scope, Citation: exchangeTheorem,
	}, shiftsParams{r, top})
}
