package posteriorsample

import (
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/internal/truncated"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// recordLoss visits every data set of n records of binary columns, up to their order, and every replacement of one
// whole record, and adds up the greatest log-ratio of the density of every parameter, which is at an end of its box:
// the exact ε of one draw of a binary network.
func recordLoss(t *testing.T, parents [][]int, n int, alpha, w, eta float64) float64 {
	t.Helper()
	type cell struct{ node, row int }
	laws := map[[2]int]*truncated.Beta{}
	law := func(c [2]int) *truncated.Beta {
		if laws[c] == nil {
			l := must.Get(truncated.NewBeta(alpha+eta*float64(c[1]), alpha+eta*float64(c[0]), w, 1-w))(t)
			laws[c] = l
		}
		return laws[c]
	}
	records := 1 << len(parents)
	add := func(counts map[cell][2]int, r, sign int) {
		for i, ps := range parents {
			row := 0
			for _, p := range ps {
				row = 2*row + r>>p&1
			}
			c := counts[cell{i, row}]
			c[r>>i&1] += sign
			counts[cell{i, row}] = c
		}
	}
	worst := 0.0
	rest := map[cell][2]int{}
	var extend func(from, left int)
	extend = func(from, left int) {
		if left > 0 {
			for r := from; r < records; r++ {
				add(rest, r, 1)
				extend(r, left-1)
				add(rest, r, -1)
			}
			return
		}
		for a := range records {
			for b := range records {
				x, y := map[cell][2]int{}, map[cell][2]int{}
				for k, v := range rest {
					x[k], y[k] = v, v
				}
				add(x, a, 1)
				add(y, b, 1)
				sum := 0.0
				for k := range x {
					if _, both := y[k]; !both {
						y[k] = [2]int{}
					}
				}
				for k, v := range y {
					p, q := law(x[k]), law(v)
					sum += math.Max(p.LogDensity(w)-q.LogDensity(w), p.LogDensity(1-w)-q.LogDensity(1-w))
				}
				worst = math.Max(worst, sum)
			}
		}
	}
	extend(0, n-1)
	return worst
}

// Whole records of small networks: the certificate of a production plan is at least the enumeration, tempered or not,
// and equal to it for naive Bayes of two levels; the paper's claim for a record is refuted by it.
func TestRecordEnumeration(t *testing.T) {
	nb1, nb2 := model.NaiveBayes("c0", "c1").WithPrior(.7), model.NaiveBayes("c0", "c1", "c2").WithPrior(.7)
	for _, c := range []struct {
		m       model.Model
		parents [][]int
		exact   bool
	}{{nb1, [][]int{nil, {0}}, true}, {nb2, [][]int{nil, {0}, {0}}, true},
		{chain.WithPrior(.7), [][]int{nil, {0}, {1}}, false}, {nb2.AsNetwork(), [][]int{nil, {0}, {0}}, false}} {
		for _, n := range []int{1, 3} {
			for _, eta := range []float64{.3, 1} {
				p := planOf(t, New(2).WithBounds(.1).WithPower(eta), shape(t, c.m, n, 2, 2, 2), dp.PureDP(1e3))
				truth, claim := 2*recordLoss(t, c.parents, n, .7, .1, eta), p.Pair().PureEpsilon()
				if truth > claim || c.exact && claim > truth*(1+1e-6) || claim > 1.4*truth {
					t.Errorf("%s, n = %d, η = %v: certified %.9g, enumeration %.9g", c.m, n, eta, claim, truth)
				}
				if once := claim / 2; truth <= once {
					t.Errorf("%s: ε counted once for two draws passes", c.m)
				}
			}
		}
	}
	paper := 4 * math.Log(10) // 2‖v‖_∞ ln 1/w, ‖v‖_∞ = 2, of a chain
	if truth := recordLoss(t, [][]int{nil, {0}, {1}}, 6, 1, .1, 1); truth <= paper {
		t.Errorf("Lemma 24's %v for a record passes: %v", paper, truth)
	}
}

// The range of a network's records cites its theorem; what is enumerated of one parameter, and of a rate, cites none.
func TestNetworksCiteTheirRange(t *testing.T) {
	for name, c := range map[string]struct {
		m      model.Model
		levels []int
		cited  bool
	}{
		"network":       {chain.WithPrior(.7), []int{2, 2, 2}, true},
		"table":         {model.Categorical("c0").WithPrior(1), []int{3}, true},
		"one parameter": {model.Binary("c0").WithPrior(4), []int{2}, false},
	} {
		checks := planOf(t, New(2).WithBounds(.1), shape(t, c.m, 20, c.levels...), dp.PureDP(20)).Certificate().Checks
		if k := checks[1]; (k.Theorem != nil) != c.cited || c.cited && k.Theorem.Name != "NetworkDraw.row_range" {
			t.Errorf("%s: %s", name, k.Citation)
		}
	}
}

// Several draws without a trim: finite Rényi divergences of low orders give (ε, δ) and tCDP; high orders have none.
func TestSeveralUntrimmedDraws(t *testing.T) {
	sh := shape(t, model.Binary("c0").WithPrior(4), 60, 2)
	for _, target := range []dp.Request{dp.ApproxDP(1, 1e-6), dp.TCDP(.05, 6), dp.RenyiDP(3, .1)} {
		p := planOf(t, New(5).WithBounds(0), sh, target)
		eta := p.Sampler(key).(*sampler).s.power
		pair := p.Pair()
		if !(eta > .01 && eta <= 1) || !loss.Meets(pair, target.Parameters) || !math.IsInf(pair.PureEpsilon(), 1) ||
			!math.IsInf(pair.ZCDP(), 1) {
			t.Errorf("%s: η = %v, pure %v, zCDP %v", target.Parameters, eta, pair.PureEpsilon(), pair.ZCDP())
		}
		if beyond := 1.01 * (1 + 4/eta); !math.IsInf(pair.RDP(beyond), 1) {
			t.Errorf("order %v: %v", beyond, pair.RDP(beyond))
		}
	}
}
