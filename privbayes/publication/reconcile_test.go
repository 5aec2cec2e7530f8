package publication

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// golden are tables of 3 × 4 cells, with their margins.
func golden() []measured {
	return []measured{
		{axes: []int{0}, levels: []int{3}, counts: []float64{41, 17, 30}, variance: 4},
		{axes: []int{1}, levels: []int{4}, counts: []float64{12, 25, 33, 21}, variance: 9},
		{axes: []int{0, 1}, levels: []int{3, 4}, variance: 2.5,
			counts: []float64{5, 12, 18, 4, 3, 6, 4, 7, 6, 9, 8, 11}}}
}

// cellVariance is that of a reconciled cell.
func cellVariance(m measured, p map[string]float64) float64 {
	apart, total := spread(m.axes, m.levels, p)
	return apart + total/math.Pow(m.cells(), 2)
}

// Golden values of tables that are made to agree, and of their variances.
func TestReconciledGolden(t *testing.T) {
	tables := golden()
	for public, want := range map[bool][]float64{false: {2.67399267399, 3.50087412587, 1.75803363303},
		true: {1.90476190476, 3.06818181818, 1.70995670996}} {
		p := precisions(tables, public)
		for i, m := range tables {
			if v := cellVariance(m, p); math.Abs(v/want[i]-1) > 1e-9 {
				t.Errorf("public n %v, table %d: %.12g", public, i, v)
			}
		}
	}
	want := [][]float64{{40.5293040293, 17.9578754579, 31.2435897436},
		{12.5008741259, 25.5008741259, 30.7736013986, 20.9554195804},
		{5.15505328005, 12.1550532801, 18.9126290376, 4.30656843157, 2.2621961372, 5.2621961372, 4.01977189477,
			6.41371128871, 5.08362470862, 8.08362470862, 7.8412004662, 10.2351398601}}
	have := reconciled(tables, precisions(tables, false), math.NaN())
	for i := range want {
		if !floats.EqualApprox(have[i], want[i], 1e-9) {
			t.Errorf("table %d: %.12g", i, have[i])
		}
	}
	// a count of rate .1, and the sum of ten at rate .05
	v := func(g float64) float64 { return 2 * math.Exp(-g) / math.Pow(1-math.Exp(-g), 2) }
	two := []measured{{axes: []int{0}, levels: []int{1}, variance: v(.1)},
		{axes: []int{0, 1}, levels: []int{1, 10}, variance: v(.05)}}
	p := precisions(two, false)
	if w := two[0].weight() / p[""]; math.Abs(w-.97562462223) > 1e-9 ||
		math.Abs(math.Sqrt(cellVariance(two[0], p))-13.9628937406) > 1e-9 {
		t.Error(w)
	}
}

// anyTables are tables of some of three columns, with counts that may be negative, and the number of rows.
func anyTables(t *rapid.T) (tables []measured, n float64) {
	levels := []int{rapid.IntRange(2, 4).Draw(t, "a"), rapid.IntRange(1, 3).Draw(t, "b"),
		rapid.IntRange(2, 3).Draw(t, "c")}
	for range rapid.IntRange(1, 4).Draw(t, "tables") {
		mask := rapid.IntRange(1, 7).Draw(t, "columns")
		m := measured{axes: subset([]int{0, 1, 2}, mask), levels: subset(levels, mask),
			variance: rapid.Float64Range(.5, 20).Draw(t, "variance")}
		for range product(m.levels) {
			m.counts = append(m.counts, float64(rapid.IntRange(-5, 20).Draw(t, "count")))
		}
		tables = append(tables, m)
	}
	return tables, float64(rapid.IntRange(1, 100).Draw(t, "n"))
}

// agreeing reports whether all margins and totals of tables are the same.
func agreeing(tables []measured, counts [][]float64, total float64) bool {
	for i, a := range tables {
		if !math.IsNaN(total) && math.Abs(floats.Sum(counts[i])-total) > 1e-7 {
			return false
		}
		for k, b := range tables {
			var in, of int
			for j, x := range a.axes {
				if at := slices.Index(b.axes, x); at >= 0 {
					in, of = in|1<<j, of|1<<at
				}
			}
			if !floats.EqualApprox(margin(counts[i], a.levels, in), margin(counts[k], b.levels, of), 1e-7) {
				return false
			}
		}
	}
	return true
}

// Every margin equals its table, and every total; so it does without negative counts; and both equal least squares over
// the cells of the full table. A margin that counts twice, or weights that are left out, do not.
func TestMarginsEqualTheirTables(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tables, n := anyTables(t)
		for _, public := range []bool{true, false} {
			total := math.NaN()
			if public {
				total = n
			}
			p := precisions(tables, public)
			have := reconciled(tables, p, total)
			if !agreeing(tables, have, total) {
				t.Fatal(have)
			}
			want := leastSquares(tables, total)
			for i := range have {
				if !floats.EqualApprox(have[i], want[i], 1e-4) {
					t.Fatalf("%v, want %v", have, want)
				}
			}
			if s := floats.Sum(have[0]); s > 1 {
				shown := nonNegative(tables, p, total)
				for _, x := range shown {
					if slices.Min(x) < 0 {
						t.Fatal(shown)
					}
				}
				if !agreeing(tables, shown, total) {
					t.Fatal(shown)
				}
			}
		}
	})
}

// leastSquares reconciles by a singular value decomposition of the equations of the cells of the full table of three
// columns; a public total weighs as much as 1e8 counts.
func leastSquares(tables []measured, total float64) [][]float64 {
	levels := []int{1, 1, 1}
	for _, m := range tables {
		for i, a := range m.axes {
			levels[a] = m.levels[i]
		}
	}
	cellOf := func(m measured, full int) (at int) {
		places := make([]int, 3)
		for i := 2; i >= 0; i-- {
			places[i], full = full%levels[i], full/levels[i]
		}
		for i, a := range m.axes {
			at = at*m.levels[i] + places[a]
		}
		return at
	}
	d, equations := product(levels), slices.Clone(tables)
	if !math.IsNaN(total) {
		equations = append(equations, measured{counts: []float64{total}, variance: 1e-8})
	}
	var left, right []float64
	for _, m := range equations {
		for c, y := range m.counts {
			for x := range d {
				in := 0.
				if cellOf(m, x) == c {
					in = 1 / math.Sqrt(m.variance)
				}
				left = append(left, in)
			}
			right = append(right, y/math.Sqrt(m.variance))
		}
	}
	var s mat.SVD
	var full mat.Dense
	s.Factorize(mat.NewDense(len(right), d, left), mat.SVDThin)
	rank := 0
	for _, v := range s.Values(nil) {
		if v > 1e-9*s.Values(nil)[0] {
			rank++
		}
	}
	s.SolveTo(&full, mat.NewDense(len(right), 1, right), rank)
	out := make([][]float64, len(tables))
	for i, m := range tables {
		out[i] = make([]float64, len(m.counts))
		for x := range d {
			out[i][cellOf(m, x)] += full.At(x, 0)
		}
	}
	return out
}

// geometric is two-sided geometric noise of a rate of 64ths.
func geometric(t testing.TB, rate uint64) noise.Geometric {
	return must.Get(noise.NewGeometric(noise.Rational{Num: rate, Den: 64}))(t)
}

// The numbers of all noises in an estimate give its variance, of one cell and of several.
func TestTermsHaveTheVariance(t *testing.T) {
	for _, public := range []bool{true, false} {
		tables := golden()
		for i := range tables {
			tables[i].noise = geometric(t, uint64(10+7*i))
			tables[i].variance = tables[i].noise.Variance()
		}
		once := measured{axes: []int{2}, levels: []int{2}, noise: geometric(t, 20), once: true}
		once.variance = 2 * once.noise.Variance()
		with := measured{axes: []int{0, 2}, levels: []int{3, 2}, noise: geometric(t, 9)}
		with.variance = with.noise.Variance()
		if public {
			tables = append(tables, once, with)
		}
		p := precisions(tables, public)
		for _, m := range tables {
			apart, total := spread(m.axes, m.levels, p)
			d := m.cells()
			for k := 1; k < len(m.levels)*m.levels[0] && (k == 1 || len(m.axes) == 1); k++ {
				list, ok := terms(m.axes, m.levels, k, tables, p)
				have, c := 0., float64(k)
				for _, x := range list {
					have += x.times * x.by * x.by * x.noise.Variance()
				}
				want := apart*d/(d-1)*c*(1-c/d) + total*c*c/(d*d)
				if !ok || math.Abs(have/want-1) > 1e-9 {
					t.Errorf("public %v, %v, %d cells: %v, want %v", public, m.levels, k, have, want)
				}
			}
		}
	}
}

// exactTail is P(|Σ c_j Z_j| ≤ x) by enumeration of few noises, cut where less than 1e-12 lies beyond.
func exactTail(list []term, x float64) float64 {
	exact := map[float64]float64{0: 1}
	for _, t := range list {
		for range int(t.times) {
			next := map[float64]float64{}
			far := noise.Quantile(t.noise, math.Log(1e-9))
			for at, p := range exact {
				for z := -far; z <= far; z++ {
					y := math.Round((at+t.by*float64(z))*1e9) / 1e9
					next[y] += p * math.Exp(t.noise.LogProb(z))
				}
			}
			exact = next
		}
	}
	p := 0.
	for at, q := range exact {
		if math.Abs(at) <= x+1e-7 {
			p += q
		}
	}
	return p
}

// The exact quantile holds what it says, and not much more than the lattice makes it: of one geometric noise of rates
// .5, 1 and 3, where 2.12 standard deviations hold .938, .927 and .905; of a difference; of discrete Gaussians.
func TestExactQuantiles(t *testing.T) {
	for _, c := range []struct {
		rate uint64
		sds  float64 // what 2.12 standard deviations hold
	}{{32, .938}, {64, .927}, {192, .905}} {
		z := geometric(t, c.rate)
		list := []term{{1, 1, z}}
		x, ok := quantile(list, .95)
		least := 0.
		for exactTail(list, least) < .95 {
			least++
		}
		if !ok || x < least || x >= least+1 {
			t.Errorf("rate %v: %v for %v", z.Rate(), x, least)
		}
		if p := exactTail(list, 2.12*math.Sqrt(z.Variance())); math.Abs(p-c.sds) > .001 {
			t.Errorf("rate %v: 2.12 deviations hold %.4f", z.Rate(), p)
		}
	}
	gauss := func(num uint64) noise.Gaussian {
		return must.Get(noise.NewGaussian(noise.Rational{Num: num, Den: 8}))(t)
	}
	for name, list := range map[string][]term{
		"two geometric":  {{.7, 1, geometric(t, 40)}, {-.3, 2, geometric(t, 64)}},
		"three of one":   {{2. / 3, 1, geometric(t, 30)}, {-1. / 3, 2, geometric(t, 30)}},
		"small Gaussian": {{1, 1, gauss(3)}, {.41, 1, gauss(5)}},
		"Gaussian":       {{.6, 1, gauss(60)}, {.37, 2, gauss(90)}},
		"mixed":          {{.6, 1, gauss(16)}, {.37, 1, geometric(t, 50)}},
		"many Gaussian":  {{.04, 2, gauss(900)}, {.03, 1, gauss(900)}},
	} {
		x, ok := quantile(list, .95)
		p := exactTail(list, x)
		if !ok || p < .95 || p > .99 {
			t.Errorf("%s: %v holds %v", name, x, p)
		}
		if p := exactTail(list, .9*x); p > .95 {
			t.Errorf("%s: a tenth less holds %v", name, p)
		}
	}
	if x, ok := quantile(nil, .95); x != 0 || !ok {
		t.Error("no noise", x, ok)
	}
	one := []term{{1, 1, geometric(t, 64)}}
	for _, level := range []float64{.5, .999, .9998, .99995, 1 - 1e-9} { // of the last two less than the level was left
		if x, ok := quantile(one, level); ok && exactTail(one, x) < level || ok != (level < .9999) {
			t.Errorf("level %v: %v, %v", level, x, ok)
		}
	}
}

// tables are the items of a survey of overlapping tables.
func overlapping() []Item {
	return []Item{Of(model.Categorical("sex")), Of(model.Categorical("region")),
		Of(model.ContingencyTable("region", "sex")), Of(model.ContingencyTable("vote", "sex")),
		Of(model.NaiveBayes("vote", "sex", "question 0"))}
}

// Items that share columns have intervals of the reconciled tables: what is printed of sex, and of the totals of a
// table of sex, is one number, with one interval. Items that share nothing are left as they are.
func TestPublishedTablesAgree(t *testing.T) {
	seed := uint64(3)
	for _, target := range []dp.Request{dp.PureDP(1), dp.ApproxDP(1, 1e-6), dp.PureDP(1).Under(dp.AddRemove)} {
		items := append(overlapping(), Of(model.Mean("income")), Of(model.Categorical("question 7")))
		p := must.Get(New(t.Context(), "survey", target, items, shapes(500)))(t)
		f := rows(t, 500, 1)
		out, _, err := p.Draw(t.Context(), Request{Statistics: counting(f), Seed: &seed})
		if err != nil {
			t.Fatal(err)
		}
		of := func(k int) []release.Interval {
			list, how, err := out.Intervals(t.Context(), p.lines[k].Name, .95)
			shared := k < 5 || k == 6 && target.Adjacency == dp.AddRemove
			if err != nil || strings.HasPrefix(how, Reconciled) != shared {
				t.Fatalf("%v, %s: %s, %v", target, p.lines[k].Name, how, err)
			}
			return list
		}
		sex, region, both := of(0), of(1), of(2)
		for i, s := range append(region, sex...) {
			if b := both[20+i]; math.Abs(b.Estimate-s.Estimate) > 1e-9 || math.Abs(b.Rows.Lower-s.Rows.Lower) > 1e-9 ||
				b.Label != s.Label || s.Estimate < s.Rows.Lower || s.Estimate > s.Rows.Upper {
				t.Errorf("%v: %v and %v", target, b, s)
			}
		}
		sum := 0.
		for i := range 2 {
			sum += both[i].Estimate
		}
		if math.Abs(sum-region[0].Estimate) > 1e-9 || both[0].Of == "" {
			t.Errorf("%v: %v in the cells, %v", target, sum, region[0])
		}
		votes, classes := of(3)[4:6], of(4)
		for i, v := range votes {
			if math.Abs(v.Estimate-classes[i].Estimate) > 1e-9 || *v.Population != *classes[i].Population ||
				classes[i].Label != v.Label {
				t.Errorf("%v: %v and %v", target, v, classes[i])
			}
		}
		of(5)
		of(6)
		if text := out.String(); !strings.Contains(text, "its own counts") || !strings.Contains(text, Reconciled) {
			t.Error(text)
		}
		if read := must.Get(Parse(t.Context(), must.Get(out.JSON())(t)))(t); read.String() != out.String() {
			t.Error("another publication is read")
		}
	}
}

// simulated are the errors of the first cell of every table of plans, reconciled, over draws of the noise alone.
func simulated(w *pool, times int, src *dp.Stream) (out [][]float64) {
	out = make([][]float64, len(w.tables))
	total := w.total * 0 // the noise of a public number
	tables := slices.Clone(w.tables)
	for range times {
		for t, m := range tables {
			tables[t].counts = make([]float64, product(m.levels))
			z := m.noise.(noise.Distribution)
			for c := range tables[t].counts {
				if tables[t].counts[c] = float64(z.Draw(src)) / float64(z.Unit()); m.once {
					tables[t].counts[1] = -tables[t].counts[0]
					break
				}
			}
		}
		for t, x := range reconciled(tables, w.precision, total) {
			out[t] = append(out[t], math.Abs(x[len(x)-1]))
		}
	}
	return out
}

// Of 4,000 draws of the noise, reconciled by production: the exact quantile of every table holds .95 of them, and what
// is predicted is within a twentieth of the measured half-width. A false alarm has a probability below 1e-9: of .95,
// with a standard error of .0034, 6.2 of them are .021; a normal half-width has a relative one of .0077, a Laplace of
// .011 (theory: √(.95·.05/4000)/(q·f(q))), so that .05 is 4.5 of the widest and the seed is fixed. As if no other item
// measured anything, as if all weights were equal, or as if tables were measured twice, they are not.
func TestReconciledIntervalsHold(t *testing.T) {
	times, room := 1500, .1
	if !testing.Short() {
		times, room = 4000, .05
	}
	for _, target := range []dp.Request{dp.PureDP(2), dp.ZCDP(.05), dp.PureDP(8), dp.PureDP(1).Under(dp.AddRemove)} {
		p := must.Get(New(t.Context(), "survey", target, overlapping(), shapes(400)))(t)
		w := pooled(p.plans())
		held := func(w *pool, errors [][]float64) (worst, wide float64) {
			for i, m := range w.tables {
				q, ok := w.exact(m.axes, m.levels, 1, .95)
				if !ok {
					t.Fatal("no quantile")
				}
				slices.Sort(errors[i])
				inside, _ := slices.BinarySearch(errors[i], q+1e-9)
				t.Logf("%v, table %d: %.4f inside %.4g", target, i, float64(inside)/float64(times), q)
				worst = math.Max(worst, math.Abs(float64(inside)/float64(times)-.95))
				wide = math.Max(wide, math.Abs(q/errors[i][times*95/100]-1))
			}
			return worst, wide
		}
		errors := simulated(w, times, dp.Seeded(5))
		if worst, wide := held(w, errors); worst > .03 || wide > room && target.Epsilon < 8 {
			t.Errorf("%v: off by %.3f, widths by %.3f", target, worst, wide)
		}
		if target.Epsilon != 2 {
			continue
		}
		inside := func(q float64, errors []float64) float64 { // how many are, of sorted errors
			k, _ := slices.BinarySearch(errors, q+1e-9)
			return float64(k) / float64(times)
		}
		of := func(tables []measured) float64 { // the quantile of regions as if these were measured
			wrong := *w
			wrong.tables, wrong.precision = tables, precisions(tables, true)
			wrong.found = map[quantileOf]float64{}
			q, _ := wrong.exact(w.tables[1].axes, w.tables[1].levels, 1, .95)
			return q
		}
		equal := *w
		equal.tables = slices.Clone(w.tables)
		for i := range equal.tables {
			equal.tables[i].variance = 1
		}
		equal.precision = precisions(equal.tables, true)
		worse := simulated(&equal, times, dp.Seeded(6))[1]
		slices.Sort(worse)
		regions := w.tables[1:2]
		for name, p := range map[string]float64{"alone": inside(of(regions), errors[1]),
			"a table twice": inside(of(append(slices.Clone(w.tables), w.tables[1], w.tables[2])), errors[1]),
			"equal weights": inside(of(w.tables), worse),
		} {
			t.Logf("%v, %s: %.4f inside", target, name, p)
			if math.Abs(p-.95) < .03 {
				t.Errorf("%v: %s, and %.4f inside", target, name, p)
			}
		}
	}
}

// Of 500 releases of tables of one population, with rows drawn anew: intervals of the population's shares and of the
// rows hold .95, with a public n, a private one, and sum-zero noise: one share of each of three tables a release.
// Releases are independent, so 6.2 standard errors of .0097 are .06, a false alarm below 1e-9. With a private n
// intervals of the rows cover more, as half a record of room and half of the noise of n are in them. Measured: .945
// to .980.
func TestReconciledSharesHold(t *testing.T) {
	if testing.Short() {
		t.Skip("500 releases of four publications")
	}
	cells := []float64{.3, .1, .05, .15, .02, .38} // of 2 × 3
	s := &frame.Schema{Dataset: "two", Columns: []frame.Column{frame.Categorical("a", "x", "y"),
		frame.Categorical("b", "u", "v", "w")}}
	for _, c := range []struct {
		target dp.Request
		by     mechanism.Mechanism
	}{{dp.PureDP(1), counts.Geometric()}, {dp.PureDP(1).Under(dp.AddRemove), counts.Geometric()},
		{dp.PureDP(1), counts.KNorm()}, {dp.ZCDP(.05), counts.DiscreteGaussian()}} {
		shape := func(m model.Model) (*model.Shape, error) { return model.NewShape(s, m, 300, true, "") }
		p := must.Get(New(t.Context(), "two", c.target, []Item{Of(model.Categorical("a")).By(c.by),
			Of(model.Categorical("b")).By(c.by), Of(model.ContingencyTable("a", "b")).By(c.by)}, shape))(t)
		src, times, w := dp.Seeded(9), 500, pooled(p.plans())
		var held, all [2]float64
		for range times {
			whole := make([]float64, 6)
			for range 300 {
				u := float64(src.Uint64()>>11) / (1 << 53)
				k := 0
				for u -= cells[0]; u > 0 && k < 5; u -= cells[k] {
					k++
				}
				whole[k]++
			}
			truths := [][]float64{margin(whole, []int{2, 3}, 1), margin(whole, []int{2, 3}, 2), whole}
			for i := range w.tables {
				data := make([]int64, len(truths[i]))
				for k, y := range truths[i] {
					data[k] = int64(y)
				}
				st := must.Get(model.FromCounts(p.lines[i].Plan.Shape(), [][]int64{data}))(t)
				d := must.Get(p.lines[i].Plan.Draw(t.Context(), st, "a", src))(t)
				w.tables[i].counts = nil
				for _, y := range d.Raw[0] {
					w.tables[i].counts = append(w.tables[i].counts, float64(y))
				}
				if w.tables[i].once {
					w.tables[i].counts = append(w.tables[i].counts, 300-w.tables[i].counts[0])
				}
			}
			raw := reconciled(w.tables, w.precision, w.total)
			shown := nonNegative(w.tables, w.precision, w.total)
			for i, m := range w.tables {
				of := [][]float64{margin(cells, []int{2, 3}, 1), margin(cells, []int{2, 3}, 2), cells}[i]
				k := int(src.Uint64() % uint64(len(of)))
				interval, estimate := w.share(m.axes, m.levels, raw[i], shown[i], k, k+1, .95)
				for side, truth := range map[int]float64{0: of[k], 1: truths[i][k] / 300} {
					r := []*mechanism.Range{interval.Population, interval.Rows}[side]
					if all[side]++; r.Lower <= truth+1e-12 && truth <= r.Upper+1e-12 {
						held[side]++
					}
					if estimate < r.Lower || estimate > r.Upper {
						t.Fatal(interval, estimate)
					}
				}
			}
		}
		for side, name := range []string{"population", "rows"} {
			rate := held[side] / all[side]
			if t.Logf("%v, %s, %s: %.4f", c.target, p.lines[2].Plan.Title(), name, rate); rate < .89 {
				t.Errorf("%v, %s: %.4f", c.target, name, rate)
			}
		}
	}
}
