package mcmc

import (
	"cmp"
	"math"
	"slices"
)

// Diagnosis is what the draws of a quantity say about their chains.
type Diagnosis struct {
	RHat       float64 // +Inf where chains are constant and differ, or a draw is no number
	Bulk, Tail float64 // effective sample sizes; 0 where RHat is +Inf
}

// leastDraws is the length of a chain below which nothing can be said.
const leastDraws = 4

// Diagnose takes the draws of one quantity, a list for each chain, of equal lengths; longer ones are cut at their
// beginning. Draws that are all equal have R-hat 1 and as many effective draws as there are. Fewer than two chains or
// four draws a chain, and draws that are not numbers, say nothing: R-hat is +Inf.
func Diagnose(chains [][]float64) Diagnosis { return diagnose(chains, true) }

// RHat is that of Diagnose, without the effective sample sizes.
func RHat(chains [][]float64) float64 { return diagnose(chains, false).RHat }

func diagnose(chains [][]float64, sizes bool) (out Diagnosis) {
	none := Diagnosis{RHat: math.Inf(1)}
	if len(chains) < 2 {
		return none
	}
	h := math.MaxInt
	for _, c := range chains {
		h = min(h, len(c)/2)
	}
	if h < leastDraws/2 {
		return none
	}
	d := draws{m: 2 * len(chains), h: h}
	for _, c := range chains {
		c = c[len(c)-2*h:]
		if slices.ContainsFunc(c, math.IsNaN) {
			return none
		}
		d.x = append(d.x, c...)
	}
	d.order = make([]int32, len(d.x))
	z := draws{x: make([]float64, len(d.x)), m: d.m, h: h}
	d.sort()
	if d.at(0) == d.at(len(d.x)-1) {
		n := float64(len(d.x))
		return Diagnosis{1, n, n}
	}
	median := (d.at((len(d.x)-1)/2) + d.at(len(d.x)/2)) / 2
	d.scores(z.x)
	out.RHat = z.rhat()
	if sizes {
		out.Bulk = z.ess()
		out.Tail = d.tail(&z)
	}
	if !math.IsInf(median, 0) && !math.IsNaN(median) {
		d.fold(median)
		d.scores(z.x)
		out.RHat = max(out.RHat, z.rhat())
	}
	if math.IsInf(out.RHat, 1) {
		return none
	}
	return out
}

// tail is the smaller effective sample size of the two indicators of tails; z is overwritten.
func (d *draws) tail(z *draws) float64 {
	n := float64(len(d.x) - 1)
	lower, upper := d.at(int(0.05*n)), d.at(int(math.Ceil(0.95*n)))
	for i, x := range d.x {
		z.x[i] = indicator(x <= lower)
	}
	out := z.ess()
	for i, x := range d.x {
		z.x[i] = indicator(x < upper)
	}
	return min(out, z.ess())
}

func indicator(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// draws are m half-chains of length h, one after the other, and the order of their values.
type draws struct {
	x     []float64
	m, h  int
	order []int32
}

func (d *draws) sort() {
	for i := range d.order {
		d.order[i] = int32(i)
	}
	slices.SortFunc(d.order, func(a, b int32) int {
		switch {
		case d.x[a] < d.x[b]:
			return -1
		case d.x[a] > d.x[b]:
			return 1
		}
		return 0
	})
}

// fold puts |x − median| in the place of each draw. Both sides of the median are in order already, and are merged.
func (d *draws) fold(median float64) {
	above, _ := slices.BinarySearchFunc(d.order, median, func(i int32, m float64) int { return cmp.Compare(d.x[i], m) })
	below := above - 1
	for i, x := range d.x {
		d.x[i] = math.Abs(x - median)
	}
	order := make([]int32, 0, len(d.order))
	for below >= 0 || above < len(d.order) {
		if above == len(d.order) || below >= 0 && d.at(below) < d.at(above) {
			order = append(order, d.order[below])
			below--
		} else {
			order = append(order, d.order[above])
			above++
		}
	}
	d.order = order
}

// at is the i-th smallest draw.
func (d *draws) at(i int) float64 { return d.x[d.order[i]] }

// scores are the normal scores of the average ranks.
func (d *draws) scores(z []float64) {
	n := float64(len(d.x))
	for i := 0; i < len(d.order); {
		j := i
		for j < len(d.order) && d.at(j) == d.at(i) {
			j++
		}
		rank := float64(i+1+j) / 2
		score := math.Sqrt2 * math.Erfinv(2*(rank-0.375)/(n+0.25)-1)
		for ; i < j; i++ {
			z[d.order[i]] = score
		}
	}
}

// chain is half-chain k.
func (d *draws) chain(k int) []float64 { return d.x[k*d.h : (k+1)*d.h] }

// moments are the means of the half-chains, W, and the pooled variance (h−1)/h·W + B/h. Means are taken from the first
// draw, so that those of equal draws are not off by rounding: then W would not be 0, and what it says of lags nothing.
func (d *draws) moments() (means []float64, within, pooled float64) {
	means = make([]float64, d.m)
	all, h := 0.0, float64(d.h)
	for k := range means {
		for _, v := range d.chain(k) {
			means[k] += (v - d.x[0]) / h
		}
		means[k] += d.x[0]
		s := 0.0
		for _, v := range d.chain(k) {
			s += (v - means[k]) * (v - means[k])
		}
		within += s / (h - 1) / float64(d.m)
		all += (means[k] - d.x[0]) / float64(d.m)
	}
	all += d.x[0]
	between := 0.0
	for _, mu := range means {
		between += (mu - all) * (mu - all) / float64(d.m-1)
	}
	if within < 1e-28*between { // rounding of constant chains
		within = 0
	}
	return means, within, (h-1)/h*within + between
}

// rhat is 1 for draws that are all equal, and +Inf for constant half-chains that differ.
func (d *draws) rhat() float64 {
	_, within, pooled := d.moments()
	switch {
	case pooled == 0:
		return 1
	case within == 0:
		return math.Inf(1)
	}
	return math.Sqrt(pooled / within)
}
