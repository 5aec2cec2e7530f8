package survey

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

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
