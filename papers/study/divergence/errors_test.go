package divergence

import (
	"errors"
	"math"
	"testing"
)

func TestErrorsNameTheArgument(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	two := []float64{.5, .5}
	good := Calibration{"", 1, 5}
	one := func(_ any, err error) error { return err }
	for i, c := range []struct {
		err  error
		name string
	}{
		{one(Theorem2(1, 1, 1, 1)), "cells"},
		{one(Theorem2W(2, 0, 1, 1)), "beta"},
		{one(TheoremStar(2, 1, nan, 1)), "alpha"},
		{one(TheoremStarSimple(2, 1, 1, inf)), "eta"},
		{one(PaperTheorem2(2, -1, 1, 1)), "beta"},
		{one(OneHotTail(2, 1, 0, 1)), "alpha"},
		{one(Chernoff([]float64{.5, .6}, 1, 1, 1)), "p"},
		{one(Chernoff([]float64{1.5, -.5}, 1, 1, 1)), "p"},
		{one(ExactTail([]float64{1}, 1, 1, 1)), "p"},
		{one(ExactTail(two, inf, 1, 1)), "beta"},
		{one(ExactTail(two, 1, 1, 0)), "eta"},
		{one(RecordsTheorem2(Goal{2, .1, 1}, good)), "gamma"},
		{one(RecordsStar(Goal{1, .1, .1}, good)), "cells"},
		{one(RecordsSimple(Goal{2, 0, .1}, good)), "eta"},
		{one(RecordsOneHot(Goal{2, .1, .1}, Calibration{"", 0, 1})), "r"},
		{one(RecordsNeeded(nil)), "cases"},
		{one(RecordsNeeded([]Case{{Goal: Goal{2, .1, .1}, Paper: good, Better: Calibration{"", -1, 1}}})), "r"},
		{one(Gains("", []float64{1, -2}, []Calibration{good})), "counts[1]"},
		{one(Gains("", []float64{0, 0}, []Calibration{good})), "records"},
		{one(Gains("", []float64{1, 0}, nil)), "calibrations"},
		{one(Gains("", []float64{1, 0}, []Calibration{{"mine", 1, 0}})), "alpha of mine"},
	} {
		var p *ParameterError
		if !errors.As(c.err, &p) || p.Parameter != c.name || p.Error() == "" {
			t.Errorf("%d: error %v, want a *ParameterError about %s", i, c.err, c.name)
		}
	}
	for i, err := range []error{
		one(RecordsTheorem2(Goal{2, .1, .1}, Calibration{"", 1, .4})),
		one(RecordsStar(Goal{2, .1, .1}, Calibration{"", 1, .4})),
		one(RecordsSimple(Goal{2, .1, .1}, Calibration{"", 1, .4})),
		one(RecordsNeeded([]Case{{Goal: Goal{2, .1, .1}, Paper: Calibration{"", 1, .4}}})),
	} {
		var c *ConditionError
		if !errors.As(err, &c) || c.Quantity != "alpha" || c.Error() == "" {
			t.Errorf("%d: error %v, want a *ConditionError about alpha", i, err)
		}
	}
	if _, err := RecordsOneHot(Goal{2, .1, .1}, Calibration{"", 1, .4}); err != nil {
		t.Errorf("the one-hot need has no condition on alpha: %v", err)
	}
	if e := (&AccuracyError{.5, .1}).Error(); e == "" {
		t.Error("no message")
	}
}
