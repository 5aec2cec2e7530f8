package linear

import "math"

// weightError is the error of a weight on scaled rows, first order, for features uniform on their bounds: XᵀX =
// n·diag(S), S = 1/D for the intercept and 1/(3D) for a feature, D the number of weights. With v = min(1/b, B²/(D+2))
// the prior variance of a weight, the mechanisms add
//
//	draws at σ²            variance v(s² + s/N), s = σ²/(σ² + nSv): what is shrunk toward 0, and the spread of the mean
//	                       of N draws
//	moments with noise τ   variance 1/(1/v + (nS)²/(τ²(1 + ½(D+1)v)))
//
// and the mean absolute error is √(2/π) times the root, averaged over weights. variance gives it from nS and v. NaN
// where n is private. Source: theory/networks.md §5.2–5.3.
func (s *setting) weightError(variance func(information, prior float64) float64) (float64, string) {
	n, public := s.shape.N()
	if !public || n == 0 {
		return math.NaN(), ""
	}
	d := float64(s.dim)
	v := math.Min(1/s.prior, s.radius*s.radius/(d+2))
	sum := 0.0
	for i := range s.dim {
		information := float64(n) / d
		if i > 0 || !s.shape.Intercept() {
			information /= 3
		}
		sum += math.Sqrt(2/math.Pi*variance(information, v)) / d
	}
	return sum, "closed form, first order, features uniform on their bounds"
}
