package privbayes_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/eval"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/dirichlet"
)

var secretModels = []privbayes.ModelSpec{
	privbayes.Categorical("colour"), privbayes.Binary("smoker"), privbayes.NaiveBayes("group", "colour", "smoker"),
	privbayes.Network("smoker", privbayes.Node("group"), privbayes.Node("colour"),
		privbayes.Node("smoker", "group", "colour")),
	privbayes.Exponential("wage").WithRange(.01, 1), privbayes.LinearRegression("wage", "age"),
	privbayes.LogisticRegression("smoker", "age"), privbayes.LogisticRegression("smoker", "colour"),
	privbayes.Linear("wage ~ poly(age, 2)*smoker"), privbayes.Logistic("smoker ~ poly(age, 2)"),
	privbayes.PoissonRegression("wage ~ age + smoker"),
	privbayes.Mean("wage"), privbayes.MeanSD("wage"), privbayes.GroupMeans("wage", "group"),
	privbayes.Quantiles("wage", .5), privbayes.Quantiles("wage", .25, .5, .75), privbayes.Table("colour", "smoker"),
	privbayes.MaxEntropy().Always().Size(1e6), privbayes.MaxEntropy().Of("group", "colour", "smoker"), privbayes.Tree(),
	privbayes.Tree().Classifying("smoker").Always(),
	privbayes.Cliques(3).Of("group", "colour", "smoker").Always(), privbayes.Tree().Star("group"),
	privbayes.MaxEntropy().StructuralZeros(map[string]string{"colour": "blue", "group": "b"}).Always(),
}

// learned is the place of the first model that learns its structure.
const learned = 17

var secretMechanisms = []privbayes.Mechanism{
	privbayes.Geometric(), privbayes.Geometric().WithPostProcess(counts.Clamp), privbayes.Consistent(),
	privbayes.DiscreteGaussian(), privbayes.DiscreteGaussian().WithPostProcess(counts.Clamp),
	privbayes.KNorm(), privbayes.KNorm().WithPostProcess(counts.PosteriorMean), privbayes.Laplace(),
	privbayes.Laplace().WithPostProcess(counts.PosteriorMean),
	privbayes.BySize(), privbayes.BySize().WithPostProcess(counts.Consistent), privbayes.Fourier(),
	privbayes.Fourier().WithNonNegative(.9),
	privbayes.Hellinger(), privbayes.Hellinger().Global(), privbayes.Hellinger().PermuteAndFlip(),
	privbayes.Dirichlet(), privbayes.Dirichlet().Raw(),
	privbayes.Dirichlet().Raw().WithCalibration(dirichlet.Average(1)), privbayes.Dirichlet().BySize(),
	privbayes.Dirichlet().WithSeparatePrior(),
	privbayes.SyntheticRecords(12), privbayes.MAP(), privbayes.MAP().WithGrid(12, 2), privbayes.PosteriorSample(2),
	privbayes.LinearSampler(2), privbayes.LinearSampler(2).WithResidual(.1), privbayes.SufficientStatistics().Continuous(),
	privbayes.SufficientStatistics().Continuous().Plain(), privbayes.SufficientStatistics(),
	privbayes.FisherScoring().Anyway(), privbayes.ContingencyTable().Anyway(),
	privbayes.NoisySums(), privbayes.QuantileEM(), privbayes.JointQuantiles(), privbayes.HistogramQuantiles(),
	privbayes.LearnedGeometric(), privbayes.LearnedGaussian(),
}

var secretTargets = []privbayes.Target{privbayes.PureDP(1), privbayes.ApproxDP(1, 1e-6), privbayes.ZCDP(.1),
	privbayes.RenyiDP(8, .5), privbayes.TCDP(.05, 4)}

// units are the adjacencies with the rows of a unit.
var units = []struct {
	adj  dp.Adjacency
	rows int
}{{dp.ReplaceOne, 1}, {dp.AddRemove, 1}, {dp.ReplaceValue, 1}, {dp.ReplaceOne, 3}, {dp.AddRemove, 3},
	{dp.ReplaceValue, 3}}

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

// Every mechanism on every model, in turn under every adjacency, from every source and for every notion of privacy that
// it supports.
func TestNothingBeforeADrawTellsNeighboursApart(t *testing.T) {
	dir, turn, drawn := t.TempDir(), 0, 0
	shown := map[string]bool{}
	for j, mech := range secretMechanisms {
		for k, m := range secretModels {
			single := k == 1 || k > 3 && k <= learned // models that are certified quickly
			planned := remember(mech, single)
			for i, u := range units {
				turn++
				if u.rows > 1 && k != 0 && k < 4 || k > 0 && (j+k+i)%2 > 0 || k >= learned && (j+k+i)%3 > 0 {
					continue // the first model under all adjacencies; others under some, the next mechanism under the rest
				}
				if testing.Short() && (j+k+i)%19 > 0 {
					continue
				}
				c := secretCase{source: sources[turn%len(sources)], step: frameSteps[0], model: m, mechanism: planned,
					rows: u.rows}
				for next := range secretTargets { // the next that it supports, or the last
					c.target = secretTargets[(turn+next)%len(secretTargets)].Under(u.adj)
					if _, err := sources[3].read(t, dir, baseRecords(), secretSchema(u.rows)).Model(m).Plan(planned,
						c.target); err == nil {
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
		if !shown[mech.Title()] && !testing.Short() {
			t.Errorf("%s was never drawn", mech.Title())
		}
	}
	if least := map[bool]int{true: 5, false: 60}[testing.Short()]; drawn < least {
		t.Errorf("%d of %d cases were drawn", drawn, turn)
	}
}

// releasing is a mechanism for one of the models.
func releasing(i int) privbayes.Mechanism {
	switch {
	case i < 4 || i == 16:
		return privbayes.DiscreteGaussian()
	case i == 4:
		return privbayes.PosteriorSample(1)
	case i == 5:
		return privbayes.SufficientStatistics().Continuous()
	case i == 6 || i == 8:
		return privbayes.SufficientStatistics()
	case i == 7:
		return privbayes.ContingencyTable().Anyway()
	case i == 9 || i == 10:
		return privbayes.FisherScoring().Anyway()
	case i < 14:
		return privbayes.NoisySums()
	case i == 14:
		return privbayes.QuantileEM()
	case i >= learned:
		return []privbayes.Mechanism{privbayes.LearnedGaussian(), privbayes.LearnedGeometric()}[i%2]
	}
	return privbayes.JointQuantiles()
}

// Every source and every step between reading and a model, under every adjacency: all of them on the first model, and
// every step on every other model, with sources and adjacencies in turn.
func TestSourcesAndStepsTellNothing(t *testing.T) {
	dir, drawn := t.TempDir(), 0
	for i, m := range secretModels {
		planned, target := remember(releasing(i), false), privbayes.ApproxDP(2, 1e-4)
		if i >= learned { // whose least noise for a δ is a long search, not once for every schema
			target = []privbayes.Target{privbayes.ZCDP(.5), privbayes.PureDP(2)}[i%2]
		}
		for j, src := range sources {
			for k, step := range frameSteps {
				for l, u := range units[:3] {
					if i > 0 && (j != (i+k)%len(sources) || l != (i+k)%3) || testing.Short() && (i+j+k)%31 > 0 {
						continue
					}
					c := secretCase{source: src, step: step, model: m, mechanism: planned,
						target: target.Under(u.adj), rows: 1}
					if silent(t, dir, c) {
						drawn++
					}
				}
			}
		}
	}
	if drawn < 100 && !testing.Short() {
		t.Errorf("%d cases were drawn", drawn)
	}
}

// Weighted tables of every source, after every step, under both adjacencies and with units of one and three rows.
func TestWeightsTellNothing(t *testing.T) {
	dir, drawn := t.TempDir(), 0
	for i, m := range []privbayes.ModelSpec{privbayes.Mean("age"), privbayes.GroupMeans("age", "group"),
		privbayes.Table("smoker", "group"), privbayes.Total("age"), privbayes.Total("age", "group"),
		privbayes.Quantiles("age", .5)} {
		planned := remember(privbayes.Tokens(), false)
		for j, src := range sources {
			for k, step := range frameSteps {
				for l, u := range []int{0, 1, 3, 4} {
					if i > 0 && (j != (i+k)%len(sources) || l != (i+k)%4) || testing.Short() && (i+j+k)%31 > 0 {
						continue
					}
					c := secretCase{source: src, step: step, model: m, mechanism: planned, weighted: true,
						target: secretTargets[(i+k)%3].Under(units[u].adj), rows: units[u].rows}
					if silent(t, dir, c) {
						drawn++
					}
				}
			}
		}
	}
	if drawn < 100 && !testing.Short() {
		t.Errorf("%d cases were drawn", drawn)
	}
}

// Releases in strata, of every source.
func TestStrataTellNothing(t *testing.T) {
	dir, drawn := t.TempDir(), 0
	for i, m := range []privbayes.ModelSpec{privbayes.Mean("age"), privbayes.Table("colour"), privbayes.Table("smoker"),
		privbayes.Mean("wage").WithResolution(64)} {
		planned := remember(privbayes.Stratified(), false)
		for j, src := range sources {
			for k, step := range frameSteps {
				if (i > 0 || testing.Short()) && (k > 0 || j != i) {
					continue
				}
				if silent(t, dir, secretCase{source: src, step: step, model: m, mechanism: planned, rows: 1, loaded: k == 0,
					target: secretTargets[i%2].Under(dp.WithinStrata)}) {
					drawn++
				}
			}
		}
	}
	if drawn < 4 {
		t.Errorf("%d cases were drawn", drawn)
	}
}

// Advice, and the warnings of releases that are neither kept nor paid for in a notebook.
func TestAdviceAndWarningsTellNothing(t *testing.T) {
	t.Setenv("GONB_PIPE", "x")
	dir := t.TempDir()
	for _, u := range units[:3] {
		silent(t, dir, secretCase{source: sources[0], step: frameSteps[1], model: privbayes.Binary("smoker"),
			mechanism: privbayes.Geometric(), target: privbayes.PureDP(1).Under(u.adj), rows: 1,
			advice: !testing.Short() || u.adj == dp.AddRemove, loaded: true})
	}
}

// How long a comparison has to go, and what it refuses, is the same for neighbours: nothing counts rows.
func TestComparisonsTellNothingWhileTheyRun(t *testing.T) {
	for _, u := range units[:3] {
		near, far := neighbouring(u.adj, 1)
		var said [3]transcript
		for i, rs := range []records{baseRecords(), near, far} {
			f := sources[2].read(t, "", rs, secretSchema(1))
			for name, f := range map[string]*privbayes.Frame{"read": f, "where": f.Where("smoker", smokers)} {
				part := "progress, " + name
				o := privbayes.CompareOptions{Epsilons: []float64{.5, 2}, Splits: 2, Repeats: 2, Adjacency: u.adj,
					Mechanisms: []privbayes.Mechanism{privbayes.Geometric()},
					Progress:   func(done, total int64) { said[i].add(part, fmt.Sprintf("%d of %d\n", done, total)) }}
				_, err := f.Model(privbayes.NaiveBayes("group", "smoker")).Compare(quick(), o)
				said[i].add("refusal, "+name, typed(err))
				o.Mechanisms = []privbayes.Mechanism{privbayes.KNorm()}
				_, err = f.Model(privbayes.NaiveBayes("group", "smoker")).Compare(quick(), o)
				said[i].add("refusal of K-norm, "+name, typed(err))
				n := privbayes.CompareOptions{Runs: []eval.Run{{Name: "moments",
					Mechanism: privbayes.SufficientStatistics().Continuous(),
					Target:    func(e float64) dp.Request { return dp.ApproxDP(e, 1e-4).Under(u.adj) }}},
					Epsilons: []float64{1, 2}, Splits: 2, Repeats: 2,
					Progress: func(done,
						total int64) {
						said[i].add(part+", numbers", fmt.Sprintf("%d of %d\n", done, total))
					}}
				_, err = f.Model(privbayes.LinearRegression("wage", "age")).Compare(quick(), n)
				said[i].add("refusal, numbers, "+name, typed(err))
			}
		}
		if len(said[0].parts) < 8 {
			t.Errorf("%s: only %d parts", u.adj, len(said[0].parts))
		}
		for _, other := range said[1:] {
			for _, d := range differences(&said[0], &other) {
				t.Errorf("%s: %s", u.adj, d)
			}
		}
	}
}

// Leaks that are planted in a mechanism or a source show between neighbours, each where it comes out, and the same
// chain without it shows none.
func TestPlantedLeaksAreFound(t *testing.T) {
	dir := t.TempDir()
	for i, leak := range plants() {
		if testing.Short() && i%4 > 0 {
			continue
		}
		near, _ := neighbouring(leak.c.target.Adjacency, 1)
		found := differences(observe(t, dir, leak.c, baseRecords()), observe(t, dir, leak.c, near))
		if !slices.ContainsFunc(found, func(d string) bool { return strings.HasPrefix(d, leak.part+":") }) {
			t.Errorf("%s is not found in %q: %q", leak.name, leak.part, found)
		}
		sound := leak.c
		if l, ok := sound.mechanism.(leaking); ok {
			sound.mechanism = l.Mechanism
		}
		sound.source = sources[0]
		silent(t, dir, sound)
	}
}
