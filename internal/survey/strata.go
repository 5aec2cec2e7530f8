package survey

import "math"

// Stratum is a public part of the population from which Size units were sampled, all with the weight Weight in (0, 1],
// in units of the largest.
type Stratum struct{ Size, Weight float64 }

// constants of strata: Σt·n, Σt²·n, √Σt², √Σt⁴.
func constants(strata []Stratum) (weight, squares, one, two float64) {
	for _, h := range strata {
		t2 := h.Weight * h.Weight
		weight, squares = weight+h.Weight*h.Size, squares+t2*h.Size
		one, two = one+t2, two+t2*t2
	}
	return weight, squares, math.Sqrt(one), math.Sqrt(two)
}

// fewInStratum is the size of a stratum below which what strata differ by stays in the variance.
const fewInStratum = 20

// StrataShare is the interval of the share of one category from its noisy count in every stratum, at a level in (0, 1);
// n is the noise of one count. The counts are added up before the test is inverted. What strata differ by is taken off
// the variance, down to .3 of it, unless a stratum has fewer than 20 units.
func StrataShare(counts []float64, strata []Stratum, n Noise, level float64) Interval {
	weight, squares, one, _ := constants(strata)
	if !(weight > 0) {
		return whole()
	}
	y, sum, ones := limit(counts...), 0.0, 0.0
	for h, z := range strata {
		sum += z.Weight * y[h]
		ones += z.Weight * z.Weight * y[h]
	}
	sum, ones = clip(sum, 0, weight), clip(ones, 0, squares)
	sd, all := n.box()*one, squares/weight
	more := 4*sd + 5*all
	a := alike{all: all, weight: weight, own: clip((ones+more*all)/(sum+more), leastAlike, 1),
		other: clip((squares-ones+more*all)/(weight-sum+more), leastAlike, 1)}
	within := withinStrata(y, strata, n.box(), sum/weight, a.variance(sum/weight, weight))
	size := weight * weight / squares
	return n.interval(level, func(p float64) test {
		return test{t: sum - p*weight, sd: sd, v: within * a.variance(p, weight),
			skew: clip(skewOfShare(p, size), -mostSkew, mostSkew)}
	}).estimated(sum, weight-sum, weight, 0)
}

// withinStrata is which part of a share's variance is left without what strata differ by.
func withinStrata(y []float64, strata []Stratum, sd, mean, variance float64) float64 {
	between := 0.0
	for h, z := range strata {
		if z.Size < fewInStratum {
			return 1
		}
		p := y[h] / z.Size
		between += z.Weight * z.Weight * (z.Size*(p-mean)*(p-mean) - clip(p*(1-p), 0, .25) - sd*sd/z.Size)
	}
	return clip(1-math.Max(between, 0)/math.Max(variance, 1e-9), .3, 1)
}

// StrataMean is the interval of the mean from the noisy Σu and Σu² of every stratum, u = 2x − 1, at a level in (0, 1).
// n is half the noise of Σu: that of Σu² is twice as large as Σu's if it is Laplace noise, and 2/√11 times if normal.
// What strata differ by stays in the variance.
func StrataMean(first, second []float64, strata []Stratum, n Noise, level float64) Interval {
	weight, squares, one, two := constants(strata)
	if !(weight > 0) {
		return whole()
	}
	su, suu := limit(first...), limit(second...)
	sum, a, b := 0.0, 0.0, 0.0
	for h, z := range strata {
		t2 := z.Weight * z.Weight
		sum, a, b = sum+z.Weight*su[h], a+t2*su[h], b+t2*suu[h]
	}
	m := linear{
		squares: [3]float64{(squares - 2*a + b) / 4, (squares - b) / 2, (squares + 2*a + b) / 4},
		weight:  weight, cap: weight, all: squares,
		noise: func(float64) float64 { return n.box() * one },
		squareNoise: func(mu float64) float64 {
			return n.box() * two * math.Hypot(n.ratio, 2*mu-1)
		},
	}
	m.ones = (clip(sum, -weight, weight) + weight) / 2
	m.zeros = weight - m.ones
	return m.interval(n, level).estimated(m.ones, m.zeros, weight, 0)
}
