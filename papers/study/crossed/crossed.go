// Package crossed measures how often the intervals of a logistic regression on factors hold the coefficients, where it
// is released as a table of noisy counts.
//
// Shares of the cells are drawn from a flat Dirichlet distribution, coefficients from N(0, 1), rows anew for every
// release. The posterior has the default prior, slopes N(0, 4) and intercept N(0, 25): the coefficients are not drawn
// from it. Rows of the table: theory/glm.md §5.
package crossed

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/papers/study/simulate"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/regression"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Point is the levels of the factors, the rows of a table, pure ε, and whether n is private, under add-remove.
type Point struct {
	Levels  string // such as 2x3x2
	Rows    int
	Epsilon float64
	Private bool
}

// levels are those of every factor.
func (p Point) levels() (out []int) {
	for _, one := range strings.Split(p.Levels, "x") {
		var l int
		if _, err := fmt.Sscan(one, &l); err == nil {
			out = append(out, l)
		}
	}
	return out
}

// Cell is what was counted at a point.
type Cell struct {
	Point
	Runs, NotConverged int
	Slopes             float64 // share of the intervals of slopes that hold them
	Intercept          float64 // the same of the intercept
	Width              float64 // mean, of slopes
	RowsWidth          float64 // without privacy, under the same prior
}

// MarshalText writes the cell as a line.
func (c Cell) MarshalText() ([]byte, error) {
	return fmt.Appendf(nil, "%s %d %v %v | %d %d | %.4f %.4f | %.4g %.4g", c.Levels, c.Rows, c.Epsilon, c.Private, c.Runs,
		c.NotConverged, c.Slopes, c.Intercept, c.Width, c.RowsWidth), nil
}

// UnmarshalText reads what MarshalText wrote.
func (c *Cell) UnmarshalText(text []byte) error {
	n, err := fmt.Sscan(strings.ReplaceAll(string(text), " |", ""), &c.Levels, &c.Rows, &c.Epsilon, &c.Private, &c.Runs,
		&c.NotConverged, &c.Slopes, &c.Intercept, &c.Width, &c.RowsWidth)
	if err != nil {
		return fmt.Errorf("crossed: %q is no cell: %d numbers: %w", text, n, err)
	}
	return nil
}

// Result is the outcome of a run.
type Result = simulate.Results[Cell]

//go:embed results.json
var committed []byte

// Committed is the full run.
func Committed() (*Result, error) { return simulate.Committed[Result](committed) }

// Points are those of the full run: six with public n, and one with private n.
func Points() []Point {
	return []Point{{"2x3x2", 1200, 1, false}, {"2x3x2", 360, 1, false}, {"2x3x2", 1200, .3, false},
		{"2x3x2", 3600, .3, false}, {"3x4", 3600, .1, false}, {"3x4", 7200, .1, false},
		{"2x3x2", 1200, .3, true}}
}

// least is the fewest replicates of a point.
const least = 4

// shape is that of a regression on all factors.
func (p Point) shape() (*model.Shape, error) {
	columns, names := []frame.Column{frame.Categorical("y", "no", "yes")}, []string(nil)
	for i, l := range p.levels() {
		labels := make([]string, l)
		for k := range labels {
			labels[k] = fmt.Sprintf("%c%d", 'a'+i, k)
		}
		names = append(names, string(rune('a'+i)))
		columns = append(columns, frame.Categorical(names[i], labels...))
	}
	schema := &frame.Schema{Dataset: "simulated", Columns: columns}
	return model.NewShape(schema, model.LogisticRegression("y", names...), p.Rows, true, "")
}

// Run counts the intervals of so many releases at a point. The posterior takes the noise as that of ε·overstated, which
// is wrong unless that is 1. Errors: those of planning, and ctx's.
func Run(ctx context.Context, p Point, runs int, seed uint64, overstated float64) (Cell, error) {
	c := Cell{Point: p}
	sh, err := p.shape()
	if err != nil {
		return c, err
	}
	at := dp.PureDP
	if p.Private {
		at = func(eps float64) dp.Request { return dp.PureDP(eps).Under(dp.AddRemove) }
	}
	drawn, stated, err := simulate.Plans(ctx, regression.ContingencyTable().Anyway(), sh, at, p.Epsilon, overstated)
	if err != nil {
		return c, err
	}
	_, err = simulate.Replicates(ctx, runs, least, func(i int) error {
		src := simulate.Stream("crossed", seed, p, i)
		t := p.table(src)
		_, draws, err := simulate.Coefficients(ctx, drawn, stated, t.columns(sh.Columns()), src)
		if errors.As(err, new(*regression.NotConvergedError)) {
			c.NotConverged++
			return nil
		}
		if err != nil {
			return err
		}
		return c.add(t, draws)
	})
	for _, v := range []*float64{&c.Slopes, &c.Intercept, &c.Width, &c.RowsWidth} {
		*v /= math.Max(float64(c.Runs), 1)
	}
	return c, err
}

// add counts the intervals of a release.
func (c *Cell) add(t *data, draws *model.Draws) error {
	width, err := t.widths()
	if err != nil {
		return err
	}
	c.Runs++
	for j, beta := range t.beta {
		lo, hi := draws.Quantile(j, .025), draws.Quantile(j, .975)
		if j == 0 {
			c.Intercept += simulate.Held(lo, hi, beta)
			continue
		}
		each := 1 / float64(len(t.beta)-1)
		c.Slopes += simulate.Held(lo, hi, beta) * each
		c.Width += (hi - lo) * each
		c.RowsWidth += width[j] * each
	}
	return nil
}

// data is a simulated table.
type data struct {
	beta  []float64
	rows  [][]float64 // of columns: the intercept, and indicators of all levels but the first
	level [][]int     // of every row: those of the factors, and the class before them
}

// table draws a table.
func (p Point) table(src *dp.Stream) *data {
	levels, t := p.levels(), &data{}
	cells, k := 1, 1
	for _, l := range levels {
		cells, k = cells*l, k+l-1
	}
	for range k {
		t.beta = append(t.beta, sample.Normal(src))
	}
	shares, sum := make([]float64, cells), 0.
	for c := range shares {
		shares[c] = -math.Log(1 - sample.Float64(src))
		sum += shares[c]
	}
	for range p.Rows {
		u, cell := sum*sample.Float64(src), 0
		for ; cell < cells-1 && u > shares[cell]; cell++ {
			u -= shares[cell]
		}
		row, of, first := make([]float64, k), make([]int, len(levels)+1), k
		row[0] = 1
		for i := len(levels) - 1; i >= 0; i-- {
			of[i+1], cell = cell%levels[i], cell/levels[i]
			if first -= levels[i] - 1; of[i+1] > 0 {
				row[first+of[i+1]-1] = 1
			}
		}
		if sample.Float64(src) < chance(t.beta, row) {
			of[0] = 1
		}
		t.rows, t.level = append(t.rows, row), append(t.level, of)
	}
	return t
}

// chance is that of the second class.
func chance(beta, row []float64) float64 {
	odds := 0.
	for j, v := range row {
		odds += v * beta[j]
	}
	return 1 / (1 + math.Exp(-odds))
}

func (t *data) columns(columns []frame.Column) map[string]any {
	out := map[string]any{}
	for i, c := range columns {
		values := make([]string, len(t.level))
		for r, of := range t.level {
			values[r] = c.Labels()[of[i]]
		}
		out[c.Name] = values
	}
	return out
}

// widths are those of the 95 % intervals without privacy, under the default prior, by the curvature at the mode.
func (t *data) widths() (out []float64, err error) {
	k := len(t.beta)
	at := make([]float64, k)
	var chol mat.Cholesky
	for range 30 {
		score, information := mat.NewVecDense(k, nil), mat.NewSymDense(k, nil)
		for j := range k {
			precision := 1. / 4
			if j == 0 {
				precision = 1. / 25
			}
			information.SetSym(j, j, precision)
			score.SetVec(j, -precision*at[j])
		}
		for r, row := range t.rows {
			p, x := chance(at, row), mat.NewVecDense(k, row)
			score.AddScaledVec(score, float64(t.level[r][0])-p, x)
			information.SymRankOne(information, p*(1-p), x)
		}
		var move mat.VecDense
		if !chol.Factorize(information) || chol.SolveVecTo(&move, score) != nil {
			return nil, errors.New("crossed: no mode")
		}
		step := math.Min(1, 2/math.Max(mat.Norm(&move, math.Inf(1)), 1e-9))
		for j := range at {
			at[j] += step * move.AtVec(j)
		}
	}
	var inverse mat.SymDense
	if err := chol.InverseTo(&inverse); err != nil {
		return nil, err
	}
	for j := range k {
		out = append(out, 2*1.96*math.Sqrt(inverse.At(j, j)))
	}
	return out, nil
}
