package structure

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// The vector of three distances moves by 3 in squares where a record is added, by 12 where one is replaced, and by four
// times that for units of two rows. All are attained.
func TestReportsMove(t *testing.T) {
	for _, c := range []struct {
		n, rows   int
		adjacency dp.Adjacency
		want      float64
	}{
		{1, 0, dp.AddRemove, 3}, {2, 0, dp.AddRemove, 3}, {3, 0, dp.AddRemove, 3}, {2, 2, dp.AddRemove, 12},
		{3, 2, dp.AddRemove, 12}, {1, 0, dp.ReplaceOne, 12}, {2, 0, dp.ReplaceOne, 12}, {3, 0, dp.ReplaceOne, 12},
		{2, 2, dp.ReplaceOne, 48}, {3, 2, dp.ReplaceOne, 48},
	} {
		p := reportParams{c.n, c.adjacency, c.rows}
		got, err := reportChecker.Check(t.Context(), cert.Check{Bound: cert.Number(c.want)}, p)
		if err != nil || float64(got.Value) != c.want {
			t.Errorf("%+v: %v, %v", c, got.Value, err)
		}
		q := &problem{rows: max(c.rows, 1), target: dp.ZCDP(1).Under(c.adjacency)}
		if k := distanceMove(q); float64(reportCounts(3)*k*k) != c.want {
			t.Errorf("%+v: %d distances that move by %d are charged", c, reportCounts(3), k)
		}
	}
}

// Whole releases of up to three records spend what their parts add up to and, but for what choices hide, most of it. Of
// orders above 1 the reports that are listed have less than all.
func TestWholeReleasesInBatches(t *testing.T) {
	for _, c := range []batchParams{
		{Columns: 3, Batches: 1, N: 1}, {Columns: 3, Batches: 1, N: 2}, {Columns: 3, Batches: 1, N: 3},
		{Columns: 2, Batches: 2, N: 1}, {Columns: 2, Batches: 2, N: 2}, {Columns: 2, Batches: 2, N: 3},
	} {
		if testing.Short() && c.Columns*c.N > 4 {
			continue
		}
		for _, adjacency := range []dp.Adjacency{dp.ReplaceOne, dp.AddRemove} {
			t.Run(fmt.Sprintf("%d columns, n = %d, %s", c.Columns, c.N, adjacency), func(t *testing.T) {
				p, orders := c, []float64{1, 2, 3.5}
				p.Adjacency, p.Order, p.Column, p.Report, p.Tables = adjacency, 1, largeRate, sixteenth, largeRate
				small, worst := must.Get(p.smallInstance())(t), make([]float64, len(orders))
				pairs, err := small.neighbours(t.Context(), func(a, b []path) {
					for i, o := range orders {
						worst[i] = math.Max(worst[i], batchDivergence(a, b, o))
					}
				})
				for i, o := range orders {
					p.Order = o
					if bound := must.Get(p.allowed())(t); err != nil || pairs == 0 || worst[i] > bound*(1+1e-9) || worst[i] < bound/2 {
						t.Errorf("order %v: %v of %v over %d pairs, %v", o, worst[i], bound, pairs, err)
					}
				}
			})
		}
	}
}

// Reports that are charged as one count, or for less than a unit moves them, reports with less noise or of private
// numbers beside the distance get no plan.
func TestMutantsOfBatches(t *testing.T) {
	plan := func(adjacency dp.Adjacency, rows int) error {
		sh := shapeOfUnits(t, model.MaxEntropy().Always().Size(100_000), 100_000, rows, 4, 4, 4, 5)
		p, err := DiscreteGaussian().Plan(t.Context(), sh, dp.ZCDP(.5).Under(adjacency))
		if err == nil && p.Setting("reports") == "" {
			t.Fatal("rounds were planned")
		}
		return err
	}
	for name, c := range map[string]struct {
		rows      int
		adjacency []dp.Adjacency
		mutate    func(t *testing.T)
	}{
		"a report as one count": {1, []dp.Adjacency{dp.ReplaceOne, dp.AddRemove}, func(t *testing.T) {
			put(t, &reportCounts, func(int) int { return 1 })
		}},
		"replaced as if it were added": {1, []dp.Adjacency{dp.ReplaceOne}, func(t *testing.T) {
			put(t, &distanceMove, func(q *problem) int { return q.rows })
		}},
		"a unit of two rows as of one": {2, []dp.Adjacency{dp.ReplaceOne, dp.AddRemove}, func(t *testing.T) {
			put(t, &distanceMove, func(q *problem) int {
				if q.target.Adjacency == dp.AddRemove {
					return 1
				}
				return 2
			})
		}},
		"distances with a correction of the private counts": {1, []dp.Adjacency{dp.ReplaceOne, dp.AddRemove},
			func(t *testing.T) {
				put(t, &reportedDistance, func(n, m []int64) int64 {
					return distance(n, m) - int64(math.Round(poissonDeviation(n)))
				})
			}},
		"a report with less noise": {1, []dp.Adjacency{dp.ReplaceOne, dp.AddRemove}, func(t *testing.T) {
			put(t, &noiseLaw, func(l noise.Distribution, _ int64) noise.Distribution {
				return must.Get(gaussian.Of(rational(1, 64)))(t)
			})
		}},
	} {
		for _, adjacency := range c.adjacency {
			t.Run(name+", "+adjacency.String(), func(t *testing.T) {
				must.Do(t, plan(adjacency, c.rows))
				c.mutate(t)
				var failed *mechanism.CheckError
				if err := plan(adjacency, c.rows); !errors.As(err, &failed) {
					t.Errorf("a plan was made: %v", err)
				}
			})
		}
	}
}

// answered are coins that answer by a list whatever they are asked, and write down what is public of each question.
type answered struct {
	r    *rand.Rand
	said []string
}

func (a *answered) noise(l noise.Distribution, counts []int64) []int64 {
	a.said = append(a.said, fmt.Sprintf("%d counts, variance %v", len(counts), l.Variance()))
	out := make([]int64, len(counts))
	for i := range out {
		out[i] = a.r.Int64N(60)
	}
	return out
}

func (a *answered) report(l noise.Distribution, distances []int64) []int64 {
	a.said = append(a.said, fmt.Sprintf("%d distances, variance %v", len(distances), l.Variance()))
	out := make([]int64, len(distances))
	for i := range out {
		out[i] = a.r.Int64N(3000)
	}
	return out
}

func (a *answered) choose(sample.Selection, []int64, func(i int) bool) int {
	panic("batches choose by reports")
}

// Neighbours whose coins answer alike ask the same questions and publish the same, corrections and sizes included: what
// is private goes to the coins alone. A size of public tables that reads the records is seen.
func TestNeighboursInLockstep(t *testing.T) {
	levels := []int{5, 4, 5, 4, 5}
	for _, adjacency := range []dp.Adjacency{dp.AddRemove, dp.ReplaceOne} {
		m := model.MaxEntropy().Always().Size(500).MaxCells(60)
		sh := shape(t, m, 500, levels...)
		q := must.Get(DiscreteGaussian().prepare(t.Context(), sh, dp.ZCDP(60).Under(adjacency)))(t)
		p := q.scaled(60)
		if p.Batches == nil {
			t.Fatal("no batches")
		}
		d := &sampler{q, must.Get(q.laws(p))(t)}
		small := &smallInstance{sampler: *d}
		run := func(records []int, seed uint64) ([]string, mechanism.Output) {
			a := &answered{r: rand.New(rand.NewPCG(seed, 4))}
			out := must.Get(d.run(t.Context(), small.count(records), a))(t)
			return a.said, out
		}
		r := rand.New(rand.NewPCG(9, 9))
		pair := func() (x, y []int) {
			for range 500 {
				x = append(x, r.IntN(2000))
			}
			y = append(append([]int{}, x[1:]...), (x[0]+1+r.IntN(1999))%2000)
			if adjacency == dp.AddRemove {
				y = y[:499]
			}
			return x, y
		}
		for seed := range uint64(20) {
			x, y := pair()
			said, out := run(x, seed)
			others, other := run(y, seed)
			if !reflect.DeepEqual(said, others) || !reflect.DeepEqual(out, other) {
				t.Fatalf("%s, seed %d: neighbours differ:\n%v\n%v", adjacency, seed, said, others)
			}
		}
		private := int64(500)
		put(t, &sizeOf, func(*learner) int64 { return private })
		x, _ := pair()
		_, out := run(x, 1)
		private = 499
		if _, other := run(x[1:], 1); reflect.DeepEqual(out, other) {
			t.Error("public tables of the private size are not seen")
		}
	}
}
