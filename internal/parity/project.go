package parity

import (
	"fmt"
	"math"
)

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
				return nil, &ValueError{fmt.Sprintf("the variance of family %d", i), v, "a number between 1e-150 and " +
					"1e150"}
			}
			w[i] /= variances[i]
		}
	}
	return w, nil
}
