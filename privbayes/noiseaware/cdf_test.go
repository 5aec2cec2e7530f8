package noiseaware

import (
	"fmt"
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// bins is the shape of a CDF, or of its histogram, with d bins.
func bins(t testing.TB, cumulative bool, d, n int, alpha ...float64) *model.Shape {
	t.Helper()
	edges := make([]float64, d+1)
	for i := range edges {
		edges[i] = float64(10 * i)
	}
	m := model.Histogram("x")
	if cumulative {
		m = model.CDF("x")
	}
	s := &frame.Schema{Dataset: "simulated", Columns: []frame.Column{frame.Real("x", edges...)}}
	sh, err := model.NewShape(s, m.WithPrior(alpha...), n, true, "")
	must(t, err)
	return sh
}

// The share below every edge against the sum over all tables of n records, for every noise.
func TestCDFByEnumeration(t *testing.T) {
	for _, k := range kinds {
		for _, c := range []struct {
			n     int
			alpha []float64
			raw   []int64 // in records
		}{
			{7, []float64{1, 1}, []int64{9, -2}},
			{6, []float64{1, 1, 1}, []int64{3, 1, 2}},
			{4, []float64{0.5, 0.01, 1, 3}, []int64{30, -20, -9, 3}},
		} {
			d := len(c.alpha)
			p := plan(t, k.mech, bins(t, true, d, c.n, c.alpha...), k.target)
			lp := logProb(t, p)
			raw := append([]int64(nil), c.raw...)
			if k.name == "laplace" {
				for i := range raw {
					raw[i] = raw[i]*noise.LaplaceSteps + 12345
				}
			}
			if d == 2 && k.name != "laplace" && k.name != "k-norm" {
				raw = raw[:1]
			}
			want, all := make([]betas, d-1), 0.0
			for _, a := range c.alpha {
				all += a
			}
			for _, f := range tables(d, c.n) {
				l := logUrnOf(c.alpha, f)
				for i, y := range raw {
					l += lp(y, f[i]) - lp(y, 0)
				}
				a, below := 0.0, 0
				for i := range want {
					a, below = a+c.alpha[i], below+f[i]
					want[i].add(math.Exp(l), a+float64(below), all-a+float64(c.n-below))
				}
			}
			got := posteriorOf(t, raws(t, p, raw))
			if len(got.Parameters()) != d-1 {
				t.Fatalf("%d parameters", len(got.Parameters()))
			}
			for i, q := range got.Parameters() {
				same(t, fmt.Sprintf("%s n=%d d=%d below edge %d", k.name, c.n, d, i+1), q.Law(), &want[i], 1e-12)
			}
		}
	}
}

// Under a private n as well as a public one, means below an edge are the sums of the bins', the first share's law is
// that of the first bin, and predictions are those of the histogram.
func TestCDFBesideItsHistogram(t *testing.T) {
	for _, target := range []dp.Request{dp.PureDP(.5), dp.PureDP(.5).Under(dp.AddRemove)} {
		raw := []int64{12, 3, -2, 40, 8}
		of := func(cumulative bool) *Posterior {
			sh := bins(t, cumulative, 5, 60, 1)
			return posteriorOf(t, raws(t, plan(t, counts.Geometric(), sh, target), raw))
		}
		cdf, histogram := of(true), of(false)
		sum := 0.0
		for i, q := range cdf.Parameters() {
			sum += histogram.Parameters()[i].Law().Mean()
			if math.Abs(q.Law().Mean()-sum) > 1e-12 {
				t.Errorf("%v: below edge %d: %v, want %v", target, i+1, q.Law().Mean(), sum)
			}
		}
		a, b := cdf.Parameters()[0].Law(), histogram.Parameters()[0].Law()
		if math.Abs(a.Quantile(.9)-b.Quantile(.9)) > 1e-12 {
			t.Errorf("%v: %v, %v", target, a.Quantile(.9), b.Quantile(.9))
		}
		x, err := frame.FromColumns(cdf.shape.Schema(), map[string]any{"x": []float64{1, 2}})
		must(t, err)
		y, err := cdf.Predict(x)
		must(t, err)
		z, err := histogram.Predict(x)
		must(t, err)
		for j := range z[0] {
			if math.Abs(y[0][j]-z[0][j]) > 1e-12 {
				t.Errorf("%v: predictions %v, %v", target, y[0], z[0])
			}
		}
	}
}

// Intervals of 90 % below every edge cover shares that are drawn from the prior: within 6.2 standard errors, a false
// alarm below 1e-9. Naive intervals, and shares below the next edge, do not.
func TestCDFCovers(t *testing.T) {
	if testing.Short() {
		t.Skip("hundreds of releases")
	}
	const runs, d, n, edge = 1000, 6, 300, 2
	p := plan(t, counts.Geometric(), bins(t, true, d, n, 1), dp.PureDP(.1))
	src := dp.Seeded(5)
	alpha, theta := []float64{1, 1, 1, 1, 1, 1}, make([]float64, d)
	z, ok := p.Noise()
	if !ok {
		t.Fatal("no noise")
	}
	rate := noise.FormOf(z).Rate
	aware, naive, next := 0, 0, 0
	for range runs {
		sample.LogDirichlet(src, alpha, theta)
		table := make([]int64, d)
		share, below := 0.0, make([]float64, d)
		for i, l := range theta {
			share += math.Exp(l)
			below[i] = share
		}
		for range n {
			u := sample.Float64(src)
			for i := range below {
				if u < below[i] || i == d-1 {
					table[i]++
					break
				}
			}
		}
		for i := range table {
			g := math.Floor(math.Log(1-sample.Float64(src)) / -rate)
			h := math.Floor(math.Log(1-sample.Float64(src)) / -rate)
			table[i] += int64(g - h) // two-sided geometric
		}
		q := posteriorOf(t, raws(t, p, table)).Parameters()[edge]
		inside := func(lo, hi, x float64) int {
			if lo <= x && x <= hi {
				return 1
			}
			return 0
		}
		lo, hi := q.Law().Quantile(.05), q.Law().Quantile(.95)
		aware += inside(lo, hi, below[edge])
		next += inside(lo, hi, below[edge+1])
		lo, hi = q.Naive.Quantile(.05), q.Naive.Quantile(.95)
		naive += inside(lo, hi, below[edge])
	}
	off := 6.2 * math.Sqrt(.9*.1/runs)
	if c := float64(aware) / runs; math.Abs(c-.9) > off {
		t.Errorf("coverage %v", c)
	}
	if c := float64(naive) / runs; c > .9-off {
		t.Errorf("naive intervals cover %v: the test finds nothing", c)
	}
	if c := float64(next) / runs; c > .9-off {
		t.Errorf("intervals of another edge cover %v", c)
	}
}
