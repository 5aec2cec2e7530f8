package quantiles

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// histograms calls f with all counts of n records at the given number of points.
func histograms(points int, n int64, f func([]int64)) {
	at := make([]int64, points)
	var fill func(i int, left int64)
	fill = func(i int, left int64) {
		if i == points-1 {
			at[i] = left
			f(at)
			return
		}
		for c := int64(0); c <= left; c++ {
			at[i] = c
			fill(i+1, left-c)
		}
	}
	fill(0, n)
}

// neighbours calls f with the data that differ from counts by one record.
func neighbours(counts []int64, adj dp.Adjacency, f func([]int64)) {
	other := slices.Clone(counts)
	for to := range counts {
		if adj == dp.AddRemove {
			other[to]++
			f(other)
			other[to]--
			continue
		}
		for from := range counts {
			if from != to && counts[from] > 0 {
				other[from]--
				other[to]++
				f(other)
				other[from]++
				other[to]--
			}
		}
	}
}

func text(counts []int64) string {
	b := make([]byte, len(counts))
	for i, c := range counts {
		b[i] = byte(c)
	}
	return string(b)
}

// realised is the largest log-ratio of a law over all neighbouring data of n records.
func realised(points int, n int64, adj dp.Adjacency, law func(counts []int64) []float64) float64 {
	all := map[string][]float64{}
	of := func(counts []int64) []float64 {
		k := text(counts)
		if all[k] == nil {
			all[k] = law(counts)
		}
		return all[k]
	}
	worst := 0.0
	histograms(points, n, func(counts []int64) {
		p := of(counts)
		neighbours(counts, adj, func(other []int64) {
			for i, q := range of(other) {
				worst = math.Max(worst, math.Abs(p[i]-q))
			}
		})
	})
	return worst
}

// one is the shipped law of one quantile.
func one(t *testing.T, r ranks, rate float64, s int64) func([]int64) []float64 {
	return func(counts []int64) []float64 {
		w := must.Get(r.weights(0, counts, rate, s))(t)
		out := make([]float64, w.Len())
		sum := 0.0
		for v := range out {
			out[v] = w.LogWeight(v)
			sum += math.Exp(out[v])
		}
		for v := range out {
			out[v] -= math.Log(sum)
		}
		return out
	}
}

// The realised loss of the median on five points, ties and all, is that of the golden cases; at the rate for ε = 1 it
// is at most 1 everywhere, and close to it where the data can tip the scales.
func TestOneQuantileAgainstEnumeration(t *testing.T) {
	median := ranks{[]int64{1}, 2}
	for _, c := range []struct {
		rate float64
		adj  dp.Adjacency
		want float64
	}{
		{.5, dp.ReplaceOne, 0.7262049995920901},
		{1, dp.ReplaceOne, 1.4273792252610966},
		{.25, dp.AddRemove, 0.40329981463437736}, // the golden's coefficient ½ is x·b; s is half of b here
		{.5, dp.AddRemove, 0.8333754659711294},
	} {
		got := realised(5, 5, c.adj, one(t, median, c.rate, median.sensitivity(0, c.adj)))
		if math.Abs(got-c.want) > 1e-9 {
			t.Errorf("rate %v, %v: realised %v, want %v", c.rate, c.adj, got, c.want)
		}
	}
	for _, r := range []ranks{{[]int64{1}, 2}, {[]int64{1}, 4}, {[]int64{9}, 10}, {[]int64{1}, 3}} {
		for _, adj := range []dp.Adjacency{dp.ReplaceOne, dp.AddRemove} {
			for n := int64(0); n <= 6; n++ {
				for _, points := range []int{1, 2, 5} {
					got := realised(points, n, adj, one(t, r, .5, r.sensitivity(0, adj)))
					if got > 1+rounding() {
						t.Errorf("%v, %v, n = %d, %d points: realised %v", r, adj, n, points, got)
					}
				}
			}
		}
	}
	if got := tipped(t, .5); got < .99 || got > 1 {
		t.Errorf("on a fine lattice: realised %v, want just below 1", got)
	}
}

// tipped is the log-ratio at data that tip the scales: one record moves from below the median to above it, on a lattice
// so fine that most of the probability lies on the points between.
func tipped(t *testing.T, rate float64) float64 {
	median := ranks{[]int64{1}, 2}
	before, after := make([]int64, 3000), make([]int64, 3000)
	before[1], before[2], before[2999] = 1, 2, 1
	after[2], after[2999] = 2, 2
	law := one(t, median, rate, median.sensitivity(0, dp.ReplaceOne))
	return law(before)[1] - law(after)[1]
}

// Mutants of the sensitivity and of the score are noticed.
func TestMutantsOfOneQuantile(t *testing.T) {
	r := ranks{[]int64{9}, 10}
	if got := realised(5, 5, dp.AddRemove, one(t, r, .5, r.b-r.a[0])); got <= 1 {
		t.Errorf("sensitivity min(a, b − a): realised %v is not above 1", got)
	}
	if got := tipped(t, 1); got <= 1 {
		t.Errorf("the coefficient without its half: realised %v is not above 1", got)
	}
}

// jointLaw is the law of all quantiles' points: jointDistribution for every placing of the records, averaged.
func jointLaw(t *testing.T, r ranks, cells int, rate float64, s int64) func([]int64) []float64 {
	return func(counts []int64) []float64 {
		n := int64(0)
		for _, c := range counts {
			n += c
		}
		points, m := len(counts), len(r.a)
		outputs := 1
		for range m {
			outputs *= points
		}
		sum := make([]float64, outputs)
		placings := math.Pow(float64(cells), float64(n))
		for k := range int(placings) {
			rest := k
			below, total := placed(t.Context(), counts, cells, func(c uint64) uint64 {
				at := rest % int(c)
				rest /= int(c)
				return uint64(at)
			})
			law := must.Get(r.joint(below, total, rate, s))(t)
			sequences(len(below), m, func(at []int) {
				cell := 0
				for _, e := range at {
					cell = cell*points + e/(cells+1)
				}
				sum[cell] += math.Exp(law.logProbability(at)) / placings
			})
		}
		out := make([]float64, 0, outputs)
		for _, p := range sum {
			if p > 0 {
				out = append(out, math.Log(p))
			}
		}
		return out
	}
}

// Without ties between a record and a candidate the law is the golden's: two terciles on four points, n = 6, a record
// at a candidate counted above it.
func TestGoldenJoint(t *testing.T) {
	r := ranks{[]int64{1, 2}, 3}
	law := func(counts []int64) []float64 {
		below, n := []int64{}, int64(0)
		for _, c := range counts {
			below = append(below, n)
			n += c
		}
		law := must.Get(r.joint(below, n, .5, r.jointSensitivity(dp.ReplaceOne)))(t)
		var out []float64
		sequences(len(below), 2, func(at []int) { out = append(out, law.logProbability(at)) })
		return out
	}
	if got := realised(4, 6, dp.ReplaceOne, law); math.Abs(got-0.7031858998920493) > 1e-9 {
		t.Errorf("realised %v for 0.7031858998920493", got)
	}
}

func sequences(c, m int, f func([]int)) {
	at := make([]int, m)
	var fill func(i, from int)
	fill = func(i, from int) {
		if i == m {
			f(at)
			return
		}
		for e := from; e < c; e++ {
			at[i] = e
			fill(i+1, e)
		}
	}
	fill(0, 0)
}

// Two quantiles at once, every placing of the records averaged, lose at most ε; half the sensitivity loses more.
func TestJointQuantilesAgainstEnumeration(t *testing.T) {
	for _, r := range []ranks{{[]int64{1, 2}, 3}, {[]int64{1, 3}, 4}} {
		for _, adj := range []dp.Adjacency{dp.ReplaceOne, dp.AddRemove} {
			s := r.jointSensitivity(adj)
			for _, n := range []int64{1, 2} {
				if got := realised(3, n, adj, jointLaw(t, r, 2, .5, s)); got > 1+1e-9 {
					t.Errorf("%v, %v, n = %d: realised %v", r, adj, n, got)
				}
			}
		}
	}
	r := ranks{[]int64{1, 2}, 3}
	if got := realised(3, 3, dp.ReplaceOne, jointLaw(t, r, 2, 2, 1)); got <= 4 {
		t.Errorf("sensitivity 1 for 2b: realised %v is not above 4", got)
	}
}

// A context that ends stops a joint draw, which visits every record.
func TestJointDrawsEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := ranks{[]int64{1, 2}, 3}.drawJoint(ctx, []int64{1 << 40, 5}, 4, .5, 6, rand.NewPCG(1, 1))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want the context's error", err)
	}
}
