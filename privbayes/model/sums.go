package model

import (
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// ofSums is what models made of sums over rows have in common: estimates of them are draws of the parameters.
type ofSums struct{ base }

func (ofSums) fit(sh *Shape, e Estimate) (*Fitted, error) {
	if e.Draws == nil {
		return nil, wrong(sh.model, "", "an estimate without draws", "draws of the parameters")
	}
	return &Fitted{shape: sh, draws: e.Draws}, nil
}

func (ofSums) guess(*Fitted, *frame.Frame) (float64, error) { return 0, nil }

// parameter checks the single hyperparameter of a model of sums, which has a name.
func (b ofSums) parameter(m Model, name string) error {
	if want, ok := b.alpha.valid(1, true); !ok {
		return wrong(m, "", fmt.Sprintf("%s = %s", name, b.alpha), want)
	}
	return nil
}

// bounded is a numeric column with public bounds and no missing values.
func bounded(m Model, of named, name string) (frame.Column, error) {
	c, err := of.column(name)
	if err != nil {
		return frame.Column{}, err
	}
	switch {
	case !c.Numeric():
		return *c, wrong(m, name, fmt.Sprintf("a %s column", c.Kind), "an integer or real column")
	case !(c.Min < c.Max) || math.IsInf(c.Max-c.Min, 0):
		return *c, wrong(m, name, fmt.Sprintf("bounds [%v, %v]", c.Min, c.Max), "finite public bounds in the schema")
	case c.HasMissing():
		return *c, wrong(m, name, "missing values as a category", "a column without missing values")
	}
	return *c, nil
}

// heldOut are the values of a column of held-out rows, at least one.
func (f *Fitted) heldOut(x *frame.Frame, column string) ([]float64, error) {
	values, err := x.Values(column)
	if err == nil && len(values) == 0 {
		err = wrong(f.shape.model, "", "no rows", "at least one held-out row")
	}
	return values, err
}

// unseen reports whether rows are absent, where that is private.
func unseen(x *frame.Frame) bool {
	_, public := x.PublicN()
	return !public && x.Len() == 0
}
