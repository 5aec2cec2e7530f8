package model_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/internal/access"
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
	f, err := model.Simulate("asia", net, records, dp.Seeded(1))
	if err != nil {
		t.Fatal(err)
	}
	sh, err := model.NewShape(f.Schema(), m(model.NetworkOf("dysp", d)), records, true, "")
	if err != nil {
		t.Fatal(err)
	}
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
		st, err := model.Count(sh, f)
		if err != nil {
			t.Fatal(err)
		}
		fit, err := model.FitPrivately(access.Mine(), st)
		if err != nil {
			t.Fatal(err)
		}
		d := net.DAG()
		for i := range d.Len() {
			a, errA := net.Marginal(i)
			b, errB := fit.Network().Marginal(i)
			if err := errors.Join(errA, errB); err != nil {
				t.Fatal(err)
			}
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
	f, err := frame.FromColumns(s, cols)
	if err != nil {
		t.Fatal(err)
	}
	nb := model.NaiveBayes("y", "x", "z")
	var probs [2][][]float64
	for i, m := range []model.Model{nb, nb.AsNetwork()} {
		sh, err := model.NewShape(s, m, 5, true, "")
		if err != nil {
			t.Fatal(err)
		}
		st, err := model.Count(sh, f)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(st.Open(access.Mine())); got != "[[2 0 1 0 2 0] [2 1 1 1]]" {
			t.Errorf("%s: tables %s", m, got)
		}
		fit, err := model.FitPrivately(access.Mine(), st)
		if err != nil {
			t.Fatal(err)
		}
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
	h, err := f.Head(n)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// The conditional distributions of every kind of model, from its tables and back: parameters n·θ give the model whose
// means are θ.
func TestConditionals(t *testing.T) {
	s := &frame.Schema{Dataset: "x", Columns: []frame.Column{frame.Categorical("a", "0", "1"),
		frame.Categorical("b", "0", "1", "2"), frame.Categorical("c", "0", "1")}}
	f, err := frame.FromColumns(s, map[string]any{
		"a": []string{"0", "0", "1", "1", "1", "0"}, "b": []string{"0", "2", "1", "1", "2", "0"},
		"c": []string{"1", "0", "1", "1", "0", "0"},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		m    model.Model
		want [][]float64
	}{
		{model.Categorical("b"), [][]float64{{2, 2, 2}}},
		{model.NaiveBayes("a", "b"), [][]float64{{3, 3}, {2, 0, 1, 0, 2, 1}}},
		{model.Network("c", model.Node("a"), model.Node("b", "a"), model.Node("c", "a")),
			[][]float64{{3, 3}, {2, 0, 1, 0, 2, 1}, {2, 1, 1, 2}}},
	} {
		sh, err := model.NewShape(s, c.m, 6, true, "")
		if err != nil {
			t.Fatal(err)
		}
		st, err := model.Count(sh, f)
		if err != nil {
			t.Fatal(err)
		}
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
		fit, err := model.Fit(sh, model.Estimate{Conditionals: parameters})
		if err != nil {
			t.Fatal(err)
		}
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
