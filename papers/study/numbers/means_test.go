package numbers

import (
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/quantiles"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/sums"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// rmse is the root mean square error, over runs, of what of makes of rows.
func rmse(t *testing.T, runs int, truth func(rows []float64) float64, value func(src *dp.Stream) float64, n int,
	of func(rows []float64, src *dp.Stream) float64) float64 {
	t.Helper()
	src, square := dp.Seeded(12), 0.0
	for range runs {
		rows := make([]float64, n)
		for i := range rows {
			rows[i] = math.Min(value(src), 1)
		}
		square += math.Pow(of(rows, src)-truth(rows), 2) / float64(runs)
	}
	return math.Sqrt(square)
}

func mean(rows []float64) (m float64) {
	for _, x := range rows {
		m += x / float64(len(rows))
	}
	return m
}

// released is what a model estimates of rows by a mechanism at ε-DP.
func released(t *testing.T, m model.Model, bins int, mech mechanism.Mechanism, eps float64,
	read func(f *model.Fitted) (float64, error)) func(rows []float64, src *dp.Stream) float64 {
	t.Helper()
	var edges []float64
	for k := range bins + 1 {
		edges = append(edges, float64(k)/float64(bins))
	}
	c := frame.Real("x", edges...)
	s := &frame.Schema{Dataset: "simulated", Columns: []frame.Column{c}}
	return func(rows []float64, src *dp.Stream) float64 {
		sh, err := model.NewShape(s, m, len(rows), true, "")
		if err != nil {
			t.Fatal(err)
		}
		var st *model.Statistics
		if l := sh.Lattice(); l != nil {
			whole := make([]int64, l.Len())
			for _, x := range rows {
				l.Add(whole, []int64{l.At(0, x)}, 0)
			}
			st, err = model.FromWhole(sh, len(rows), whole)
		} else {
			table := make([]int64, bins)
			for _, x := range rows {
				table[min(int(x*float64(bins)), bins-1)]++
			}
			st, err = model.FromCounts(sh, [][]int64{table})
		}
		if err != nil {
			t.Fatal(err)
		}
		p, err := mech.Plan(t.Context(), sh, dp.PureDP(eps))
		if err != nil {
			t.Fatal(err)
		}
		d, err := p.Draw(t.Context(), st, "simulated", src)
		if err != nil {
			t.Fatal(err)
		}
		e, err := p.Estimate(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		f, err := model.Fit(sh, e)
		if err != nil {
			t.Fatal(err)
		}
		v, err := read(f)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// Which release tells a mean, and which a median: the table of docs/numbers.md, to within a factor of 1.5, which 30
// runs keep to (the seed is fixed). A sum tells a mean and the exponential mechanism a median, whatever n and ε are;
// the histogram has neither, and the shape.
func TestWhichReleaseTellsWhat(t *testing.T) {
	if testing.Short() {
		t.Skip("not with -short: ExampleRun is a run that is quick")
	}
	skewed := func(src *dp.Stream) float64 { return math.Exp(.7*sample.Normal(src) - 2) }
	flat := func(src *dp.Stream) float64 { return sample.Float64(src) }
	middle := func(rows []float64) float64 {
		below := func(v float64) (k int) {
			for _, x := range rows {
				if x < v {
					k++
				}
			}
			return k
		}
		lo, hi := 0.0, 1.0
		for range 30 {
			if mid := (lo + hi) / 2; 2*below(mid) <= len(rows) {
				lo = mid
			} else {
				hi = mid
			}
		}
		return lo
	}
	first := func(f *model.Fitted) (float64, error) { return f.Draws().Mean()[0], nil }
	binned := func(f *model.Fitted) (float64, error) { return f.BinnedMean() }
	half := func(f *model.Fitted) (float64, error) { return f.BinnedQuantile(.5) }
	for _, c := range []struct {
		name  string
		value func(src *dp.Stream) float64
		n     int
		eps   float64
	}{{"skewed", skewed, 500, 1}, {"skewed", skewed, 500, .1}, {"skewed", skewed, 5000, 1}, {"flat", flat, 500, 1}} {
		sum := rmse(t, 30, mean, c.value, c.n, released(t, model.Mean("x"), 2, sums.New(), c.eps, first))
		hist := rmse(t, 30, mean, c.value, c.n, released(t, model.Histogram("x"), 16, counts.Geometric(), c.eps, binned))
		em := rmse(t, 30, middle, c.value, c.n, released(t, model.Quantiles("x", .5), 2, quantiles.EM(), c.eps, first))
		read := rmse(t, 30, middle, c.value, c.n, released(t, model.Histogram("x"), 16, counts.Geometric(), c.eps, half))
		t.Logf("%s, n = %d, ε = %v: mean by sum %.4f, by 16 bins %.4f; median by EM %.4f, by 16 bins %.4f", c.name, c.n,
			c.eps,
			sum, hist, em, read)
		if sum > hist || c.name == "skewed" && em > read {
			t.Errorf("%s, n = %d, ε = %v: the histogram wins", c.name, c.n, c.eps)
		}
	}
}
