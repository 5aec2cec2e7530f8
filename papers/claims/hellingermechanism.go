package claims

import (
	"context"
	"fmt"
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

// exactPure is the exact pure ε of a mode, and the range of its log-ratios, with every row of distances computed once:
// tables are visited in an order in which neighbours are near, and a row is kept until its neighbours have been seen.
func exactPure(f *Finding, s *hellinger.Space, rate func([]int64) float64) (epsilon, width float64) {
	type law struct {
		logs []float64
		z    float64
	}
	key := func(x []int64) string {
		out := make([]byte, 0, 4*len(x))
		for _, v := range x {
			out = append(out, byte(v), byte(v>>8))
		}
		return string(out)
	}
	kept, order := map[string]*law{}, []string(nil)
	count := int(hellingersample.Count(s.N(), s.Cells()))
	window := 1 // tables with the same or the next first count
	for i := 0; i < s.Cells()-2; i++ {
		window *= int(s.N()) + 2
	}
	window *= 2
	eachHistogram(s, func(x []int64) {
		l := &law{logs: make([]float64, count)}
		if err := hellingersample.Exponents(s.Alpha(), x, rate(x), l.logs); err != nil {
			f.require(false, "x = %v: %v", x, err)
			return
		}
		for _, v := range l.logs {
			l.z += math.Exp(-v)
		}
		l.z = math.Log(l.z)
		for i, j := range hellinger.Neighbours(append([]int64(nil), x...)) {
			y := append([]int64(nil), x...)
			y[i]--
			y[j]++
			other := kept[key(y)]
			if other == nil {
				continue // not yet visited: the pair is compared from the other side
			}
			least, most := math.Inf(1), math.Inf(-1)
			for r, v := range l.logs {
				e := other.logs[r] - v
				least, most = math.Min(least, e), math.Max(most, e)
			}
			f.Cases += int64(count)
			shift := other.z - l.z
			epsilon = math.Max(epsilon, math.Max(math.Abs(most+shift), math.Abs(least+shift)))
			width = math.Max(width, most-least)
		}
		kept[key(x)] = l
		if order = append(order, key(x)); len(order) > window {
			delete(kept, order[0])
			order = order[1:]
		}
	})
	return epsilon, width
}

// eachPair visits the ordered pairs of neighbours of a space.
func eachPair(s *hellinger.Space, visit func(x, y []int64)) {
	eachHistogram(s, func(x []int64) {
		for i, j := range hellinger.Neighbours(append([]int64(nil), x...)) {
			y := append([]int64(nil), x...)
			y[i]--
			y[j]++
			visit(x, y)
		}
	})
}

// lawAt is rate·H(x, r) of every candidate r, and ln of the normaliser.
func lawAt(s *hellinger.Space, x []int64, rate float64) (exponents []float64, z float64) {
	exponents = make([]float64, hellingersample.Count(s.N(), s.Cells()))
	if err := hellingersample.Exponents(s.Alpha(), x, rate, exponents); err != nil {
		return nil, math.NaN()
	}
	for _, v := range exponents {
		z += math.Exp(-v)
	}
	return exponents, math.Log(z)
}

// commas is a list in words.
func commas[T any](list []T) string {
	out := ""
	for i, v := range list {
		if i > 0 {
			out += ", "
		}
		out += fmt.Sprint(v)
	}
	return out
}
