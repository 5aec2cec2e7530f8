package parity

import (
	"math/bits"
	"slices"
)

// ProjectVariance is, for every family, the variance of each cell of its table from Project, in the unit of the given
// variances (nil: all 1). It is the same for all cells of a table, and needs no data: MarginVariance of the family.
func (s *Spectrum) ProjectVariance(variances []float64) ([]float64, error) {
	out := make([]float64, len(s.given))
	for i, f := range s.given {
		v, err := s.MarginVariance(f, variances)
		if err != nil {
			return nil, err
		}
		out[i] = v
	}
	return out, nil
}

// MarginVariance is the variance of each cell of the table over a set of variables inside a family, from projected
// tables (Margin of ProjectCoefficients), when the cells of family f had uncorrelated noise of variance σ_f² (nil: 1
// everywhere):
//
//	Var = R_S^−2 Σ_{∅ ≠ T ⊆ S} Π_{v∈T} (r_v − 1) / Σ_{f ⊇ T} 1/(σ_f² R_f),  R_S = Π_{v∈S} r_v.
//
// It is 0 for the empty set: the total is known. Derivation: the φ_γ of support T are uncorrelated with variance 1/Σ_{f
// ⊇ T} w_f, and Σ_{supp γ = T} u_γ(c)² = Π_{v∈T}(r_v − 1) for every c, since the columns of the basis have squared
// length r_v. Cost 2^|S|·|S| plus one pass over the families.
//
// Errors: *FamilyError when no family contains the set; *ShapeError, *ValueError for the variances.
func (s *Spectrum) MarginVariance(set []int, variances []float64) (variance float64, err error) {
	defer end(&err)
	if _, err := s.within(set); err != nil {
		return 0, err
	}
	weights, err := s.weights(variances)
	if err != nil {
		return 0, err
	}
	var live []int
	cells := 1.0
	for _, v := range set {
		if s.arities[v] > 1 {
			live = append(live, v)
			cells *= float64(s.arities[v])
		}
	}
	w := make([]float64, 1<<len(live))
	s.watch.at(len(w) * (2 + len(live)))
	var near []int // the families that meet the set; others say nothing of it
	for _, v := range live {
		near = append(near, s.with[v]...)
	}
	slices.Sort(near)
	for _, i := range slices.Compact(near) {
		s.watch.at(4 + len(s.fams[i].vars))
		all := 0
		for _, v := range s.fams[i].vars {
			if k, ok := slices.BinarySearch(live, v); ok {
				all |= 1 << k
			}
		}
		w[all] += weights[i]
	}
	for k := range live { // sums over supersets: families that contain T
		for m := range w {
			if m>>k&1 == 0 {
				w[m] += w[m|1<<k]
			}
		}
	}
	size := make([]float64, len(w)) // Π_{v∈T} (r_v − 1)
	size[0] = 1
	sum := 0.0
	for m := 1; m < len(w); m++ {
		k := bits.TrailingZeros(uint(m))
		size[m] = size[m&(m-1)] * float64(s.arities[live[k]]-1)
		sum += size[m] / w[m]
	}
	return sum / (cells * cells), nil
}

// FourierVariance is the variance of each cell of the table over a set of variables inside a family, from Tables or
// Margin, when every coefficient but φ_0 has uncorrelated noise of variance 1:
//
//	(R − 1)/R²,  R = Π_{v∈S} r_v;  with two states 2^−2s (2^s − 1).
//
// Noise of variance 1 on φ_0 too would make it 1/R. Errors: *FamilyError when no family contains the set.
func (s *Spectrum) FourierVariance(set []int) (float64, error) {
	if _, err := s.within(set); err != nil {
		return 0, err
	}
	r := s.tableCells(set)
	return (r - 1) / r / r, nil
}

// RawVariance is the variance of each cell of the margin over a set, summed from the noisy table of family f ⊇ set
// whose cells have uncorrelated noise of variance 1: the number R_f/R_S of cells added. Errors: *FamilyError when the
// set is not in that family.
func (s *Spectrum) RawVariance(f int, set []int) (float64, error) {
	if err := s.check(-1, set); err != nil {
		return 0, err
	}
	if f < 0 || f >= len(s.given) || !subset(set, s.given[f]) {
		return 0, &FamilyError{-1, slices.Clone(set), "not in the family asked for", "variables of that family"}
	}
	return float64(s.fams[f].cells) / s.tableCells(set), nil
}

func (s *Spectrum) tableCells(set []int) float64 {
	r := 1.0
	for _, v := range set {
		r *= float64(s.arities[v])
	}
	return r
}
