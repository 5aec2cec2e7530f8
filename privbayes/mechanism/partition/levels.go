package partition

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sort"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
)

// Levels is a release of which nodes of a public tree are held, a [Superset] at every level, coarse nodes first. All
// nodes of the first level get noise, and of every later one the children of those that were released. A plain superset
// has one level. See theory/categories.md §4 and §5.
type Levels struct {
	Rule   Rule     `json:"rule"`             // of the first level, at a share of 1
	Nodes  []uint64 `json:"nodes"`            // how many each level has
	Shares []uint64 `json:"shares,omitempty"` // of each level in the rate of all; one each where there is none
	// Beta bounds the probability that any node is released which nobody holds. Each level has the same part of it.
	Beta float64 `json:"beta"`
}

// mostShare is the largest share of a level.
const mostShare = 100

// CalibrateLevels takes the greatest rate at which noise on the counts of all levels meets the level of privacy, where
// a unit moves r = c.Moved counts at each. Of pure ε it is ε/(r·Σ shares). The cut of a level is the least that meets
// β. The target is any but one that is none. Errors: *dp.ParameterError.
func CalibrateLevels(level dp.Parameters, c Change, nodes, shares []uint64, beta float64) (Levels, error) {
	l := Levels{Rule: Rule{Noise: Plain, Num: 1, Den: 1}, Nodes: nodes, Shares: shares, Beta: beta}
	if err := l.valid(); err != nil {
		return l, err
	}
	if err := c.valid(); err != nil {
		return l, err
	}
	rate, err := l.rate(level, c)
	if err != nil {
		return l, err
	}
	l.Rule.Num, l.Rule.Den = rate.Num, rate.Den
	for i, n := range nodes { // all nodes have the highest cut
		if _, ok := l.At(i, n); !ok {
			return l, domain.Refuse("partition", "level", level, "an ε for which the cut is below 2^40")
		}
	}
	s, _ := l.At(0, nodes[0])
	l.Rule.Cut = s.Rule.Cut
	return l, l.valid()
}

// rate is the greatest that meets a level.
func (l Levels) rate(level dp.Parameters, c Change) (noise.Rational, error) {
	const digits = 40
	meets := func(x float64) bool { return loss.Meets(l.pair(x, c), level) }
	all := float64(c.Moved) * l.sharesTogether()
	start := float64(level.Epsilon) / all
	if level.Notion == dp.Concentrated || level.Notion == dp.TruncatedConcentrated {
		start = math.Sqrt(2*level.Rho) / all // pure ε has ρ ≤ ε²/2
	}
	low := noise.Dyadic(start, digits, false)
	if !meets(low.Float()) { // by the last digit
		low = noise.Dyadic(start*(1-1e-9), digits, false)
	}
	if level.Notion != dp.Pure && meets(low.Float()) {
		lo, hi := low.Float(), low.Float()
		for hi < 1<<10 && meets(hi) {
			hi *= 2
		}
		for hi/lo > 1+1e-9 {
			if mid := math.Sqrt(lo * hi); meets(mid) {
				lo = mid
			} else {
				hi = mid
			}
		}
		low = noise.Dyadic(lo, digits, false)
	}
	if _, err := sample.NewTwoSidedGeometric(low.Num, low.Den); err != nil || !meets(low.Float()) {
		return low, domain.Refuse("partition", "level", level, "an ε of at least 2^-31 for each count "+
			"that a unit moves, and below 2^53")
	}
	return low, nil
}

// share is that of a level.
func (l Levels) share(level int) uint64 {
	if l.Shares == nil {
		return 1
	}
	return l.Shares[level]
}

func (l Levels) sharesTogether() (sum float64) {
	for i := range l.Nodes {
		sum += float64(l.share(i))
	}
	return sum
}

// pair dominates what a unit changes at the counts of all levels, at the rate x of a share of 1.
func (l Levels) pair(x float64, c Change) loss.Pair {
	parts := make([]loss.Repeat, len(l.Nodes))
	equal := true
	for i := range parts {
		parts[i] = loss.Repeat{Pair: loss.GeometricPair{Rate: x * float64(l.share(i)), Cells: c.Moved}, Times: 1}
		equal = equal && l.share(i) == l.share(0)
	}
	if equal {
		return loss.GeometricPair{Rate: x * float64(l.share(0)), Cells: c.Moved * len(l.Nodes)}
	}
	all, err := loss.Declare(parts...)
	if err != nil {
		return loss.GeometricPair{Rate: math.Inf(1), Cells: 1} // meets nothing
	}
	return all
}

// valid checks what a file says.
func (l Levels) valid() error {
	if len(l.Nodes) < 1 || l.Shares != nil && len(l.Shares) != len(l.Nodes) {
		return domain.Refuse("partition", "shares", len(l.Shares), fmt.Sprintf("one of each of %d levels", len(l.Nodes)))
	}
	for i, n := range l.Nodes {
		if s := l.share(i); s < 1 || s > mostShare || l.Shares != nil && l.Rule.Num > 1<<56 {
			return domain.Refuse("partition", "share", s, fmt.Sprintf("1 to %d", mostShare))
		}
		s := l.superset(i, n)
		if s.Rule.Cut = l.Rule.Cut; s.valid() != nil {
			return s.valid()
		}
	}
	return nil
}

// superset is a level where so many of its nodes get noise, without its cut.
func (l Levels) superset(level int, nodes uint64) Superset {
	r := l.Rule
	r.Num, r.Cut = r.Num*l.share(level), 0
	part := l.Beta
	if m := len(l.Nodes); m > 1 {
		part = l.Beta / float64(m) * (1 - 1e-12) // their sum is not above β
	}
	return Superset{Rule: r, Codes: nodes, Beta: part}
}

// At is a level where so many of its nodes get noise, with the least cut that meets β, and whether there is one.
func (l Levels) At(level int, nodes uint64) (Superset, bool) {
	return l.superset(level, nodes).lowest()
}

// False bounds the probability that any node is released which nobody holds.
func (l Levels) False() (sum float64) {
	for i, n := range l.Nodes {
		s, _ := l.At(i, n)
		if i == 0 {
			s.Rule.Cut = l.Rule.Cut
		}
		sum += s.False()
	}
	return sum
}

// Tree is a public tree, of which every node but those of the last level has children at the next, or none.
type Tree interface {
	Depth() int
	Nodes(level int) uint64
	// Children are n nodes of the next level from first on. Those of nodes in order are in order, and are no other's.
	Children(level int, place uint64) (first, n uint64)
}

// nodes are places of a level, in order: each span has n from first on, and comes after before others.
type nodes []span

type span struct{ first, n, before uint64 }

func (s nodes) add(first, n uint64) nodes {
	if n == 0 {
		return s
	}
	return append(s, span{first, n, s.many()})
}

// many is how many there are.
func (s nodes) many() uint64 {
	if len(s) == 0 {
		return 0
	}
	return s[len(s)-1].before + s[len(s)-1].n
}

// rank is the number of a place among them.
func (s nodes) rank(place uint64) (rank uint64, in bool) {
	i := sort.Search(len(s), func(i int) bool { return s[i].first+s[i].n > place })
	if i == len(s) || place < s[i].first {
		return 0, false
	}
	return s[i].before + place - s[i].first, true
}

// place is that of a rank.
func (s nodes) place(rank uint64) uint64 {
	i := sort.Search(len(s), func(i int) bool { return s[i].before+s[i].n > rank })
	return s[i].first + rank - s[i].before
}

// below are the children of released nodes.
func below(t Tree, level int, shown []Cell) (out nodes) {
	for _, c := range shown {
		out = out.add(t.Children(level, c.Place))
	}
	return out
}

// Draw releases which nodes of every level have noisy counts above the cut of the level, in the order of their places,
// and these cuts. Held are the nodes that units hold, in that order. The nodes that get noise at a level follow from
// what was released before, and so does the cut. Levels at which none gets noise are left out.
func (l Levels) Draw(src rand.Source, t Tree, held [][]Cell) (shown [][]Cell, cuts []int64) {
	return l.draw(func(s Superset) randomBits { return s.random(src) }, t, held)
}

func (l Levels) draw(choose func(s Superset) randomBits, t Tree, held [][]Cell) (shown [][]Cell, cuts []int64) {
	noised := nodes{}.add(0, t.Nodes(0))
	for level := 0; noised.many() > 0; level++ {
		s, _ := l.At(level, noised.many())
		var inside []Cell
		for _, h := range held[level] {
			if rank, in := noised.rank(h.Place); in {
				inside = append(inside, Cell{rank, h.Count})
			}
		}
		got := s.sparse(choose(s), inside)
		for i := range got {
			got[i].Place = noised.place(got[i].Place)
		}
		shown, cuts = append(shown, got), append(cuts, s.Rule.Cut)
		if level == t.Depth()-1 {
			break
		}
		noised = below(t, level, got)
	}
	return shown, cuts
}

// Check refuses nodes and cuts that no draw releases: *dp.ParameterError.
func (l Levels) Check(t Tree, shown [][]Cell, cuts []int64) error {
	noised := nodes{}.add(0, t.Nodes(0))
	if len(shown) != t.Depth() || len(cuts) == 0 || len(cuts) > t.Depth() || cuts[0] != l.Rule.Cut {
		return domain.Refuse("partition", "cuts", len(cuts), fmt.Sprintf("that of the first level, %d, and of the others",
			l.Rule.Cut))
	}
	for level, got := range shown {
		if level > 0 {
			noised = below(t, level-1, shown[level-1])
		}
		if drawn := noised.many() > 0; drawn != (level < len(cuts)) {
			return domain.Refuse("partition", "cuts", len(cuts), "one of each level at which nodes get noise")
		} else if !drawn && len(got) == 0 {
			continue
		}
		for i, c := range got {
			if _, in := noised.rank(c.Place); !in || i > 0 && c.Place <= got[i-1].Place || c.Count <= cuts[level] {
				return domain.Refuse("partition", fmt.Sprintf("node of level %d", level+1), c.Count,
					"a child of a node that is listed, once, with a count above the cut")
			}
		}
		s := l.superset(level, noised.many())
		if s.Rule.Cut = cuts[level]; s.valid() != nil || s.False() > s.Beta {
			return domain.Refuse("partition", fmt.Sprintf("cut of level %d", level+1), cuts[level],
				fmt.Sprintf("one with %d nodes of which any that nobody holds is listed with at most %.3g", s.Codes, s.Beta))
		}
	}
	return nil
}
