package model_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Records of the fitted network are those that Synthesize draws from the same stream, values of bins too.
func TestRecordsOfANetwork(t *testing.T) {
	sh := toyShape(t, model.Network("y", model.Node("y"), model.Node("age", "y"), model.Node("x", "y")))
	st, err := model.Count(sh, toyFrame(t))
	if err != nil {
		t.Fatal(err)
	}
	fit, err := model.FitPrivately(access.Mine(), st)
	if err != nil {
		t.Fatal(err)
	}
	a, err := fit.Synthesize(300, dp.Seeded(5))
	if err != nil {
		t.Fatal(err)
	}
	b, err := sh.RecordsOf(fit.Network(), 300, dp.Seeded(5))
	if err != nil {
		t.Fatal(err)
	}
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
	fit, err := model.FitPrivately(access.Mine(), st)
	if err != nil {
		t.Fatal(err)
	}
	const n = 3000
	f, err := fit.SynthesizeExact(n, dp.Seeded(5))
	if err != nil {
		t.Fatal(err)
	}
	if f, err = f.AsPublic("for the test"); err != nil {
		t.Fatal(err)
	}
	counts, err := f.Counts("y")
	if err != nil {
		t.Fatal(err)
	}
	i, _ := fit.Network().DAG().Index("y")
	for s, p := range fit.Network().Prob(i, 0) {
		if d := float64(counts[s]) - n*p; d <= -1 || d >= 1 {
			t.Errorf("%d records of level %d; want %v rounded down or up", counts[s], s, n*p)
		}
	}
	bayes := toyShape(t, model.NaiveBayes("y"))
	st2, err := model.Count(bayes, toyFrame(t))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := model.FitPrivately(access.Mine(), st2)
	if err != nil {
		t.Fatal(err)
	}
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
		fit, err := model.Fit(sh, model.Estimate{Tables: flat})
		if err != nil {
			t.Fatal(err)
		}
		f, err := fit.Synthesize(200, dp.Seeded(rapid.Uint64().Draw(t, "seed")))
		if err != nil {
			t.Fatal(err)
		}
		values, err := f.Values("y")
		if err != nil {
			t.Fatal(err)
		}
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
