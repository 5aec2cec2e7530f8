package ball

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/privbayes/privbayes-go/privbayes/internal/num"
	"github.com/privbayes/privbayes-go/privbayes/internal/sample"
)

// MaxDim is the largest dimension accepted.
const MaxDim = 1000

// ParameterError is an argument outside its domain.
type ParameterError struct {
	Name  string
	Value float64
	Want  string
}

// Error names the argument, its value and its domain.
func (e *ParameterError) Error() string {
	return fmt.Sprintf("ball: %s = %g; want %s", e.Name, e.Value, e.Want)
}

// Sampler holds one law, rotated to the axes of P: p_i the eigenvalues, g = Q′h. It is immutable and safe for concurrent use.
//
// Proposals are Gaussian with precision p_i + λ and mean g_i/(p_i + λ), that is, the law times e^{−λ‖v‖²/2}; one inside the ball is
// kept with probability e^{−λ(B²−‖v‖²)/2} ≤ 1, which cancels the tilt. The draw is exact for every λ ≥ 0 with all p_i + λ > 0. Its
// acceptance is largest at the only λ ≥ 0 with
//
//	Σ_i [1/(p_i+λ) + (g_i/(p_i+λ))²] = B²  (E‖v‖² = B²),  or λ = 0 where the left side is below B² already,
//
// because d/dλ of the log acceptance is ½(E‖v‖² − B²).
type Sampler struct {
	mean, sd []float64 // of the proposal, on the axes of P
	q        []float64 // row-major Q
	lambda   float64
	radius   float64
	expected float64
}

// New decomposes P: about d³ work, once a law. P is symmetric and finite, h finite of the same dimension 1 ≤ d ≤ MaxDim, 0 < B < ∞.
// P need not be positive definite: on a ball the law is proper in any case. Errors: *ParameterError.
func New(p *mat.SymDense, h []float64, radius float64) (*Sampler, error) {
	if p == nil {
		return nil, &ParameterError{"dimension of the precision", 0, fmt.Sprintf("1 to %d", MaxDim)}
	}
	d := p.SymmetricDim()
	switch {
	case d < 1 || d > MaxDim:
		return nil, &ParameterError{"dimension of the precision", float64(d), fmt.Sprintf("1 to %d", MaxDim)}
	case len(h) != d:
		return nil, &ParameterError{"length of h", float64(len(h)), fmt.Sprintf("%d, the dimension of the precision", d)}
	case !(radius > 0) || math.IsInf(radius, 1):
		return nil, &ParameterError{"radius", radius, "0 < radius < ∞"}
	}
	for i := range d {
		for j := i; j < d; j++ {
			if v := p.At(i, j); math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, &ParameterError{fmt.Sprintf("precision[%d,%d]", i, j), v, "a finite number"}
			}
		}
		if math.IsNaN(h[i]) || math.IsInf(h[i], 0) {
			return nil, &ParameterError{fmt.Sprintf("h[%d]", i), h[i], "a finite number"}
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(p, true) {
		return nil, &ParameterError{"precision", math.NaN(), "a matrix whose eigenvalues converge"}
	}
	values := eigen.Values(nil)
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	s := &Sampler{mean: make([]float64, d), sd: make([]float64, d), q: make([]float64, d*d), radius: radius}
	g := make([]float64, d)
	for i := range d {
		for j := range d {
			v := vectors.At(i, j)
			s.q[i*d+j] = v
			g[j] += v * h[i]
		}
	}
	if err := s.tilt(values, g); err != nil {
		return nil, err
	}
	return s, nil
}

// tilt finds λ and the proposal.
func (s *Sampler) tilt(p, g []float64) error {
	b2 := s.radius * s.radius
	square := func(lambda float64) float64 { // E‖v‖² − B², decreasing in λ
		total := -b2
		for i := range p {
			v := 1 / (p[i] + lambda)
			m := g[i] * v
			total += v + m*m
		}
		return total
	}
	floor := math.Max(0, -p[0]) // eigenvalues ascend
	if p[0] <= 0 || square(0) > 0 {
		lo, step := floor, math.Max(math.Abs(p[len(p)-1]), 1/b2)
		if p[0] <= 0 { // every eigenvalue is positive from here on, and the mean square above B²
			lo = floor + 0.5*math.Min(1/b2, step)
		}
		hi := lo + step
		for square(hi) > 0 {
			step *= 2
			hi = lo + step
			if math.IsInf(hi, 1) {
				return &ParameterError{"radius", s.radius, "a ball not beyond float64 of the law's scale"}
			}
		}
		a, b, err := num.RootBracket(square, lo, hi, 0)
		if err != nil {
			return &ParameterError{"precision", p[0], "finite moments on the ball"}
		}
		s.lambda = math.Max(a, b)
	}
	variance := 0.0 // of ‖v‖²/2
	for i := range p {
		v := 1 / (p[i] + s.lambda)
		s.mean[i], s.sd[i] = g[i]*v, math.Sqrt(v)
		variance += v * (v/2 + s.mean[i]*s.mean[i])
	}
	s.expected = math.Max(1, math.Sqrt(2*math.Pi*variance)*s.lambda)
	return nil
}

// Dim is d.
func (s *Sampler) Dim() int { return len(s.mean) }

// Tilt is λ, in units of a precision.
func (s *Sampler) Tilt() float64 { return s.lambda }

// ExpectedProposals estimates the proposals a draw takes: √(2π)·λ·sd(‖v‖²/2), at least 1; within a factor of about 2 to 3. It depends
// on P and h, hence on data.
func (s *Sampler) ExpectedProposals() float64 { return s.expected }

// Draw fills out, of length Dim, with one draw, ‖out‖ ≤ B, and tells how many proposals it took: like the time a draw takes, a number
// that depends on the data and is not to be published. Errors: *ParameterError for a wrong length.
func (s *Sampler) Draw(src sample.Source, out []float64) (proposals int, err error) {
	d := len(s.mean)
	if len(out) != d {
		return 0, &ParameterError{"length of out", float64(len(out)), fmt.Sprintf("%d, the dimension", d)}
	}
	v := make([]float64, d)
	b2 := s.radius * s.radius
	for proposals = 1; ; proposals++ {
		square := 0.0
		for i, m := range s.mean {
			x := m + s.sd[i]*sample.Normal(src)
			v[i] = x
			square += x * x
		}
		if square <= b2 && math.Log(sample.Float64(src)) <= -s.lambda*(b2-square)/2 {
			break
		}
	}
	for i := range d {
		out[i] = 0
		for j, q := range s.q[i*d : (i+1)*d] {
			out[i] += q * v[j]
		}
	}
	s.pull(out)
	return proposals, nil
}

// pull undoes a rotation's rounding past the sphere.
func (s *Sampler) pull(out []float64) {
	for {
		norm := 0.0
		for _, x := range out {
			norm += x * x
		}
		if norm = math.Sqrt(norm); norm <= s.radius {
			return
		}
		shrink := s.radius / norm * (1 - 1e-15)
		for i := range out {
			out[i] *= shrink
		}
	}
}
