package publication

import (
	"math"
	"slices"
)

// curve is the error of an item as a function of its rate, which falls: known at some rates, and between and beyond
// them a power of the rate.
type curve struct {
	logRate, logError []float64 // in increasing order of rates
	slope             float64   // < 0, where one point is known: −1 of noise ∝ 1/ε, −½ of 1/√ρ
	least             float64   // rate, whatever the error: an interval that no rate widens needs none
}

// leastSlope is the slope that an error falls by at least, so that a rate is found for every error: of so few rows that
// an interval is all there is, the error falls with no rate.
const leastSlope = -.25

// learn adds a point. An error of 0 counts as a tiny one.
func (c *curve) learn(rate, err float64) {
	x, y := math.Log(rate), math.Log(math.Max(err, 1e-300))
	at, known := slices.BinarySearch(c.logRate, x)
	if known {
		c.logError[at] = y
		return
	}
	c.logRate, c.logError = slices.Insert(c.logRate, at, x), slices.Insert(c.logError, at, y)
}

// rate is the smallest rate with at most an error.
func (c *curve) rate(err float64) float64 {
	y, last := math.Log(err), len(c.logRate)-1
	i := 0 // the segment from i − 1 to i
	for i <= last && c.logError[i] > y {
		i++
	}
	from, slope := min(i, last), c.slope
	if last > 0 {
		j := min(max(i, 1), last)
		slope = (c.logError[j] - c.logError[j-1]) / (c.logRate[j] - c.logRate[j-1])
	}
	return math.Max(c.least, math.Exp(c.logRate[from]+(y-c.logError[from])/math.Min(slope, leastSlope)))
}

// wished is an item of an allocation: its curve, and the error that one unit of the factor stands for.
type wished struct {
	*curve
	wish float64
}

// needed is the sum of the rates at which every error is at most λ times its wish.
func needed(list []wished, factor float64) (sum float64) {
	for _, w := range list {
		sum += w.rate(factor * w.wish)
	}
	return sum
}

// least is the smallest λ with needed(λ) at most the total: then max error/wish is as small as can be, since any rates
// with a smaller one are above these, one by one. Source: theory/publication.md §2.
func least(list []wished, total float64) (factor float64) {
	lo, hi := 0., 0. // of ln λ
	for step := 1.; needed(list, math.Exp(hi)) > total && hi < 600; step *= 2 {
		lo, hi = hi, hi+step
	}
	for step := 1.; hi == 0 && needed(list, math.Exp(lo)) <= total && lo > -600; step *= 2 {
		lo -= step
	}
	for hi-lo > 1e-12*(1+math.Abs(hi)) {
		middle := (lo + hi) / 2
		if middle <= lo || middle >= hi {
			break
		}
		if needed(list, math.Exp(middle)) > total {
			lo = middle
		} else {
			hi = middle
		}
	}
	return math.Exp(hi)
}

// divide gives every item its rate, of a total: the classes one after the other. Each class but the last gets what its
// wishes need where that leaves the others their least rates, and else all there is; the others get none then.
func divide(classes [][]wished, total float64) (rates [][]float64, factors []float64) {
	for k, class := range classes {
		factor, rest := 1., 0.
		for _, later := range classes[k+1:] {
			rest += needed(later, math.Inf(1))
		}
		all := k == len(classes)-1 || needed(class, 1) > total*(1-1e-9)-rest
		if all {
			factor = least(class, total)
		}
		scale := 1.
		if of := needed(class, factor); all && of < total {
			scale = total / of // where errors do not fall for long, less is needed than there is
		}
		var own []float64
		for _, w := range class {
			own = append(own, scale*w.rate(factor*w.wish))
			total -= own[len(own)-1]
		}
		rates, factors = append(rates, own), append(factors, factor)
		if all {
			break // nothing is left for the others
		}
	}
	return rates, factors
}
