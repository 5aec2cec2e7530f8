package hellinger

import (
	"math"
	"sync"

	"github.com/privbayes/privbayes-go/internal/hellinger"
	"github.com/privbayes/privbayes-go/internal/hellingersample"
	"github.com/privbayes/privbayes-go/internal/num"
)

// space is one posterior to release: the candidate set of a table with the scale that scores are divided by.
type space struct {
	*hellinger.Space
	alpha []float64
	n     int64
	scale scaling
	gamma float64 // reciprocal
	beta  float64 // smooth

	tables func() *hellingersample.Tables // made on first use, for enumerations; nil beyond their limit
}

// newSpace checks prior and n: *dp.ParameterError.
func newSpace(alpha []float64, n int64, scale scaling, gamma, beta float64) (*space, error) {
	s, err := hellinger.New(alpha, n)
	if err != nil {
		return nil, err
	}
	return &space{s, alpha, n, scale, gamma, beta, sync.OnceValue(func() *hellingersample.Tables {
		t, _ := hellingersample.NewTables(alpha, n)
		return t
	})}, nil
}

// sensitivity is S(x).
func (s *space) sensitivity(x []int64) float64 {
	var v float64
	switch s.scale {
	case globalScale:
		v, _, _ = s.Global()
	case localScale:
		v, _, _ = s.Local(x)
	case localPlusScale:
		v, _, _ = s.LocalPlus(x)
	case smoothScale:
		v = s.Smooth(x, s.beta).Value
	default:
		v = s.Reciprocal(x, s.gamma).Value
	}
	return v
}

// rate is A = κ/S(x), 0 where there is one candidate only.
func (s *space) rate(kappa float64, x []int64) float64 {
	if s.n == 0 {
		return 0
	}
	return kappa / s.sensitivity(x)
}

// maxRate bounds A over all data: every edge of the space has both parameters at most Σα + n, and the edge falls in
// both.
func (s *space) maxRate(kappa float64) float64 {
	if s.n == 0 {
		return 0
	}
	total := float64(s.n)
	for _, a := range s.alpha {
		total += a
	}
	return kappa / s.Edge(total, total) * (1 + 1e-12)
}

// lipschitz is the proved Lipschitz constant of 1/S between neighbours, rounded up; ok is false where there is none.
func (s *space) lipschitz() (gamma float64, ok bool) {
	switch {
	case s.scale == globalScale:
		return 0, true
	case s.scale == reciprocalScale:
		return s.gamma, true
	case s.scale == localPlusScale, s.scale == localScale && len(s.alpha) == 2: // LS = LS⁺ for two cells
		return s.GammaPlusUpper(), true
	}
	return 0, false
}

// rho is Theorem 1's ρ, rounded up: weights exp(−κH/S) have log-ratios within a range of κρ.
func (s *space) rho() (float64, bool) {
	g, ok := s.lipschitz()
	return hellinger.Rho(g, 1), ok
}

// work bounds the ordered neighbouring pairs times outputs, as finite.Audit does.
func (s *space) work() float64 {
	d := float64(len(s.alpha))
	return s.Size() * d * (d - 1) * s.Size()
}

// sampler names the method that draws from the space at κ, and bounds η: what is drawn has weights w·e^{±η} of the
// weights that the proofs are about, which costs at most 4η of ε (theory/hellinger.md §10). The relative error of S,
// below 2e-14, comes on top of the method's own slack. Both are functions of public inputs. The error says that no
// method is feasible.
func (s *space) sampler(kappa float64) (name string, eta float64, err error) {
	a := s.maxRate(kappa)
	name, eta, err = hellingersample.Prospect(s.alpha, s.n, a)
	return name, eta + 4e-14*a + 1e-12, err
}

// slack is η alone, +Inf where nothing can be drawn.
func (s *space) slack(kappa float64) float64 {
	_, eta, err := s.sampler(kappa)
	if err != nil {
		return math.Inf(1)
	}
	return eta
}

// exponents fills out with A·H(x, r), the numbers that are drawn from.
func (s *space) exponents(x []int64, a float64, out []float64) error {
	if t := s.tables(); t != nil {
		return t.Exponents(x, a, out)
	}
	return hellingersample.Exponents(s.alpha, x, a, out)
}

// law is the finite output law at rate κ, on the very exponents that are drawn from.
type law struct {
	*space
	kappa float64
}

// Outputs is |R|.
func (l law) Outputs() int { return int(math.Round(l.Size())) }

// LogLaw fills out with log-probabilities; it is safe for concurrent use.
func (l law) LogLaw(x []int, out []float64) {
	y := make([]int64, len(x))
	for i, v := range x {
		y[i] = int64(v)
	}
	if err := l.exponents(y, l.rate(l.kappa, y), out); err != nil {
		for i := range out {
			out[i] = math.NaN() // not a candidate set: the caller's space is another one
		}
		return
	}
	for i, e := range out {
		out[i] = -e
	}
	z := num.LogSumExp(out)
	for i := range out {
		out[i] -= z
	}
}
