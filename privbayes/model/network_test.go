package model_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// asia is records of the published network with the shape of its model.
func asia(t testing.TB, records int, m func(model.NetworkModel) model.NetworkModel) (*bayesnet.Net, *frame.Frame,
	*model.Shape) {
	t.Helper()
	net := bayesnet.Asia()
	d := net.DAG()
	f := must.Get(model.Simulate("asia", net, records, dp.Seeded(1)))(t)
	sh := must.Get(model.NewShape(f.Schema(), m(model.NetworkOf("dysp", d)), records, true, ""))(t)
	return net, f, sh
}

// A network fitted to many records of a network comes close to it: its tables, its predictions, and its own records.
func TestNetworkLearnsANetwork(t *testing.T) {
	for _, every := range []bool{false, true} {
		net, f, sh := asia(t, 200_000, func(m model.NetworkModel) model.NetworkModel {
			if every {
				return m.WithEveryFamily()
			}
			return m
		})
		want := 6 // maximal families of asia
		if every {
			want = 8
		}
		if got := len(sh.Tables()); got != want {
			t.Errorf("every = %v: %d tables, want %d", every, got, want)
		}
		st := must.Get(model.Count(sh, f))(t)
		fit := must.Get(model.FitPrivately(access.Mine(), st))(t)
		d := net.DAG()
		for i := range d.Len() {
			a, errA := net.Marginal(i)
			b, errB := fit.Network().Marginal(i)
			must.Do(t, errors.Join(errA, errB))
			if math.Abs(a[0]-b[0]) > 0.007 { // 6.5 standard errors of a half at 200 000 records
				t.Errorf("P(%s) = %v, truth %v", d.Node(i).Name, b[0], a[0])
			}
		}
		probs, err := fit.Predict(head(t, f, 50))
		if err != nil || len(probs) != 50 || math.Abs(probs[0][0]+probs[0][1]-1) > 1e-12 {
			t.Error(probs, err)
		}
		if l, err := fit.LogLikelihood(head(t, f, 2000)); err != nil || l > 0 || l < -4 {
			t.Error(l, err)
		}
		syn, err := fit.Synthesize(1000, dp.Seeded(2))
		if err != nil || syn.Len() != 1000 {
			t.Error(syn, err)
		}
		if table, err := fit.Conditionals("dysp"); err != nil || len(table.Rows) != 4 {
			t.Error(table, err)
		}
	}
}

// Naive Bayes as a network counts the same tables and, the class being a root, predicts the same up to the smoothing of
// the class.
func TestNaiveBayesIsANetwork(t *testing.T) {
	s := &frame.Schema{Dataset: "t", Columns: []frame.Column{frame.Categorical("y", "a", "b"),
		frame.Categorical("x", "0", "1", "2"), frame.Categorical("z", "0", "1")}}
	cols := map[string]any{"y": []string{"a", "b", "a", "a", "b"}, "x": []string{"0", "1", "2", "0", "1"},
		"z": []string{"0", "1", "1", "0", "0"}}
	f := must.Get(frame.FromColumns(s, cols))(t)
	nb := model.NaiveBayes("y", "x", "z")
	var probs [2][][]float64
	for i, m := range []model.Model{nb, nb.AsNetwork()} {
		sh, err := model.NewShape(s, m, 5, true, "")
		if err != nil {
			t.Fatal(err)
		}
		st := must.Get(model.Count(sh, f))(t)
		if got := fmt.Sprint(st.Open(access.Mine())); got != "[[2 0 1 0 2 0] [2 1 1 1]]" {
			t.Errorf("%s: tables %s", m, got)
		}
		fit := must.Get(model.FitPrivately(access.Mine(), st))(t)
		if probs[i], err = fit.Predict(f); err != nil {
			t.Fatal(err)
		}
	}
	for r := range probs[0] {
		if math.Abs(probs[0][r][0]-probs[1][r][0]) > 1e-12 {
			t.Errorf("row %d: %v as naive Bayes, %v as a network", r, probs[0][r], probs[1][r])
		}
	}
}

func TestNetworkErrors(t *testing.T) {
	s := &frame.Schema{Dataset: "t", Columns: []frame.Column{frame.Categorical("a", "0", "1"),
		frame.Categorical("b", "0", "1")}}
	var structure *bayesnet.Error
	var column *frame.ColumnError
	var model_ *model.Error
	for name, c := range map[string]struct {
		m  model.Model
		as any
	}{
		"cycle":          {model.Network("a", model.Node("a", "b"), model.Node("b", "a")), &structure},
		"unknown node":   {model.Network("a", model.Node("a"), model.Node("c")), &column},
		"unknown parent": {model.Network("a", model.Node("a", "c")), &column},
		"parent no node": {model.Network("a", model.Node("a", "b")), &structure},
		"no such target": {model.Network("b", model.Node("a")), &model_},
		"no nodes":       {model.Network("a"), &structure},
		"twice":          {model.Network("a", model.Node("a"), model.Node("a")), &structure},
		"α = 0":          {model.Network("a", model.Node("a")).WithPrior(0), &model_},
		"α per level":    {model.Network("a", model.Node("a")).WithPrior(1, 2), &model_},
	} {
		if _, err := model.NewShape(s, c.m, 5, true, ""); !errors.As(err, c.as) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func head(t testing.TB, f *frame.Frame, n int) *frame.Frame {
	t.Helper()
	return must.Get(f.Head(n))(t)
}

// The conditional distributions of every kind of model, from its tables and back: parameters n·θ give the model whose
// means are θ.
func TestConditionals(t *testing.T) {
	s := &frame.Schema{Dataset: "x", Columns: []frame.Column{frame.Categorical("a", "0", "1"),
		frame.Categorical("b", "0", "1", "2"), frame.Categorical("c", "0", "1")}}
	f := must.Get(frame.FromColumns(s, map[string]any{
		"a": []string{"0", "0", "1", "1", "1", "0"}, "b": []string{"0", "2", "1", "1", "2", "0"},
		"c": []string{"1", "0", "1", "1", "0", "0"},
	}))(t)
	for _, c := range []struct {
		m    model.Model
		want [][]float64
	}{
		{model.Categorical("b"), [][]float64{{2, 2, 2}}},
		{model.NaiveBayes("a", "b"), [][]float64{{3, 3}, {2, 0, 1, 0, 2, 1}}},
		{model.Network("c", model.Node("a"), model.Node("b", "a"), model.Node("c", "a")),
			[][]float64{{3, 3}, {2, 0, 1, 0, 2, 1}, {2, 1, 1, 2}}},
	} {
		sh := must.Get(model.NewShape(s, c.m, 6, true, ""))(t)
		st := must.Get(model.Count(sh, f))(t)
		got := sh.ConditionalCounts(st.Open(access.Mine()))
		if fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%s: %v, want %v", c.m, got, c.want)
		}
		var parameters [][]float64
		for i, cond := range sh.Conditionals() {
			if cond.Rows*cond.Levels != len(got[i]) {
				t.Fatalf("%s: %+v for %d counts", c.m, cond, len(got[i]))
			}
			row := make([]float64, len(got[i]))
			for k := range row {
				row[k] = 10 * float64(got[i][k]+1)
			}
			parameters = append(parameters, row)
		}
		fit := must.Get(model.Fit(sh, model.Estimate{Conditionals: parameters}))(t)
		all := fit.Posteriors()
		last := all[len(all)-1].Mean()
		w := parameters[len(parameters)-1]
		w = w[len(w)-len(last):]
		total := 0.0
		for _, v := range w {
			total += v
		}
		for k, m := range last {
			if math.Abs(m-w[k]/total) > 1e-12 {
				t.Errorf("%s: mean %v from parameters %v", c.m, last, w)
			}
		}
		if probs, err := fit.Predict(f); err != nil || len(probs) != 6 {
			t.Errorf("%s: %v", c.m, err)
		}
		if _, err := model.Fit(sh, model.Estimate{Conditionals: parameters[:len(parameters)-1]}); err == nil {
			t.Errorf("%s: a missing conditional is accepted", c.m)
		}
	}
}

// A constant column has no distribution to learn, and is refused while it costs nothing.
func TestNetworkRefusesConstantColumns(t *testing.T) {
	s := &frame.Schema{Dataset: "x", Columns: []frame.Column{frame.Categorical("y", "0", "1"),
		frame.Categorical("a", "0")}}
	var bad *model.Error
	if _, err := model.NewShape(s, model.Network("y", model.Node("y"), model.Node("a")), 10, true, ""); !errors.As(err,
		&bad) || bad.Column != "a" {
		t.Error(err)
	}
}

// Records of the fitted network are those that Synthesize draws from the same stream, values of bins too.
func TestRecordsOfANetwork(t *testing.T) {
	sh := toyShape(t, model.Network("y", model.Node("y"), model.Node("age", "y"), model.Node("x", "y")))
	st, err := model.Count(sh, toyFrame(t))
	if err != nil {
		t.Fatal(err)
	}
	fit := must.Get(model.FitPrivately(access.Mine(), st))(t)
	a := must.Get(fit.Synthesize(300, dp.Seeded(5)))(t)
	b := must.Get(sh.RecordsOf(fit.Network(), 300, dp.Seeded(5)))(t)
	if a, err = a.AsPublic("for the test"); err != nil {
		t.Fatal(err)
	}
	same := func(a, b *frame.Frame) bool {
		x, err1 := a.Records()
		y, err2 := b.Records()
		if err := errors.Join(err1, err2); err != nil || len(x) != len(y) {
			return false
		}
		for i := range x {
			for j := range x[i] {
				if x[i][j] != y[i][j] {
					return false
				}
			}
		}
		return true
	}
	if !same(a, b) {
		t.Error("the records differ")
	}
	if c, err := sh.RecordsOf(fit.Network(), 300, dp.Seeded(6)); err != nil || same(a, c) {
		t.Error("another stream gives the same records", err)
	}
	var refused *model.Error
	other := toyShape(t, model.Network("y", model.Node("y"), model.Node("age", "y"), model.Node("x", "y")))
	bayes := toyShape(t, model.NaiveBayes("y"))
	for name, err := range map[string]error{
		"another graph": second(other.RecordsOf(fit.Network(), 3, dp.Seeded(1))),
		"no graph":      second(bayes.RecordsOf(fit.Network(), 3, dp.Seeded(1))),
		"no network":    second(sh.RecordsOf(nil, 3, dp.Seeded(1))),
		"negative":      second(sh.RecordsOf(fit.Network(), -1, dp.Seeded(1))),
		"too many":      second(sh.RecordsOf(fit.Network(), 1<<27, dp.Seeded(1))),
		"no stream":     second(sh.RecordsOf(fit.Network(), 3, nil)),
	} {
		if !errors.As(err, &refused) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func second(_ *frame.Frame, err error) error { return err }

// An exact table has the fitted counts within one, where independent records do not.
func TestSynthesizeExact(t *testing.T) {
	sh := toyShape(t, model.Network("y", model.Node("y"), model.Node("age", "y"), model.Node("x", "y")))
	st, err := model.Count(sh, toyFrame(t))
	if err != nil {
		t.Fatal(err)
	}
	fit := must.Get(model.FitPrivately(access.Mine(), st))(t)
	const n = 3000
	f := must.Get(fit.SynthesizeExact(n, dp.Seeded(5)))(t)
	if f, err = f.AsPublic("for the test"); err != nil {
		t.Fatal(err)
	}
	counts := must.Get(f.Counts("y"))(t)
	i, _ := fit.Network().DAG().Index("y")
	for s, p := range fit.Network().Prob(i, 0) {
		if d := float64(counts[s]) - n*p; d <= -1 || d >= 1 {
			t.Errorf("%d records of level %d; want %v rounded down or up", counts[s], s, n*p)
		}
	}
	bayes := toyShape(t, model.NaiveBayes("y"))
	st2 := must.Get(model.Count(bayes, toyFrame(t)))(t)
	plain := must.Get(model.FitPrivately(access.Mine(), st2))(t)
	var refused *model.Error
	for name, err := range map[string]error{
		"no network": second(plain.SynthesizeExact(3, dp.Seeded(1))),
		"negative":   second(fit.SynthesizeExact(-1, dp.Seeded(1))),
		"too many":   second(fit.SynthesizeExact(1<<27, dp.Seeded(1))),
		"no source":  second(fit.SynthesizeExact(3, nil)),
	} {
		if !errors.As(err, &refused) {
			t.Errorf("%s: %v; want a model.Error", name, err)
		}
	}
}

// Whatever the edges of whole numbers, synthetic values are whole, in their bin, and between the bounds: of three years
// there is none after the third. A mutant that draws up to the last edge makes one.
func TestSyntheticWholeNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := rapid.IntRange(-20, 20).Draw(t, "first")
		edges := []float64{float64(at)}
		for range rapid.IntRange(1, 5).Draw(t, "bins") {
			at += rapid.SampledFrom([]int{1, 1, 1, 2, 7}).Draw(t, "width")
			edges = append(edges, float64(at))
		}
		c := frame.Integer("y", edges...)
		if rapid.Bool().Draw(t, "declared") {
			c.Max = float64(at - rapid.IntRange(0, 1).Draw(t, "open"))
		}
		if c.Max <= c.Min { // one number is no range
			c.Max = float64(at)
		}
		s := &frame.Schema{Dataset: "d", Columns: []frame.Column{frame.Categorical("k", "a", "b"), c}}
		sh, err := model.NewShape(s, model.Network("k", model.Node("k"), model.Node("y", "k")), 50, true, "")
		if err != nil {
			if len(edges) == 2 { // a single level
				t.Skip()
			}
			t.Fatal(err)
		}
		flat := make([][]float64, 0, 2)
		for _, table := range sh.Tables() {
			cells := make([]float64, table.Cells())
			for i := range cells {
				cells[i] = 10
			}
			flat = append(flat, cells)
		}
		fit := must.Get(model.Fit(sh, model.Estimate{Tables: flat}))(t)
		f := must.Get(fit.Synthesize(200, dp.Seeded(rapid.Uint64().Draw(t, "seed"))))(t)
		values := must.Get(f.Values("y"))(t)
		for _, v := range values {
			if v != math.Trunc(v) || v < c.Min || v > c.Max {
				t.Fatalf("%v of %v up to %v", v, edges, c.Max)
			}
		}
	})
	years := frame.Integer("y", 1990, 1991, 1992, 1993)
	if years.Max != 1992 || strings.Join(years.Labels(), " ") != "[1990, 1991) [1991, 1992) [1992, 1993)" {
		t.Error(years.Max, years.Labels())
	}
}

// A schema of very many columns is answered in a time in proportion to them: looking each of them up along the list
// takes minutes.
func TestWideSchemas(t *testing.T) {
	const columns = 200_000
	s := &frame.Schema{Dataset: "wide"}
	names := make([]string, columns)
	for i := range names {
		names[i] = fmt.Sprintf("column %d", i)
		s.Columns = append(s.Columns, frame.Categorical(names[i], "a", "b"))
	}
	for name, m := range map[string]model.Model{
		"naive Bayes of all":    model.NaiveBayes(names[0]),
		"naive Bayes of a list": model.NaiveBayes(names[0], names[1:]...),
	} {
		start := time.Now()
		sh, err := model.NewShape(s, m, 100, true, "")
		if err != nil || len(sh.Columns()) != columns {
			t.Errorf("%s: %v", name, err)
		}
		if took := time.Since(start); took > time.Minute {
			t.Errorf("%s: %v", name, took)
		}
	}
}
