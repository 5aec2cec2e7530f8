package leastsquares

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/privbayes/privbayes-go/internal/domain"
)

// Repair raises the eigenvalues of a symmetric matrix below floor ≥ 0 to floor: the nearest matrix, in Frobenius norm,
// with no eigenvalue below it. It tells how many were raised. Applied to noisy moments it is post-processing, provided
// that floor is public; it biases the directions it raises. Errors: *domain.Error.
func Repair(a *mat.SymDense, floor float64) (repaired *mat.SymDense, raised int, err error) {
	if !(floor >= 0) || math.IsInf(floor, 1) {
		return nil, 0, domain.Refuse("leastsquares", "eigenvalue floor", floor, "0 ≤ floor < ∞")
	}
	if a == nil {
		return nil, 0, domain.Refuse("leastsquares", "dimension", 0, "at least 1")
	}
	d := a.SymmetricDim()
	for i := range d {
		for j := i; j < d; j++ {
			if v := a.At(i, j); math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, 0, domain.Refuse("leastsquares", "matrix entry", v, "a finite number")
			}
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(a, true) {
		return nil, 0, domain.Refuse("leastsquares", "matrix", math.NaN(), "eigenvalues that converge")
	}
	repaired = mat.NewSymDense(d, nil)
	repaired.CopySym(a)
	var q mat.Dense
	eigen.VectorsTo(&q)
	for k, v := range eigen.Values(nil) {
		if v < floor { // add what is missing along the eigenvector: untouched directions keep their digits
			repaired.SymRankOne(repaired, floor-v, q.ColView(k))
			raised++
		}
	}
	return repaired, raised, nil
}
