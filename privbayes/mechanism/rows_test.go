package mechanism_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Every mechanism refuses rows that were chosen by a number that the adjacency hides, and values of rows that were
// chosen by their values; where a unit goes by its own hash it does not.
func TestRowsThatDoNotGoWithAnAdjacency(t *testing.T) {
	plain := &frame.Schema{Dataset: "d", Columns: []frame.Column{frame.Categorical("a", "x", "y"),
		frame.Categorical("b", "x", "y", "z")}}
	keyed := plain.Clone()
	keyed.UnitKey = "id"
	refusals := 0
	for _, c := range []struct {
		schema *frame.Schema
		adj    dp.Adjacency
		rows   []string
		refuse bool
	}{
		{plain, dp.AddRemove, []string{"Split(0.7, 1), train"}, true},
		{plain, dp.AddRemove, []string{"Head(20)", "WithoutN"}, true},
		{keyed, dp.AddRemove, []string{"Holdout(3, 1), test"}, true},
		{keyed, dp.ReplaceValue, nil, true},
		{plain, dp.ReplaceValue, []string{"Split(0.7, 1), train"}, false},
		{plain, dp.ReplaceOne, []string{"Split(0.7, 1), train"}, false},
		{keyed, dp.ReplaceOne, []string{"Split(0.7, 1), train"}, false},
		{keyed, dp.AddRemove, []string{"WithoutN", "Split(0.7, 1) by hash, train"}, false},
	} {
		public := c.adj.PublicN()
		sh := must.Get(model.NewShape(c.schema, model.NaiveBayes("a"), 20, public, "WithoutN"))(t)
		steps := make([]frame.RowStep, len(c.rows))
		for i, words := range c.rows {
			_ = steps[i].UnmarshalText([]byte(words))
		}
		sh = sh.OfRows(steps...)
		for _, m := range mechanisms() {
			if !c.refuse && m.Title() != counts.Geometric().Title() {
				continue
			}
			var rows *mechanism.RowsError
			_, err := m.Plan(t.Context(), sh, dp.ApproxDP(1, 1e-6).Under(c.adj))
			if refused := errors.As(err, &rows); refused != c.refuse || !c.refuse && err != nil {
				t.Errorf("%s, %s, %q: %v", m.Title(), c.adj, c.rows, err)
			}
			if e, ok := m.(mechanism.Expecter); ok && c.refuse {
				if _, err := e.Expect(t.Context(), sh, dp.PureDP(1).Under(c.adj)); !errors.As(err, &rows) {
					t.Errorf("%s predicts: %v", m.Title(), err)
				}
			}
			if c.refuse {
				refusals++
			}
		}
	}
	if refusals < 80 {
		t.Errorf("only %d refusals", refusals)
	}
}

// A plan with public n is one for all neighbours: where units of several rows are told apart by a key and not padded, n
// tells how many rows a unit has, and no plan is made. A mutant that forgets the key plans, and the number of rows that
// the plan publishes tells neighbours apart; padded units, and one row of each, do not change it.
func TestPublicNOfUnits(t *testing.T) {
	schema := func(rows int, pad bool, key string) *frame.Schema {
		c := frame.Categorical("a", "x", "y")
		if pad {
			c.Pad = "x"
		}
		return &frame.Schema{Dataset: "d", UnitKey: key, RowsPerUnit: rows, PadUnits: pad, Columns: []frame.Column{c}}
	}
	// the rows of four units, of which the last is replaced: kept, and padded as the schema says
	tables := func(s *frame.Schema, last ...int) []int64 {
		out := []int64{0, 0}
		for _, unit := range [][]int{{0, 0}, {1, 0}, {0, 1}, last} {
			for _, code := range unit[:min(len(unit), s.RowsPerUnit)] {
				out[code]++
			}
			if s.PadUnits {
				out[0] += int64(s.RowsPerUnit - len(unit))
			}
		}
		return out
	}
	// loss is that of neighbours, by what the plans publish and the law of the draws
	loss := func(s *frame.Schema) (worst float64, err error) {
		type made struct {
			n   int
			law map[string]float64
		}
		release := func(table []int64) (m made) {
			m = made{int(table[0] + table[1]), map[string]float64{}}
			sh := must.Get(model.NewShape(s, model.Categorical("a"), m.n, true, ""))(t)
			p, e := counts.Geometric().Plan(t.Context(), sh, dp.PureDP(1))
			if err = e; e == nil && !p.OutputLaw([][]int64{table}, func(raw [][]int64,
				q float64) {
				m.law[fmt.Sprint(raw)] += q
			}) {
				t.Fatal("no law")
			}
			return m
		}
		x := release(tables(s, 0, 1))
		for _, last := range [][]int{{0, 0}, {1, 1}, {1}, {0}} {
			y := release(tables(s, last...))
			if err != nil {
				return 0, err
			}
			if x.n != y.n {
				return math.Inf(1), nil
			}
			for raw, q := range x.law {
				if y.law[raw] > 0 { // both are walked up to a tail of 1e-13, where the ratio is constant
					worst = math.Max(worst, math.Abs(math.Log(q/y.law[raw])))
				}
			}
		}
		return worst, nil
	}
	for _, s := range []*frame.Schema{schema(2, true, "id"), schema(1, false, "id")} {
		if got, err := loss(s); err != nil || got > 1+1e-9 || got < .3 {
			t.Errorf("%d rows, padded %v: %v, %v", s.RowsPerUnit, s.PadUnits, got, err)
		}
	}
	var refused *dp.ParameterError
	if _, err := loss(schema(2, false, "id")); !errors.As(err, &refused) || refused.Parameter != "n" {
		t.Error(err)
	}
	if got, err := loss(schema(2, false, "")); err != nil || !math.IsInf(got, 1) {
		t.Errorf("the mutant passes: %v, %v", got, err)
	}
}
