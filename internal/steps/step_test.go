package steps

import (
	"errors"
	"math"
	"math/rand/v2"
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
	p := Point{Cut: rapid.Int64Range(leastCut, table.design.Family.first()).Draw(t, "cut")}
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

// No step from the mode makes the objective smaller, with V taken there.
func TestModeIsTheLowest(t *testing.T) {
	list := scenarios(t)
	rapid.Check(t, func(t *rapid.T) {
		s, _, _ := someStep(t, list)
		n := len(s.w)
		u, curvature := s.mode()
		v := s.total(u)
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
				if lower := objective(near); lower < at-.01 {
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
		for j := range last.Gradient {
			last.Gradient[j] += size * rapid.Float64Range(-1, 1).Draw(t, "noise")
		}
		p, err := s.d.Next(first, last)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.d.check(Released{p, last.Moments, last.Gradient, 1}); err != nil {
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

// Factors leave no freedom to the law of the rows, so that the laws agree.
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
	later := table.release(r, Point{Beta: make([]float64, 6), Cut: leastCut}, 1)
	if _, err := table.design.Next(good, later); err != nil {
		t.Fatal(err)
	}
	for want, spoil := range map[string]func(d *Design, first, last *Released){
		"columns":                    func(d *Design, _, _ *Released) { d.Columns = columnsOf("x", "z") },
		"terms":                      func(d *Design, _, _ *Released) { d.Terms = math.NaN() },
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
