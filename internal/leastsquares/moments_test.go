package leastsquares

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

func randomRows(d, n int, seed uint64) []float64 {
	r := rand.New(rand.NewPCG(seed, 9))
	rows := make([]float64, n*(d+1))
	for i := range rows {
		rows[i] = 2*r.Float64() - 1
	}
	return rows
}

func mustMoments(t testing.TB, d int, rows []float64) *Moments {
	t.Helper()
	m, err := NewMoments(d)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.AddRows(rows); err != nil {
		t.Fatal(err)
	}
	return m
}

// mustDesign has d features in [−10, 10] and a response in [0, 100].
func mustDesign(t testing.TB, d int, intercept bool) *Design {
	t.Helper()
	design, err := NewDesign(slices.Repeat([]Range{{-10, 10}}, d), Range{0, 100}, intercept)
	if err != nil {
		t.Fatal(err)
	}
	return design
}

// Moments against the plain triple loop, for sizes around a block, in rows, in columns, and in two parts.
func TestMoments(t *testing.T) {
	for _, d := range []int{1, 2, 3, 10, 21} {
		for _, n := range []int{0, 1, 255, 256, 257, 1000} {
			rows := randomRows(d, n, uint64(n))
			m := mustMoments(t, d, rows)
			cut := (n / 3) * (d + 1)
			parts := mustMoments(t, d, rows[:cut])
			if err := parts.AddRows(rows[cut:]); err != nil {
				t.Fatal(err)
			}
			cols := make([][]float64, d+1)
			for i := range n {
				for j := range cols {
					cols[j] = append(cols[j], rows[i*(d+1)+j])
				}
			}
			byColumn := mustMoments(t, d, nil)
			if err := addColumns(byColumn, cols[:d], cols[d]); err != nil {
				t.Fatal(err)
			}
			for name, got := range map[string]*Moments{"rows": m, "parts": parts, "columns": byColumn} {
				if got.N() != n || got.Dim() != d {
					t.Fatalf("%s: %d rows of %d", name, got.N(), got.Dim())
				}
				xx, xy := got.XX(), got.XY()
				for i := 0; i <= d; i++ {
					for j := i; j <= d; j++ {
						want := 0.0
						for k := range n {
							want += rows[k*(d+1)+i] * rows[k*(d+1)+j]
						}
						v := got.YY()
						if j < d {
							v = xx.At(j, i)
						} else if i < d {
							v = xy[i]
						}
						if math.Abs(v-want) > 1e-12*float64(n+1) {
							t.Errorf("%s, d %d, n %d: product (%d, %d) = %g, want %g", name, d, n, i, j, v, want)
						}
					}
				}
			}
		}
	}
}

func TestMomentsErrors(t *testing.T) {
	m := mustMoments(t, 2, nil)
	var p *domain.Error
	for i, err := range []error{
		m.AddRows(make([]float64, 4)),
		func() error { _, _, err := m.Gaussian(0, 1); return err }(),
		func() error { _, _, err := m.Gaussian(1, 0); return err }(),
	} {
		if !errors.As(err, &p) {
			t.Errorf("case %d: %v", i, err)
		}
	}
}

// Stack keeps the norm of the pair; the Gaussian solves the normal equations.
func TestStackAndGaussian(t *testing.T) {
	const d = 4
	m := mustMoments(t, d, randomRows(d, 50, 1))
	s := m.Stack()
	frobenius := mat.Norm(m.XX(), 2)
	if got, want := dot(s, s), frobenius*frobenius+dot(m.XY(), m.XY()); math.Abs(got-want) > 1e-12*want {
		t.Errorf("norm² %g, want %g", got, want)
	}
	p, h, err := m.Gaussian(.5, 2)
	if err != nil {
		t.Fatal(err)
	}
	for i := range d {
		want := m.XX().At(i, i)/.5 + 2
		if math.Abs(p.At(i, i)-want) > 1e-12*want || math.Abs(h[i]-m.XY()[i]/.5) > 1e-12 {
			t.Errorf("precision %g, want %g; h %g", p.At(i, i), want, h[i])
		}
	}
}

// Scaled rows are in the unit ball whatever comes in, and predictions agree in both systems of units.
func TestDesign(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.IntRange(1, 40).Draw(t, "d")
		number := rapid.Float64Range(-1e3, 1e3)
		ranges, x := make([]Range, d), make([]float64, d)
		for j := range ranges {
			lo := number.Draw(t, "lo")
			ranges[j] = Range{lo, lo + rapid.Float64Range(1e-3, 1e3).Draw(t, "width")}
			x[j] = rapid.OneOf(number, rapid.Just(math.Inf(1)), rapid.Just(math.NaN()), rapid.Just(ranges[j].Hi),
				rapid.Just(ranges[j].Lo)).Draw(t, "x")
		}
		intercept := rapid.Bool().Draw(t, "intercept")
		design, err := NewDesign(ranges, Range{-2, 5}, intercept)
		if err != nil {
			t.Fatal(err)
		}
		out := make([]float64, design.Dim()+1)
		clipped, err := design.Row(x, number.Draw(t, "y"), out)
		if err != nil {
			t.Fatal(err)
		}
		if norm := dot(out[:design.Dim()], out[:design.Dim()]); norm > 1+1e-15*float64(d) ||
			math.Abs(out[0]) > design.unit || math.Abs(out[design.Dim()]) > 1 {
			t.Fatalf("‖x‖² − 1 = %g beyond the rounding of this sum, y = %g", norm-1, out[design.Dim()])
		}
		if clipped > 0 {
			return
		}
		w := make([]float64, design.Dim())
		for j := range w {
			w[j] = rapid.Float64Range(-1, 1).Draw(t, "w")
		}
		b, slopes, err := design.Coefficients(w)
		if err != nil {
			t.Fatal(err)
		}
		size := math.Abs(b)
		for j, v := range slopes {
			b += v * x[j]
			size += math.Abs(v * x[j])
		}
		if got := design.Predict(w, out[:design.Dim()]); math.Abs(got-b) > 1e-11*(1+size) {
			t.Fatalf("prediction %g in scaled units, %g in the data's", got, b)
		}
	})
}

func TestDesignClips(t *testing.T) {
	design, err := NewDesign([]Range{{0, 10}, {-1, 1}}, Range{0, 100}, true)
	if err != nil {
		t.Fatal(err)
	}
	out := make([]float64, 4)
	for _, c := range []struct {
		x       []float64
		y       float64
		clipped int
		want    []float64 // times √3 for the first three
	}{
		{[]float64{10, 0}, 50, 0, []float64{1, 1, 0, 0}},
		{[]float64{11, -3}, 100, 2, []float64{1, 1, -1, 1}},
		{[]float64{2.5, math.NaN()}, math.Inf(-1), 2, []float64{1, -.5, 0, -1}},
	} {
		clipped, err := design.Row(c.x, c.y, out)
		if err != nil || clipped != c.clipped {
			t.Errorf("%v: %d clipped, %v; want %d", c.x, clipped, err, c.clipped)
		}
		for j, v := range c.want {
			if j < 3 {
				v /= math.Sqrt(3)
			}
			if math.Abs(out[j]-v) > 1e-15 {
				t.Errorf("%v: coordinate %d = %g, want %g", c.x, j, out[j], v)
			}
		}
	}
	var p *domain.Error
	if _, err := design.Row([]float64{1}, 1, out); !errors.As(err, &p) {
		t.Errorf("short x: %v", err)
	}
	if _, err := design.Row([]float64{1, 1}, 1, out[:3]); !errors.As(err, &p) {
		t.Errorf("short out: %v", err)
	}
	if _, _, err := design.Coefficients(nil); !errors.As(err, &p) {
		t.Errorf("short weights: %v", err)
	}
}

func TestRepair(t *testing.T) {
	a := mat.NewSymDense(2, []float64{1, 2, 2, 1}) // eigenvalues −1 and 3
	r, raised, err := Repair(a, .5)
	if err != nil || raised != 1 {
		t.Fatalf("%d raised, %v", raised, err)
	}
	if want := mat.NewSymDense(2, []float64{1.75, 1.25, 1.25, 1.75}); !mat.EqualApprox(r, want, 1e-14) {
		t.Errorf("repaired %v", mat.Formatted(r))
	}
	if same, raised, err := Repair(r, .5-1e-9); err != nil || raised != 0 || !mat.Equal(same, r) {
		t.Errorf("repairing twice: %d raised, %v", raised, err)
	}
	if a.At(0, 0) != 1 {
		t.Error("the argument was changed")
	}
	var p *domain.Error
	for _, floor := range []float64{-1, math.NaN(), math.Inf(1)} {
		if _, _, err := Repair(a, floor); !errors.As(err, &p) {
			t.Errorf("floor %g: %v", floor, err)
		}
	}
	if _, _, err := Repair(mat.NewSymDense(1, []float64{math.NaN()}), 0); !errors.As(err, &p) {
		t.Errorf("NaN entry: %v", err)
	}
}
