package model

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// Steps, rates and quantiles are golden values, computed by another program; a mean at .001 of the width has the rate
// −1000.
func TestGoldenWithinBins(t *testing.T) {
	for _, c := range []struct {
		v, lo, hi float64
		want      int64
	}{{19.35, 0, 25, 774}, {0, 0, 25, 0}, {25, 0, 25, 1000}, {-3, 0, 25, 0}, {1. / 3, 0, 1, 333}, {1e9, 0, 25, 1000},
		{math.NaN(), 0, 25, 0}, {0, -math.MaxFloat64, math.MaxFloat64, 0}} {
		if got := BinStep(c.v, c.lo, c.hi, 1000) + 500; got != c.want {
			t.Errorf("step of %v in [%v, %v]: %d, want %d", c.v, c.lo, c.hi, got, c.want)
		}
	}
	real := newBin(frame.Real("x", 0, 1, 2), 0)
	for u, want := range map[float64]float64{.05: -19.99999917553791, .1: -9.995441133814843, .25: -3.5935119694474267,
		.4: -1.2299332003819576, .75: 3.593511969447424, .001: -1000, .999: 1000} {
		if got := real.rate(u); math.Abs(got-want) > 1e-6*math.Abs(want) {
			t.Errorf("rate of a mean of %v: %.12g, want %.12g", u, got, want)
		}
	}
	for u, want := range map[float64]float64{.1: 0.028470600661591197, .5: 0.18533873967437017, .9: 0.5792194913179957} {
		if got := place(real.rate(.25), u); math.Abs(got-want) > 1e-9 {
			t.Errorf("quantile %v at a mean of .25: %.12g, want %.12g", u, got, want)
		}
		if got := place(real.rate(.75), u); math.Abs(got-(1-want)) > 1e-9 {
			t.Errorf("its mirror: %.12g, want %.12g", got, 1-want)
		}
	}
	for _, rate := range []float64{-1000, 1000, 0, 1e-7, -1e-7} {
		for _, u := range []float64{0, .5, 1 - 1e-16} {
			if y := place(rate, u); !(y >= 0 && y <= 1) {
				t.Errorf("a draw of rate %v at %v: %v", rate, u, y)
			}
		}
	}
}

// Means and variances of a rate are those of the probabilities themselves, of real numbers and of whole ones.
func TestMomentsWithinBins(t *testing.T) {
	for _, rate := range []float64{-600, -30, -3, -.1, -1e-4, 0, 2e-5, 1e-3, .5, 7, 200} {
		for _, c := range []frame.Column{frame.Real("x", 0, 1, 2), frame.Integer("x", 0, 2, 5), frame.Integer("x", 0, 10, 20),
			frame.Integer("x", 0, 366, 800)} {
			p := newBin(c, 0)
			points, at := p.values, func(j float64) float64 { return j / (p.values - 1) }
			if points == 0 {
				points, at = 200000, func(j float64) float64 { return (j + .5) / 200000 }
			}
			total, first, second := 0.0, 0.0, 0.0
			for j := range int(points) {
				y := at(float64(j))
				x := y
				if p.values > 0 {
					x = float64(j) / points
				}
				w := math.Exp(rate*x - math.Max(rate, 0))
				total, first, second = total+w, first+w*y, second+w*y*y
			}
			mean := first / total
			width := (p.last - p.first) * (p.last - p.first)
			variance := (second/total - mean*mean) * width
			if got := p.mean(rate); math.Abs(got-mean) > 1e-6*(1e-3+mean) {
				t.Errorf("%v values, rate %v: mean %.9g, want %.9g", p.values, rate, got, mean)
			}
			if got := p.variance(rate); math.Abs(got-variance) > 1e-5*(1e-3+variance) {
				t.Errorf("%v values, rate %v: variance %.9g, want %.9g", p.values, rate, got, variance)
			}
		}
	}
}

// exactly are what sums without noise say of values in the bins of a column.
func exactly(t *testing.T, c frame.Column, values []float64) (w WithinBins, shares []float64) {
	t.Helper()
	b := &binSums{column: c, sums: make([]int64, len(c.Edges)-1)}
	shares = make([]float64, c.Levels())
	for _, v := range values {
		b.add(b.code(v), v, 1)
		shares[b.code(v)]++
	}
	return must.Get(NewWithinBins(c, b.sums, shares, 0))(t), shares
}

// Without noise the mean of every bin is that of its values, of real numbers to half a step; of whole numbers where a
// bin's width divides the steps, and evenly filled bins of any width, exactly. A value on an edge counts to the upper
// bin, but for the last; a missing one adds nothing; a mean at the end of a bin stays a thousandth of the width inside.
func TestMeansWithinBins(t *testing.T) {
	missing := frame.Integer("x", 0, 10, 30, 40)
	missing.OnMissing, missing.Missing = frame.MissingAsCategory, []string{"NA"}
	nan := math.NaN()
	for name, c := range map[string]struct {
		column frame.Column
		values []float64
		want   []float64
		within float64
	}{
		"real numbers":  {frame.Real("x", 0, 10, 30), []float64{1, 2, 4.5, 10, 30, 12}, []float64{2.5, 52. / 3}, .0101},
		"whole numbers": {frame.Integer("x", 0, 10, 30), []float64{1, 2, 6, 10, 30, 12}, []float64{3, 52. / 3}, 1e-9},
		"missing":       {missing, []float64{nan, 3, nan, 29, nan, 40, 34}, []float64{3, 29 - .019, 37}, 1e-9},
		"an end":        {frame.Integer("x", 0, 10, 20), []float64{0, 0, 9, 20}, []float64{3, 20 - .01}, 1e-9},
		"at the start":  {frame.Real("x", 0, 1000, 2000), []float64{0, 0, 0}, []float64{1, 1500}, 1e-9},
		"no values":     {frame.Integer("x", 0, 10, 20), nil, []float64{4.5, 15}, 1e-9},
		"single values": {frame.Integer("x", 0, 1, 20), []float64{0, 0, 7}, []float64{0, 7}, .02},
	} {
		w, _ := exactly(t, c.column, c.values)
		for b, want := range c.want {
			if math.Abs(w.means[b]-want) > c.within {
				t.Errorf("%s, bin %d: mean %.6g, want %.6g", name, b, w.means[b], want)
			}
		}
	}
	wide, full := frame.Integer("x", 0, 7300, 9000), []float64(nil)
	for v := range 7300 {
		full = append(full, float64(v))
	}
	if w, _ := exactly(t, wide, full); math.Abs(w.means[0]-3649.5) > 1e-6 || math.Abs(w.rates[0]) > 1e-6 {
		t.Errorf("a full bin of 7300 numbers: mean %.9g at rate %.3g", w.means[0], w.rates[0])
	}
}

// Noise draws a mean to the middle: at s² = 1/48 by half of the way.
func TestShrinkageWithinBins(t *testing.T) {
	c := frame.Real("x", 0, 1, 2)
	w := must.Get(NewWithinBins(c, []int64{-2500, 0}, []float64{10, .5}, 1e8/48))(t)
	if !w.Vague() || must.Get(NewWithinBins(c, []int64{-2500, 0}, []float64{10, .5}, 1e8/48/3.1))(t).Vague() {
		t.Error("a bin with half of its variance left is vague, one with less than a quarter is not")
	}
	if want := .5 - (.25-.5/1000)/2; math.Abs(w.means[0]-want) > 1e-12 || w.means[1] != 1.5 {
		t.Errorf("means %v, want %v, 1.5", w.means, want)
	}
}

// Drawn values are whole where the column has whole numbers, lie in their bins, and have the mean and the standard
// deviation that the model says, within 6.5 standard errors, which a right sampler misses with a probability below
// 1e-9 in 8 comparisons.
func TestDrawsWithinBins(t *testing.T) {
	r := dp.Seeded(11)
	for _, c := range []frame.Column{frame.Real("x", -5, 0, 1, 40), frame.Integer("x", 0, 3, 10, 1000),
		frame.Date("x", "2006-01-02", "2020-01-01", "2020-02-01", "2021-01-01"), frame.Integer("x", 5, 6, 9, 30)} {
		values := []float64(nil)
		for i := range 900 {
			v := c.Edges[0] + (c.Max-c.Edges[0])*math.Pow(float64(i)/900, 5)
			if c.Kind == frame.KindInteger {
				v = math.Floor(v)
			}
			values = append(values, v)
		}
		w, shares := exactly(t, c, values)
		mean, sd := w.moments(shares)
		n, sum, squares := 0.0, 0.0, 0.0
		for b, k := range shares {
			lo, hi := binEnds(c, b)
			for range int(k) * 100 {
				v := w.draw(b, r)
				if v < lo || v > hi || c.Kind == frame.KindInteger && v != math.Trunc(v) ||
					c.Kind == frame.KindReal && v == hi && b < len(shares)-1 {
					t.Fatalf("%v in bin %d of %v", v, b, c.Edges)
				}
				n, sum, squares = n+1, sum+v, squares+(v-mean)*(v-mean)
			}
		}
		if off := math.Abs(sum/n-mean) / sd * math.Sqrt(n); off > 6.5 {
			t.Errorf("%v: mean of draws %.6g, of the model %.6g: %.2f standard errors", c.Edges, sum/n, mean, off)
		}
		if got := math.Sqrt(squares / n); math.Abs(got/sd-1) > .05 {
			t.Errorf("%v: sd of draws %.6g, of the model %.6g", c.Edges, got, sd)
		}
	}
}

// Columns of one bin are refused by name, and so are names that are none of columns of numbers; columns whose bins have
// one value have no sums; Evenly leaves out all columns, or those that it names.
func TestColumnsWithSums(t *testing.T) {
	one := frame.Real("one", 0, 5)
	one.OnMissing, one.Missing = frame.MissingAsCategory, []string{"NA"}
	bounds := frame.Column{Name: "bounds", Kind: frame.KindInteger, Max: 9, OnMissing: frame.MissingAsCategory,
		Missing: []string{"NA"}}
	years := frame.Integer("year", 1990, 1991, 1992, 1993)
	base := []frame.Column{frame.Categorical("c", "a", "b"), frame.Real("x", 0, 1, 2), years, frame.Integer("y", 0, 5, 9)}
	for _, c := range []struct {
		more   []frame.Column
		model  LearnedModel
		places []int
		wrong  string
	}{
		{nil, MaxEntropy(), []int{1, 3}, ""}, {nil, Tree(), []int{1, 3}, ""}, {nil, Cliques(3), []int{1, 3}, ""},
		{nil, PrivBayes(), nil, ""}, {nil, MaxEntropy().Evenly(), nil, ""}, {nil, MaxEntropy().Evenly("x"), []int{3}, ""},
		{nil, MaxEntropy().Of("c", "y"), []int{1}, ""}, {nil, Tree().Evenly("year"), []int{1, 3}, ""},
		{nil, MaxEntropy().Evenly("c"), nil, "c"}, {nil, MaxEntropy().Evenly("z"), nil, "z"},
		{[]frame.Column{one}, MaxEntropy(), nil, "one"}, {[]frame.Column{one}, MaxEntropy().Evenly("one"), []int{1, 3}, ""},
		{[]frame.Column{one}, MaxEntropy().Evenly(), nil, ""}, {[]frame.Column{bounds}, Tree(), nil, "bounds"},
		{nil, PrivBayes().Evenly("x"), nil, ""},
	} {
		s := &frame.Schema{Dataset: "d", Columns: append(append([]frame.Column{}, base...), c.more...)}
		sh, err := NewShape(s, c.model, 100, true, "")
		var refused *Error
		switch greedy := c.model.settings.Algorithm == Greedy && len(c.model.settings.Evenly) > 0; {
		case greedy || c.wrong != "":
			if !errors.As(err, &refused) || refused.Column != c.wrong {
				t.Errorf("%s: %v, want an error about %q", Expression(c.model), err, c.wrong)
			}
		case err != nil:
			t.Errorf("%s: %v", Expression(c.model), err)
		default:
			if got := sh.Learning().Within; len(got) != len(c.places) || len(got) > 0 && got[0] != c.places[0] {
				t.Errorf("%s: sums of the columns %v, want %v", Expression(c.model), got, c.places)
			}
		}
	}
	var edges *frame.SchemaError
	open := &frame.Schema{Dataset: "d", Columns: []frame.Column{base[0], frame.Real("tail", 0, 1, math.Inf(1))}}
	if _, err := NewShape(open, MaxEntropy(), 100, true, ""); !errors.As(err, &edges) || edges.Column != "tail" {
		t.Errorf("an open-ended bin: %v", err)
	}
}

// A file from before there were such sums has none, and says so as an expression; what is written is read again.
func TestSumsInFiles(t *testing.T) {
	old := LearnedModel{}.with(Description{Kind: "learned", Learned: &LearnedSettings{Algorithm: Forest}}).(LearnedModel)
	if old.settings.WithinBins || !strings.Contains(Expression(old), ".Evenly()") {
		t.Errorf("a model of an old file: %s", Expression(old))
	}
	for _, m := range []LearnedModel{MaxEntropy(), MaxEntropy().Evenly(), Tree().Evenly("x", "y"), old} {
		b := must.Get(json.Marshal(m.describe()))(t)
		var d Description
		must.Do(t, json.Unmarshal(b, &d))
		if got := Expression(LearnedModel{}.with(d)); got != Expression(m) {
			t.Errorf("%s is read as %s", b, got)
		}
	}
}

// Parts of a table that are counted by themselves, as blocks of values with or without codes and as groups, and the
// numbers that travel, give the same sums; without the key there are none.
func TestSumsOfParts(t *testing.T) {
	x := frame.Integer("x", 0, 10, 30, 40)
	x.OnMissing, x.Missing = frame.MissingAsCategory, []string{"NA"}
	s := &frame.Schema{Dataset: "d", Columns: []frame.Column{frame.Categorical("c", "a", "b"), x}}
	sh := must.Get(NewShape(s, Tree(), 6, true, ""))(t)
	values := []float64{3, 10, math.NaN(), 40, 29, 30}
	codes := []uint8{0, 1, 3, 2, 1, 2}
	classes := frame.Codes{Levels: 2, U8: []uint8{0, 1, 0, 1, 0, 1}}
	fill := map[string]func(a, b *Tally){
		"values alone": func(a, _ *Tally) { must.Do(t, a.Block(6, []frame.Codes{classes, {}}, [][]float64{nil, values})) },
		"with codes": func(_, b *Tally) {
			must.Do(t, b.Block(6, []frame.Codes{classes, {Levels: 4, U8: codes}}, [][]float64{nil, values}))
		},
		"groups in two parts": func(a, b *Tally) {
			for i, v := range values {
				must.Do(t, []*Tally{a, b}[i%2].Group([]int32{int32(classes.U8[i]), int32(codes[i])}, []float64{0, v}, 1))
			}
		},
	}
	for name, f := range fill {
		a, b := must.Get(newTally(sh))(t), must.Get(newTally(sh))(t)
		f(a, b)
		must.Do(t, a.Merge(b))
		st := must.Get(a.Statistics(frame.Selection{}))(t)
		if st.OpenWithin(access.Key{}) != nil {
			t.Error("sums without the key")
		}
		got := st.OpenWithin(access.Mine())
		want := []int64{-200, -500 + 450, 0}
		for i, v := range want {
			if len(got) != 1 || got[0][i] != v {
				t.Errorf("%s: sums %v, want %v", name, got, want)
				break
			}
		}
		if counts := st.Open(access.Mine())[1]; counts[3] != 1 || counts[1] != 2 {
			t.Errorf("%s: counts %v", name, counts)
		}
	}
	a := must.Get(newTally(sh))(t)
	if a.Group([]int32{0, 0}, nil, 1) == nil || a.Block(6, []frame.Codes{classes, {}}, nil) == nil {
		t.Error("a block or a group without values is taken")
	}
}

// Counts of bins are exact here, so that only the rule within bins shows (with noisy counts empty upper bins keep noise
// of their own). At ε = .05 for the sums of a column, add-remove, the mean over 40 draws of a column's mean is within
// 2 % of the table's: of capital-gain its distance is about .2 %, its standard error below .1 %, and of the others
// less, so that a right sampler fails with a probability below 1e-9. Evenly spread values fail: capital-gain is 268 %
// too high.
func TestAdultsMeansWithinBins(t *testing.T) {
	data.Need(t, "adult.csv.gz")
	r, schema, err := data.OpenStudy("adult")
	must.Do(t, err)
	s, bounds := schema.Clone(), map[string][2]float64{"age": {17, 97}, "capital-gain": {0, 100000},
		"capital-loss": {0, 4400}, "hours-per-week": {1, 100}}
	for i, c := range s.Columns {
		if b, ok := bounds[c.Name]; ok {
			edges := make([]float64, 17)
			for k := range edges {
				edges[k] = b[0] + (b[1]-b[0])*float64(k)/16
			}
			s.Columns[i] = frame.Integer(c.Name, edges...)
			s.Columns[i].OnOutOfDomain = frame.DomainClamp
		}
	}
	f := must.Get(frame.Read(t.Context(), r, "adult", s))(t)
	sh := must.Get(NewShape(f.Schema(), Tree().Of("income", "age", "capital-gain", "capital-loss", "hours-per-week"),
		f.Len(), true, ""))(t)
	st := must.Get(Count(sh, f))(t)
	z := must.Get(sample.NewTwoSidedGeometric(1, 10000))(t) // γ = .05/500 a step
	src := dp.Seeded(3)
	for i, place := range sh.Learning().Within {
		c, draws := sh.columns[place], 40
		shares, sum, worst := asFloats(st.tables)[place], 0.0, 0.0
		values := must.Get(f.Values(c.Name))(t)
		truth := 0.0
		for _, v := range values {
			truth += v / float64(len(values))
		}
		for range draws {
			noisy := append([]int64(nil), st.within[i]...)
			for b := range noisy {
				noisy[b] += z.Draw(src)
			}
			w := must.Get(NewWithinBins(c, noisy, shares, z.Variance()))(t)
			mean, _ := w.moments(shares)
			sum += mean / float64(draws)
			worst = math.Max(worst, math.Abs(mean/truth-1))
		}
		even := evenly(c)
		plain, _ := even.moments(shares)
		t.Logf("%s: mean %.5g, with sums %+.2f %% (worst of %d: %.2f %%), evenly %+.1f %%", c.Name, truth, 100*(sum/truth-1),
			draws, 100*worst, 100*(plain/truth-1))
		if off := math.Abs(sum/truth - 1); !(off < .02) {
			t.Errorf("%s: mean %.5g for %.5g", c.Name, sum, truth)
		}
		if c.Name == "capital-gain" && math.Abs(plain/truth-1) < 2 {
			t.Errorf("evenly spread values have the mean %.5g for %.5g: the test is blind", plain, truth)
		}
	}
}
