package logistic

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// rows are scaled rows of a design, ‖x̃‖ ≤ 1, with classes −1 and 1.
type rows struct {
	dim int
	x   [][]float64
	y   []float64
}

func newRows(sh *model.Shape, f *frame.Frame) (*rows, error) {
	design, columns := sh.Design(), sh.Columns()
	out := &rows{dim: design.Dim()}
	type feature struct {
		values []float64
		codes  frame.Codes
		levels int
	}
	var list []feature
	for _, c := range columns[1:] {
		var one feature
		var err error
		if c.Numeric() {
			one.values, err = f.Values(c.Name)
		} else {
			one.codes, err = f.Codes(c.Name)
			one.levels = c.Levels()
		}
		if err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	class, err := f.Codes(columns[0].Name)
	if err != nil {
		return nil, err
	}
	for r := range f.Len() {
		var x []float64
		for _, c := range list {
			if c.values != nil {
				x = append(x, c.values[r])
				continue
			}
			for level := 1; level < c.levels; level++ {
				if c.codes.At(r) == level {
					x = append(x, 1)
				} else {
					x = append(x, 0)
				}
			}
		}
		row := make([]float64, out.dim+1)
		if _, err := design.Row(x, 0, row); err != nil {
			return nil, err
		}
		out.x, out.y = append(out.x, row[:out.dim]), append(out.y, float64(2*class.At(r)-1))
	}
	return out, nil
}

// probabilities are those of both classes at weights.
func (r *rows) probabilities(w []float64) [][]float64 {
	out := make([][]float64, len(r.x))
	for i, x := range r.x {
		odds := 0.0
		for j, v := range x {
			odds += w[j] * v
		}
		out[i] = []float64{1 / (1 + math.Exp(odds)), 1 / (1 + math.Exp(-odds))}
	}
	return out
}

// gradient is the sum over rows of −y·x̃/(1 + e^{y·w·x̃}), each of norm at most 1.
func (r *rows) gradient(w, out []float64) {
	clear(out)
	for i, x := range r.x {
		odds := 0.0
		for j, v := range x {
			odds += w[j] * v
		}
		c := -r.y[i] / (1 + math.Exp(r.y[i]*odds))
		for j, v := range x {
			out[j] += c * v
		}
	}
}

// descent is noisy full-batch gradient descent: T steps, each with Gaussian noise on the summed gradient, which a
// replaced record moves by at most 2. T steps with noise σ are one Gaussian mechanism with μ = 2√T/σ, so that σ is the
// least that (ε, δ) allows, without a loss in accounting.
func (r *rows) descent(want dp.Parameters, steps int, rate float64, src rand.Source) []float64 {
	root := 2 * math.Sqrt(float64(steps))
	sigma := noise.Least(root*1e-3, root*1e5, func(sigma float64) bool {
		return loss.Meets(loss.GaussianPair{Mu: root / sigma}, want)
	})
	w, g := make([]float64, r.dim), make([]float64, r.dim)
	for range steps {
		r.gradient(w, g)
		for j := range w {
			w[j] -= rate / float64(len(r.x)) * (g[j] + sigma*sample.Normal(src))
		}
	}
	return w
}

// fit is logistic regression without privacy, by Newton steps, with a ridge of 10⁻³ for directions without data.
func (r *rows) fit() []float64 {
	w, g := make([]float64, r.dim), make([]float64, r.dim)
	for range 30 {
		r.gradient(w, g)
		h := mat.NewSymDense(r.dim, nil)
		for i := range w {
			h.SetSym(i, i, 1e-3)
			g[i] += 1e-3 * w[i]
		}
		for _, x := range r.x {
			odds := 0.0
			for j, v := range x {
				odds += w[j] * v
			}
			p := 1 / (1 + math.Exp(-odds))
			h.SymRankOne(h, p*(1-p), mat.NewVecDense(r.dim, x))
		}
		var chol mat.Cholesky
		var step mat.VecDense
		if !chol.Factorize(h) || chol.SolveVecTo(&step, mat.NewVecDense(r.dim, g)) != nil {
			return w
		}
		for j := range w {
			w[j] -= step.AtVec(j)
		}
		if mat.Norm(&step, 2) < 1e-9 {
			break
		}
	}
	return w
}
