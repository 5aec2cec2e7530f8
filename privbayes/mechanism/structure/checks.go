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
	"github.com/privbayes/privbayes-go/privbayes/dp/finite"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
)

// scoreParams: tables of some cells and records, against all public tables.
type scoreParams struct {
	Cells     int          `json:"cells"`
	N         int          `json:"n"`
	Adjacency dp.Adjacency `json:"adjacency"`
	Weights   []int64      `json:"weights,omitempty"`
	Kept      bool         `json:"kept,omitempty"` // corrections by kept noise, too
}

// corrections are those that a check of scores goes through.
func (p scoreParams) corrections() (out []func(m []int64) float64) {
	for _, c := range []float64{0, .5, 1, 1.49} {
		out = append(out, constant(c))
		if p.Kept { // of noise at γ = c + 1/2, half of whose cells are free
			l := phaseLaw{kept: geometric.keptNoise(c+.5, true)}
			out = append(out, func(m []int64) float64 { return c/2 + l.noiseCost(m, float64(len(m))/2, 0) })
		}
	}
	return out
}

// weightsOf are those of a check, 1 where there is no workload. Errors: *dp.ParameterError for a weight outside 1 to
// 1000.
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
		for x := range finite.Histograms(p.Cells, n) {
			public = append(public, finite.Counts(x))
		}
	}
	if err := within(ctx, float64(len(public))*float64(len(public))*float64(p.Cells*p.N)); err != nil {
		return cert.Outcome{}, err
	}
	low, high, work, corrections := 0.0, 0.0, int64(0), p.corrections()
	space := finite.Space{Cells: p.Cells, N: p.N, Adjacency: p.Adjacency}
	for x := range finite.Histograms(p.Cells, p.N) {
		a := finite.Counts(x)
		for y := range space.Around(x) {
			b := finite.Counts(y)
			for _, m := range public {
				for _, c := range corrections {
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
			if ctx.Err() != nil {
				return cert.Outcome{}, ctx.Err()
			}
		}
	}
	return cert.Outcome{Value: high - low, Method: cert.Enumeration, Work: work}, nil
})

// choiceParams: one choice among two tables and a stop, at a rate.
type choiceParams struct {
	Rate      noise.Rational `json:"rate"`
	Flip      bool           `json:"flip"`
	N         int            `json:"n"`
	Adjacency dp.Adjacency   `json:"adjacency"`
	Weights   []int64        `json:"weights,omitempty"` // of the two tables
	Rows      int            `json:"rows,omitempty"`    // of a unit; 0: 1
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
	if err := unitRows(p.Rows, p.N); err != nil {
		return cert.Outcome{}, err
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
	for x := range finite.Histograms(4, p.N) {
		public = append(public, finite.Counts(x))
	}
	t := smallInstance{sampler: sampler{problem: &problem{levels: []int{2, 2, 2}}}, n: p.N}
	counted := func(x []int) (a, b []int64) {
		count := t.count(recordsOf(x))
		a, _ = count([]int{0, 1})
		b, _ = count([]int{0, 2})
		return a, b
	}
	if err := within(ctx, 2000*float64(len(public)*len(public)*p.N)); err != nil {
		return cert.Outcome{}, err
	}
	worst, work, none := 0.0, int64(0), constant(0)
	known := map[[4]int64]bool{} // scores whose laws were compared, for other data sets
	space := finite.Space{Cells: 8, N: p.N, Adjacency: p.Adjacency}
	for x := range finite.Histograms(8, p.N) {
		a1, a2 := counted(x)
		for y := range units(space, x, p.Rows) {
			b1, b2 := counted(y)
			seen := map[[4]int64]bool{} // scores that lead to one law
			for _, m1 := range public {
				for _, m2 := range public {
					key := [4]int64{weighted(u[0], scoreOf(a1, m1, none)), weighted(u[1], scoreOf(a2, m2, none)),
						weighted(u[0], scoreOf(b1, m1, none)), weighted(u[1], scoreOf(b2, m2, none))}
					if seen[key] {
						continue
					}
					seen[key] = true
					for _, stop := range [][]int64{nil, {0}, {2}, {5}} {
						work += int64(2 + len(stop))
						if known[key] {
							continue
						}
						p := choiceLaw(s, append([]int64{key[0], key[1]}, stop...))
						q := choiceLaw(s, append([]int64{key[2], key[3]}, stop...))
						for i := range p {
							worst = math.Max(worst, math.Abs(p[i]-q[i]))
						}
					}
					known[key] = true
				}
			}
			if ctx.Err() != nil {
				return cert.Outcome{}, ctx.Err()
			}
		}
	}
	return cert.Outcome{Value: worst, Method: cert.Enumeration, Work: work}, nil
})

// sumParams are all that the loss of a release depends on.
type sumParams struct {
	Noise     string        `json:"noise"`
	Levels    []int         `json:"levels"`
	PublicN   bool          `json:"public_n"`
	Rows      int           `json:"rows"`
	Adjacency dp.Adjacency  `json:"adjacency"`
	Params    params        `json:"params"`
	Want      dp.Parameters `json:"want"`
	Weight    int64         `json:"weight,omitempty"` // the largest of a workload
}

// sumChecker derives what the list of all parts spends.
var sumChecker = cert.Define("structure/sum", func(ctx context.Context, p sumParams) (cert.Outcome, error) {
	q := &problem{noise: geometric, levels: p.Levels, publicN: p.PublicN, rows: p.Rows, top: p.Weight,
		target: dp.Request{Parameters: p.Want, Adjacency: p.Adjacency}}
	if p.Noise == gaussian.name {
		q.noise = gaussian
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
	d, err := loss.DeclareByCurve(q.parts(p.Params)...)
	if err != nil {
		return cert.Outcome{}, err
	}
	return cert.Outcome{Value: loss.Spent(loss.Until(ctx, d), p.Want), Method: cert.ProvedBound}, ctx.Err()
})

const (
	choiceSource  = "docs/structure.md, theory/structure.md §1, §7"
	releaseSource = "docs/structure.md, theory/structure.md §4"
)

// checks executes the claims behind a release.
func (q *problem) checks(ctx context.Context, p params) ([]cert.Check, error) {
	ctx = cert.WithWorkLimit(ctx, max(cert.WorkLimit(ctx), cert.DefaultWorkLimit))
	first, err := sumChecker.Check(ctx, cert.Check{
		Statement: "loss of all tables and choices, " + loss.NotionWords(q.target.Parameters),
		Formula:   "the list of dominating pairs, declared beforehand: which table is chosen changes none of them",
		Source:    choiceSource, Bound: loss.Allowed(q.target.Parameters),
		Scope: "all data; rates are exact, rounded toward privacy",
	}, sumParams{q.noise.name, q.levels, q.publicN, q.rows, q.target.Adjacency, p, q.target.Parameters, q.weightInFile()})
	if err != nil {
		return nil, err
	}
	out := []cert.Check{first}
	within, err := q.withinChecks(ctx, p)
	if err != nil {
		return nil, err
	}
	stated, err := q.statementChecks(ctx, p.Statements)
	if err != nil {
		return nil, err
	}
	out = append(append(out, within...), stated...)
	if p.Joint {
		one, err := q.tableCheck(ctx, p.Phases[0].Noise)
		return append(out, one), err
	}
	if p.Batches != nil {
		more, err := q.batchChecks(ctx, p.Batches)
		return append(out, more...), err
	}
	if len(p.Phases) == 0 || p.Phases[0].Choose == nil {
		return out, nil
	}
	for _, cells := range []int{4, 6} {
		c, err := scoreChecker.Check(ctx, cert.Check{
			Statement: "range of what one row moves a score by", Formula: q.formula(),
			Source: choiceSource, Bound: cert.Number(q.span()),
			Scope: fmt.Sprintf("every table N of 3 records in %d cells, every neighbour, every public table M", cells),
		}, scoreParams{cells, 3, q.target.Adjacency, q.someWeights(2), p.Kept})
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	for _, c := range []choiceParams{{Rate: *p.Phases[0].Choose}, {Rate: largeRate}, {Rate: largeRate, Rows: 2}} {
		k := cert.Check{
			Statement: "exact ε of one choice by the shipped law, by enumeration", Source: choiceSource,
			Scope: "every data set of 2 records of three binary columns, every neighbour, all public tables of two pairs, a " +
				"stop or none",
		}
		unit := *q
		if unit.rows = max(c.Rows, 1); c.Rows > q.rows {
			continue
		} else if c.Rows > 1 {
			k.Statement += "; units of 2 rows"
		}
		span := unitSpan(&unit)
		k.Formula, k.Bound = fmt.Sprintf("%gx, x = %s", span, c.Rate), cert.Number(c.Rate.Float()*span*(1+1e-12)+1e-12)
		c.Flip, c.N, c.Adjacency, c.Weights = p.Flip, 2, q.target.Adjacency, q.someWeights(2)
		one, err := choiceChecker.Check(ctx, k, c)
		if err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	whole, err := q.wholeChecks(ctx, p)
	return append(out, whole...), err
}
