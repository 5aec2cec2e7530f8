package linear

import (
	"gonum.org/v1/gonum/mat"

	"github.com/privbayes/privbayes-go/internal/leastsquares"
)

// noisyPosterior is the posterior of the weights given S = XᵀX + E and s = Xᵀy + e, where E has standard deviation τ on
// the diagonal and τ/√2 above it, e has τ. Given w,
//
//	s − S·w = Xᵀη + e − E·w ~ N(0, V(w)),  V(w) = σ²XᵀX + τ²I + ½τ²(‖w‖²I + wwᵀ),
//
// under a flat prior on XᵀX. Two approximations make it Gaussian: XᵀX in V is taken from S, and V is taken at one w,
// that of the posterior mean, found by a few fixed-point steps together with the residual variance σ². Then w ~ N with
// precision SV⁻¹S + bI, on the ball. V = σ²S gives the plain posterior, which takes S and s for the true moments.
type noisyPosterior struct {
	xx            *mat.SymDense
	xy            []float64
	yy, n         float64
	noise         float64 // τ
	radius, prior float64
	plain         bool
	raised        int       // eigenvalues of S below the floor
	at            []float64 // the posterior mean of the weights, within the ball

	raw   *mat.SymDense // of integer moments: S, which XᵀX in V(w) is made from, but s is not fitted by
	parts []part        // of integer moments: what is noisy in S
}

// part is one noisy moment among the entries of S: of variance times τ², at (i, j) and (j, i), or, as indicators have
// it, at (0, j), (j, 0) and (j, j).
type part struct {
	i, j      int
	variance  float64
	indicator bool
}

// fill sets S and s to released moments of scaled rows.
func (p *noisyPosterior) fill(list []moment, values []float64, design *leastsquares.Design, intercept bool) {
	dim, square := design.Dim(), float64(design.Square())
	of := factorOf(design, intercept)
	p.xx, p.xy = mat.NewSymDense(dim, nil), make([]float64, dim)
	for k, m := range list {
		switch {
		case m.i == dim:
		case m.j == dim:
			p.xy[m.i] = values[k]
		default:
			p.xx.SetSym(m.i, m.j, values[k])
			same := intercept && m.i == 0 && of[m.j] > 0
			if same {
				p.xx.SetSym(m.j, m.j, values[k])
			}
			p.parts = append(p.parts, part{m.i, m.j, float64(m.halves) / 2 / (square * square), same})
		}
	}
}

// errorOfProduct adds the covariance of E·w to v.
func (p noisyPosterior) errorOfProduct(v *mat.SymDense, w []float64) {
	for _, e := range p.parts {
		t := p.noise * p.noise * e.variance
		a, b := w[e.j], w[e.i] // what E's moment is multiplied by in coordinates i and j
		if e.indicator {
			b += w[e.j]
		}
		v.SetSym(e.i, e.i, v.At(e.i, e.i)+t*a*a)
		if e.i != e.j {
			v.SetSym(e.j, e.j, v.At(e.j, e.j)+t*b*b)
			v.SetSym(e.i, e.j, v.At(e.i, e.j)+t*a*b)
		}
	}
}

// solve gives precision and h of the Gaussian, the residual standard deviation, and the mean, within the ball.
func (p noisyPosterior) solve() (precision *mat.SymDense, h []float64, sd float64, w []float64, err error) {
	d, system := len(p.xy), p.xx
	if p.raw != nil && !p.plain {
		system = p.raw
	}
	w = make([]float64, d)
	sd = residualSD(p.yy, p.n, p.radius)
	for range 8 {
		v := mat.NewSymDense(d, nil)
		v.ScaleSym(sd*sd, p.xx)
		switch {
		case p.plain:
		case p.raw != nil:
			for i := range d {
				v.SetSym(i, i, v.At(i, i)+p.noise*p.noise)
			}
			p.errorOfProduct(v, w)
		default:
			t, square := p.noise*p.noise, norm(w)*norm(w)
			for i := range d {
				for j := i; j < d; j++ {
					c := t / 2 * w[i] * w[j]
					if i == j {
						c += t + t/2*square
					}
					v.SetSym(i, j, v.At(i, j)+c)
				}
			}
		}
		var chol mat.Cholesky
		if !chol.Factorize(v) {
			return nil, nil, 0, nil, noPosterior()
		}
		var half mat.Dense // V⁻¹S
		var rest mat.VecDense
		if chol.SolveTo(&half, system) != nil || chol.SolveVecTo(&rest, mat.NewVecDense(d, p.xy)) != nil {
			return nil, nil, 0, nil, noPosterior()
		}
		var full mat.Dense
		full.Mul(system, &half)
		precision = mat.NewSymDense(d, nil)
		for i := range d {
			for j := i; j < d; j++ {
				precision.SetSym(i, j, (full.At(i, j)+full.At(j, i))/2)
			}
			precision.SetSym(i, i, precision.At(i, i)+p.prior)
		}
		var right, mean mat.VecDense
		right.MulVec(system, &rest)
		if !chol.Factorize(precision) || chol.SolveVecTo(&mean, &right) != nil {
			return nil, nil, 0, nil, noPosterior()
		}
		h, w = right.RawVector().Data, append([]float64(nil), mean.RawVector().Data...)
		if r := norm(w); r > p.radius {
			for i := range w {
				w[i] *= p.radius / r
			}
		}
		sd = residualSD(residualSum(system, p.xy, p.yy, w), p.n, p.radius)
	}
	return precision, h, sd, w, nil
}
