package structure

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"slices"
	"strconv"

	"github.com/privbayes/privbayes-go/privbayes/model"
)

// candidate is what a round may choose: a table, or to stop.
type candidate struct {
	columns []int // the pair, then what separates it
	stop    bool
	pair    int // its place among the pairs, from 1; 0: it is none
}

func (c candidate) key() string {
	b := make([]byte, 0, 16)
	for _, v := range c.columns {
		b = append(strconv.AppendInt(b, int64(v), 10), ' ')
	}
	return string(b)
}

// allPairs are the candidates of a round of pairs, measured ones too but for those that no fit has seen yet.
func (s *learner) allPairs() []candidate {
	s.list = s.list[:0]
	for i := range s.pairs {
		if !s.fresh[s.pairs[i]] {
			s.list = append(s.list, candidate{columns: s.pairs[i][:], pair: i + 1})
		}
	}
	return s.list
}

// batch is how many rounds of pairs go by between fits: of many columns the choices of a few rounds hardly depend on
// one another. It is public.
func (q *problem) batch() int {
	if len(q.pairs) < 2*len(q.levels) { // there may be no others to choose from
		return 1
	}
	return max(1, len(q.levels)/batched)
}

// batched is the number of columns for which a fit is left out. Of 37 columns a fit in every other round costs no
// accuracy beyond its standard error, of 100 one in every sixth costs none; twice as many rounds do.
const batched = 15

// holds reports whether the score of a pair is that of an earlier round: between fits and, where fits are rare, of
// every third fit for pairs that none of its cliques has. It is a function of what was measured.
func (s *learner) holds(k int, c candidate) (bool, error) {
	switch fit := k / s.batch(); {
	case k%s.batch() > 0:
		return true, nil
	case s.batch() < rare || fit%3 == 0:
		return false, nil
	}
	joined, err := s.fit.Joined(c.columns[0], c.columns[1])
	return !joined, err
}

// rare is the number of rounds between fits from which pairs far apart are scored after every third fit alone. Their
// tables M take most of the time. Of 70 columns and 20,000 or 100,000 rows eight draws show no loss beyond about one
// standard error.
const rare = 4

// forest are the pairs that do not close a cycle.
func (s *learner) forest() (out []candidate) {
	part := s.parts()
	for i, p := range s.pairs {
		if part[p[0]] != part[p[1]] {
			out = append(out, candidate{columns: s.pairs[i][:]})
		}
	}
	return out
}

// parts numbers the connected parts of the graph of what was measured.
func (s *learner) parts() []int {
	part := make([]int, len(s.levels))
	for i := range part {
		part[i] = i
	}
	for e := range s.edges {
		if a, b := part[e[0]], part[e[1]]; a != b {
			for i := range part {
				if part[i] == b {
					part[i] = a
				}
			}
		}
	}
	return part
}

// chordal are the pairs that may be joined so that the graph stays chordal: ab where what both neighbour, S, separates
// them. The table is that of a, b and S.
func (s *learner) chordal() (out []candidate) {
	near := make([][]bool, len(s.levels))
	for i := range near {
		near[i] = make([]bool, len(s.levels))
	}
	for e := range s.edges {
		near[e[0]][e[1]], near[e[1]][e[0]] = true, true
	}
	for _, p := range s.pairs {
		if near[p[0]][p[1]] {
			continue
		}
		set, cells := []int{p[0], p[1]}, float64(s.levels[p[0]])*float64(s.levels[p[1]])
		for v := range near {
			if near[p[0]][v] && near[p[1]][v] {
				set, cells = append(set, v), cells*float64(s.levels[v])
			}
		}
		if len(set) <= s.set.Width && cells <= float64(s.set.MaxCells) && separated(near, p[0], p[1], set[2:]) {
			out = append(out, candidate{columns: set})
		}
	}
	return out
}

// separated reports whether every path from a to b meets the set.
func separated(near [][]bool, a, b int, by []int) bool {
	seen := make([]bool, len(near))
	for _, v := range by {
		seen[v] = true
	}
	seen[a] = true
	for list := []int{a}; len(list) > 0; list = list[1:] {
		for v, joined := range near[list[0]] {
			if joined && v == b {
				return false
			}
			if joined && !seen[v] {
				seen[v], list = true, append(list, v)
			}
		}
	}
	return true
}

// may reports whether a candidate may be chosen: of pairs, and beside structural zeros, those with which the fit can
// compute. It is a function of what was measured before this round and of nothing else. Which candidates a choice
// asks about depends on private scores: an answer that outlived its round, when another table has made a pair legal
// that was not, would carry them into later choices.
func (s *learner) may(ctx context.Context, c candidate) bool {
	switch {
	case c.stop:
		return true
	case s.weight(c) == 0:
		return false
	case !s.checked():
		return true
	}
	a, b := c.columns[0], c.columns[1]
	if s.edges[[2]int{min(a, b), max(a, b)}] {
		return true
	}
	pair := [2]int{a, b}
	ok, known := s.legal[pair]
	if !known {
		ok = s.triangulated(ctx, c.columns)
		s.legal[pair] = ok && ctx.Err() == nil
	}
	return ok
}

// expected is the public table M of a candidate, in whole numbers of the size, until the next.
func (s *learner) expected(ctx context.Context, c candidate) ([]int64, error) {
	if s.set.Algorithm == model.Pairs {
		p, err := s.fit.Pair(c.columns[0], c.columns[1])
		if err != nil {
			return nil, err
		}
		return s.round.of(p, s.size), nil
	}
	key := c.key()
	if m, ok := s.public[key]; ok {
		return m, nil
	}
	var m []int64
	switch {
	case len(c.columns) == 2 && len(s.zeros) == 0:
		m = productTable(s.margin[c.columns[0]], s.margin[c.columns[1]], s.size)
	case len(c.columns) == 2:
		p, err := s.fit.Pair(c.columns[0], c.columns[1])
		if err != nil {
			return nil, err
		}
		m = rounded(p, s.size)
	default:
		p, err := s.fit.Margin(ctx, c.columns...)
		if err != nil {
			return nil, err
		}
		return rounded(p, s.size), nil
	}
	s.public[key] = m
	return m, nil
}

// correction is what a score is lowered by, as a function of a table: the distance that sampling makes where the table
// has not been measured, and what the noise of the table costs. Of the public table M it is public.
func (s *learner) correction(k int, c candidate) func(m []int64) float64 {
	if s.plain {
		return constant(0)
	}
	a, b := c.columns[0], c.columns[1]
	known := s.set.Algorithm == model.Pairs && s.edges[[2]int{min(a, b), max(a, b)}]
	number, _ := s.phaseOf(k)
	free, forbidden := s.free(c.columns)
	return func(m []int64) float64 {
		sum := s.laws.phases[number].noiseCost(m, free, forbidden)
		if !known {
			sum += poissonDeviation(m)
		}
		return math.Min(sum, s.mostCorrection())
	}
}

// free is how many cells of a table are free, given its margins, and how many are structural zeros.
func (s *learner) free(columns []int) (free, forbidden float64) {
	free = float64(s.levels[columns[0]]-1) * float64(s.levels[columns[1]]-1)
	for _, v := range columns[2:] { // for every state of what separates them
		free *= float64(s.levels[v])
	}
	forbidden = float64(s.forbidden(columns))
	return free - forbidden, forbidden
}

// constant is the same correction for all tables.
func constant(c float64) func(m []int64) float64 { return func([]int64) float64 { return c } }

// score is u·L, L = ‖N − M‖₁ − c, of a candidate of weight u with the private table N; that of a stop is 0.
func (s *learner) score(ctx context.Context, k int, c candidate, table tables) (int64, error) {
	if c.stop {
		return 0, nil
	}
	m, err := s.expected(ctx, c)
	if err != nil {
		return 0, err
	}
	n, err := table(c.columns)
	if err != nil {
		return 0, err
	}
	return weighted(s.weight(c), scoreOf(n, m, s.correction(k, c))), nil
}

// scored is the score that a choice reads. Tests put wrong ones in its place.
var scored = (*learner).score

// scoreOf rounds the correction of the public table by itself: N moves the score by what it moves the distance by.
// Tests put wrong scores in its place.
var scoreOf = func(n, m []int64, correction func(m []int64) float64) int64 {
	return distance(n, m) - int64(math.Round(correction(m)))
}

// among are the candidates as their place in the list, for a choice.
func (s *learner) among(ctx context.Context, list []candidate) func(i int) bool {
	return func(i int) bool { return s.may(ctx, list[i]) }
}

// find is the place of a candidate among those of a round, −1 if it may not be chosen.
func (s *learner) find(ctx context.Context, list []candidate, r candidate) int {
	return slices.IndexFunc(list, func(c candidate) bool {
		return c.stop == r.stop && (c.stop || slices.Equal(c.columns, r.columns)) && s.may(ctx, c)
	})
}

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
	return topUp(out, rest, nil, left)
}

// topUp adds one to each of the left cells with the largest remainders; among equal ones to those of smaller index. It
// orders them in a buffer of that length, or a new one.
func topUp[R cmp.Ordered](out []int64, rest, buffer []R, left int64) []int64 {
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
	least := largest(append(buffer[:0], rest...), k)
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
func rounded(p []float64, n int64) []int64 { return new(whole).of(p, n) }

// whole is room for the numbers of [rounded].
type whole struct {
	out          []int64
	rest, buffer []float64
}

// of is rounded, until the next.
func (r *whole) of(p []float64, n int64) []int64 {
	if cap(r.out) < len(p) {
		r.out, r.rest, r.buffer = make([]int64, len(p)), make([]float64, len(p)), make([]float64, len(p))
	}
	total := 0.0
	for _, v := range p {
		total += math.Max(v, 0)
	}
	out, rest, left := r.out[:len(p)], r.rest[:len(p)], n
	for i, v := range p {
		x := math.Max(v, 0) / total * float64(n)
		if math.IsNaN(x) || math.IsInf(x, 0) {
			x = float64(n) / float64(len(p))
		}
		whole := math.Min(math.Floor(x), float64(left))
		out[i], rest[i] = int64(whole), x-whole
		left -= out[i]
	}
	return topUp(out, rest, r.buffer, left)
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

// A workload multiplies the score of every candidate by a whole public number u. Where L moves by at most 2 (by 1 under
// add-remove), u·L moves by 2u, so that two weighted scores move apart by at most u_max times what two scores do: the
// rate of a choice is divided by u_max (theory/structure.md §7).

// mostWeight is the largest weight. Tests put a wrong one in its place.
var mostWeight = func(weights []int64) int64 {
	if len(weights) == 0 {
		return 1
	}
	return slices.Max(weights)
}

// weighted is a score times a weight.
func weighted(u, score int64) int64 { return u * score }

// weight is that of a candidate's pair.
func (s *learner) weight(c candidate) int64 {
	if s.weights == nil || c.stop {
		return 1
	}
	if c.pair > 0 {
		return s.weights[c.pair-1]
	}
	a, b := min(c.columns[0], c.columns[1]), max(c.columns[0], c.columns[1])
	i := slices.Index(s.pairs, [2]int{a, b})
	if i < 0 {
		return 0
	}
	return s.weights[i]
}

// mostCorrection bounds corrections, so that weighted scores are numbers of 64 bits: records are at most 1e15, and
// weights 1000.
func (s *learner) mostCorrection() float64 {
	if s.weights == nil {
		return 1e17
	}
	return 4e15
}

// formula of a score.
func (q *problem) formula() string {
	if q.weights == nil {
		return "L = ‖N − M‖₁ − round(c)"
	}
	return "u·L, L = ‖N − M‖₁ − round(c), u a public weight"
}

// someWeights are those that checks enumerate: the largest weight and the least in turn; nil without a workload.
func (q *problem) someWeights(many int) (out []int64) {
	if q.weights == nil {
		return nil
	}
	least := q.weights[0]
	for _, u := range q.weights {
		if u > 0 && (u < least || least == 0) {
			least = u
		}
	}
	for i := range many {
		out = append(out, []int64{slices.Max(q.weights), least}[i%2])
	}
	return out
}

// weightInFile is the largest weight as certificates have it: none without a workload.
func (q *problem) weightInFile() int64 {
	if q.weights == nil {
		return 0
	}
	return q.top
}
