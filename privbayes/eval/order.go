package eval

import (
	"math"
	"slices"
)

// similar orders 0, …, n−1 so that what is alike stands together: average linkage. Of all groups the two with the
// largest mean of alike between their members are joined, again and again, by the ends that are most alike; ties go to
// the first. alike is symmetric.
func similar(alike [][]float64) []int {
	groups := make([][]int, len(alike))
	for i := range groups {
		groups[i] = []int{i}
	}
	between := func(a, b []int) (mean float64) {
		for _, i := range a {
			for _, k := range b {
				mean += alike[i][k] / float64(len(a)*len(b))
			}
		}
		return mean
	}
	for len(groups) > 1 {
		left, right, most := 0, 1, math.Inf(-1)
		for i := range groups {
			for k := i + 1; k < len(groups); k++ {
				if m := between(groups[i], groups[k]); m > most {
					left, right, most = i, k, m
				}
			}
		}
		groups[left] = joined(groups[left], groups[right], alike)
		groups = slices.Delete(groups, right, right+1)
	}
	return slices.Concat(groups...)
}

// joined puts b behind a, each in the direction in which the ends that meet are most alike.
func joined(a, b []int, alike [][]float64) []int {
	turned := func(of []int) []int { of = slices.Clone(of); slices.Reverse(of); return of }
	var best []int
	most := math.Inf(-1)
	for _, x := range [][]int{a, turned(a)} {
		for _, y := range [][]int{b, turned(b)} {
			if m := alike[x[len(x)-1]][y[0]]; m > most {
				best, most = slices.Concat(x, y), m
			}
		}
	}
	return best
}
