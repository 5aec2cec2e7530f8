package counts

import (
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// The noise of a prefix exceeds its margin with at most the probability asked for, by the exact distribution of four
// counts' noise; half the margin does not do where the noise is more than a step or two.
func TestPrefixMargins(t *testing.T) {
	const d = 4
	for _, form := range []noise.Form{{Rate: .3}, {Rate: 1}, {Rate: 3}, {Sigma2: .2}, {Sigma2: 4}} {
		far := 60
		if form.Rate < 1 && form.Rate > 0 {
			far = 120
		}
		one, sum := map[int]float64{}, 0.0
		for z := -far; z <= far; z++ {
			one[z] = math.Exp(-form.Rate * math.Abs(float64(z)))
			if form.Sigma2 > 0 {
				one[z] = math.Exp(-float64(z*z) / 2 / form.Sigma2)
			}
			sum += one[z]
		}
		for k := 1; k < d; k++ {
			law := map[int]float64{0: 1} // of the noise, times d to be whole
			for i := range d {
				c := -k // the part of the others
				if i < k {
					c = d - k
				}
				next := map[int]float64{}
				for x, p := range law {
					for z, q := range one {
						if w := p * q / sum; w > 1e-15 {
							next[x+c*z] += w
						}
					}
				}
				law = next
			}
			for _, alpha := range []float64{.05, .001} {
				margin := prefixMargin(form, k, d, alpha)
				beyond := func(margin float64) (p float64) {
					for x, w := range law {
						if math.Abs(float64(x))/d > margin {
							p += w
						}
					}
					return p
				}
				if p := beyond(margin); p > alpha {
					t.Errorf("%+v, %d counts: beyond %.3f with %g, want at most %g", form, k, margin, p, alpha)
				}
				if p := beyond(margin / 2); p <= alpha && form.Sigma2 != .2 && form.Rate != 3 {
					t.Errorf("%+v, %d counts: half of %.3f would do for %g: the test tells nothing", form, k, margin, alpha)
				}
			}
		}
	}
}

// Bands of 95 % hold all shares of a CDF or a histogram, of the population and of the rows, but for 64 of 600 releases:
// a false alarm of at most 1e-9. The intervals of single shares do not hold all of them, and the band of the rows does
// not hold the population.
func TestBandsHoldAllShares(t *testing.T) {
	const n, bins, times, most = 200, 12, 600, 64
	edges := make([]float64, bins+1)
	for i := range edges {
		edges[i] = float64(i)
	}
	s := &frame.Schema{Dataset: "d", Columns: []frame.Column{frame.Real("x", edges...)}}
	for _, c := range []struct {
		of     model.Model
		m      mechanism.Mechanism
		target dp.Request
	}{{model.CDF("x"), Geometric(), dp.PureDP(.5)}, {model.CDF("x"), DiscreteGaussian(), dp.ZCDP(.1)},
		{model.CDF("x"), Laplace(), dp.PureDP(.5)}, {model.Histogram("x"), Geometric(), dp.PureDP(2)},
		{model.Histogram("x"), DiscreteGaussian(), dp.ZCDP(.1)}} {
		sh := must.Get(model.NewShape(s, c.of, n, true, ""))(t)
		p := must.Get(c.m.Plan(t.Context(), sh, c.target))(t)
		src, missed, cdf := dp.Seeded(11), map[string]int{}, c.of.String() == model.CDF("x").String()
		for range times {
			table := make([]int64, bins)
			for range n { // the shares of bins fall from 2/12 to 0
				x := sample.Float64(src)
				if !cdf {
					x = 1 - math.Sqrt(1-x)
				}
				table[int(bins*x)]++
			}
			st := must.Get(model.FromCounts(sh, [][]int64{table}))(t)
			drawn := must.Get(p.Draw(t.Context(), st, "id", src))(t)
			list, _, ok, err := p.Intervals(t.Context(), drawn, .95)
			if err != nil || !ok || len(list) != bins && len(list) != bins-1 {
				t.Fatal(list, err)
			}
			all, below := map[string]bool{}, int64(0)
			for k, i := range list {
				below += table[k]
				share, inRows := float64(k+1)/bins, below
				if !cdf {
					share, inRows = (2*float64(bins-k)-1)/bins/bins, table[k]
				}
				bands := map[string]*mechanism.Range{"population": i.AtOnce.Population, "rows": i.AtOnce.Rows,
					"one share": i.Population, "one share, rows": i.Rows}
				if !cdf && c.target.Notion == dp.Pure { // little noise: the sampling must be in it
					bands["rows for the population"] = i.AtOnce.Rows
				}
				for name, r := range bands {
					truth := share
					if name == "rows" || name == "one share, rows" {
						truth = float64(inRows) / n
					}
					all[name] = all[name] || truth < r.Lower || truth > r.Upper
				}
				if r, one := i.AtOnce.Population, i.Population; r.Lower > one.Lower || r.Upper < one.Upper {
					t.Fatalf("share %d: the band %v is inside %v", k, r, one)
				}
			}
			for name, bad := range all {
				if bad {
					missed[name]++
				}
			}
		}
		for name, k := range missed {
			if single := name != "population" && name != "rows"; single != (k > most) {
				t.Errorf("%s by %T: %s misses %d of %d", c.of, c.m, name, k, times)
			}
		}
		t.Logf("%s by %T: %v", c.of, c.m, missed)
	}
}
