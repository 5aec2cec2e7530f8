package noiseaware

import (
	"fmt"
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
)

// plain is Σ over counts with each total up to n of ∏ Γ(α+f)/(Γ(α)f!)·P(y | f), by convolution over the whole range,
// nothing tilted or cut.
func plain(lp func(int64, int) float64, alpha float64, n int, raw []int64) []float64 {
	out := make([]float64, n+1)
	out[0] = 1
	for _, y := range raw {
		next := make([]float64, n+1)
		for f := range n + 1 {
			w := math.Exp(logUrnOf([]float64{alpha, 1}, []int{f, 0}) - logUrn(alpha+1, f) + lp(y, f) + 5)
			for s := 0; s+f <= n; s++ {
				next[s+f] += w * out[s]
			}
		}
		out = next
	}
	return out
}

// At a realistic size, tilting and cutting change nothing: every marginal of naive Bayes against whole-range
// convolutions.
func TestNaiveBayesByPlainConvolution(t *testing.T) {
	const n = 60
	features := []int{2, 3}
	likely := [][]int64{{35, -8, 2, 41}, {11, 19, -14, 4, 33, 21}}
	// the estimate of a class total is 0, and its posterior is spread over 0 … n: windows about 0 would be wrong
	wide := [][]int64{{-350, -80, 200, 410}, {11, -190, -140, 4, 330, 21}}
	for _, c := range []struct {
		mech   mechanism.Mechanism
		target dp.Request
		raw    [][]int64
	}{
		{counts.DiscreteGaussian(), dp.ApproxDP(1, 1e-5), likely},
		{counts.Geometric(), dp.PureDP(1), likely},
		{counts.Geometric(), dp.PureDP(0.03), wide},
		{counts.DiscreteGaussian(), dp.ApproxDP(0.03, 1e-5), wide},
	} {
		raw := c.raw
		p := plan(t, c.mech, bayes(t, n, 2, features...), c.target)
		lp := logProb(t, p)
		evidence := func(k, j, skip, total int) float64 { // of row j of table k, without a cell
			d := features[k]
			cells := append([]int64{}, raw[k][j*d:(j+1)*d]...)
			if skip >= 0 {
				cells = append(cells[:skip], cells[skip+1:]...)
			}
			return plain(lp, 1, total, cells)[total]
		}
		row := func(k, j, total int) float64 {
			return math.Exp(logUrn(float64(features[k]), total)) * evidence(k, j, -1, total)
		}
		class := make([]float64, n+1)
		for a := range class {
			class[a] = 1
			for k := range features {
				class[a] *= row(k, 0, a) * row(k, 1, n-a)
			}
		}
		var want, cell betas // the class, and feature 1's level 2 in class 1
		for a, w := range class {
			want.add(w, 1+float64(a), 1+float64(n-a))
			total := n - a
			all := evidence(1, 1, -1, total)
			for f := 0; f <= total; f++ {
				wf := math.Exp(lp(raw[1][5], f)-lp(raw[1][5], 0)) * evidence(1, 1, 2, total-f) / all
				cell.add(w*wf, 1+float64(f), 2+float64(total-f))
			}
		}
		got := posteriorOf(t, raws(t, p, raw...)).params
		same(t, c.mech.Title()+" class", got[0].Law(), &want, 1e-11)
		same(t, fmt.Sprint(c.mech.Title(), got[11].Name, got[11].Label), got[11].Law(), &cell, 1e-11)
	}
}

// A private n under wide noise, where the sum of the noisy counts says little about n: against the sum over both
// counts.
func TestPrivateNByPlainSum(t *testing.T) {
	if testing.Short() {
		t.Skip("a sum over all totals and tables")
	}
	p := plan(t, counts.Geometric(), categorical(t, 2, 5, 0.5, 3).WithoutN(), dp.PureDP(0.2).Under(dp.AddRemove))
	lp := logProb(t, p)
	const most = 500 // e^{−0.2·500} = 1e-43
	for _, raw := range [][]int64{{30, -15}, {-90, -4}, {12, 60}} {
		var want betas
		for f := range most {
			for g := range most {
				l := logUrnOf([]float64{0.5, 3}, []int{f, g}) + lp(raw[0], f) - lp(raw[0], 0) +
					lp(raw[1], g) - lp(raw[1], 0)
				if l > -80 {
					want.add(math.Exp(l), 0.5+float64(f), 3+float64(g))
				}
			}
		}
		same(t, fmt.Sprint(raw), posteriorOf(t, raws(t, p, raw)).params[0].Law(), &want, 1e-11)
	}
}
