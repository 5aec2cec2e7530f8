package steps

import (
	"flag"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

var tables = flag.Int("tables", fewTables, "so many tables of each design that the check is tried on")

// resampled draws u by importance resampling about the mode, in place of chains: A at Â, its noise as variance.
func (s *step) resampled(r *rand.Rand, u []float64, curvature *mat.SymDense) (draws [][]float64) {
	const proposals, kept, freedom = 3000, 400, 5
	n, v := len(u), s.variance(u)
	var spread mat.SymDense
	var root mat.TriDense
	_ = cholesky(curvature, 0).InverseTo(&spread)
	cholesky(&spread, 0).LTo(&root)
	all, weight, top := make([][]float64, proposals), make([]float64, proposals), math.Inf(-1)
	for k := range all {
		z, square, chi := make([]float64, n), 0., 0.
		for range freedom {
			chi += math.Pow(r.NormFloat64(), 2)
		}
		for j := range z {
			z[j] = r.NormFloat64() * math.Sqrt(freedom/chi)
			square += z[j] * z[j]
		}
		all[k] = slices.Clone(u)
		for i := range n {
			for j := range i + 1 {
				all[k][i] += root.At(i, j) * z[j]
			}
		}
		weight[k] = s.likelihood(v, all[k]) + float64(freedom+n)/2*math.Log(1+square/freedom)
		top = math.Max(top, weight[k])
	}
	sum, at := 0., 0.
	for k := range weight {
		weight[k] = math.Exp(weight[k] - top)
		sum += weight[k]
	}
	for k := range weight {
		for at += weight[k] / sum * kept; float64(len(draws))+.5 < at; {
			draws = append(draws, all[k])
		}
	}
	return draws
}

// likelihood is that of u times its prior, in logs, with the noise of A counted as variance.
func (s *step) likelihood(v *mat.SymDense, u []float64) float64 {
	n := len(u)
	m, total, residual := make([]float64, n), mat.NewSymDense(n, nil), mat.NewVecDense(n, nil)
	s.mean(u, m)
	total.CopySym(v)
	out := 0.
	for j := range n {
		own := v.At(j, j) + s.tau2
		for i := range n {
			own += s.noise[j*n+i] * m[i] * m[i]
		}
		total.SetSym(j, j, own)
		out -= s.problem.Precision[j] * (s.w[j] + u[j]) * (s.w[j] + u[j]) / 2
	}
	residual.MulVec(mat.NewDense(n, n, s.released), mat.NewVecDense(n, m))
	residual.SubVec(mat.NewVecDense(n, s.problem.XY), residual)
	var solved mat.VecDense
	c := cholesky(total, 0)
	_ = c.SolveVecTo(&solved, residual)
	return out - mat.Dot(residual, &solved)/2 - c.LogDet()/2
}

// checked are tables whose columns a beta distribution fits, or nearly so, and such with a rare group apart.
func checked() map[string]scenario {
	normal := func(sd float64, at ...float64) func(*rand.Rand) []float64 {
		return func(r *rand.Rand) []float64 {
			out := []float64{-.8}
			for j, x := range at {
				out = append(out, sd*r.NormFloat64())
				out[0] -= out[j+1] * x
			}
			return out
		}
	}
	even := func(r *rand.Rand) float64 { return 2*r.Float64() - 1 }
	pair := func(x func(*rand.Rand) float64, with float64) func(*rand.Rand) (map[int]float64, map[int]int) {
		return func(r *rand.Rand) (map[int]float64, map[int]int) {
			u := x(r)
			return map[int]float64{'x': u, 'z': (1-with)*even(r) + with*u}, nil
		}
	}
	exponential := func(scale, apart float64) func(*rand.Rand) float64 {
		return func(r *rand.Rand) float64 {
			if r.Float64() < apart {
				return 1
			}
			return math.Min(-1+scale*r.ExpFloat64(), 1)
		}
	}
	atoms := func(middle, share, apart float64) func(*rand.Rand) float64 {
		return func(r *rand.Rand) float64 {
			switch u := r.Float64(); {
			case u < apart:
				return 1
			case u < apart+share:
				return middle
			}
			return -1
		}
	}
	skewed := func(r *rand.Rand) float64 { return 2*math.Pow(r.Float64(), 2) - 1 }
	rarely := func(share float64, usual float64) func(*rand.Rand) float64 {
		return func(r *rand.Rand) float64 {
			if r.Float64() < share {
				return even(r)
			}
			return usual
		}
	}
	two := []string{"1", "x", "z"}
	return map[string]scenario{
		"exponential":   {two, 3, Logistic, pair(exponential(.2, 0), 0), normal(1.4, -.8, 0)},
		"steeper":       {two, 3, Logistic, pair(exponential(.1, 0), 0), normal(1.4, -.9, 0)},
		"wider":         {two, 3, Logistic, pair(exponential(.4, 0), 0), normal(1.4, -.6, 0)},
		"even":          {two, 3, Logistic, pair(even, 0), normal(3, 0, 0)},
		"skewed":        {two, 3, Logistic, pair(skewed, .4), normal(2, 0, 0)},
		"product":       {[]string{"1", "x", "z", "xz"}, 4, Logistic, pair(skewed, .4), normal(1, 0, 0, 0)},
		"mostly -1":     {two, 3, Logistic, pair(rarely(.1, -1), 0), normal(2, -.9, 0)},
		"mostly 0":      {two, 3, Logistic, pair(rarely(.05, 0), 0), normal(2, 0, 0)},
		"apart 3%":      {two, 3, Logistic, pair(atoms(-.9, .47, .03), .4), fixed(2.8, 4, 1)},
		"apart 3%, any": {two, 3, Logistic, pair(atoms(-.9, .47, .03), .4), normal(2, -.9, 0)},
		"apart 1%":      {two, 3, Logistic, pair(atoms(-.9, .49, .01), .4), fixed(2.3, 3, 1)},
		"apart 1%, any": {two, 3, Logistic, pair(atoms(-.9, .49, .01), .4), normal(2, -.9, 0)},
		"apart 5%":      {two, 3, Logistic, pair(atoms(-.7, .4, .05), .2), fixed(1.5, 3, -1)},
		"apart .5%":     {two, 3, Logistic, pair(atoms(-.9, .4, .005), 0), fixed(-4, -3, 1)},
		"apart 2%":      {two, 3, Logistic, pair(atoms(-.8, .38, .02), 0), fixed(-5.5, -4, 0)},
		"tail and 1%":   {two, 3, Logistic, pair(exponential(.1, .01), 0), normal(2, -.9, 0)},
		"tail and .3%":  {two, 3, Logistic, pair(exponential(.1, .003), 0), normal(2, -.9, 0)},
	}
}

// verdict counts what a check lets through.
type verdict struct{ Printed, Slopes, Held, Far int }

func (v *verdict) add(refused bool, s *simulated, w []float64, draws [][]float64) {
	if refused {
		return
	}
	v.Printed++
	far, sd := false, deviations(draws)
	for j, b := range s.beta[1:] {
		var x []float64
		mean := 0.
		for _, u := range draws {
			x = append(x, w[j+1]+u[j+1])
			mean += (w[j+1] + u[j+1]) / float64(len(draws))
		}
		slices.Sort(x)
		want := b * math.Sqrt(s.design.Terms)
		if v.Slopes++; x[len(x)*25/1000] <= want && want <= x[len(x)*975/1000] {
			v.Held++
		}
		far = far || math.Abs(mean-want) > 4*sd[j+1]
	}
	if far {
		v.Far++
	}
}

// fewTables are those that tell the designs apart.
const fewTables = 6

// Of tables with a rare group apart the check lets fewer through than one that asks for the mode alone, and none that
// is far off. Of those whose columns a beta distribution fits nearly as many as one that knows one limit. With more
// -tables all designs are counted and logged.
func TestCheckReadsA(t *testing.T) {
	if testing.Short() {
		t.Skip("three seconds of one processor")
	}
	names := []string{"exponential", "steeper", "apart 3%"}
	if *tables > fewTables {
		names = nil
		for name := range checked() {
			names = append(names, name)
		}
		slices.Sort(names)
	}
	var fitting, fittingOne, apart, apartMode verdict
	for _, name := range names {
		for _, eps := range []float64{1, 3} {
			var none, mode, one, now verdict
			for i := range *tables {
				r := rand.New(rand.NewPCG(uint64(i), uint64(90000*eps)))
				s := checked()[name].draw(r, 10000, false)
				begin, last := s.steps(t, r, eps)
				step, _, err := s.design.begin(begin, last)
				if err != nil {
					t.Fatal(err)
				}
				u, curvature := step.mode()
				draws := step.resampled(r, u, curvature)
				two, _ := step.extremes(begin, last)
				modes := slices.Max(step.modeDistances(two, u, deviations(draws)))
				none.add(false, s, step.w, draws)
				mode.add(modes > 1, s, step.w, draws)
				one.add(modes > 1 || slices.Max(step.meanDistances(two, draws)) > 1, s, step.w, draws)
				now.add(step.settled(begin, last, u, draws) != nil, s, step.w, draws)
			}
			t.Logf("%s, ε = %g: no check %+v, the mode alone %+v, one limit %+v, the check %+v", name, eps, none, mode,
				one, now)
			if strings.HasPrefix(name, "apart") {
				apart, apartMode = apart.and(now), apartMode.and(mode)
			} else {
				fitting, fittingOne = fitting.and(now), fittingOne.and(one)
			}
		}
	}
	if fitting.Printed < fittingOne.Printed*3/4 || apart.Printed >= apartMode.Printed ||
		*tables == fewTables && apart.Far > 0 {
		t.Errorf("a beta distribution fits: %+v, with one limit %+v; a group apart: %+v, by the mode alone %+v", fitting,
			fittingOne, apart, apartMode)
	}
}

func (v verdict) and(w verdict) verdict {
	return verdict{v.Printed + w.Printed, v.Slopes + w.Slopes, v.Held + w.Held, v.Far + w.Far}
}
