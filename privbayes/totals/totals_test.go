package totals

import (
	"encoding/json"
	"math"
	"math/big"
	"slices"
	"strconv"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/budget"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// golden values: the integer weights, their squares, and the worst standard deviation of a total over that of one count
// at the whole level, without rounding.
var golden = []struct {
	periods int
	squares int64
	worst   float64
}{{12, 7948581338, 1.85067657805}, {40, 9614286265, 2.23849851263}}

func TestWeightsAreGolden(t *testing.T) {
	for _, g := range golden {
		c := weights(g.periods)
		if have := c[:6]; !slices.Equal(have, []int64{65536, 32768, 24576, 20480, 17920, 16128}) {
			t.Error(have)
		}
		if have := squares(c); !have.IsInt64() || have.Int64() != g.squares {
			t.Errorf("%d periods: %v", g.periods, have)
		}
		exact := 0.
		choose := 1. // C(2j, j)/4^j
		for j := range g.periods {
			exact += choose * choose
			choose *= float64(2*j+1) / float64(2*j+2)
		}
		p := planned(t, g.periods, dp.ZCDP(.1).Under(dp.AddRemove), nil)
		worst := p.SD(g.periods) / p.SD(1) * math.Sqrt(p.norm())
		if math.Abs(exact-g.worst) > 1e-9 || math.Abs(worst-g.worst) > 1e-4 {
			t.Errorf("%d periods: %.12f, %.12f", g.periods, exact, worst)
		}
	}
}

// The standard deviation of the worst running total, over that of one count at the whole ρ: the table of the theory.
func TestRunningTotalsBeatTheOthers(t *testing.T) {
	for _, c := range []struct {
		periods          int
		root, increments float64
		anew, tree       float64
	}{{4, 1.49, 2, 2, 2.45}, {12, 1.85, 3.46, 3.46, 3.46}, {40, 2.24, 6.32, 6.32, 5.48},
		{120, 2.59, 10.95, 10.95, 6.48}} {
		p := planned(t, c.periods, dp.ZCDP(.1).Under(dp.AddRemove), nil)
		root := p.SD(c.periods) / p.SD(1) * math.Sqrt(p.norm())
		n := float64(c.periods)
		levels, nodes := 0, 0 // of the binary tree: counts that a row is in, and most counts that make up a total
		for t := range c.periods {
			levels = max(levels, big.NewInt(int64(t+1)).BitLen())
			ones := 0
			for b := t + 1; b > 0; b >>= 1 {
				ones += b & 1
			}
			nodes = max(nodes, ones)
		}
		for i, v := range [][2]float64{{root, c.root}, {math.Sqrt(n), c.increments}, {math.Sqrt(n), c.anew},
			{math.Sqrt(float64(levels * nodes)), c.tree}} {
			if math.Abs(v[0]-v[1]) > .006 {
				t.Errorf("%d periods, column %d: %.4f, want %v", c.periods, i, v[0], v[1])
			}
		}
	}
}

// schemaOf has quarters and, unless there are none, regions.
func schemaOf(periods int, regions []string, rows int) *frame.Schema {
	var labels []string
	for i := range periods {
		labels = append(labels, "q"+strconv.Itoa(i+1))
	}
	s := &frame.Schema{Dataset: "arrivals", RowsPerUnit: rows,
		Columns: []frame.Column{frame.Categorical("quarter", labels...)}}
	if regions != nil {
		s.Columns = append(s.Columns, frame.Categorical("region", regions...))
	}
	return s
}

func shapeOf(t *testing.T, s *frame.Schema, n int, adj dp.Adjacency) *model.Shape {
	t.Helper()
	return must.Get(model.NewShape(s, model.ContingencyTable(s.Names()...), n, adj.PublicN(), "adjacency"))(t)
}

func planned(t *testing.T, periods int, target dp.Request, regions []string) *Plan {
	t.Helper()
	return must.Get(New(t.Context(), target, shapeOf(t, schemaOf(periods, regions, 1), 10, target.Adjacency)))(t)
}

// σ² follows from the unit that changes most, for both adjacencies and units of several rows; and the certificate says
// so in numbers that others derive again.
func TestNoiseOfASequence(t *testing.T) {
	for _, c := range []struct {
		adj   dp.Adjacency
		rows  int64
		cells int64
	}{{dp.AddRemove, 1, 1}, {dp.AddRemove, 3, 1}, {dp.ReplaceOne, 1, 2}, {dp.ReplaceOne, 3, 2}} {
		sh := shapeOf(t, schemaOf(12, []string{"n", "s"}, int(c.rows)), 10, c.adj)
		p := must.Get(New(t.Context(), dp.ZCDP(.05).Under(c.adj), sh))(t)
		want := uint64(math.Ceil(float64(7948581338*c.cells*c.rows*c.rows) / .1))
		if have := p.noise.Parameter(); have.Num != want || have.Den != 1 {
			t.Errorf("%v, %d rows: σ² = %d, want %d", c.adj, c.rows, have.Num, want)
		}
		if g := p.Certified(); g.Rho > .05 || g.Rho < .05*(1-1e-9) || !p.Certificate().Verify(t.Context()).OK() {
			t.Error(p.Certificate())
		}
	}
}

// mutants of what is measured, and of what is charged, are rejected by the checks.
func TestMutantsOfTheSensitivity(t *testing.T) {
	for _, c := range []change{{5, 1, 1}, {5, 1, 2}, {5, 2, 1}, {4, 2, 2}, {1, 2, 2}} {
		bound := c.squared(weights(c.Periods)).Int64()
		right := must.Get(enumerate(t.Context(), c, measured))(t)
		if int64(right.Value) != bound {
			t.Errorf("%+v: %v, want %d", c, right.Value, bound)
		}
		for name, measure := range map[string]func(c, counts []int64, cells, t int) []int64{
			// so do rows that are counted in the latest period each time, such as those that a cap by a key chooses anew
			"the totals themselves": func(c, counts []int64, cells, t int) []int64 {
				return measured(slices.Repeat([]int64{scale}, len(c)), counts, cells, t)
			},
			"weights that do not fall": func(c, counts []int64, cells, t int) []int64 {
				return measured(append([]int64{c[0], c[0]}, c[1:]...), counts, cells, t)
			},
			"each row in two cells": func(c, counts []int64, cells, t int) []int64 {
				out := measured(c, counts, cells, t)
				return []int64{out[0] + out[1], out[1]}
			},
		} {
			wrong := must.Get(enumerate(t.Context(), c, measure))(t)
			if c.Periods > 1 && int64(wrong.Value) <= bound {
				t.Errorf("%+v: %s passes", c, name)
			}
		}
	}
	ctx := t.Context()
	q := change{12, 2, 1}
	need := leastNoise(q.squared(weights(12)), .1).Uint64()
	own := q
	own.Periods = 1
	once := q
	once.Cells = 1
	for name, sigma2 := range map[string]uint64{
		"one period": leastNoise(own.squared(weights(1)), .1).Uint64(), "one step less": need - 1,
		"add-remove under replace-one": leastNoise(once.squared(weights(12)), .1).Uint64()} {
		made := must.Get(certify(ctx, noised{q, sigma2}, dp.ZCDP(.1).Parameters))(t)
		if made.OK() {
			t.Errorf("σ² of %s passes", name)
		}
	}
	// the unit of the last period alone would charge 1.85 times too little
	last := leastNoise(own.squared(weights(1)), .1).Uint64()
	if have := rhoOf(q.squared(weights(12)), last); math.Abs(have/.1-1.8507) > 1e-3 {
		t.Error(have)
	}
}

// Without noise the totals are the rows so far, whatever comes later; the transposed factor does not give them.
func TestTotalsAreThoseOfTheRows(t *testing.T) {
	const periods, cells = 40, 3
	p := planned(t, periods, dp.ZCDP(.1), []string{"n", "s", "w"})
	counts, src := make([]int64, periods*cells), dp.Seeded(1)
	for i := range counts {
		counts[i] = int64(src.Uint64() % 1000)
	}
	exact := &Totals{plan: p, id: "a", sequence: "a", seeds: make([]*uint64, periods)}
	transposed := *exact
	for t := range periods {
		exact.y = append(exact.y, measured(p.c, counts, cells, t))
		y := make([]int64, cells)
		for j := t; j < periods; j++ {
			for i := range cells {
				y[i] += p.c[j-t] * counts[j*cells+i]
			}
		}
		transposed.y = append(transposed.y, y)
	}
	described := must.Get(json.Marshal(p))(t)
	if size, room := len(must.Get(exact.JSON())(t)), p.room(len(described), periods-1); int64(size) > room-1<<16 {
		t.Errorf("a file of %d bytes in %d", size, room)
	}
	check := func(of *Totals) (worst float64) {
		sums := make([]float64, cells+1)
		for at := range periods {
			for i := range cells {
				sums[i] += float64(counts[at*cells+i])
				sums[cells] += float64(counts[at*cells+i])
			}
			for i, e := range must.Get(of.After("q"+strconv.Itoa(at+1), .95))(t) {
				worst = max(worst, math.Abs(e.Value-sums[i]))
			}
		}
		return worst
	}
	if worst := check(exact); worst > 1e-6 {
		t.Error(worst)
	}
	if worst := check(&transposed); worst < 100 {
		t.Error("the transposed factor passes:", worst)
	}
	added := must.Get(exact.Between("q3", "q4", .9))(t)
	for i, e := range added[:cells] {
		if math.Abs(e.Value-float64(counts[3*cells+i])) > 1e-6 || e.Period != "q4" || len(e.Labels) != 1 {
			t.Error(e)
		}
	}
}

// A row that is added to an earlier period when its total is released already counts in part, as the documents say:
// half in the next total, then 5/8, then 11/16. One that keeps its place counts in full.
func TestLateRowsCountInPart(t *testing.T) {
	const periods = 4
	p := planned(t, periods, dp.ZCDP(.1), nil)
	late := &Totals{plan: p, id: "a", sequence: "a", y: [][]int64{{0}}}
	for at := 1; at < periods; at++ {
		late.y = append(late.y, measured(p.c, []int64{1, 0, 0, 0}, 1, at))
	}
	for at, want := range []float64{0, .5, .625, .6875} {
		if have := must.Get(late.After(p.Periods()[at], .95))(t)[0].Value; math.Abs(have-want) > 1e-4 {
			t.Error(at, have)
		}
	}
}

// memory is a budget of the test's schema.
func memory(t *testing.T, s *frame.Schema, target dp.Request) *budget.Budget {
	t.Helper()
	return must.Get(budget.New("arrivals", budget.UnitOf(s), target))(t)
}

// Intervals of totals, of what was added between two periods, and of all cells together hold the rows so far in 95 % of
// draws, and ones that forget the earlier noise do not.
func TestIntervalsHoldTheRows(t *testing.T) {
	const draws, periods, cells = 1500, 12, 2
	target := dp.ZCDP(.02).Under(dp.AddRemove)
	s := schemaOf(periods, []string{"n", "s"}, 1)
	sh := shapeOf(t, s, 0, dp.AddRemove)
	p := must.Get(New(t.Context(), target, sh))(t)
	counts := slices.Repeat([]int64{500}, periods*cells)
	st := must.Get(model.FromCounts(p.shape, [][]int64{counts}))(t)
	var total, all, between, alone int
	src := dp.Seeded(7)
	for range draws {
		out := must.Get(p.draw(t.Context(), st, &Totals{}, periods-1, "x", src))(t)
		e := must.Get(out.After("q12", .95))(t)
		d := must.Get(out.Between("q4", "q12", .95))(t)
		hold := func(e Estimate, truth float64) int {
			if e.Low <= truth && truth <= e.High {
				return 1
			}
			return 0
		}
		total += hold(e[0], 500*periods)
		all += hold(e[cells], 500*periods*cells)
		between += hold(d[1], 500*8)
		half := p.half(p.b[:1], 1, .95) // of the last measurement's noise alone
		if math.Abs(e[0].Value-500*periods) <= half {
			alone++
		}
	}
	// binomial: 1,500 draws of .95 have a deviation of .0056; six of them are .034
	for name, n := range map[string]int{"a total": total, "all cells": all, "a difference": between} {
		if share := float64(n) / draws; math.Abs(share-.95) > .034 {
			t.Errorf("%s: %.3f", name, share)
		}
	}
	if share := float64(alone) / draws; share > .9 {
		t.Errorf("an interval of one measurement holds %.3f", share)
	}
}

// Neither a second draw of a period nor another data set gets the noise of the first, and the file has no noise in it:
// the measurements are all there is.
func TestNoiseIsNotReused(t *testing.T) {
	p := planned(t, 3, dp.ZCDP(.1).Under(dp.AddRemove), nil)
	at := func(n int64, seed uint64) []int64 {
		st := must.Get(model.FromCounts(p.shape, [][]int64{{n, 0, 0}}))(t)
		return must.Get(p.draw(t.Context(), st, &Totals{}, 0, "x", dp.Seeded(seed)))(t).y[0]
	}
	if a, b := at(5, 1)[0], at(6, 1)[0]; b-a != scale {
		t.Error("one stream of noise for two data sets shows their difference:", b-a)
	}
	b := memory(t, p.shape.Schema(), dp.ZCDP(1).Under(dp.AddRemove))
	st := must.Get(model.FromCounts(p.shape, [][]int64{{5, 7, 9}}))(t)
	first := must.Get(p.Begin(t.Context(), "q1", Request{Statistics: st, Budget: b}))(t)
	second := must.Get(p.Begin(t.Context(), "q1", Request{Statistics: st, Budget: b}))(t)
	if first.y[0][0] == second.y[0][0] || len(b.Charges()) != 2 || b.Spent().Rho < .2*(1-1e-9) {
		t.Error("a second sequence is not one of its own:", b)
	}
	next := must.Get(first.Next(t.Context(), Request{Statistics: st, Budget: b}))(t)
	if next.y[0][0] != first.y[0][0] || len(next.y) != 2 || next.sequence != first.id || next.id == first.id {
		t.Error(next)
	}
	var f map[string]json.RawMessage
	if err := json.Unmarshal(must.Get(next.JSON())(t), &f); err != nil || len(f) != 8 {
		t.Error(len(f), err)
	}
	seed := uint64(3)
	one := must.Get(p.Begin(t.Context(), "q1", Request{Statistics: st, Budget: b, Seed: &seed}))(t)
	two := must.Get(one.Next(t.Context(), Request{Statistics: st, Budget: b, Seed: &seed}))(t)
	if z := two.y[1][0] - measured(p.c, []int64{5, 7, 9}, 1, 1)[0]; z == one.y[0][0]-5*scale {
		t.Error("two periods of one seed share their noise")
	}
	if two.Guarantee().Notion != dp.None || two.Randomness() == "secure" {
		t.Error(two)
	}
}
