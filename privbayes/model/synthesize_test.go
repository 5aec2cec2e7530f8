package model_test

import (
	"errors"
	"testing"

	"github.com/privbayes/privbayes-go/internal/seal"
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
	fit, err := model.FitPrivately(seal.Mine(), st)
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
	fit, err := model.FitPrivately(seal.Mine(), st)
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
	plain, err := model.FitPrivately(seal.Mine(), st2)
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
