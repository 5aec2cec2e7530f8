package num

import (
	"math"
	"math/cmplx"
	"testing"

	"pgregory.net/rapid"
)

// apart is the distance of two complex numbers relative to the second.
func apart(got, want complex128) float64 {
	if got == want {
		return 0
	}
	return cmplx.Abs(got-want) / cmplx.Abs(want)
}

func TestLogGammaComplexGolden(t *testing.T) {
	for _, g := range logGammaComplexGolden {
		tol := 1e-14
		if g.x <= 0 {
			tol = 1e-13
		}
		if got, want := LogGammaComplex(complex(g.x, g.y)), complex(g.re, g.im); !(apart(got, want) <= tol) {
			t.Errorf("lnΓ(%g%+gi) = %v, golden %v (%.2g)", g.x, g.y, got, want, apart(got, want))
		}
	}
	// the section special_functions of the oracle, on the real axis
	for x, want := range map[float64]float64{
		1e-8: 18.42068073818020890538, 1e-3: 6.907178885383853682512, 0.1: 2.25271265173420595987,
		0.5: 0.5723649429247000870717,
	} {
		if got := LogGammaComplex(complex(x, 0)); imag(got) != 0 || math.Abs(real(got)/want-1) > 1e-14 {
			t.Errorf("lnΓ(%g) = %v, golden %v", x, got, want)
		}
	}
}

func TestLogGammaBregmanComplexGolden(t *testing.T) {
	for _, g := range bregmanComplexGolden {
		got, want := LogGammaBregmanComplex(g.x, complex(g.hre, g.him)), complex(g.re, g.im)
		if !(apart(got, want) <= 1e-14) {
			t.Errorf("D(%g%+g%+gi) = %v, golden %v (%.2g)", g.x, g.hre, g.him, got, want, apart(got, want))
		}
	}
}

// logUniform-sized points of the right half-plane.
func halfPlane(t *rapid.T) complex128 {
	return complex(logUniform(t, -3, 3, "re"), rapid.Float64Range(-1, 1).Draw(t, "sign")*logUniform(t, -3, 3, "im"))
}

func TestLogGammaComplexProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		z := halfPlane(t)
		l := LogGammaComplex(z)
		near := func(what string, got, want complex128, turns bool) {
			d := got - want
			if turns { // equal up to whole turns
				d = complex(real(d), math.Remainder(imag(d), 2*math.Pi))
			}
			if scale := 1 + cmplx.Abs(got) +
				cmplx.Abs(z)*math.Max(math.Abs(Digamma(real(z))),
					math.Abs(math.Log(cmplx.Abs(z)))); !(cmplx.Abs(d) <= 2e-14*scale) {
				t.Fatalf("%s at %v: %v, want %v", what, z, got, want)
			}
		}
		near("recurrence", LogGammaComplex(z+1), l+cmplx.Log(z), false)
		near("conjugation", LogGammaComplex(cmplx.Conj(z)), cmplx.Conj(l), false)
		near("duplication", LogGammaComplex(2*z),
			l+LogGammaComplex(z+0.5)+(2*z-1)*math.Ln2-complex(math.Log(math.Pi)/2, 0), false)
		if math.Abs(imag(z)) < 100 && real(z) < 100 && math.Abs(imag(z)) > 1e-2 {
			near("reflection", LogGammaComplex(1-z)+l, complex(math.Log(math.Pi), 0)-cmplx.Log(cmplx.Sin(math.Pi*z)),
				true)
		}
		x := real(z)
		h := complex(0, imag(z))
		near("increment", l, complex(LogGamma(x), 0)+h*complex(Digamma(x), 0)+LogGammaBregmanComplex(x, h), false)
		if d := x * rapid.Float64Range(-0.99, 30).Draw(t, "h"); math.Abs(d) > 1e-60 {
			got, want := LogGammaBregmanComplex(x, complex(d, 0)), LogGammaBregman(x+d, x, d)
			if math.Abs(imag(got)) > 1e-14*want || math.Abs(real(got)-want) > 3e-14*want {
				t.Fatalf("D at x = %v, h = %v: %v, real %v", x, d, got, want)
			}
		}
	})
}

func TestComplexGammaDomain(t *testing.T) {
	for _, z := range []complex128{0, -1, -7, complex(math.NaN(), 1)} {
		if !cmplx.IsNaN(LogGammaComplex(z)) {
			t.Errorf("lnΓ(%v) = %v, want NaN", z, LogGammaComplex(z))
		}
	}
	for _, c := range []struct {
		x float64
		h complex128
	}{{0, 1}, {-1, 1}, {1, -1}, {1, complex(-2, 3)}, {math.Inf(1), 1}} {
		if !cmplx.IsNaN(LogGammaBregmanComplex(c.x, c.h)) {
			t.Errorf("D(%v; %v) is not NaN", c.x, c.h)
		}
	}
}

func BenchmarkLogGammaComplex(b *testing.B) {
	for b.Loop() {
		LogGammaComplex(1.5 + 3i)
	}
}

func BenchmarkLogGammaBregmanComplex(b *testing.B) {
	for b.Loop() {
		LogGammaBregmanComplex(5, 1.5+3i)
	}
}
