package regression

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/gram"
	"github.com/privbayes/privbayes-go/internal/leastsquares"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// formulaSampler draws the noisy products of a formula as a statisticsSampler does, and estimates from them by
// [gram.Sample].
type formulaSampler struct{ *statisticsSampler }

// Estimate is the posterior given the noisy products. Where chains do not come to agree it is one set of weights, of
// least squares, without intervals.
func (d *formulaSampler) Estimate(ctx context.Context, drawn mechanism.Output) (model.Estimate, error) {
	p, err := d.problem(drawn)
	if err != nil {
		return model.Estimate{}, err
	}
	draws := &model.Draws{Names: d.shape.Linear().Weights()}
	sampled, err := gram.Sample(ctx, p, seedOf(drawn.Real[0]))
	var apart *gram.NotConvergedError
	switch {
	case errors.As(err, &apart):
		w, err := d.leastSquares(p)
		draws.Values = [][]float64{w}
		return model.Estimate{Draws: draws}, err
	case err != nil:
		return model.Estimate{}, err
	}
	draws.Names = append(draws.Names, model.ResidualParameter)
	most := min(posteriorDraws, len(sampled.Weights))
	for k := range most {
		at := k * len(sampled.Weights) / most
		draws.Values = append(draws.Values, append(sampled.Weights[at][:d.dim:d.dim], sampled.Sigma[at]))
	}
	return model.Estimate{Draws: draws}, nil
}

// seedOf is a hash of released numbers, so that a file's reader gets the same draws.
func seedOf(values []float64) [sha256.Size]byte {
	var b []byte
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return sha256.Sum256(b)
}

// problem is what is known of the latent moments: of every free entry its noisy product and the noise's variance.
func (d *formulaSampler) problem(drawn mechanism.Output) (*gram.Problem, error) {
	if len(drawn.Real) != 1 || len(drawn.Real[0]) != len(d.whole) {
		return nil, domain.Refuse("linear", "real", "vectors of another shape", fmt.Sprintf("one of %d noisy products",
			len(d.whole)))
	}
	linear, square, public := d.shape.Linear(), d.shape.Linear().Square(), 0.
	if d.replaced {
		public = float64(d.n)
	}
	p := gram.Layout(linear.Columns(), float64(square), public)
	most, tau := d.largest(), d.sigma(d.shipped)
	for k, v := range drawn.Real[0] {
		m := d.whole[k]
		value := m.scaled(v, d.spread[k], square)
		if !(math.Abs(value) <= most) {
			return nil, domain.Refuse("linear", "real", v,
				fmt.Sprintf("moments of at most %.6g, n rows' and the noise's", most))
		}
		switch m.ofY {
		case 0:
			sd := m.onRows(m.deviation(tau), square)
			p.Entries[k].Noisy, p.Entries[k].Variance = value, sd*sd
		case 1:
			p.XY = append(p.XY, value)
		default:
			p.YY = value
		}
	}
	if p.Count >= 0 {
		p.Cap = math.Max(p.Entries[p.Count].Noisy, 0) + 8*tau
	}
	p.NoiseXY, p.NoiseY, p.Precision = tau*tau, tau*tau, precisions(linear)
	return p, nil
}

// noisyMatrix is XᵀX with its noise.
func noisyMatrix(p *gram.Problem) *mat.SymDense {
	xx := mat.NewSymDense(p.Dim, nil)
	xx.SetSym(0, 0, p.Fixed)
	for _, e := range p.Entries {
		for _, at := range e.Places {
			xx.SetSym(at[0], at[1], e.Noisy)
		}
	}
	return xx
}

// leastSquares are the weights given the noisy products as if they were true, with eigenvalues below a public floor
// raised to it, and the prior at the variance of the responses.
func (d *formulaSampler) leastSquares(p *gram.Problem) ([]float64, error) {
	n := p.N
	if p.Count >= 0 {
		n = math.Max(1, p.D*p.Entries[p.Count].Noisy)
	}
	system, _, err := leastsquares.Repair(noisyMatrix(p), d.floor(d.shipped))
	if err != nil {
		return nil, noPosterior()
	}
	for i, b := range p.Precision {
		system.SetSym(i, i, system.At(i, i)+b*math.Max(p.YY/n, 1e-6))
	}
	var chol mat.Cholesky
	var w mat.VecDense
	if !chol.Factorize(system) || chol.SolveVecTo(&w, mat.NewVecDense(p.Dim, p.XY)) != nil {
		return nil, noPosterior()
	}
	return w.RawVector().Data, nil
}

// Warned says in how many directions the noise drowns the data. It reads the released numbers.
func (d *formulaSampler) Warned(drawn mechanism.Output) warning.List {
	p, err := d.problem(drawn)
	if err != nil {
		return nil
	}
	_, raised, err := leastsquares.Repair(noisyMatrix(p), d.floor(d.shipped))
	if err != nil || raised == 0 {
		return nil
	}
	return warning.List{warning.Floor(raised, d.dim, d.floor(d.shipped), "the weights there are those of the prior, and "+
		"intervals are wide")}
}
