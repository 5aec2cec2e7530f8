package counts

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/finite"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/sensitivity"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Geometric adds two-sided geometric noise, P(Z = z) ∝ e^{−γ|z|}, to every measured count (Ghosh, Roughgarden,
// Sundararajan 2012). It supports every notion: its dominating pair is m-fold randomised response at γ, m the counts
// one unit changes ([loss.GeometricPair]), so γ is calibrated exactly, e.g. γ = ε/m for ε-DP, and larger for (ε, δ)
// when m > 1. For units of k rows it is m counts shifted by k, which covers every way to share k·m steps among the
// counts. Arithmetic: exact.
func Geometric() Noise { return Noise{geometricNoise{}, PosteriorMean} }

type geometricNoise struct{}

func (geometricNoise) kind() string    { return "geometric" }
func (geometricNoise) title() string   { return "Geometric noise on counts" }
func (geometricNoise) unit() int64     { return 1 }
func (geometricNoise) everyCell() bool { return false }

// Rates outside [minRate, maxRate] are refused or capped: below, noise no longer fits the integer sampler's stated
// range; above, noise is zero but for a probability of 2e^{−64}.
const (
	minRate = 1.0 / (1 << 30)
	maxRate = 64
)

func (g geometricNoise) calibrate(ctx context.Context, s sensitivity.CountTables,
	want dp.Level) (mechanism.Rational, error) {
	return calibrateRate(ctx, g.title(), s, want, g.pairAt)
}

// calibrateRate finds the greatest rate whose pair meets the level.
func calibrateRate(ctx context.Context, title string, s sensitivity.CountTables, want dp.Level,
	pairAt func(rate float64, s sensitivity.CountTables) loss.Pair) (mechanism.Rational, error) {
	excess := func(rate float64) float64 { return loss.Excess(loss.Until(ctx, pairAt(rate, s)), want) }
	meets := func(rate float64) bool { return ctx.Err() != nil || excess(rate) <= 0 }
	if !meets(minRate) {
		return mechanism.Rational{}, mechanism.Unmet(ctx, title, want, pairAt(minRate, s),
			fmt.Sprintf("a level at least that of rate %.3g per count", minRate))
	}
	rate := 1 / mechanism.Least(1.0/maxRate, 1/minRate,
		num.Threshold(1.0/maxRate, 1/minRate, func(inverse float64) float64 { return excess(1 / inverse) }))
	if want.Notion == dp.Pure {
		rate = math.Min(maxRate, float64(want.Epsilon)/pairAt(1, s).PureEpsilon())
	}
	r := mechanism.Dyadic(rate, 32, false)
	for !meets(r.Float()) && r.Num > 1 {
		r.Num-- // at most a step or two: the search stopped just below the greatest rate
	}
	return r.Reduced(), ctx.Err()
}

// pairAt is randomised response for one row, and for units of k rows a shift by k of every count, which covers all they
// can do: see the theorem of loss.GeometricPair. Both are attained.
func (geometricNoise) pairAt(rate float64, s sensitivity.CountTables) loss.Pair {
	if s.Rows > 1 {
		return loss.ShiftedGeometricPair{Rate: rate, Shift: s.Rows, Cells: s.Cells}
	}
	return loss.GeometricPair{Rate: rate, Cells: s.Cells}
}

// shiftWords says what a unit does to the noisy counts.
func shiftWords(rate float64, s sensitivity.CountTables) string {
	if s.Rows > 1 {
		return fmt.Sprintf("%s shifted by %d at γ = %.6g", table.Count(s.Cells, "count"), s.Rows, rate)
	}
	return fmt.Sprintf("%d-fold randomised response at γ = %.6g", s.Cells, rate)
}

func (g geometricNoise) pair(r mechanism.Rational, s sensitivity.CountTables) loss.Pair {
	return g.pairAt(r.Float(), s)
}

// geometricLaw adapts the sampler to the noise interface.
type geometricLaw struct{ sample.TwoSidedGeometric }

func (l geometricLaw) Draw(src interface{ Uint64() uint64 }) int64 {
	return l.TwoSidedGeometric.Draw(src)
}

func (geometricNoise) noise(r mechanism.Rational) (noise, error) {
	l, err := sample.NewTwoSidedGeometric(r.Num, r.Den)
	return geometricLaw{l}, err
}

func (g geometricNoise) textbook(r mechanism.Rational, s sensitivity.CountTables, _ dp.Level) mechanism.Textbook {
	return mechanism.Textbook{
		Level:  dp.Level{Notion: dp.Pure, Epsilon: cert.Number(float64(s.L1()) * r.Float())},
		Source: "ε = Δ₁γ, Laplace mechanism, Dwork, McSherry, Nissim, Smith 2006",
	}
}

func (geometricNoise) settings(r mechanism.Rational) []mechanism.Setting {
	return []mechanism.Setting{{Name: "noise",
		Value: fmt.Sprintf("two-sided geometric, rate γ = %s = %.6g", r, r.Float())}}
}

// meanAbsolute is E|Z| = 2q/(1−q²) = 1/sinh γ.
func (geometricNoise) meanAbsolute(r mechanism.Rational) float64 { return 1 / math.Sinh(r.Float()) }

func (geometricNoise) additive(r mechanism.Rational) *mechanism.CountNoise {
	return &mechanism.CountNoise{Unit: 1, Rate: r.Float()}
}

type geometricEnumParams struct {
	Rate      mechanism.Rational `json:"rate"`
	Cells     int                `json:"cells"`
	N         int                `json:"n"`
	Measured  int                `json:"measured"`
	Adjacency dp.Adjacency       `json:"adjacency"`
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
		law, err := geometricNoise{}.noise(p.Rate)
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

var geometricPairChecker = definePair("geometric/pair", geometricNoise{}, cert.ClosedForm)

func (g geometricNoise) checks(ctx context.Context, r mechanism.Rational, sh *model.Shape, s sensitivity.CountTables,
	t dp.Target) ([]cert.Check, error) {
	a, err := geometricPairChecker.Check(ctx, cert.Check{
		Statement: "loss of the dominating pair, " + loss.NotionWords(t.Level),
		Formula:   shiftWords(r.Float(), s),
		Source:    "dp.GeometricPair: P(loss = ±γ) = 1/(1+e^∓γ) per count",
		Bound:     loss.Allowed(t.Level), Scope: "all data; the rate is exact, rounded toward privacy",
		Citation: forGeometric(t.Level),
	}, pairParams{r, s.Cells, s.Rows, t.Level})
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
	law         noise
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
