package parity

import (
	"math"
	"math/bits"
	"slices"
)

// step eliminates variable v; rest are its neighbours at that moment, increasing: the variables of the message it
// leaves.
type step struct {
	v    int
	rest []int
}

// minFill is an elimination order of the variables 0, …, n−1 on the graph in which the variables of a scope are joined:
// next comes the variable that adds the fewest edges between its neighbours, then the one with the smallest table, then
// the smallest number (Kjærulff, "Triangulation of graphs", 1990). A variable with at most one neighbour adds none and
// goes first, so that a hub of thousands of leaves is counted only when they are gone.
func minFill(watch Watch, domains []int, scopes [][]int) []step {
	n, words := len(domains), (len(domains)+63)/64
	graph := make([][]uint64, n)
	for v := range graph {
		watch.at(words)
		graph[v] = make([]uint64, words)
	}
	join := func(a, b int) { graph[a][b/64] |= 1 << (b % 64) }
	for _, s := range scopes {
		for i, a := range s {
			for _, b := range s[i+1:] {
				join(a, b)
				join(b, a)
			}
		}
	}
	g := &fillGraph{domains: domains, graph: graph, watch: watch, degree: make([]int, n), fill: make([]int, n),
		weight: make([]float64, n)}
	for v := range n {
		g.refresh(v)
	}
	steps := make([]step, 0, n)
	for range n {
		watch.at(n)
		v := g.best()
		rest := g.neighbours(v)
		steps = append(steps, step{v, rest})
		g.degree[v] = -1
		watch.at(words * (1 + len(rest)))
		for _, a := range rest {
			for w, x := range graph[v] {
				graph[a][w] |= x
			}
			graph[a][v/64] &^= 1 << (v % 64)
			graph[a][a/64] &^= 1 << (a % 64)
		}
		// A count changes for the neighbours and, where edges came, for the neighbours of both ends.
		stale := make([]uint64, words)
		watch.at(words * (1 + len(rest)))
		for _, a := range rest {
			stale[a/64] |= 1 << (a % 64)
			if len(rest) > 1 {
				for w, x := range graph[a] {
					stale[w] |= x
				}
			}
		}
		for _, a := range members(stale) {
			watch.at(words)
			g.refresh(a)
		}
	}
	return steps
}

const unknown = -1

type fillGraph struct {
	watch   Watch
	domains []int
	graph   [][]uint64
	degree  []int     // −1 when eliminated
	fill    []int     // edges that the elimination adds, or unknown
	weight  []float64 // log of the size of the table
}

func (g *fillGraph) refresh(v int) {
	g.degree[v] = 0
	for _, x := range g.graph[v] {
		g.degree[v] += bits.OnesCount64(x)
	}
	g.fill[v] = unknown
	if g.degree[v] < 2 {
		g.fill[v] = 0
	}
}

func (g *fillGraph) best() int {
	leaf := -1
	for v, d := range g.degree {
		if d == 0 || d == 1 && leaf < 0 {
			leaf = v
			if d == 0 {
				return v
			}
		}
	}
	if leaf >= 0 {
		return leaf
	}
	best := -1
	for v, d := range g.degree {
		if d < 0 {
			continue
		}
		if g.fill[v] == unknown {
			g.count(v)
		}
		if best < 0 || g.fill[v] < g.fill[best] || g.fill[v] == g.fill[best] && g.weight[v] < g.weight[best] {
			best = v
		}
	}
	return best
}

// count finds the edges missing between the neighbours of v, and the size of their table.
func (g *fillGraph) count(v int) {
	near := g.neighbours(v)
	missing := 0
	g.watch.at((1 + len(near)) * len(g.graph[v]))
	g.weight[v] = math.Log(float64(g.domains[v]))
	for _, a := range near {
		g.weight[v] += math.Log(float64(g.domains[a]))
		missing-- // a itself is near v and not near a
		for w, x := range g.graph[v] {
			missing += bits.OnesCount64(x &^ g.graph[a][w])
		}
	}
	g.fill[v] = missing / 2
}

func (g *fillGraph) neighbours(v int) []int { return members(g.graph[v]) }

func members(set []uint64) []int {
	var out []int
	for w, x := range set {
		for ; x != 0; x &= x - 1 {
			out = append(out, w*64+bits.TrailingZeros64(x))
		}
	}
	return slices.Clip(out)
}
