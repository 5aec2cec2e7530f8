package counts

import (
	"fmt"
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/internal/score"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// The score intervals of every share hold the shares of a fixed population, of 400 rows drawn from it anew for every
// release, and those of the rows: in .93 of the draws, but for chance (false alarm below 1e-9). Intervals that take
// the noise for none do not, in at least one case of every mechanism.
func TestIntervalsHold(t *testing.T) {
	times := 400
	if testing.Short() {
		times = 120
	}
	least := .93 - 6.2*math.Sqrt(.93*.07/float64(times))
	s := &frame.Schema{Dataset: "pop", Columns: []frame.Column{frame.Categorical("a", "0", "1", "2"),
		frame.Categorical("b", "0", "1"), frame.Categorical("c", "0", "1"), {Name: "x", Kind: frame.KindReal, Edges: []float64{0, 1, 2, 3}}}}
	dag := must.Get(bayesnet.NewDAG([]bayesnet.Node{{Name: "a", States: []string{"0", "1", "2"}},
		{Name: "b", States: []string{"0", "1"}, Parents: []string{"a"}}}))(t)
	// a is 0, 1, 2 with .7, .25, .05; b and x depend on it
	a, b := []float64{.7, .25, .05}, []float64{.1, .5, .8}
	const n = 400
	src := dp.Seeded(8)
	simulate := func(sh *model.Shape) (*model.Statistics, []float64) {
		counts := [3][2]int64{}
		for range n {
			i, u := 0, sample.Float64(src)
			for ; i < 2 && u > a[i]; i++ {
				u -= a[i]
			}
			j := 0
			if sample.Float64(src) < b[i] {
				j = 1
			}
			counts[i][j]++
		}
		one, two := []int64{}, []int64{}
		for i := range counts {
			one = append(one, counts[i][0]+counts[i][1])
			two = append(two, counts[i][0], counts[i][1])
		}
		tables := [][]int64{one}
		switch {
		case len(sh.Columns()) == 1 && sh.Columns()[0].Name == "b":
			tables = [][]int64{{two[0] + two[2] + two[4], two[1] + two[3] + two[5]}}
		case len(sh.Columns()) == 2:
			tables = [][]int64{two}
		case len(sh.Columns()) == 3: // the third column is the second
			tables = [][]int64{two, two}
		}
		st := must.Get(model.FromCounts(sh, tables))(t)
		rows := []float64{float64(one[0]) / n}
		if sh.Columns()[0].Name == "b" {
			rows[0] = float64(tables[0][0]) / n
		}
		if sh.Joint() {
			rows[0] = float64(two[0]) / n
		}
		return st, rows
	}
	worst := map[string]float64{}       // of intervals that leave the noise out
	everyone := .7*.9 + .25*.5 + .05*.2 // b = 0
	for _, c := range []struct {
		m     model.Model
		share float64 // the first interval's
		last  float64 // the last one's
	}{
		{model.Categorical("a"), .7, .05}, {model.Binary("b"), everyone, 1 - everyone},
		{model.Histogram("x"), .7, .05}, {model.CDF("x"), .7, .95}, {model.NaiveBayes("a", "b"), .7, .8},
		{model.NetworkOf("a", dag), .7, .8}, {model.ContingencyTable("a", "b"), .7 * .9, 1 - everyone},
		{model.NaiveBayes("a", "b", "c"), .7, .8},
	} {
		for name, m := range map[string]mechanism.Mechanism{"geometric": Geometric(), "Gaussian": DiscreteGaussian(),
			"K-norm": KNorm(), "Laplace": Laplace(), "by size": BySize()} {
			for _, target := range []dp.Request{dp.ApproxDP(.1, 1e-6), dp.ApproxDP(.1, 1e-6).Under(dp.AddRemove)} {
				sh := must.Get(model.NewShape(s, c.m, n, true, ""))(t)
				p, err := m.Plan(t.Context(), sh, target)
				if err != nil {
					continue // sum-zero noise and noise by size under add-remove
				}
				held, naive, rowsHeld := [2]int{}, 0, 0
				inside := func(r *mechanism.Range, v float64) int {
					if r.Lower <= v && v <= r.Upper {
						return 1
					}
					return 0
				}
				for range times {
					st, rows := simulate(sh)
					d := must.Get(p.Draw(t.Context(), st, "id", src))(t)
					list, _, ok, err := p.Intervals(t.Context(), d, .95)
					if err != nil || !ok {
						t.Fatal(name, c.m, err)
					}
					held[0] += inside(list[0].Population, c.share)
					held[1] += inside(list[len(list)-1].Population, c.last)
					rowsHeld += inside(list[0].Rows, rows[0])
					e := must.Get(p.Estimate(t.Context(), d))(t)
					f := must.Get(model.Fit(p.Shape(), e))(t)
					lo, hi := f.Posteriors()[0].Marginal(0).CredibleInterval(.95)
					naive += inside(&mechanism.Range{Lower: lo, Upper: hi}, c.share)
				}
				for i, k := range []int{held[0], held[1], rowsHeld} {
					if got := float64(k) / float64(times); got < least {
						t.Errorf("%s, %s, %s: %d held in %.3f", c.m, name, target.Adjacency, i, got)
					}
				}
				if m := float64(naive) / float64(times); worst[name] == 0 || m < worst[name] {
					worst[name] = m
				}
			}
		}
	}
	for name, share := range worst {
		if share >= least {
			t.Errorf("%s: intervals without the noise hold in %.3f: the test tells nothing", name, share)
		}
	}
}

// The interval of a margin includes the noise of all its cells, 20 of 40 here: it covers the share of the rows in .93
// of the draws, but for chance (false alarm below 1e-9). One as wide as the noise of a single cell does not.
func TestMarginsHoldTheNoiseOfTheirCells(t *testing.T) {
	const times = 300
	least := .93 - 6.2*math.Sqrt(.93*.07/times)
	wide := frame.Categorical("wide")
	for i := range 20 {
		wide.Categories = append(wide.Categories, fmt.Sprint(i))
	}
	s := &frame.Schema{Dataset: "pop", Columns: []frame.Column{frame.Categorical("a", "0", "1"), wide}}
	table := make([]int64, 40)
	for i := range table {
		table[i] = int64(i)
	}
	const n, share = 780, 190. / 780
	for _, m := range []mechanism.Mechanism{Geometric(), DiscreteGaussian(), KNorm()} {
		for _, target := range []dp.Request{dp.ApproxDP(.3, 1e-6), dp.ApproxDP(.3, 1e-6).Under(dp.AddRemove)} {
			sh := must.Get(model.NewShape(s, model.ContingencyTable("a", "wide"), n, true, ""))(t)
			p, err := m.Plan(t.Context(), sh, target)
			if err != nil {
				continue // sum-zero noise under add-remove
			}
			st := must.Get(model.FromCounts(p.Shape(), [][]int64{table}))(t)
			held, mutant, src := 0, 0, dp.Seeded(5)
			for range times {
				d := must.Get(p.Draw(t.Context(), st, "id", src))(t)
				list, _, ok, err := p.Intervals(t.Context(), d, .95)
				if err != nil || !ok || len(list) != 40+2+20 {
					t.Fatal(len(list), ok, err)
				}
				r := list[40].Rows
				middle, half := (r.Lower+r.Upper)/2, (r.Upper-r.Lower)/2
				if math.Abs(share-middle) <= half {
					held++
				}
				if math.Abs(share-middle) <= half/math.Sqrt(20) {
					mutant++
				}
			}
			if float64(held)/times < least || float64(mutant)/times >= least {
				t.Errorf("%s, %s: held in %d of %d draws, and with the noise of one cell in %d", m.Title(), target.Adjacency,
					held, times, mutant)
			}
		}
	}
}

// The noise of a sum of thirty counts is nearly normal, and at a level of .5 wider than that of one: the interval of a
// margin holds at that level, too (false alarm below 1e-9). One as wide as if the noise were a single count's does not.
func TestMarginsHoldAtLowLevels(t *testing.T) {
	const n, k, d, times = 6000, 30, 60, 8000
	z := must.Get(sample.NewTwoSidedGeometric(1, 4))(t)
	s := mechanism.Shares{N: n, Variance: z.Variance(), Fixed: true, Level: .5}
	src, held, mutant := dp.Seeded(5), 0, 0
	for range times {
		count, rest := .3*n, .7*n
		for range k {
			count, rest = count+float64(z.Draw(src)), rest+float64(z.Draw(src))
		}
		if r := s.Pooled(count, rest, k, d).Rows; r.Lower <= .3 && .3 <= r.Upper {
			held++
		}
		count += (n - count - rest) * k / d
		q := score.Share{Fixed: true, Count: count, Rest: n - count, Size: n,
			Own: math.Sqrt(s.Variance * k * (1 - k/float64(d)))}
		if lower, upper := q.OfRows(.5); lower <= .3 && .3 <= upper {
			mutant++
		}
	}
	least := .5 - 6.2*math.Sqrt(.25/times)
	if float64(held)/times < least || float64(mutant)/times >= least {
		t.Errorf("held %d of %d, as one count %d", held, times, mutant)
	}
}
