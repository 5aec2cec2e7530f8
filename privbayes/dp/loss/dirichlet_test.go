package loss_test

import (
	"encoding/json"
	"math"
	"os"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
)

// goldenRow is one row of an oracle section; numbers are decimal strings of 20 digits and more.
type goldenRow struct {
	In  map[string]any `json:"in"`
	Out map[string]any `json:"out"`
}

func golden(t testing.TB, file, section string) []goldenRow {
	t.Helper()
	b := must.Get(os.ReadFile("testdata/" + file))(t)
	var all map[string][]goldenRow
	must.Do(t, json.Unmarshal(b, &all))
	if len(all[section]) == 0 {
		t.Fatalf("no golden section %s", section)
	}
	return all[section]
}

func value(t testing.TB, v any) float64 {
	t.Helper()
	switch x := v.(type) {
	case float64:
		return x
	case string:
		f, err := strconv.ParseFloat(x, 64)
		if err != nil && !math.IsInf(f, 0) && f != 0 {
			t.Fatalf("golden value %q: %v", x, err)
		}
		return f
	}
	t.Fatalf("golden value %v", v)
	return 0
}

// above fails unless truth ≤ got ≤ truth·(1+tol), with tol beyond the stated inflation.
func above(t testing.TB, what string, got, truth, tol float64) {
	t.Helper()
	if got == truth {
		return
	}
	if !(got >= truth && got <= truth*(1+1.001e-9+tol)) {
		t.Errorf("%s = %.17g, golden %.17g (relative %.3g)", what, got, truth, got/truth-1)
	}
}

func TestDirichletPairAgainstGoldenValues(t *testing.T) {
	for _, g := range golden(t, "dirichlet.json", "rdp_exact") {
		order, r, a := value(t, g.In["lambda"]), value(t, g.In["r"]), value(t, g.In["alpha"])
		if order == 1 {
			order = 1 + 1e-12
		}
		tol := 1e-10
		if gap := a - (order-1)*r; gap < 1e-3*a {
			tol = 1e-9 // the gap itself is a rounded difference
		}
		if order-1 < 1e-9 {
			tol = 1e-9
		}
		above(t, "replace "+g.In["lambda"].(string), loss.DirichletPair{Rate: r, Shape: a}.RDP(order),
			value(t, g.Out["replace"]), tol)
		above(t, "add "+g.In["lambda"].(string), loss.GammaPair{Rate: r, Shape: a}.RDP(order), value(t, g.Out["add"]),
			tol)
	}
	for _, g := range golden(t, "dirichlet.json", "delta") {
		r, a, eps := value(t, g.In["r"]), value(t, g.In["alpha"]), value(t, g.In["eps"])
		above(t, "δ", loss.DirichletPair{Rate: r, Shape: a}.Delta(eps), value(t, g.Out["replace"]), 1e-10)
		above(t, "δ add-remove", loss.GammaPair{Rate: r, Shape: a}.Delta(eps),
			math.Max(value(t, g.Out["add"]), value(t, g.Out["remove"])), 1e-10)
	}
	for _, g := range golden(t, "dirichlet.json", "delta_general_pair") {
		got := loss.BetaProfile(value(t, g.In["r"]), value(t, g.In["a"]), value(t, g.In["b"]), value(t, g.In["eps"]))
		above(t, "δ of a general pair", got, value(t, g.Out["delta"]), 1e-10)
	}
	for _, g := range golden(t, "dirichlet.json", "eps_of_delta") {
		p := loss.DirichletPair{Rate: value(t, g.In["r"]), Shape: value(t, g.In["alpha"])}
		delta := value(t, g.In["delta"])
		above(t, "ε", loss.EpsilonFor(p, delta), value(t, g.Out["exact_replace"]), 1e-8)
		above(t, "ε", loss.EpsilonFor(loss.GammaPair(p), delta), value(t, g.Out["exact_addremove"]), 1e-8)
	}
	for _, g := range golden(t, "dirichlet.json", "binary_public_n") {
		p := loss.BinaryDirichletPair{Rate: value(t, g.In["r"]), Shape: value(t, g.In["alpha"]),
			N: int(value(t, g.In["n"]))}
		above(t, p.String(), p.RDP(value(t, g.In["lambda"])), value(t, g.Out["eps"]), 1e-10)
	}
	for _, g := range golden(t, "dirichlet.json", "rdp_general_f") {
		p := loss.VectorPair{Rate: value(t, g.In["r"]), Shape: value(t, g.In["alpha"]),
			Delta2: math.Sqrt(value(t, g.In["delta2sq"])), DeltaInf: value(t, g.In["deltainf"])}
		above(t, p.String(), p.RDP(value(t, g.In["lambda"])), value(t, g.Out["bound"]), 1e-10)
	}
	for _, g := range golden(t, "dirichlet.json", "figure2") {
		r, a, order := value(t, g.Out["r"]), value(t, g.Out["alpha"]), value(t, g.In["lambda"])
		above(t, "corner", loss.DirichletPair{Rate: r, Shape: a}.RDP(order), value(t, g.Out["corner_eps"]), 1e-10)
		u, change := make([]float64, 6), []float64{0, -r, 0, 0, 0, r}
		for i, f := range []float64{11, 8, 65, 25, 38, 0} {
			u[i] = r*f + a
		}
		got, truth := loss.DirichletRenyi(u, change, order), value(t, g.Out["true_eps"])
		if math.Abs(got-truth) > 1e-10*truth {
			t.Errorf("figure 2: %.17g, golden %.17g", got, truth)
		}
	}
	for _, g := range golden(t, "dirichlet.json", "renyi_dirichlet") {
		var u, change []float64
		vs := g.In["v"].([]any)
		for i, x := range g.In["u"].([]any) {
			u = append(u, value(t, x))
			change = append(change, value(t, vs[i])-value(t, x))
		}
		got, truth := loss.DirichletRenyi(u, change, value(t, g.In["lambda"])), value(t, g.Out["renyi"])
		if math.IsInf(truth, 1) != math.IsInf(got, 1) || !math.IsInf(truth, 1) && math.Abs(got-truth) > 1e-11*truth {
			t.Errorf("Rényi divergence of %v by %v: %.17g, golden %.17g", u, change, got, truth)
		}
	}
}

// No pair of neighbours exceeds the dominating pair, for any histogram, in Rényi or hockey-stick divergence; the corner
// attains it.
func TestDirichletPairDominates(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := math.Exp(rapid.Float64Range(-5, 4).Draw(rt, "ln r"))
		alpha := r * math.Exp(rapid.Float64Range(-3, 7).Draw(rt, "ln α/r"))
		order := 1 + math.Exp(rapid.Float64Range(-4, 4).Draw(rt, "ln λ−1"))
		eps := rapid.Float64Range(0, 6).Draw(rt, "ε")
		d := rapid.IntRange(2, 5).Draw(rt, "d")
		u, change := make([]float64, d), make([]float64, d)
		for i := range u {
			u[i] = alpha + r*float64(rapid.IntRange(0, 9).Draw(rt, "f"))
		}
		pair := loss.DirichletPair{Rate: r, Shape: alpha}
		// u holds the other records; one more is in cell 0 under x and in cell 1 under x′
		a, b := u[0], u[1]
		u[0] += r
		change[0], change[1] = -r, r
		if got, bound := loss.DirichletRenyi(u, change, order), pair.RDP(order); got > bound {
			rt.Fatalf("Rényi divergence %v above %v", got, bound)
		}
		if got, bound := loss.BetaProfile(r, a, b, eps), pair.Delta(eps); got > bound*(1+1e-9) {
			rt.Fatalf("δ = %v above %v", got, bound)
		}
		// add-remove: one record more in cell 0, both ways
		less, more := append([]float64(nil), u...), append([]float64(nil), u...)
		less[0] -= r
		add, remove := append([]float64{r}, make([]float64, d-1)...), append([]float64{-r}, make([]float64, d-1)...)
		bound := loss.GammaPair(pair).RDP(order)
		if x, y := loss.DirichletRenyi(less, add, order),
			loss.DirichletRenyi(more, remove, order); x > bound || y > bound {
			rt.Fatalf("add %v, remove %v above %v", x, y, bound)
		}
		// two cells and N public
		n := rapid.IntRange(1, 30).Draw(rt, "N")
		k := rapid.IntRange(0, n-1).Draw(rt, "k")
		binary := loss.BinaryDirichletPair{Rate: r, Shape: alpha, N: n}
		two := []float64{alpha + r*float64(k+1), alpha + r*float64(n-1-k)}
		if got := loss.DirichletRenyi(two, []float64{-r, r}, order); got > binary.RDP(order) {
			rt.Fatalf("binary: %v above %v", got, binary.RDP(order))
		}
		if x, y := binary.RDP(order), pair.RDP(order); x > y*(1+1e-9) {
			rt.Fatalf("binary %v above general %v", x, y)
		}
	})
	// attained: (1, 0, 0) against (0, 1, 0)
	p := loss.DirichletPair{Rate: 0.7, Shape: 3.1}
	above(t, "corner", p.RDP(2.5), loss.DirichletRenyi([]float64{3.8, 3.1, 3.1}, []float64{-.7, .7, 0}, 2.5), 0)
}

// A4 for whole-number steps: no pair of vectors with the declared sensitivities exceeds the bound.
func TestVectorPairDominates(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := math.Exp(rapid.Float64Range(-4, 2).Draw(rt, "ln r"))
		d := rapid.IntRange(1, 5).Draw(rt, "d")
		inf := rapid.Float64Range(0.1, 3).Draw(rt, "Δ∞")
		change, two := make([]float64, d), 0.0
		for i := range change {
			step := rapid.Float64Range(-inf, inf).Draw(rt, "step")
			change[i] = r * step
			two += step * step
		}
		order := 1 + math.Exp(rapid.Float64Range(-3, 3).Draw(rt, "ln λ−1"))
		alpha := (order - 1) * r * inf * (1 + math.Exp(rapid.Float64Range(-4, 4).Draw(rt, "ln gap")))
		u := make([]float64, d)
		for i := range u {
			u[i] = alpha + math.Max(0, -change[i]) + r*rapid.Float64Range(0, 5).Draw(rt, "f")
		}
		p := loss.VectorPair{Rate: r, Shape: alpha, Delta2: math.Sqrt(two), DeltaInf: inf}
		if got, bound := loss.DirichletRenyi(u, change, order), p.RDP(order); got > bound {
			rt.Fatalf("%v above %v: %+v", got, bound, p)
		}
	})
}

// The truncated-concentrated bound covers every order up to ω.
func TestTruncatedConcentratedBound(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := math.Exp(rapid.Float64Range(-4, 3).Draw(rt, "ln r"))
		alpha := r * math.Exp(rapid.Float64Range(-2, 6).Draw(rt, "ln α/r"))
		omega := 1 + alpha/r*rapid.Float64Range(0.01, 0.99).Draw(rt, "ω")
		order := 1 + (omega-1)*rapid.Float64Range(0.001, 1).Draw(rt, "λ")
		for _, p := range []interface {
			loss.Pair
			TCDP(float64) float64
		}{
			loss.DirichletPair{Rate: r, Shape: alpha}, loss.GammaPair{Rate: r, Shape: alpha},
			loss.BinaryDirichletPair{Rate: r, Shape: alpha, N: rapid.IntRange(1, 50).Draw(rt, "N")},
			loss.VectorPair{Rate: r, Shape: alpha, Delta2: 1.5, DeltaInf: 1},
		} {
			if got, bound := p.RDP(order)/order, p.TCDP(omega); got > bound*(1+1e-8) {
				rt.Fatalf("%s: RDP(%v)/λ = %v above %v", p, order, got, bound)
			}
		}
	})
}

// Closed forms of one record and a uniform prior, and the limits of the parameters.
func TestDirichletPairClosedForms(t *testing.T) {
	unit := loss.DirichletPair{Rate: 1, Shape: 1}
	for _, eps := range []float64{0, .1, 1, 5, 20, 100, 600} {
		above(t, "δ at r = α = 1", unit.Delta(eps), 1/(1+math.Exp(eps)), 1e-10)
	}
	// total variation at ε = 0, from the incomplete beta function
	p := loss.DirichletPair{Rate: 2.5, Shape: 40}
	lower, _ := num.BetaTails(p.Shape, p.Shape+p.Rate, .5, .5)
	upper, _ := num.BetaTails(p.Shape+p.Rate, p.Shape, .5, .5)
	above(t, "total variation", p.Delta(0), lower-upper, 1e-10)
	if got := p.RDP(1 + p.Shape/p.Rate); !math.IsInf(got, 1) {
		t.Error("the order at which the divergence is infinite gives", got)
	}
	for _, q := range []loss.Pair{loss.DirichletPair{Rate: 1e-6, Shape: 1e-6},
		loss.DirichletPair{Rate: 1e-8, Shape: 10}, loss.DirichletPair{Rate: 1e4, Shape: 1e12},
		loss.GammaPair{Rate: 1e4, Shape: 1e12}, loss.GammaPair{Rate: 1e-6, Shape: 1e-7},
		loss.DirichletPair{Rate: 30, Shape: 1e-3}} {
		last := 1.0
		for _, eps := range []float64{0, 1e-9, 1e-3, .5, 3, 40, 1e3} {
			d := q.Delta(eps)
			if math.IsNaN(d) || d < 0 || d > last*(1+1e-8) {
				t.Errorf("%s: δ(%v) = %v after %v", q, eps, d, last)
			}
			last = d
		}
	}
}

func BenchmarkDirichletPair(b *testing.B) {
	p := loss.DirichletPair{Rate: 2.44, Shape: 40.06}
	b.Run("RDP", func(b *testing.B) {
		for b.Loop() {
			p.RDP(5)
		}
	})
	b.Run("Delta", func(b *testing.B) {
		for b.Loop() {
			p.Delta(1)
		}
	})
	b.Run("EpsilonFor", func(b *testing.B) {
		for b.Loop() {
			loss.EpsilonFor(p, 1e-6)
		}
	})
}
