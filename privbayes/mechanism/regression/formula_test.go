package regression

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/privbayes/privbayes-go/internal/formula"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// levelsOf are the levels of the columns of formulas in tests; others are numbers.
var levelsOf = map[string]int{"f2": 2, "g2": 2, "h": 2, "f": 3, "g": 3, "g4": 4}

// paramsOf are a formula's columns on [−1, 1].
func paramsOf(t testing.TB, text string) formulaParams {
	t.Helper()
	f := must.Get(formula.Parse(text))(t)
	q := formulaParams{Text: f.String()}
	for _, name := range f.Columns() {
		c := columnParams{Name: name}
		for l := range levelsOf[name] {
			c.Levels = append(c.Levels, fmt.Sprint(l))
		}
		q.Columns = append(q.Columns, c)
	}
	return q
}

// largestMove is the greatest change by a record, as the certificate has it, of a problem that was changed.
func largestMove(t testing.TB, text string, replaced bool, mutate func(p *perturbing)) float64 {
	t.Helper()
	q := paramsOf(t, text)
	sh := must.Get(q.shape())(t)
	p := (&perturbing{setting: &setting{replaced: replaced}}).byFormula(sh.Linear().Formula, &q)
	if mutate != nil {
		mutate(p)
	}
	largest := 0.
	vectors := must.Get(p.changes(sh))(t)
	for i, a := range vectors {
		if !replaced {
			largest = math.Max(largest, norm(a))
			continue
		}
		for _, b := range vectors[:i] {
			sum := 0.
			for k := range a {
				sum += (a[k] - b[k]) * (a[k] - b[k])
			}
			largest = math.Max(largest, math.Sqrt(sum))
		}
	}
	return largest
}

// The twenty formulas of theory/glm.md §3 and their greatest changes, which separate programs found on finer lattices:
// never above 3/√2, nor √3 for a record alone, which is attained.
func TestSensitivityOfFormulas(t *testing.T) {
	for text, want := range map[string]float64{
		"x": 2, "x + z": 2.1081851067789197, "x*z": 2, "x + I(x^2)": 2.1081851067789197, "x + I(x^2) + I(x^3)": 0,
		"x*f": 2.1213203435596424, "f*g": 2.1213203435596424, "f*g4 + x": 2.1166, "x*z*f2": 2, "x*f2 + I(x^2)": 0,
		"f + g": 2.1081851067789197, "f2": 0, "poly(x, 2)": 2.1081851067789197, "poly(x, 3)": 0, "poly(x, 4)": 0,
		"poly(x, 2)*f2": 2.1081851067789197, "f:g4": 2.1213203435596424, "0 + f": 2, "f + f:g": 0, "x:z - 1": 0,
	} {
		replace, add := largestMove(t, "y ~ "+text, true, nil), largestMove(t, "y ~ "+text, false, nil)
		if replace > 3/math.Sqrt2+1e-12 || want > 0 && math.Abs(replace-want) > 1e-4 {
			t.Errorf("%s: %v, want %v", text, replace, want)
		}
		if add > math.Sqrt(3)+1e-12 || add < math.Sqrt(3)-1e-9 {
			t.Errorf("%s: a record alone moves %v, want √3", text, add)
		}
	}
}

// The places of the distinct products are golden values of theory/glm.json.
func TestPlacesOfProducts(t *testing.T) {
	for text, want := range map[string][]int64{
		"x*z":           {1, 1, 1, 1, 2, 2, 2, 2, 4},
		"x + I(x^2)":    {1, 1, 2, 2, 3},
		"x*f":           {1, 1, 2, 3, 3, 3, 3, 6, 6},
		"f*g":           {1, 3, 3, 3, 3, 9, 9, 9, 9},
		"x*z*f2":        {1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 6, 6, 6, 6, 12},
		"f + g":         {1, 2, 2, 2, 2, 3, 3, 3, 3},
		"f:g4":          {1, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3},
		"poly(x, 2)":    {1, 1, 1, 2, 2, 2},
		"poly(x, 2)*f2": {1, 1, 1, 2, 2, 2, 3, 3, 3, 6, 6, 6},
	} {
		for _, replaced := range []bool{true, false} {
			var places []int64
			largestMove(t, "y ~ "+text, replaced, func(p *perturbing) {
				for _, m := range p.whole {
					if m.ofY == 0 {
						places = append(places, m.over)
					}
				}
			})
			slices.Sort(places)
			list := want
			if replaced {
				list = want[1:] // without the constant
			}
			if !slices.Equal(places, list) {
				t.Errorf("%s: %v, want %v", text, places, list)
			}
		}
	}
}

// Mutants of the noise are caught by the enumeration: D counted wrongly. An enumeration with places unordered, or
// without the third place of an indicator, understates what this noise spends.
func TestMutantsOfFormulas(t *testing.T) {
	square := func(d int64) func(p *perturbing) {
		return func(p *perturbing) {
			for k := range p.whole {
				switch m := &p.whole[k]; m.ofY {
				case 0:
					m.halves = 2 * d * d
				case 1:
					m.halves = 2 * d
				}
			}
		}
	}
	for _, c := range []struct {
		name, text string
		mutate     func(p *perturbing)
	}{
		{"D = main effects", "y ~ x*z", square(3)},
		{"D = main effects", "y ~ f*g", square(3)},
		{"poly as one term", "y ~ poly(x, 2)", square(2)},
		{"poly as one term", "y ~ poly(x, 3)", square(2)},
		{"poly as one term", "y ~ poly(x, 4)", square(2)},
		{"patsy's f:g as one term", "y ~ g + f + f:g", square(2)},
	} {
		if got := largestMove(t, c.text, true, c.mutate); got < 3/math.Sqrt2+1e-3 {
			t.Errorf("%s, %s: %v passes", c.name, c.text, got)
		}
	}
	for name, places := range map[string]func(m moment) int64{
		"unordered": func(m moment) int64 { return (m.over + 1) / 2 },
		"two":       func(m moment) int64 { return m.over &^ 1 },
	} {
		understated := largestMove(t, "y ~ f + g", true, func(p *perturbing) {
			for k, m := range p.whole {
				if m.ofY == 0 && m.over > 1 {
					p.whole[k].over = places(m)
				}
			}
		})
		if claim := largestMove(t, "y ~ f + g", true, nil); understated*1.02 > claim {
			t.Errorf("places %s: %v of %v", name, understated, claim)
		}
	}
}

// PayStatistics are payStatistics for tests outside.
var PayStatistics = payStatistics

// paySchema has a response, two numbers and two factors.
func paySchema(rows int) *frame.Schema {
	return &frame.Schema{Dataset: "pay", RowsPerUnit: rows, Columns: []frame.Column{frame.Real("y", -10, 10),
		frame.Real("x", 0, 4), frame.Real("z", -1, 1), frame.Categorical("f", "a", "b", "c"),
		frame.Categorical("h", "u", "v")}}
}

// payStatistics has y = 1 + 2x + 3z + [f = b] − 2[f = c] + x·z + noise.
func payStatistics(t testing.TB, text string, n int, publicN bool) *model.Statistics {
	t.Helper()
	src := dp.Seeded(11)
	columns := map[string]any{}
	var y, x, z []float64
	var f, h []string
	for range n {
		a, b, k := 4*sample.Float64(src), 2*sample.Float64(src)-1, int(sample.Uniform(src, 3))
		x, z, f = append(x, a), append(z, b), append(f, []string{"a", "b", "c"}[k])
		h = append(h, []string{"u", "v"}[sample.Uniform(src, 2)])
		v := -4 + 2*a + 3*b + []float64{0, 1, -2}[k] + a*b + sample.Normal(src)
		y = append(y, math.Min(math.Max(v, -10), 10))
	}
	columns["y"], columns["x"], columns["z"], columns["f"], columns["h"] = y, x, z, f, h
	rows := must.Get(frame.FromColumns(paySchema(1), columns))(t)
	sh := must.Get(model.NewShape(paySchema(1), model.Linear(text), n, publicN, "a test"))(t)
	return must.Get(model.Count(sh, rows))(t)
}

// The noise on every product has the variance D²σ²/a, Dσ² with the response and σ² on its square: squares of 400 draws,
// each moment's against a χ² of 400 degrees, at a false alarm of 30·2·10⁻¹¹. Half of a variance is 20 deviations off.
func TestNoiseOnProducts(t *testing.T) {
	st := payStatistics(t, "y ~ x*f + z", 50, true)
	p := plan(t, SufficientStatistics(), st.Shape(), dp.ZCDP(.5))
	d := samplerOf(p)
	exact := mechanism.Open(key, st).Moments()
	const draws = 400
	sums := make([]float64, len(d.whole))
	for seed := range draws {
		out := must.Get(p.Draw(t.Context(), st, "0123456789abcdef0123456789abcdef",
			dp.Seeded(uint64(seed+1))))(t)
		for k, m := range d.whole {
			v := math.Ldexp(out.Output.Real[0][k], stepOf(d.spread[k])) - exact[m.at].Float(-2*m.bits)
			square := float64(len(st.Shape().Linear().Formula.Terms))
			variance := d.sigma(d.shipped) * d.sigma(d.shipped)
			switch m.ofY {
			case 0:
				variance *= square * square / float64(m.over)
			case 1:
				variance *= square
			}
			sums[k] += v * v / variance
		}
	}
	for k, s := range sums {
		if z := (s - draws) / math.Sqrt(2*draws); math.Abs(z) > 9 {
			t.Errorf("%s: %v squares of %d draws", st.Shape().Sums()[d.whole[k].at], s, draws)
		}
	}
}

// What cannot be planned is refused before anything is drawn.
func TestFormulasWithoutAPlan(t *testing.T) {
	shape := func(text string, n int, public bool) *model.Shape {
		return must.Get(model.NewShape(paySchema(1), model.Linear(text), n, public, "a test"))(t)
	}
	var no *mechanism.UnsupportedError
	for _, c := range []struct {
		m  mechanism.Mechanism
		sh *model.Shape
		t  dp.Request
	}{
		{SufficientStatistics(), shape("y ~ x*f", 100, true), dp.PureDP(1)},
		{SufficientStatistics().Continuous(), shape("y ~ x*f", 100, true), dp.ZCDP(.1)},
		{SufficientStatistics().Plain(), shape("y ~ x*f", 100, true), dp.ZCDP(.1)},
		{Sampler(1), shape("y ~ x*f", 100, true), dp.PureDP(1)},
		{SufficientStatistics(), shape("y ~ 0 + x", 100, false), dp.ZCDP(.1).Under(dp.AddRemove)},
	} {
		if _, err := c.m.Plan(t.Context(), c.sh, c.t); !errors.As(err, &no) {
			t.Errorf("%v of %v: %v", c.t, c.sh.Model(), err)
		}
	}
	three := must.Get(model.NewShape(paySchema(3), model.Linear("y ~ x*f"), 100, true, ""))(t)
	p := must.Get(SufficientStatistics().prepare(t.Context(), three, dp.ZCDP(.1)))(t)
	if math.Abs(p.delta-9/math.Sqrt2) > 1e-12 {
		t.Errorf("three rows a unit move %v", p.delta)
	}
}
