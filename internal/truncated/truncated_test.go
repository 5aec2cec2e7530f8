package truncated

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/must"
)

type goldenRows struct {
	LogMass      []struct{ A, B, W, Value float64 }
	ExtremeBeta  []struct{ A, B, L, U, LogMass, LogMean float64 }
	ExtremeGamma []struct{ Shape, Rate, L, U, LogMass, LogMean float64 }
	TrimmedBeta  []struct {
		L, Alpha, Eps, TV, TVAt1 float64
		N                        int
	}
	TruncatedGamma []struct {
		Family                            string
		C1, C2, Lam, Delta, Eps, TVAtZero float64
		N                                 int
	}
	Tempering []struct {
		L, Alpha, Eps, R float64
		N                int
	}
}

func golden(t *testing.T) goldenRows {
	t.Helper()
	raw := must.Get(os.ReadFile("testdata/golden.json"))(t)
	var g goldenRows
	must.Do(t, json.Unmarshal(raw, &g))
	return g
}

func mustBeta(t testing.TB, a, b, l, u float64) *Beta {
	t.Helper()
	return must.Get(NewBeta(a, b, l, u))(t)
}

func mustGamma(t testing.TB, shape, rate, l, u float64) *Gamma {
	t.Helper()
	return must.Get(NewGamma(shape, rate, l, u))(t)
}

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*math.Max(1, math.Abs(want))) {
		t.Errorf("%s: got %.16g, want %.16g (off by %.2g)", what, got, want, got-want)
	}
}

func TestLogMassGolden(t *testing.T) {
	g := golden(t)
	for _, r := range g.LogMass {
		near(t, "ln I", mustBeta(t, r.A, r.B, r.W, 1-r.W).LogMass(), r.Value, 2e-14)
	}
	for _, r := range g.ExtremeBeta {
		m := mustBeta(t, r.A, r.B, r.L, r.U)
		near(t, "beta log-mass", m.LogMass(), r.LogMass, 2e-14)
		near(t, "beta log-mean", m.LogMoment(1, 0), r.LogMean, 2e-14)
	}
	for _, r := range g.ExtremeGamma {
		u := r.U
		if u < 0 {
			u = math.Inf(1)
		}
		m := mustGamma(t, r.Shape, r.Rate, r.L, u)
		near(t, "gamma log-mass", m.LogMass(), r.LogMass, 2e-14)
		near(t, "gamma log-mean", m.LogMoment(1), r.LogMean, 2e-14)
	}
}

// The record-level ε of a trimmed Beta posterior (theory/sampling.md §13) from the two evidence ratios, and its total
// variation from the two distribution functions at the crossing point: both sides of the package against reference
// values.
func TestTrimmedBetaGolden(t *testing.T) {
	eps := func(alpha float64, n int, l, r float64) float64 {
		osc := math.Log((1 - l) / l)
		ratio := func(k int) float64 { // ln Z(k)/Z(k+1), both relative to the law between them
			m := mustBeta(t, alpha+r*float64(k), alpha+r*float64(n-k-1), l, 1-l)
			return m.LogMoment(0, r) - m.LogMoment(r, 0)
		}
		return math.Max(r*osc+ratio(0), r*osc-ratio(n-1))
	}
	g := golden(t)
	for _, r := range g.TrimmedBeta {
		near(t, "eps", eps(r.Alpha, r.N, r.L, 1), r.Eps, 1e-12)
		for _, c := range []struct{ eps, want float64 }{{0, r.TV}, {1, r.TVAt1}} {
			worst := 0.0
			for k := range r.N {
				p := mustBeta(t, r.Alpha+float64(k)+1, r.Alpha+float64(r.N-k)-1, r.L, 1-r.L)
				q := mustBeta(t, r.Alpha+float64(k), r.Alpha+float64(r.N-k), r.L, 1-r.L)
				for _, sign := range []float64{1, -1} {
					at := 1 / (1 + math.Exp(-(sign*c.eps + p.LogMass() - q.LogMass())))
					F, G := p.Sampler().CDF(at), q.Sampler().CDF(at)
					if sign > 0 {
						worst = math.Max(worst, (1-F)-math.Exp(c.eps)*(1-G))
					} else {
						worst = math.Max(worst, G-math.Exp(c.eps)*F)
					}
				}
			}
			near(t, "delta", worst, c.want, 1e-12)
		}
	}
	for _, r := range g.Tempering {
		near(t, "tempered eps", eps(r.Alpha, r.N, r.L, r.R), r.Eps, 1e-12)
	}
}

func TestTruncatedGammaGolden(t *testing.T) {
	for _, r := range golden(t).TruncatedGamma {
		shape := float64(r.N) + 1
		if r.Family != "exp" {
			shape = float64(r.N)/2 + 1
		}
		s := float64(r.N-1) * r.Delta
		low := mustGamma(t, shape, r.Lam, r.C1, r.C2).LogTilt(r.Delta) // + c1Δ: ln Z(λ+Δ)/Z(λ)
		high := mustGamma(t, shape, r.Lam+s, r.C1, r.C2).LogTilt(r.Delta)
		near(t, "eps", math.Max(-low, r.C2*r.Delta+high-r.C1*r.Delta), r.Eps, 1e-12)

		p, q := mustGamma(t, shape, r.Lam, r.C1, r.C2), mustGamma(t, shape, r.Lam+r.Delta, r.C1, r.C2)
		at := (p.LogMass() - q.LogMass()) / r.Delta
		near(t, "tv", q.Sampler().CDF(at)-p.Sampler().CDF(at), r.TVAtZero, 1e-12)
	}
}

func TestErrors(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct{ a, b, l, u float64 }{
		{0, 1, .1, .9}, {nan, 1, .1, .9}, {inf, 1, .1, .9}, {1, -1, .1, .9}, {1, 1, -.1, .9}, {1, 1, nan, .9},
		{1, 1, 1, 1}, {1, 1, .5, .5}, {1, 1, .5, 1.1}, {1, 1, .5, nan},
	} {
		var e *domain.Error
		if _, err := NewBeta(c.a, c.b, c.l, c.u); !errors.As(err, &e) || e.Of != "truncated: Beta" || e.Want == "" {
			t.Errorf("NewBeta(%v) = %v", c, err)
		}
	}
	for _, c := range []struct{ k, r, l, u float64 }{{0, 1, 0, 1}, {1, -1, 0, 1}, {1, 0, 0, inf}, {1, 1, -1, 1},
		{1, 1, 2, 1}, {1, 1, inf, inf}, {nan, 1, 0, 1}, {1, inf, 0, 1}} {
		var e *domain.Error
		if _, err := NewGamma(c.k, c.r, c.l, c.u); !errors.As(err, &e) || e.Of != "truncated: Gamma" {
			t.Errorf("NewGamma(%v) = %v", c, err)
		}
	}
	var e *domain.Error
	for _, alpha := range [][]float64{nil, {1, 0}, {1, nan}, {inf, 1}} {
		if _, err := NewDirichlet(alpha, .1); !errors.As(err, &e) {
			t.Errorf("NewDirichlet(%v) = %v", alpha, err)
		}
	}
	if _, err := NewDirichlet([]float64{1, 1}, 0); !errors.As(err, &e) {
		t.Errorf("floor 0: %v", err)
	}
	var box *EmptyBoxError
	if _, err := NewDirichlet([]float64{1, 1, 1}, 0.4); !errors.As(err, &box) || box.Size != 3 {
		t.Errorf("empty box: %v", err)
	}
}

// Any law: the distribution function rises from 0 to 1, Quantile inverts it, and draws stay in the box.
func TestSamplerProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		exponent := rapid.Float64Range(-3, 6)
		a, b := math.Pow(10, exponent.Draw(t, "a")), math.Pow(10, exponent.Draw(t, "b"))
		l := rapid.Float64Range(0, 0.98).Draw(t, "l")
		u := l + (1-l)*rapid.Float64Range(1e-6, 1).Draw(t, "width")
		m := must.Get(NewBeta(a, b, l, u))(t)
		s := m.Sampler()
		before := l
		for i := 1; i < 20; i++ {
			p := float64(i) / 20
			x := s.Quantile(p)
			if !(x >= before && x <= u) {
				t.Fatalf("quantile %g = %g after %g in [%g, %g]", p, x, before, l, u)
			}
			// a quantile carries the rounding of x: density·spacing
			tol := 1e-12 + 4e-16*x*math.Exp(m.LogDensity(x)) + 4e-16*math.Exp(m.LogDensity(x))
			if got := s.CDF(x); x > 1e-300 && math.Abs(got-p) > tol {
				t.Fatalf("CDF(Quantile(%g)) = %g (a %g b %g l %g u %g)", p, got, a, b, l, u)
			}
			before = x
		}
	})
}

// I(a, b) = I(a+1, b) + I(a, b+1), Z(k+1) = E[x]·Z(k), Jensen between powers: laws whose panels differ agree with each
// other.
func TestRecurrences(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		exponent := rapid.Float64Range(-3, 5)
		a, b := math.Pow(10, exponent.Draw(t, "a")), math.Pow(10, exponent.Draw(t, "b"))
		l := rapid.Float64Range(0, 0.98).Draw(t, "l")
		u := l + (1-l)*rapid.Float64Range(1e-6, 1).Draw(t, "width")
		m := must.Get(NewBeta(a, b, l, u))(t)
		up, down := m.LogMoment(1, 0), m.LogMoment(0, 1)
		if s := math.Exp(up) + math.Exp(down); math.Abs(s-1) > 1e-13 {
			t.Fatalf("E[x] + E[1−x] = 1 + %g", s-1)
		}
		next := must.Get(NewBeta(a+1, b, l, u))(t)
		tol := func(v float64) float64 { return 1e-14 * (10 + math.Abs(v)) }
		if got := next.LogMass() - m.LogMass(); math.Abs(got-up) > 2*tol(m.LogMass()) {
			t.Fatalf("ln I(a+1, b) − ln I(a, b) = %.16g, ln E[x] = %.16g", got, up)
		}
		if half := m.LogMoment(.5, 0); half > up/2+1e-13 || half < up-1e-13 {
			t.Fatalf("ln E[√x] = %g outside [ln E[x], ½ ln E[x]], ln E[x] = %g", half, up)
		}
		shape, rate := a, b
		hi := math.Inf(1)
		if rapid.Bool().Draw(t, "bounded") {
			hi = l + math.Pow(10, rapid.Float64Range(-4, 4).Draw(t, "reach"))
		}
		g := must.Get(NewGamma(shape, rate, l, hi))(t)
		g1 := must.Get(NewGamma(shape+1, rate, l, hi))(t)
		if got, want := g1.LogMass()-g.LogMass(),
			g.LogMoment(1); math.Abs(got-want) > 2*tol((shape+1)*(1+math.Abs(math.Log(g1.x)))+rate*g1.x) {
			t.Fatalf("ln Z(k+1) − ln Z(k) = %.16g, ln E[x] = %.16g", got, want)
		}
	})
}
