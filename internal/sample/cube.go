package sample

import (
	"math"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/internal/domain"
)

// Cube is noise for d sums, each of which a record changes by at most ε/γ steps:
//
//	P(z) ∝ e^{−γ·max_i |z_i|} on Z^d,  γ = Num/Den > 0,
//
// the K-norm mechanism (Hardt, Talwar 2010) of the cube. Values come from [NewCube] or satisfy what it checks.
type Cube struct {
	Dim      int
	Num, Den uint64
}

// MaxCube bounds the sums of a cube, and with them the proposals that a draw rejects.
const MaxCube = 256

// NewCube checks 1 ≤ d ≤ [MaxCube] and γ as NewTwoSidedGeometric does. Errors: *[ParameterError].
func NewCube(d int, num, den uint64) (Cube, error) {
	if d < 1 || d > MaxCube {
		return Cube{}, domain.Refuse("sample", "d", d, "1 to 256 sums")
	}
	_, err := NewTwoSidedGeometric(num, den)
	return Cube{d, num, den}, err
}

// Draw is exact. The norm m = max|z_i| has the weight of the shell, (2m+1)^d − (2m−1)^d times e^{−γm}; written as
// layers, z is uniform in a cube {−m, …, m}^d whose radius has the weight (2m+1)^d·e^{−γm}(1 − e^{−γ}). That radius is
// a sum of d + 1 geometric numbers, of weight C(m+d, d)·e^{−γm}, kept with probability
//
//	∏_{i=1..d} (2m+1)/(2m+2i) = (2m+1)^d/(2^d·d!·C(m+d, d)) ≤ 1.
func (c Cube) Draw(src rand.Source, out []int64) {
	g := TwoSidedGeometric{c.Num, c.Den}
	for {
		m := int64(0)
		for range c.Dim + 1 {
			m += g.oneSided(src)
		}
		keep := true
		for i := int64(1); i <= int64(c.Dim) && keep; i++ {
			keep = Uniform(src, uint64(2*m+2*i)) < uint64(2*m+1)
		}
		if !keep {
			continue
		}
		for i := range out[:c.Dim] {
			out[i] = int64(Uniform(src, uint64(2*m+1))) - m
		}
		return
	}
}

// LogProb is log P(z): a cube of radius m holds z for every m ≥ max|z_i|, and Σ_m (2m+1)^d·e^{−γm} normalises.
func (c Cube) LogProb(z []int64) float64 {
	largest := int64(0)
	for _, v := range z {
		largest = max(largest, v, -v)
	}
	sum, scale := c.layers(func(float64) float64 { return 1 })
	return -c.rate()*float64(largest) - math.Log(sum) - scale - math.Log(-math.Expm1(-c.rate()))
}

func (c Cube) rate() float64 { return float64(c.Num) / float64(c.Den) }

// Variance is E z_1²: the mean of m(m+1)/3, the variance of a uniform number in {−m, …, m}, over the radius m.
func (c Cube) Variance() float64 {
	square, _ := c.layers(func(m float64) float64 { return m * (m + 1) / 3 })
	one, _ := c.layers(func(float64) float64 { return 1 })
	return square / one
}

// layers is e^{scale}·Σ_m f(m)·(2m+1)^d·e^{−γm}, for f of at most quadratic growth. Wide sums are an integral by
// Simpson's rule, with half of the first term added: they differ by less than 1e-9 of the whole.
func (c Cube) layers(f func(m float64) float64) (sum, scale float64) {
	g, d := c.rate(), float64(c.Dim)
	mode := math.Max(0, d/g-.5)
	scale = d*math.Log(2*mode+1) - g*mode
	end := math.Ceil(mode + 40*(math.Sqrt(d+1)+2)/g)
	term := func(m float64) float64 { return f(m) * math.Exp(d*math.Log(2*m+1)-g*m-scale) }
	if end < 1e5 {
		for m := 0.0; m <= end; m++ {
			sum += term(m)
		}
		return sum, scale
	}
	const panels = 4000
	h := end / panels
	for i := 0; i <= panels; i++ {
		w := 2.0
		switch {
		case i == 0 || i == panels:
			w = 1
		case i%2 == 1:
			w = 4
		}
		sum += w * term(float64(i)*h)
	}
	return sum*h/3 + term(0)/2, scale
}
