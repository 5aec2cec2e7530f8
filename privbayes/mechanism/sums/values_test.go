package sums

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/table"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// skewed are columns that no normal fits, with their values.
func skewed(t *testing.T) map[string]struct {
	column frame.Column
	values []float64
} {
	src := dp.Seeded(31)
	lognormal, gamma := make([]float64, 5000), make([]float64, 5000)
	for i := range lognormal {
		lognormal[i] = math.Min(math.Exp(sample.Normal(src)), 30)
		gamma[i] = math.Min(math.Exp(sample.LogGamma(src, .7)), 20)
	}
	table, s := data.CPS1988()
	wages := must.Get(frame.Read(t.Context(), table, "cps1988", s))(t)
	return map[string]struct {
		column frame.Column
		values []float64
	}{
		"lognormal": {frame.Real("x", 0, 30), lognormal},
		"gamma":     {frame.Real("x", 0, 20), gamma},
		"wages":     {frame.Real("x", 0, 20000), must.Get(wages.Values("wage"))(t)},
	}
}

// off is how far a model's mean and standard deviation are from those of the values, in standard deviations of their
// noise to first order, at the worst over some draws.
func off(t *testing.T, m model.Model, c frame.Column, values []float64, target dp.Request) float64 {
	n := len(values)
	sh := must.Get(model.NewShape(&frame.Schema{Dataset: "skewed", Columns: []frame.Column{c}}, m, n, true,
		""))(t)
	whole, mean, ss := make([]int64, sh.Lattice().Len()), 0.0, 0.0
	for _, v := range values {
		sh.Lattice().Add(whole, []int64{sh.Lattice().At(0, v)}, 0)
		mean += v / float64(n)
	}
	for _, v := range values {
		ss += (v - mean) * (v - mean)
	}
	sd := math.Sqrt(ss / float64(n-1))
	st := must.Get(model.FromWhole(sh, n, whole))(t)
	p := plan(t, New(), sh, target)
	first, _ := p.ExpectedValue("noise of the mean of x (sd)")
	second, ok := p.ExpectedValue("noise of the mean square about the middle of x (sd)")
	if !ok {
		t.Fatal("no expected errors")
	}
	slope := mean - (c.Min+c.Max)/2 // v = Σu²/n − ū²
	noise := []float64{first, math.Hypot(second, 2*slope*first) / 2 / sd}
	worst := 0.0
	for seed := range uint64(6) {
		d := must.Get(p.Draw(t.Context(), st, "id", dp.Seeded(seed)))(t)
		got := must.Get(p.Estimate(t.Context(), d))(t).Draws.Mean()
		for i, want := range []float64{mean, sd} {
			worst = math.Max(worst, math.Abs(got[i]-want)/(noise[i]+sh.Lattice().Step(0)/10))
		}
	}
	return worst
}

// On skewed columns the mean and the standard deviation are those of the rows, to within the size of the noise: 12
// numbers by fixed seeds, each within six of its standard deviations. The latent normal is not about the values, and
// the same bound rejects it.
func TestMeanAndSDAreOfTheValues(t *testing.T) {
	for name, c := range skewed(t) {
		for _, target := range []dp.Request{dp.PureDP(1), dp.PureDP(10), dp.ZCDP(.5), dp.ApproxDP(3, 1e-6)} {
			if worst := off(t, model.MeanSD("x"), c.column, c.values, target); worst > 6 {
				t.Errorf("%s at %s: %.3g standard deviations of the noise off", name, target.Parameters, worst)
			}
		}
		if worst := off(t, model.MeanSD("x").Latent(), c.column, c.values, dp.PureDP(10)); worst < 12 {
			t.Errorf("%s: the latent normal is within %.3g standard deviations of the noise", name, worst)
		}
	}
}

// Whatever is drawn, the mean lies between the bounds and the standard deviation is one that values there can have;
// without noise both are those of the rows.
func TestValuesArePossible(t *testing.T) {
	sh := shapeOf(t, model.MeanSD("odd"), 9, 1) // whole numbers from 0 to 7
	for _, target := range []dp.Request{dp.PureDP(.01), dp.ZCDP(1)} {
		p := plan(t, New(), sh, target)
		rapid.Check(t, func(t *rapid.T) {
			wide := rapid.Int64Range(-1<<40, 1<<40)
			raw := []int64{wide.Draw(t, "first"), wide.Draw(t, "second")}
			e := must.Get(p.Estimate(t.Context(), &mechanism.Drawn{Output: mechanism.Output{Raw: [][]int64{raw}}}))(t)
			mean, sd := e.Draws.Mean()[0], e.Draws.Mean()[1]
			if !(mean >= 0 && mean <= 7 && sd >= 0 && sd <= 3.5*math.Sqrt(9.0/8)+1e-12) {
				t.Fatal(raw, mean, sd)
			}
		})
	}
	p := plan(t, New(), sh, dp.PureDP(1e6))
	whole := make([]int64, sh.Lattice().Len())
	for _, k := range []int64{0, 0, 1, 1, 2, 3, 5, 7, 7} {
		sh.Lattice().Add(whole, []int64{k}, 0)
	}
	st := must.Get(model.FromWhole(sh, 9, whole))(t)
	d := must.Get(p.Draw(t.Context(), st, "id", dp.Seeded(1)))(t)
	got := must.Get(p.Estimate(t.Context(), d))(t).Draws.Mean()
	if want := []float64{26.0 / 9, 2.8037}; math.Abs(got[0]-want[0]) > 1e-3 || math.Abs(got[1]-want[1]) > 1e-3 {
		t.Error(got, want)
	}
}

// The latent normal says how much of it lies outside the bounds, and MeanSD has nothing to say.
func TestLatentNormalWarns(t *testing.T) {
	for _, m := range []model.MeanSDModel{model.MeanSD("wage"), model.MeanSD("wage").Latent()} {
		sh := shapeOf(t, m, 400, 1)
		p := plan(t, New(), sh, dp.PureDP(10))
		src := dp.Seeded(5)
		for _, mu := range []float64{50, 5} {
			outside := mu == 5
			whole := make([]int64, sh.Lattice().Len())
			for range 400 {
				sh.Lattice().Add(whole, []int64{sh.Lattice().At(0, mu+10*sample.Normal(src))}, 0)
			}
			st := must.Get(model.FromWhole(sh, 400, whole))(t)
			d := must.Get(p.Draw(t.Context(), st, "id", src))(t)
			w := p.DrawnWarnings(d)
			if (len(w) > 0) != (outside && m.IsLatent()) || len(w) > 0 && (w[0].Kind != warning.KindOutside ||
				w[0].Value < .15 || w[0].Value > .5) {
				t.Errorf("%s about %g: %v", m, mu, w)
			}
		}
	}
}

// Distributions of one parameter, too, say how much of them lies outside the bounds: in a warning, and in the summary
// of any release.
func TestOneParameterWarns(t *testing.T) {
	for _, c := range []struct {
		column frame.Column
		spec   model.Model
		draw   func(src *dp.Stream, wide bool) float64
		shown  string
	}{
		{frame.Real("wage", 0, 100), model.Exponential("wage").WithRange(.01, 10), func(src *dp.Stream, wide bool) float64 {
			return map[bool]float64{false: 5, true: 60}[wide] * math.Exp(sample.LogGamma(src, 1))
		}, "exponential distribution"},
		{frame.Real("wage", 0, 100), model.LaplaceScale("wage", 50).WithRange(.01, 10),
			func(src *dp.Stream, wide bool) float64 {
				return 50 + math.Copysign(map[bool]float64{false: 3, true: 40}[wide]*math.Exp(sample.LogGamma(src, 1)),
					sample.Float64(src)-.5)
			}, "Laplace distribution"},
		{frame.Real("wage", 0, 100), model.NormalPrecision("wage", 50).WithRange(1e-5, 1),
			func(src *dp.Stream, wide bool) float64 {
				return 50 + map[bool]float64{false: 8, true: 60}[wide]*sample.Normal(src)
			}, "normal distribution"},
		{frame.Column{Name: "wage", Kind: frame.KindInteger, Min: 2, Max: 100}, model.Poisson("wage").WithRange(1, 200),
			func(src *dp.Stream, wide bool) float64 {
				sum, count, mean := 0.0, 0.0, map[bool]float64{false: 30, true: 90}[wide]
				for sum += math.Exp(sample.LogGamma(src, 1)); sum < mean; sum += math.Exp(sample.LogGamma(src, 1)) {
					count++
				}
				return count
			}, "Poisson distribution"},
	} {
		for _, wide := range []bool{false, true} {
			s := &frame.Schema{Dataset: "d", Columns: []frame.Column{c.column}}
			s.Columns[0].OnOutOfDomain = frame.DomainClamp
			values, src, outside := make([]float64, 2000), dp.Seeded(7), 0.0
			for i := range values {
				if values[i] = c.draw(src, wide); values[i] < c.column.Min || values[i] > 100 {
					outside += 1.0 / 2000
				}
			}
			f := must.Get(frame.FromColumns(s, map[string]any{"wage": values}))(t)
			sh := must.Get(model.NewShape(s, c.spec, 2000, true, ""))(t)
			st := must.Get(model.Count(sh, f))(t)
			p := plan(t, New(), sh, dp.PureDP(5))
			d := must.Get(p.Draw(t.Context(), st, "id", src))(t)
			w := p.DrawnWarnings(d)
			if (len(w) > 0) != wide || wide && (w[0].Kind != warning.KindOutside || math.Abs(w[0].Value-outside) > .05 ||
				!strings.Contains(w[0].Text, c.shown)) {
				t.Errorf("%s, %v: %v; %v outside", c.spec, wide, w, outside)
			}
			fit := must.Get(model.Fit(sh, must.Get(p.Estimate(t.Context(), d))(t)))(t)
			bounds := "outside the bounds [" + table.Number(c.column.Min) + ", 100]"
			if text := fit.Summary().String(); strings.Contains(text, bounds) != wide ||
				strings.Contains(text, c.shown) != wide {
				t.Error(text)
			}
		}
	}
}

// Values on a grid of their own are all rounded to one side of the coarse grid: the interval of a mean with a private n
// holds it in spite of that, and so do those of groups, each by itself and pooled.
func TestCoarseRoundingHasRoom(t *testing.T) {
	s := &frame.Schema{Dataset: "pay", Columns: []frame.Column{frame.Integer("pay", 0, 100_000),
		frame.Categorical("region", strings.Split("abcdef", "")...)}}
	const groups, rows = 6, 1_000_000
	for _, m := range []model.Model{model.Mean("pay"), model.GroupMeans("pay", "region")} {
		sh := must.Get(model.NewShape(s, m, groups*rows, true, ""))(t)
		p := plan(t, New(), sh, dp.PureDP(1).Under(dp.AddRemove))
		l := p.Shape().Lattice()
		off := func(pay int) float64 {
			k := l.At(0, float64(pay))
			return math.Abs(float64(l.Coarser(k))/float64(l.Coarse) - float64(k)/float64(l.Steps))
		}
		pay := 1000 // of the whole thousands the one that is rounded furthest
		for k := 2; k < 100; k++ {
			if off(1000*k) > off(pay) {
				pay = 1000 * k
			}
		}
		whole := make([]int64, l.Len())
		for g := range groups {
			l.Add(whole, []int64{l.At(0, float64(pay))}, g)
		}
		for i := range whole {
			whole[i] *= rows
		}
		st := must.Get(model.FromWhole(sh, groups*rows, whole))(t)
		d := must.Get(p.Draw(t.Context(), st, "id", dp.Seeded(1)))(t)
		list, _, _, err := p.Intervals(t.Context(), d, .95)
		if err != nil {
			t.Fatal(err)
		}
		if len(list) > 1 {
			for _, q := range must.Get(p.Pooled(t.Context(), d, "", "", .95))(t) {
				list = append(list, mechanism.Interval{Population: &q.Range, Rows: &q.Range})
			}
		}
		for _, i := range list {
			for _, r := range []*mechanism.Range{i.Population, i.Rows} {
				if r.Lower > float64(pay) || r.Upper < float64(pay) || r.Upper-r.Lower > 100 {
					t.Errorf("%s: %d in %+v", m, pay, r)
				}
			}
		}
	}
}
