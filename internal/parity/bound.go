package parity

import (
	"fmt"
	"math"
)

// FourierBound bounds the L1 error ‖C_S(noisy) − C_S‖₁ of the table of one family under Laplace noise on its
// coefficients, with probability at least 1 − Delta: the paper's Theorem 3 and a sharper form. All numbers are public.
type FourierBound struct {
	Size int // |N|, all coefficients, at least 1
	// L1 sensitivity of the coefficients: the paper's 2|N|, or 2·odd(N); the noise has scale b = Sensitivity/Epsilon
	Sensitivity float64
	Epsilon     float64 // positive
	Delta       float64 // failure probability, between 0 and 1
	Cells       int     // cells of the table, 2^s with two states everywhere
	Increment   float64 // added to φ_0, at least 0: all of it appears in the error
}

// Paper is Theorem 3,
//
//	b·R·ln(|N|/δ) + increment,  R = 2^s cells;  with b = 2|N|/ε and the increment 4t|N|²/ε
//	(4|N|/ε)(2^(s−1) ln(|N|/δ) + t|N|),
//
// a union bound over all |N| coefficients, each counted with its largest effect. Errors: *ValueError.
func (p FourierBound) Paper() (float64, error) {
	if err := p.check(); err != nil {
		return 0, err
	}
	return p.scale()*float64(p.Cells)*math.Log(float64(p.Size)/p.Delta) + p.Increment, nil
}

// Parseval is
//
//	b·√R·ln(R/δ) + increment.
//
// Only the R coefficients of the table matter, and by Parseval ‖e‖₁ ≤ √R·‖e‖₂ = ‖η‖₂ ≤ √R·max|η| for the noise η on
// them; for any orthogonal basis, so also beyond two states. Errors: *ValueError.
func (p FourierBound) Parseval() (float64, error) {
	if err := p.check(); err != nil {
		return 0, err
	}
	cells := float64(p.Cells)
	return p.scale()*math.Sqrt(cells)*math.Log(cells/p.Delta) + p.Increment, nil
}

func (p FourierBound) scale() float64 { return p.Sensitivity / p.Epsilon }

func (p FourierBound) check() error {
	switch {
	case p.Cells < 1:
		return &ValueError{"the number of cells", float64(p.Cells), "at least 1"}
	case p.Size < p.Cells:
		return &ValueError{"|N|", float64(p.Size), fmt.Sprintf("at least the %d cells of the table", p.Cells)}
	case !(p.Sensitivity >= 0) || math.IsInf(p.Sensitivity, 1):
		return &ValueError{"the sensitivity", p.Sensitivity, "a finite number of at least 0"}
	case !(p.Epsilon > 0) || math.IsInf(p.Epsilon, 1):
		return &ValueError{"ε", p.Epsilon, "a positive finite number"}
	case !(p.Delta > 0 && p.Delta < 1):
		return &ValueError{"δ", p.Delta, "a number between 0 and 1"}
	case !(p.Increment >= 0) || math.IsInf(p.Increment, 1):
		return &ValueError{"the increment", p.Increment, "a finite number of at least 0"}
	}
	return nil
}
