package regression

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/internal/leastsquares"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// wide is the statistics of 1500 rows of d − 1 features whose sum, with noise, is the response: as many coordinates as
// d.
func wide(t testing.TB, d int) *model.Statistics {
	t.Helper()
	const rows = 1500
	src := dp.Seeded(11)
	s, cols := &frame.Schema{Dataset: "wide", Columns: []frame.Column{frame.Real("y", -1, 0, 1)}}, map[string]any{}
	y := make([]float64, rows)
	for j := range d - 1 {
		name := fmt.Sprint("x", j)
		s.Columns = append(s.Columns, frame.Real(name, -1, 0, 1))
		x := make([]float64, rows)
		for i := range x {
			x[i] = 2*sample.Float64(src) - 1
			y[i] += 2 * x[i] / math.Sqrt(float64(d))
		}
		cols[name] = x
	}
	for i := range y {
		y[i] = math.Max(-1, math.Min(1, y[i]+.3*sample.Normal(src)))
	}
	cols["y"] = y
	return counted(t, model.LinearRegression("y").WithRadius(2), must.Get(frame.FromColumns(s, cols))(t))
}

// Draws of a plan in 50 and 100 dimensions satisfy Stein's identity for the density p on the ball,
//
//	E[ −2w_i + (B² − ‖w‖²)·∂_i ln p(w) ] = 0 for every i,
//
// since the field (B² − ‖w‖²)e_i vanishes on the sphere; within 6.5 standard errors of its sum along three directions.
// Draws put back on the ball by projection, without the rejection, and draws at a fifth more variance do not.
func TestDrawsInHighDimension(t *testing.T) {
	dims := []int{50, 100}
	if testing.Short() {
		dims = dims[:1]
	}
	for _, d := range dims {
		const draws = 2500
		st := wide(t, d)
		sh := st.Shape()
		p := plan(t, Sampler(draws), sh, dp.PureDP(30*draws))
		var q samplerParams
		if err := json.Unmarshal(p.Params(), &q); err != nil {
			t.Fatal(err)
		}
		xx, xy, _ := sh.Linear().Moments(st.OpenSums(key))
		precision, h := law(xx, xy, q.Variance, 1)
		prec := make([][]float64, d)
		for i := range prec {
			for j := range d {
				prec[i] = append(prec[i], precision.At(i, j))
			}
		}
		radius := sh.Linear().Radius
		if len(h) != d {
			t.Fatalf("%d coordinates", len(h))
		}
		stein := func(real [][]float64) (z float64) {
			directions := []func(i int) float64{func(i int) float64 { return h[i] }, func(int) float64 { return 1 },
				func(i int) float64 { return float64(i%2) - .3 }}
			sum, square := make([]float64, len(directions)), make([]float64, len(directions))
			for _, w := range real {
				room, v := radius*radius-norm(w)*norm(w), make([]float64, len(directions))
				for i := range w {
					slope := h[i]
					for j, c := range w {
						slope -= prec[i][j] * c
					}
					for k, u := range directions {
						v[k] += u(i) * (-2*w[i] + room*slope)
					}
				}
				for k := range v {
					sum[k] += v[k]
					square[k] += v[k] * v[k]
				}
			}
			n := float64(len(real))
			for k := range sum {
				mean := sum[k] / n
				z = math.Max(z, math.Abs(mean)/math.Sqrt((square[k]/n-mean*mean)/n))
			}
			return z
		}
		drawn := must.Get(p.Draw(t.Context(), st, "id", dp.Seeded(2)))(t).Real
		if z := stein(drawn); z > 6.5 {
			t.Errorf("d = %d: %.1f standard errors off", d, z)
		}
		for _, w := range drawn {
			if norm(w) > radius {
				t.Fatalf("d = %d: a draw at %v", d, norm(w))
			}
		}
		other := *p.Sampler(key).(*posteriorSampler)
		other.sigma2 *= 1.2
		if z := stein(must.Get(other.Draw(t.Context(), mechanism.Open(key, st),
			dp.Seeded(2)))(t).Real); z < 6.5 {
			t.Errorf("d = %d: a fifth more variance passes, %.1f standard errors", d, z)
		}
		for _, w := range drawn {
			by := .98 * radius / math.Max(norm(w), .98*radius) // put back on a slightly smaller ball
			for i := range w {
				w[i] *= by
			}
		}
		if z := stein(drawn); z < 6.5 {
			t.Errorf("d = %d: projected draws pass, %.1f standard errors", d, z)
		}
	}
}

// The design keeps rows in the ball in any number of coordinates, and an intercept outside the budget leaves it in all.
// The norm by a plain sum does not tell: its rounding passes 1 in some dimensions, 100 among them, where no plan could
// be made.
func TestDesignInEveryDimension(t *testing.T) {
	y, rounded := leastsquares.Range{Lo: -1, Hi: 1}, map[int]bool{}
	for d := 1; d <= 512; d++ {
		x, top := make([]leastsquares.Range, d), make([]float64, d)
		for j := range x {
			x[j], top[j] = leastsquares.Range{Lo: 0, Hi: 10}, 10
		}
		for _, intercept := range []bool{true, false} {
			design := must.Get(leastsquares.NewDesign(x, y, intercept))(t)
			out, err := largestRow(design, x, y)
			if err != nil || !(out.Value <= 1 && out.Value > 1-1e-15) {
				t.Fatalf("%d features: %v, %v", d, out.Value, err)
			}
			row := make([]float64, design.Dim()+1)
			if _, err := design.Row(top, 1, row); err != nil {
				t.Fatal(err)
			}
			if norm(row[:design.Dim()]) > 1 {
				rounded[design.Dim()] = true
			}
			if intercept {
				continue
			}
			if out, err := largestRow(outside{design}, x, y); err != nil || out.Value <= 1 {
				t.Errorf("%d features: an intercept outside passes, %v, %v", d, out.Value, err)
			}
		}
	}
	if !rounded[100] {
		t.Error("a plain sum would do: the norm is not tested")
	}
}

// BenchmarkDraw50 is one draw of a plan with 50 coordinates, at ε = 1 a draw: what a release of many costs each.
func BenchmarkDraw50(b *testing.B) {
	const draws = 1000
	st := wide(b, 50)
	p := plan(b, Sampler(draws), st.Shape(), dp.PureDP(draws))
	for b.Loop() {
		if _, err := p.Draw(b.Context(), st, "id", dp.Seeded(1)); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/draws, "ns/draw")
}
