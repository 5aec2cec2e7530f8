package structure

import (
	"context"
	"math"
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

// allPairs are the candidates of the rounds of pairs, measured ones too but for those that no fit has seen yet.
func (s *learner) allPairs() []candidate {
	out := make([]candidate, 0, len(s.pairs))
	for i := range s.pairs {
		if !s.fresh[s.pairs[i]] {
			out = append(out, candidate{columns: s.pairs[i][:], pair: i + 1})
		}
	}
	return out
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
	case s.set.Algorithm != model.Pairs && len(s.zeros) == 0:
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

// expected is the public table M of a candidate, in whole numbers of the size.
func (s *learner) expected(ctx context.Context, c candidate) ([]int64, error) {
	if s.set.Algorithm == model.Pairs {
		p, err := s.fit.Pair(c.columns[0], c.columns[1])
		if err != nil {
			return nil, err
		}
		return rounded(p, s.size), nil
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

// correction is what a score is lowered by: the distance that sampling makes where the table has not been measured, and
// what the noise of the table costs. It is public.
func (s *learner) correction(k int, c candidate, m []int64) float64 {
	if s.plain {
		return 0
	}
	a, b := c.columns[0], c.columns[1]
	sum := 0.0
	if s.set.Algorithm != model.Pairs || !s.edges[[2]int{min(a, b), max(a, b)}] {
		sum = poissonDeviation(m)
	}
	number, _ := s.phaseOf(k)
	free := float64(s.levels[a]-1) * float64(s.levels[b]-1)
	for _, v := range c.columns[2:] { // for every state of what separates them
		free *= float64(s.levels[v])
	}
	free = math.Max(free-float64(s.forbidden(c.columns)), 0)
	return math.Min(sum+s.laws.phases[number].mean*free, s.mostCorrection())
}

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
	return weighted(s.weight(c), scoreOf(n, m, s.correction(k, c, m))), nil
}

// scored is the score that a choice reads. Tests put wrong ones in its place.
var scored = (*learner).score

// scoreOf rounds the public correction by itself: N moves the score by what it moves the distance by. Tests put wrong
// scores in its place.
var scoreOf = func(n, m []int64, correction float64) int64 {
	return distance(n, m) - int64(math.Round(correction))
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
