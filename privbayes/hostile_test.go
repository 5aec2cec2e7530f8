package privbayes_test

import (
	"strconv"

	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/dirichlet"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// hostileShape is the public input of a plan, made on demand: a schema of many names takes memory, too.
type hostileShape struct {
	name string
	make func() (*frame.Schema, model.Model, int)
}

func categories(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = "v" + strconv.Itoa(i)
	}
	return out
}

// schemaOf has columns c0, c1, … with the given numbers of levels.
func schemaOf(rows int, levels ...int) *frame.Schema {
	s := &frame.Schema{Dataset: "hostile", RowsPerUnit: rows}
	for i, l := range levels {
		s.Columns = append(s.Columns, frame.Categorical("c"+strconv.Itoa(i), categories(l)...))
	}
	return s
}

func repeat(k, level int) []int {
	out := make([]int, k)
	for i := range out {
		out[i] = level
	}
	return out
}

// networkOf names node i's parents by number; the target is node 0.
func networkOf(k int, parents func(i int) []int) model.NetworkModel {
	var families []model.Family
	for i := range k {
		var names []string
		for _, p := range parents(i) {
			names = append(names, "c"+strconv.Itoa(p))
		}
		families = append(families, model.Node("c"+strconv.Itoa(i), names...))
	}
	return model.Network("c0", families...)
}

func lastOnes(width int) func(i int) []int {
	return func(i int) (out []int) {
		for p := max(0, i-width); p < i; p++ {
			out = append(out, p)
		}
		return out
	}
}

func regressionOf(d int) *frame.Schema {
	s := &frame.Schema{Dataset: "hostile"}
	for i := range d + 1 {
		s.Columns = append(s.Columns, frame.Real("c"+strconv.Itoa(i), -1, 1))
	}
	return s
}

func hostileShapes() []hostileShape {
	const ordinary, most = 10_000, 1_000_000_000_000_000
	column := func(name string, rows, levels, n int, prior ...float64) hostileShape {
		return hostileShape{name, func() (*frame.Schema, model.Model, int) {
			m := model.Categorical("c0")
			if prior != nil {
				m = m.WithPrior(prior...)
			}
			return schemaOf(rows, levels), m, n
		}}
	}
	naive := func(name string, class, k, levels, n int) hostileShape {
		return hostileShape{name, func() (*frame.Schema, model.Model, int) {
			return schemaOf(1, append([]int{class}, repeat(k, levels)...)...), model.NaiveBayes("c0"), n
		}}
	}
	network := func(name string, k, levels int, parents func(int) []int) hostileShape {
		return hostileShape{name, func() (*frame.Schema, model.Model, int) {
			return schemaOf(1, repeat(k, levels)...), networkOf(k, parents), ordinary
		}}
	}
	rate := func(name string, n int, c1, c2 float64) hostileShape {
		return hostileShape{name, func() (*frame.Schema, model.Model, int) {
			return regressionOf(1), model.LaplaceScale("c0", 0).WithRange(c1, c2), n
		}}
	}
	regression := func(name string, d, n int) hostileShape {
		return hostileShape{name, func() (*frame.Schema, model.Model, int) {
			return regressionOf(d),
				model.LinearRegression("c0"), n
		}}
	}
	collider := func(parents int) func(int) []int {
		return func(i int) []int {
			if i > 0 {
				return nil
			}
			return func() (out []int) {
				for p := range parents {
					out = append(out, p+1)
				}
				return out
			}()
		}
	}
	const side = 40
	grid := func(i int) (out []int) {
		if i >= side {
			out = append(out, i-side)
		}
		if i%side > 0 {
			out = append(out, i-1)
		}
		return out
	}
	scattered := func(i int) (out []int) { // 8 parents, spread by a fixed rule
		for k := 1; k <= 8 && len(out) < i; k++ {
			p := (i*7919 + k*104729) % max(i, 1)
			if i > 0 && !contains(out, p) {
				out = append(out, p)
			}
		}
		return out
	}
	return []hostileShape{
		column("a column of 65,536 levels", 1, 65536, ordinary),
		column("a column of 65,536 levels, n = 1e15", 1, 65536, most),
		column("a column of 60,000 levels, 2^30 rows a unit", 1<<30, 60000, most),
		column("a column of 5,000 levels", 1, 5000, ordinary),
		column("a column of 5 levels, n = 1e15", 1, 5, most),
		column("a column of 5 levels, n = 1e5", 1, 5, 100_000),
		column("a column of 40 levels, n = 1e4", 1, 40, 10_000),
		column("two levels, n = 1e15", 1, 2, most),
		column("two levels, n = 1e7", 1, 2, 10_000_000),
		column("two levels, n = 0", 1, 2, 0),
		column("two levels, n = 1", 1, 2, 1),
		column("two levels, 2^30 rows a unit", 1<<30, 2, most),
		column("5 levels, prior 1e-6", 1, 5, ordinary, 1e-6),
		column("5 levels, prior 1e9", 1, 5, ordinary, 1e9),
		column("2 levels, prior 1e-6", 1, 2, 1_000_000, 1e-6),
		column("2 levels, prior 1e9", 1, 2, 1_000_000, 1e9),
		{"a contingency table of 6 columns, 1,000,000 cells", func() (*frame.Schema, model.Model, int) {
			return schemaOf(1, repeat(6, 10)...), model.ContingencyTable("c0", "c1", "c2", "c3", "c4", "c5"), ordinary
		}},
		naive("naive Bayes, 5,000 columns", 2, 5000, 2, ordinary),
		naive("naive Bayes, 3,000 columns of 5", 5, 3000, 5, ordinary),
		naive("naive Bayes, class of 60,000, a column of 2,200", 60000, 1, 2200, ordinary),
		naive("naive Bayes, class of 60,000, 20 columns of 2", 60000, 20, 2, ordinary),
		naive("naive Bayes, class of 4,000, a column of 4,000", 4000, 1, 4000, ordinary),
		naive("naive Bayes, n = 0", 2, 3, 3, 0),
		naive("naive Bayes, 20 columns, n = 1e15", 2, 20, 3, most),
		network("a chain of 1,500 nodes", 1500, 2, lastOnes(1)),
		network("a chain of 1,500 nodes of 8 levels", 1500, 8, lastOnes(1)),
		network("20 two-level parents", 21, 2, collider(20)),
		network("26 two-level parents", 27, 2, collider(26)),
		network("8 parents of 8 levels", 9, 8, collider(8)),
		network("families of 12 in a band of 300", 300, 2, lastOnes(11)),
		network("a grid of 40 × 40", side*side, 2, grid),
		network("a grid of 40 × 40, 3 levels", side*side, 3, grid),
		network("300 nodes with 8 scattered parents", 300, 2, scattered),
		network("60 nodes with 8 scattered parents, 3 levels", 60, 3, scattered),
		network("1,000 roots", 1000, 2, func(int) []int { return nil }),
		network("a star of 3,000", 3000, 2, func(i int) []int { return repeat(min(i, 1), 0) }),
		rate("a rate, n = 1e15", most, 1e-3, 1e3),
		rate("a rate, n = 1", 1, 1e-9, 1e9),
		rate("a rate, n = 1e4", ordinary, .1, 10),
		regression("a regression on 3 columns", 3, most),
		regression("a regression on 300 columns", 300, ordinary),
		regression("a regression on 6,000 columns", 6000, ordinary),
	}
}

func contains(list []int, v int) bool {
	for _, x := range list {
		if x == v {
			return true
		}
	}
	return false
}

// hostileMechanism is a mechanism as a test configures it.
type hostileMechanism struct {
	name string
	mechanism.Mechanism
}

func hostileMechanisms() []hostileMechanism {
	out := []hostileMechanism{
		{"posterior sample of 1", privbayes.PosteriorSample(1)},
		{"posterior sample of 1e6", privbayes.PosteriorSample(1_000_000)},
		{"posterior sample of 2^40", privbayes.PosteriorSample(1 << 40)},
		{"posterior sample by trim", privbayes.PosteriorSample(3).ByBounds()},
		{"posterior sample by draws", privbayes.PosteriorSample(1).ByDraws()},
		{"posterior sample for any n", privbayes.PosteriorSample(1).ForAnyN()},
		{"posterior sample, no trim", privbayes.PosteriorSample(2).WithBounds(0)},
		{"linear sampler of 1", privbayes.LinearSampler(1)},
		{"linear sampler of 10,000", privbayes.LinearSampler(10000)},
		{"linear sampler of 2^40", privbayes.LinearSampler(1 << 40)},
		{"moments", privbayes.SufficientStatistics().Continuous()},
		{"moments on a lattice", privbayes.SufficientStatistics()},
		{"MAP", privbayes.MAP()},
		{"MAP, 64 × 12", privbayes.MAP().WithGrid(64, 12)},
		{"MAP, 2^30 × 2", privbayes.MAP().WithGrid(1<<30, 2)},
		{"Hellinger", privbayes.Hellinger()},
		{"Hellinger, global", privbayes.Hellinger().Global()},
		{"Hellinger, permute and flip", privbayes.Hellinger().PermuteAndFlip()},
		{"Dirichlet", privbayes.Dirichlet()},
		{"Dirichlet, raw", privbayes.Dirichlet().Raw()},
		{"Dirichlet, average", privbayes.Dirichlet().Raw().WithCalibration(dirichlet.Average(1))},
		{"Dirichlet, Algorithm 1", privbayes.Dirichlet().WithCalibration(dirichlet.Algorithm1)},
		{"Dirichlet, by size", privbayes.Dirichlet().BySize()},
		{"Dirichlet, prior", privbayes.Dirichlet().WithSeparatePrior()},
		{"synthetic records, 1", privbayes.SyntheticRecords(1)},
		{"synthetic records, 1e6", privbayes.SyntheticRecords(1_000_000)},
		{"synthetic records, 2^50", privbayes.SyntheticRecords(1 << 50)},
		{"Fourier", privbayes.Fourier()},
		{"Fourier, raised", privbayes.Fourier().WithNonNegative(.9)},
		{"by size", privbayes.BySize()},
		{"by size, consistent", privbayes.BySize().WithPostProcess(counts.Consistent)},
		{"K-norm", counts.KNorm()},
		{"K-norm, consistent", counts.KNorm().WithPostProcess(counts.Consistent)},
		{"Laplace", counts.Laplace()},
	}
	for _, p := range []counts.PostProcess{counts.Clamp, counts.Project, counts.PosteriorMean, counts.Consistent} {
		out = append(out, hostileMechanism{"geometric, " + string(p), counts.Geometric().WithPostProcess(p)},
			hostileMechanism{"discrete Gaussian, " + string(p), counts.DiscreteGaussian().WithPostProcess(p)})
	}
	return out
}

// hostileTarget is a target with its name.
type hostileTarget struct {
	name string
	dp.Request
}

func hostileTargets() []hostileTarget {
	return []hostileTarget{
		{"ε = 1", dp.PureDP(1)}, {"ε = 1e-9", dp.PureDP(1e-9)}, {"ε = 1e6", dp.PureDP(1e6)},
		{"ε = 1, δ = 1e-6", dp.ApproxDP(1, 1e-6)}, {"ε = 1, δ = 1e-300", dp.ApproxDP(1, 1e-300)}, {"ε = 1e-9, δ = " +
			"1e-9", dp.ApproxDP(1e-9, 1e-9)},
		{"ε = 1e6, δ = .5", dp.ApproxDP(1e6, .5)}, {"Rényi", dp.RenyiDP(8, 1)},
		{"Rényi, order 1e6", dp.RenyiDP(1e6, 1e-6)},
		{"zCDP", dp.ZCDP(.5)}, {"zCDP, 1e-12", dp.ZCDP(1e-12)}, {"zCDP, 1e6", dp.ZCDP(1e6)}, {"tCDP", dp.TCDP(.1, 16)},
		{"tCDP, 1e-6", dp.TCDP(1e-6, 1e4)},
		{"ε = 1, add-remove", dp.PureDP(1).Under(dp.AddRemove)},
		{"ε = 1, δ = 1e-6, add-remove", dp.ApproxDP(1, 1e-6).Under(dp.AddRemove)},
		{"ε = 1, replace-value", dp.PureDP(1).Under(dp.ReplaceValue)}, {"nominal", dp.AsPublished(1)},
		{"nominal, δ", dp.AsPublished(1, 1e-6)},
	}
}
