package counts

import (
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
)

// The certified ε is the sum over tables and meets the target; the total expected error is below that of equal rates
// where sizes differ, and no shift of budget between two tables lowers it.
func TestBySize(t *testing.T) {
	wide := make([]string, 20)
	for i := range wide {
		wide[i] = string(rune('a' + i))
	}
	d := must.Get(bayesnet.NewDAG([]bayesnet.Node{
		{Name: "y", States: []string{"0", "1"}}, {Name: "x", States: wide, Parents: []string{"y"}},
		{Name: "z", States: []string{"0", "1"}, Parents: []string{"y"}},
	}))(t)
	sh := netShape(t, d, 500)
	p := must.Get(BySize().Plan(t.Context(), sh, dp.PureDP(1)))(t)
	if e := float64(p.Certified().Epsilon); e > 1 || e < .999 {
		t.Errorf("certified %v of 1", e)
	}
	flat := must.Get(Geometric().Plan(t.Context(), sh, dp.PureDP(1)))(t)
	own, _ := p.ExpectedValue("absolute error of a count")
	plain, _ := flat.ExpectedValue("absolute error of a count")
	if own >= plain {
		t.Errorf("expected error %v, with equal rates %v", own, plain)
	}
	laws := p.Sampler(access.Mine()).(*sizedSampler).laws
	a, b := laws[0].(noise.Geometric).Rate(), laws[1].(noise.Geometric).Rate()
	if math.Abs(a/b-math.Sqrt(40./4)) > 1e-6 {
		t.Errorf("rates %v and %v of tables with 40 and 4 cells", a, b)
	}
	total := func(a, b float64) float64 { return 40/math.Sinh(a) + 4/math.Sinh(b) }
	for _, shift := range []float64{-.01, .01} {
		if total(a+shift, b-shift) < total(a, b)*(1-1e-3) {
			t.Errorf("shifting %v of the rate lowers the error", shift)
		}
	}
	// two tables by enumeration: the exact ε of both together is the certified one, and a rate forgotten in the sum is
	// refused
	small := netShape(t, binaryNet(t, nil, nil), 2)
	q := must.Get(BySize().Plan(t.Context(), small, dp.PureDP(1)))(t)
	l := tableLaw{shape: small, measured: []int{1, 1}, law: q.Sampler(access.Mine()).(*sizedSampler).laws[0], n: 2}
	if e := audit(t, l, 4, dp.ReplaceOne).Epsilon; e > 1+1e-9 || e < .999 {
		t.Errorf("exact ε = %v", e)
	}
	r := q.Sampler(access.Mine()).(*sizedSampler).laws[0].(noise.Geometric)
	l.law = scaled(r, 2)
	if e := audit(t, l, 4, dp.ReplaceOne).Epsilon; e < 1.9 {
		t.Errorf("twice the rates pass: %v", e)
	}
}
