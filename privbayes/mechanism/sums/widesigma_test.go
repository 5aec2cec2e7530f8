package sums

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/internal/roundedsum"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// A small ρ of means of groups asks for a σ² above 2^53. Its plan is read again from its file, it spends ρ, and what is
// drawn has that variance: of 4000 draws within a seventh (false alarm below 1e-9). Noise of half the variance has not.
func TestGaussianOfSmallRho(t *testing.T) {
	const rho, draws = .002, 4000
	groups := make([]string, draws/3+1) // three sums of each
	for i := range groups {
		groups[i] = string(rune('a'+i/1000)) + string(rune(0x4e00+i%1000))
	}
	s := &frame.Schema{Dataset: "toy", Columns: []frame.Column{frame.Real("v", 0, 1), frame.Categorical("g", groups...)}}
	sh := must.Get(model.NewShape(s, model.GroupMeans("v", "g"), 100, true, ""))(t)
	p := must.Get(New().Plan(t.Context(), sh, dp.ZCDP(rho)))(t)
	d := p.Sampler(access.Mine()).(*sampler)
	variance := d.law.variance(0)
	if d.law.law != gaussianLaw || variance < 1<<53 || p.Certified().Rho > rho || p.Certified().Rho < .999*rho {
		t.Fatalf("%s of variance %v, %v", d.law.law, variance, p.Certified())
	}
	again := must.Get(mechanism.ParsePlan(t.Context(), must.Get(json.Marshal(p))(t)))(t)
	if string(again.Params()) != string(p.Params()) || again.Certified() != p.Certified() {
		t.Errorf("%s was read as %s", p.Params(), again.Params())
	}
	z, sum := make([]int64, 3*len(groups)), 0.
	d.law.draw(dp.Seeded(1), z)
	for _, v := range z {
		sum += float64(v) * float64(v) / float64(len(z))
	}
	off := func(of float64) float64 { return math.Abs(sum/of - 1) }
	if reach := 6.2 * math.Sqrt(2./draws); off(variance) > reach || off(variance/2) <= reach {
		t.Errorf("drawn variance %v, stated %v", sum, variance)
	}
}

// The inverse of the tail of wide Gaussian noise has the tail that it is asked for.
func TestNormalInverse(t *testing.T) {
	for _, sd := range []float64{5, 300, 1e6} {
		inverse := normalInverse(sd)
		for _, log := range []float64{-1e7, -600, -80, -3, -.7, -.69, -.1, -1e-3, -1e-12} {
			if back := roundedsum.LogNormalBelow((.5 - inverse(log)) / sd); math.Abs(back/log-1) > 1e-3 || log < -1e-9 &&
				math.Abs(back/log-1) > 1e-8 {
				t.Errorf("σ = %v: a tail of e^%v has %v", sd, log, back)
			}
		}
	}
}
