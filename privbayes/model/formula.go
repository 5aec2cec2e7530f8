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

// LinearModel is a linear regression by a formula: see Linear.
type LinearModel struct {
	ofPlane
	text              string // canonical where it is a formula
	formula           *formula.Formula
	refused           error
	slopes, intercept float64
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
	m := LinearModel{text: text, slopes: 1, intercept: 5}
	if m.formula, m.refused = formula.Parse(text); m.refused == nil {
		m.text, m.target = m.formula.String(), m.formula.Response()
	}
	return m
}

// Slopes sets the standard deviation > 0 of the prior of every coefficient but the intercept, in half-ranges of the
// response: a public choice.
func (m LinearModel) Slopes(sd float64) LinearModel { m.slopes = sd; return m }

// Intercept sets the standard deviation > 0 of the prior of the intercept, in half-ranges of the response: a public
// choice.
func (m LinearModel) Intercept(sd float64) LinearModel { m.intercept = sd; return m }

// String describes the model.
func (m LinearModel) String() string { return "linear regression " + safetext.Quote(m.text) }

func (m LinearModel) describe() Description {
	return Description{Kind: "linear", Target: m.target, Formula: m.text, Slopes: m.slopes, Intercept: m.intercept}
}

// with takes the response of a formula from the formula: a file that names another one is refused.
func (m LinearModel) with(d Description) Model {
	m = Linear(d.Formula)
	m.slopes, m.intercept = d.Slopes, d.Intercept
	return m
}

// columns are the response and the columns of the formula.
func (m LinearModel) columns(s *frame.Schema) ([]frame.Column, error) {
	if m.refused != nil {
		return nil, m.refused
	}
	if sd := []float64{m.slopes, m.intercept}; !(slices.Min(sd) >= minDeviation && slices.Max(sd) <= maxDeviation) {
		return nil, wrong(m, "", fmt.Sprintf("deviations %v of slopes and %v of the intercept", m.slopes, m.intercept),
			fmt.Sprintf("%g to %g, in half-ranges of the response", minDeviation, maxDeviation))
	}
	of := nameColumns(s)
	y, err := m.response(of)
	if err != nil {
		return nil, err
	}
	cols := []frame.Column{y}
	_, err = m.formula.Code(func(name string) ([]string, error) {
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

// response is a numeric column with public bounds.
func (m LinearModel) response(of named) (frame.Column, error) { return bounded(m, of, m.target) }

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
	at := 0
	design, err := m.formula.Code(func(string) ([]string, error) {
		if at++; sh.columns[at].Numeric() {
			return nil, nil
		}
		return sh.columns[at].Labels(), nil
	})
	if err != nil {
		return err
	}
	f := &Formula{Design: design, Text: m.text, Constant: -1, Slopes: m.slopes, InterceptSD: m.intercept}
	for i, c := range sh.columns[1:] {
		if c.Numeric() {
			f.numbers = append(f.numbers, i+1)
		} else {
			f.factors = append(f.factors, i+1)
		}
	}
	for j := range f.numbers {
		f.own = append(f.own, f.owned(j))
	}
	products, places := gram.Products(design.Columns, true)
	f.Places = places
	for k, at := range f.Places {
		a, b := design.Names[at[0][0]], design.Names[at[0][1]]
		if sh.sums = append(sh.sums, fmt.Sprintf("Σ %s·%s", a, b)); constant(products[k]) {
			f.Constant = k
		}
	}
	y := sh.columns[0]
	for i, a := range design.Names {
		for _, b := range design.Names[:i] {
			if a == b {
				return wrong(m, a, "the name of two coefficients", "a column that is not called like a level of a factor")
			}
		}
		sh.sums = append(sh.sums, fmt.Sprintf("Σ %s·%s", a, y.Name))
	}
	sh.sums = append(sh.sums, fmt.Sprintf("Σ %s²", y.Name))
	sh.linear = &RegressionDesign{Formula: f, Y: leastsquares.Range{Lo: y.Min, Hi: y.Max}, weights: design.Names,
		Intercept: constant(design.Columns[0])}
	return nil
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

func constant(c gram.Column) bool { return len(c.Powers)+len(c.Levels) == 0 }

// unit is what columns of a formula are multiplied by: 1/√D.
func (f *Formula) unit() float64 { return 1 / math.Sqrt(float64(len(f.Terms))) }
