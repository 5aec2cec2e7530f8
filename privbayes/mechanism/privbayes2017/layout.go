package privbayes2017

import (
	"math"
	"slices"

	"github.com/privbayes/privbayes-go/privbayes/model"
)

// layout is what follows from public choices, levels, n and ε alone: which parents may be asked for, and what is
// measured.
type layout struct {
	levels  []int
	degree  int       // of a network of fixed degree; −1: by usefulness
	most    []float64 // states of the parents of every column, where by usefulness
	cells   int       // of a table
	tables  int       // that are measured
	chooses bool      // some column may have a parent
}

// mostSets bounds the candidates of a step: above, scores would take hours.
const mostSets = 50_000

// lay lays out PrivBayes. share is β; it becomes 0 where no column has a parent.
func lay(set model.LearnedSettings, levels []int, n, epsilon float64) (l layout, share float64) {
	g, d := set.Greedy, len(levels)
	share = g.Share
	l = layout{levels: levels, degree: -1, cells: set.MaxCells, tables: d}
	measuring := (1 - share) * epsilon
	switch {
	case g.Degree > 0:
		l.degree = min(g.Degree, d-1)
	case allBinary(levels):
		// the greatest k ≤ 4 whose tables have θ-useful counts: n/2^{k+1} over the scale 2(d−k)/((1−β)ε)
		for k := min(set.Width-1, d-1); k >= 0; k-- {
			if l.degree = k; n*measuring/(float64(d-k)*math.Pow(2, float64(k+2))) >= g.Theta {
				break
			}
		}
	default:
		for _, k := range levels {
			l.most = append(l.most, n*measuring/(2*float64(d)*g.Theta*float64(k)))
		}
	}
	switch {
	case l.degree >= 0:
		l.tables, l.chooses = d-l.degree, l.degree > 0
	default:
		for i, k := range levels {
			for j, most := range l.most {
				l.chooses = l.chooses || i != j && float64(k) <= most
			}
		}
	}
	if !l.chooses {
		share = 0
	}
	return l, share
}

func allBinary(levels []int) bool {
	return !slices.ContainsFunc(levels, func(k int) bool { return k != 2 })
}

// pair is a column with its parents, ascending.
type pair struct {
	parents []int
	column  int
}

// columns are those of its table, the column last.
func (p pair) columns() []int { return append(slices.Clone(p.parents), p.column) }

// candidates are the pairs that may be chosen after some columns were taken.
func (l layout) candidates(taken []int) (out []pair) {
	v := slices.Clone(taken)
	slices.Sort(v)
	for x := range l.levels {
		if slices.Contains(v, x) {
			continue
		}
		for _, parents := range l.parents(v, x) {
			out = append(out, pair{parents, x})
		}
	}
	return out
}

// parents are the sets of parents that column x may have among v: of the degree's size, or the largest useful ones.
// If there is none, it has no parents.
func (l layout) parents(v []int, x int) (out [][]int) {
	if l.degree >= 0 {
		return subsets(v, min(l.degree, len(v)))
	}
	most := math.Min(l.most[x], float64(l.cells/l.levels[x]))
	if out = l.useful(v, most); len(out) == 0 {
		return [][]int{nil}
	}
	return out
}

func (l layout) states(s []int) float64 {
	out := 1.0
	for _, i := range s {
		out *= float64(l.levels[i])
	}
	return out
}

// useful are the sets with at most so many states to which no column of v can be added.
func (l layout) useful(v []int, most float64) (out [][]int) {
	var walk func(at int, s []int)
	walk = func(at int, s []int) {
		have := l.states(s)
		if at == len(v) {
			for _, i := range v {
				if !slices.Contains(s, i) && have*float64(l.levels[i]) <= most {
					return
				}
			}
			out = append(out, slices.Clone(s))
			return
		}
		if have*float64(l.levels[v[at]]) <= most {
			walk(at+1, append(s[:len(s):len(s)], v[at]))
		}
		walk(at+1, s)
	}
	if most >= 1 {
		walk(0, nil)
	}
	return out
}

// subsets are the subsets of k of v, in order.
func subsets(v []int, k int) (out [][]int) {
	if k == 0 {
		return [][]int{nil}
	}
	for i := range v {
		for _, s := range subsets(v[i+1:], k-1) {
			out = append(out, append([]int{v[i]}, s...))
		}
	}
	return out
}

// count is how many candidates a step may have at most, up to a limit.
func (l layout) count(limit int) (n int) {
	d := len(l.levels)
	if l.degree >= 0 {
		for taken := range d {
			sets := 1.0
			for i := range min(l.degree, taken) {
				sets *= float64(taken-i) / float64(i+1)
			}
			n = max(n, int(math.Min(sets*float64(d-taken), float64(limit))))
		}
		return n
	}
	for x := range l.levels { // at most the sets of all columns, largest or not
		n += l.within(0, math.Min(l.most[x], float64(l.cells)), limit-n)
	}
	return n
}

func (l layout) within(at int, most float64, limit int) int {
	if most < 1 || limit <= 0 {
		return 0
	}
	n := 1
	for i := at; i < len(l.levels) && n < limit; i++ {
		n += l.within(i+1, most/float64(l.levels[i]), limit-n)
	}
	return n
}
