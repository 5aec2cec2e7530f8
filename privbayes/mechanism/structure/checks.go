package structure

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// scoreParams: tables of some cells and records, against all public tables.
type scoreParams struct {
	Cells     int          `json:"cells"`
	N         int          `json:"n"`
	Adjacency dp.Adjacency `json:"adjacency"`
	Weights   []int64      `json:"weights,omitempty"`
}

// weightsOf are those of a check, 1 where there is no workload. Errors: *dp.ParameterError for a weight outside 1 to 1000.
func weightsOf(list []int64, many int) ([]int64, error) {
	if list == nil {
		return slices.Repeat([]int64{1}, many), nil
	}
	for _, u := range list {
		if len(list) != many || u < 1 || u > 1000 {
			return nil, domain.Refuse("structure", "weights", fmt.Sprint(list), fmt.Sprintf("%d weights of 1 to 1000", many))
		}
	}
	return list, nil
}

// scoreChecker derives the range of what one row moves a score by, over every N, every neighbour, every public M and a
// few corrections.
var scoreChecker = cert.Define("structure/score", func(ctx context.Context, p scoreParams) (cert.Outcome, error) {
	if p.Cells < 2 || p.Cells > 9 || p.N < 1 || p.N > 8 {
		return cert.Outcome{}, domain.Refuse("structure", "cells, n", fmt.Sprint(p.Cells, p.N), "2 to 9 cells, n of 1 to 8")
	}
	weights, err := weightsOf(p.Weights, max(len(p.Weights), 1))
	if err != nil {
		return cert.Outcome{}, err
	}
	var public [][]int64
	sizes := []int{p.N}
	if p.Adjacency == dp.AddRemove {
		sizes = append(sizes, p.N-1, p.N+1)
	}
	for _, n := range sizes {
		_ = multisets(p.Cells, n, func(x []int) error { public = append(public, histogram(x, p.Cells)); return nil })
	}
	if err := within(ctx, float64(len(public))*float64(len(public))*float64(p.Cells*p.N)); err != nil {
		return cert.Outcome{}, err
	}
	low, high, work := 0.0, 0.0, int64(0)
	err = multisets(p.Cells, p.N, func(x []int) error {
		a := histogram(x, p.Cells)
		return neighbours(x, p.Cells, p.Adjacency, func(y []int) error {
			b := histogram(y, p.Cells)
			for _, m := range public {
				for _, c := range []float64{0, .5, 1, 1.49} {
					for _, u := range weights {
						move := float64(weighted(u, scoreOf(b, m, c)) - weighted(u, scoreOf(a, m, c)))
						low, high = math.Min(low, move), math.Max(high, move)
						work++
					}
				}
				if p.Adjacency == dp.AddRemove { // the other way about: a record more
					low, high = math.Min(low, -high), math.Max(high, -low)
				}
			}
			return ctx.Err()
		})
	})
	return cert.Outcome{Value: high - low, Method: cert.Enumeration, Work: work}, err
})

func histogram(x []int, cells int) []int64 {
	out := make([]int64, cells)
	for _, c := range x {
		out[c]++
	}
	return out
}

// choiceParams: one choice among two tables and a stop, at a rate.
type choiceParams struct {
	Rate      mechanism.Rational `json:"rate"`
	Flip      bool               `json:"flip"`
	N         int                `json:"n"`
	Adjacency dp.Adjacency       `json:"adjacency"`
	Weights   []int64            `json:"weights,omitempty"` // of the two tables
}

// choiceChecker derives the exact ε of one choice, from records up: over every data set of n records of three binary
// columns, every neighbour, all public tables of two pairs and several scores of a stop, by the sampler's own law.
var choiceChecker = cert.Define("structure/choice", func(ctx context.Context, p choiceParams) (cert.Outcome, error) {
	if err := p.Rate.Valid(); err != nil {
		return cert.Outcome{}, err
	}
	if p.N < 1 || p.N > 3 {
		return cert.Outcome{}, domain.Refuse("structure", "n", p.N, "1 to 3")
	}
	s, err := sample.NewSelection(p.Rate.Num, p.Rate.Den, p.Flip)
	if err != nil {
		return cert.Outcome{}, err
	}
	u, err := weightsOf(p.Weights, 2)
	if err != nil {
		return cert.Outcome{}, err
	}
	var public [][]int64
	_ = multisets(4, p.N, func(x []int) error { public = append(public, histogram(x, 4)); return nil })
	t := toy{drawer: drawer{problem: &problem{levels: []int{2, 2, 2}}}, n: p.N}
	counted := func(x []int) (a, b []int64) {
		count := t.count(x)
		a, _ = count([]int{0, 1})
		b, _ = count([]int{0, 2})
		return a, b
	}
	if err := within(ctx, 2000*float64(len(public)*len(public)*p.N)); err != nil {
		return cert.Outcome{}, err
	}
	worst, work := 0.0, int64(0)
	err = multisets(8, p.N, func(x []int) error {
		a1, a2 := counted(x)
		return neighbours(x, 8, p.Adjacency, func(y []int) error {
			b1, b2 := counted(y)
			seen := map[[4]int64]bool{} // scores that lead to one law
			for _, m1 := range public {
				for _, m2 := range public {
					key := [4]int64{weighted(u[0], scoreOf(a1, m1, 0)), weighted(u[1], scoreOf(a2, m2, 0)),
						weighted(u[0], scoreOf(b1, m1, 0)), weighted(u[1], scoreOf(b2, m2, 0))}
					if seen[key] {
						continue
					}
					seen[key] = true
					for _, stop := range [][]int64{nil, {0}, {2}, {5}} {
						p := choiceLaw(s, append([]int64{key[0], key[1]}, stop...))
						q := choiceLaw(s, append([]int64{key[2], key[3]}, stop...))
						for i := range p {
							worst = math.Max(worst, math.Abs(p[i]-q[i]))
							work++
						}
					}
				}
			}
			return ctx.Err()
		})
	})
	return cert.Outcome{Value: worst, Method: cert.Enumeration, Work: work}, err
})

// releaseParams: a whole release of a tree over three binary columns under replace-one or two under add-remove, or of
// cliques over three.
type releaseParams struct {
	Column    mechanism.Rational `json:"column"`
	Choose    mechanism.Rational `json:"choose"`
	Noise     mechanism.Rational `json:"noise"`
	Flip      bool               `json:"flip"`
	N         int                `json:"n"`
	Plain     bool               `json:"plain,omitempty"`      // two choices without stop or corrections
	AddRemove bool               `json:"add_remove,omitempty"` // n is private, sizes are estimated, and one decides
	Cliques   bool               `json:"cliques,omitempty"`    // under replace-one
	Weights   []int64            `json:"weights,omitempty"`    // of the pairs
}

// toy is the release. Under add-remove one-way counts from −1 to n + 1 are listed; of cliques, on whose tables later
// choices depend, two outputs of every table.
func (p releaseParams) toy() (*toy, error) {
	for _, r := range []mechanism.Rational{p.Column, p.Choose, p.Noise} {
		if err := r.Valid(); err != nil {
			return nil, err
		}
	}
	if p.N < 1 || p.N > 3 || p.AddRemove && (p.N > 2 || p.Plain || p.Cliques) || p.Cliques && p.N > 2 {
		return nil, domain.Refuse("structure", "n", p.N, "1 to 3; of cliques or under add-remove 1 or 2")
	}
	q := &problem{noise: geometric{}, target: dp.PureDP(1), levels: []int{2, 2, 2},
		pairs: [][2]int{{0, 1}, {0, 2}, {1, 2}}, set: model.Tree().Settings(), n: p.N, rows: 1, publicN: true, plain: p.Plain}
	phases, window, listed := []phase{{Rounds: 2, Choose: &p.Choose, Noise: p.Noise}}, 0, 0
	switch {
	case p.AddRemove:
		q.levels, q.pairs, phases[0].Rounds, window = q.levels[:2], q.pairs[:1], 1, 1
		q.publicN, q.n, q.gated = false, 0, true
		q.target = dp.PureDP(6 * math.Ln2 / .7).Under(dp.AddRemove) // learning pays from two records on
	case p.Cliques:
		q.set, phases, listed = model.Cliques(3).Always().Settings(), append(phases, phases[0]), 2
	}
	if p.Weights != nil {
		w, err := weightsOf(p.Weights, len(q.pairs))
		if err != nil {
			return nil, err
		}
		q.weights, q.top = w, slices.Max(w)
	}
	t, err := newToy(q, params{Columns: []mechanism.Rational{p.Column, p.Column, p.Column}[:len(q.levels)], Phases: phases,
		Flip: p.Flip}, p.N, window)
	if err == nil {
		t.listed = listed
	}
	return t, err
}

// allowed is what the composition says of the release, where one row moves two scores apart by the span.
func (p releaseParams) allowed(span float64) float64 {
	column, choose, noise := p.Column.Float(), span*p.Choose.Float(), p.Noise.Float()
	switch {
	case p.AddRemove:
		return 2*column + choose + noise
	case p.Cliques:
		return 3*column + 4*(choose+2*noise)
	}
	return 3*column + 2*(choose+2*noise)
}

// releaseChecker derives the exact pure ε of the whole release, from records up, by the learner and the laws of
// production.
var releaseChecker = cert.Define("structure/release", func(ctx context.Context, p releaseParams) (cert.Outcome, error) {
	t, err := p.toy()
	if err != nil {
		return cert.Outcome{}, err
	}
	if err := within(ctx, 1e5*math.Pow(float64(p.N), 4)); err != nil {
		return cert.Outcome{}, err
	}
	worst, pairs, err := t.epsilon(ctx, p.Noise.Float())
	return cert.Outcome{Value: worst, Method: cert.Enumeration, Work: pairs}, err
})

// sumParams are all that the loss of a release depends on.
type sumParams struct {
	Noise     string       `json:"noise"`
	Levels    []int        `json:"levels"`
	PublicN   bool         `json:"public_n"`
	Rows      int          `json:"rows"`
	Adjacency dp.Adjacency `json:"adjacency"`
	Params    params       `json:"params"`
	Want      dp.Level     `json:"want"`
	Weight    int64        `json:"weight,omitempty"` // the largest of a workload
}

// sumChecker derives what the list of all parts spends.
var sumChecker = cert.Define("structure/sum", func(ctx context.Context, p sumParams) (cert.Outcome, error) {
	q := &problem{noise: geometric{}, levels: p.Levels, publicN: p.PublicN, rows: p.Rows, top: p.Weight,
		target: dp.Target{Level: p.Want, Adjacency: p.Adjacency}}
	if p.Noise == (gaussian{}).name() {
		q.noise = gaussian{}
	}
	if err := p.Want.Valid(); err != nil {
		return cert.Outcome{}, err
	}
	if err := p.Params.Valid(); err != nil {
		return cert.Outcome{}, err
	}
	if len(p.Levels) != len(p.Params.Columns) || p.Rows < 1 {
		return cert.Outcome{}, domain.Refuse("structure", "levels, rows", fmt.Sprint(len(p.Levels), p.Rows),
			"one rate for every column, rows ≥ 1")
	}
	d, err := loss.Declare(q.parts(p.Params)...)
	if err != nil {
		return cert.Outcome{}, err
	}
	return cert.Outcome{Value: loss.Spent(loss.Until(ctx, d), p.Want), Method: cert.ProvedBound}, ctx.Err()
})

// Rates at which small releases are enumerated whatever the plan's are: at small ones slack hides mistakes.
var (
	largeRate = mechanism.Rational{Num: 3, Den: 1}
	tenth     = mechanism.Rational{Num: 13, Den: 128}
)

const (
	choiceSource  = "docs/structure.md, theory/structure.md §1, §7"
	releaseSource = "docs/structure.md, theory/structure.md §4"
)

// checks executes the claims behind a release.
func (q *problem) checks(ctx context.Context, p params) ([]cert.Check, error) {
	ctx = cert.WithWorkLimit(ctx, max(cert.WorkLimit(ctx), cert.DefaultWorkLimit))
	first, err := sumChecker.Check(ctx, cert.Check{
		Statement: "loss of all tables and choices, " + loss.NotionWords(q.target.Level),
		Formula:   "the list of dominating pairs, declared beforehand: which table is chosen changes none of them",
		Source:    choiceSource, Bound: loss.Allowed(q.target.Level),
		Scope: "all data; rates are exact, rounded toward privacy",
	}, sumParams{q.noise.name(), q.levels, q.publicN, q.rows, q.target.Adjacency, p, q.target.Level, q.weightInFile()})
	if err != nil {
		return nil, err
	}
	out := []cert.Check{first}
	if p.Joint {
		one, err := q.tableCheck(ctx, p.Phases[0].Noise)
		return append(out, one), err
	}
	if len(p.Phases) == 0 || p.Phases[0].Choose == nil {
		return out, nil
	}
	for _, cells := range []int{4, 6} {
		c, err := scoreChecker.Check(ctx, cert.Check{
			Statement: "range of what one row moves a score by", Formula: q.formula(),
			Source: choiceSource, Bound: cert.Number(q.span()),
			Scope: fmt.Sprintf("every table N of 3 records in %d cells, every neighbour, every public table M", cells),
		}, scoreParams{cells, 3, q.target.Adjacency, q.someWeights(2)})
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	for _, rate := range []mechanism.Rational{*p.Phases[0].Choose, largeRate} {
		c, err := choiceChecker.Check(ctx, cert.Check{
			Statement: "exact ε of one choice by the shipped law, by enumeration", Formula: fmt.Sprintf("%gx, x = %s", q.span(),
				rate),
			Source: choiceSource, Bound: cert.Number(rate.Float()*q.span()*(1+1e-12) + 1e-12),
			Scope: "every data set of 2 records of three binary columns, every neighbour, all public tables of two pairs, a " +
				"stop or none",
		}, choiceParams{rate, p.Flip, 2, q.target.Adjacency, q.someWeights(2)})
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	whole, err := q.wholeChecks(ctx, p)
	return append(out, whole...), err
}
