package bayesnet

import (
	"math/bits"
	"slices"
)

// bitset is a set of variables by place.
type bitset []uint64

func (b bitset) add(i int)    { b[i/64] |= 1 << (i % 64) }
func (b bitset) remove(i int) { b[i/64] &^= 1 << (i % 64) }

func (b bitset) each(f func(i int)) {
	for w, x := range b {
		for ; x != 0; x &= x - 1 {
			f(w*64 + bits.TrailingZeros64(x))
		}
	}
}

// elimination is one step of an order: the variable and its neighbours at that moment, ascending, which are the variables of the
// table it leaves behind.
type elimination struct {
	v    int
	rest []int
}

// minFill orders the variables of the scopes but the kept ones: next comes the variable whose elimination adds the fewest edges between
// its neighbours, the smallest number among equals (Kjærulff, "Triangulation of graphs", 1990). Only the neighbours of an eliminated
// variable and their neighbours can change their count.
func minFill(scopes [][]int, keep []int) []elimination {
	var vars []int
	for _, s := range scopes {
		vars = append(vars, s...)
	}
	slices.Sort(vars)
	vars = slices.Compact(vars)
	m := len(vars)
	words := (m + 63) / 64
	all := make([]uint64, m*words)
	graph := make([]bitset, m)
	for i := range graph {
		graph[i] = bitset(all[i*words : (i+1)*words])
	}
	place := func(v int) int { i, _ := slices.BinarySearch(vars, v); return i }
	for _, s := range scopes {
		for i, a := range s {
			for _, b := range s[i+1:] {
				pa, pb := place(a), place(b)
				graph[pa].add(pb)
				graph[pb].add(pa)
			}
		}
	}
	const unknown, out = -1, -2
	fill := make([]int, m)
	left := m
	for i, v := range vars {
		fill[i] = unknown
		if slices.Contains(keep, v) {
			fill[i] = out
			left--
		}
	}
	steps := make([]elimination, 0, left)
	stale := make(bitset, words)
	for range left {
		best := -1
		for i := range m {
			if fill[i] == unknown {
				fill[i] = missingEdges(graph, i)
			}
			if fill[i] >= 0 && (best < 0 || fill[i] < fill[best]) {
				best = i
			}
		}
		step := elimination{v: vars[best]}
		clear(stale)
		graph[best].each(func(a int) {
			step.rest = append(step.rest, vars[a])
			graph[a].remove(best)
			for w := range stale {
				graph[a][w] |= graph[best][w]
			}
			graph[a].remove(a)
			stale.add(a)
		})
		graph[best].each(func(a int) {
			for w := range stale {
				stale[w] |= graph[a][w]
			}
		})
		stale.each(func(i int) {
			if fill[i] != out {
				fill[i] = unknown
			}
		})
		fill[best] = out
		clear(graph[best])
		steps = append(steps, step)
	}
	return steps
}

// missingEdges counts the pairs of neighbours of i that are not joined: each neighbour misses the others but those it shares with i.
func missingEdges(graph []bitset, i int) int {
	degree := 0
	for _, x := range graph[i] {
		degree += bits.OnesCount64(x)
	}
	missing := 0
	graph[i].each(func(a int) {
		missing += degree - 1
		for w, x := range graph[i] {
			missing -= bits.OnesCount64(x & graph[a][w])
		}
	})
	return missing / 2
}
