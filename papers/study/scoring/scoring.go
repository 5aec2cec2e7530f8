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
	"slices"

	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/papers/study/simulate"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/regression"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// Design is a distribution of numbers on [−1, 1], and of the coefficients of the log-odds, or of the log-rate of
// counts.
type Design struct {
	Name   string
	column []func(src *dp.Stream) float64
	beta   func(src *dp.Stream) []float64 // the intercept, and a slope of each of values

	formula string                      // of x1, x2 and so on; none: of the numbers themselves
	values  func(x []float64) []float64 // the columns of a formula
	follow  func(x []float64)           // changes later numbers by earlier ones
	most    int                         // the greatest count; 0: classes

	joint string // the term that is tested, whose coefficients are all 0
}

// Designs are one two-valued column with a share of 1s, a slope and the log-odds at its mean; two of these with slopes
// N(0, 1); an exponential number near its lower bound with an even one, slopes N(0, 1.4²); three even ones, N(0, 3²).
// Then formulas: polynomials of a skewed number next to an even one, a square, an interaction with correlated numbers;
// a rare group apart from two others, alone and with a square; counts; two columns of three that say nothing.
func Designs() []Design {
	return []Design{rare(.2, 1.4, -3), rare(.05, 1.4, -3), rare(.05, -2, -.8), rare(.02, 1.4, -3),
		{Name: "two rare", column: []func(*dp.Stream) float64{two(.05), two(.05)}, beta: slopes(1, -.9, -.9)},
		{Name: "exponential", column: []func(*dp.Stream) float64{exponential, even}, beta: slopes(1.4, -.8, 0)},
		{Name: "three even", column: []func(*dp.Stream) float64{even, even, even}, beta: slopes(3, 0, 0, 0)},
		{Name: "polynomial", column: []func(*dp.Stream) float64{skewed, even}, beta: slopes(1.5, 0, 0, 0),
			formula: "poly(x1, 2) + x2", values: func(x []float64) []float64 {
				return []float64{x[0], 1.5*x[0]*x[0] - .5, x[1]}
			}},
		{Name: "square", column: []func(*dp.Stream) float64{even}, beta: slopes(1.5, 0, 0), formula: "x1 + I(x1^2)",
			values: func(x []float64) []float64 { return []float64{x[0], x[0] * x[0]} }},
		{Name: "interaction", column: []func(*dp.Stream) float64{skewed, even}, beta: slopes(1, 0, 0, 0), formula: "x1*x2",
			values: func(x []float64) []float64 { return []float64{x[0], x[1], x[0] * x[1]} }, follow: alike},
		{Name: "group apart", column: []func(*dp.Stream) float64{apart, even}, beta: fixed(2.8, 4, 1), follow: alike},
		{Name: "group apart, square", column: []func(*dp.Stream) float64{apart, even}, beta: fixed(2.3, 1.5, .5, 1),
			formula: "x1 + I(x1^2) + x2", follow: alike,
			values: func(x []float64) []float64 { return []float64{x[0], x[0] * x[0], x[1]} }},
		{Name: "counts", column: []func(*dp.Stream) float64{even, skewed}, beta: func(src *dp.Stream) []float64 {
			return []float64{.3, .5 * sample.Normal(src), .5 * sample.Normal(src)}
		}, formula: "x1 + x2", values: func(x []float64) []float64 { return x }, most: 10},
		{Name: noEffect, column: []func(*dp.Stream) float64{skewed, even, two(.2)}, beta: fixed(-.8, 1.5, 0, 0),
			follow: alike, joint: "x2 + x3"},
	}
}

// noEffect is the design on which tests are counted.
const noEffect = "no effect"

// apart is at −1 and −.9, and in 3 of 100 rows at 1.
func apart(src *dp.Stream) float64 {
	switch u := sample.Float64(src); {
	case u < .5:
		return -1
	case u < .97:
		return -.9
	}
	return 1
}

// skewed is 2u² − 1, u even in [0, 1].
func skewed(src *dp.Stream) float64 {
	u := sample.Float64(src)
	return 2*u*u - 1
}

// alike makes the second number go with the first.
func alike(x []float64) { x[1] = .6*x[1] + .4*x[0] }

func fixed(beta ...float64) func(*dp.Stream) []float64 {
	return func(*dp.Stream) []float64 { return beta }
}

func rare(share, slope, odds float64) Design {
	return Design{Name: fmt.Sprintf("rare:%g:%g:%g", share, slope, odds),
		column: []func(*dp.Stream) float64{two(share)}, beta: fixed(odds-slope*(2*share-1), slope)}
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

// plainDesigns are as many designs as were measured first, of numbers themselves.
const plainDesigns = 7

// Points are those of the full run: tables of 10,000 rows of all designs, of 30,000 of those of numbers themselves,
// and of 1,000 where tests are counted.
func Points() (out []Point) {
	add := func(rows int, list []Design) {
		for _, d := range list {
			for _, eps := range []float64{1, 3} {
				out = append(out, Point{d.Name, rows, eps})
			}
		}
	}
	all := Designs()
	add(10000, all[:plainDesigns])
	add(30000, slices.DeleteFunc(Designs()[:plainDesigns], func(d Design) bool { return len(d.column) > 1 }))
	last := len(all) - 1
	add(10000, all[plainDesigns:last])
	add(30000, slices.DeleteFunc(Designs()[:plainDesigns], func(d Design) bool { return len(d.column) == 1 }))
	add(1000, all[last:])
	add(10000, all[last:])
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
	Width     float64 `json:"width"`              // mean, of slopes
	Far       int     `json:"far,omitempty"`      // releases with a slope more than four posterior deviations off
	Rejected  int     `json:"rejected,omitempty"` // at .05, by the joint test of columns that say nothing
	Narrow    float64 `json:"-"`                  // Covered by intervals of a tenth of the width, which are wrong
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
	schema, names, m := d.model()
	sh, err := model.NewShape(schema, m, p.Rows, true, "")
	if err != nil {
		return c, err
	}
	plan, err := regression.FisherScoring().Anyway().Plan(ctx, sh, dp.ApproxDP(p.Epsilon, 1e-5))
	if err != nil {
		return c, err
	}
	held := make([]float64, len(sh.Linear().Weights()))
	_, err = simulate.Replicates(ctx, runs, least, func(i int) error {
		src := simulate.Stream("scoring", seed, p, i)
		columns, beta := d.table(src, p.Rows, names)
		r, draws, err := simulate.Coefficients(ctx, plan, plan, columns, src)
		var test *release.TermTest
		if err == nil && d.joint != "" {
			test, err = r.Test(model.Term(d.joint))
		}
		switch {
		case errors.As(err, new(*regression.NotConvergedError)):
			c.Apart++
			c.Refused++
		case errors.As(err, new(*regression.ShapeError)):
			c.Refused++
		case err != nil:
			return err
		default:
			c.add(draws, beta, held)
			if test != nil && test.P < .05 {
				c.Rejected++
			}
		}
		return nil
	})
	c.mean(held)
	return c, err
}

// add counts one release with intervals; held are those of each coefficient that hold it.
func (c *Cell) add(draws *model.Draws, beta, held []float64) {
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

// model is that of the design, with its schema and the names of its numbers.
func (d Design) model() (schema *frame.Schema, names []string, m model.Model) {
	response := frame.Categorical("y", "no", "yes")
	if d.most > 0 {
		response = frame.Real("y", 0, float64(d.most))
	}
	schema = &frame.Schema{Dataset: "simulated", Columns: []frame.Column{response}}
	for j := range d.column {
		names = append(names, fmt.Sprintf("x%d", j+1))
		schema.Columns = append(schema.Columns, frame.Real(names[j], -1, 1))
	}
	switch {
	case d.most > 0:
		m = model.PoissonRegression("y ~ " + d.formula)
	case d.formula != "":
		m = model.Logistic("y ~ " + d.formula)
	default:
		m = model.LogisticRegression("y", names...)
	}
	return schema, names, m
}

// table draws coefficients and rows.
func (d Design) table(src *dp.Stream, rows int, names []string) (columns map[string]any, beta []float64) {
	beta = d.beta(src)
	x, classes, counts := make([][]float64, len(names)), make([]string, rows), make([]float64, rows)
	row := make([]float64, len(names))
	for i := range rows {
		for j, draw := range d.column {
			row[j] = draw(src)
		}
		if d.follow != nil {
			d.follow(row)
		}
		t, values := beta[0], row
		if d.values != nil {
			values = d.values(row)
		}
		for j, v := range values {
			t += beta[j+1] * v
		}
		for j, v := range row {
			x[j] = append(x[j], v)
		}
		if classes[i] = "no"; d.most > 0 {
			counts[i] = count(src, math.Exp(t), d.most)
		} else if sample.Float64(src) < 1/(1+math.Exp(-t)) {
			classes[i] = "yes"
		}
	}
	if columns = map[string]any{"y": classes}; d.most > 0 {
		columns["y"] = counts
	}
	for j, name := range names {
		columns[name] = x[j]
	}
	return columns, beta
}

// count is Poisson with a rate, cut.
func count(src *dp.Stream, rate float64, most int) (n float64) {
	u, p := sample.Float64(src), math.Exp(-rate)
	for ; u > p && n < float64(most); n++ {
		u -= p
		p *= rate / (n + 1)
	}
	return n
}
