package loss

import (
	"math"
	"math/cmplx"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/must"
)

// alongContour composes a single transform by the contour, although its profile is known in closed form.
func alongContour(t *rapid.T, p Pair, times, eps float64) (float64, bool) {
	tr := must.Get(TransformOf(p))(t)
	pl := plan{symmetric: tr.Symmetric()}
	if l, ok := tr.(latticed); ok {
		offset, step := l.lattice()
		pl.rest, pl.offset, pl.step = []weighted{{tr, times}}, times*offset, step
	} else if _, ok := tr.(decaying); ok {
		pl.decay = []weighted{{tr, times}}
	} else {
		pl.rest = []weighted{{tr, times}}
	}
	pl.prepare()
	value := 0.0
	for _, l := range pl.lines {
		q := &contour{line: l, epsilon: eps}
		s, ok := q.saddle()
		if !ok {
			return 0, false
		}
		var e estimate
		if pl.step > 0 {
			e, ok = q.integrateLattice(s, pl.offset, pl.step)
		} else {
			e, ok = q.integrate(s)
		}
		if !ok {
			return 0, false
		}
		if e.slop > 1e-9*e.value {
			t.Fatalf("%s at %v: error bound %v of %v", p, eps, e.slop, e.value)
		}
		value = math.Max(value, e.value)
	}
	return value, true
}

// anyPair draws a pair with a transform.
func anyPair(t *rapid.T) Pair {
	log := func(name string, lo, hi float64) float64 { return math.Exp(rapid.Float64Range(lo, hi).Draw(t, name)) }
	switch rapid.IntRange(0, 6).Draw(t, "kind") {
	case 0:
		r := log("log r", -4, 2)
		return DirichletPair{r, r * log("log α/r", -1, 6)}
	case 1:
		r := log("log r", -4, 2)
		return GammaPair{r, r * log("log α/r", -1, 6)}
	case 2:
		return GeometricPair{log("log γ", -5, 1), 1}
	case 3:
		return ShiftedGeometricPair{log("log γ", -5, 0), rapid.IntRange(1, 9).Draw(t, "shift"), 1}
	case 4:
		return DiscreteGaussianPair{log("log σ²", -1, 5), rapid.IntRange(1, 4).Draw(t, "cells"), 1}
	case 5:
		return PurePair{log("log ε", -5, 1)}
	}
	return GaussianPair{log("log μ", -3, 1.5)}
}

// againstClosedForm compares one release by the contour with its closed form: "done", "gave up", or "outside" where the
// closed form is 0 or vanishes.
func againstClosedForm(t *rapid.T) string {
	p := anyPair(t)
	spread := math.Sqrt(p.RDP(1.01))
	eps := rapid.Float64Range(0, 4).Draw(t, "ε in spreads") * spread
	want := p.Delta(eps)
	if want < 1e-250 || eps >= p.PureEpsilon()*(1-1e-6) {
		return "outside"
	}
	got, ok := alongContour(t, p, 1, eps)
	if !ok {
		return "gave up"
	}
	// both are upper bounds of one number, inflated by at most 1e-9 and the effect of lowering ε by a relative 1e-12
	tol := 3e-9 + 2e-11*(1+eps)/spread + 4e-12*(1+eps)/(p.PureEpsilon()-eps)
	if d, isGaussian := p.(DiscreteGaussianPair); isGaussian && d.Sigma2 >= smallSigma2 && d.Cells > 1 {
		tol += 2e-9
	}
	if math.Abs(got/want-1) > tol {
		t.Fatalf("%s at ε = %v: contour %.15g, closed form %.15g (%.2g)", p, eps, got, want, got/want-1)
	}
	return "done"
}

// One release composed is the release: Theorem B and its kin against the inversion formula.
func TestContourOfOneReleaseIsTheClosedForm(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { againstClosedForm(t) })
	// how often the contour gives up is judged on fixed draws: it must not depend on the run
	ends := map[string]int{}
	for seed, pairs := 0, rapid.Custom(againstClosedForm); seed < 200; seed++ {
		ends[pairs.Example(seed)]++
	}
	if ends["done"] < 9*ends["gave up"] || ends["done"] < 50 {
		t.Errorf("how the contour ended: %v", ends)
	}
}

// The transform is the Rényi divergence on the real axis, conjugate-symmetric, 0 at 0 and −1, and largest on the real
// axis.
func TestTransforms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := anyPair(t)
		if rapid.Bool().Draw(t, "Laplace") {
			p = LaplacePair{math.Exp(rapid.Float64Range(-2, 4).Draw(t, "log b")), rapid.IntRange(1, 3).Draw(t, "cells")}
		}
		tr := must.Get(TransformOf(p))(t)
		_, hi := tr.Strip()
		c := math.Min(20, hi) * rapid.Float64Range(0.01, 0.99).Draw(t, "c")
		k := real(tr.LogMGF(complex(c, 0)))
		want := c * p.RDP(1+c)
		_, isGaussian := p.(DiscreteGaussianPair)
		if k > want*(1+1e-12)+1e-13 || !isGaussian && k < want*(1-3e-9)-1e-13 {
			t.Fatalf("%s: K(%v) = %v, (λ−1)·RDP = %v", p, c, k, want)
		}
		s := math.Exp(rapid.Float64Range(-3, 4).Draw(t, "log s"))
		z := complex(c, s)
		a := cmplx.Exp(tr.LogMGF(z) - complex(k, 0))
		if cmplx.Abs(a) > 1+1e-9 || cmplx.Abs(a-cmplx.Conj(cmplx.Exp(tr.LogMGF(cmplx.Conj(z))-complex(k, 0)))) > 1e-9 {
			t.Fatalf("%s: E e^{zL} at %v is %v of its value on the axis", p, z, a)
		}
		if _, ok := tr.(decaying); ok {
			if b := cmplx.Exp(tr.LogMGF(complex(c, 1.3*s)) - complex(k,
				0)); cmplx.Abs(b) > cmplx.Abs(a)*(1+1e-9)+1e-300 {
				t.Fatalf("%s does not decay: %v, then %v", p, a, b)
			}
		}
		if l, ok := tr.(latticed); ok {
			offset, step := l.lattice()
			turn := cmplx.Exp(tr.LogMGF(complex(c, s+2*math.Pi/step)) - complex(k, 0))
			want := a * cmplx.Exp(complex(0, 2*math.Pi*math.Mod(offset/step, 1)))
			if cmplx.Abs(turn-want) > 1e-9*(1+s) {
				t.Fatalf("%s: after one period %v, want %v", p, turn, want)
			}
		}
		mirror := cmplx.Exp(tr.LogMGF(-1-z) - complex(k, 0))
		if tr.Symmetric() && cmplx.Abs(mirror-a) > 1e-9 {
			t.Fatalf("%s: K(−1−z) = %v, K(z) = %v", p, mirror, a)
		}
		if v := cmplx.Abs(tr.LogMGF(0)) + cmplx.Abs(1-cmplx.Exp(tr.LogMGF(-1))); v > 1e-12 {
			t.Fatalf("%s: K(0), K(−1) are not 0: %v", p, v)
		}
	})
}

// Poisson's formula: a coarse rule errs upward only.
func TestTrapezoidErrsUpward(t *testing.T) {
	for _, p := range []Pair{DirichletPair{1, 1}, GaussianPair{1}, GeometricPair{0.5, 1}} {
		pl, ok := planFor([]Repeat{{p, 3}})
		if !ok {
			t.Fatal(p)
		}
		pl.prepare()
		q := &contour{line: pl.lines[0], epsilon: 0.7}
		s, ok := q.saddle()
		if !ok {
			t.Fatal(p)
		}
		eval := func(period float64) float64 {
			s.period = period
			var e estimate
			if pl.step > 0 {
				e, _ = q.integrateLattice(s, pl.offset, pl.step)
			} else {
				e, _ = q.integrate(s)
			}
			return e.value
		}
		exact := eval(s.period)
		last := math.Inf(1)
		for _, period := range []float64{2, 4, 8, 16} {
			v := eval(period)
			if v < exact*(1-1e-11) || v > last*(1+1e-9) {
				t.Errorf("%s: period %v gives %v after %v, exact %v", p, period, v, last, exact)
			}
			last = v
		}
		if v := eval(2); v < exact*1.01 {
			t.Errorf("%s: a period of 2 leaves no alias to see", p)
		}
	}
}

// A wrong transform must not get through: the Rényi curve contradicts it.
type halvedLoss struct{ GaussianPair }

func (p halvedLoss) LogMGF(z complex128) complex128 { return p.GaussianPair.LogMGF(z) / 2 }

func TestAWrongTransformFallsBackToRenyi(t *testing.T) {
	honest := composed([]Repeat{{GaussianPair{1}, 1}, {DirichletPair{0.1, 4}, 1}}, 1)
	wrong := composed([]Repeat{{halvedLoss{GaussianPair{1}}, 1}, {DirichletPair{0.1, 4}, 1}}, 1)
	if honest.Method != byContour || wrong.Method != byRenyi || wrong.Delta < honest.Delta {
		t.Errorf("honest %+v, wrong %+v", honest, wrong)
	}
}

// The power series of many parts against the sum of their transforms, inside and outside its reach.
func TestBetaSeries(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var pairs []DirichletPair
		var times []float64
		var exact []term
		for i := range 10 {
			r := math.Exp(rapid.Float64Range(-5, 2).Draw(t, "log r"))
			p := DirichletPair{r, r * math.Exp(rapid.Float64Range(1, 7).Draw(t, "log α/r"))}
			pairs, times = append(pairs, p), append(times, float64(1+i))
			exact = append(exact, term{times: times[i], kernel: p.kernel()})
		}
		s, ok := newBetaSeries(pairs, times, exact)
		if !ok {
			t.Skip("narrow")
		}
		size := s.radius * rapid.Float64Range(0, 1.1).Draw(t, "|w|")
		angle := rapid.Float64Range(-math.Pi/2, math.Pi/2).Draw(t, "arg w")
		z := cmplx.Rect(size, angle) - 0.5
		got, want := s.kernel(z), sumTerms(exact, z)
		if cmplx.Abs(got-want) > 2e-13*(cmplx.Abs(want)+s.base) {
			t.Fatalf("K(%v) = %v, sum of parts %v (%.2g)", z, got, want, cmplx.Abs(got-want)/cmplx.Abs(want))
		}
	})
	if _, ok := newBetaSeries([]DirichletPair{{1, 1}}, []float64{1}, nil); ok {
		t.Error("a series for one part")
	}
}

// composed is the profile of a list without a grid.
func composed(parts []Repeat, epsilon float64) Composition {
	return Declared{newComposer(parts, false)}.Compose(epsilon)
}
