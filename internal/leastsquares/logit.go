package leastsquares

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/privbayes/privbayes-go/internal/domain"
)

// LogitScale is what least squares on classes −1 and 1 are multiplied by to stand for log-odds: between 2, the slope of
// the log-odds of (1+m)/2 at m = 0, and their chord over |m| ≤ .88.
const LogitScale = 2.4

// Logit is LogitScale·(S₊ + λI)⁻¹s, S₊ being S = XᵀX with its eigenvalues below floor raised to it, s = Xᵀy of classes
// y = −1, 1; and how many were raised. It is not the logistic regression but near it where most probabilities lie
// between .05 and .95. Of noisy moments it is post-processing, for public floor and λ > 0. Errors: *domain.Error.
// Source: theory/numbers.md §5.
func Logit(xx *mat.SymDense, xy []float64, lambda, floor float64) (w []float64, raised int, err error) {
	if err := checkPositive("ridge λ", lambda); err != nil {
		return nil, 0, err
	}
	system, raised, err := Repair(xx, floor)
	if err != nil {
		return nil, 0, err
	}
	if len(xy) != system.SymmetricDim() {
		return nil, 0, domain.Refuse("leastsquares", "length of Xᵀy", float64(len(xy)), "the dimension of XᵀX")
	}
	for i := range xy {
		system.SetSym(i, i, system.At(i, i)+lambda)
	}
	var chol mat.Cholesky
	var out mat.VecDense
	if !chol.Factorize(system) || chol.SolveVecTo(&out, mat.NewVecDense(len(xy), xy)) != nil {
		return nil, 0, domain.Refuse("leastsquares", "ridge λ", lambda,
			"one that makes XᵀX + λI positive definite in floating point")
	}
	out.ScaleVec(LogitScale, &out)
	for _, v := range out.RawVector().Data {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, 0, domain.Refuse("leastsquares", "weight", v, "moments and a ridge whose weights are finite")
		}
	}
	return out.RawVector().Data, raised, nil
}
