package utility

import (
	"errors"
	"math"
	"testing"
)

func TestArgumentsAreChecked(t *testing.T) {
	ok := cell(1, 1, 1, 1)
	nan, inf := math.NaN(), math.Inf(1)
	first := func(_ any, err error) error { return err }
	for _, c := range []struct {
		err       error
		parameter string
	}{
		{first(MaxNoiseBound(0, 1, .1)), "cells"},
		{first(MaxNoiseBound(1, nan, .1)), "b"},
		{first(MaxNoiseBound(1, 1, 1)), "delta"},
		{first(HalfCellsBound(3, 1, .1)), "cells"},
		{first(ExceedProbability(1, 1, nan)), "z"},
		{first(ClampedMean(2, 1, 1)), "D"},
		{first(ClampedMean(nan, 1, 1)), "D"},
		{first(ClampedMean(0, 0, 1)), "n"},
		{first(PaperClampedMean(0, 1, inf)), "b"},
		{first(ExpectedKL(cell(0, 1, 0, 0), 1, 1)), "alpha"},
		{first(ExpectedKL(cell(1, nan, 0, 0), 1, 1)), "beta"},
		{first(ExpectedKL(cell(1, 1, 2, 0), 1, 1)), "A"},
		{first(ExpectedKLInterior(cell(1, 1, 0, -1), 1, 1)), "B"},
		{first(CornerMax(ok, 0)), "n"},
		{first(PublicRange(Prior{1, -1}, 1)), "beta"},
		{first(DirichletCornerMax([]float64{1}, []float64{1}, 1)), "number of levels"},
		{first(DirichletCornerMax([]float64{1, 1}, []float64{1}, 1)), "number of counts"},
		{first(DirichletCornerMax([]float64{1, 1}, []float64{1, 2}, 1)), "counts[1]"},
		{first(DirichletPublicRange([]float64{1, 0}, 1)), "alpha[1]"},
		{first(PosteriorLoss(nil, 1, 1, .1)), "number of cells"},
		{first(PosteriorLoss([]Cell{ok, cell(1, 1, 5, 0)}, 2, 1, .1)), "A"},
		{first(PosteriorLoss([]Cell{ok}, 2, 1, 0)), "delta"},
		{first(PublicTail([]Prior{{1, 1}, {1, 0}}, 2, .1)), "beta"},
		{first(PaperRange(Form(3), Prior{1, 1}, 1)), "form"},
		{first(PaperTail(nil, .1)), "number of ranges"},
		{first(PaperTail([]float64{1, -1}, .1)), "range"},
		{first(PaperExpected(ok, 0)), "n"},
		{first(PaperRefined(Prior{1, 1}, 2, 3)), "b"},
		{first(PaperLemmaA3(ok, 1, 0, 0)), "alpha"},
		{first(PaperLemmaA3(cell(2, 2, 0, 0), 1, 2, 0)), "z1"},
		{first(IncrementFailure(0, 1)), "coefficients"},
		{first(IncrementFailure(1, -1)), "t"},
		{first(SmallestT(0)), "coefficients"},
		{first(SmallestT(2_000_000)), "coefficients"},
		{first(PaperIncrement(1, 0, 1)), "epsilon"},
		{first(IncrementQuantile(1, 1, 0)), "delta"},
		{first(FourierTable(3, 2, 2, 1, .1, 1)), "coefficients"},
		{first(FourierTable(4, 5, 2, 1, .1, 1)), "odd"},
		{first(FourierTable(4, 2, 63, 1, .1, 1)), "s"},
		{first(FourierTable(4, 2, 2, nan, .1, 1)), "t"},
	} {
		wantParameterError(t, c.err, c.parameter)
	}
	var p *ParameterError
	if err := first(PosteriorLoss([]Cell{ok, cell(1, 1, 5, 0)}, 2, 1, .1)); !errors.As(err, &p) || p.Value != 5. {
		t.Errorf("%v does not carry the value", err)
	}
	if Form(7).String() != "unknown form" || LemmaForm.String() != "Lemma A.4" {
		t.Error("names of forms")
	}
	if p, err := ExceedProbability(3, 1, -1); p != 1 || err != nil {
		t.Errorf("negative level: %g, %v", p, err)
	}
	if s := cell(1, 1, 0, 0).Divergence(-2, 0); !math.IsNaN(s) {
		t.Errorf("divergence outside the domain is %g", s)
	}
}

func BenchmarkExpectedKL(b *testing.B) {
	for b.Loop() {
		if _, err := ExpectedKL(cell(1, 1, 300, 200), 1000, 34); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSmallestT(b *testing.B) {
	for b.Loop() {
		if _, err := SmallestT(10_000); err != nil {
			b.Fatal(err)
		}
	}
}
