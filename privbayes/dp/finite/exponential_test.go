package finite_test

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/hellinger"
	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/privbayes/dp/finite"
)

// exponential releases counts r in place of the data x with probability ∝ exp(−rate(x)·H(x, r)), H the Hellinger
// distance of the Dirichlet posteriors. ln BC = Σ_i phi[i][x_i][r_i], so that a law costs a few operations an output.
type exponential struct {
	phi  [][][]float64
	outs [][]int32 // outs[i][o] is r_i of output o
	rate func(x []int64) float64
	n    int
}

func newExponential(prior []float64, n int, rate func(x []int64) float64) *exponential {
	e := &exponential{rate: rate, n: n, phi: make([][][]float64, len(prior)), outs: make([][]int32, len(prior))}
	for i, a := range prior {
		e.phi[i] = make([][]float64, n+1)
		for u := range e.phi[i] {
			e.phi[i][u] = make([]float64, n+1)
			for v := range u {
				p := num.LogBC(a+float64(v), a+float64(u))
				e.phi[i][u][v], e.phi[i][v][u] = p, p
			}
		}
	}
	for r := range finite.Histograms(len(prior), n) {
		for i, v := range r {
			e.outs[i] = append(e.outs[i], int32(v))
		}
	}
	return e
}

func (e *exponential) Outputs() int { return len(e.outs[0]) }

func (e *exponential) LogLaw(x []int, out []float64) {
	y := make([]int64, len(x))
	for i, v := range x {
		y[i] = int64(v)
		phi := e.phi[i][v]
		if i == 0 {
			for o, r := range e.outs[0] {
				out[o] = phi[r]
			}
			continue
		}
		for o, r := range e.outs[i] {
			out[o] += phi[r]
		}
	}
	rate := e.rate(y)
	for o, p := range out {
		out[o] = -rate * math.Sqrt(-math.Expm1(p))
	}
	z := num.LogSumExp(out)
	for o := range out {
		out[o] -= z
	}
}

// rates are the exponential mechanisms of the reference values: scale name → rate at x.
func rates(s *hellinger.Space, eps float64, size int) map[string]func(x []int64) float64 {
	beta := func(events float64) float64 { return math.Log1p(eps / (2 * math.Log(2*events/1e-5))) }
	smooth := func(b float64) func(x []int64) float64 {
		return func(x []int64) float64 { return eps / 2 / s.Smooth(x, b).Value }
	}
	global, _, _ := s.Global()
	const gamma = 0.25
	return map[string]func(x []int64) float64{
		"GS":         func([]int64) float64 { return eps / 2 / global },
		"LS":         func(x []int64) float64 { v, _, _ := s.Local(x); return eps / 2 / v },
		"LS+":        func(x []int64) float64 { v, _, _ := s.LocalPlus(x); return eps / 2 / v },
		"smooth n+1": smooth(beta(float64(s.N() + 1))),
		"smooth |R|": smooth(beta(float64(size))),
		"recip .25": func(x []int64) float64 {
			return eps / (1 + math.Sqrt(1+2*gamma*gamma)) / s.Reciprocal(x, gamma).Value
		},
	}
}
