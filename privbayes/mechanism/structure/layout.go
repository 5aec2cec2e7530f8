package structure

import (
	"fmt"
	"math"
	"slices"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// phase is a number of rounds with the same rates.
type phase struct {
	Rounds int             `json:"rounds"`
	Choose *noise.Rational `json:"choose,omitempty"` // x of P(C) ∝ e^{xL}; none: the tables are given
	Noise  noise.Rational  `json:"noise"`            // of a table
}

// params are the public parameters of a release.
type params struct {
	Columns []noise.Rational `json:"columns"`          // noise of every one-way table
	Within  []noise.Rational `json:"within,omitempty"` // noise of the sums within bins, for each column that has them
	Phases  []phase          `json:"phases,omitempty"`
	Flip    bool             `json:"flip,omitempty"`  // permute-and-flip
	Joint   bool             `json:"joint,omitempty"` // the joint table of all columns, and nothing chosen
	Kept    bool             `json:"kept,omitempty"`  // scores are corrected by kept noise; earlier files: by all of it

	Batches    *batches    `json:"batches,omitempty"`    // in place of phases: pairs are chosen in batches
	Statements *statements `json:"statements,omitempty"` // after all else
}

// Valid checks parameters from a file: *dp.ParameterError.
func (p params) Valid() error {
	check := func(r noise.Rational) error { return r.Valid() }
	for _, r := range append(slices.Clone(p.Columns), p.Within...) {
		if err := check(r); err != nil {
			return err
		}
	}
	for _, f := range p.Phases {
		if f.Rounds < 1 || f.Rounds > 1<<16 {
			return domain.Refuse("structure", "rounds", f.Rounds, "1 to 65536")
		}
		if err := check(f.Noise); err != nil {
			return err
		}
		if f.Choose != nil {
			if err := check(*f.Choose); err != nil {
				return err
			}
		}
	}
	if p.Batches != nil {
		if err := p.Batches.Valid(); err != nil {
			return err
		}
	}
	if p.Statements != nil {
		return p.Statements.Valid()
	}
	return nil
}

// plan of phases before it has rates: a share of the budget for each.
type share struct {
	rounds         int
	choose, tables float64 // of the whole budget
	given          bool    // the tables are given: nothing is chosen
}

// shares divide the budget: what one-way tables get, and the phases. Of five splits of a tree 1:1:4 was the best, and
// of 60 variants of the rounds of pairs these (theory/structure.md §2, §8).
func (q *problem) shares() (columns float64, phases []share) {
	d := len(q.levels)
	switch {
	case q.declined != "":
		return 1, nil
	case q.set.Star != "":
		return .2, []share{{d - 1, 0, .8, true}}
	case q.joint:
		return q.jointShare(), []share{{1, 0, 1 - q.jointShare(), true}}
	case q.batched:
		return batchOneWay, nil
	case q.set.Algorithm == model.Pairs:
		s := q.pairShare()
		s.rounds = max(s.rounds, q.many)
		return .2, []share{s}
	case !q.grows():
		return 1. / 6, []share{q.treeShare(1)}
	}
	return .7 / 6, []share{q.treeShare(.7), {(d + 1) / 2, .3 * .2, .3 * .8, false}}
}

// pairShare is that of the rounds of pairs.
func (q *problem) pairShare() share {
	choose := .12
	if q.pure() {
		choose = .15
	}
	return share{2 * len(q.levels), .8 * choose, .8 * (1 - choose), false}
}

// treeShare is that of the rounds of a tree, where it gets a part of the budget.
func (q *problem) treeShare(part float64) share {
	return share{len(q.levels) - 1, part / 6, part * 4 / 6, false}
}

// changed is how many counts of a measured table one row changes.
func (q *problem) changed(measured int) int {
	if q.target.Adjacency == dp.AddRemove {
		return 1
	}
	return min(measured, 2)
}

// measured is how many cells of the one-way table of column i are measured: of two levels one count, where n is public.
func (q *problem) measured(i int) int {
	if q.publicN && q.levels[i] == 2 {
		return 1
	}
	return q.levels[i]
}

// span is how much one row moves two scores apart: w of theory/structure.md §1, in units of L. A weighted score u·L
// moves by u times what L does.
func (q *problem) span() float64 { return spanOf(q.target.Adjacency) * float64(max(q.top, 1)) }

// spanOf is 4 where one record is replaced, since every score moves by −2, 0 or 2, and 2 where one is added, which
// moves every score by −1 or 1. Tests put wrong ones in its place.
var spanOf = func(a dp.Adjacency) float64 {
	if a == dp.AddRemove {
		return 2
	}
	return 4
}

// unitSpan is how much one unit of k rows moves two scores apart. Tests put wrong ones in its place.
var unitSpan = func(q *problem) float64 { return q.span() * float64(q.rows) }

func (q *problem) pure() bool { return q.target.Notion == dp.Pure }

// scaled are the parameters at a budget: ε where pure, else ρ. One-way tables get γ ∝ √cells or ρ ∝ cells^⅔, which
// minimise the total error of their cells.
func (q *problem) scaled(budget float64) params {
	columns, phases := q.shares()
	chooses, pure := len(phases) > 0 && !phases[0].given, q.pure()
	p := params{Flip: pure && chooses, Joint: q.joint, Kept: chooses}
	var stated float64
	p.Statements, stated = q.scaledStatements(budget)
	p.Within, budget = q.scaledWithin(budget)
	budget -= stated
	total, weights := 0.0, make([]float64, len(q.levels))
	for i, k := range q.levels {
		c := float64(q.changed(q.measured(i)))
		if weights[i] = math.Sqrt(float64(k) * c); !pure {
			weights[i] = math.Pow(float64(k)*math.Sqrt(c), 2./3)
		}
		total += weights[i]
	}
	for i := range q.levels {
		r := q.noise.rate(budget*columns*weights[i]/total, pure, q.changed(q.measured(i)), q.rows)
		p.Columns = append(p.Columns, q.noise.rounded(r))
	}
	if q.batched {
		p.Batches = q.batchRates(budget * (1 - columns))
	}
	for _, s := range phases {
		t := float64(s.rounds)
		f := phase{Rounds: s.rounds,
			Noise: q.noise.rounded(q.noise.rate(budget*s.tables/t, pure, q.changed(4), q.rows))}
		if !s.given {
			x := selectionRange(budget*s.choose/t, pure) / unitSpan(q)
			r := noise.Dyadic(math.Min(x, noise.GeometricFamily.Search.High), rateBits, false).Reduced()
			f.Choose = &r
		}
		p.Phases = append(p.Phases, f)
	}
	return p
}

// chosenRange is the ε of a choice at the rate x.
func (q *problem) chosenRange(x noise.Rational) float64 {
	return x.Float() * unitSpan(q)
}

// parts lists the release: every one-way table, and the choices and the tables of every phase.
func (q *problem) parts(p params) (out []loss.Repeat) {
	for i, r := range p.Columns {
		out = append(out, loss.Repeat{Pair: q.noise.pair(r, q.changed(q.measured(i)), q.rows), Times: 1})
	}
	for _, r := range p.Within {
		out = append(out, loss.Repeat{Pair: q.withinPair(r), Times: 1})
	}
	for _, f := range p.Phases {
		if f.Choose != nil {
			out = append(out, loss.Repeat{Pair: q.choicePair(*f.Choose, p.Flip), Times: f.Rounds})
		}
		out = append(out, loss.Repeat{Pair: q.noise.pair(f.Noise, q.changed(4), q.rows), Times: f.Rounds})
	}
	if p.Batches != nil {
		out = append(out, q.batchParts(p.Batches)...)
	}
	return append(out, q.statementParts(p.Statements)...)
}

// choicePair dominates one choice: permute-and-flip has pure ε and no more.
func (q *problem) choicePair(x noise.Rational, flip bool) loss.Pair {
	if flip {
		return loss.PurePair{Epsilon: q.chosenRange(x)}
	}
	return loss.SelectionPair{Epsilon: q.chosenRange(x)}
}

// fits checks that parameters from a file are laid out as those of the problem. Whether the joint table was measured,
// and whether pairs were chosen in batches, is what the parameters say.
func (q *problem) fits(p params) error {
	if q.shape.Learning().Joint >= 0 && p.Joint != q.joint {
		q.joint = p.Joint
		q.decidePairs()
		q.decideRounds()
	}
	if p.Batches != nil || q.batched { // from before there were batches, pairs were chosen in rounds
		q.batched = p.Batches != nil && q.mayBatch()
	}
	want := q.scaled(1)
	refuse := func(what string, have, want any) error {
		return domain.Refuse("structure", what, fmt.Sprint(have), fmt.Sprint(want)+", which follow from model and target")
	}
	switch {
	case p.Joint != want.Joint:
		return refuse("joint", p.Joint, want.Joint)
	case (p.Batches != nil) != (want.Batches != nil):
		return refuse("batches", "batches", "rounds")
	case p.Batches != nil && (p.Batches.Number != want.Batches.Number || p.Batches.Distances != want.Batches.Distances):
		return refuse("batches", *p.Batches, *want.Batches)
	case len(p.Columns) != len(want.Columns):
		return refuse("columns", len(p.Columns), len(want.Columns))
	case len(p.Within) != len(want.Within):
		return refuse("within", len(p.Within), len(want.Within))
	case len(p.Phases) != len(want.Phases):
		return refuse("phases", len(p.Phases), len(want.Phases))
	case p.Flip && !want.Flip:
		return refuse("flip", p.Flip, "the exponential mechanism: permute-and-flip is for pure ε")
	case p.Kept && !want.Kept:
		return refuse("kept", p.Kept, "none: nothing is chosen")
	}
	for i, f := range p.Phases {
		if want.Phases[i].Rounds == q.many && f.Rounds == q.pairShare().rounds { // as in files from before there were more
			q.many, want.Phases[i].Rounds = 0, f.Rounds
		}
		if f.Rounds != want.Phases[i].Rounds || (f.Choose == nil) != (want.Phases[i].Choose == nil) {
			return refuse("rounds", f.Rounds, want.Phases[i].Rounds)
		}
	}
	return fitsStatements(p.Statements, want.Statements)
}

// choice is the law of a phase's choices.
func (f phase) choice(flip bool) (sample.Selection, error) {
	if f.Choose == nil {
		return sample.Selection{}, nil
	}
	return sample.NewSelection(f.Choose.Num, f.Choose.Den, flip)
}

// added is the noise on tables: a family whose parameter is found from a share of the budget.
type added struct {
	noise.OneParameter
	kind, name, words string // in files, in titles and check parameters, before a parameter
	bits              int    // of a parameter: what rounding leaves unspent is below 1e-6 of it
	unbounded         bool   // it has no pure ε
	// rate is the parameter whose noise on some counts, each shifted by rows, spends at most the budget: an ε where
	// pure, a ρ otherwise.
	rate         func(budget float64, pure bool, cells, rows int) float64
	meanAbsolute func(parameter float64) float64
	kept         func(parameter, m float64) float64 // κ(m): see kept.go
}

// rounded is a parameter in the range of the sampler, toward privacy.
func (z *added) rounded(x float64) noise.Rational {
	if z.Search.Variance {
		return noise.Dyadic(math.Max(x, z.Search.Low), z.bits, true).Reduced()
	}
	return noise.Dyadic(math.Min(x, z.Search.High), z.bits, false).Reduced()
}

func (z *added) pair(r noise.Rational, cells, rows int) loss.Pair {
	return z.PairAt(r.Float(), cells, rows)
}

// rateBits are those of rates.
const rateBits = 24

var geometric = &added{
	OneParameter: noise.GeometricFamily, kind: "learned-geometric", name: "geometric", words: "two-sided geometric, γ = ",
	bits: rateBits, meanAbsolute: func(rate float64) float64 { return 1 / math.Sinh(math.Min(rate, 300)) },
	kept: keptGeometric,
	rate: func(budget float64, pure bool, cells, rows int) float64 {
		each := budget / float64(cells)
		if !pure { // γ·tanh(γ/2) = ρ for one count: γ = √(2ρ) but for the curvature of tanh
			g := math.Sqrt(2 * each)
			for range 40 {
				g -= (g*math.Tanh(g/2) - each) / (math.Tanh(g/2) + g/2/math.Pow(math.Cosh(math.Min(g/2, 300)), 2))
			}
			each = g
		}
		return each / float64(rows)
	},
}

var gaussian = &added{
	OneParameter: noise.GaussianFamily.OneParameter, kind: "learned-gaussian", name: "discrete Gaussian",
	words: "discrete Gaussian, σ² = ",
	bits:  noise.GaussianBits, unbounded: true,
	meanAbsolute: func(sigma2 float64) float64 { return math.Sqrt(2 * sigma2 / math.Pi) },
	kept:         keptGaussian,
	rate: func(budget float64, _ bool, cells, rows int) float64 {
		return float64(cells) * float64(rows) * float64(rows) / (2 * budget)
	},
}

// selectionRange is the ε whose choice by the exponential mechanism spends the budget: itself where pure, else by
// Newton's steps on ρ₁(ε) ≈ ε²/8.
func selectionRange(budget float64, pure bool) float64 {
	if pure {
		return budget
	}
	e := math.Sqrt(8 * budget)
	for range 60 {
		e *= math.Sqrt(budget / loss.SelectionPair{Epsilon: e}.ZCDP())
	}
	return e
}
