// Package weighted releases means, shares, quantiles and totals of the population that the rows of a weighted table
// stand for. A weight is private, as every other value of its row.
//
// # Tokens
//
// Every row deals at most T tokens to boxes, by a public rule of that row alone (model.Tokens), in exact integers. With
// t its weight over the largest one that is allowed, and x its value in [0, 1], the boxes are
//
//	shares, tables   A = t, Q = t(1 − t), of its cell; quantiles: of its point
//	means            B_j = t·b_j(x), Q_j = t(1 − t)·b_j(x), b = ((1−x)², 2x(1−x), x²), of its group
//	totals           A = z, Q = A(T − A)/T, z = t·x, of its group
//
// each times T and rounded down. Boxes get geometric noise of one rate, or discrete Gaussian noise.
//
// Lemma. Let a unit's rows together add a vector of integers ≥ 0 with sum at most U. Then independent geometric noise
// of rate ε/U on every box is ε-DP where the unit comes or goes, and of rate ε/(2U) where it is replaced, since
// vectors of one sum may lie in other boxes. A unit of k rows has U = kT. Proof: ‖·‖₁ of what changes is at most U,
// or 2U.
//
// U = T for a row, since Σ_j b_j = 1 and t + t(1 − t) = 1 − (1 − t)² ≤ 1. Σt² = ΣA − ΣQ, the variance of a weighted
// sum, costs nothing next to it. One total of one column changes by at most T where a row is replaced, too: of A ≥ A′
// with d = A − A′, Q and Q′ are at most ⌈d(T − d)/T⌉ apart, and d + ⌈d(T − d)/T⌉ ≤ T. Totals by group and categories'
// totals move between boxes: 2T.
//
// Discrete Gaussian noise of variance σ² on A and B, and σ²/11 on Q, has ρ = U²/(2σ²), twice that where a unit is
// replaced: t²(1 + 11(1 − t)²) ≤ 1 for all t in [0, 1]. δ is that of loss.LatticePair, and in older files by ρ.
//
// Intervals are those of package survey, of released numbers alone. Source: docs/theory/survey.md.
package weighted

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/sensitivity"
)

// kind is the registered name.
const kind = "weighted-tokens"

// Tokens adds integer noise to the tokens that weighted rows deal. It supports weighted models, every notion, and
// add-remove and replace-one adjacency. Arithmetic: exact.
type Tokens struct {
	mechanism.Front
	held bool
}

// New takes the noise that is smallest for the target.
func New() Tokens { return Tokens{}.made() }

// HeldAsGiven shows intervals of the population also where weights were computed from the respondents. Guarantee and
// intervals hold with others' weights held as given, and say so.
func (m Tokens) HeldAsGiven() Tokens { m.held = true; return m.made() }

func (m Tokens) made() Tokens {
	m.Front = mechanism.FrontOf(func() mechanism.Family[*problem, params] { return m.mathematics() })
	return m
}

// problem is what a plan is made for.
type problem struct {
	m      Tokens
	shape  *model.Shape
	target dp.Request
	tokens model.Tokens
	groups int
	rows   int // of a unit
	about  int // n, or the size that the schema declares; 0 where there is neither
}

// changed says by how many times a unit's tokens its change moves the boxes, in ‖·‖₁ and in ‖·‖₂²: once where it comes
// or goes, and twice where it is replaced, but for the total of one column.
func changed(adj dp.Adjacency, boxes model.Boxes, groups int) int {
	if adj == dp.AddRemove || boxes == model.BoxesTotal && groups == 1 {
		return 1
	}
	return 2
}

// moved are the tokens that a unit's change moves at most.
func (p *problem) moved() int64 {
	return int64(changed(p.target.Adjacency, p.tokens.Boxes, p.groups)) * int64(p.rows)
}

func supports(sh *model.Shape) error {
	if sh.Weighted() == nil {
		return mechanism.Unsupported(sh.Model().String(), "Mean, GroupMeans, Table, Quantiles or Total under a schema with "+
			`a "weight"; NoisySums() or Geometric() of rows that stand for themselves`)
	}
	return nil
}

// maxUnitRows bounds the rows of a unit.
const maxUnitRows = 1 << 10

func (m Tokens) prepare(_ context.Context, sh *model.Shape, t dp.Request) (*problem, error) {
	switch _, public := sh.N(); {
	case t.Adjacency == dp.AddRemove:
		sh = sh.WithoutN()
	case t.Adjacency != dp.ReplaceOne:
		return nil, mechanism.Unsupported(t.Adjacency.String()+" adjacency", "replace-one, which implies it, or add-remove")
	case !public:
		return nil, &sensitivity.AdjacencyError{Adjacency: t.Adjacency, Model: sh.Model().String(), Step: sh.PrivateNStep(),
			Want: "add-remove adjacency, under which n is private"}
	}
	_, rows := sh.Unit()
	p := &problem{m: m, shape: sh, target: t, tokens: *sh.Lattice().Tokens, groups: sh.Lattice().Groups, rows: rows,
		about: mechanism.Size(sh).Rows}
	switch w := sh.Schema().Weighted(); {
	case rows > maxUnitRows:
		return nil, mechanism.Unsupported(fmt.Sprintf("units of %d rows", rows), fmt.Sprintf("at most %d", maxUnitRows))
	case m.held && w.Computed != frame.FromRespondents:
		return nil, mechanism.Unsupported("HeldAsGiven() of weights from the design", "Tokens(), whose intervals need no "+
			"such words")
	case p.about >= 1<<34:
		return nil, mechanism.Unsupported(fmt.Sprintf("%d rows", p.about), "fewer than 2^34, whose tokens fit 2^62")
	}
	return p, nil
}

func (m Tokens) mathematics() mechanism.Family[*problem, params] {
	return mechanism.Family[*problem, params]{
		Kind: kind, Title: "Noise on tokens of weighted rows", Supports: supports,
		Prepare: m.prepare, Calibrate: calibrate, Certify: certify, NoNominal: true,
		Of: func(q params) (mechanism.Family[*problem, params], error) {
			m := New()
			m.held = q.Held
			return m.mathematics(), nil
		},
		Expect: func(_ context.Context, p *problem, q params) ([]mechanism.Expectation, error) {
			return p.expected(q), nil
		},
	}
}

// Descriptors describes the mechanism of this package.
func Descriptors() []mechanism.Descriptor {
	return []mechanism.Descriptor{mechanism.Describe(New(), "Tokens", "tokens", "Tokens")}
}

// params are what a release file keeps: the tokens T of a row at most, and the rate of geometric noise, or σ² of
// Gaussian noise on boxes A and B.
type params struct {
	Tokens int64           `json:"tokens"`
	Rate   *noise.Rational `json:"rate,omitempty"`
	Sigma2 *noise.Rational `json:"sigma2,omitempty"`
	Held   bool            `json:"held_as_given,omitempty"`
	// Vector says that δ of Gaussian noise is that of the boxes, and not of ρ as in older files: see loss.LatticePair
	Vector bool `json:"vector,omitempty"`
}

// Valid checks parameters of a file: *dp.ParameterError.
func (q params) Valid() error {
	if q.Tokens < model.LeastTokens || q.Tokens > model.MaxTokens || q.Tokens&(q.Tokens-1) != 0 {
		return domain.Refuse("weighted", "tokens", q.Tokens, "a power of two from 2^10 to 2^28")
	}
	switch {
	case (q.Rate == nil) == (q.Sigma2 == nil):
		return domain.Refuse("weighted", "noise", "no distribution, or two", "rate or sigma2")
	case q.Vector && q.Sigma2 == nil:
		return domain.Refuse("weighted", "vector", q.Vector, "Gaussian noise")
	case q.Rate != nil:
		return q.Rate.Valid()
	}
	return q.Sigma2.Valid()
}

// noise are the distributions on boxes of t and of t(1 − t).
func (q params) noise() (one, rest noise.Distribution, err error) {
	if q.Rate != nil {
		g, err := noise.NewGeometric(*q.Rate)
		return g, g, err
	}
	g, err := noise.NewGaussian(*q.Sigma2)
	if err != nil {
		return nil, nil, err
	}
	per := q.Sigma2.Den * gaussianFree
	free, err := noise.NewGaussian(noise.Rational{Num: q.Sigma2.Num/per + 1, Den: 1}) // rounded up
	return g, free, err
}

// gaussianFree is how many times smaller the variance on boxes of t(1 − t) may be: 11, below φ⁵ = 11.09.
const gaussianFree = 11

// pair dominates a unit's change, of moved units of T.
func (q params) pair(moved, times int64) loss.Pair {
	if q.Rate != nil {
		return loss.PurePair{Epsilon: q.Rate.Float() * float64(q.Tokens) * float64(moved)}
	}
	return q.pairAt(q.Sigma2.Float(), moved, times)
}

// pairAt is the pair of Gaussian noise of any σ².
func (q params) pairAt(sigma2 float64, moved, times int64) loss.LatticePair {
	pair := loss.DiscreteGaussianPair{Sigma2: sigma2, Cells: int(times), Shift: int(q.Tokens * moved / times)}
	return loss.LatticePair{DiscreteGaussianPair: pair, Least: sigma2 / gaussianFree, ByRho: !q.Vector}
}

// sd is that of the noise of a box of t, in units of the largest weight.
func (q params) sd() float64 {
	if q.Rate != nil {
		return math.Sqrt2 / (q.Rate.Float() * float64(q.Tokens))
	}
	return math.Sqrt(q.Sigma2.Float()) / float64(q.Tokens)
}

// calibrate takes the noise of the least variance that meets the target.
func calibrate(ctx context.Context, p *problem) (params, error) {
	want := p.target.Parameters
	pure, gaussian := want.Notion == dp.Pure || want.Notion == dp.Approximate, want.Notion != dp.Pure
	var best params
	var refused error
	if pure {
		best, refused = p.geometric(float64(want.Epsilon))
	}
	if gaussian {
		q, err := p.gaussian(ctx)
		if err == nil && (best.Tokens == 0 || q.sd() < best.sd()) {
			best = q
		}
		refused = err
	}
	if best.Tokens == 0 {
		return best, refused
	}
	best.Held = p.m.held
	return best, ctx.Err()
}

// geometric is the greatest rate for ε.
func (p *problem) geometric(epsilon float64) (params, error) {
	per := float64(p.moved())
	rate := epsilon / per
	if !(rate >= 1.0/(1<<20)) || epsilon >= 1<<20 {
		return params{}, mechanism.Unsupported(p.target.Parameters.String(), fmt.Sprintf("ε from %.3g to 2^20", per/(1<<20)))
	}
	q := params{Tokens: model.MaxTokens}
	for float64(q.Tokens) > rate*(1<<30) {
		q.Tokens /= 2
	}
	r := noise.Dyadic(rate/float64(q.Tokens), 32, false)
	if r.Float()*float64(q.Tokens)*per > epsilon {
		r.Num--
	}
	r = r.Reduced()
	q.Rate = &r
	_, _, err := q.noise()
	return q, err
}

// gaussian is the least σ² that meets the target, with T as large as the sampler has room for.
func (p *problem) gaussian(ctx context.Context) (params, error) {
	times := int64(changed(p.target.Adjacency, p.tokens.Boxes, p.groups))
	find := func(tokens int64) (params, error) {
		search := noise.GaussianFamily.Search
		search.High, search.Start = 1<<58, float64(tokens)*float64(tokens)*1e-4
		q := params{Tokens: tokens, Vector: p.target.Notion == dp.Approximate}
		search.Pair = func(sigma2 float64) loss.Pair { return q.pairAt(sigma2, p.moved(), times) }
		sigma2, met, err := search.Least(ctx, p.target.Parameters)
		if err == nil && !met {
			err = mechanism.Unsupported(p.target.Parameters.String(), "a larger ε or ρ")
		}
		q.Sigma2 = &sigma2
		return q, err
	}
	q, err := find(model.LeastTokens)
	if err != nil {
		return q, err
	}
	tokens, least := int64(model.LeastTokens), q.Sigma2.Float()
	for tokens < model.MaxTokens && least*4 <= 1<<57 {
		tokens, least = 2*tokens, 4*least
	}
	if q, err = find(tokens); err != nil {
		return q, err
	}
	_, _, err = q.noise()
	return q, err
}

// expected are the predicted errors, known before anything is spent: half the width of a 95 % interval that had the
// noise alone.
func (p *problem) expected(q params) (out []mechanism.Expectation) {
	l, w := p.shape.Lattice(), p.shape.Weighted()
	reach := q.reach(.95)
	if p.tokens.Boxes == model.BoxesTotal {
		return []mechanism.Expectation{{Name: "noise of a total (95 %)", Value: reach * p.shape.TotalUnit(),
			How: "closed form; of the rows' own weights"}}
	}
	per, of, how := float64(p.shape.Population()), "", "closed form, at the population of the schema"
	if per == 0 {
		per, of, how = 1, ", times the population", "closed form"
	}
	d, what, value := float64(p.groups), "share", 1.0
	factor := 0.0
	if p.tokens.Boxes == model.BoxesMean {
		what, factor, value = "mean", math.Sqrt(.5), l.High[0]-l.Low[0]
		if p.groups > 1 {
			of += ", to divide by the share of the group"
		}
	} else {
		share := 1 / d
		factor = math.Sqrt((1-share)*(1-share) + (d-1)*share*share)
	}
	if r := p.shape.WeightedRanks(); r != nil {
		what = "rank"
		factor = 0
		for _, a := range r.A {
			share := float64(a) / float64(r.B)
			factor = math.Max(factor, math.Sqrt(d)*math.Max(share, 1-share)) // wherever it lies
		}
	}
	return []mechanism.Expectation{{Name: "noise of a " + what + " (95 %)" + of,
		Value: reach * w.Max * factor * value / per, How: how}}
}

// settings are the public parameters, for people.
func (p *problem) settings(q params) []mechanism.Setting {
	w, people := p.shape.Schema().Weighted(), float64(p.shape.Population())
	text := fmt.Sprintf("geometric, rate %s a token", q.Rate)
	if q.Sigma2 != nil {
		text = fmt.Sprintf("discrete Gaussian, σ² = %s squared tokens; on t(1 − t) a part in %d", q.Sigma2, gaussianFree)
	}
	each := string(p.tokens.Boxes)
	if p.shape.WeightedRanks() != nil {
		each = fmt.Sprintf("of %d points", p.groups)
	}
	out := []mechanism.Setting{
		{Name: "weights", Value: fmt.Sprintf("%s to %s in steps of %s, computed from the %s", w.Min, w.Max, w.Step,
			w.Computed)},
		{Name: "tokens", Value: fmt.Sprintf("at most %d a row, over %d sums for each %s", q.Tokens, p.tokens.Boxes.Each(),
			each)},
		{Name: "noise", Value: text},
	}
	if err := p.withheld(q); err != nil {
		out = append(out, mechanism.Setting{Name: "intervals of the population", Value: "none: " + err.Error()})
	}
	// below 1 the rows stand for a part of the population, of a mean weight that nothing says
	if most := p.shape.Weighted().Max * float64(p.about); people > 0 && most >= people {
		out = append(out, mechanism.Setting{Name: "largest weight over the mean weight",
			Value: fmt.Sprintf("%.4g", most/people)})
	}
	return out
}

// standardFormula is what the usual formula claims: ε = Δ₁γ, or ρ = Δ₂²/(2σ²) and its conversion.
func (p *problem) standardFormula(q params) mechanism.StandardFormula {
	if q.Rate != nil {
		return mechanism.StandardFormula{Level: dp.Parameters{Notion: dp.Pure,
			Epsilon: cert.Number(q.Rate.Float() * float64(q.Tokens) * float64(p.moved()))},
			Source: "ε = Δ₁γ, Dwork, McSherry, Nissim, Smith 2006"}
	}
	times := changed(p.target.Adjacency, p.tokens.Boxes, p.groups)
	most := float64(q.Tokens) * float64(p.rows)
	out := mechanism.StandardFormula{}
	out.Level, out.Source = noise.StandardGaussian(q.Sigma2.Float(), float64(times)*most*most, p.target.Parameters)
	return out
}

// Cost estimates a plan by the enumerations of its certificate, and a draw by its intervals.
func (m Tokens) Cost(sh *model.Shape, _ dp.Request) mechanism.Cost {
	c := mechanism.Cost{Plan: 1e6, Draw: 1e5, Bytes: 1 << 20}
	if l := sh.Lattice(); l != nil {
		c.Draw += 2e5 * float64(l.Groups)
		c.Bytes += 32 * float64(l.Len())
	}
	return c
}

// ofUnit says what a unit is, in a sentence.
func (p *problem) ofUnit() string {
	name, rows := p.shape.Unit()
	text := "one " + name
	if rows > 1 {
		text = fmt.Sprintf("%s of up to %d rows", text, rows)
	}
	if p.target.Adjacency == dp.AddRemove {
		return text + ", added or removed"
	}
	return strings.TrimSpace(text + ", replaced")
}
