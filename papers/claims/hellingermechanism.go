package claims

import (
	"context"
	"math"

	"github.com/privbayes/privbayes-go/internal/hellinger"
	"github.com/privbayes/privbayes-go/internal/hellingersample"
	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp/finite"
)

// expMech is the exponential mechanism with rate(x) in exp(−rate·H).
type expMech struct {
	alpha []float64
	n     int
	rate  func(x []int64) float64
}

func (m expMech) Outputs() int { return int(hellingersample.Count(int64(m.n), len(m.alpha))) }

func (m expMech) LogLaw(x []int, out []float64) {
	y := wide(x)
	if err := hellingersample.Exponents(m.alpha, y, m.rate(y), out); err != nil {
		for i := range out {
			out[i] = math.NaN()
		}
		return
	}
	for i := range out {
		out[i] = -out[i]
	}
	z := num.LogSumExp(out)
	for i := range out {
		out[i] -= z
	}
}

func wide(x []int) []int64 {
	y := make([]int64, len(x))
	for i, v := range x {
		y[i] = int64(v)
	}
	return y
}

// space is a hellinger.Space of constants of this package, which are in its domain.
func space(n int, alpha ...float64) *hellinger.Space {
	s, err := hellinger.New(alpha, int64(n))
	if err != nil {
		panic(err)
	}
	return s
}

// global, local and localPlus are the modes at rate κ.
func global(s *hellinger.Space, kappa float64) func([]int64) float64 {
	v, _, _ := s.Global()
	return func([]int64) float64 { return kappa / v }
}

func local(s *hellinger.Space, kappa float64) func([]int64) float64 {
	return func(x []int64) float64 { v, _, _ := s.Local(x); return kappa / v }
}

func localPlus(s *hellinger.Space, kappa float64) func([]int64) float64 {
	return func(x []int64) float64 { v, _, _ := s.LocalPlus(x); return kappa / v }
}

func smooth(s *hellinger.Space, kappa, beta float64) func([]int64) float64 {
	return func(x []int64) float64 { return kappa / s.Smooth(x, beta).Value }
}

func reciprocal(s *hellinger.Space, kappa, gamma float64) func([]int64) float64 {
	return func(x []int64) float64 { return kappa / s.Reciprocal(x, gamma).Value }
}

// audit enumerates a mode.
func audit(ctx context.Context, f *Finding, s *hellinger.Space, rate func([]int64) float64,
	o finite.Options) (*finite.Result, error) {
	ctx = cert.WithWorkLimit(ctx, 1_000_000_000)
	res, err := finite.AuditWith(ctx, expMech{s.Alpha(), int(s.N()), rate},
		finite.Space{Cells: s.Cells(), N: int(s.N())}, o)
	if err == nil {
		f.Cases += res.Work
	}
	return res, err
}

// pure is the exact pure ε of a mode.
func pure(ctx context.Context, f *Finding, s *hellinger.Space, rate func([]int64) float64) (float64, error) {
	res, err := audit(ctx, f, s, rate, finite.Options{})
	if err != nil {
		return 0, err
	}
	return res.Epsilon, nil
}

// notesBeta is the notes' β = ln(1 + ε/(2 ln(2N/δ))).
func notesBeta(epsilon, delta, n float64) float64 {
	return math.Log1p(epsilon / (2 * math.Log(2*n/delta)))
}

// eachHistogram visits the data sets of a space.
func eachHistogram(s *hellinger.Space, visit func(x []int64)) {
	finite.Histograms(s.Cells(), int(s.N()), func(x []int) bool { visit(wide(x)); return true })
}
