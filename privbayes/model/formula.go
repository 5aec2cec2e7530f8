package model

import (
	"fmt"
	"math"
	"slices"

	"github.com/privbayes/privbayes-go/internal/formula"
	"github.com/privbayes/privbayes-go/internal/gram"
	"github.com/privbayes/privbayes-go/internal/leastsquares"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// byFormula is what regressions by a formula have in common.
type byFormula struct {
	text              string // canonical where it is a formula
	formula           *formula.Formula
	refused           error
	slopes, intercept float64
}

// parsed reads a formula, and names its response.
func parsed(text string, slopes float64) (f byFormula, response string) {
	f = byFormula{text: text, slopes: slopes, intercept: 5}
	if f.formula, f.refused = formula.Parse(text); f.refused == nil {
		f.text, response = f.formula.String(), f.formula.Response()
	}
	return f, response
}

func (f byFormula) described(kind, target string) Description {
	return Description{Kind: kind, Target: target, Formula: f.text, Slopes: f.slopes, Intercept: f.intercept}
}

// resolved are the response and the columns of the formula.
func (f byFormula) resolved(m responding, s *frame.Schema, unit string) ([]frame.Column, error) {
	if f.refused != nil {
		return nil, f.refused
	}
	if sd := []float64{f.slopes, f.intercept}; !(slices.Min(sd) >= minDeviation && slices.Max(sd) <= maxDeviation) {
		return nil, wrong(m, "", fmt.Sprintf("deviations %v of slopes and %v of the intercept", f.slopes, f.intercept),
			fmt.Sprintf("%g to %g, %s", minDeviation, maxDeviation, unit))
	}
	of := nameColumns(s)
	y, err := m.response(of)
	if err != nil {
		return nil, err
	}
	cols := []frame.Column{y}
	_, err = f.formula.Code(func(name string) ([]string, error) {
		c, err := feature(m, of, name)
		if cols = append(cols, c); err != nil || c.Numeric() {
			return nil, err
		}
		return c.Labels(), nil
	})
	return cols, err
}

// Deviations of priors, in half-ranges: floating point tells these from none.
const minDeviation, maxDeviation = 1e-6, 1e6

// LinearModel is a linear regression by a formula: see Linear.
type LinearModel struct {
	ofPlane
	byFormula
}

// Linear is the linear regression of a formula such as "wage ~ school*sex + poly(age, 2)", a subset of those of R: see
// package formula. Numbers are scaled to [−1, 1] by the public bounds of their columns, u = (x − mid)/half, powers are
// of these, and poly(x, k) are their Legendre polynomials. The prior of a coefficient, in half-ranges of the response,
// is N(0, 1), that of the intercept N(0, 5²): Slopes and Intercept set other deviations.
//
// Only SufficientStatistics takes it: it releases every distinct product of two columns once, at a sensitivity that
// does not depend on the formula. A formula that is none is refused with *formula.Error, where the model meets its
// schema.
func Linear(text string) LinearModel {
	f, target := parsed(text, 1)
	return LinearModel{ofPlane{ofSums{base{target: target}}}, f}
}

// Slopes sets the standard deviation > 0 of the prior of every coefficient but the intercept, in half-ranges of the
// response: a public choice.
func (m LinearModel) Slopes(sd float64) LinearModel { m.slopes = sd; return m }

// Intercept sets the standard deviation > 0 of the prior of the intercept, in half-ranges of the response: a public
// choice.
func (m LinearModel) Intercept(sd float64) LinearModel { m.intercept = sd; return m }

// String describes the model.
func (m LinearModel) String() string { return "linear regression " + safetext.Quote(m.text) }

func (m LinearModel) describe() Description { return m.described("linear", m.target) }

func (m LinearModel) of(text string) Model { return Linear(text) }

// with takes the response of a formula from the formula: a file that names another one is refused.
func (m LinearModel) with(d Description) Model {
	m = Linear(d.Formula)
	m.slopes, m.intercept = d.Slopes, d.Intercept
	return m
}

func (m LinearModel) columns(s *frame.Schema) ([]frame.Column, error) {
	return m.resolved(m, s, "in half-ranges of the response")
}

// response is a numeric column with public bounds.
func (m LinearModel) response(of named) (frame.Column, error) {
	if c, err := of.column(m.target); err == nil && c.Kind == frame.KindCategorical && c.Levels() == 2 {
		return *c, wrong(m, m.target, "a categorical column of two categories", "an integer or real column, or Logistic")
	}
	return bounded(m, of, m.target)
}

// Formula is the public side of a regression by a formula: its columns, and every distinct product of two of them.
type Formula struct {
	*formula.Design
	Text     string
	Places   [][][2]int // those of every product in XᵀX
	Constant int        // the product that is 1, −1 where there is none
	// Slopes and InterceptSD are deviations of the prior, in half-ranges of the response.
	Slopes, InterceptSD float64

	numbers, factors []int  // places of columns of the shape
	own              []bool // numbers that coefficients are of in their own units
}

// layOut names the sums of the distinct products, of products with the response, and of its square.
func (m LinearModel) layOut(sh *Shape) error {
	f, err := m.coded(m, sh)
	if err != nil {
		return err
	}
	y := sh.columns[0]
	for _, at := range f.Places {
		sh.sums = append(sh.sums, fmt.Sprintf("Σ %s·%s", f.Names[at[0][0]], f.Names[at[0][1]]))
	}
	for _, a := range f.Names {
		sh.sums = append(sh.sums, fmt.Sprintf("Σ %s·%s", a, y.Name))
	}
	sh.sums = append(sh.sums, fmt.Sprintf("Σ %s²", y.Name))
	sh.linear.Y = leastsquares.Range{Lo: y.Min, Hi: y.Max}
	return nil
}

// coded sets the design of a formula on the columns of a shape, with a response in [−1, 1].
func (f byFormula) coded(m Model, sh *Shape) (*Formula, error) {
	at := 0
	design, err := f.formula.Code(func(string) ([]string, error) {
		if at++; sh.columns[at].Numeric() {
			return nil, nil
		}
		return sh.columns[at].Labels(), nil
	})
	if err != nil {
		return nil, err
	}
	for i, a := range design.Names {
		if slices.Contains(design.Names[:i], a) {
			return nil, wrong(m, a, "the name of two coefficients", "a column that is not called like a level of a factor")
		}
	}
	out := &Formula{Design: design, Text: f.text, Constant: -1, Slopes: f.slopes, InterceptSD: f.intercept}
	for i, c := range sh.columns[1:] {
		if c.Numeric() {
			out.numbers = append(out.numbers, i+1)
		} else {
			out.factors = append(out.factors, i+1)
		}
	}
	for j := range out.numbers {
		out.own = append(out.own, out.owned(j))
	}
	products, places := gram.Products(design.Columns, true)
	out.Places = places
	for k := range products {
		if constant(products[k]) {
			out.Constant = k
		}
	}
	sh.linear = &RegressionDesign{Formula: out, Y: leastsquares.Range{Lo: -1, Hi: 1}, weights: design.Names,
		Intercept: constant(design.Columns[0])}
	return out, nil
}

// fitPlain draws from the Gaussian posterior at the residual variance, under the prior of the slopes.
func (m LinearModel) fitPlain(st *Statistics) (*Fitted, error) {
	return fitPlane(st, 1/(float64(st.shape.linear.Square())*m.slopes*m.slopes))
}

func (m LinearModel) words() Words {
	w := m.ofPlane.words()
	w.Source = "slopes from the model's prior, the intercept and columns uniform"
	return w
}

// Square is D, the greatest squared norm of a row before scaling.
func (l *RegressionDesign) Square() int {
	if l.Formula != nil {
		return len(l.Formula.Terms)
	}
	return l.Design.Square()
}

// Product is the number of the product of two columns among Places.
func (f *Formula) Product(of [2]int) int {
	return slices.IndexFunc(f.Places, func(at [][2]int) bool { return slices.Contains(at, of) })
}

func constant(c gram.Column) bool { return len(c.Powers)+len(c.Levels) == 0 }

// unit is what columns of a formula are multiplied by: 1/√D.
func (f *Formula) unit() float64 { return 1 / math.Sqrt(float64(len(f.Terms))) }
