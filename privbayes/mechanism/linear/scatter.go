package linear

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/privbayes/privbayes-go/internal/sample"
)

// scatter is the law of the residual variance given noisy integer moments and weights w. With t = y'y + e₀, s = Xᵀy + e
// and S = XᵀX + E the noisy residual sum of squares is
//
//	t − 2w·s + wᵀSw = ‖y − Xw‖² + z,   z = e₀ − 2w·e + wᵀEw,
//
// and r = s − Sw = Xᵀη + e − Ew is known, so that z is taken as normal given r: with mean C·V⁻¹r and variance Var z −
// C·V⁻¹·Cᵀ, C the covariance of z and r, V that of r (noisyPosterior). ‖y − Xw‖² is σ²χ² of n degrees, and at most n
// for responses in [−1, 1]; the prior of σ² is flat.
type scatter struct {
	noisyPosterior
	variance mat.Cholesky // of V, at the posterior mean
}

// scatter prepares at the residual sd that solve found.
func (p noisyPosterior) scatter(sd float64) (*scatter, error) {
	v := mat.NewSymDense(len(p.xy), nil)
	v.ScaleSym(sd*sd, p.xx)
	for i := range p.xy {
		v.SetSym(i, i, v.At(i, i)+p.noise*p.noise)
	}
	p.errorOfProduct(v, p.at)
	s := &scatter{noisyPosterior: p}
	if !s.variance.Factorize(v) {
		return nil, noPosterior()
	}
	return s, nil
}

// draw is a residual sd given weights.
func (s *scatter) draw(src rand.Source, w []float64) float64 {
	d, tau := len(w), s.noise*s.noise
	r, c, variance := make([]float64, d), make([]float64, d), tau // of e₀
	for i, a := range w {
		variance += 4 * a * a * tau
		c[i] = -2 * tau * a
		r[i] = s.xy[i]
		for j, b := range w {
			r[i] -= s.raw.At(i, j) * b
		}
	}
	for _, e := range s.parts { // E's moment is multiplied by q in wᵀEw, by a and b in −E·w
		a, b, q := w[e.j], w[e.i], 2*w[e.i]*w[e.j]
		switch {
		case e.i == e.j:
			q /= 2
		case e.indicator:
			b += w[e.j]
			q += w[e.j] * w[e.j]
		}
		t := tau * e.variance
		variance += q * q * t
		c[e.i] -= q * a * t
		if e.i != e.j {
			c[e.j] -= q * b * t
		}
	}
	var solved mat.VecDense
	noise := 0.0
	if s.variance.SolveVecTo(&solved, mat.NewVecDense(d, c)) == nil {
		noise = mat.Dot(&solved, mat.NewVecDense(d, r))
		variance -= mat.Dot(&solved, mat.NewVecDense(d, c))
	}
	n := math.Max(s.n, 1)
	rss := residualSum(s.raw, s.xy, s.yy, w) - noise
	rss = truncatedNormal(src, rss, math.Sqrt(math.Max(variance, 0)), 0, n)
	// n degrees of freedom: σ² is rss over a gamma number of shape n/2, halved
	return residualSD(rss*n/2/math.Exp(sample.LogGamma(src, n/2)), n, s.radius)
}

// truncatedNormal draws from N(mean, sd²) on [lo, hi]: by inversion of the normal law within 8 sd and, beyond, of its
// exponential tail.
func truncatedNormal(src rand.Source, mean, sd, lo, hi float64) float64 {
	if !(sd > 0) {
		return math.Min(math.Max(mean, lo), hi)
	}
	a, b, flip := (lo-mean)/sd, (hi-mean)/sd, false
	if a+b < 0 { // the side with the smaller tail keeps its digits
		a, b, flip = -b, -a, true
	}
	u := sample.Float64(src)
	var z float64
	if a > 8 {
		z = math.Min(a-math.Log1p(-u*-math.Expm1(-a*(b-a)))/a, b)
	} else {
		upper, lower := math.Erfc(a/math.Sqrt2)/2, math.Erfc(b/math.Sqrt2)/2
		z = math.Min(math.Max(math.Sqrt2*math.Erfcinv(2*(upper-u*(upper-lower))), a), b)
	}
	if flip {
		z = -z
	}
	return mean + sd*z
}
