package linear

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/privbayes/privbayes-go/internal/ball"
	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// law is the posterior before truncation: precision P = XᵀX/σ² + bI and h = Xᵀy/σ². The sampler samples it and the
// enumeration of the certificate weighs it.
func law(xx *mat.SymDense, xy []float64, sigma2, b float64) (p *mat.SymDense, h []float64) {
	d := len(xy)
	p, h = mat.NewSymDense(d, nil), make([]float64, d)
	p.ScaleSym(1/sigma2, xx)
	for i := range d {
		h[i] = xy[i] / sigma2
		p.SetSym(i, i, p.At(i, i)+b)
	}
	return p, h
}

// logWeight is the log-density of the law at w, up to a constant.
func logWeight(p *mat.SymDense, h, w []float64) float64 {
	v := 0.0
	for i, a := range w {
		v += h[i] * a
		for j, c := range w {
			v -= a * p.At(i, j) * c / 2
		}
	}
	return v
}

// posteriorSampler draws weights on scaled rows, one vector a draw, and after them, where asked for, the noisy residual
// sum of squares.
type posteriorSampler struct {
	*sampling
	sigma2   float64
	residual float64 // ε₂
}

// errLaw stands for causes that would show private numbers.
var errLaw = errors.New("mechanism: the posterior could not be prepared for sampling")

// Draw reads the moments once.
func (d *posteriorSampler) Draw(ctx context.Context, data mechanism.Private, src *dp.Stream) (mechanism.Output, error) {
	xx, xy, yy := d.shape.Linear().Moments(data.Sums())
	p, h := law(xx, xy, d.sigma2, d.prior)
	s, err := ball.New(p, h, d.radius)
	if err != nil {
		return mechanism.Output{}, errLaw
	}
	out, mean := make([][]float64, d.m.draws), make([]float64, d.dim)
	for k := range out {
		if err := ctx.Err(); err != nil {
			return mechanism.Output{}, err
		}
		out[k] = make([]float64, d.dim)
		if _, err := s.DrawContext(ctx, src, out[k]); err != nil {
			if ctx.Err() != nil {
				return mechanism.Output{}, ctx.Err()
			}
			return mechanism.Output{}, errLaw
		}
		for i, v := range out[k] {
			mean[i] += v / float64(d.m.draws)
		}
	}
	if d.residual > 0 {
		scale := residualSensitivity(d.radius, d.rows) / d.residual
		out = append(out, []float64{residualSum(xx, xy, yy, mean) + laplace(src, scale)})
	}
	return mechanism.Output{Real: out}, nil
}

// residualSum is Σ(ỹ − w·x̃)² from the moments.
func residualSum(xx *mat.SymDense, xy []float64, yy float64, w []float64) float64 {
	for i, a := range w {
		yy -= 2 * a * xy[i]
		for j, c := range w {
			yy += a * xx.At(i, j) * c
		}
	}
	return yy
}

// residualSensitivity is (1+B)² for each row of a unit: a squared residual lies in [0, (1+B)²] at any ‖w‖ ≤ B. The
// margin of 1e-6 covers the rounding of the sum, about D²·n·2^−53 of it since the moments themselves are exact sums, to
// some 1e9/D² rows; beyond that the guarantee is, as stated, of ideal arithmetic.
func residualSensitivity(radius float64, rows int) float64 {
	return float64(rows) * (1 + radius) * (1 + radius) * (1 + 1e-6)
}

// laplace is a draw from the density e^{−|z|/s}/(2s).
func laplace(src rand.Source, scale float64) float64 {
	return scale * (math.Log(sample.Float64(src)) - math.Log(sample.Float64(src)))
}

// Estimate lists the draws. The residual variance is the noisy sum over n, at least that of uniform values on one
// thousandth of the range, and at most (1+B)².
func (d *posteriorSampler) Estimate(_ context.Context, drawn mechanism.Output) (model.Estimate, error) {
	real := drawn.Real
	want := d.m.draws
	if d.residual > 0 {
		want++
	}
	if len(real) != want {
		return model.Estimate{}, domain.Refuse("linear", "real", fmt.Sprintf("%d vectors", len(real)), fmt.Sprint(want))
	}
	draws := &model.Draws{Names: d.shape.Linear().Weights()}
	for _, w := range real[:d.m.draws] {
		if len(w) != d.dim || !(norm(w) <= d.radius*(1+1e-9)) {
			return model.Estimate{}, domain.Refuse("linear", "real", "a draw outside the ball",
				fmt.Sprintf("%d weights, ‖w‖ ≤ %g", d.dim, d.radius))
		}
		draws.Values = append(draws.Values, append([]float64(nil), w...))
	}
	if d.residual > 0 {
		last := real[d.m.draws]
		if len(last) != 1 || math.IsNaN(last[0]) || math.IsInf(last[0], 0) {
			return model.Estimate{}, domain.Refuse("linear", "real", "no residual sum of squares",
				"one finite number after the draws")
		}
		draws = draws.WithResidual(residualSD(last[0], float64(d.n), d.radius))
	}
	return model.Estimate{Draws: draws}, nil
}

// leastResidual is the standard deviation of uniform values on a thousandth of the range of ỹ.
const leastResidual = 2e-3 / 3.4641016151377544

func residualSD(sum, n, radius float64) float64 {
	v := sum / math.Max(n, 1)
	return math.Sqrt(math.Min(math.Max(v, leastResidual*leastResidual), (1+radius)*(1+radius)))
}

func norm(w []float64) float64 {
	s := 0.0
	for _, v := range w {
		s += v * v
	}
	return math.Sqrt(s)
}
