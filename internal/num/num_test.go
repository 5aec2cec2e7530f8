package num

import (
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"
)

// relative is |got/want − 1|, or |got| for want = 0.
func relative(got, want float64) float64 {
	if want == 0 {
		return math.Abs(got)
	}
	return math.Abs(got-want) / math.Abs(want)
}

// scaled is the error relative to max(1, |want|).
func scaled(got, want float64) float64 { return math.Abs(got-want) / math.Max(1, math.Abs(want)) }

func TestGolden(t *testing.T) {
	one := func(name string, rows []one, f func(float64) float64, err func(a, b float64) float64, limit float64) {
		t.Run(name, func(t *testing.T) {
			for _, r := range rows {
				if e := err(f(r.x), r.want); !(e <= limit) {
					t.Errorf("%s(%g) = %.17g, want %.17g: error %.2g > %g", name, r.x, f(r.x), r.want, e, limit)
				}
			}
		})
	}
	two := func(name string, rows []two, f func(a, b float64) float64, err func(a, b float64) float64, limit float64) {
		t.Run(name, func(t *testing.T) {
			for _, r := range rows {
				if e := err(f(r.a, r.b), r.want); !(e <= limit) {
					t.Errorf("%s(%g, %g) = %.17g, want %.17g: error %.2g > %g", name, r.a, r.b, f(r.a, r.b), r.want, e,
						limit)
				}
			}
		})
	}
	one("LogGammaHalfRatio", halfRatioGolden, LogGammaHalfRatio, relative, 1e-15)
	one("Digamma", digammaGolden, Digamma, scaled, 1e-15)
	one("Trigamma", trigammaGolden, Trigamma, relative, 1e-15)
	two("LogBC", logBCGolden, LogBC, relative, 5e-15)
	two("LogGammaBregman", bregmanGolden, func(a, b float64) float64 { return LogGammaBregman(a, b, a-b) }, relative,
		5e-15)
	two("LogGammaDiff", gammaDiffGolden, LogGammaDiff, scaled, 5e-15)
	two("LogBeta", logBetaGolden, LogBeta, scaled, 5e-15)
}

// TestEdges compares squared Hellinger distances of neighbouring Dirichlet posteriors, H² = −expm1(L(p) + L(q)), with
// known sensitivities: Dirichlet(7, 4, 5) has the global one edge(4, 5), Beta(1, 1) with n = 1 edge(1, 1).
func TestEdges(t *testing.T) {
	for _, r := range []struct{ p, q, h float64 }{
		{1, 1, 0.4632513751761042}, {4, 5, 0.2336294807088753}, {3, 7, 0.2399927477971312},
		{4, 506, 0.17586564444741515},
	} {
		if h := math.Sqrt(-math.Expm1(LogGammaHalfRatio(r.p) + LogGammaHalfRatio(r.q))); relative(h, r.h) > 2e-15 {
			t.Errorf("edge(%g, %g) = %.17g, want %.17g", r.p, r.q, h, r.h)
		}
	}
}

// TestFarTail compares the lower tail far below the mean with its leading term x^a/(a·B(a, b)).
func TestFarTail(t *testing.T) {
	for _, r := range []two{{0.3, 2, 0}, {2, 900, 0}, {12, 15, 0}, {13, 5e8, 0}} {
		x := 1e-17 / r.b
		want := math.Exp(r.a*math.Log(x)-LogBeta(r.a, r.b)) / r.a
		if got := RegIncBeta(r.a, r.b, x); relative(got, want) > 1e-12 {
			t.Errorf("I_%g(%g, %g) = %g, want %g", x, r.a, r.b, got, want)
		}
		if p := RegIncBeta(r.a, r.b, x); relative(InvRegIncBeta(r.a, r.b, p), x) > 1e-12 {
			t.Errorf("inverse at %g is %g, want %g", p, InvRegIncBeta(r.a, r.b, p), x)
		}
	}
}

// TestNaiveFails shows that the golden rows have the power to reject the textbook formulas.
func TestNaiveFails(t *testing.T) {
	naive := func(a, b float64) float64 { return LogGamma((a+b)/2) - (LogGamma(a)+LogGamma(b))/2 }
	worst := 0.0
	for _, r := range logBCGolden {
		worst = math.Max(worst, relative(naive(r.a, r.b), r.want))
	}
	if worst < 0.5 {
		t.Errorf("the naive φ is within %g of the golden rows: they test nothing", worst)
	}
}

func TestRegIncBetaGolden(t *testing.T) {
	for _, r := range incBetaGolden {
		got := RegIncBeta(r.a, r.b, r.x)
		if e := math.Abs(got - r.want); !(e <= 1e-13) {
			t.Errorf("I_%g(%g, %g) = %.16g, want %.16g", r.x, r.a, r.b, got, r.want)
		}
		if r.x < (r.a+1)/(r.a+r.b+2) {
			if e := relative(got, r.want); !(e <= 1e-11) {
				t.Errorf("I_%g(%g, %g) = %g: relative error %.2g", r.x, r.a, r.b, got, e)
			}
		}
	}
}

// TestRegIncBetaBinomial compares with the binomial sum P(Bin(n, x) ≥ a) = I_x(a, n−a+1), an independent formula.
func TestRegIncBetaBinomial(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 60).Draw(t, "n")
		k := rapid.IntRange(1, n).Draw(t, "k")
		x := rapid.Float64Range(0.001, 0.999).Draw(t, "x")
		sum, c := 0.0, 1.0
		for j := 0; j <= n; j++ {
			if j >= k {
				sum += c * math.Pow(x, float64(j)) * math.Pow(1-x, float64(n-j))
			}
			c *= float64(n-j) / float64(j+1)
		}
		if got := RegIncBeta(float64(k), float64(n-k+1), x); math.Abs(got-sum) > 1e-12 {
			t.Fatalf("I = %.16g, sum %.16g", got, sum)
		}
	})
}

func logUniform(t *rapid.T, lo, hi float64, name string) float64 {
	return math.Pow(10, rapid.Float64Range(lo, hi).Draw(t, name))
}

func TestInverseProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := logUniform(t, -1, 9, "a"), logUniform(t, -1, 9, "b")
		p := rapid.Float64Range(1e-9, 1-1e-9).Draw(t, "p")
		x := InvRegIncBeta(a, b, p)
		if !(x >= 0 && x <= 1) {
			t.Fatalf("quantile %g", x)
		}
		// p lies between the values one part in 1e12 to either side, measured on the nearer end of the interval.
		step := 1e-12*x + 0x1p-52*x + 1e-320
		lo, hi := RegIncBeta(a, b, math.Max(0, x-step)), RegIncBeta(a, b, math.Min(1, x+step))
		if p < lo-1e-11 || p > hi+1e-11 {
			t.Fatalf("a=%g b=%g p=%g: x=%g has I in [%g, %g]", a, b, p, x, lo, hi)
		}
	})
}

func TestInverseEnds(t *testing.T) {
	if got := InvRegIncBeta(0.001, 5, 0.025); got != 0 {
		t.Errorf("a quantile of about 1e-1600 is %g, want 0", got)
	}
	if got := InvRegIncBeta(1, 1, 0.3); relative(got, 0.3) > 4e-16 {
		t.Errorf("uniform quantile %.17g", got)
	}
	if got, want := InvRegIncBeta(1, 4, 1e-12), -math.Expm1(math.Log1p(-1e-12)/4); relative(got, want) > 1e-14 {
		t.Errorf("quantile %g, want %g", got, want)
	}
	if InvRegIncBeta(2, 3, 0) != 0 || InvRegIncBeta(2, 3, 1) != 1 {
		t.Error("ends")
	}
}

func TestGammaProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := logUniform(t, -6, 12, "a"), logUniform(t, -6, 12, "b")
		if x, y := LogBC(a, b), LogBC(b, a); x != y || x > 0 {
			t.Fatalf("φ(%g, %g) = %g, φ(b, a) = %g", a, b, x, y)
		}
		// φ is half the sum of the two Bregman divergences at the midpoint, with the opposite sign.
		m, h := (a+b)/2, (b-a)/2
		if x, y := LogBC(a, b), -(LogGammaBregman(a, m, -h)+LogGammaBregman(b, m, h))/2; relative(y, x) > 2e-14 {
			t.Fatalf("φ = %g, by Bregman divergences %g", x, y)
		}
		// The moved record: φ(p, p+1) at both cells is the half ratio.
		if x, y := LogBC(a, a+1), LogGammaHalfRatio(a); a < 1e6 && relative(x, y) > 1e-13+4e-16*a {
			t.Fatalf("φ(a, a+1) = %g, L(a) = %g", x, y)
		}
		if x, y := Digamma(a+1), Digamma(a)+1/a; scaled(x, y) > 1e-15*(4+1/a) {
			t.Fatalf("ψ(a+1) = %g, ψ(a) + 1/a = %g", x, y)
		}
		if LogBeta(a, b) != LogBeta(b, a) {
			t.Fatalf("LogBeta is not symmetric at %g, %g", a, b)
		}
	})
}

func TestDirichletKLProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, y, h := make([]float64, 3), make([]float64, 3), make([]float64, 3)
		direct, x0, y0, size := 0.0, 0.0, 0.0, 0.0
		for i := range x {
			x[i], y[i] = logUniform(t, -2, 6, "x"), logUniform(t, -2, 6, "y")
			h[i] = y[i] - x[i]
			d := LogGammaBregman(y[i], x[i], h[i])
			direct, size, x0, y0 = direct+d, size+d, x0+x[i], y0+y[i]
		}
		direct -= LogGammaBregman(y0, x0, y0-x0)
		if got := DirichletKL(y, x, h); got < 0 || math.Abs(got-direct) > 1e-13*math.Max(1, size) {
			t.Fatalf("KL = %.15g, by its definition %.15g", got, direct)
		}
		if got := DirichletKL(x, x, make([]float64, 3)); got != 0 {
			t.Fatalf("KL of a law from itself = %g", got)
		}
	})
	if got := DirichletKL([]float64{1, -1}, []float64{1, 1}, []float64{0, -2}); !math.IsNaN(got) {
		t.Errorf("outside the domain: %g", got)
	}
}

func TestLogSpace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Float64Range(-700, 700).Draw(t, "a"), rapid.Float64Range(-700, 700).Draw(t, "b")
		sum := LogSumExp([]float64{a, b})
		if sum < math.Max(a, b) || sum > math.Max(a, b)+math.Ln2+1e-12 {
			t.Fatalf("LogSumExp = %g", sum)
		}
		if back := sum + math.Log(-math.Expm1(b-sum)); a > b+1e-3 && a < b+30 && math.Abs(back-a) > 1e-10 {
			t.Fatalf("LogSumExp(a, b) less e^b is e^%g, want e^%g", back, a)
		}
	})
	for _, c := range []struct{ got, want float64 }{
		{LogSumExp(nil), math.Inf(-1)}, {LogSumExp([]float64{math.Inf(1), 0}), math.Inf(1)},
		{LogSumExp([]float64{1e4, 1e4}), 1e4 + math.Ln2},
	} {
		if c.got != c.want && !(relative(c.got, c.want) < 1e-15) {
			t.Errorf("got %g, want %g", c.got, c.want)
		}
	}
}

func TestDomain(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for i, v := range []float64{
		LogGammaHalfRatio(-1), LogGammaHalfRatio(nan), LogBC(0, 1), LogBC(1, inf), LogGamma(-1), LogGammaDiff(1, -1),
		LogGammaDiff(nan, 1),
		LogGammaBregman(0, 1, -1), LogBeta(0, 1), LogBeta(1, inf), LogBeta(nan, 1), RegIncBeta(1, 1, -0.1),
		RegIncBeta(1, 1, nan), RegIncBeta(-1, 1, 0.5),
		RegIncBeta(1, 1, 1.1), InvRegIncBeta(1, 1, 1.1), InvRegIncBeta(0, 1, 0.5), Digamma(-1), Trigamma(-1),
		LogSumExp([]float64{1, nan}), LogBetaKernel(1, -1, 0.5, 0.5),
	} {
		if !math.IsNaN(v) {
			t.Errorf("case %d = %g, want NaN", i, v)
		}
	}
	if !math.IsInf(LogGammaHalfRatio(0), -1) || LogGammaHalfRatio(inf) != 0 || !math.IsInf(Trigamma(0), 1) ||
		!math.IsInf(Digamma(0), -1) {
		t.Error("ends of the gamma functions")
	}
}

func TestRounding(t *testing.T) {
	for _, x := range []float64{0, 1, -1, 1e300, -1e-300} {
		if !(Down(x) < x && x < Up(x)) || Up(Down(x)) != x {
			t.Errorf("rounding of %g: %g, %g", x, Down(x), Up(x))
		}
	}
}

func TestRootBracket(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		root := float64(rapid.IntRange(-10_000, 10_000).Draw(t, "root")) / 1000 // no underflow of the power
		power := float64(rapid.SampledFrom([]int{1, 3, 5}).Draw(t, "power"))
		sign := rapid.SampledFrom([]float64{-1, 1}).Draw(t, "sign")
		calls := 0
		f := func(x float64) float64 {
			calls++
			return sign * math.Copysign(math.Pow(math.Abs(x-root), power), x-root)
		}
		a, b, err := RootBracket(f, -20, 20, 1e-9)
		if err != nil || !(a <= root && root <= b && b-a <= 1e-9) {
			t.Fatalf("[%g, %g], %v, root %g", a, b, err, root)
		}
		if calls > 40 { // bisection needs 36, and the two ends
			t.Fatalf("%d calls", calls)
		}
	})
	a, b, err := RootBracket(func(x float64) float64 { return x*x - 2 }, 0, 2, 0)
	if err != nil || a > math.Sqrt2 || b < math.Sqrt2 || b > Up(Up(a)) {
		t.Errorf("[%.17g, %.17g], %v", a, b, err)
	}
	var missing *BracketError
	for _, f := range []func(float64) float64{func(float64) float64 { return 1 },
		func(float64) float64 { return math.NaN() }} {
		if _, _, err := RootBracket(f, 0, 1, 0); !errors.As(err, &missing) {
			t.Errorf("no bracket: %v", err)
		}
	}
}

func TestQuadrature(t *testing.T) {
	for degree := range 48 {
		got := Integrate24(func(x float64) float64 { return math.Pow(x, float64(degree)) }, 0, 1, 1)
		if want := 1 / float64(degree+1); relative(got, want) > 1e-14 {
			t.Errorf("∫x^%d = %.17g, want %.17g", degree, got, want)
		}
	}
	nodes, weights := GaussLegendre24()
	sum := 0.0
	for i, w := range weights {
		sum += w
		if i > 0 && nodes[i] <= nodes[i-1] {
			t.Error("nodes do not ascend")
		}
	}
	if relative(sum, 2) > 1e-15 {
		t.Errorf("weights sum to %.17g", sum)
	}
	if got := Integrate24(math.Exp, 0, 10, 4); relative(got, math.Expm1(10)) > 1e-14 {
		t.Errorf("∫exp = %.17g", got)
	}
}

var sink float64

func BenchmarkLogGammaHalfRatio(b *testing.B) {
	for b.Loop() {
		sink += LogGammaHalfRatio(4)
	}
}

func BenchmarkLogBC(b *testing.B) {
	for b.Loop() {
		sink += LogBC(34.5, 41.25)
	}
}

func BenchmarkRegIncBeta(b *testing.B) {
	for b.Loop() {
		sink += RegIncBeta(40, 60, 0.38)
	}
}

func BenchmarkRegIncBetaLarge(b *testing.B) {
	for b.Loop() {
		sink += RegIncBeta(4e8, 6e8, 0.39999)
	}
}

func BenchmarkInvRegIncBeta(b *testing.B) {
	for b.Loop() {
		sink += InvRegIncBeta(40, 60, 0.025)
	}
}
