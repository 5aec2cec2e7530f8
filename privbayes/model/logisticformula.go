package model

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// LogisticModel is a logistic regression by a formula: see Logistic.
type LogisticModel struct {
	ofOdds
	byFormula
}

// Logistic is the logistic regression of a formula such as "income ~ education*sex + poly(age, 2)": the log-odds of the
// second level of its response, a column of two. Columns are coded as in Linear. The prior of a coefficient, in
// log-odds for half of its column's range, is N(0, 2²), that of the intercept N(0, 5²): Slopes and Intercept set other
// deviations.
//
// FisherScoring takes it, and ContingencyTable where all columns are categorical. The formula needs an intercept, and
// every number and factor of an interaction or a power in a term of its own: the moments of these say how rows are
// distributed. Others are refused with *formula.Error, where the model meets its schema.
func Logistic(text string) LogisticModel {
	f, target := parsed(text, 2)
	return LogisticModel{ofOdds{ofSums{base{target: target}}}, f}
}

// Slopes sets the standard deviation > 0 of the prior of every coefficient but the intercept, in log-odds for half of a
// column's range: a public choice.
func (m LogisticModel) Slopes(sd float64) LogisticModel { m.slopes = sd; return m }

// Intercept sets the standard deviation > 0 of the prior of the intercept, in log-odds: a public choice.
func (m LogisticModel) Intercept(sd float64) LogisticModel { m.intercept = sd; return m }

// String describes the model.
func (m LogisticModel) String() string { return "logistic regression " + safetext.Quote(m.text) }

func (m LogisticModel) describe() Description { return m.described("logistic", m.target) }

func (m LogisticModel) of(text string) Model { return Logistic(text) }

// with takes the response of a formula from the formula: a file that names another one is refused.
func (m LogisticModel) with(d Description) Model {
	m = Logistic(d.Formula)
	m.slopes, m.intercept = d.Slopes, d.Intercept
	return m
}

func (m LogisticModel) columns(s *frame.Schema) ([]frame.Column, error) {
	return m.resolved(m, s, "in log-odds for half of a column's range")
}

// response is a column of two classes.
func (m LogisticModel) response(of named) (frame.Column, error) { return classes(m, of) }

func (m LogisticModel) layOut(sh *Shape) error { return m.layOutSteps(m, sh) }

// layOutSteps names what a first reading sums up: products of columns, with the weight of a row, and columns times the
// residual.
func (f byFormula) layOutSteps(m Model, sh *Shape) error {
	out, err := f.coded(m, sh)
	if err != nil {
		return err
	}
	if err := f.formula.Hierarchical(out.Design); err != nil {
		return err
	}
	for _, at := range out.Places {
		sh.sums = append(sh.sums, fmt.Sprintf("Σ weight·%s·%s", out.Names[at[0][0]], out.Names[at[0][1]]))
	}
	for _, a := range out.Names {
		sh.sums = append(sh.sums, fmt.Sprintf("Σ residual·%s", a))
	}
	return nil
}

func (m LogisticModel) summer(sh *Shape) (summer, error) { return newFormulaSums(sh), nil }

func (m LogisticModel) fitPlain(st *Statistics) (*Fitted, error) { return fitLikelihood(st) }

func (m LogisticModel) words() Words {
	w := m.ofOdds.words()
	w.Source = "none, since rows are read several times"
	return w
}

func (m LogisticModel) steps(*Shape, int) float64 { return 0 }

func (m LogisticModel) simulate(context.Context, *Shape, int, float64, rand.Source) (*Statistics, error) {
	return nil, noRows(m)
}

// noRows says that a model of rows that are read several times has no statistics without them.
func noRows(m Model) error {
	return wrong(m, "", "sums without rows", "a frame or a source, whose rows are read several times")
}
