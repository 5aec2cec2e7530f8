package loss

import (
	"fmt"
	"math"
	"math/cmplx"

	"github.com/privbayes/privbayes-go/internal/num"
)

// Transform is a pair (P, Q) whose privacy loss L = ln dP/dQ has a known Laplace transform. Independent losses add, so
// the logarithms of their transforms add: this is what exact composition is made of. The pairs of this package also
// know whether their transform decays or their losses lie on a lattice; a Transform of another package composes exactly
// only beside one that decays.
type Transform interface {
	Pair
	// LogMGF is K(z) = ln E_P e^{zL} for z in the strip, up to a multiple of 2πi. K(0) = K(−1) = 0. Swapping P and Q
	// gives K(−1−z).
	LogMGF(z complex128) complex128
	// Strip is the open interval of Re z on which the expectation is finite; it contains [−1, 0].
	Strip() (lo, hi float64)
	// Symmetric reports whether K(−1−z) = K(z): the loss has the same law with P and Q swapped.
	Symmetric() bool
}

var _ = [...]Transform{
	DirichletPair{}, GammaPair{}, GeometricPair{}, GaussianPair{}, LaplacePair{}, ShiftedGeometricPair{}, PurePair{},
	SelectionPair{},
	discreteGaussianTransform{},
}

// NoTransformError says that a pair's loss has no proved transform; such pairs compose by their Rényi curves.
type NoTransformError struct{ Pair, Reason string }

func (e *NoTransformError) Error() string {
	return fmt.Sprintf("loss: no transform of the privacy loss of %s: %s", e.Pair, e.Reason)
}

// TransformOf is the transform of a pair: the pair itself for those that implement [Transform], and the law of
// [DiscreteGaussianPair] with Shift = 1. Discrete Gaussian counts shifted by more have several worst patterns and no
// single loss; they, and pairs that are maxima over histograms, are refused with *NoTransformError.
func TransformOf(p Pair) (Transform, error) {
	switch p := p.(type) {
	case Transform:
		return p, nil
	case DiscreteGaussianPair:
		if p.Shift == 1 {
			return discreteGaussianTransform{p}, nil
		}
		return nil, &NoTransformError{p.String(), "several patterns of change have the same norm; want Shift = 1"}
	case nil:
		return nil, &NoTransformError{"nil", "want a pair"}
	}
	return nil, &NoTransformError{p.String(), "it bounds several pairs at once"}
}

// LogMGF is K(z) = lnΓ(α+r+zr) + lnΓ(α−zr) − lnΓ(α+r) − lnΓ(α), as a sum of Bregman divergences of lnΓ, each to 14
// digits. Source: theory/dirichlet.md §2.5.
func (p DirichletPair) LogMGF(z complex128) complex128 { return p.kernel()(z) }

// Strip is −1 − α/r < Re z < α/r.
func (p DirichletPair) Strip() (lo, hi float64) { return -1 - p.Shape/p.Rate, p.Shape / p.Rate }

// Symmetric is true: the pair is its own mirror image.
func (p DirichletPair) Symmetric() bool { return true }

func (p DirichletPair) kernel() func(complex128) complex128 {
	a, r := p.Shape, p.Rate
	mean := complex(num.LogGammaBregman(a+r, a, r)+num.LogGammaBregman(a, a+r, -r), 0)
	return func(z complex128) complex128 {
		zr := z * complex(r, 0)
		return num.LogGammaBregmanComplex(a, -zr) + num.LogGammaBregmanComplex(a+r, zr) + z*mean
	}
}

// decays: |Γ(a+iy)| falls with |y|, since |Γ(a+iy)/Γ(a)|² = Π_n 1/(1 + y²/(a+n)²) (DLMF 5.8.3).
func (p DirichletPair) decays() {}

// LogMGF is that of adding a record, K(z) = lnΓ(α−zr) − lnΓ(α) + z[lnΓ(α+r) − lnΓ(α)], L = −r ln g + const under
// Gamma(α); removing one has K(−1−z).
func (p GammaPair) LogMGF(z complex128) complex128 { return p.kernel()(z) }

// Strip is Re z < α/r.
func (p GammaPair) Strip() (lo, hi float64) { return math.Inf(-1), p.Shape / p.Rate }

// Symmetric is false.
func (p GammaPair) Symmetric() bool { return false }

func (p GammaPair) kernel() func(complex128) complex128 {
	a, r := p.Shape, p.Rate
	add, remove := complex(num.LogGammaBregman(a+r, a, r), 0), complex(num.LogGammaBregman(a, a+r, -r), 0)
	return func(z complex128) complex128 {
		if real(z) >= -0.5 {
			return num.LogGammaBregmanComplex(a, -z*complex(r, 0)) + z*add
		}
		w := -1 - z
		return num.LogGammaBregmanComplex(a+r, w*complex(r, 0)) + w*remove
	}
}

func (p GammaPair) decays() {}

// LogMGF is Cells·ln[cosh((1+2z)γ/2)/cosh(γ/2)].
func (p GeometricPair) LogMGF(z complex128) complex128 {
	return complex(float64(p.Cells), 0) * logResponse(p.Rate, z)
}

// Strip is the whole plane: the loss is bounded.
func (p GeometricPair) Strip() (lo, hi float64) { return math.Inf(-1), math.Inf(1) }

// Symmetric is true.
func (p GeometricPair) Symmetric() bool { return true }

// lattice: each cell's loss is ±γ.
func (p GeometricPair) lattice() (offset, step float64) {
	return -float64(p.Cells) * p.Rate, 2 * p.Rate
}

// logResponse is ln[cosh((1+2z)ε/2)/cosh(ε/2)] = ln(1 + 2 sinh((z+1)ε/2) sinh(zε/2)/cosh(ε/2)).
func logResponse(eps float64, z complex128) complex128 {
	half := complex(eps/2, 0)
	if cmplx.Abs(z+1)*eps < 1 {
		return log1pComplex(2 * cmplx.Sinh((z+1)*half) * cmplx.Sinh(z*half) / cmplx.Cosh(half))
	}
	w := (1 + 2*z) * half
	if real(w) < 0 {
		w = -w
	}
	return w - half + cmplx.Log(1+cmplx.Exp(-2*w)) - complex(math.Log1p(math.Exp(-eps)), 0)
}

// decaying pairs have |E_P e^{(c+is)L}| nonincreasing in |s|, for every c in the strip, or an envelope that is.
type decaying interface{ decays() }

// enveloped pairs bound Re K(c+is) by a function nonincreasing in |s|, symmetric under K(−1−z).
type enveloped interface{ envelope(z complex128) float64 }

// latticed pairs have losses in offset + step·ℤ.
type latticed interface{ lattice() (offset, step float64) }

// prepared pairs compute the constants of their transform once.
type prepared interface {
	kernel() func(complex128) complex128
}

// kernelOf is the transform as a function, in the given order of the two laws.
func kernelOf(t Transform, swapped bool) func(complex128) complex128 {
	f := t.LogMGF
	if p, ok := t.(prepared); ok {
		f = p.kernel()
	}
	if !swapped || t.Symmetric() {
		return f
	}
	return func(z complex128) complex128 { return f(-1 - z) }
}

// log1pComplex is ln(1 + w), accurate for small w.
func log1pComplex(w complex128) complex128 {
	x, y := real(w), imag(w)
	if math.Abs(x)+math.Abs(y) > 0.5 {
		return cmplx.Log(1 + w)
	}
	return complex(0.5*math.Log1p(2*x+x*x+y*y), math.Atan2(y, 1+x))
}

// expm1Complex is e^w − 1, accurate for small w.
func expm1Complex(w complex128) complex128 {
	sin, cos := math.Sincos(imag(w))
	half := math.Sin(imag(w) / 2)
	return complex(math.Expm1(real(w))*cos-2*half*half, math.Exp(real(w))*sin)
}
