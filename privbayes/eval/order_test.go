package eval

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Two groups of columns that alternate are put apart, and of a chain its order is found.
func TestSimilarOrder(t *testing.T) {
	matrix := func(n int, alike func(i, k int) float64) [][]float64 {
		m := make([][]float64, n)
		for i := range m {
			for k := range n {
				m[i] = append(m[i], alike(i, k))
			}
		}
		return m
	}
	parity := similar(matrix(8, func(i, k int) float64 { return 1 - float64((i+k)%2) }))
	for i := range 3 {
		if parity[i]%2 != parity[i+1]%2 || parity[4+i]%2 != parity[5+i]%2 {
			t.Errorf("two groups: %v", parity)
		}
	}
	place := []int{3, 0, 5, 1, 4, 2} // of each in a chain
	chain := similar(matrix(6, func(i, k int) float64 { return -math.Abs(float64(place[i] - place[k])) }))
	for i := range 5 {
		if d := place[chain[i]] - place[chain[i+1]]; d*d != 1 {
			t.Errorf("a chain: %v", chain)
		}
	}
}

// Each column stands in the order once.
func TestSimilarIsAnOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 9).Draw(t, "n")
		alike := make([][]float64, n)
		for i := range alike {
			alike[i] = make([]float64, n)
			for k := range i {
				alike[i][k] = rapid.Float64Range(0, 1).Draw(t, "alike")
				alike[k][i] = alike[i][k]
			}
		}
		got := similar(alike)
		if slices.Sort(got); len(got) != n {
			t.Fatal(got)
		}
		for i, v := range got {
			if v != i {
				t.Fatal(got)
			}
		}
	})
}
