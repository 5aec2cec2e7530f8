package counts

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// bands adds to the intervals of a CDF with public n those of bands that hold the shares below all edges at once, with
// at least the probability level. Both are proved, for every n, table and distribution:
//
//	rows        |noise below edge k| ≤ t_k for all k: each fails with at most α/m (Chernoff), any with α, m the edges
//	population  the band of the rows at α/2, and √(ln(4/α)/(2n)) more (Dvoretzky, Kiefer, Wolfowitz; Massart 1990)
//
// The second is of n independent rows: none is given for units of several. A band is never inside an interval.
func (c *countSampler) bands(drawn mechanism.Output, level float64, list []mechanism.Interval) {
	m, ok := c.shape.Model().(model.HistogramModel)
	n, public := c.shape.N()
	_, rows := c.shape.Unit()
	if form := noise.FormOf(c.laws[0]); ok && m.Cumulative() && public && n > 0 && len(list) > 1 &&
		form != (noise.Form{}) {
		band := func(alpha, more float64, of func(i mechanism.Interval) *mechanism.Range) []*mechanism.Range {
			return c.band(drawn.Raw[0], form, alpha, more, list, of)
		}
		inRows := band(1-level, 0, func(i mechanism.Interval) *mechanism.Range { return i.Rows })
		var population []*mechanism.Range
		if rows <= 1 {
			population = band((1-level)/2, math.Sqrt(math.Log(4/(1-level))/2/float64(n)),
				func(i mechanism.Interval) *mechanism.Range { return i.Population })
		}
		for i := range list {
			list[i].AtOnce = &mechanism.Interval{Rows: inRows[i]}
			if population != nil {
				list[i].AtOnce.Population = population[i]
			}
		}
	}
}

// band is the band of the rows that fails with a probability of at most alpha, and so much more on both sides.
func (c *countSampler) band(noisy []int64, form noise.Form, alpha, more float64, list []mechanism.Interval,
	of func(i mechanism.Interval) *mechanism.Range) []*mechanism.Range {
	n, _ := c.shape.N()
	d, unit, m, all, below := len(noisy), float64(c.unit), len(list), int64(0), int64(0)
	for _, y := range noisy {
		all += y
	}
	out := make([]*mechanism.Range, m)
	for k := range out {
		below += noisy[k]
		part := float64(k+1) / float64(d)
		share := (float64(below)/unit + (float64(n)-float64(all)/unit)*part) / float64(n)
		t := prefixMargin(form, k+1, d, alpha/float64(m))/unit/float64(n) + more
		within := of(list[k])
		out[k] = &mechanism.Range{Lower: math.Min(math.Max(share-t, 0), within.Lower),
			Upper: math.Max(math.Min(share+t, 1), within.Upper)}
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
