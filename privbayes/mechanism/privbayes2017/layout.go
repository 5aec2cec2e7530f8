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

// informationSteps are the steps of mutual information, in bits times n.
const informationSteps = 1024

// slop is above what floating point adds to the difference of two informations of n records and to the lemma's bound
// on it, in steps; tests put a wrong one in its place. With L = log₂n and u = 2⁻⁵³, in bits:
//
//	a logarithm   log₂ of a count is ln of its fraction in [½, 1), to a unit in the last place, times 1/ln 2, plus the
//	              exponent: at most 4u beside u·L. Times the count v, which rounds: v·(4u + 2u·L).
//	a score       its four groups of counts (table, states, levels, total) add up to n each: 4n·(4u + 2u·L). The sum
//	              is compensated (Neumaier 1974): its own error is u of its value, at most n·L, and below
//	              4·cells²·u²·n·L, which is less than u·n·L up to 2²⁵ cells.
//	a difference  of two scores: 2·(16n·u + 10n·u·L).
//	the lemma     n logarithms of a ratio near 1, which is rounded, and one of n: less than 16n·u + 4u·L·n.
//
// Together n·u·(48 + 24L), below n·(2⁻⁴⁷ + 2⁻⁴⁸·L) = n·u·(64 + 32L). 1/1024 of a step is more than that up to n = 10⁷.
var slop = func(n float64) float64 {
	return math.Max(1./1024, informationSteps*n*(0x1p-47+0x1p-48*math.Log2(n)))
}

// scoreOf is the score of a table of Π × X, the last of levels levels, as a whole number:
//
//	I   1024·n·I in bits, rounded
//	R   2n²·R = Σ|n·N(x, π) − N(x)N(π)|
//	F   2n·F = −min over assignments of the states π to the two levels of (n − 2K₀)₊ + (n − 2K₁)₊,
//
// K_x the number of records of level x among the states assigned to it. Tests put wrong scores in its place.
var scoreOf = func(s model.ParentScore, table []int64, levels int) int64 {
	switch s {
	case model.ByInformation:
		return information(table, levels)
	case model.ByMaximum:
		return maximum(table)
	}
	return difference(table, levels)
}

// margins are the counts of the states of Π, of the levels of X, and of all.
func margins(table []int64, levels int) (of, x []int64, n int64) {
	of, x = make([]int64, len(table)/levels), make([]int64, levels)
	for i, v := range table {
		of[i/levels], x[i%levels], n = of[i/levels]+v, x[i%levels]+v, n+v
	}
	return of, x, n
}

func information(table []int64, levels int) int64 {
	return int64(math.Round(informationSteps * bits(table, levels)))
}

// bits is n times the mutual information.
func bits(table []int64, levels int) float64 {
	of, x, n := margins(table, levels)
	sum, lost := 0.0, 0.0 // what the additions rounded away
	entropy := func(t []int64, sign float64) {
		for _, v := range t {
			if v > 1 { // v·log v
				term := sign * float64(v) * math.Log2(float64(v))
				next := sum + term
				if math.Abs(sum) >= math.Abs(term) {
					lost += (sum - next) + term
				} else {
					lost += (term - next) + sum
				}
				sum = next
			}
		}
	}
	entropy(table, 1)
	entropy(of, -1)
	entropy(x, -1)
	entropy([]int64{n}, 1)
	return math.Max(sum+lost, 0)
}

func difference(table []int64, levels int) (sum int64) {
	of, x, n := margins(table, levels)
	for i, v := range table {
		d := n*v - of[i/levels]*x[i%levels]
		sum += max(d, -d)
	}
	return sum
}

// maximum walks through the states of Π and keeps, for every K₀ that can be had, the greatest K₁.
func maximum(table []int64) int64 {
	best, n := map[int64]int64{0: 0}, int64(0)
	for i := 0; i < len(table); i += 2 {
		next := make(map[int64]int64, 2*len(best))
		keep := func(k0, k1 int64) {
			if old, ok := next[k0]; !ok || k1 > old {
				next[k0] = k1
			}
		}
		for k0, k1 := range best {
			keep(k0+table[i], k1)
			keep(k0, k1+table[i+1])
		}
		best = next
		n += table[i] + table[i+1]
	}
	least := int64(math.MaxInt64)
	for k0, k1 := range best {
		least = min(least, max(n-2*k0, 0)+max(n-2*k1, 0))
	}
	return -least
}

// printed is the paper's sensitivity in the units of scoreOf, under replace-one: of I by its Lemma for tables of which
// one side has two levels, binary, and for others; of R 3/n + 2/n²; of F 1/n. For I the two halves of a step that
// rounding may add, and [slop], are in it.
func printed(s model.ParentScore, n float64, binary bool) float64 {
	switch s {
	case model.ByMaximum:
		return 2
	case model.ByDistance:
		return 6*n + 4
	}
	bits := math.Log2(n) + (n-1)*math.Log2(n/(n-1))
	if !binary {
		bits = 2*math.Log2((n+1)/2) + (n-1)*math.Log2((n+1)/(n-1))
	}
	return informationSteps*bits + 1 + slop(n)
}

// moves is the most that replacing a record moves the score by. It is the paper's but for R of a table with a side of
// two levels, where it is 4(n − 1) in place of 6n + 4. With D(j) = N(1, j)·a₀ − N(0, j)·a₁, a the counts of the two
// levels and b those of the other side, the score is 2Σ|D(j)|, and moving a record
//
//	within its level, to another state,    changes two D by the other level's count, at most n − 1 each;
//	within its state j, to the other level,  changes D(j) by n − b_j and each other D(i) by at most b_i: 2(n − b_j);
//	to both others, from (0, j) to (1, i),   changes D(j) by |a₁ + 1 − b_j|, D(i) by |a₀ − 1 − b_i| and the rest by
//	                                         at most n − b_j − b_i: in all, by the four cases of the signs, 2(n − 1),
//
// always at most 2(n − 1), twice which is attained: records (0, 0) and n − 1 times (1, 1), the first of which becomes
// (1, 1). Tests put wrong ones in its place.
var moves = func(s model.ParentScore, n float64, binary bool) float64 {
	if s == model.ByDistance && binary {
		return 4 * (n - 1)
	}
	return printed(s, n, binary)
}
