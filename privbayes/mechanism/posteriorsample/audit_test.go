package posteriorsample

import (
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/internal/logratio"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// worstLoss visits every data set of n bits and every replacement of one of them, forms both posteriors from the
// definition — prior, box, likelihood to the power η, on a fine grid that holds the ends of the box — and returns the
// greatest log-ratio of the densities of N draws: N times that of one, since the worst point may come N times.
func worstLoss(n, draws int, a, b, w, eta float64) float64 {
	const cells = 4000
	grid := make([]float64, cells+1)
	for i := range grid {
		grid[i] = w + (1-2*w)*float64(i)/cells
	}
	density := func(data int) []float64 {
		out, sum := make([]float64, len(grid)), 0.0
		for i, x := range grid {
			log := (a-1)*math.Log(x) + (b-1)*math.Log1p(-x)
			for j := range n {
				if data>>j&1 == 1 {
					log += eta * math.Log(x)
				} else {
					log += eta * math.Log1p(-x)
				}
			}
			out[i] = log
			weight := 4.0 // Simpson
			switch {
			case i == 0 || i == cells:
				weight = 1
			case i%2 == 0:
				weight = 2
			}
			sum += weight * math.Exp(log)
		}
		for i := range out {
			out[i] -= math.Log(sum)
		}
		return out
	}
	laws := make([][]float64, 1<<n)
	for d := range laws {
		laws[d] = density(d)
	}
	worst := 0.0
	for x := range laws {
		for j := range n {
			y := x ^ 1<<j
			for i := range grid {
				worst = math.Max(worst, laws[x][i]-laws[y][i])
			}
		}
	}
	return float64(draws) * worst
}

// Enumeration of small Bernoulli families through the production plan: the certificate is the worst loss over all data
// sets and all neighbours, and the claims of wrong accountings are refuted by the same enumeration.
func TestEnumeration(t *testing.T) {
	for _, c := range []struct {
		n, draws int
		prior    []float64 // of level 0, level 1
		m        Sample
	}{
		{1, 1, []float64{1, 1}, New(1)}, {3, 1, []float64{2, 1}, New(1)}, {6, 1, []float64{1, 1}, New(1).WithBounds(.2)},
		{5, 4, []float64{1, 3}, New(4)},
		{6, 3, []float64{2, 2}, New(3).ByBounds()}, {4, 2, []float64{1.5, 2}, New(2).WithBounds(.1).WithPower(.7)},
	} {
		target := dp.PureDP(1.5)
		if c.m.powered {
			target = dp.PureDP(20)
		}
		p := planOf(t, c.m, shape(t, model.Binary("c0").WithPrior(c.prior...), c.n, 2), target)
		s := p.Sampler(key).(*sampler).s
		truth := worstLoss(c.n, s.draws, c.prior[1], c.prior[0], s.floors[0], s.power)
		claim := p.Pair().PureEpsilon()
		refuted := func(claim float64) bool { return truth > claim*(1+1e-9) }
		if refuted(claim) || claim > truth*(1+1e-6) {
			t.Errorf("%+v: certified %.12g, enumeration %.12g", c, claim, truth)
		}
		if once := claim / float64(s.draws); s.draws > 1 && !refuted(once) {
			t.Errorf("%+v: ε counted once for %d draws passes", c, s.draws)
		}
		pair := p.Pair().(*Pair)
		half := float64(s.draws) * pair.one.Oscillation() / 2
		if c.n > 1 && !refuted(half) {
			t.Errorf("%+v: half the oscillation passes", c)
		}
	}
}

// A mechanism that draws from the posterior without its trim or its power exceeds the certificate of the plan.
func TestEnumerationRejectsWrongLaws(t *testing.T) {
	p := planOf(t, New(2), shape(t, model.Binary("c0"), 5, 2), dp.PureDP(1))
	s := p.Sampler(key).(*sampler).s
	for name, truth := range map[string]float64{"power ignored": worstLoss(5, 2, 1, 1, s.floors[0], 1),
		"trim ignored": worstLoss(5, 2, 1, 1, 1e-3, s.power)} {
		if truth <= p.Pair().PureEpsilon() {
			t.Errorf("%s passes", name)
		}
	}
}

// The networks' certificate against its exact value at power 1 (papers/families has that of a chain from the families'
// definition only); the paper's ‖v‖_∞ claim for a record is below the truth.
func TestNetworkAccounting(t *testing.T) {
	p := planOf(t, New(1).WithBounds(.1).WithPower(1), shape(t, chain, 40, 2, 2, 2), dp.PureDP(1e3))
	if paper := float64(p.StandardFormula().Level.Epsilon); paper >= p.Pair().PureEpsilon() {
		t.Errorf("the paper's %v for a record would hold", paper)
	}
	// two independent columns: one table each, the exact ε is the sum
	two := model.Network("c0", model.Node("c0"), model.Node("c1"))
	p = planOf(t, New(3).WithBounds(.1).WithPower(.6), shape(t, two, 6, 2, 2), dp.PureDP(1e3))
	if truth := 2 * worstLoss(6, 3, 1, 1, .1, .6); truth > p.Pair().PureEpsilon() ||
		p.Pair().PureEpsilon() > truth*(1+1e-6) {
		t.Errorf("certified %v, enumeration %v", p.Pair().PureEpsilon(), truth)
	}
	// tempering keeps the moved record's bound above the truth: all data sets of naive Bayes with one feature
	nb := planOf(t, New(1).WithBounds(.15).WithPower(.4), shape(t, model.NaiveBayes("c0", "c1"), 4, 2, 2), dp.PureDP(1e3))
	net := planOf(t, New(1).WithBounds(.15).WithPower(.4),
		shape(t, model.Network("c0", model.Node("c0"), model.Node("c1", "c0")), 4, 2, 2), dp.PureDP(1e3))
	if a, b := nb.Pair().PureEpsilon(), net.Pair().PureEpsilon(); a > b*(1+1e-9) || a < b*.8 {
		t.Errorf("naive Bayes %v, the same network %v", a, b)
	}
}

// Rényi and (ε, δ) of conditionals against two-point laws of the same ranges, which attain the bound of each
// conditional.
func TestConditionalsCurve(t *testing.T) {
	p := planOf(t, New(2).WithPower(.2), shape(t, model.NaiveBayes("c0", features(2)...), 50, 2, 3, 3),
		dp.RenyiDP(5, 1e6))
	d := p.Sampler(key).(*sampler)
	c := d.conditionals(d.s)
	sum := 0.0
	for _, v := range c.nodes {
		sum += 2 * logratio.BoundedRange(2*c.logRange(v)).Renyi(5)
	}
	if r := p.Pair().RDP(5); math.Abs(r/sum-1) > 1e-9 {
		t.Errorf("RDP %v, want %v", r, sum)
	}
	if r, whole := p.Pair().RDP(5), 2*logratio.BoundedRange(c.Oscillation()).Renyi(5); r > whole {
		t.Errorf("the sum over conditionals %v exceeds that of the whole range %v", r, whole)
	}
	if e := loss.EpsilonFor(p.Pair(), 1e-6); e > p.Pair().PureEpsilon() ||
		loss.Spent(p.Pair(), dp.ApproxDP(e, 1e-6).Parameters) > 1e-6 {
		t.Error("ε at δ", e)
	}
}

// The certificate's enumeration rejects a plan whose accounting is too low by a thousandth.
func TestCertificateChecksCatch(t *testing.T) {
	for _, sh := range []*model.Shape{
		shape(t, model.Binary("c0"), 30, 2), shape(t, chain, 30, 2, 3, 2),
		shape(t, model.Exponential("x").WithRange(.3, 2), 30, 2),
	} {
		p := planOf(t, New(2), sh, dp.PureDP(1))
		for _, k := range p.Certificate().All() {
			if !k.OK() {
				t.Error(k)
			}
			if k.Kind == neighboursChecker.Kind() && (k.Work == 0 || float64(k.Value) < .999*float64(k.Bound)) {
				t.Errorf("%s: found %v of %v", sh.Model(), k.Value, k.Bound)
			}
		}
	}
	p := planOf(t, New(1).WithBounds(0), shape(t, model.Binary("c0").WithPrior(2), 30, 2), dp.ApproxDP(1, 1e-4))
	for _, k := range p.Certificate().All() {
		if k.Kind == neighboursChecker.Kind() && (float64(k.Value) < .999*float64(k.Bound) || k.Value == 0) {
			t.Errorf("untrimmed: found %v of %v", k.Value, k.Bound)
		}
	}
}
