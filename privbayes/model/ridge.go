package model

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/privbayes/privbayes-go/internal/sample"
)

// fitDraws is the number of draws that stand for a posterior that was fitted without privacy.
const fitDraws = 2000

// fixedSource makes the draws of a non-private fit the same every time: they are for comparison and are never released.
type fixedSource uint64

// Uint64 is SplitMix64.
func (s *fixedSource) Uint64() uint64 {
	*s += 0x9e3779b97f4a7c15
	z := uint64(*s)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// ridge is the posterior mean (XᵀX + σ²b)⁻¹Xᵀy at the residual variance σ², found by a few fixed-point steps.
func ridge(xx *mat.SymDense, xy []float64, yy, b float64, n int) (mean []float64, variance float64, err error) {
	d := len(xy)
	variance = math.Max(yy/math.Max(float64(n), 1), 1e-6)
	for range 5 {
		a := mat.NewSymDense(d, nil)
		a.CopySym(xx)
		for i := range d {
			a.SetSym(i, i, a.At(i, i)+variance*b)
		}
		var chol mat.Cholesky
		if !chol.Factorize(a) {
			return nil, 0, &Error{Model: "linear regression", Value: "a singular system", Want: "a proper prior, b > 0"}
		}
		var w mat.VecDense
		if err := chol.SolveVecTo(&w, mat.NewVecDense(d, xy)); err != nil {
			return nil, 0, err
		}
		mean = append([]float64(nil), w.RawVector().Data...)
		var fitted mat.VecDense
		fitted.MulVec(xx, &w)
		rss := yy - 2*mat.Dot(&w, mat.NewVecDense(d, xy)) + mat.Dot(&w, &fitted)
		variance = math.Max(rss/math.Max(float64(n), 1), 1e-9)
	}
	return mean, variance, nil
}

// gaussianDraws are draws of the weights from N(mean, (XᵀX/σ² + bI)⁻¹), the same every time: for posteriors whose
// parameters are public or that are never released.
func gaussianDraws(xx *mat.SymDense, mean []float64, variance, b float64, count int) ([][]float64, error) {
	d := len(mean)
	p := mat.NewSymDense(d, nil)
	for i := range d {
		for j := i; j < d; j++ {
			p.SetSym(i, j, xx.At(i, j)/variance)
		}
		p.SetSym(i, i, p.At(i, i)+b)
	}
	var chol mat.Cholesky
	if !chol.Factorize(p) {
		return nil, &Error{Model: "linear regression", Value: "a precision that is not positive definite",
			Want: "a positive definite one"}
	}
	var upper mat.TriDense
	chol.UTo(&upper)
	src := fixedSource(1)
	out := make([][]float64, count)
	for k := range out {
		z := mat.NewVecDense(d, nil)
		for i := range d {
			z.SetVec(i, sample.Normal(&src))
		}
		var w mat.VecDense
		if err := w.SolveVec(&upper, z); err != nil {
			return nil, err
		}
		out[k] = make([]float64, d)
		for i := range d {
			out[k][i] = mean[i] + w.AtVec(i)
		}
	}
	return out, nil
}
