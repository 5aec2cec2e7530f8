// Package scoring measures how often the intervals of private logistic regressions hold on hard designs.
//
// Every release by Fisher scoring is of a table drawn anew, whose log-odds are linear in its columns. Where the library
// gives no intervals they are counted as refused. The designs are those at which steps of Newton ran away: rare values,
// slopes of several prior deviations, a number near its bound. Source: theory/glm.md §4.6 and §10.5.
package scoring

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/papers/study/simulate"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/regression"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Design is a distribution of numbers on [−1, 1], and of the coefficients of the log-odds.
type Design struct {
	Name   string
	column []func(src *dp.Stream) float64
	beta   func(src *dp.Stream) []float64 // the intercept, and a slope a column
}

// Designs are one two-valued column with a share of 1s, a slope and the log-odds at its mean; two of these with slopes
// N(0, 1); an exponential number near its lower bound with an even one, slopes N(0, 1.4²); three even ones, N(0, 3²).
func Designs() []Design {
	return []Design{rare(.2, 1.4, -3), rare(.05, 1.4, -3), rare(.05, -2, -.8), rare(.02, 1.4, -3),
		{"two rare", []func(*dp.Stream) float64{two(.05), two(.05)}, slopes(1, -.9, -.9)},
		{"exponential", []func(*dp.Stream) float64{exponential, even}, slopes(1.4, -.8, 0)},
		{"three even", []func(*dp.Stream) float64{even, even, even}, slopes(3, 0, 0, 0)},
	}
}

func rare(share, slope, odds float64) Design {
	return Design{fmt.Sprintf("rare:%g:%g:%g", share, slope, odds), []func(*dp.Stream) float64{two(share)},
		func(*dp.Stream) []float64 { return []float64{odds - slope*(2*share-1), slope} }}
}

// slopes are N(0, sd²), with log-odds of −.8 at these places of the columns.
func slopes(sd float64, at ...float64) func(src *dp.Stream) []float64 {
	return func(src *dp.Stream) []float64 {
		out := []float64{-.8}
		for j, x := range at {
			out = append(out, sd*sample.Normal(src))
			out[0] -= out[j+1] * x
		}
		return out
	}
}

func two(share float64) func(src *dp.Stream) float64 {
	return func(src *dp.Stream) float64 {
		if sample.Float64(src) < share {
			return 1
		}
		return -1
	}
}

func even(src *dp.Stream) float64 { return 2*sample.Float64(src) - 1 }

func exponential(src *dp.Stream) float64 { return math.Min(-1-.2*math.Log(1-sample.Float64(src)), 1) }

// Point is a design, the rows of a table, and ε at δ = 1e-5.
type Point struct {
	Design  string  `json:"design"`
	Rows    int     `json:"rows"`
	Epsilon float64 `json:"epsilon"`
}

// Points are those of the full run: tables of 30,000 rows of the designs of one column alone.
func Points() (out []Point) {
	for _, rows := range []int{10000, 30000} {
		for _, d := range Designs() {
			if rows > 10000 && len(d.column) > 1 {
				continue
			}
			for _, eps := range []float64{1, 3} {
				out = append(out, Point{d.Name, rows, eps})
			}
		}
	}
	return out
}

// Cell is what was counted at a point. Shares and means are of releases with intervals.
type Cell struct {
	Point
	Runs      int     `json:"runs"` // with intervals
	Refused   int     `json:"refused,omitempty"`
	Apart     int     `json:"apart,omitempty"` // of the refused those whose chains did not agree
	Covered   float64 `json:"covered"`         // share of the intervals of slopes that hold them
	Least     float64 `json:"least"`           // of the slopes' shares
	Intercept float64 `json:"intercept"`
	Width     float64 `json:"width"`         // mean, of slopes
	Far       int     `json:"far,omitempty"` // releases with a slope more than four posterior deviations off
	Narrow    float64 `json:"-"`             // Covered by intervals of a tenth of the width, which are wrong
}

// Result is the outcome of a run. Committed results say what wrote them.
type Result = simulate.Results[Cell]

//go:embed results.json
var committed []byte

// Committed is the full run.
func Committed() (*Result, error) { return simulate.Committed[Result](committed) }

// least is the fewest replicates of a point.
const least = 4

// Run counts the intervals of so many releases at a point. Errors: those of planning and drawing, and ctx's.
func Run(ctx context.Context, p Point, runs int, seed uint64) (Cell, error) {
	c := Cell{Point: p}
	var d Design
	for _, one := range Designs() {
		if one.Name == p.Design {
			d = one
		}
	}
	schema := &frame.Schema{Dataset: "simulated", Columns: []frame.Column{frame.Categorical("y", "no", "yes")}}
	var names []string
	for j := range d.column {
		names = append(names, fmt.Sprintf("x%d", j+1))
		schema.Columns = append(schema.Columns, frame.Real(names[j], -1, 1))
	}
	sh, err := model.NewShape(schema, model.LogisticRegression("y", names...), p.Rows, true, "")
	if err != nil {
		return c, err
	}
	plan, err := regression.FisherScoring().Anyway().Plan(ctx, sh, dp.ApproxDP(p.Epsilon, 1e-5))
	if err != nil {
		return c, err
	}
	held := make([]float64, len(names)+1)
	_, err = simulate.Replicates(ctx, runs, least, func(i int) error {
		src := simulate.Stream("scoring", seed, p, i)
		columns, beta := d.table(src, p.Rows, names)
		f, err := frame.FromColumns(schema, columns)
		if err != nil {
			return err
		}
		st, err := model.Count(sh, f)
		if err != nil {
			return err
		}
		r, err := simulate.Release(ctx, plan, plan, st, src)
		if err != nil {
			return err
		}
		return c.add(ctx, r.Model(), beta, held)
	})
	c.mean(held)
	return c, err
}

// add counts one release; held are the intervals of each coefficient that hold it.
func (c *Cell) add(ctx context.Context, f *model.Fitted, beta, held []float64) error {
	switch err := f.Sample(ctx); {
	case errors.As(err, new(*regression.NotConvergedError)):
		c.Apart++
		c.Refused++
		return nil
	case errors.As(err, new(*regression.ShapeError)):
		c.Refused++
		return nil
	case err != nil:
		return err
	}
	draws, err := f.CoefficientDraws()
	if err != nil {
		return err
	}
	c.Runs++
	mean, far := draws.Mean(), false
	for j, b := range beta {
		lo, hi := draws.Quantile(j, .025), draws.Quantile(j, .975)
		if held[j] += simulate.Held(lo, hi, b); j == 0 {
			continue
		}
		square := 0.
		for _, v := range draws.Values {
			square += (v[j] - mean[j]) * (v[j] - mean[j]) / float64(draws.Len())
		}
		far = far || math.Abs(mean[j]-b) > 4*math.Sqrt(square)
		each := 1 / float64(len(beta)-1)
		c.Width += (hi - lo) * each
		c.Narrow += simulate.Held(mean[j]-.05*(hi-lo), mean[j]+.05*(hi-lo), b) * each
	}
	if far {
		c.Far++
	}
	return nil
}

// mean divides what was counted by the releases with intervals.
func (c *Cell) mean(held []float64) {
	n := math.Max(float64(c.Runs), 1)
	c.Intercept, c.Least = held[0]/n, 1
	for _, h := range held[1:] {
		c.Covered, c.Least = c.Covered+h/n/float64(len(held)-1), math.Min(c.Least, h/n)
	}
	c.Width, c.Narrow = c.Width/n, c.Narrow/n
}

// table draws coefficients and rows.
func (d Design) table(src *dp.Stream, rows int, names []string) (columns map[string]any, beta []float64) {
	beta = d.beta(src)
	x, y := make([][]float64, len(names)), make([]string, rows)
	for i := range y {
		odds := beta[0]
		for j, draw := range d.column {
			v := draw(src)
			x[j], odds = append(x[j], v), odds+beta[j+1]*v
		}
		if y[i] = "no"; sample.Float64(src) < 1/(1+math.Exp(-odds)) {
			y[i] = "yes"
		}
	}
	columns = map[string]any{"y": y}
	for j, name := range names {
		columns[name] = x[j]
	}
	return columns, beta
}
