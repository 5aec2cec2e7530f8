package dirichlet

import (
	"encoding/json"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

type row struct {
	In  map[string]any `json:"in"`
	Out map[string]any `json:"out"`
}

func rows(t testing.TB, section string) []row {
	t.Helper()
	b := must.Get(os.ReadFile("testdata/golden.json"))(t)
	var all map[string][]row
	must.Do(t, json.Unmarshal(b, &all))
	if len(all[section]) == 0 {
		t.Fatal("no golden rows", section)
	}
	return all[section]
}

func parse(t testing.TB, v any) float64 {
	t.Helper()
	switch x := v.(type) {
	case float64:
		return x
	case string:
		if over, under, ok := strings.Cut(x, "/"); ok {
			return parse(t, over) / parse(t, under)
		}
		return must.Get(strconv.ParseFloat(x, 64))(t)
	}
	t.Fatalf("golden value %v", v)
	return 0
}

func near(t testing.TB, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*math.Abs(want)) {
		t.Errorf("%s = %.15g, golden %.15g", what, got, want)
	}
}

func shape(t testing.TB, m model.Model, n, rows int, levels ...int) *model.Shape {
	t.Helper()
	s := &frame.Schema{Dataset: "test", RowsPerUnit: rows}
	for i, d := range levels {
		var labels []string
		for j := range d {
			labels = append(labels, strconv.Itoa(j))
		}
		s.Columns = append(s.Columns, frame.Categorical("c"+strconv.Itoa(i), labels...))
	}
	return must.Get(model.NewShape(s, m, n, true, ""))(t)
}

func problemOf(t testing.TB, m Dirichlet, sh *model.Shape, target dp.Request) *problem {
	t.Helper()
	return must.Get(m.prepare(t.Context(), sh, target))(t)
}

// Algorithm 1, the remarks and the exact frontier agree with the oracle.
func TestCalibrationsAgainstGoldenValues(t *testing.T) {
	sh := shape(t, model.Categorical("c0"), 1000, 1, 6)
	for _, g := range rows(t, "algorithm1") {
		if parse(t, g.In["delta2sq"]) != 2 {
			continue
		}
		order, eps := parse(t, g.In["lambda"]), parse(t, g.In["eps"])
		p := problemOf(t, New().Raw().WithCalibration(Algorithm1), sh, dp.RenyiDP(order, eps))
		r, alpha := must.Get2(p.calibrate())(t)
		near(t, "r of Algorithm 1", r, parse(t, g.Out["r"]), 1e-10)
		near(t, "α of Algorithm 1", alpha, parse(t, g.Out["alpha"]), 1e-10)
		near(t, "its exact ε", p.pair(r, alpha).RDP(order), parse(t, g.Out["exact_eps"]), 3e-9)
		if claim := float64(p.standardFormula(r, alpha).Level.Epsilon); claim > eps*(1+1e-9) {
			t.Errorf("Theorem 1 at Algorithm 1's r and α claims %v for a target of %v", claim, eps)
		}
	}
	for _, g := range rows(t, "remarks") {
		order, eps := parse(t, g.In["lambda"]), parse(t, g.In["eps"])
		m := New().Raw().WithCalibration(Remark1)
		if parse(t, g.In["remark"]) == 2 {
			m = New().Raw().WithCalibration(Algorithm1).WithMinCount(int(parse(t, g.In["b"])))
		}
		p := problemOf(t, m, sh, dp.RenyiDP(order, eps))
		r, alpha := must.Get2(p.calibrate())(t)
		near(t, "r of a remark", r, parse(t, g.Out["r"]), 1e-10)
		near(t, "α of a remark", alpha, parse(t, g.Out["alpha"]), 1e-10)
		near(t, "its exact ε", p.pair(r, alpha).RDP(order), parse(t, g.Out["exact_eps"]), 3e-9)
	}
	for _, g := range rows(t, "calibration") {
		order, eps := parse(t, g.In["lambda"]), parse(t, g.In["eps"])
		p := problemOf(t, New(), sh, dp.RenyiDP(order, eps))
		for _, r := range []float64{.01, .1, 1, 10} {
			alpha := must.Get(p.leastShape(r))(t)
			near(t, "α* at r", alpha, parse(t, g.Out["alpha_star_r="+strconv.FormatFloat(r, 'g', -1, 64)]), 1e-8)
		}
	}
	for _, g := range rows(t, "alpha_for_eps_delta") {
		p := problemOf(t, New(), sh, dp.ApproxDP(parse(t, g.In["eps"]), parse(t, g.In["delta"])))
		for _, r := range []float64{.1, 1, 10} {
			alpha := must.Get(p.leastShape(r))(t)
			near(t, "α* for (ε, δ)", alpha, parse(t, g.Out["alpha_r="+strconv.FormatFloat(r, 'g', -1, 64)]), 1e-7)
		}
	}
}

// K tables compose exactly: the ε of K tables at δ agrees with the oracle's, and so does the paper's route.
func TestCompositionAgainstGoldenValues(t *testing.T) {
	for _, g := range rows(t, "composition_eps") {
		features := make([]int, int(parse(t, g.In["K"]))+1)
		for i := range features {
			features[i] = 2
		}
		delta := parse(t, g.In["delta"])
		p := problemOf(t, New(), shape(t, model.NaiveBayes("c0"), 1000, 1, features...), dp.ApproxDP(1, delta))
		pair := p.pair(parse(t, g.In["r"]), parse(t, g.In["alpha"]))
		near(t, "ε of the composition", loss.EpsilonFor(pair, delta), parse(t, g.Out["eps_exact"]), 1e-8)
		e, _ := loss.EpsilonFromRDP(pair.RDP, delta)
		near(t, "ε by the Rényi curve", e, parse(t, g.Out["eps_rdp_opt"]), 1e-6)
	}
}
