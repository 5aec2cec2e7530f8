package maxent

import (
	"slices"

	"github.com/privbayes/privbayes-go/internal/junction"
)

// places maps every cell of a table over the variables of from, in their order and the last running fastest, to the
// cell of the table over the variables of to, all of them in from, that it adds to.
func places(levels, from, to []int) []int32 {
	strides := make([]int, len(from)) // in the table of to; 0 for variables that are summed out
	stride := 1
	for i := len(to) - 1; i >= 0; i-- {
		strides[slices.Index(from, to[i])] = stride
		stride *= levels[to[i]]
	}
	out := make([]int32, 0, junction.Cells(from, levels))
	at, codes := 0, make([]int, len(from))
	for {
		out = append(out, int32(at))
		i := len(from) - 1
		for ; i >= 0; i-- {
			at += strides[i]
			if codes[i]++; codes[i] < levels[from[i]] {
				break
			}
			at -= strides[i] * levels[from[i]]
			codes[i] = 0
		}
		if i < 0 {
			return out
		}
	}
}

// contains reports whether all of the variables are in the set.
func contains(set, vars []int) bool {
	for _, v := range vars {
		if !slices.Contains(set, v) {
			return false
		}
	}
	return true
}

// gather adds to every cell of a large table the cell of the small one that it belongs to.
func gather(large, small []float64, at []int32) {
	large = large[:len(at)]
	for i, k := range at {
		large[i] += small[k]
	}
}

// scatter adds up the cells of a large table that belong to one of the small one.
func scatter(small, large []float64, at []int32) {
	large = large[:len(at)]
	for i, k := range at {
		small[k] += large[i]
	}
}
