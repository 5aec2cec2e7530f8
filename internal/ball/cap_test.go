package ball

import (
	"context"
	"errors"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/must"
)

// withCap makes the same law draw by a cap, however few proposals the tilted Gaussian needs.
func withCap(t *testing.T, p *mat.SymDense, h []float64) *Sampler {
	t.Helper()
	s := sampler(t, p, h, 1)
	s.expected = math.Inf(1)
	var eigen mat.EigenSym
	eigen.Factorize(p, true)
	values, g := eigen.Values(nil), make([]float64, len(h))
	for j := range g {
		values[j] *= s.unit * s.unit
		for i, v := range h {
			g[j] += s.q[i*len(h)+j] * v * s.unit
		}
	}
	if s.tryCap(values, g); s.cap == nil {
		t.Fatal("no cap")
	}
	return s
}

// Both proposals draw the same law: means and second moments agree with the tilted Gaussian's, whose own are checked by
// quadrature. A cap whose keeping forgets the radial rest of the quadratic form does not pass.
func TestCapIsExact(t *testing.T) {
	p30, h30 := regressionLaw(30, 2000, .05, 1, 3)
	for i, c := range []struct {
		p *mat.SymDense
		h []float64
		n int
		// whether the mutant is told from the law
		seen bool
	}{
		{sym(1, 2), []float64{6}, 30000, true},
		{sym(2, 3, 1, 1, 2), []float64{4, -1}, 30000, false},
		{sym(3, 90, 3, 1, 3, 2, .5, 1, .5, .3), []float64{95, 8, 1}, 30000, true},
		{p30, h30, 2000, false},
	} {
		tilted, capped := sampler(t, c.p, c.h, 1), withCap(t, c.p, c.h)
		mutant := *capped
		wrong := *capped.cap
		wrong.pi, wrong.r = 1e-12, make([]float64, len(c.h))
		mutant.cap = &wrong
		worst := 0.0
		for j := range min(3, len(c.h)) {
			for _, k := range []float64{1, 2} {
				f := func(w []float64) float64 { return math.Pow(w[j], k) }
				want, se1, _ := moments(t, tilted, uint64(i), c.n, f)
				got, se2, _ := moments(t, capped, uint64(i)+50, c.n, f)
				if math.Abs(got-want) > 6.5*math.Hypot(se1, se2) {
					t.Errorf("law %d, coordinate %d, moment %g: %g by the cap, %g ± %g tilted", i, j, k, got, want,
						math.Hypot(se1, se2))
				}
				if c.seen {
					off, se3, _ := moments(t, &mutant, uint64(i)+50, c.n, f)
					worst = math.Max(worst, math.Abs(off-want)/math.Hypot(se1, se3))
				}
			}
		}
		if c.seen && worst <= 6.5 {
			t.Errorf("law %d: a mutant passes, %g standard errors off", i, worst)
		}
	}
}

// However sharply a law is pressed against the sphere, a draw takes few proposals. The distance from the sphere is
// exponential with mean 1/(λB) to leading order.
func TestSharpLaws(t *testing.T) {
	for _, d := range []int{1, 3, 40} {
		for _, sharp := range []float64{1e6, 1e9, 1e13} {
			for _, ratio := range []float64{1, 1e-3, 1e-9} {
				p, h := mat.NewSymDense(d, nil), make([]float64, d)
				for i := range d {
					p.SetSym(i, i, 1+sharp*ratio*float64(i+1)/float64(d))
					h[i] = sharp * (3 + float64(i%3))
				}
				s := sampler(t, p, h, .01)
				src, out, total := source(1), make([]float64, d), 0
				for range 100 {
					k := must.Get(s.Draw(src, out))(t)
					total += k
				}
				if total > 100*5*capFrom {
					t.Errorf("d %d, h %g, P %g of it: %d proposals for 100 draws", d, sharp, ratio, total)
				}
			}
		}
	}
}

// Radii at the ends of the doubles scale with the law; entries too large for it are refused, and so are they after
// scaling.
func TestScales(t *testing.T) {
	for _, radius := range []float64{1e-150, 1e-8, 1, 3, 1e8, 1e150} {
		s := sampler(t, sym(1, 2/radius/radius), []float64{6 / radius}, radius)
		out := make([]float64, 1)
		if _, err := s.Draw(source(3), out); err != nil || math.Abs(out[0]) > radius {
			t.Errorf("radius %g: %g, %v", radius, out[0], err)
		}
	}
	var e *domain.Error
	for i, c := range []struct{ p, h, radius float64 }{{1e308, 1, 1}, {1, 1e308, 1}, {1, 1, 1e308}, {1, 1e10, 1e300}} {
		if _, err := New(sym(1, c.p), []float64{c.h}, c.radius); !errors.As(err, &e) {
			t.Errorf("case %d: %v", i, err)
		}
	}
}

// A law that neither proposal reaches, P of −1e40, is given up in the end, and before if its context ends.
func TestGivesUp(t *testing.T) {
	s := sampler(t, sym(2, -1e40, 0, 0, 1), []float64{1, 1}, 1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if k, err := s.DrawContext(ctx, source(1), make([]float64, 2)); !errors.Is(err, context.Canceled) ||
		k > 2*checkEvery {
		t.Errorf("%d proposals, %v", k, err)
	}
	if testing.Short() {
		return
	}
	var e *ProposalsError
	if _, err := s.Draw(source(1), make([]float64, 2)); !errors.As(err, &e) || e.Tried != s.most() {
		t.Error(err)
	}
}
