package parity

import (
	"math"
	"slices"
	"sort"
)

// MaxCells is the largest table of one family, and the largest number of coefficients, that a Spectrum accepts; all
// family tables together may have MaxTotalCells.
const (
	MaxCells      = 1 << 27
	MaxTotalCells = 1 << 28
)

// Spectrum is the set N of the coefficients that determine the tables of some families, and the maps between the two.
// It is immutable and safe for concurrent use.
//
// The coefficients are numbered from 0, which is the constant one (φ_0 = n). Each belongs to one family, its owner: the
// first maximal family that contains its support. They follow the order of their owners, and within one the mixed-radix
// order of γ.
type Spectrum struct {
	arities []int
	given   [][]int // the families as given
	fams    []family
	maximal []int   // places of the maximal families, the first of equal ones
	cell    []int32 // of every coefficient, the mixed-radix γ in its owner
	binary  bool
	watch   Watch
	with    [][]int // of every variable, the families it is in without those of one state; the last entry lists all
	holding [][]int // the same with them
}

// family is a family without its variables of one state, which change neither table nor coefficients.
type family struct {
	vars, arities []int
	cells         int
	inside        int     // place of the maximal family that contains it, itself when it is one
	pos           []int32 // number of the coefficient of every mixed-radix γ
	first, last   int     // the coefficients it owns are [first, last)
}

// NewSpectrum makes the spectrum of the families of variables with the given numbers of states (each at least 1;
// variables in no family are allowed). Every family is strictly increasing; it may be empty, contained in another or
// equal to another.
//
// Errors: *ArityError, *FamilyError (no family, a variable out of range or order), *SizeError (a family of more than
// MaxCells cells, more than MaxCells coefficients, more than MaxTotalCells cells in all families).
func NewSpectrum(arities []int, families [][]int) (*Spectrum, error) {
	return WatchedSpectrum(Watch{}, arities, families)
}

// WatchedSpectrum is NewSpectrum under a watch, which the spectrum keeps: see Watched.
func WatchedSpectrum(w Watch, arities []int, families [][]int) (_ *Spectrum, err error) {
	defer end(&err)
	for v, r := range arities {
		if r < 1 {
			return nil, &ArityError{v, r, "at least 1"}
		}
	}
	if len(families) == 0 {
		return nil, &FamilyError{-1, nil, "no family", "at least one"}
	}
	s := &Spectrum{arities: slices.Clone(arities), given: make([][]int, len(families)),
		fams: make([]family, len(families)), binary: true, watch: w}
	total := 0.0
	for i, vars := range families {
		if err := s.check(i, vars); err != nil {
			return nil, err
		}
		s.given[i] = slices.Clone(vars)
		f := &s.fams[i]
		cells := 1.0
		for _, v := range vars {
			if r := arities[v]; r > 1 {
				f.vars, f.arities = append(f.vars, v), append(f.arities, r)
				cells *= float64(r)
			}
			s.binary = s.binary && arities[v] == 2
		}
		if cells > MaxCells {
			return nil, &SizeError{"cells of a family", s.given[i], cells, MaxCells}
		}
		f.cells = int(cells)
		if total += cells; total > MaxTotalCells {
			return nil, &SizeError{"cells of all families", s.given[i], total, MaxTotalCells}
		}
	}
	w.allocate("the coefficients", nil, 8*total+256*float64(len(families)))
	s.with, s.holding = s.familiesOf(), s.holdingOf()
	s.findMaximal()
	return s, s.number()
}

// check refuses a family that is not a strictly increasing list of known variables.
func (s *Spectrum) check(i int, vars []int) error {
	for k, v := range vars {
		if v < 0 || v >= len(s.arities) {
			return &FamilyError{i, slices.Clone(vars), "a variable out of range", "variables from 0, below the " +
				"number of arities"}
		}
		if k > 0 && vars[k-1] >= v {
			return &FamilyError{i, slices.Clone(vars), "not in order", "strictly increasing variables"}
		}
	}
	return nil
}

// Len is the number of families.
func (s *Spectrum) Len() int { return len(s.given) }

// Arities are the numbers of states.
func (s *Spectrum) Arities() []int { return slices.Clone(s.arities) }

// Families are the families in the order given.
func (s *Spectrum) Families() [][]int {
	out := make([][]int, len(s.given))
	for i, f := range s.given {
		out[i] = slices.Clone(f)
	}
	return out
}

// Cells is the number of cells Π r_v of the table of every family.
func (s *Spectrum) Cells() []int {
	out := make([]int, len(s.fams))
	for i := range s.fams {
		out[i] = s.fams[i].cells
	}
	return out
}

// Largest is √R of the largest family, R its cells: no |u_γ(x)| exceeds it, and it is 1 with two states everywhere,
// where they are ±1.
func (s *Spectrum) Largest() float64 {
	if s.binary {
		return 1
	}
	return math.Sqrt(float64(s.largest()))
}

// Maximal are the places of the families that no other contains; of equal ones the first.
func (s *Spectrum) Maximal() []int { return slices.Clone(s.maximal) }

// Binary reports whether every variable of every family has two states.
func (s *Spectrum) Binary() bool { return s.binary }

// Size is |N|, the constant coefficient included.
func (s *Spectrum) Size() int { return len(s.cell) }

// Index is the multi-index of coefficient i, 0 ≤ i < Size(): the variables of its support, increasing, and the basis
// function of each, from 1. Both are empty for i = 0, and for i out of range.
func (s *Spectrum) Index(i int) (support, function []int) {
	if i <= 0 || i >= len(s.cell) {
		return nil, nil
	}
	f := &s.fams[s.Owner(i)]
	c := int(s.cell[i])
	for k := len(f.vars) - 1; k >= 0; k-- {
		if d := c % f.arities[k]; d > 0 {
			support, function = append(support, f.vars[k]), append(function, d)
		}
		c /= f.arities[k]
	}
	slices.Reverse(support)
	slices.Reverse(function)
	return support, function
}

// Owner is the place of the family that coefficient i belongs to, −1 for i out of range.
func (s *Spectrum) Owner(i int) int {
	if i < 0 || i >= len(s.cell) {
		return -1
	}
	m := s.maximal
	return m[sort.Search(len(m), func(j int) bool { return s.fams[m[j]].last > i })]
}

// Containing are the places of all families that contain the set of variables, in order: for the support of a
// coefficient the families whose tables determine it.
func (s *Spectrum) Containing(set []int) []int {
	var out []int
	for _, i := range s.candidates(set) {
		if subset(set, s.given[i]) {
			out = append(out, i)
		}
	}
	return out
}

// subset reports whether every element of a is in b, both increasing.
func subset(a, b []int) bool {
	if len(a) > len(b) {
		return false
	}
	j := 0
	for _, x := range a {
		for j < len(b) && b[j] < x {
			j++
		}
		if j == len(b) || b[j] != x {
			return false
		}
	}
	return true
}
