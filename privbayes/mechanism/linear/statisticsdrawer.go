package linear

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/privbayes/privbayes-go/internal/ball"
	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/regression"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// statisticsDrawer draws the noisy stacked moments: the diagonal of XᵀX and √2 times the entries above it, row by row,
// Xᵀy, yᵀy; on a lattice in steps.
type statisticsDrawer struct {
	*perturbing
	noise
	law sample.DiscreteGaussian
}

// stack is the vector whose norm the sensitivity is about.
func stack(xx *mat.SymDense, xy []float64, yy float64) []float64 {
	var out []float64
	for i := range xy {
		for j := i; j < len(xy); j++ {
			v := xx.At(i, j)
			if j > i {
				v *= math.Sqrt2
			}
			out = append(out, v)
		}
	}
	return append(append(out, xy...), yy)
}

// Draw reads the moments once.
func (d *statisticsDrawer) Draw(_ context.Context, data mechanism.Private, src *dp.Stream) (mechanism.Numbers, error) {
	out := stack(d.shape.RegressionMoments(data.Sums()))
	for i, v := range out {
		if d.Steps != nil {
			out[i] = float64(int64(math.Round(v/d.lattice.step)) + d.law.Draw(src))
		} else {
			out[i] = v + d.Sigma*sample.Normal(src)
		}
	}
	return mechanism.Numbers{Real: [][]float64{out}}, nil
}

// posteriorDraws stand for the posterior given the noisy moments; they are made from a fixed seed, so that a file's
// reader gets the same.
const posteriorDraws = 1000

// floor is the least eigenvalue of the repaired XᵀX: about the greatest one of the noise, σ√(2D).
func (p *perturbing) floor(z noise) float64 { return p.sigma(z) * math.Sqrt(2*float64(p.dim)) }

// estimateNormals bounds the numbers that the posterior's draws are made of: about a second of work.
const estimateNormals = 1 << 25

// noPosterior refuses numbers that the post-processing does not go through with. It reads public numbers only.
func noPosterior() error {
	return domain.Refuse("linear", "real", "moments without a posterior", "moments of rows in the "+
		"unit ball, and noise as planned")
}

// largest is more than a moment of n rows with noise can be, in units of the moments: at most √2 a row, and 50 standard
// deviations, which noise exceeds with probability below 1e−500.
func (d *statisticsDrawer) largest() float64 {
	n := float64(maxRows)
	if d.replaced {
		n = float64(d.n)
	}
	return math.Sqrt2*n*(1+1e-6) + 50*d.sigma(d.noise) + 1
}

// Estimate is the posterior given the noisy moments. The moment of the intercept is n/D, known where n is public; n
// follows from it where it is not. XᵀX is then repaired: eigenvalues below a public floor are raised to it.
func (d *statisticsDrawer) Estimate(_ context.Context, drawn mechanism.Numbers) (model.Estimate, error) {
	real := drawn.Real
	m := entries(d.dim)
	if len(real) != 1 || len(real[0]) != m {
		return model.Estimate{}, domain.Refuse("linear", "real", "vectors of another shape",
			fmt.Sprintf("one of %d noisy moments", m))
	}
	values := append([]float64(nil), real[0]...)
	most := d.largest()
	for i, v := range values {
		if d.Steps != nil {
			values[i] = v * d.lattice.step
		}
		if !(math.Abs(values[i]) <= most) {
			return model.Estimate{}, domain.Refuse("linear", "real", v,
				fmt.Sprintf("moments of at most %.6g, n rows' and the noise's", most))
		}
	}
	xx, xy, err := regression.Unstack(d.dim, values[:m-1])
	if err != nil {
		return model.Estimate{}, noPosterior()
	}
	n := float64(d.n)
	if !d.replaced {
		n = math.Max(1, xx.At(0, 0)*float64(d.dim))
	} else if d.shape.Intercept() {
		xx.SetSym(0, 0, n/float64(d.dim))
	}
	fixed, _, err := regression.Repair(xx, d.floor(d.noise))
	if err != nil {
		return model.Estimate{}, noPosterior()
	}
	p := noisyPosterior{xx: fixed, xy: xy, yy: values[m-1], n: n, noise: d.sigma(d.noise), radius: d.radius,
		prior: d.prior, plain: d.m.plain}
	precision, h, sd, err := p.solve()
	if err != nil {
		return model.Estimate{}, err
	}
	s, err := ball.New(precision, h, d.radius)
	if err != nil {
		return model.Estimate{}, noPosterior()
	}
	draws, src, left := &model.Draws{Names: d.shape.Weights()}, dp.Seeded(1), float64(estimateNormals/d.dim)
	if s.ExpectedProposals()*posteriorDraws > left {
		return model.Estimate{}, noPosterior()
	}
	for range posteriorDraws {
		w := make([]float64, d.dim)
		proposals, err := s.Draw(src, w)
		if left -= float64(proposals); err != nil || left < 0 {
			return model.Estimate{}, noPosterior()
		}
		draws.Values = append(draws.Values, w)
	}
	return model.Estimate{Draws: draws.WithResidual(sd)}, nil
}

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
}

// solve gives precision and h of the Gaussian, and the residual standard deviation.
func (p noisyPosterior) solve() (precision *mat.SymDense, h []float64, sd float64, err error) {
	d := len(p.xy)
	w := make([]float64, d)
	sd = residualSD(p.yy, p.n, p.radius)
	for range 8 {
		v := mat.NewSymDense(d, nil)
		v.ScaleSym(sd*sd, p.xx)
		if !p.plain {
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
			return nil, nil, 0, noPosterior()
		}
		var half mat.Dense // V⁻¹S
		var rest mat.VecDense
		if chol.SolveTo(&half, p.xx) != nil || chol.SolveVecTo(&rest, mat.NewVecDense(d, p.xy)) != nil {
			return nil, nil, 0, noPosterior()
		}
		var full mat.Dense
		full.Mul(p.xx, &half)
		precision = mat.NewSymDense(d, nil)
		for i := range d {
			for j := i; j < d; j++ {
				precision.SetSym(i, j, (full.At(i, j)+full.At(j, i))/2)
			}
			precision.SetSym(i, i, precision.At(i, i)+p.prior)
		}
		var right, mean mat.VecDense
		right.MulVec(p.xx, &rest)
		if !chol.Factorize(precision) || chol.SolveVecTo(&mean, &right) != nil {
			return nil, nil, 0, noPosterior()
		}
		h, w = right.RawVector().Data, append([]float64(nil), mean.RawVector().Data...)
		if r := norm(w); r > p.radius {
			for i := range w {
				w[i] *= p.radius / r
			}
		}
		sd = residualSD(residualSum(p.xx, p.xy, p.yy, w), p.n, p.radius)
	}
	return precision, h, sd, nil
}
