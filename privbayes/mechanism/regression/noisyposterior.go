package regression

import (
	"context"
	"fmt"
	"math"
	"math/big"

	"gonum.org/v1/gonum/mat"

	"github.com/privbayes/privbayes-go/internal/ball"
	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/leastsquares"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// statisticsSampler draws the noisy stacked moments: the diagonal of XᵀX and √2 times the entries above it, row by row,
// Xᵀy, yᵀy.
type statisticsSampler struct {
	*perturbing
	shipped
	laws []sample.WideGaussian // of integer moments

	pure    pureNoise // for pure ε
	weights []int64
	spread  []float64 // deviations of integer moments
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
func (d *statisticsSampler) Draw(_ context.Context, data mechanism.Private, src *dp.Stream) (mechanism.Output, error) {
	if d.integer() {
		return mechanism.Output{Real: [][]float64{drawMoments(d.whole, d.dim, d.weights, d.draw(src), d.spread,
			data.Moments())}}, nil
	}
	out := stack(d.shape.Linear().Moments(data.Sums()))
	for i, v := range out {
		out[i] = v + d.Sigma*sample.Normal(src)
	}
	return mechanism.Output{Real: [][]float64{out}}, nil
}

// draw is the noise on the integers.
func (d *statisticsSampler) draw(src *dp.Stream) []*big.Int {
	if d.Whole == nil {
		return d.pure.draw(len(d.whole), src)
	}
	out := make([]*big.Int, len(d.whole))
	for k := range out {
		out[k] = d.laws[k].Draw(src)
	}
	return out
}

// posteriorDraws stand for the posterior given the noisy moments; they are made from a fixed seed, so that a file's
// reader gets the same.
const posteriorDraws = 1000

// floor is the least eigenvalue of the repaired XᵀX: about the greatest one of the noise, σ√(2d); of a logistic
// regression half of it, τ√d with τ² the mean variance of the noise on a product of scaled rows.
func (p *perturbing) floor(z shipped) float64 {
	if !p.classes() {
		return p.sigma(z) * math.Sqrt(2*float64(p.dim))
	}
	square, count := 0.0, 0.0
	for k, sd := range p.deviations(z) {
		if m := p.whole[k]; m.i < m.j && m.j < p.dim {
			square, count = square+sd*sd, count+1
		}
	}
	return math.Sqrt(square/math.Max(count, 1)*float64(p.dim)) / float64(p.shape.Linear().Square())
}

// estimateNormals bounds the numbers that the posterior's draws are made of: about a second of work.
const estimateNormals = 1 << 25

// noPosterior refuses numbers that the post-processing does not go through with. It reads public numbers only.
func noPosterior() error {
	return domain.Refuse("linear", "real", "moments without a posterior", "moments of rows in the "+
		"unit ball, and noise as planned")
}

// largest is more than a moment of n rows with noise can be, in units of the moments: at most √2 a row, and 100
// standard deviations, which noise exceeds with probability below 1e−60.
func (d *statisticsSampler) largest() float64 {
	n := 1e15 // of all tables
	if d.replaced {
		n = float64(d.n)
	}
	return math.Sqrt2*n*(1+1e-6) + 100*d.sigma(d.shipped) + 1
}

// Estimate is the posterior given the noisy moments. The moment of the intercept is n/D, known where n is public; n
// follows from it where it is not. XᵀX is then repaired: eigenvalues below a public floor are raised to it; of integer
// moments only where it says how the noise of the data adds to that of the mechanism.
func (d *statisticsSampler) Estimate(_ context.Context, drawn mechanism.Output) (model.Estimate, error) {
	p, err := d.read(drawn)
	if err != nil {
		return model.Estimate{}, err
	}
	if d.classes() {
		w, _, err := leastsquares.Logit(p.raw, p.xy, d.prior, d.floor(d.shipped))
		if err != nil {
			return model.Estimate{}, noPosterior()
		}
		return model.Estimate{Draws: &model.Draws{Names: d.shape.Linear().Weights(), Values: [][]float64{w}}}, nil
	}
	precision, h, sd, at, err := p.solve()
	p.at = at
	if err != nil {
		return model.Estimate{}, err
	}
	s, err := ball.New(precision, h, d.radius)
	if err != nil {
		return model.Estimate{}, noPosterior()
	}
	draws, src, left := &model.Draws{Names: d.shape.Linear().Weights()}, dp.Seeded(1), float64(estimateNormals/d.dim)
	second := dp.Seeded(2) // the weights' draws do not depend on whether the residual sd is drawn
	if s.ExpectedProposals()*posteriorDraws > left {
		return model.Estimate{}, noPosterior()
	}
	var residual *scatter
	if d.integer() && !p.plain {
		if residual, err = p.scatter(sd); err != nil {
			return model.Estimate{}, err
		}
	}
	var sds []float64
	for range posteriorDraws {
		w := make([]float64, d.dim)
		proposals, err := s.Draw(src, w)
		if left -= float64(proposals); err != nil || left < 0 {
			return model.Estimate{}, noPosterior()
		}
		draws.Values = append(draws.Values, w)
		if residual != nil {
			sds = append(sds, residual.draw(second, w))
		}
	}
	draws = draws.WithResidual(sd)
	for k, v := range sds {
		draws.Values[k][d.dim] = v
	}
	return model.Estimate{Draws: draws}, nil
}

// Warned says in how many directions the noise drowns the data. It reads the released numbers.
func (d *statisticsSampler) Warned(drawn mechanism.Output) warning.List {
	p, err := d.read(drawn)
	if err != nil || p.raised == 0 {
		return nil
	}
	effect := "the weights there are those of the prior, and intervals are wide"
	switch {
	case d.classes():
		effect = "the weights there are drawn toward 0"
	case !d.integer():
		effect = "the weights there are biased, and intervals may hold less than they say (.87 for .95 at n = 300, ε = .3)"
	case d.m.plain:
		effect = "the weights there are biased, and intervals hold less than they say"
	}
	return warning.List{warning.Floor(p.raised, d.dim, d.floor(d.shipped), effect)}
}

// read takes the noisy moments of scaled rows from what was drawn.
func (d *statisticsSampler) read(drawn mechanism.Output) (p noisyPosterior, err error) {
	real, m := drawn.Real, entries(d.dim)
	if d.integer() {
		m = len(d.whole)
	}
	if len(real) != 1 || len(real[0]) != m {
		return p, domain.Refuse("linear", "real", "vectors of another shape", fmt.Sprintf("one of %d noisy moments", m))
	}
	values := append([]float64(nil), real[0]...)
	most := d.largest()
	for i, v := range values {
		if d.integer() {
			values[i] = d.whole[i].scaled(v, d.spread[i], d.shape.Linear().Square())
		}
		if !(math.Abs(values[i]) <= most) {
			return p, domain.Refuse("linear", "real", v,
				fmt.Sprintf("moments of at most %.6g, n rows' and the noise's", most))
		}
	}
	p = noisyPosterior{noise: d.sigma(d.shipped), radius: d.radius, prior: d.prior, plain: d.m.plain, n: float64(d.n)}
	square := float64(d.shape.Linear().Square())
	if d.integer() {
		p.fill(d.whole, values, d.shape.Linear().Design, d.shape.Linear().Intercept)
	} else if p.xx, p.xy, err = leastsquares.Unstack(d.dim, values[:m-1]); err != nil {
		return p, noPosterior()
	}
	if p.yy = values[m-1]; d.classes() {
		p.yy = p.n
	}
	if !d.replaced {
		p.n = math.Max(1, p.xx.At(0, 0)*square)
	} else if d.shape.Linear().Intercept {
		p.xx.SetSym(0, 0, p.n/square)
	}
	raw := p.xx
	if p.xx, p.raised, err = leastsquares.Repair(raw, d.floor(d.shipped)); err != nil {
		return p, noPosterior()
	}
	if d.integer() {
		p.raw = raw
	}
	return p, nil
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
