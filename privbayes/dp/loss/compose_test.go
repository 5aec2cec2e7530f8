package loss_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
)

func declare(t testing.TB, parts ...loss.Repeat) loss.Declared {
	t.Helper()
	return must.Get(loss.Declare(parts...))(t)
}

// tables reads the list of a composition row.
func tables(t *testing.T, in any, pair func(r, a float64) loss.Pair) loss.Declared {
	t.Helper()
	var parts []loss.Repeat
	for _, row := range in.([]any) {
		v := row.([]any)
		parts = append(parts, loss.Repeat{Pair: pair(value(t, v[0]), value(t, v[1])), Times: int(value(t, v[2]))})
	}
	return declare(t, parts...)
}

func dirichletPair(r, a float64) loss.Pair { return loss.DirichletPair{Rate: r, Shape: a} }

func TestCompositionAgainstGoldenValues(t *testing.T) {
	for _, g := range golden(t, "compose.json", "composition") {
		eps := value(t, g.In["eps"])
		d := tables(t, g.In["tables"], dirichletPair)
		c := d.Compose(eps)
		above(t, d.String(), c.Delta, value(t, g.Out["delta"]), 1e-10)
		if c.Method == "Rényi bound" || c.Delta > c.Renyi {
			t.Errorf("%s at %v: %+v", d, eps, c)
		}
		d = tables(t, g.In["tables"], func(r, a float64) loss.Pair { return loss.GammaPair{Rate: r, Shape: a} })
		above(t, d.String(), d.Delta(eps), math.Max(value(t, g.Out["delta_add"]), value(t, g.Out["delta_remove"])),
			1e-10)
	}
}

// Extreme parameters, and Gaussian releases among the tables, from the same formula in 32 digits.
func TestFurtherCompositions(t *testing.T) {
	for _, g := range golden(t, "compose.json", "composition_further") {
		parts := tables(t, g.In["tables"], dirichletPair).Parts()
		if mu := value(t, g.In["mu"]); mu > 0 {
			parts = append(parts, loss.Repeat{Pair: loss.GaussianPair{Mu: mu}, Times: 1})
		}
		d := declare(t, parts...)
		c := d.Compose(value(t, g.In["eps"]))
		above(t, d.String(), c.Delta, value(t, g.Out["delta"]), 2e-9)
		if c.Method != "contour" || !(c.Slop < 1e-9*c.Delta) {
			t.Errorf("%s: %+v", d, c)
		}
	}
}

func TestEpsilonOfACompositionAgainstGoldenValues(t *testing.T) {
	for _, g := range golden(t, "compose.json", "composition_eps") {
		d := declare(t, loss.Repeat{Pair: dirichletPair(value(t, g.In["r"]), value(t, g.In["alpha"])),
			Times: int(value(t, g.In["K"]))})
		delta := value(t, g.In["delta"])
		above(t, "exact ε of "+d.String(), loss.EpsilonFor(d, delta), value(t, g.Out["eps_exact"]), 1e-9)
		eps, order := loss.EpsilonFromRDP(d.RDP, delta)
		above(t, "ε by Rényi of "+d.String(), eps, value(t, g.Out["eps_rdp_opt"]), 1e-9)
		if math.Abs(order/value(t, g.Out["lambda_opt"])-1) > 1e-3 {
			t.Errorf("order %v, golden %v", order, g.Out["lambda_opt"])
		}
	}
}

// Random lists: the profile falls with ε, is at most Lemma 3 at every order, and at least the profile of a part.
func TestCompositionProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var parts []loss.Repeat
		for i := range rapid.IntRange(1, 4).Draw(t, "kinds") {
			r := math.Exp(rapid.Float64Range(-4, 1).Draw(t, fmt.Sprintf("log r %d", i)))
			a := r * math.Exp(rapid.Float64Range(0, 5).Draw(t, fmt.Sprintf("log α/r %d", i)))
			var p loss.Pair = loss.DirichletPair{Rate: r, Shape: a}
			switch rapid.IntRange(0, 4).Draw(t, "kind") {
			case 1:
				p = loss.GaussianPair{Mu: math.Sqrt(r / a)}
			case 2:
				p = loss.GammaPair{Rate: r, Shape: a}
			case 3:
				p = loss.GeometricPair{Rate: r / 4, Cells: 2}
			case 4:
				p = loss.LaplacePair{Scale: 1 / r, Cells: 2}
			}
			parts = append(parts, loss.Repeat{Pair: p,
				Times: rapid.IntRange(1, 20).Draw(t, fmt.Sprintf("times %d", i))})
		}
		d := must.Get(loss.Declare(parts...))(t)
		last := 1.0
		for _, eps := range []float64{0, 0.1, 0.5, 1, 2, 5} {
			c := d.Compose(eps)
			if !(c.Delta >= 0 && c.Delta <= last*(1+1e-6)+1e-300) {
				t.Fatalf("%s: δ(%v) = %v after %v", d, eps, c.Delta, last)
			}
			last = c.Delta
			bound, _ := loss.DeltaFromRDP(d.RDP, eps)
			if c.Delta > bound*(1+1e-6) {
				t.Fatalf("%s: δ(%v) = %v above the Rényi bound %v (%+v)", d, eps, c.Delta, bound, c)
			}
			for _, order := range []float64{1.1, 2, 5, 30} { // Lemma 3 at every order
				lemma := math.Exp((order-1)*(d.RDP(order)-eps+math.Log1p(-1/order)) - math.Log(order))
				if c.Delta > lemma*(1+1e-6) {
					t.Fatalf("%s: δ(%v) = %v above Lemma 3 at %v: %v", d, eps, c.Delta, order, lemma)
				}
			}
			if top := parts[0].Pair.PureEpsilon(); math.Abs(eps-top) < 1e-6*top {
				continue // both are bounds for rounding there, of a δ that vanishes
			}
			// a part's own profile may be the larger of its two bounds: Laplace noise on two counts near its pure ε
			one, _ := loss.DeltaFromRDP(parts[0].Pair.RDP, eps)
			if one = math.Min(one, parts[0].Pair.Delta(eps)); c.Delta < one*(1-1e-4)-1e-280 {
				t.Fatalf("%s: δ(%v) = %v below its first part's %v (%+v)", d, eps, c.Delta, one, c)
			}
		}
		if d.ZCDP() < parts[0].Pair.ZCDP() || d.PureEpsilon() < parts[0].Pair.PureEpsilon() {
			t.Fatal("a composition is below its part")
		}
	})
}

func TestDeclareRefuses(t *testing.T) {
	good := loss.GaussianPair{Mu: 1}
	inner := declare(t, loss.Repeat{Pair: good, Times: 1})
	for name, part := range map[string]loss.Repeat{
		"nil": {Pair: nil, Times: 1}, "none": {Pair: good, Times: 0}, "negative": {Pair: good, Times: -3},
		"declared": {Pair: inner, Times: 1},
		"rate":     {Pair: loss.DirichletPair{Rate: -1, Shape: 1}, Times: 1},
		"mu":       {Pair: loss.GaussianPair{Mu: math.NaN()}, Times: 1},
		"zero":     {Pair: loss.PurePair{}, Times: 1}, "scale": {Pair: loss.LaplacePair{Scale: 0, Cells: 1}, Times: 1},
	} {
		_, err := loss.Declare(loss.Repeat{Pair: good, Times: 1}, part)
		var e *dp.ParameterError
		if !errors.As(err, &e) || e.Parameter != "part 1" || e.Want == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	var nothing loss.Declared
	if nothing.Delta(0) != 0 || nothing.RDP(2) != 0 || nothing.PureEpsilon() != 0 || nothing.String() != "nothing" {
		t.Error("the empty composition costs something")
	}
}

func TestTotalVariation(t *testing.T) {
	// δ(0) of one Dirichlet release at r = α = 1 is ½, and composing never lowers it
	last := 0.0
	for k := 1; k < 40; k *= 2 {
		v := declare(t, loss.Repeat{Pair: dirichletPair(1, 1), Times: k}).Delta(0)
		if k == 1 && math.Abs(v-0.5) > 1e-9 || !(v > last && v <= 1) {
			t.Errorf("%d releases: δ(0) = %v after %v", k, v, last)
		}
		last = v
	}
}

// mixed is a list of k releases with k different parameters.
func mixed(tb testing.TB, k int) loss.Declared {
	parts := make([]loss.Repeat, k)
	for i := range parts {
		parts[i] = loss.Repeat{Pair: dirichletPair(0.05+1e-5*float64(i), 4+1e-3*float64(i)), Times: 1}
	}
	return declare(tb, parts...)
}

func BenchmarkCompose1000Equal(b *testing.B) {
	d := declare(b, loss.Repeat{Pair: dirichletPair(0.05, 4), Times: 1000})
	for b.Loop() {
		d.Compose(1)
	}
}

func BenchmarkCompose1000Different(b *testing.B) {
	d := mixed(b, 1000)
	for b.Loop() {
		d.Compose(1)
	}
}

func BenchmarkDeclare1000Different(b *testing.B) {
	parts := mixed(b, 1000).Parts()
	for b.Loop() {
		must.Get(loss.Declare(parts...))(b)
	}
}

func BenchmarkComposeLaplace(b *testing.B) {
	d := declare(b, loss.Repeat{Pair: loss.LaplacePair{Scale: 20, Cells: 2}, Times: 14})
	for b.Loop() {
		d.Compose(1)
	}
}

func BenchmarkEpsilonFromRDP(b *testing.B) {
	p := loss.GaussianPair{Mu: 0.3}
	for b.Loop() {
		loss.EpsilonFromRDP(p.RDP, 1e-6)
	}
}

func ExampleDeclare() {
	table := loss.DirichletPair{Rate: 0.3, Shape: 6}
	d, err := loss.Declare(loss.Repeat{Pair: table, Times: 21})
	if err != nil {
		panic(err)
	}
	byCurve, _ := loss.EpsilonFromRDP(d.RDP, 1e-6)
	fmt.Printf("21 tables: ε = %.3f exactly, %.3f by Rényi; %s\n", loss.EpsilonFor(d, 1e-6), byCurve,
		d.Compose(1).Method)
	// Output: 21 tables: ε = 3.921 exactly, 4.205 by Rényi; contour
}

// Every way to compose says so, and the exact bound is the one quoted where there is one.
func TestWaysToCompose(t *testing.T) {
	for want, parts := range map[string][]loss.Repeat{
		"closed form":  {{Pair: loss.GaussianPair{Mu: .3}, Times: 4}},
		"grid contour": {{Pair: loss.ShiftedGeometricPair{Rate: .1, Shift: 3, Cells: 2}, Times: 3}},
		"contour":      {{Pair: loss.DirichletPair{Rate: 1, Shape: 30}, Times: 3}},
	} {
		c := declare(t, parts...).Compose(.5)
		if c.Method != want || c.Delta != math.Min(c.Exact, c.Renyi) || (c.Nodes > 0) != (want != "closed form") {
			t.Errorf("%s: %+v", want, c)
		}
	}
}
