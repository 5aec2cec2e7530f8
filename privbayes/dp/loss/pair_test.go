package loss_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
)

// bruteGeometric sums the hockey-stick divergence of m geometric counts shifted by 1 over all outputs in a window: an
// independent derivation of the randomised-response pair.
func bruteGeometric(gamma, eps float64, m int) float64 {
	q := math.Exp(-gamma)
	c := (1 - q) / (1 + q)
	w := int(math.Ceil(45/gamma)) + 2
	sum := 0.0
	var walk func(left int, logP, loss float64)
	walk = func(left int, logP, loss float64) {
		if left == 0 {
			if loss > eps {
				sum += math.Exp(logP) * -math.Expm1(eps-loss)
			}
			return
		}
		for z := -w; z <= w; z++ {
			l := gamma * (math.Abs(float64(z-1)) - math.Abs(float64(z)))
			walk(left-1, logP+math.Log(c)-gamma*math.Abs(float64(z)), loss+l)
		}
	}
	walk(m, 0, 0)
	return sum
}

func TestGeometricProfileEqualsTheSumOverOutputs(t *testing.T) {
	for _, c := range []struct {
		gamma, eps float64
		m          int
	}{{1, 0.5, 1}, {1, 0.5, 2}, {1, 1.5, 2}, {2, 1, 2}, {2, 3.9, 2}, {0.7, 0.2, 2}, {3, 5, 3}} {
		got, want := loss.GeometricPair{Rate: c.gamma, Cells: c.m}.Delta(c.eps), bruteGeometric(c.gamma, c.eps, c.m)
		if got < want || got > want*(1+1e-7)+1e-15 {
			t.Errorf("%+v: δ = %.17g, sum %.17g", c, got, want)
		}
	}
}

// bruteGaussian is the same for m discrete Gaussians, by direct sums.
func bruteGaussian(sigma2, eps float64, m int) float64 {
	w := int(math.Ceil(13*math.Sqrt(sigma2))) + 2
	norm := 0.0
	for z := -w - 200; z <= w+200; z++ {
		norm += math.Exp(-float64(z*z) / (2 * sigma2))
	}
	sum := 0.0
	var walk func(left int, p, loss float64)
	walk = func(left int, p, loss float64) {
		if left == 0 {
			if loss > eps {
				sum += p * -math.Expm1(eps-loss)
			}
			return
		}
		for z := -w; z <= w; z++ {
			walk(left-1, p*math.Exp(-float64(z*z)/(2*sigma2))/norm, loss+(1-2*float64(z))/(2*sigma2))
		}
	}
	walk(m, 1, 0)
	return sum
}

func TestDiscreteGaussianProfileEqualsTheSumOverOutputs(t *testing.T) {
	for _, c := range []struct {
		sigma2, eps float64
		m           int
	}{{0.3, 1, 1}, {0.3, 2, 2}, {1, 0.5, 2}, {1, 2, 3}, {2.7, 1, 2}, {2.8, 1, 2}, {5, 0.5, 2}, {5, 1, 3},
		{40, 0.3, 2}} {
		got, want := loss.DiscreteGaussianPair{Sigma2: c.sigma2, Cells: c.m, Shift: 1}.Delta(c.eps),
			bruteGaussian(c.sigma2, c.eps, c.m)
		if got < want*(1-1e-12) || got > want*(1+1e-7)+1e-40 {
			t.Errorf("%+v: δ = %.17g, sum %.17g", c, got, want)
		}
	}
}

// A pair sold with half its shift must be caught by the same comparison.
func TestHalvedVarianceIsCaught(t *testing.T) {
	got, want := loss.DiscreteGaussianPair{Sigma2: 10, Cells: 2, Shift: 1}.Delta(1), bruteGaussian(5, 1, 2)
	if got >= want {
		t.Fatal("the profile of twice the variance covers the real one: the comparison has no power")
	}
}

func TestZCDPBoundsTheExactProfile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sigma2 := math.Exp(rapid.Float64Range(-1, 6).Draw(t, "log σ²"))
		m := rapid.IntRange(1, 12).Draw(t, "m")
		eps := math.Exp(rapid.Float64Range(-3, 2).Draw(t, "log ε"))
		p := loss.DiscreteGaussianPair{Sigma2: sigma2, Cells: m, Shift: 1}
		l := dp.Parameters{Notion: dp.Concentrated, Rho: p.ZCDP()}
		if delta := p.Delta(eps); delta > 1e-35 {
			c, err := l.At(dp.Parameters{Notion: dp.Approximate, Delta: math.Min(delta, 0.999999)})
			if err != nil || delta < 0.99 && float64(c.Epsilon) < eps*(1-1e-6) {
				t.Fatalf("zCDP claims ε = %v at the exact δ(%v) = %v: %v", c.Epsilon, eps, delta, err)
			}
		}
	})
}

func TestPairsAreConsistent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.IntRange(1, 30).Draw(t, "m")
		pairs := []loss.Pair{
			loss.GeometricPair{Rate: math.Exp(rapid.Float64Range(-6, 1).Draw(t, "log γ")), Cells: m},
			loss.DiscreteGaussianPair{Sigma2: math.Exp(rapid.Float64Range(-1, 8).Draw(t, "log σ²")), Cells: m,
				Shift: 1},
		}
		for _, p := range pairs {
			last := 1.0
			for _, e := range []float64{0, 0.1, 0.5, 1, 3} {
				d := p.Delta(e)
				if !(d >= 0 && d <= last+1e-12) {
					t.Fatalf("%s: δ(%v) = %v after %v", p, e, d, last)
				}
				last = d
			}
			for _, order := range []float64{1.01, 2, 16} {
				if r := p.RDP(order); r > order*p.ZCDP()*(1+1e-9) || r > p.PureEpsilon()*(1+1e-9) || r <= 0 {
					t.Fatalf("%s: RDP(%v) = %v, zCDP %v, pure %v", p, order, r, p.ZCDP(), p.PureEpsilon())
				}
			}
			delta := math.Exp(rapid.Float64Range(-25, -1).Draw(t, "log δ"))
			if e := loss.EpsilonFor(p, delta); p.Delta(e) > delta*(1+1e-6) {
				t.Fatalf("%s: δ(EpsilonFor(%v)) = %v", p, delta, p.Delta(e))
			}
		}
	})
}

func TestConversionsOnlyWeaken(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		eps := math.Exp(rapid.Float64Range(-5, 3).Draw(t, "log ε"))
		pure := dp.PureDP(eps).Parameters
		z, err := pure.At(dp.ZCDP(1).Parameters)
		if err != nil || z.Rho > eps*eps/2*(1+1e-9) || z.Rho > eps {
			t.Fatalf("%v as zCDP: %v, %v", pure, z, err)
		}
		var conversion *dp.ConversionError
		if _, err := z.At(pure); !errors.As(err, &conversion) || conversion.From != dp.Concentrated ||
			conversion.To != dp.Pure {
			t.Fatal("zCDP became pure:", err)
		}
		a, err := z.At(dp.ApproxDP(1, 1e-6).Parameters)
		if err != nil || float64(a.Epsilon) < 0 {
			t.Fatal(a, err)
		}
		if pure.Satisfies(dp.PureDP(eps / 2).Parameters) {
			t.Fatal("satisfies half of itself")
		}
		if !pure.Satisfies(dp.ApproxDP(eps, 1e-9).Parameters) || !pure.Satisfies(pure) {
			t.Fatal("a pure level does not satisfy its own ε")
		}
	})
}

func TestInvalidLevels(t *testing.T) {
	for _, l := range []dp.Request{
		dp.PureDP(0), dp.PureDP(-1), dp.PureDP(math.NaN()), dp.PureDP(math.Inf(1)), dp.ApproxDP(1, 0),
		dp.ApproxDP(1, 1),
		dp.ApproxDP(1, math.NaN()), dp.RenyiDP(1, 1), dp.RenyiDP(2, 0), dp.ZCDP(-1), {Parameters: dp.NotPrivate("x")},
	} {
		if l.Valid() == nil {
			t.Errorf("%+v passed", l)
		}
	}
}

func TestStreams(t *testing.T) {
	a, b := dp.Seeded(7), dp.Seeded(7)
	if a.Identifier() != b.Identifier() {
		t.Error("a seed does not fix the stream")
	}
	if got := fmt.Sprintf("%x", dp.Seeded(1).Uint64()); got != fmt.Sprintf("%x", dp.Seeded(1).Uint64()) ||
		dp.Seeded(1).Uint64() == dp.Seeded(2).Uint64() {
		t.Error("seeds do not separate streams")
	}
	s := must.Get(dp.Secure())(t)
	if _, seeded := s.Seed(); seeded || s.String() != "secure" || a.String() == "secure" {
		t.Error("a stream misnames its origin")
	}
}

func BenchmarkGaussianProfile(b *testing.B) {
	p := loss.DiscreteGaussianPair{Sigma2: 400, Cells: 32, Shift: 1}
	for b.Loop() {
		p.Delta(1)
	}
}

func ExampleEpsilonFor() {
	p := loss.GeometricPair{Rate: 0.1, Cells: 32}
	fmt.Printf("pure %.2f, at δ = 1e-6: %.3f\n", p.PureEpsilon(), loss.EpsilonFor(p, 1e-6))
	// Output: pure 3.20, at δ = 1e-6: 2.397
}

func ExampleParameters_At() {
	l, _ := dp.PureDP(1).At(dp.ZCDP(1).Parameters)
	fmt.Println(l)
	// Output: ρ = 0.4621
}
