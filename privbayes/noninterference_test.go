package privbayes_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/dirichlet"
)

var secretModels = []privbayes.ModelSpec{
	privbayes.Categorical("colour"), privbayes.Binary("smoker"), privbayes.NaiveBayes("group", "colour", "smoker"),
	privbayes.Network("smoker", privbayes.Node("group"), privbayes.Node("colour"), privbayes.Node("smoker", "group", "colour")),
	privbayes.Exponential("wage").WithRange(.01, 1), privbayes.LinearRegression("wage", "age"),
}

var secretMechanisms = []privbayes.Mechanism{
	privbayes.Geometric(), privbayes.Geometric().WithPostProcess(counts.Clamp), privbayes.Consistent(), privbayes.DiscreteGaussian(), privbayes.DiscreteGaussian().WithPostProcess(counts.Clamp),
	privbayes.KNorm(), privbayes.KNorm().WithPostProcess(counts.PosteriorMean), privbayes.Laplace(), privbayes.Laplace().WithPostProcess(counts.PosteriorMean),
	counts.BySize(), counts.BySize().WithPostProcess(counts.Consistent), privbayes.Fourier(), privbayes.Fourier().WithNonNegative(.9),
	privbayes.Hellinger(), privbayes.Hellinger().Global(), privbayes.Hellinger().PermuteAndFlip(),
	privbayes.Dirichlet(), privbayes.Dirichlet().Raw(), privbayes.Dirichlet().Raw().WithCalibration(dirichlet.Average(1)), privbayes.Dirichlet().BySize(), privbayes.Dirichlet().WithSeparatePrior(),
	privbayes.SyntheticRecords(12), privbayes.MAP(), privbayes.MAP().WithGrid(12, 2), privbayes.PosteriorSample(2),
	privbayes.LinearSampler(2), privbayes.LinearSampler(2).WithResidual(.1), privbayes.SufficientStatistics(), privbayes.SufficientStatistics().Plain(), privbayes.SufficientStatistics().OnLattice(),
}

var secretTargets = []privbayes.Target{privbayes.PureDP(1), privbayes.ApproxDP(1, 1e-6), privbayes.ZCDP(.1), privbayes.RenyiDP(8, .5), privbayes.TCDP(.05, 4)}

// units are the adjacencies with the rows of a unit.
var units = []struct {
	adj  dp.Adjacency
	rows int
}{{dp.ReplaceOne, 1}, {dp.AddRemove, 1}, {dp.ReplaceValue, 1}, {dp.ReplaceOne, 3}, {dp.AddRemove, 3}, {dp.ReplaceValue, 3}}

// silent compares the runs on three data sets. It returns whether a release was drawn.
func silent(t *testing.T, dir string, c secretCase) (drawn bool) {
	t.Helper()
	near, far := neighbouring(c.target.Adjacency, c.rows)
	a := observe(t, dir, c, baseRecords())
	for name, rs := range map[string]records{"a neighbour": near, "another data set": far} {
		for _, d := range differences(a, observe(t, dir, c, rs)) {
			t.Errorf("%s: %s shows in %s", c, name, d)
		}
	}
	return a.parts["release"] != ""
}

// Every mechanism on every model under every adjacency, in turn from every source and for every notion of privacy that it supports.
func TestNothingBeforeADrawTellsNeighboursApart(t *testing.T) {
	dir, turn, drawn := t.TempDir(), 0, 0
	shown := map[string]bool{}
	for _, mech := range secretMechanisms {
		start := time.Now()
		for k, m := range secretModels {
			single := k == 1 || k > 3 // models that are certified quickly
			planned := remember(mech, single)
			for _, u := range units {
				if testing.Short() && u.rows > 1 {
					continue
				}
				turn++
				c := secretCase{source: sources[turn%len(sources)], step: frameSteps[0], model: m, mechanism: planned, rows: u.rows}
				for i := range secretTargets { // the next that it supports, or the last
					c.target = secretTargets[(turn+i)%len(secretTargets)].Under(u.adj)
					if _, err := sources[3].read(t, dir, baseRecords(), secretSchema(u.rows)).Model(m).Plan(planned, c.target); err == nil {
						c.loaded = single
						break
					}
				}
				if silent(t, dir, c) {
					drawn++
					shown[mech.Title()] = true
				}
			}
		}
		fmt.Println(time.Since(start), mech.Title(), drawn, turn)
	}
	if len(shown) == 0 {
		t.Error(shown)
	}
}
