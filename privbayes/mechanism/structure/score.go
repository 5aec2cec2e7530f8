package structure

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// distance is ‖N − M‖₁, whole and private.
func distance(n, m []int64) (sum int64) {
	for i, v := range n {
		if d := v - m[i]; d > 0 {
			sum += d
		} else {
			sum -= d
		}
	}
	return sum
}

// productTable is the table a_i·b_j/n rounded to whole numbers of total n, by largest remainders: a and b are whole,
// not negative, and of total n ≥ 1. Remainders are compared exactly, ties go to the smaller index.
func productTable(a, b []int64, n int64) []int64 {
	out, rest := make([]int64, len(a)*len(b)), make([]uint64, len(a)*len(b))
	left := n
	for i, x := range a {
		for j, y := range b {
			hi, lo := bits.Mul64(uint64(x), uint64(y)) // x ≤ n, so that hi < n
			q, r := bits.Div64(hi, lo, uint64(n))
			out[i*len(b)+j], rest[i*len(b)+j] = int64(q), r
			left -= int64(q)
		}
	}
	return topUp(out, rest, left)
}

// topUp adds one to each of the left cells with the largest remainders; among equal ones to those of smaller index.
func topUp[R cmp.Ordered](out []int64, rest []R, left int64) []int64 {
	if len(out) == 0 || left <= 0 {
		return out
	}
	for i := range out {
		out[i] += left / int64(len(out))
	}
	k := int(left % int64(len(out)))
	if k == 0 {
		return out
	}
	least := largest(slices.Clone(rest), k)
	for i, r := range rest {
		if r > least {
			out[i]++
			k--
		}
	}
	for i, r := range rest {
		if r == least && k > 0 {
			out[i]++
			k--
		}
	}
	return out
}

// largest is the number that stands k-th, from 1, where the largest comes first. It reorders the list.
func largest[R cmp.Ordered](list []R, k int) R {
	for len(list) > 1 {
		pivot, above, i, below := list[len(list)/2], 0, 0, len(list)
		for i < below { // larger ones, equal ones, what is not seen yet, smaller ones
			switch v := list[i]; {
			case v > pivot:
				list[above], list[i] = v, list[above]
				above, i = above+1, i+1
			case v < pivot:
				below--
				list[i], list[below] = list[below], v
			default:
				i++
			}
		}
		switch {
		case k <= above:
			list = list[:above]
		case k <= below:
			return pivot
		default:
			list, k = list[below:], k-below
		}
	}
	return list[0]
}

// rounded is n·p in whole numbers of total n, by largest remainders. What p is cannot harm: it is public.
func rounded(p []float64, n int64) []int64 {
	total := 0.0
	for _, v := range p {
		total += math.Max(v, 0)
	}
	out, rest, left := make([]int64, len(p)), make([]float64, len(p)), n
	for i, v := range p {
		x := math.Max(v, 0) / total * float64(n)
		if math.IsNaN(x) || math.IsInf(x, 0) {
			x = float64(n) / float64(len(p))
		}
		whole := math.Min(math.Floor(x), float64(left))
		out[i], rest[i] = int64(whole), x-whole
		left -= out[i]
	}
	return topUp(out, rest, left)
}

// margin is a noisy one-way table as whole numbers ≥ 0 of total n: the nearest point of the simplex, by largest
// remainders.
func margin(noisy []float64, n int64) []int64 {
	sorted := slices.Clone(noisy)
	slices.SortFunc(sorted, func(a, b float64) int { return cmp.Compare(b, a) })
	sum, shift := 0.0, 0.0
	for i, v := range sorted {
		sum += v
		if t := (sum - float64(n)) / float64(i+1); v > t {
			shift = t
		}
	}
	p := make([]float64, len(noisy))
	for i, v := range noisy {
		p[i] = math.Max(v-shift, 0)
	}
	return rounded(p, n)
}

// poissonDeviation is Σ E|X − m| over the cells of a public table, X ~ Poisson(m): 2e^{−m}m^{m+1}/m! each. It is about
// the distance that sampling alone makes.
func poissonDeviation(m []int64) (sum float64) {
	for _, v := range m {
		if v > 0 {
			sum += meanDeviation(v)
		}
	}
	return sum
}

// meanDeviation is 2e^{−m}m^{m+1}/m!: from a list, or by Stirling's series, √(2m/π)·exp(−1/(12m) + 1/(360m³) − …),
// whose next term is below 1e-18.
func meanDeviation(m int64) float64 {
	if m < int64(len(deviations)) {
		return deviations[m]
	}
	x := 1 / float64(m)
	return math.Sqrt(2/math.Pi*float64(m)) * math.Exp(x*(-1./12+x*x*(1./360-x*x/1260)))
}

// deviations are those of small means.
var deviations = func() (d [256]float64) {
	for m := 1; m < len(d); m++ {
		x := float64(m)
		lg, _ := math.Lgamma(x + 1)
		d[m] = 2 * math.Exp((x+1)*math.Log(x)-x-lg)
	}
	return d
}()
