package loss

import "math"

// betaSeries is the sum of many Dirichlet log-mgfs with different parameters as one power series about the middle of
// the strip. With w = z + ½ and β = α + r/2,
//
//	K(z) = Σ_{j≥1} b_j (w^{2j} − 4^{−j}),  b_j = r^{2j} ζ(2j, β)/j,
//
// because lnΓ(β + wr) + lnΓ(β − wr) is even in w and ψ^{(2j−1)}(β) = (2j−1)! ζ(2j, β) (DLMF 5.7.4, 25.11.12). All b_j
// are positive, so they add without cancelling, and a node of the contour costs one Horner scheme instead of one gamma
// function a part. For |w| ≤ 0.4 β/r the terms after the last, j = 20, add up to at most 1e-17(1 + β), by ζ(2j, β) ≤
// β^{−2j}(1 + β/(2j−1)). Further out the parts are summed one by one.
type betaSeries struct {
	coef   [seriesTerms]float64
	base   float64
	radius float64
	exact  []term
}

const (
	seriesTerms = 20
	seriesReach = 0.4
	seriesFrom  = 8 // parts from which the series pays
)

// newBetaSeries collects the parts; ok is false where they are too few, or one has a strip too narrow for the series.
func newBetaSeries(pairs []DirichletPair, times []float64, exact []term) (s *betaSeries, ok bool) {
	if len(pairs) < seriesFrom {
		return nil, false
	}
	s = &betaSeries{radius: math.Inf(1), exact: exact}
	for i, p := range pairs {
		beta := p.Shape + p.Rate/2
		s.radius = math.Min(s.radius, seriesReach*beta/p.Rate)
		var zeta [seriesTerms]float64
		evenZeta(beta, p.Rate, &zeta)
		for j := range zeta {
			s.coef[j] += times[i] * zeta[j] / float64(j+1)
		}
	}
	for j := len(s.coef) - 1; j >= 0; j-- {
		s.base = (s.base + s.coef[j]) / 4
	}
	return s, s.radius > 1
}

// kernel is K(z).
func (s *betaSeries) kernel(z complex128) complex128 {
	w := z + 0.5
	if re, im := real(w), imag(w); re*re+im*im > s.radius*s.radius {
		return sumTerms(s.exact, z)
	}
	u := w * w
	x, y := real(u), imag(u)
	var re, im float64
	for j := len(s.coef) - 1; j >= 0; j-- {
		re += s.coef[j]
		re, im = re*x-im*y, re*y+im*x
	}
	return complex(re-s.base, im)
}

// bernoulliOverFactorial is B_{2k}/(2k)!, k = 1, 2, ….
var bernoulliOverFactorial = [...]float64{
	1. / 12, -1. / 720, 1. / 30240, -1. / 1209600, 1. / 47900160, -691. / 1307674368000, 1. / 74724249600,
	-3617. / 10670622842880000,
}

// evenZeta fills z[j−1] with r^{2j} ζ(2j, β), j = 1 … 20: the first terms of Σ (β+n)^{−2j} one by one, the rest from x
// = β + N ≥ 16 by the Euler–Maclaurin formula,
//
//	x^{1−s}/(s−1) + x^{−s}/2 + Σ_k B_{2k}/(2k)! s(s+1)…(s+2k−2) x^{1−s−2k}.
//
// Its error, 1e-7 relative for the largest j, is 1e-15 of the sum of the series, where those terms weigh 0.4^{2j}.
func evenZeta(beta, r float64, z *[seriesTerms]float64) {
	x := beta
	for ; x < 16; x++ {
		u := r / x
		u *= u
		power := u
		for j := range z {
			z[j] += power
			power *= u
		}
	}
	u, inv := r/x, 1/(x*x)
	u *= u
	power := u
	for j := range z {
		s := float64(2*j + 2)
		rest, rise, step := x/(s-1)+0.5, s/x, 1.0
		for k, b := range bernoulliOverFactorial {
			add := b * rise
			rest += add
			if math.Abs(add) < 1e-17 {
				break
			}
			step = s + float64(2*k+1)
			rise *= step * (step + 1) * inv
		}
		z[j] += power * rest
		power *= u
	}
}
