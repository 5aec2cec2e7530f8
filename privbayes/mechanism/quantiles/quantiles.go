// Package quantiles releases quantiles of a column of numbers. The exponential mechanism on a public grid releases each
// separately ([EM]) or several at once ([Joint]). [Histogram] computes them from noisy counts. All are sampled exactly.
// The guarantee holds for every grid and all data, ties included (theory/numbers.md §4).
//
// # One quantile
//
// Records are rounded to the points 0, …, K of the grid. For the quantile a/b of n records, with F⁻(v) of them below
// the point v and F(v) at or below it, the cost of v is
//
//	D(v) = max(0, b·F⁻(v) − a·n, a·n − b·F(v)),
//
// b times the distance of a·n/b from the ranks that v has: where many records tie, they all count. Replacing one record
// changes D by at most b, adding or removing one by at most max(a, b − a). A release draws v with P(v) ∝ e^{−x·D(v)};
// at sensitivity s, neighbouring data change log P from point to point by at most 2xs, which is its bounded range.
//
// A record without a value is at no point and not among the n: it costs nothing. One that comes to have a value is an
// added one, so that max(a, b − a) ≤ b holds of it under replace-one, too, where n is not public any more.
//
// # Several quantiles
//
// For quantiles a_1/b < … < a_m/b the cost of v_1 ≤ … ≤ v_m is Σ_i |b·c_i − (a_{i+1} − a_i)·n|, c_i the records between
// v_i and v_{i+1}. Moving one record changes two counts: replace-one sensitivity 2b; adding one changes one count and
// n, at most 2(b − min_i (a_{i+1} − a_i)). One draw gives all quantiles at the price of one.
//
// Records that tie with a quantile must not all fall on one side of it. Every record is therefore placed at random
// among the cells that each grid point is divided into, before the draw and independently of everything: for each
// placing the guarantee holds, neighbouring data sharing the places of the records that they share, hence on the
// average, too. The candidates lie between the cells of a point.
//
// # Noisy counts
//
// The points of the grid are the leaves of a tree, several to a leaf where that is enough, and every node's records are
// counted. A row with a value is counted once on each of the L levels: adding one changes L counts by one, replacing one
// 2L at most.
// All counts get the same two-sided geometric noise, or discrete Gaussian noise where its tails are allowed. Then, as
// anyone may do with what was released, the counts are made consistent by least squares ([tree.consistent]), the counts
// up to every leaf are made to increase, and the quantiles are where these reach their ranks.
//
// The noise of a rank has variance σ²·Σ_l V_l·(b − 1)/6, σ² that of a count, which grows with L² under pure ε and with
// L under zCDP, V_l < 1 what consistency makes of it ([tree.variance]). The branching b is chosen by this formula, and
// so is the width of leaves where n is public: few wide ones at a small n·ε, within which records are taken to be
// spread evenly, all points at a large one.
package quantiles

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// The registered names.
const (
	kindEM    = "quantile-em"
	kindJoint = "joint-quantiles"
)

// Exponential draws quantiles by the exponential mechanism. Arithmetic: exact.
type Exponential struct {
	mechanism.Front
	joint     bool
	intervals bool
	cells     int // of a lattice point, 0: by the lattice
}

// EM draws every quantile on its own, each for an equal share of the budget: the best for one quantile.
func EM() Exponential { return Exponential{}.made() }

// Joint draws all quantiles at once: the best for two to some twenty, from n·ε ≈ 300 on.
func Joint() Exponential { return Exponential{joint: true}.made() }

// WithIntervals draws the ends of a 95 % interval of every quantile, too, from the same budget, at ranks that the plan
// says. n must be public; a joint draw has at most six quantiles with their ends. For one quantile EM is the better.
func (m Exponential) WithIntervals() Exponential { m.intervals = true; return m.made() }

func (m Exponential) made() Exponential {
	m.Front = mechanism.FrontOf(func() mechanism.Family[*problem, params] { return m.mathematics() })
	return m
}

// named is the registered kind, and the name for people.
func (m Exponential) named() (kind, title string) {
	if m.joint {
		return kindJoint, "Joint exponential mechanism for quantiles"
	}
	return kindEM, "Exponential mechanism for quantiles"
}

// maxJoint bounds the quantiles of one joint draw.
const maxJoint = 20

// supports accepts Quantiles; at most twenty of them at once, ends of intervals among them.
func (m Exponential) supports(sh *model.Shape) error {
	a := ranksOf(sh).a
	switch most := maxJoint / m.each(); {
	case len(a) == 0:
		return none(sh)
	case m.joint && len(a) > most:
		return mechanism.Unsupported(fmt.Sprintf("%d quantiles at once", len(a)), fmt.Sprintf("at most %d", most))
	case len(a)*m.each() > maxDraws:
		return mechanism.Unsupported(fmt.Sprintf("%d quantiles with intervals", len(a)),
			fmt.Sprintf("at most %d, or HistogramQuantiles()", maxDraws/m.each()))
	}
	return nil
}

// problem is what a plan is made for.
type problem struct {
	ranks           // drawn
	places [][3]int // with intervals: see at
	m      Exponential
	shape  *model.Shape
	target dp.Request
	rows   int  // of a unit
	n      int  // of rows with a value, 0 where private
	omits  bool // rows may have no value
	points int64
	cells  int // of every point
}

// maxRows bounds the rows of a unit.
const maxRows = 1 << 12

func (m Exponential) prepare(_ context.Context, sh *model.Shape, t dp.Request) (*problem, error) {
	sh, err := shapeUnder(sh, t.Adjacency)
	if err != nil {
		return nil, err
	}
	p := &problem{m: m, shape: sh, target: t, points: sh.Lattice().Steps + 1}
	p.ranks = ranksOf(sh)
	_, p.rows = sh.Unit()
	if p.omits = sh.Lattice().Omits; !p.omits { // else the number of rows with a value is private
		p.n, _ = sh.N()
	}
	if p.rows > maxRows {
		return nil, mechanism.Unsupported(fmt.Sprintf("units of %d rows", p.rows), fmt.Sprintf("at most %d", maxRows))
	}
	if m.intervals && p.omits {
		return nil, mechanism.Unsupported("intervals of "+safetext.Quote(sh.Columns()[0].Name)+", of which rows may have no "+
			"value: how many have one is private, and ranks follow from it", "HistogramQuantiles(), or EM and Joint without "+
			"intervals")
	}
	if m.intervals && p.n == 0 {
		return nil, mechanism.Unsupported("intervals of no records, or of a private number of them, from which their ranks "+
			"follow", "HistogramQuantiles(), or replace-one")
	}
	if p.cells = m.cells; p.cells == 0 {
		p.cells = cellsOf(p.points)
	}
	if m.joint && !p.sumsFit(p.cells) {
		return nil, mechanism.Unsupported(fmt.Sprintf("a grid of %d points for %d quantiles at once", p.points, len(p.a)),
			"a coarser one, WithResolution(K)")
	}
	return p, nil
}

// Limits of a joint draw: candidates, and the sums over them that are kept.
const (
	maxCandidates = 1 << 21
	maxSums       = 1 << 23
)

// sumsFit reports whether a joint draw with so many cells a point is within the limits.
func (p *problem) sumsFit(cells int) bool {
	candidates := p.points * int64(cells+1)
	return candidates <= maxCandidates && candidates*int64(len(p.a)*p.m.each()) <= maxSums
}

// cellsOf is into how many cells a point is divided: the more, the better ties are told apart; some 2^16 candidates
// in all, and at least four.
func cellsOf(points int64) int { return int(min(max(1<<16/points, 4), maxCells)) }

// maxCells bounds the cells of a point.
const maxCells = 256

// params are what a release file keeps.
type params struct {
	Rate  float64 `json:"rate"` // x·s: nats by which one row moves log P at most
	Cells int     `json:"cells,omitempty"`
	// Intervals says that the ends of intervals are drawn, too
	Intervals bool `json:"intervals,omitempty"`
	// Grid says that δ of several draws is by composition on a grid. Older files state what the Rényi curves prove.
	Grid bool `json:"grid,omitempty"`
}

// Valid checks parameters from a file: *dp.ParameterError.
func (q params) Valid() error {
	if !(q.Rate > 0) || q.Rate > maxRate {
		return domain.Refuse("quantiles", "rate", q.Rate, "a number in (0, 1024]")
	}
	if q.Cells < 0 || q.Cells > maxCells {
		return domain.Refuse("quantiles", "cells", q.Cells, "0 to 256")
	}
	return nil
}

const maxRate = 1024

func (m Exponential) mathematics() mechanism.Family[*problem, params] {
	kind, title := m.named()
	return mechanism.Family[*problem, params]{
		Kind: kind, Title: title, Supports: m.supports,
		Prepare: m.prepare, Calibrate: calibrate, Certify: certify, NoNominal: true,
		Of: func(q params) (f mechanism.Family[*problem, params], err error) {
			if (q.Cells > 0) != m.joint {
				return f, domain.Refuse("quantiles", "cells", q.Cells, "those of a joint draw, and none of others")
			}
			own := m
			own.cells, own.intervals = q.Cells, q.Intervals
			return own.mathematics(), nil
		},
		Expect: func(_ context.Context, p *problem, q params) ([]mechanism.Expectation, error) {
			return p.at(q).expected(q), nil
		},
	}
}

// missed is the probability with which a quantile is further off than expected says.
const missed = .05

// expected is a bound on how far the rank of a drawn quantile is from the one asked for, as a share of n: with
// probability 1 − p the cost is at most ln(N/p)/x above the least, N the number of outcomes, and a rank is off by at
// most its cost over b.
func (p *problem) expected(q params) []mechanism.Expectation {
	if p.n == 0 {
		return nil
	}
	x := q.Rate / float64(p.largest())
	records := (p.outcomes(p.cells, len(p.a)) - math.Log(missed)) / x / float64(p.b)
	return append([]mechanism.Expectation{{
		Name: rankErrorName, Value: math.Min(1, records/float64(p.n)),
		How: "closed form: ln(N/0.05)/(x·b·n), N outcomes",
	}}, p.widest()...)
}

// outcomes is ln N of one draw: of a joint one so many points are chosen, with repetition, among the cells' ends.
func (p *problem) outcomes(cells, draws int) float64 {
	if !p.m.joint {
		return math.Log(float64(p.points))
	}
	candidates, m := float64(p.points)*float64(cells+1), float64(draws)
	top, _ := math.Lgamma(candidates + m)
	less, _ := math.Lgamma(candidates)
	each, _ := math.Lgamma(m + 1)
	return top - less - each
}

// rankErrorName names how far a released quantile's rank is off.
const rankErrorName = "rank error, share of n, 95 % bound"

// largest is the largest sensitivity of a cost.
func (p *problem) largest() int64 {
	if p.m.joint {
		return p.jointSensitivity(p.target.Adjacency)
	}
	s := int64(0)
	for i := range p.a {
		s = max(s, p.sensitivity(i, p.target.Adjacency))
	}
	return s
}

// ranks are the quantiles asked for: a_1/b < … < a_m/b, all in (0, 1).
type ranks struct {
	a []int64
	b int64
}

// none is the refusal of other models.
func none(sh *model.Shape) error {
	want := "Quantiles(column, p…); Geometric() for counts, NoisySums() for means"
	if sh.Weighted() != nil {
		want = "Tokens(); or Unweighted(), under which rows stand for themselves"
	}
	return mechanism.Unsupported(sh.Model().String(), want)
}

// ranksOf are those of a shape; none where its model is not one of quantiles.
func ranksOf(sh *model.Shape) ranks {
	if r := sh.Ranks(); r != nil {
		return ranks{r.A, r.B}
	}
	return ranks{}
}

// gaps are a_1, a_2 − a_1, …, b − a_m.
func (r ranks) gaps() []int64 {
	out := make([]int64, len(r.a)+1)
	last := int64(0)
	for i, a := range r.a {
		out[i], last = a-last, a
	}
	out[len(r.a)] = r.b - last
	return out
}

// sensitivity is what one row changes D of the i-th quantile by at most, and of all together for the joint cost.
func (r ranks) sensitivity(i int, adj dp.Adjacency) int64 {
	if adj == dp.AddRemove {
		return max(r.a[i], r.b-r.a[i])
	}
	return r.b
}

func (r ranks) jointSensitivity(adj dp.Adjacency) int64 {
	if adj == dp.AddRemove {
		return 2 * (r.b - slices.Min(r.gaps()))
	}
	return 2 * r.b
}

// costs fills out with D(v) of the i-th quantile for all points, by the counts of records at each, and gives the
// least.
func (r ranks) costs(i int, counts []int64, out []int64) (least int64) {
	n := int64(0)
	for _, c := range counts {
		n += c
	}
	want, below := r.a[i]*n, int64(0)
	for v, c := range counts {
		at := below + c
		out[v] = max(0, r.b*below-want, want-r.b*at)
		below = at
	}
	return slices.Min(out)
}

// placed divides every point into cells, places each of its records in one of them, and gives the records below each
// candidate: cells + 1 of them for every point, before, between and after its cells.
func placed(ctx context.Context, counts []int64, cells int, cell func(n uint64) uint64) (below []int64, n int64) {
	below = make([]int64, 0, len(counts)*(cells+1))
	in := make([]int64, cells)
	for _, c := range counts {
		clear(in)
		for k := range c {
			if k&(1<<20-1) == 1<<20-1 && ctx.Err() != nil {
				return nil, 0
			}
			in[cell(uint64(cells))]++
		}
		below = append(below, n)
		for _, k := range in {
			n += k
			below = append(below, n)
		}
	}
	return below, n
}

// exponent is x = rate/s, as a rational number: rates are dyadic.
func exponent(rate float64, s int64) *big.Rat {
	x := new(big.Rat).SetFloat64(rate)
	return x.Quo(x, new(big.Rat).SetInt64(s))
}

// Descriptors describes the mechanisms of this room.
func Descriptors() []mechanism.Descriptor {
	return []mechanism.Descriptor{
		mechanism.Describe(Histogram(), "HistogramQuantiles", "histogram-quantiles", "Noisy histogram"),
		mechanism.Describe(EM(), "QuantileEM", "quantile-em", "Exponential mechanism"),
		mechanism.Describe(Joint(), "JointQuantiles", "joint-quantiles", "Joint exponential"),
	}
}

// Cost estimates a plan by its enumerations, and a draw by the passes over the points or the candidates.
func (m Exponential) Cost(sh *model.Shape, _ dp.Request) (c mechanism.Cost) {
	r := ranksOf(sh)
	if len(r.a) == 0 {
		return mechanism.Cost{}
	}
	p := float64(sh.Lattice().Steps + 1)
	c.Plan = 3e5 * float64(len(r.a))
	if !m.joint {
		c.Draw, c.Bytes = 60*p*float64(len(r.a)), 64*p
		return c
	}
	c.Plan += 20 * min(jointWork, r.jointChanges(14, sh.Lattice().Omits))
	candidates := p * float64(cellsOf(int64(p))+1)
	n, _ := sh.N()
	c.Draw = 150*candidates*float64(len(r.a)) + 10*float64(n)
	c.Bytes = 16*candidates*float64(len(r.a)+6) + 8*p
	return c
}

// Cost estimates a plan by its enumerations and the search for its noise, and a draw by its counts.
func (m Counting) Cost(sh *model.Shape, _ dp.Request) (c mechanism.Cost) {
	if m.Supports(sh) != nil {
		return c
	}
	p := float64(sh.Lattice().Steps + 1)
	counts := 2 * min(p, maxLeaves)
	return mechanism.Cost{Plan: 1e7 + 200*p, Draw: 3*p + 500*counts, Bytes: 8*p + 64*counts}
}
