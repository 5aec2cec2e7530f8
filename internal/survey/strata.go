package survey

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

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

// Cluster is a public primary sampling unit that holds many units: its noisy Σtx and Σt(1 − x), and the stratum it lies
// in, from 0.
type Cluster struct {
	Ones, Zeros float64
	Stratum     int
}

// Clusters is the interval of a mean or share from the noisy totals of clusters, at a level in (0, 1): μ̂ = Σones/Σ, z
// = ones − μ̂·(ones + zeros) of a cluster, and μ̂ ± t·√(Σ_h P_h/(P_h − 1)·Σ(z − z̄_h)²)/Σ with as many degrees of
// freedom as there are clusters less strata. What noisy totals differ by has sampling, clustering and noise in it. It
// is the whole range, without an estimate, where Σ is at most two standard deviations of its noise, or a stratum has
// one cluster.
func Clusters(list []Cluster, n Noise, level float64) Interval {
	var ones, zeros float64
	of, strata := map[int][]int{}, []int(nil)
	for p, z := range list {
		ones, zeros = ones+bounded(z.Ones), zeros+bounded(z.Zeros)
		if of[z.Stratum] == nil {
			strata = append(strata, z.Stratum)
		}
		of[z.Stratum] = append(of[z.Stratum], p)
	}
	sd := n.box() * math.Sqrt(2*float64(len(list)))
	i := whole().estimated(math.Max(ones, 0), math.Max(zeros, 0), ones+zeros, sd)
	if !i.Shown {
		return i
	}
	sum, v := math.Max(ones, 0)+math.Max(zeros, 0), 0.0
	for _, h := range strata {
		k := float64(len(of[h]))
		if k == 1 {
			return whole()
		}
		v += k / (k - 1) * differ(list, of[h], i.Estimate)
	}
	free := float64(len(list) - len(strata))
	t := distuv.StudentsT{Sigma: 1, Nu: free}.Quantile((1 + level) / 2)
	half := t * math.Sqrt(v) / sum
	i.Lower, i.Upper = clip(i.Estimate-half, 0, 1), clip(i.Estimate+half, 0, 1)
	return i
}

// differ is Σ(z − z̄)² over some of the clusters.
func differ(list []Cluster, some []int, mean float64) (sum float64) {
	z, at := make([]float64, len(some)), 0.0
	for i, p := range some {
		ones, zeros := bounded(list[p].Ones), bounded(list[p].Zeros)
		z[i] = ones - mean*(ones+zeros)
		at += z[i] / float64(len(some))
	}
	for _, x := range z {
		sum += (x - at) * (x - at)
	}
	return sum
}
