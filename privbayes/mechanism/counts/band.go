package counts

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// bands adds to the intervals of a histogram or a CDF with public n those that hold all its shares at once, with at
// least the probability level. They are proved, for every n, table and distribution; m is the number of shares:
//
//	rows        |noise of share k| ≤ t_k for all k: each fails with at most α/m (Chernoff), any with α
//	population  of a CDF: those of the rows at α/2, and √(ln(4/α)/(2n)) more (Dvoretzky, Kiefer, Wolfowitz; Massart 1990)
//	            of bins: those of the rows at α/2, from the lower end of the exact binomial interval of their least
//	            count to the upper end of that of their greatest (Clopper, Pearson 1934): each end fails with α/(4m)
//
// Those of the population are of n independent rows: there are none for units of several. An interval of a band is
// never inside that of the share by itself.
func (c *countSampler) bands(drawn mechanism.Output, level float64, list []mechanism.Interval) {
	m, ok := c.shape.Model().(model.HistogramModel)
	n, public := c.shape.N()
	_, rows := c.shape.Unit()
	form := noise.FormOf(c.laws[0])
	if !ok || !public || n == 0 || len(drawn.Raw[0]) < 3 || form == (noise.Form{}) {
		return // two bins have one count and one share
	}
	alpha := 1 - level
	inRows := c.band(drawn.Raw[0], form, alpha, list, func(i mechanism.Interval) *mechanism.Range { return i.Rows }, nil)
	var population []*mechanism.Range
	if rows <= 1 {
		sampled := func(r *mechanism.Range) {
			end := alpha / 4 / float64(len(list))
			lower, _, e := num.ClopperPearson(int(math.Ceil(r.Lower*float64(n)-1e-6)), n, end)
			_, upper, f := num.ClopperPearson(int(math.Floor(r.Upper*float64(n)+1e-6)), n, end)
			if r.Lower, r.Upper = lower, upper; e != nil || f != nil {
				r.Lower, r.Upper = 0, 1
			}
		}
		if more := math.Sqrt(math.Log(4/alpha) / 2 / float64(n)); m.Cumulative() {
			sampled = func(r *mechanism.Range) { r.Lower, r.Upper = math.Max(r.Lower-more, 0), math.Min(r.Upper+more, 1) }
		}
		population = c.band(drawn.Raw[0], form, alpha/2, list,
			func(i mechanism.Interval) *mechanism.Range { return i.Population }, sampled)
	}
	for i := range list {
		list[i].AtOnce = &mechanism.Interval{Rows: inRows[i]}
		if population != nil {
			list[i].AtOnce.Population = population[i]
		}
	}
}

// band is of the rows, and fails with a probability of at most alpha; sampled, if not nil, makes it one of the
// population.
func (c *countSampler) band(noisy []int64, form noise.Form, alpha float64, list []mechanism.Interval,
	of func(i mechanism.Interval) *mechanism.Range, sampled func(r *mechanism.Range)) []*mechanism.Range {
	n, _ := c.shape.N()
	d, unit, m, all, count := len(noisy), float64(c.unit), len(list), int64(0), int64(0)
	for _, y := range noisy {
		all += y
	}
	cumulative := m < d
	out := make([]*mechanism.Range, m)
	for k := range out {
		bins := 1
		if count += noisy[k]; cumulative {
			bins = k + 1
		} else {
			count = noisy[k]
		}
		share := (float64(count)/unit + (float64(n)-float64(all)/unit)*float64(bins)/float64(d)) / float64(n)
		t := prefixMargin(form, bins, d, alpha/float64(m)) / unit / float64(n)
		r := &mechanism.Range{Lower: math.Min(math.Max(share-t, 0), 1), Upper: math.Min(math.Max(share+t, 0), 1)}
		if sampled != nil {
			sampled(r)
		}
		within := of(list[k])
		out[k] = &mechanism.Range{Lower: math.Min(r.Lower, within.Lower), Upper: math.Max(r.Upper, within.Upper)}
	}
	if !cumulative {
		return out
	}
	for k := 1; k < m; k++ { // shares below edges go up
		out[k].Lower = math.Max(out[k].Lower, math.Min(out[k-1].Lower, of(list[k]).Lower))
	}
	for k := m - 2; k >= 0; k-- {
		out[k].Upper = math.Min(out[k].Upper, math.Max(out[k+1].Upper, of(list[k]).Upper))
	}
	return out
}

// prefixMargin is a t, in steps, that the noise of the first k of d counts, moved to their public total, exceeds in
// size with a probability of at most alpha. With Z the noise of a count and Λ the logarithm of its moment-generating
// function, that noise is (1 − k/d)·ΣZ of the first k less (k/d)·ΣZ of the others, and for every s > 0
//
//	t = [k·Λ((1 − k/d)s) + (d − k)·Λ(sk/d) + ln(2/α)]/s
//
// will do (Chernoff): the least over s is taken. Λ(u) = −ln(1 − sinh²(u/2)/sinh²(γ/2)) of two-sided geometric noise,
// |u| < γ, and at most σ²u²/2 of discrete Gaussian noise (Canonne, Kamath, Steinke 2020).
func prefixMargin(form noise.Form, k, d int, alpha float64) float64 {
	part := float64(k) / float64(d)
	if form.Sigma2 > 0 {
		return math.Sqrt(2 * form.Sigma2 * float64(k) * (1 - part) * math.Log(2/alpha))
	}
	cumulant := func(u float64) float64 {
		r := math.Sinh(u/2) / math.Sinh(form.Rate/2)
		return -math.Log1p(-r * r)
	}
	most := math.Log(form.Rate / math.Max(part, 1-part))
	_, t := num.Minimum(most-15, most-1e-9, func(log float64) float64 {
		s := math.Exp(log)
		return (float64(k)*cumulant((1-part)*s) + float64(d-k)*cumulant(part*s) + math.Log(2/alpha)) / s
	})
	return num.Inflate(t)
}
