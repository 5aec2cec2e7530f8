package mechanism_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/hellinger"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Children of many parents, shared parents and nodes alone: whatever mechanism supports a network plans it, draws from
// it, and its plan is certified again from its JSON.
func TestEveryMechanismOnNetworksOfManyParents(t *testing.T) {
	two := func(n int) []int {
		l := make([]int, n)
		for i := range l {
			l[i] = 2
		}
		return l
	}
	roots := func(n int) (out []int) {
		for v := 1; v <= n; v++ {
			out = append(out, v)
		}
		return out
	}
	cases := []struct {
		rows    int
		every   bool
		levels  []int
		parents map[int][]int
	}{
		{1, false, two(11), map[int][]int{0: roots(10)}},
		{2, true, two(11), map[int][]int{0: roots(10)}},
		{2, false, []int{2, 4, 3, 2, 3, 2, 2, 2, 2, 2, 3, 2},
			map[int][]int{0: {1, 2, 3}, 4: {1, 2}, 5: {1, 0}, 6: {4, 5}, 7: {4, 5}}},
	}
	if testing.Short() {
		cases = cases[:1]
	}
	for i, c := range cases {
		s, nodes := &frame.Schema{Dataset: "test", RowsPerUnit: c.rows}, []model.Family(nil)
		cols, src := map[string]any{}, rand.New(rand.NewPCG(1, uint64(i)))
		for v, l := range c.levels {
			var cats, of []string
			for k := range l {
				cats = append(cats, strconv.Itoa(k))
			}
			for _, p := range c.parents[v] {
				of = append(of, fmt.Sprint("v", p))
			}
			values := make([]string, 60)
			for r := range values {
				values[r] = cats[src.IntN(l)]
			}
			name := fmt.Sprint("v", v)
			cols[name] = values
			s.Columns = append(s.Columns, frame.Categorical(name, cats...))
			nodes = append(nodes, model.Node(name, of...))
		}
		m := model.Network("v0", nodes...)
		if c.every {
			m = m.WithEveryFamily()
		}
		sh := must.Get(model.NewShape(s, m, 60, true, ""))(t)
		data := must.Get(frame.FromColumns(s, cols))(t)
		planned := 0
		for _, mech := range mechanisms() {
			if mech.Name() == hellinger.Kind || mech.Name() == "laplace" && i > 0 {
				continue // slow here, and what they do is not about networks
			}
			for _, adj := range []dp.Adjacency{dp.ReplaceOne, dp.AddRemove, dp.ReplaceValue} {
				of, rows := sh, data
				if !adj.PublicN() {
					of = sh.WithoutN()
				}
				p, err := mech.Plan(quick(t), of, dp.ApproxDP(1, 1e-6).Under(adj))
				var no *mechanism.UnsupportedError
				if errors.As(err, &no) {
					continue
				}
				if err != nil {
					t.Errorf("network %d, %s, %s: %v", i, mech.Name(), adj, err)
					continue
				}
				planned++
				st := must.Get(model.Count(sh, rows))(t)
				d, err := p.Draw(t.Context(), st, "id", dp.Seeded(1))
				if err != nil {
					t.Errorf("network %d, %s, %s: %v", i, mech.Name(), adj, err)
					continue
				}
				if _, err := p.Estimate(t.Context(), d); err != nil {
					t.Errorf("network %d, %s, %s: %v", i, mech.Name(), adj, err)
				}
				if adj != dp.ReplaceOne || i > 0 {
					continue
				}
				b := must.Get(json.Marshal(p))(t)
				if _, err := mechanism.ParsePlan(quick(t), b); err != nil {
					t.Errorf("network %d, %s, %s: certified again: %v", i, mech.Name(), adj, err)
				}
			}
		}
		if planned < 20 {
			t.Errorf("network %d: only %d plans", i, planned)
		}
	}
}
