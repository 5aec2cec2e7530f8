package loss_test

import (
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
)

func TestBaselinesAgainstGoldenValues(t *testing.T) {
	seen := 0
	for _, g := range golden(t, "compose.json", "baselines") {
		has := func(m map[string]any, key string) bool { _, ok := m[key]; return ok }
		switch {
		case has(g.Out, "rdp_one"):
			order, b := value(t, g.In["lambda"]), value(t, g.In["scale"])
			above(t, "Laplace", loss.LaplacePair{Scale: b, Cells: 1}.RDP(order), value(t, g.Out["rdp_one"]), 1e-10)
			above(t, "Laplace", loss.LaplacePair{Scale: b, Cells: 2}.RDP(order), value(t, g.Out["rdp_replace"]), 1e-10)
		case has(g.Out, "scale_exact"):
			order, eps, b := value(t, g.In["lambda"]), value(t, g.In["eps"]), value(t, g.Out["scale_exact"])
			above(t, "Laplace at its calibrated scale", loss.LaplacePair{Scale: b, Cells: 2}.RDP(order), eps*(1-1e-12),
				1e-9)
		case has(g.Out, "rdp_addremove"):
			order, sigma := value(t, g.In["lambda"]), value(t, g.In["sigma"])
			above(t, "Gaussian", loss.GaussianPair{Mu: math.Sqrt2 / sigma}.RDP(order),
				value(t, g.Out["rdp_replace"])*(1-1e-15), 1e-10)
		case has(g.Out, "delta_addremove"):
			eps, sigma := value(t, g.In["eps"]), value(t, g.In["sigma"])
			above(t, "Gaussian", loss.GaussianPair{Mu: math.Sqrt2 / sigma}.Delta(eps),
				value(t, g.Out["delta_replace"]), 1e-9)
			above(t, "Gaussian", loss.GaussianPair{Mu: 1 / sigma}.Delta(eps), value(t, g.Out["delta_addremove"]), 1e-9)
		default:
			eps, b := value(t, g.In["eps"]), value(t, g.In["scale"])
			above(t, "two Laplace counts", loss.LaplacePair{Scale: b, Cells: 2}.Delta(eps),
				value(t, g.Out["delta_replace"]), 2e-5)
		}
		seen++
	}
	if seen != 80 {
		t.Errorf("%d rows", seen)
	}
}

// bruteShifted is the profile and the Rényi divergence of one geometric count shifted by s, summed over outputs.
func bruteShifted(gamma float64, s int, eps, order float64) (delta, rdp float64) {
	q := math.Exp(-gamma)
	c := (1 - q) / (1 + q)
	w := int(45/gamma) + s
	moment := 0.0
	for z := -w; z <= w; z++ {
		p := c * math.Exp(-gamma*math.Abs(float64(z)))
		loss := gamma * (math.Abs(float64(z-s)) - math.Abs(float64(z)))
		delta += p * math.Max(0, -math.Expm1(eps-loss))
		moment += p * math.Exp((order-1)*loss)
	}
	return delta, math.Log(moment) / (order - 1)
}

func TestShiftedGeometricPair(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		gamma := math.Exp(rapid.Float64Range(-3, 0.5).Draw(t, "log γ"))
		s := rapid.IntRange(1, 12).Draw(t, "shift")
		order := 1 + math.Exp(rapid.Float64Range(-2, 3).Draw(t, "log(λ−1)"))
		eps := gamma * float64(s) * rapid.Float64Range(0, 1).Draw(t, "ε/sγ")
		p := loss.ShiftedGeometricPair{Rate: gamma, Shift: s, Cells: 1}
		delta, rdp := bruteShifted(gamma, s, eps, order)
		if got := p.Delta(eps); got < delta*(1-1e-13)-1e-16 || got > delta*(1+1e-8)+1e-12*(1+eps) {
			t.Fatalf("%s: δ(%v) = %v, sum %v", p, eps, got, delta)
		}
		if got := p.RDP(order); got < rdp*(1-1e-12)-1e-14 || got > rdp*(1+2e-9)+1e-12 {
			t.Fatalf("%s: RDP(%v) = %v, sum %v", p, order, got, rdp)
		}
		if z := p.ZCDP(); p.RDP(order) > order*z*(1+1e-9) || p.RDP(1.0001) < 0.99*z {
			t.Fatalf("%s: zCDP %v, RDP(%v) = %v, RDP(1.0001) = %v", p, z, order, p.RDP(order), p.RDP(1.0001))
		}
		// never above randomised response at sγ, and far below it for long shifts and moderate orders
		response := loss.GeometricPair{Rate: gamma * float64(s), Cells: 1}
		if p.RDP(order) > response.RDP(order)*(1+3e-9) || p.Delta(eps) > response.Delta(eps)*(1+3e-9)+1e-12 {
			t.Fatalf("%s is above randomised response", p)
		}
		if s == 1 && math.Abs(p.RDP(order)/response.RDP(order)-1) > 3e-9 {
			t.Fatalf("%s is not randomised response", p)
		}
		// two cells against the sum over pairs of atoms of one
		two := loss.ShiftedGeometricPair{Rate: gamma, Shift: s, Cells: 2}
		e2 := 2 * eps
		want := 0.0
		for z := -int(45 / gamma); z <= int(45/gamma)+s; z++ {
			q := math.Exp(-gamma)
			prob := (1 - q) / (1 + q) * math.Exp(-gamma*math.Abs(float64(z)))
			loss := gamma * (math.Abs(float64(z-s)) - math.Abs(float64(z)))
			d, _ := bruteSigned(gamma, s, e2-loss)
			want += prob * d
		}
		if got := two.Delta(e2); got < want*(1-1e-11)-1e-15 || got > want*(1+1e-8)+1e-11*(1+e2) {
			t.Fatalf("%s: δ(%v) = %v, sum %v", two, e2, got, want)
		}
	})
}

// bruteSigned is the profile of one count at any real ε.
func bruteSigned(gamma float64, s int, eps float64) (float64, float64) {
	return bruteShifted(gamma, s, eps, 2)
}

// The lattice pair that stands for Laplace noise dominates it, and the gap closes with the square of the step.
func TestLatticeDominatesLaplace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := math.Exp(rapid.Float64Range(-1.5, 3).Draw(t, "log b"))
		exact := loss.LaplacePair{Scale: b, Cells: 1}
		eps := rapid.Float64Range(0, 0.99).Draw(t, "ε b") / b
		order := 1 + math.Exp(rapid.Float64Range(-2, 3).Draw(t, "log(λ−1)"))
		last := math.Inf(1)
		for _, n := range []int{32, 128, 512} {
			p := loss.ShiftedGeometricPair{Rate: 1 / b / float64(n), Shift: n, Cells: 1}
			gap := p.RDP(order)/exact.RDP(order) - 1
			if gap < -2e-9 || p.Delta(eps) < exact.Delta(eps)*(1-1e-9) {
				t.Fatalf("%s is below %s at λ = %v, ε = %v: %v", p, exact, order, eps, gap)
			}
			if gap > last/10+5e-9 {
				t.Fatalf("%s: excess %v after %v", p, gap, last)
			}
			last = gap
		}
		if z := exact.ZCDP(); exact.RDP(order) > order*z*(1+1e-9) || exact.RDP(1.0001) < 0.99*z {
			t.Fatalf("%s: zCDP %v, RDP(%v) = %v", exact, z, order, exact.RDP(order))
		}
	})
}

// Profiles from the definition in 60 digits, down to 1e-271.
func TestGaussianProfile(t *testing.T) {
	for _, g := range [][3]float64{
		{1e-3, 1e-4, 0.00035095286201566588},
		{1e-3, 0.005, 5.3595470410572127e-11},
		{0.1, 0, 0.039877611676744923},
		{0.1, 0.4, 8.7173170444978784e-7},
		{0.1, 3, 7.3048061017543098e-200},
		{0.9, 0.5, 0.1985993922515939},
		{0.999, 20, 1.7802501223834625e-86},
		{1.1, 2, 0.036324058991543655},
		{1.1, 25, 1.340036235213401e-110},
		{5, 1, 0.9798516780897752},
		{5, 40, 8.8232579200047111e-9},
		{30, 1, 1.0},
		{30, 600, 2.4420846255665562e-7},
		{0.01, 0.35, 3.8224284966616407e-272},
	} {
		mu, eps := g[0], g[1]
		lowered := 1e-12 * (1 + eps) * (2/mu + eps/(mu*mu)) // what taking ε down adds
		above(t, "Gaussian", loss.GaussianPair{Mu: mu}.Delta(eps), g[2], lowered+1e-12)
	}
}

func TestGaussianCompositionsAreGaussian(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var parts []loss.Repeat
		sum := 0.0
		for range rapid.IntRange(1, 5).Draw(t, "parts") {
			mu, times := math.Exp(rapid.Float64Range(-4, 0).Draw(t, "log μ")), rapid.IntRange(1, 9).Draw(t, "times")
			parts = append(parts, loss.Repeat{Pair: loss.GaussianPair{Mu: mu}, Times: times})
			sum += float64(times) * mu * mu
		}
		d := must.Get(loss.Declare(parts...))(t)
		one := loss.GaussianPair{Mu: math.Sqrt(sum)}
		eps := rapid.Float64Range(0, 5).Draw(t, "ε")
		if got, want := d.Delta(eps), one.Delta(eps); math.Abs(got-want) > 1e-10*want {
			t.Fatalf("%s: δ = %v, want %v", d, got, want)
		}
		if got, want := d.RDP(3), one.RDP(3); math.Abs(got/want-1) > 1e-11 {
			t.Fatalf("RDP %v, want %v", got, want)
		}
	})
}

// Releases on different lattices: the common grid against the sum over all patterns of signs.
func TestCommonGrid(t *testing.T) {
	gammas, times := []float64{0.1, 0.137, math.Pi / 20}, []int{4, 3, 5}
	var parts []loss.Repeat
	for i, g := range gammas {
		parts = append(parts, loss.Repeat{Pair: loss.PurePair{Epsilon: g}, Times: times[i]})
	}
	d := declare(t, parts...)
	for _, eps := range []float64{0, 0.2, 0.5, 1, 1.5} {
		want := 0.0
		var walk func(i, left int, logP, loss float64)
		walk = func(i, left int, logP, loss float64) {
			if i == len(gammas) {
				want += math.Exp(logP) * math.Max(0, -math.Expm1(eps-loss))
				return
			}
			if left == 0 {
				next := 0
				if i+1 < len(times) {
					next = times[i+1]
				}
				walk(i+1, next, logP, loss)
				return
			}
			g := gammas[i]
			walk(i, left-1, logP-math.Log1p(math.Exp(-g)), loss+g)
			walk(i, left-1, logP-g-math.Log1p(math.Exp(-g)), loss-g)
		}
		walk(0, times[0], 0, 0)
		c := d.Compose(eps)
		if c.Method != "common grid" || c.Delta < want*(1-1e-12) || c.Delta > want*(1+2e-4) {
			t.Errorf("ε = %v: %+v, sum over patterns %v", eps, c, want)
		}
	}
	// Laplace noise of two scales
	d = declare(t, loss.Repeat{Pair: loss.LaplacePair{Scale: 3, Cells: 2}, Times: 2},
		loss.Repeat{Pair: loss.LaplacePair{Scale: 7, Cells: 2}, Times: 1})
	if c := d.Compose(0.8); c.Method != "common grid" || c.Delta > 0.9*c.Renyi ||
		c.Delta < (loss.LaplacePair{Scale: 3, Cells: 4}).Delta(0.8) {
		t.Errorf("%+v", c)
	}
}

// Pairs that bound several distributions at once have no transform. Their profile makes a distribution, which composes
// on a grid, and by the Rényi curve where that is less; without a grid, by the curve alone.
func TestPairsWithoutATransform(t *testing.T) {
	for p, method := range map[loss.Pair]string{
		loss.DiscreteGaussianPair{Sigma2: 4, Cells: 2, Shift: 2}:    "convolution",
		loss.VectorPair{Rate: 1, Shape: 30, Delta2: 1, DeltaInf: 1}: "Rényi bound",
		loss.BinaryDirichletPair{Rate: 1, Shape: 30, N: 9}:          "convolution",
		loss.DiscreteGaussianPair{Sigma2: 400, Cells: 1, Shift: 2}:  "Rényi bound",
		loss.ConcentratedPair{Rho: .01}:                             "Rényi bound",
	} {
		_, err := loss.TransformOf(p)
		var e *loss.NoTransformError
		if !errors.As(err, &e) || e.Reason == "" {
			t.Errorf("%v: %v", p, err)
		}
		part := loss.Repeat{Pair: p, Times: 3}
		bound, _ := loss.DeltaFromRDP(func(order float64) float64 { return 3 * p.RDP(order) }, 1)
		c, curve := declare(t, part).Compose(1), must.Get(loss.DeclareByCurve(part))(t).Compose(1)
		if curve.Method != "Rényi bound" || math.Abs(curve.Delta/bound-1) > 1e-9 || c.Method != method ||
			c.Delta > curve.Delta {
			t.Errorf("%s: %+v, by curve %+v, Rényi bound %v", p, c, curve, bound)
		}
	}
	var e *loss.NoTransformError
	if _, err := loss.TransformOf(nil); !errors.As(err, &e) {
		t.Error(err)
	}
}
