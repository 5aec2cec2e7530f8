// Package slopes measures how often the intervals of a private linear regression hold the slopes.
//
// The slopes are drawn from the prior, β ~ N(0, 1) per half-range; the designs are not. A table is drawn anew for every
// release; responses beyond their bounds are moved to these and kept. Two truths are counted: the slopes of the rows'
// own least squares after that, which are all that second moments tell, and β. Source: theory/glm.md §2.6.
package slopes

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/papers/study/simulate"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/regression"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// Point is a design, its number of slopes, the rows of a table, and ε at δ = 1e-5.
type Point struct {
	Design  string // middle or far: see Columns
	Slopes  int
	Rows    int
	Epsilon float64
}

// Cell is what was counted at a point.
type Cell struct {
	Point
	Runs, NotConverged int
	OfRows             float64 // share of the intervals of slopes that hold those of the rows
	OfTruth            float64 // share that hold β
	Intercept          float64 // share of the intervals of the intercept that hold the rows'
	Width              float64 // mean, of slopes per half-range
	RowsWidth          float64 // of least squares without privacy
	Clipped            float64 // mean share of clipped responses
	Drowned, Warned    float64 // shares of the releases that warn of noise that drowns, and of clipped responses
}

// MarshalText writes the cell as a line.
func (c Cell) MarshalText() ([]byte, error) {
	return fmt.Appendf(nil, "%s %d %d %v | %d %d | %.4f %.4f %.4f | %.4g %.4g | %.4g %.3f %.3f", c.Design, c.Slopes,
		c.Rows,
		c.Epsilon, c.Runs, c.NotConverged, c.OfRows, c.OfTruth, c.Intercept, c.Width, c.RowsWidth, c.Clipped, c.Drowned,
		c.Warned), nil
}

// UnmarshalText reads what MarshalText wrote.
func (c *Cell) UnmarshalText(text []byte) error {
	n, err := fmt.Sscan(strings.ReplaceAll(string(text), " |", ""), &c.Design, &c.Slopes, &c.Rows, &c.Epsilon, &c.Runs,
		&c.NotConverged, &c.OfRows, &c.OfTruth, &c.Intercept, &c.Width, &c.RowsWidth, &c.Clipped, &c.Drowned, &c.Warned)
	if err != nil {
		return fmt.Errorf("slopes: %q is no cell: %d numbers: %w", text, n, err)
	}
	return nil
}

// Result is the outcome of a run. Committed results say what wrote them.
type Result = simulate.Results[Cell]

//go:embed results.json
var committed []byte

// Committed is the full run.
func Committed() (*Result, error) { return simulate.Committed[Result](committed) }

// Points are those of the full run.
func Points() (out []Point) {
	for _, slopes := range []int{1, 2, 5} {
		for _, n := range []int{100, 1000, 30000} {
			if slopes == 5 && n != 1000 {
				continue
			}
			for _, eps := range []float64{.3, 1, 3} {
				if out = append(out, Point{"middle", slopes, n, eps}); slopes < 5 && eps >= 1 {
					out = append(out, Point{"far", slopes, n, eps})
				}
			}
		}
	}
	for _, n := range []int{100, 1000, 30000} {
		out = append(out, Point{"middle", 10, n, 1})
	}
	return append(out, Point{"middle", 5, 100, 1}, Point{"middle", 5, 30000, 1}, Point{"far", 5, 1000, 1},
		Point{"middle", 10, 1000, .3}, Point{"middle", 10, 1000, 3}, Point{"far", 10, 1000, 1})
}

// least is the fewest replicates of a point.
const least = 4

// Run counts the intervals of so many releases at a point. The posterior takes the noise as that of ε·overstated, which
// is wrong unless that is 1. Errors: those of planning, and ctx's.
func Run(ctx context.Context, p Point, runs int, seed uint64, overstated float64) (Cell, error) {
	c := Cell{Point: p}
	response := frame.Real("y", -1, 1)
	response.OnOutOfDomain = "clamp"
	columns, names := []frame.Column{response}, []string(nil)
	for j := range p.Slopes {
		names = append(names, fmt.Sprintf("x%d", j+1))
		columns = append(columns, frame.Real(names[j], -1, 1))
	}
	schema := &frame.Schema{Dataset: "simulated", Columns: columns}
	sh, err := model.NewShape(schema, model.LinearRegression("y", names...), p.Rows, true, "")
	if err != nil {
		return c, err
	}
	at := func(eps float64) dp.Request { return dp.ApproxDP(eps, 1e-5) }
	drawn, stated, err := simulate.Plans(ctx, regression.SufficientStatistics(), sh, at, p.Epsilon, overstated)
	if err != nil {
		return c, err
	}
	_, err = simulate.Replicates(ctx, runs, least, func(i int) error {
		src := simulate.Stream("slopes", seed, p, i)
		t := p.table(src)
		r, draws, err := simulate.Coefficients(ctx, drawn, stated, t.columns(names), src)
		if errors.As(err, new(*regression.NotConvergedError)) {
			c.NotConverged++
			return nil
		}
		if err != nil {
			return err
		}
		own, width, err := t.leastSquares()
		if err != nil {
			return err
		}
		c.Runs++
		for j := range own {
			lo, hi := draws.Quantile(j, .025), draws.Quantile(j, .975)
			if j == 0 {
				c.Intercept += simulate.Held(lo, hi, own[j])
				continue
			}
			each := 1 / float64(p.Slopes)
			c.OfRows += simulate.Held(lo, hi, own[j]) * each
			c.OfTruth += simulate.Held(lo, hi, t.slopes[j-1]) * each
			c.Width += (hi - lo) * each
			c.RowsWidth += width[j] * each
		}
		c.Clipped += t.clipped
		for _, w := range r.Warnings() {
			switch w.Kind {
			case warning.KindNoiseDrowns:
				c.Drowned++
			case warning.KindClippedResponses:
				c.Warned++
			}
		}
		return nil
	})
	for _, v := range []*float64{&c.OfRows, &c.OfTruth, &c.Intercept, &c.Width, &c.RowsWidth, &c.Clipped, &c.Drowned,
		&c.Warned} {
		*v /= math.Max(float64(c.Runs), 1)
	}
	return c, err
}

// data is a simulated table.
type data struct {
	x       [][]float64 // a list a column
	y       []float64
	slopes  []float64
	clipped float64
}

// column is a law of a column, given the one before.
type column func(src *dp.Stream, before float64) float64

// Columns are the laws of a design. Those in the middle are even on half of the range, normal and correlated with the
// column before, skewed, and two-valued; each column takes one by lot. Those far from it are exponential near a bound,
// nearly constant, and two-valued with a share of .05; columns take them in turn.
func Columns(design string) []column {
	two := func(share float64) column {
		return func(src *dp.Stream, _ float64) float64 {
			if sample.Float64(src) < share {
				return 1
			}
			return -1
		}
	}
	if design == "far" {
		return []column{
			func(src *dp.Stream, _ float64) float64 { return math.Min(-1-.2*math.Log(1-sample.Float64(src)), 1) },
			func(src *dp.Stream, _ float64) float64 { return .88 + .04*sample.Float64(src) },
			two(.05),
		}
	}
	return []column{
		func(src *dp.Stream, _ float64) float64 { return sample.Float64(src) - .5 },
		func(src *dp.Stream, before float64) float64 {
			return math.Min(math.Max(.5*before+.3*sample.Normal(src), -1), 1)
		},
		func(src *dp.Stream, _ float64) float64 {
			return 2*math.Min(sample.Float64(src), math.Min(sample.Float64(src), sample.Float64(src))) - 1
		},
		two(.5),
	}
}

// table draws a table: the mean response even in ±.2, residuals of sd .1.
func (p Point) table(src *dp.Stream) *data {
	laws := Columns(p.Design)
	t := &data{x: make([][]float64, p.Slopes), y: make([]float64, p.Rows)}
	first := 0
	if p.Design == "far" {
		first = int(src.Uint64() % uint64(len(laws)))
	}
	for j := range t.x {
		law := laws[(first+j)%len(laws)]
		if p.Design != "far" {
			law = laws[src.Uint64()%uint64(len(laws))]
		}
		t.slopes = append(t.slopes, sample.Normal(src))
		mean := 0.
		for t.x[j] == nil || slices.Min(t.x[j]) == slices.Max(t.x[j]) { // a column that does not vary is drawn again
			t.x[j], mean = make([]float64, p.Rows), 0
			for i := range t.x[j] {
				before := 0.
				if j > 0 {
					before = t.x[j-1][i]
				}
				t.x[j][i] = law(src, before)
				mean += t.x[j][i] / float64(p.Rows)
			}
		}
		for i, v := range t.x[j] {
			t.y[i] += t.slopes[j] * (v - mean)
		}
	}
	middle := .4*sample.Float64(src) - .2
	for i := range t.y {
		y := t.y[i] + middle + .1*sample.Normal(src)
		if t.y[i] = math.Min(math.Max(y, -1), 1); t.y[i] != y {
			t.clipped += 1 / float64(p.Rows)
		}
	}
	return t
}

func (t *data) columns(names []string) map[string]any {
	out := map[string]any{"y": t.y}
	for j, name := range names {
		out[name] = t.x[j]
	}
	return out
}

// leastSquares are intercept and slopes of the rows, and the widths of their classical 95 % intervals. A column that
// does not vary is an error.
func (t *data) leastSquares() (w, width []float64, err error) {
	n, d := len(t.y), len(t.x)+1
	x := mat.NewDense(n, d, nil)
	for i := range n {
		x.Set(i, 0, 1)
		for j := range t.x {
			x.Set(i, j+1, t.x[j][i])
		}
	}
	var square mat.SymDense
	var chol mat.Cholesky
	var right, at, fitted mat.VecDense
	square.SymOuterK(1, x.T())
	y := mat.NewVecDense(n, t.y)
	if right.MulVec(x.T(), y); !chol.Factorize(&square) || chol.SolveVecTo(&at, &right) != nil {
		return nil, nil, errors.New("slopes: a table of dependent columns")
	}
	fitted.MulVec(x, &at)
	fitted.SubVec(y, &fitted)
	s := mat.Norm(&fitted, 2) / math.Sqrt(float64(max(n-d, 1)))
	var inverse mat.SymDense
	if err := chol.InverseTo(&inverse); err != nil {
		return nil, nil, err
	}
	for j := range d {
		w, width = append(w, at.AtVec(j)), append(width, 2*1.96*s*math.Sqrt(inverse.At(j, j)))
	}
	return w, width, nil
}
