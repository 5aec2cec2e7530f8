package hellinger

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/hellingersample"
	"github.com/privbayes/privbayes-go/internal/num"
)

// outputLimit is the number of candidates up to which an output law is walked.
const outputLimit = 2000

// OutputLaw visits every candidate that Draw may release of one table, with its probability; ok is false for several
// tables and too many candidates. What is visited is overwritten by the next visit. Package advise sums errors over it.
func (d *sampler) OutputLaw(tables [][]int64, visit func(raw [][]int64, p float64)) (ok bool) {
	if len(d.spaces) != 1 || d.spaces[0].Size() > outputLimit {
		return false
	}
	l := law{d.spaces[0], d.tables[0].Kappa}
	x, logs := make([]int, len(tables[0])), make([]float64, l.Outputs())
	for i, c := range tables[0] {
		x[i] = int(c)
	}
	l.LogLaw(x, logs)
	if d.flip {
		flipProbabilities(logs)
	}
	raw := make([][]int64, 1)
	for o, v := range logs {
		if v > -40 { // the rest has a probability below outputLimit·e^−40
			raw[0] = hellingersample.Unrank(o, l.n, len(x))
			visit(raw, math.Exp(v))
		}
	}
	return true
}

// flipProbabilities turns the log-weights of the exponential mechanism, up to a constant, into the log-probabilities of
// permute-and-flip. A random order is a uniform arrival time for every candidate; with a_s = e^{weight} relative to the
// greatest,
//
//	P(r) = a_r ∫₀¹ ∏_{s≠r} (1 − t·a_s) dt.
//
// By quadrature: the product falls like e^{−t·Σa}, so panels double from 1/Σa on.
func flipProbabilities(logs []float64) {
	top, total := math.Inf(-1), 0.0
	for _, v := range logs {
		top = math.Max(top, v)
	}
	a, sums := make([]float64, len(logs)), make([]float64, len(logs))
	for i, v := range logs {
		a[i] = math.Exp(v - top)
		total += a[i]
	}
	nodes, weights := num.GaussLegendre24()
	missed := make([]float64, len(a)) // ln(1 − t·a)
	for lo, hi := 0.0, math.Min(1, 1/total); lo < 1 && lo*(total-1) < 45; lo, hi = hi, math.Min(1, 2*hi) {
		for k := range nodes {
			t, product := lo+(hi-lo)*(1+nodes[k])/2, 0.0
			for i, v := range a {
				missed[i] = math.Log1p(-t * v)
				product += missed[i]
			}
			for i := range a {
				sums[i] += (hi - lo) / 2 * weights[k] * math.Exp(product-missed[i])
			}
		}
	}
	for i, v := range a {
		logs[i] = math.Log(v) + math.Log(sums[i])
	}
}
