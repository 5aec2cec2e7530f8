package klrisk

import "math"

// from is where the asymptotic series start; the recurrences lead up to it. At 12 the first term left out is below
// 1e-17 of the sum.
const from = 12

// The coefficients of u^k, u = 1/x², of ln x − ψ(x) − 1/(2x) and of x(ψ′(x) − 1/x − 1/(2x²)): B_{2k}/(2k) and B_{2k}
// (DLMF 5.11.2, 5.15.8).
var (
	digammaSeries = [...]float64{1. / 12, -1. / 120, 1. / 252, -1. / 240, 1. / 132, -691. / 32760, 1. / 12,
		-3617. / 8160}
	trigammaSeries = [...]float64{1. / 6, -1. / 30, 1. / 42, -1. / 30, 5. / 66, -691. / 2730, 7. / 6, -3617. / 510}
)

// gap is ln x − ψ(x) > 0, x > 0, falling from 1/x near 0 to 1/(2x): relative error about 1e-14, where the difference of
// the two would lose every digit for large x. Below 12, gap(x) = Σ_{k<n} 1/(x+k) − ln((x+n)/x) + gap(x+n), of which no
// part is 60 times the whole.
func gap(x float64) float64 {
	s := 0.0
	if x < from {
		low := x
		for ; x < from; x++ {
			s += 1 / x
		}
		s += math.Log(low) - math.Log(x)
	}
	return s + 0.5/x + series(digammaSeries[:], x)
}

// excess is ψ′(x) − 1/x > 0, x > 0, falling from 1/x² near 0 to 1/(2x²): relative error about 1e-15.
// excess(x) = excess(x+1) + 1/(x²(x+1)).
func excess(x float64) float64 {
	s := 0.0
	for ; x < from; x++ {
		s += 1 / x / x / (x + 1)
	}
	return s + (0.5/x+series(trigammaSeries[:], x))/x
}

// series is Σ_k c_k x^{−2k}, k = 1, 2, ….
func series(c []float64, x float64) float64 {
	u, p := 1/x/x, 0.0
	for k := len(c) - 1; k >= 0; k-- {
		p = (p + c[k]) * u
	}
	return p
}

// positive reports whether every number is finite and > 0.
func positive(xs ...float64) bool {
	for _, x := range xs {
		if !(x > 0) || math.IsInf(x, 1) {
			return false
		}
	}
	return true
}
