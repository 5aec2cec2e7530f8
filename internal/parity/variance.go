package parity

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
)

// MarginVariance is the variance of each cell of the table over a set of variables inside a family, from projected
// tables (those of ProjectCoefficients), when the cells of family f had uncorrelated noise of variance σ_f² (nil: 1
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

// Project is the least-squares projection of noisy tables on the consistent tables of the given total, the best linear
// unbiased estimate when the noise of the cells is uncorrelated with mean 0. It is post-processing: it needs no more
// privacy.
//
// variances are the noise variances of a cell of every family, up to a common factor; nil means all equal. With y_f =
// U_f^T φ_f/R_f + noise of variance σ_f² per cell, R_f = Π_{v∈f} r_v, the transform U_f y_f has uncorrelated entries
// φ_γ + noise of variance σ_f² R_f, because U_f U_f^T = R_f·1. So generalised least squares falls apart into one
// weighted mean for every coefficient,
//
//	φ_γ = Σ_{f ⊇ supp γ} w_f (U_f y_f)_γ / Σ_{f ⊇ supp γ} w_f,  w_f = 1/(σ_f² R_f),  and φ_0 = total,
//
// which is exact whatever families overlap. Leave out the families not released by making the spectrum without them:
// their tables come from Margin. The tables sum to the total, agree on every common margin, and may have negative
// cells.
//
// Errors: *ShapeError; *ValueError for a cell or total not finite, or a variance outside [1e-150, 1e150].
func (s *Spectrum) Project(noisy [][]float64, variances []float64, total float64) ([][]float64, error) {
	phi, err := s.ProjectCoefficients(noisy, variances, total)
	if err != nil {
		return nil, err
	}
	return s.tables(phi), nil
}

// ProjectCoefficients are the coefficients of the tables of Project, for Margin.
func (s *Spectrum) ProjectCoefficients(noisy [][]float64, variances []float64, total float64) ([]float64, error) {
	if err := shapes(s, noisy); err != nil {
		return nil, err
	}
	if math.IsNaN(total) || math.IsInf(total, 0) {
		return nil, &ValueError{"the total", total, "a finite number"}
	}
	weights, err := s.weights(variances)
	if err != nil {
		return nil, err
	}
	phi, sum := make([]float64, len(s.cell)), make([]float64, len(s.cell))
	work := make([]float64, s.largest())
	for i := range s.fams {
		f, w := &s.fams[i], work[:s.fams[i].cells]
		copy(w, noisy[i])
		if err := finite(fmt.Sprintf("table %d: cell", i), w); err != nil {
			return nil, err
		}
		s.forward(f, w)
		for c, at := range f.pos {
			phi[at] += weights[i] * w[c]
			sum[at] += weights[i]
		}
	}
	for at := range phi {
		phi[at] /= sum[at]
	}
	phi[0] = total
	return phi, nil
}

// weights are w_f = 1/(σ_f² R_f). The bounds on the variances keep every sum and reciprocal of them in range.
func (s *Spectrum) weights(variances []float64) ([]float64, error) {
	if variances != nil && len(variances) != len(s.fams) {
		return nil, &ShapeError{"variances", len(variances), len(s.fams)}
	}
	w := make([]float64, len(s.fams))
	for i := range w {
		w[i] = 1 / float64(s.fams[i].cells)
		if variances != nil {
			if v := variances[i]; !(v >= 1e-150 && v <= 1e150) {
				return nil, &ValueError{fmt.Sprintf("the variance of family %d", i), v, "a number between 1e-150 and 1e150"}
			}
			w[i] /= variances[i]
		}
	}
	return w, nil
}

// Watch keeps long work within limits. It is for one goroutine.
type Watch struct {
	// Step is told of elementary steps as the work goes on, and ends it with the error it returns; nil: nobody is told.
	Step func(steps int) error
	// Bytes is what one computation may allocate; 0: what there is. More is refused with *SizeError.
	Bytes float64
	// Steps is how many elementary steps one computation may take; 0: any number. More are refused with *SizeError.
	Steps float64
}

// stopped carries a watch's error out of nested loops to the exported function that they serve.
type stopped struct{ err error }

// at tells the watch of steps.
func (w Watch) at(steps int) {
	if w.Step == nil {
		return
	}
	if err := w.Step(steps); err != nil {
		panic(stopped{err})
	}
}

// allocate refuses what would take more bytes than the watch allows.
func (w Watch) allocate(what string, vars []int, bytes float64) {
	if w.Bytes > 0 && !(bytes <= w.Bytes) {
		panic(stopped{&SizeError{"bytes of " + what, vars, bytes, w.Bytes}})
	}
}

// spend refuses what would take more steps than the watch allows.
func (w Watch) spend(what string, steps float64) {
	if w.Steps > 0 && !(steps <= w.Steps) {
		panic(stopped{&SizeError{"steps of " + what, nil, steps, w.Steps}})
	}
}

// end turns what at and allocate threw into the error of an exported function that defers it.
func end(err *error) {
	switch r := recover().(type) {
	case nil:
	case stopped:
		*err = r.err
	default:
		panic(r)
	}
}

// Watched is the same spectrum, whose long computations go on under w; under the zero Watch they are free.
func (s *Spectrum) Watched(w Watch) *Spectrum {
	c := *s
	c.watch = w
	return &c
}
