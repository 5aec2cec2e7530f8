package sums

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
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

// Several sums have the profile of continuous noise of a slightly smaller variance, which less noise than that of ρ
// meets. On a coarse grid it is above what a record of the largest values spends, by enumeration. A file from before
// keeps ρ.
func TestVectorsHaveTheirOwnLoss(t *testing.T) {
	target := dp.ApproxDP(1, 1e-6).Under(dp.AddRemove)
	for _, c := range []struct {
		of    model.Model
		steps int64
	}{{model.Means("age", "wage", "visits").WithResolution(2), 2}, {model.Means("age", "wage").WithResolution(5), 5},
		{model.GroupMeans("wage", "job"), 0}, {model.Mean("wage"), 0}} {
		s := schema(1)
		if c.steps > 0 {
			s.Sampling = frame.Census // of which no squares are released
		}
		sh := must.Get(model.NewShape(s, c.of, 600, false, ""))(t)
		p := plan(t, New().Gaussian(), sh, target)
		pair, ok := p.Pair().(loss.LatticePair)
		if !ok || !loss.Meets(pair, target.Parameters) || !p.Certificate().Verify(t.Context()).OK() {
			t.Errorf("%s: %v does not meet %v", sh.Model(), p.Pair(), target)
			continue
		}
		var q params
		must.Do(t, mechanism.DecodeParams(kind, p.Params(), &q))
		before := q
		before.Vector = false
		pose := must.Get(New().Gaussian().prepare(t.Context(), sh, target))(t).of(q)
		byRho := pose.pair(before, dp.AddRemove, 1, dp.Approximate)
		if loss.Meets(byRho, target.Parameters) || byRho.Delta(1) < 1.5*pair.Delta(1) {
			t.Errorf("%s: %v gains nothing over ρ: %v for %v", sh.Model(), pair, pair.Delta(1), byRho.Delta(1))
		}
		text := strings.Replace(string(must.Get(json.Marshal(p))(t)), `,"vector":true`, "", 1)
		if _, err := mechanism.ParsePlan(t.Context(), []byte(text)); err == nil {
			t.Errorf("%s: a plan by ρ with this noise is accepted", sh.Model())
		}
		if c.steps == 0 {
			continue
		}
		if got := spent(t, pose, q, 1, c.steps); got > pair.Delta(1) || got < .7*pair.Delta(1) {
			t.Errorf("%s: a record spends %v, charged are %v", sh.Model(), got, pair.Delta(1))
		}
	}
}

// The least variance of a pair is that of the noise that is drawn, also where squares have less than the sums.
func TestLeastVarianceIsOfTheNoise(t *testing.T) {
	for _, d := range []design{{Kind: halves, Steps: 3}, {Kind: moments, Steps: 2}, {Kind: moments, Steps: 8},
		{Kind: sumSquares, Steps: 8, Coarse: 2}, {Kind: sumSquares, Steps: 4, Coarse: 4},
		{Kind: columnsSquares, Steps: 8, Coarse: 2, Width: 2}, {Kind: countedSquares, Steps: 8, Coarse: 2, Width: 2}} {
		for _, rows := range []int{1, 3} {
			q := params{Law: gaussianLaw, Sigma2: &noise.Rational{Num: 2000, Den: 3}, Vector: true}
			z, least := must.Get(d.noise(q, dp.AddRemove, rows))(t), math.Inf(1)
			for i := range d.dims() {
				least = math.Min(least, z.variance(i))
			}
			if p, ok := d.pair(q, dp.AddRemove, rows, dp.Approximate).(loss.LatticePair); !ok || p.Least != least {
				t.Errorf("%+v: %v, the least variance is %v", d, p, least)
			}
		}
	}
}
