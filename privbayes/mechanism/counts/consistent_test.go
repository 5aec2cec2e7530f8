package counts

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// netShape is a network over its own schema.
func netShape(t testing.TB, d *bayesnet.DAG, n int) *model.Shape {
	t.Helper()
	return must.Get(model.NewShape(model.SchemaOf("net", d), model.NetworkOf(d.Node(0).Name, d), n, true, ""))(t)
}

// The root mean square noise of a cell times ε, with Laplace-like noise of variance 2b², against theory/networks.md
// §2.3: column "LS (2.7)" for asia and naive Bayes with 16 features.
func TestConsistentNoiseLevels(t *testing.T) {
	families := []model.Family{model.Node("y")}
	for i := range 16 {
		families = append(families, model.Node("x"+string(rune('a'+i)), "y"))
	}
	var nodes []bayesnet.Node
	for _, f := range families {
		nodes = append(nodes, bayesnet.Node{Name: f.Node, States: []string{"0", "1"}, Parents: f.Parents})
	}
	nb := must.Get(bayesnet.NewDAG(nodes))(t)
	for _, c := range []struct {
		name string
		d    *bayesnet.DAG
		want float64
	}{{"asia", bayesnet.Asia().DAG(), 13.6}, {"NB16", nb, 32.1}} {
		sh := netShape(t, c.d, 1000)
		k := must.Get(newConsistency(t.Context(), sh))(t)
		tables := float64(len(sh.Tables()))
		if got := math.Sqrt2 * 2 * tables * k.projected; math.Abs(got-c.want) > 0.05 {
			t.Errorf("%s: rms sd × ε = %.2f, want %.1f", c.name, got, c.want)
		}
		if !k.better() {
			t.Errorf("%s: projecting is worse: %v against %v", c.name, k.projected, k.margins)
		}
	}
}

// Y → X with 2 and 100 levels: the projection would make the root's cells worse, and the plan keeps the margins and
// says so.
func TestConsistentKeepsTheBetterPlan(t *testing.T) {
	states := make([]string, 8)
	for i := range states {
		states[i] = string(rune('a' + i))
	}
	nodes := []bayesnet.Node{{Name: "child", States: []string{"0", "1"}}}
	for _, p := range []string{"p1", "p2", "p3", "p4", "p5", "p6"} {
		nodes = append(nodes, bayesnet.Node{Name: p, States: []string{"0", "1"}})
		nodes[0].Parents = append(nodes[0].Parents, p)
	}
	for i := range 8 {
		nodes = append(nodes, bayesnet.Node{Name: "alone" + states[i], States: []string{"0", "1"}})
	}
	d := must.Get(bayesnet.NewDAG(nodes))(t)
	p := must.Get(Geometric().WithPostProcess(Consistent).Plan(t.Context(), netShape(t, d, 100), dp.PureDP(1)))(t)
	if s := p.Setting("consistency"); s == "" {
		t.Error("the plan says nothing of consistency")
	}
}

// Released tables of a network agree on common margins before negative cells are cut: with little noise nothing is cut.
func TestConsistentTablesAgree(t *testing.T) {
	d := bayesnet.Asia().DAG()
	sh := netShape(t, d, 100_000)
	tables := make([][]int64, len(sh.Tables()))
	for i, tb := range sh.Tables() { // independent uniform variables: every cell the same
		for range tb.Cells() {
			tables[i] = append(tables[i], 100_000/int64(tb.Cells()))
		}
	}
	st := must.Get(model.FromCounts(sh, tables))(t)
	p := must.Get(Geometric().WithPostProcess(Consistent).Plan(t.Context(), sh, dp.PureDP(1)))(t)
	drawn := must.Get(p.Draw(t.Context(), st, "x", dp.Seeded(4)))(t)
	e := must.Get(p.Estimate(t.Context(), drawn))(t)
	either := map[string][]float64{}
	for i, tb := range sh.Tables() {
		for k, c := range tb.Columns {
			margin := make([]float64, tb.Levels[k])
			step := 1
			for _, l := range tb.Levels[k+1:] {
				step *= l
			}
			for cell, v := range e.Tables[i] {
				margin[cell/step%tb.Levels[k]] += v
			}
			if have, ok := either[c]; ok && math.Abs(have[0]-margin[0]) > 1e-9*100_000 {
				t.Errorf("%s: %v and %v", c, have, margin)
			}
			either[c] = margin
			if math.Abs(margin[0]+margin[1]-100_000) > 1e-6 {
				t.Errorf("%s adds up to %v", c, margin[0]+margin[1])
			}
		}
	}
	var no *mechanism.UnsupportedError
	if _, err := Geometric().WithPostProcess(Consistent).Plan(t.Context(), sh,
		dp.PureDP(1).Under(dp.AddRemove)); !errors.As(err, &no) || !strings.Contains(err.Error(), "private n") {
		t.Error("add-remove:", err)
	}
}
