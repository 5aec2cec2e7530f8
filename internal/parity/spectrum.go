// Package parity is the harmonic analysis of overlapping contingency tables: the coefficients that a set of family
// tables determines, their exact sensitivity to one record, the tables back from coefficients, and the least-squares
// projection of noisy tables on the consistent ones. It knows nothing of privacy, of networks or of data frames.
//
// A family is a strictly increasing list of variables; its table is mixed radix in that order, the last variable
// fastest. Every variable v with r_v states has an orthogonal basis of its functions,
//
//	u_0 = 1,  Σ_x u_j(x) u_k(x) = r_v·1[j = k],  Σ_j u_j(x) u_j(y) = r_v·1[x = y]   (Helmert; r_v = 2: u_1(x) = (−1)^x),
//
// a multi-index γ has the support {v: γ_v ≠ 0} and the function u_γ(x) = Π_v u_{γ_v}(x_v), and the data have the
// coefficients
//
//	φ_γ = Σ_records u_γ(x),  φ_0 = n,  and  C_S(c) = (1/Π_{v∈S} r_v) Σ_{supp γ ⊆ S} φ_γ u_γ(c)  for the table of S.
//
// The tables of the families are a linear image of the φ_γ with γ ∈ N, the multi-indices whose support lies inside a
// family: N is the downward closure of the families. With two states everywhere γ is a set g and φ_g = Σ_records
// (−1)^{⟨g,x⟩} an integer.
//
// Source: Zhang, Rubinstein and Dimitrakakis, "On the Differential Privacy of Bayesian Inference" (AAAI 2016), section
// 3.2, after Barak et al., "Privacy, Accuracy, and Consistency Too" (PODS 2007); unnormalised here, and with exact
// sensitivities.
package parity

import (
	"fmt"
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

// FamilyError is a family or a set of variables that cannot be used.
type FamilyError struct {
	Family int    // its place in the list, −1 for a set given alone
	Vars   []int  // its variables
	Reason string // what is wrong with it
	Want   string // what was expected
}

func (e *FamilyError) Error() string {
	name := "set"
	if e.Family >= 0 {
		name = fmt.Sprintf("family %d", e.Family)
	}
	return fmt.Sprintf("parity: %s %v: %s; want %s", name, e.Vars, e.Reason, e.Want)
}

// ArityError is a variable with a number of states that cannot be used.
type ArityError struct {
	Variable, Arity int
	Want            string
}

func (e *ArityError) Error() string {
	return fmt.Sprintf("parity: variable %d has %d states; want %s", e.Variable, e.Arity, e.Want)
}

// SizeError says that a table, or what is kept of all of them, would be too large. Nothing was allocated for it.
type SizeError struct {
	What  string  // "cells of a family", "cells of all families", "coefficients"
	Vars  []int   // the family concerned
	Count float64 // how many there would be
	Limit float64
}

func (e *SizeError) Error() string {
	return fmt.Sprintf("parity: family %v: %.6g %s; want at most %.6g", e.Vars, e.Count, e.What, e.Limit)
}

// ShapeError is an argument of the wrong length.
type ShapeError struct {
	What      string // "tables", "cells of table 3", "coefficients", …
	Got, Want int
}

func (e *ShapeError) Error() string {
	return fmt.Sprintf("parity: %d %s; want %d", e.Got, e.What, e.Want)
}

// ValueError is a number outside its domain.
type ValueError struct {
	What  string
	Value float64
	Want  string
}

func (e *ValueError) Error() string {
	return fmt.Sprintf("parity: %s is %g; want %s", e.What, e.Value, e.Want)
}

// InconsistentError says that two tables cannot come from the same records: they disagree on the margin of Vars.
type InconsistentError struct {
	FamilyA, FamilyB int
	Vars             []int // the support of the coefficient they disagree on, empty for the total
	A, B             int64 // the coefficient in either
}

func (e *InconsistentError) Error() string {
	return fmt.Sprintf("parity: tables %d and %d disagree on the margin of variables %v (coefficients %d and %d); "+
		"want tables of the same records",
		e.FamilyA, e.FamilyB, e.Vars, e.A, e.B)
}

// finite refuses NaN and infinities among the cells.
func finite(what string, x []float64) error {
	for i, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return &ValueError{fmt.Sprintf("%s %d", what, i), v, "a finite number"}
		}
	}
	return nil
}

// Coefficients are the integers φ_g = Σ_records (−1)^{⟨g,x⟩} of all g ∈ N, from the count tables of all families: one
// integer Walsh–Hadamard transform per table, never a table over all variables. Overlapping tables give identical
// integers; when they do not, the tables are not of the same records and that is an error.
//
// Errors: *ArityError when a variable of a family has not two states, *ShapeError, *ValueError when the magnitudes of a
// table add up to more than an int64 holds, *InconsistentError. Source: Theorem 2 of the paper of the package.
func (s *Spectrum) Coefficients(tables [][]int64) ([]int64, error) {
	if err := s.needBinary(); err != nil {
		return nil, err
	}
	if err := shapes(s, tables); err != nil {
		return nil, err
	}
	phi := make([]int64, len(s.cell))
	work := make([]int64, s.largest())
	pass := func(maximal bool) error {
		for i := range s.fams {
			f := &s.fams[i]
			if (f.inside == i) != maximal {
				continue
			}
			w := work[:f.cells]
			copy(w, tables[i])
			if err := fits(i, w); err != nil {
				return err
			}
			hadamard(w)
			for c, v := range w {
				switch at := int(f.pos[c]); {
				case at >= f.first && at < f.last:
					phi[at] = v
				case phi[at] != v:
					support, _ := s.Index(at)
					return &InconsistentError{s.Owner(at), i, support, phi[at], v}
				}
			}
		}
		return nil
	}
	if err := pass(true); err != nil {
		return nil, err
	}
	return phi, pass(false)
}

// fits refuses cells whose signed sums could overflow.
func fits(table int, x []int64) error {
	sum := uint64(0)
	for _, v := range x {
		a := uint64(v)
		if v < 0 {
			a = -a
		}
		if sum += a; a > math.MaxInt64 || sum > math.MaxInt64 {
			return &ValueError{fmt.Sprintf("the sum of the magnitudes of table %d", table), float64(sum),
				"at most 2^63 − 1"}
		}
	}
	return nil
}

// CoefficientsReal are the φ_γ = Σ_c C(c) u_γ(c), any numbers of states, each from the table of its owner: only the
// maximal families are read. For consistent tables it does not matter which is read; for tables that disagree, such as
// noisy ones, see Project. With two states everywhere they are the φ_g of Coefficients.
//
// Errors: *ShapeError; *ValueError for a cell that is not finite.
func (s *Spectrum) CoefficientsReal(tables [][]float64) ([]float64, error) {
	if err := shapes(s, tables); err != nil {
		return nil, err
	}
	phi := make([]float64, len(s.cell))
	work := make([]float64, s.largest())
	for _, i := range s.maximal {
		f := &s.fams[i]
		w := work[:f.cells]
		copy(w, tables[i])
		if err := finite(fmt.Sprintf("table %d: cell", i), w); err != nil {
			return nil, err
		}
		s.forward(f, w)
		for c, at := range f.pos {
			if int(at) >= f.first && int(at) < f.last {
				phi[at] = w[c]
			}
		}
	}
	return phi, nil
}

// Tables are the tables of all families that have the given coefficients:
//
//	C(c) = (1/Π r_v) Σ_{supp γ ⊆ S} φ_γ u_γ(c),  with two states 2^−s Σ_{g ⊆ S} φ_g (−1)^{⟨g,c⟩}.
//
// Any coefficients will do; the margins of overlapping tables agree, to rounding. The result need not be non-negative.
// Integer coefficients of binary count tables, below 2^53, give back the counts exactly.
//
// Errors: *ShapeError; *ValueError for a coefficient that is not finite.
func (s *Spectrum) Tables(phi []float64) ([][]float64, error) {
	if err := s.coefficients(phi); err != nil {
		return nil, err
	}
	return s.tables(phi), nil
}

func (s *Spectrum) tables(phi []float64) [][]float64 {
	out := make([][]float64, len(s.fams))
	for i := range s.fams {
		out[i] = s.table(s.fams[i].pos, s.fams[i].arities, phi)
	}
	return out
}

func (s *Spectrum) table(pos []int32, arities []int, phi []float64) []float64 {
	t := make([]float64, len(pos))
	for c, at := range pos {
		t[c] = phi[at]
	}
	if !s.binary {
		backward(arities, t)
		return t
	}
	hadamard(t)
	for c := range t {
		t[c] /= float64(len(t))
	}
	return t
}

// within is the place of the first family that contains the set.
func (s *Spectrum) within(set []int) (int, error) {
	if err := s.check(-1, set); err != nil {
		return 0, err
	}
	for _, i := range s.candidates(set) {
		if subset(set, s.given[i]) {
			return i, nil
		}
	}
	return 0, &FamilyError{-1, slices.Clone(set), "in no family", "variables of one family"}
}

func (s *Spectrum) needBinary() error {
	for _, f := range s.given {
		for _, v := range f {
			if r := s.arities[v]; r != 2 {
				return &ArityError{v, r, "2, for parities"}
			}
		}
	}
	return nil
}

func (s *Spectrum) coefficients(phi []float64) error {
	if len(phi) != len(s.cell) {
		return &ShapeError{"coefficients", len(phi), len(s.cell)}
	}
	return finite("coefficient", phi)
}

// largest is the number of cells of the largest family.
func (s *Spectrum) largest() int {
	n := 0
	for i := range s.fams {
		n = max(n, s.fams[i].cells)
	}
	return n
}

// shapes refuses tables that are not those of the families.
func shapes[T int64 | float64](s *Spectrum, tables [][]T) error {
	if len(tables) != len(s.fams) {
		return &ShapeError{"tables", len(tables), len(s.fams)}
	}
	for i, t := range tables {
		if len(t) != s.fams[i].cells {
			return &ShapeError{fmt.Sprintf("cells of table %d", i), len(t), s.fams[i].cells}
		}
	}
	return nil
}
