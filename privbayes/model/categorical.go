package model

import (
	"fmt"
	"slices"

	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// CategoricalModel is the Dirichlet posterior of one column: see Categorical and Binary.
type CategoricalModel struct {
	ofCounts
	binary bool
}

// Categorical is the Dirichlet posterior of one column, under the prior Dirichlet(α, …, α) with α = 1.
func Categorical(column string) CategoricalModel {
	return CategoricalModel{ofCounts: ofCounts{base{column, Prior{1}}}}
}

// Binary is the Beta posterior of a column with two levels, under the prior Beta(α, α) with α = 1.
func Binary(column string) CategoricalModel {
	m := Categorical(column)
	m.binary = true
	return m
}

// WithPrior sets the prior: one hyperparameter α > 0 for every level, or one per level in the schema's order, such as
// WithPrior(7, 4) for Beta(7, 4). α is public: choose it without the data.
func (m CategoricalModel) WithPrior(alpha ...float64) CategoricalModel {
	m.alpha = slices.Clone(alpha)
	return m
}

// String describes the model.
func (m CategoricalModel) String() string {
	return fmt.Sprintf("%s posterior of %s", m.describe().Kind, safetext.Quote(m.target))
}

func (m CategoricalModel) describe() Description {
	d := Description{Kind: "categorical", Target: m.target, Alpha: m.alpha}
	if m.binary {
		d.Kind = "binary"
	}
	return d
}

func (m CategoricalModel) with(d Description) Model { m.target, m.alpha = d.Target, d.Alpha; return m }

func (m CategoricalModel) columns(s *frame.Schema) ([]frame.Column, error) {
	c, err := targetColumn(m, s, true)
	if err != nil {
		return nil, err
	}
	if l := c.Levels(); m.binary && l != 2 {
		return nil, wrong(m, m.target, fmt.Sprintf("%d levels", l), "exactly two; use Categorical for more")
	}
	return []frame.Column{*c}, nil
}
