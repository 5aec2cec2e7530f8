package steps

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/domain"
)

// someStep is a step at a drawn point, with what a table of a scenario released there.
func someStep(t *rapid.T, list map[string]scenario) (s *step, first, last Released) {
	name := rapid.SampledFrom([]string{"rare", "mixed", "square", "counts"}).Draw(t, "scenario")
	r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	table := list[name].draw(r, 500, rapid.Bool().Draw(t, "private"))
	tau := rapid.Float64Range(.1, 10).Draw(t, "tau")
	first = table.release(r, table.design.First(), tau)
	p := Point{Cut: rapid.Int64Range(LeastCut, table.design.Family.first()).Draw(t, "cut")}
	for range table.design.Columns {
		p.Beta = append(p.Beta, onGrid(r.NormFloat64()))
	}
	last = table.release(r, p, tau)
	s, _, err := table.design.begin(first, last)
	if err != nil {
		t.Fatal(err)
	}
	return s, first, last
}

// The matrix J is the derivative of m, and at 0, where nothing is cut, m(u) = u + O(u²).
func TestSlopesAreDerivatives(t *testing.T) {
	list := scenarios(t)
	rapid.Check(t, func(t *rapid.T) {
		s, _, last := someStep(t, list)
		n := len(s.w)
		u, lo, hi := make([]float64, n), make([]float64, n), make([]float64, n)
		for j := range u {
			u[j] = rapid.Float64Range(-1, 1).Draw(t, "u")
		}
		j := s.slope(u)
		for b := range n {
			const h = 1e-5
			old := u[b]
			u[b] = old - h
			s.mean(u, lo)
			u[b] = old + h
			s.mean(u, hi)
			u[b] = old
			for a := range n {
				got, want := j.At(a, b), (hi[a]-lo[a])/(2*h)
				if math.Abs(got-want) > 1e-4*math.Max(1, math.Abs(want)) {
					t.Fatalf("dm_%d/du_%d = %v, want %v", a, b, got, want)
				}
			}
		}
		uncut := last
		uncut.Point.Cut = unit
		if s.d.Family.table == nil {
			s.under(rowsOf(s), uncut.Point)
			j = s.slope(make([]float64, n))
			for a := range n {
				for b := range n {
					if math.Abs(j.At(a, b)-indicator(a == b)) > 1e-3 {
						t.Fatalf("J(0) has %v at %d, %d", j.At(a, b), a, b)
					}
				}
			}
		}
	})
}

// rowsOf are the pseudo-records of a step, unscaled.
func rowsOf(s *step) (out [][]float64) {
	for _, r := range s.records {
		row := make([]float64, len(r.x))
		for j, v := range r.x {
			row[j] = v * math.Sqrt(s.d.Terms)
		}
		out = append(out, row)
	}
	return out
}

// Where the released A is c times that of the pseudo-records, V_d is c times their variance, whatever its shape.
func TestVarianceIsCarried(t *testing.T) {
	list := scenarios(t)
	rapid.Check(t, func(t *rapid.T) {
		s, _, _ := someStep(t, list)
		n, c := len(s.w), rapid.Float64Range(.1, 1000).Draw(t, "c")
		var a mat.SymDense
		s.root.ToSym(&a)
		want := mat.NewSymDense(n, nil)
		u := make([]float64, n)
		u[0] = .3
		for _, r := range s.records {
			_, v := s.d.Family.response(r.t + .3*r.x[0])
			want.SymRankOne(want, c*r.omega*r.omega*v, mat.NewVecDense(n, r.x))
		}
		for i := range n {
			for j := range n {
				s.released[i*n+j] = c * a.At(i, j)
			}
		}
		got := s.variance(u)
		for i := range n {
			for j := range n {
				if math.Abs(got.At(i, j)-want.At(i, j)) > 1e-4*mat.Max(want) {
					t.Fatalf("V at %d, %d: %v, want %v", i, j, got.At(i, j), want.At(i, j))
				}
			}
		}
	})
}

// No step from the mode makes the objective smaller, under the V that was held on the way to it. (The V at the mode
// itself differs where the noise is wild: over 10,000 draws the objective under it fell by up to .4.)
func TestModeIsTheLowest(t *testing.T) {
	list := scenarios(t)
	rapid.Check(t, func(t *rapid.T) {
		s, _, _ := someStep(t, list)
		n := len(s.w)
		u, _ := s.mode()
		v := s.total(u)
		curvature := s.climb(u, v)
		objective := func(u []float64) float64 {
			m, sum := make([]float64, n), 0.
			s.mean(u, m)
			r := mat.NewVecDense(n, nil)
			r.MulVec(mat.NewDense(n, n, s.released), mat.NewVecDense(n, m))
			r.SubVec(r, mat.NewVecDense(n, s.problem.XY))
			var solved mat.VecDense
			_ = v.SolveVecTo(&solved, r)
			for j, w := range s.w {
				sum += s.problem.Precision[j] * (w + u[j]) * (w + u[j])
			}
			return (sum + mat.Dot(r, &solved)) / 2
		}
		at := objective(u)
		for j := range n {
			for _, by := range []float64{-1, 1} {
				near := append([]float64(nil), u...)
				near[j] += by * .3 / math.Sqrt(curvature.At(j, j))
				if lower := objective(near); lower < at-1e-4 {
					t.Fatalf("objective %v at the mode, %v at %+v of coordinate %d", at, lower, near[j]-u[j], j)
				}
			}
		}
	})
}

// The next point is on its grid and in its bounds however wild the noise; so is the cut.
func TestPointsAreBounded(t *testing.T) {
	list := scenarios(t)
	rapid.Check(t, func(t *rapid.T) {
		s, first, last := someStep(t, list)
		size := math.Exp(rapid.Float64Range(0, 25).Draw(t, "log noise"))
		for _, list := range [][]float64{first.Moments, last.Moments, last.Gradient} {
			for j := range list {
				list[j] += size * rapid.Float64Range(-1, 1).Draw(t, "noise")
			}
		}
		p, err := s.d.Next(first, last)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.d.CheckReleased(Released{p, last.Moments, last.Gradient, 1}); err != nil {
			t.Fatal(err)
		}
	})
}

// A point that slopes of noise would carry beyond Σ|β| = 20 is scaled back to it.
func TestSlopesAreScaled(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	s := scenarios(t)["mixed"].draw(r, 2000, false)
	s.design.Slope, s.design.Intercept = 1e3, 1e3
	first := s.release(r, s.design.First(), .1)
	for j := range first.Gradient {
		first.Gradient[j] *= 30
	}
	p, err := s.design.Next(first, first)
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.
	for _, b := range p.Beta[1:] {
		sum += math.Abs(b)
	}
	if math.Abs(sum-mostSlopes) > 1e-4 || math.Abs(p.Beta[0]) > mostIntercept {
		t.Errorf("point %v, slopes %v", p.Beta, sum)
	}
}

// Factors leave no freedom to the distribution of the rows, so that the distributions agree.
func TestFactorsHaveOneLaw(t *testing.T) {
	columns := columnsOf("1", "a", "b", "c", "ac", "bc")
	vars, err := variables(columns)
	if err != nil {
		t.Fatal(err)
	}
	s := make([]float64, 36)
	for i := range 6 {
		s[i*6+i], s[i], s[i*6] = .2, .2, .2
	}
	s[0] = 1
	a, b := pseudo(columns, vars, s, low), pseudo(columns, vars, s, beta)
	for i := range a {
		for j := range a[i] {
			if a[i][j] != b[i][j] {
				t.Fatalf("record %d: %v and %v", i, a[i], b[i])
			}
		}
	}
}

// Designs and released numbers outside their domain are refused with the name of what is wrong.
func TestRefused(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	table := scenarios(t)["mixed"].draw(r, 500, false)
	good := table.release(r, table.design.First(), 1)
	later := table.release(r, Point{Beta: make([]float64, 6), Cut: LeastCut}, 1)
	if _, err := table.design.Next(good, later); err != nil {
		t.Fatal(err)
	}
	for want, spoil := range map[string]func(d *Design, first, last *Released){
		"columns":                    func(d *Design, _, _ *Released) { d.Columns = columnsOf("x", "z") },
		"terms":                      func(d *Design, _, _ *Released) { d.Terms = math.NaN() },
		"bits of columns":            func(d *Design, _, _ *Released) { d.ColumnBits = 0 },
		"rows":                       func(d *Design, _, _ *Released) { d.Rows = math.Inf(1) },
		"deviation of slopes":        func(d *Design, _, _ *Released) { d.Slope = 0 },
		"deviation of the intercept": func(d *Design, _, _ *Released) { d.Intercept = -1 },
		"number":                     func(d *Design, _, _ *Released) { d.Columns = columnsOf("1", "x", "xz") },
		"factor":                     func(d *Design, _, _ *Released) { d.Columns = columnsOf("1", "x", "a") },
		"point":                      func(_ *Design, _, l *Released) { l.Point.Beta = []float64{1, 2} },
		"cut":                        func(_ *Design, f, _ *Released) { f.Point.Cut-- },
		"deviation":                  func(_ *Design, _, l *Released) { l.Deviation = math.NaN() },
		"gradient":                   func(_ *Design, _, l *Released) { l.Gradient = l.Gradient[1:] },
		"moments":                    func(_ *Design, f, _ *Released) { f.Moments = append(f.Moments, 1) },
		"released number": func(_ *Design, _, l *Released) {
			l.Moments = append([]float64{math.Inf(1)}, l.Moments[1:]...)
		},
		"first step": func(_ *Design, f, l *Released) { *f = *l },
	} {
		d, first, last := table.design, good, later
		spoil(&d, &first, &last)
		_, err := d.Next(first, last)
		_, err2 := d.Sample(t.Context(), first, last, [32]byte{})
		var e *domain.Error
		if !errors.As(err, &e) || e.Parameter != want || err2 == nil || err2.Error() != err.Error() {
			t.Errorf("%s: %v, %v", want, err, err2)
		}
	}
	for _, beta := range [][]float64{{0, .1, 0, 0, 0, 0}, {50, 0, 0, 0, 0, 0}, {0, 15, -15, 0, 0, 0},
		{math.NaN(), 0, 0, 0, 0, 0}} {
		last := later
		last.Point.Beta = beta
		if _, err := table.design.Next(good, last); err == nil {
			t.Errorf("the point %v passes", beta)
		}
	}
	for _, most := range []int{0, -1, MostCount + 1} {
		if _, err := Poisson(most); err == nil {
			t.Errorf("counts to %d pass", most)
		}
	}
}

// A step has the noise of its share on every product, by places and cut, caps from n or, where that is private, from
// the release, and the noise of A in the variance of the mode.
func TestStepsHaveTheirNoise(t *testing.T) {
	list := scenarios(t)
	rapid.Check(t, func(t *rapid.T) {
		s, first, last := someStep(t, list)
		cut, tau2, n := float64(last.Point.Cut)/unit, last.Deviation*last.Deviation, len(s.w)
		noise := make([]float64, n*n)
		for k, e := range s.problem.Entries {
			ordered := 0.
			for i := range n {
				for j := range n {
					if a := [2]int{min(i, j), max(i, j)}; slices.Contains(e.Places, a) {
						ordered++
					}
				}
			}
			if want := cut * cut * tau2 / ordered; math.Abs(e.Variance-want) > 1e-12*want || e.Noisy != last.Moments[k] {
				t.Fatalf("entry %d: variance %v, want %v", k, e.Variance, want)
			}
			for _, a := range e.Places {
				noise[a[0]*n+a[1]], noise[a[1]*n+a[0]] = e.Variance, e.Variance
			}
		}
		most := s.d.Rows / s.d.Terms * cut
		if s.d.Rows == 0 {
			most = math.Max(last.Moments[s.problem.Count], 0) + 8*cut*last.Deviation
		}
		if math.Abs(s.problem.Cap-most) > 1e-9*most {
			t.Fatalf("cap %v, want %v", s.problem.Cap, most)
		}
		begin := s.d.step(first)
		if begin.problem.Fixed > 0 != (s.d.Rows > 0) ||
			s.d.Rows > 0 && math.Abs(begin.released[0]-s.d.Rows/s.d.Terms*float64(first.Point.Cut)/unit) > 1e-9 {
			t.Fatalf("the first step has A₀₀ = %v of n = %v", begin.released[0], s.d.Rows)
		}
		u, m := make([]float64, n), make([]float64, n)
		u[n-1] = 1
		s.mean(u, m)
		var total mat.SymDense
		s.total(u).ToSym(&total)
		v := s.variance(u)
		for i := range n {
			want := v.At(i, i) + tau2
			for j := range n {
				want += noise[i*n+j] * m[j] * m[j]
			}
			if math.Abs(total.At(i, i)-want) > 1e-9*want {
				t.Fatalf("variance of %d: %v, want %v", i, total.At(i, i), want)
			}
		}
	})
}

// At the first step a residual of counts is −1 at none and 1 at the most, and every weight is the cut; the next cut
// leaves a quarter of the pseudo-records' weights above it, of counts a twentieth.
func TestCuts(t *testing.T) {
	list := scenarios(t)
	for name, share := range map[string]float64{"mixed": .25, "square": .25, "counts": .05} {
		r := rand.New(rand.NewPCG(5, 5))
		table := list[name].draw(r, 2000, false)
		d := &table.design
		p := d.First()
		for _, y := range []float64{-1, 1} {
			if d.Family.table != nil {
				y = (y + 1) / 2 * d.Family.most
			}
			residual, weight := d.Family.Weigh(p, table.rows[0], y)
			if sign := math.Copysign(1, y-.5); math.Abs(float64(residual)/unit-sign) > 1e-6 || weight != p.Cut {
				t.Errorf("%s: residual %v and weight %v at y = %v", name, residual, weight, y)
			}
		}
		first := table.release(r, p, .5)
		next, err := d.Next(first, first)
		if err != nil {
			t.Fatal(err)
		}
		s, _, err := d.begin(first, Released{next, make([]float64, len(d.layout(next).Entries)), first.Gradient, 1})
		if err != nil {
			t.Fatal(err)
		}
		above := 0.
		for _, q := range s.records {
			above += indicator(q.a > float64(next.Cut)/unit) / records
		}
		if math.Abs(above-share) > .01 {
			t.Errorf("%s: a share of %v is cut, want %v", name, above, share)
		}
	}
}

// Where noise drowns the data the posterior is the prior, about 0 and not about the point. False alarm: a mean of 400
// independent draws is more than 6.5 of its standard errors off, or their deviation 30 %, below 1e-9.
func TestDrownedPosteriorIsThePrior(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	table := scenarios(t)["rare"].draw(r, 500, false)
	first := table.release(r, table.design.First(), 1)
	last := table.release(r, Point{Beta: []float64{1, 3}, Cut: unit / 4}, 1e5)
	s, _, err := table.design.begin(first, last)
	if err != nil {
		t.Fatal(err)
	}
	draws, _, err := s.posterior(t.Context(), [32]byte{})
	if err != nil {
		t.Fatal(err)
	}
	sd := deviations(draws.Weights)
	for j, want := range []float64{5, 2} {
		mean := 0.
		for _, w := range draws.Weights {
			mean += (w[j] + s.w[j]) / math.Sqrt2 / float64(len(draws.Weights))
		}
		if got := sd[j] / math.Sqrt2; math.Abs(got/want-1) > .3 || math.Abs(mean) > 6.5*want/20 {
			t.Errorf("coefficient %d: %v ± %v, want 0 ± %v", j, mean, got, want)
		}
	}
}
