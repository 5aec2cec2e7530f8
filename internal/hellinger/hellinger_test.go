package hellinger

import (
	"errors"
	"math"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/internal/num"
)

func space(t testing.TB, n int64, alpha ...float64) *Space {
	t.Helper()
	return must.Get(New(alpha, n))(t)
}

func total(x []int64) (n int64) {
	for _, k := range x {
		n += k
	}
	return n
}

// off is |got/want − 1|, 0 where both are 0.
func off(got, want float64) float64 {
	if got == want {
		return 0
	}
	return math.Abs(got-want) / math.Abs(want)
}

func TestDistanceGolden(t *testing.T) {
	for _, r := range distanceGolden {
		s := space(t, total(r.x), r.prior...)
		if got := s.Distance(r.x, r.r); off(got, r.want) > 3e-15 {
			t.Errorf("%v: H(%v, %v) = %.17g, want %.17g", r.prior, r.x, r.r, got, r.want)
		}
	}
}

func TestSensitivityGolden(t *testing.T) {
	for _, r := range sensitivityGolden {
		s := space(t, total(r.x), r.prior...)
		gs, _, _ := s.Global()
		ls, _, _ := s.Local(r.x)
		plus, _, _ := s.LocalPlus(r.x)
		check := func(name string, got, want float64) {
			if off(got, want) > 4e-15 {
				t.Errorf("%v, %v: %s = %.17g, want %.17g", r.prior, r.x, name, got, want)
			}
		}
		check("Δ", gs, r.gs)
		check("LS", ls, r.ls)
		check("LS⁺", plus, r.lsPlus)
		for k := range goldenBetas {
			check("S_β", s.Smooth(r.x, goldenBetas[k]).Value, r.smooth[k])
			check("S_γ", s.Reciprocal(r.x, goldenGammas[k]).Value, r.reciprocal[k])
		}
		if u := s.GlobalUpper(); !(u >= r.gs*(1-1e-15) && u <= r.gs*(1+1e-13)) {
			t.Errorf("%v: Δ rounded up is %.17g, want just above %.17g", r.prior, u, r.gs)
		}
	}
}

func TestGammaPlusGolden(t *testing.T) {
	for _, r := range gammaPlusGolden {
		want, _ := must.Get2(big.ParseFloat(r.want, 10, 200, big.ToNearestEven))(t)
		s := space(t, 5, r.alpha, r.alpha*2)
		w, _ := want.Float64()
		if g := s.GammaPlus(); off(g, w) > 3e-15 {
			t.Errorf("γ⁺(%g) = %.17g, want %.17g: off by %.2g", r.alpha, g, w, off(g, w))
		}
		x := s.GammaPlusEnclosure()
		if want.Cmp(big.NewFloat(x.Lo)) < 0 || want.Cmp(big.NewFloat(x.Hi)) > 0 || x.Width() > 1e-12*x.Hi {
			t.Errorf("γ⁺(%g) = %s is not in [%.17g, %.17g]", r.alpha, r.want, x.Lo, x.Hi)
		}
	}
	for _, a := range []float64{1e20, 1e100, 1e200, 1e308} { // √(2/α) from there on
		s := space(t, 5, a, a)
		if g, u := s.GammaPlus(), s.GammaPlusUpper(); off(g, math.Sqrt2/math.Sqrt(a)) > 3e-15 ||
			!(u >= g && u < g*(1+1e-12)) {
			t.Errorf("γ⁺(%g) = %g, at most %g", a, g, u)
		}
	}
}

// The textbook difference T(p+1) − T(p) fails where GammaPlus does not: the golden rows have power.
func TestGammaPlusByDifferenceFails(t *testing.T) {
	T := func(p float64) float64 { return 1 / math.Sqrt(-math.Expm1(num.LogGammaHalfRatio(p))) }
	if naive := T(1e9+1) - T(1e9); off(naive, 4.472135953741791155856856e-5) < 1e-9 {
		t.Errorf("the difference is accurate to %g", off(naive, 4.472135953741791155856856e-5))
	}
}

func TestErrors(t *testing.T) {
	for name, c := range map[string]struct {
		alpha []float64
		n     int64
	}{
		"number of prior": {[]float64{1}, 3}, "alpha[1]": {[]float64{1, 0}, 3},
		"alpha[0]": {[]float64{math.NaN(), 1}, 3},
		"alpha[2]": {[]float64{1, 1, math.Inf(1)}, 3}, "n = -1": {[]float64{1, 1}, -1},
		"n = 1000000000000001": {[]float64{1, 1}, MaxCount + 1},
	} {
		var e *domain.Error
		if _, err := New(c.alpha, c.n); !errors.As(err, &e) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	s := space(t, 5, 1, 2, 3)
	if err := s.Check([]int64{1, 4, 0}); err != nil {
		t.Error(err)
	}
	for _, x := range [][]int64{{5, 0}, {1, 1, 1}, {6, -1, 0}, {3, 3, 3}, {math.MaxInt64, math.MaxInt64, 7}, nil} {
		var e *CountsError
		if err := s.Check(x); !errors.As(err, &e) {
			t.Errorf("%v: %v", x, err)
		}
	}
}

func TestNoRecords(t *testing.T) {
	for _, s := range []*Space{space(t, 0, 1, 2), space(t, 0, 3, 1, 2)} {
		x := make([]int64, s.Cells())
		v, y, z := s.Global()
		l, i, j := s.Local(x)
		p, _, _ := s.LocalPlus(x)
		if v != 0 || l != 0 || p != 0 || i != -1 || j != -1 || Dist(y, z) != 0 || s.GlobalUpper() != 0 ||
			s.GammaPlus() != 0 || s.GammaPlusUpper() != 0 {
			t.Errorf("n = 0 has sensitivities %v, %v, %v", v, l, p)
		}
		if a, b := s.Smooth(x, 0.1), s.Reciprocal(x, 0.1); a.Value != 0 || b.Value != 0 || Dist(a.Y, x) != 0 {
			t.Errorf("n = 0 has smooth sensitivities %v, %v", a, b)
		}
		if s.Size() != 1 || s.LogSize() != 0 || s.Distance(x, x) != 0 || len(s.Phi(0, 0)) != 1 {
			t.Error("n = 0 has more than one data set")
		}
	}
}

func TestSize(t *testing.T) {
	for _, c := range []struct {
		n    int64
		d    int
		want string
	}{{500, 2, "501"}, {150, 3, "11476"}, {14, 10, "817190"}, {3, 100, "171700"}, {MaxCount, 2, "1000000000000001"},
		{40, 60, ""}, {1000000, 5, ""}} {
		s := space(t, c.n, make1(c.d)...)
		want := new(big.Int).Binomial(c.n+int64(c.d)-1, int64(c.d)-1)
		f, _ := new(big.Float).SetInt(want).Float64()
		if off(s.Size(), f) > 1e-13 || c.want != "" && (want.String() != c.want || s.Size() != f) {
			t.Errorf("n = %d, d = %d: %v data sets, want %v", c.n, c.d, s.Size(), want)
		}
		if off(s.LogSize(), math.Log(f)) > 1e-14 {
			t.Errorf("n = %d, d = %d: ln size %v, want %v", c.n, c.d, s.LogSize(), math.Log(f))
		}
	}
	if s := space(t, 1_000_000, make1(1000)...); !math.IsInf(s.Size(), 1) || !(s.LogSize() > 1000) {
		t.Errorf("size %v, ln size %v", s.Size(), s.LogSize())
	}
}

func make1(d int) []float64 {
	a := make([]float64, d)
	for i := range a {
		a[i] = 1
	}
	return a
}

func TestRho(t *testing.T) {
	for _, c := range []struct{ gamma, d, want float64 }{
		{0, 1, 2}, {0.1, 1, 2.00995}, {0.25, 1, 2.06066}, {0.5, 1, 2.22474}, {1, 1, 2.73205}, {1, 0.25, 2.25},
		{1e200, 1, 1.41421e200},
	} {
		exact := math.Min(2+c.gamma*c.d, 1+math.Sqrt(1+2*c.gamma*c.gamma))
		if got := Rho(c.gamma, c.d); got < exact || off(got, c.want) > 1e-5 && c.gamma < 1e100 ||
			off(got, exact) > 1e-15 && c.gamma < 1e100 {
			t.Errorf("ρ(%g, %g) = %v, want %v", c.gamma, c.d, got, c.want)
		}
	}
	for _, bad := range [][2]float64{{-1, 1}, {1, -1}, {1, 2}, {math.NaN(), 1}, {1, math.NaN()}} {
		if !math.IsNaN(Rho(bad[0], bad[1])) {
			t.Errorf("ρ(%v) is a number", bad)
		}
	}
}

func TestCompositions(t *testing.T) {
	for d := 1; d <= 4; d++ {
		for n := int64(0); n <= 6; n++ {
			seen := map[string]bool{}
			for x := range Compositions(n, d) {
				key := string(func() (b []byte) {
					for _, k := range x {
						b = append(b, byte(k))
					}
					return b
				}())
				if seen[key] || total(x) != n {
					t.Fatalf("%v again or not of sum %d", x, n)
				}
				seen[key] = true
			}
			if want := new(big.Int).Binomial(n+int64(d)-1, int64(d)-1).Int64(); int64(len(seen)) != want {
				t.Errorf("%d compositions of %d into %d, want %d", len(seen), n, d, want)
			}
		}
	}
}

// A neighbour's distance is the same by the edge formula and by the general one, at every size.
func TestEdgeIsTheDistanceOfNeighbours(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		x := []int64{rapid.Int64Range(1, 1e12).Draw(r, "x0"), rapid.Int64Range(0, 1e12).Draw(r, "x1")}
		if rapid.Bool().Draw(r, "small") {
			x = []int64{x[0]%50 + 1, x[1] % 50}
		}
		a := []float64{math.Exp(rapid.Float64Range(-7, 9).Draw(r, "a")),
			math.Exp(rapid.Float64Range(-7, 9).Draw(r, "b"))}
		s := space(t, x[0]+x[1], a...)
		y := []int64{x[0] - 1, x[1] + 1}
		want := s.Edge(a[0]+float64(x[0]-1), a[1]+float64(x[1]))
		if got := s.Distance(x, y); off(got, want) > 1e-14 {
			r.Errorf("%v: H(%v, %v) = %.17g, the edge %.17g", a, x, y, got, want)
		}
		if s.Distance(x, y) != s.Distance(y, x) {
			r.Error("the distance is not symmetric")
		}
	})
}
