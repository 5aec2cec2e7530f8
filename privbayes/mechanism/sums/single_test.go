package sums

import (
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// The mean of a census is one integer sum: its Gaussian noise under (ε, δ) is calibrated by that sum's own loss. A file
// from before keeps ρ, and releases of several sums have no other.
func TestOneSumHasItsOwnLoss(t *testing.T) {
	s := schema(1)
	s.Sampling = frame.Census
	sh := must.Get(model.NewShape(s, model.Mean("wage"), 100, true, ""))(t)
	target := dp.ApproxDP(1, 1e-6)
	p := plan(t, New().Gaussian(), sh, target)
	pair, one := p.Pair().(loss.IntegerSumPair)
	if !one || !loss.Meets(pair, target.Parameters) {
		t.Fatalf("%v does not meet %v", p.Pair(), target)
	}
	if v := p.Certificate().Verify(t.Context()); !v.OK() {
		t.Error(v)
	}
	var q params
	must.Do(t, mechanism.DecodeParams(kind, p.Params(), &q))
	d := design{Kind: oneSum, Steps: int64(pair.Shift)}
	if !q.Single || d.pair(q, dp.ReplaceOne, 1, dp.Approximate) != loss.Pair(pair) {
		t.Errorf("%+v has another pair than the plan", q)
	}
	before := q
	before.Single = false
	byRho := d.pair(before, dp.ReplaceOne, 1, dp.Approximate)
	if loss.Meets(byRho, target.Parameters) || byRho.Delta(1) < 2*pair.Delta(1) {
		t.Errorf("%v gains nothing over ρ: %v for %v", pair, pair.Delta(1), byRho.Delta(1))
	}
	for _, kind := range []string{halves, moments, columns, groupHalves, sumSquares} { // vectors
		d.Kind, d.Width, d.Coarse = kind, 2, 2
		if _, wrong := d.pair(q, dp.AddRemove, 1, dp.Approximate).(loss.IntegerSumPair); wrong {
			t.Errorf("%s: a vector has the loss of one sum", kind)
		}
	}
	if (params{Law: geometricLaw, Epsilon: q.Sigma2, Single: true}).Valid() == nil {
		t.Error("geometric noise with the loss of a Gaussian is accepted")
	}
}
