package parity

import (
	"fmt"
	"math"
	"slices"
)

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

// Margin is the table over a set of variables, strictly increasing and inside a family, that has the given
// coefficients; {n} for the empty set. It agrees with the margins of Tables.
//
// Errors: *FamilyError when no family contains the set, *ShapeError, *ValueError.
func (s *Spectrum) Margin(phi []float64, set []int) ([]float64, error) {
	from, err := s.within(set)
	if err != nil {
		return nil, err
	}
	if err := s.coefficients(phi); err != nil {
		return nil, err
	}
	var m family
	m.cells = 1
	for _, v := range set {
		if r := s.arities[v]; r > 1 {
			m.vars, m.arities = append(m.vars, v), append(m.arities, r)
			m.cells *= r
		}
	}
	return s.table(s.lookUp(m.vars, m.arities, m.cells, &s.fams[from]), m.arities, phi), nil
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
