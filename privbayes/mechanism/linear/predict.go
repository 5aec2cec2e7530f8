package linear

import "math"

// weightError is the error of a weight on scaled rows, first order, for features uniform on their bounds and factors
// uniform on their L levels: XᵀX = n·diag(S), S = 1/D for the intercept, 1/(3D) for a number and 1/(LD) for a level, D
// the squared norm of a row. With v = min(1/b, B²/(d+2)) the prior variance of one of d weights, the mechanisms add
//
//	draws at σ²            variance v(s² + s/N), s = σ²/(σ² + nSv): what is shrunk toward 0, and the spread of the mean
//	                       of N draws
//	moments with noise τ   variance 1/(1/v + (nS)²/(τ²(1 + ½(d+1)v)))
//
// and the mean absolute error is √(2/π) times the root, averaged over weights. variance gives it from nS and v. NaN
// where n is private. Source: theory/networks.md §5.2–5.3.
func (s *setting) weightError(variance func(information, prior float64) float64) (float64, string) {
	n, public := s.shape.N()
	if !public || n == 0 {
		return math.NaN(), ""
	}
	d, square := float64(s.dim), float64(s.shape.Linear().Square())
	v := math.Min(1/s.prior, s.radius*s.radius/(d+2))
	sum, shares, first := 0.0, make([]float64, s.dim), 0
	if s.shape.Linear().Intercept {
		first = 1
	}
	for i := range shares {
		if shares[i] = 1. / 3; i < first {
			shares[i] = 1
		}
	}
	for _, f := range s.shape.Linear().Factors() {
		for j := range f.Len {
			shares[first+f.First+j] = 1 / float64(f.Len+1)
		}
	}
	for i := range s.dim {
		information := float64(n) / square * shares[i]
		sum += math.Sqrt(2/math.Pi*variance(information, v)) / d
	}
	return sum, "closed form, first order, features uniform on their bounds"
}
