package partition

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/sample"
)

// Superset is a release of which of some public codes are held, with noisy counts. All codes get noise, those that
// nobody holds, too: geometric noise, not truncated. So no δ is needed. See theory/categories.md §4.
type Superset struct {
	Rule  Rule
	Codes uint64  // how many there are
	Beta  float64 // bounds the probability that any code is released which nobody holds
}

// lowest has the least cut with
//
//	codes·P(Z > cut) = codes·q^{cut+1}/(1+q) ≤ β,  q = e^{−γ},
//
// and reports whether there is one.
func (s Superset) lowest() (Superset, bool) {
	fits := func(cut int64) bool {
		s.Rule.Cut = cut
		return s.False() <= s.Beta
	}
	s.Rule.Cut = first(0, maxCut, fits)
	return s, fits(s.Rule.Cut)
}

// valid checks what a file says.
func (s Superset) valid() error {
	switch {
	case s.Rule.Noise != Plain:
		return domain.Refuse("partition", "noise", string(s.Rule.Noise), fmt.Sprintf("%q", Plain))
	case s.Codes < 1 || s.Codes > 1<<32:
		return domain.Refuse("partition", "codes", s.Codes, "1 to 2^32")
	case !(s.Beta > 0 && s.Beta < 1):
		return domain.Refuse("partition", "β", s.Beta, "above 0 and below 1")
	}
	return s.Rule.Valid()
}

// False bounds the probability that any code is released which nobody holds, rounded up: their mean number, of all
// codes. It is above 0.
func (s Superset) False() float64 {
	return math.Exp(math.Log(float64(s.Codes))+s.Rule.logTail(s.Rule.Cut+1))*(1+1e-12) + math.SmallestNonzeroFloat64
}

// Cell is a code of a superset by its place, from 0 on, and a count.
type Cell struct {
	Place uint64
	Count int64
}

// Draw releases which codes have noisy counts above the cut, in the order of their places, with these counts. Held are
// the codes that units hold, in that order. What comes out has the distribution of noise on all codes. Its time grows
// with what is held, with what is released, and by two bits a code.
func (s Superset) Draw(src rand.Source, held []Cell) []Cell { return s.sparse(s.random(src), held) }

// random are the choices of a draw from a source.
func (s Superset) random(src rand.Source) randomBits {
	g := sample.TwoSidedGeometric{Num: s.Rule.Num, Den: s.Rule.Den}
	return randomBits{
		noise:  func() int64 { return g.Draw(src) },
		above:  func(n uint64) uint64 { return g.Exceeding(src, n, s.Rule.Cut+1) },
		among:  func(n, m uint64) []uint64 { return sample.Subset(src, n, m) },
		excess: func() int64 { return g.Excess(src) },
	}
}

// randomBits are the random choices of a draw, which a test enumerates.
type randomBits struct {
	noise  func() int64               // Z
	above  func(n uint64) uint64      // how many of n values of Z are above the cut
	among  func(n, m uint64) []uint64 // m of the numbers 0, …, n−1, in their order
	excess func() int64               // Z − cut − 1 of a Z above the cut
}

// sparse draws the noise of held codes one by one, and of the others only where it is above the cut: how many these
// are, which, and by how much.
func (s Superset) sparse(c randomBits, held []Cell) (out []Cell) {
	for _, h := range held {
		if y := h.Count + c.noise(); y > s.Rule.Cut {
			out = append(out, Cell{h.Place, y})
		}
	}
	empty := s.Codes - uint64(len(held))
	for _, rank := range c.among(empty, c.above(empty)) {
		// The rank-th code that nobody holds comes after all held ones with at most rank empty ones before them.
		before := sort.Search(len(held), func(i int) bool { return held[i].Place-uint64(i) > rank })
		out = append(out, Cell{rank + uint64(before), s.Rule.Cut + 1 + c.excess()})
	}
	slices.SortFunc(out, func(a, b Cell) int { return cmp.Compare(a.Place, b.Place) })
	return out
}
