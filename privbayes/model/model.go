// Package model says what is inferred: categorical, binary, naive Bayes and Bayesian network models made of count tables, and models of
// numbers made of sums: one-parameter rates and linear regression.
//
// A [Model] with a schema and n gives a [Shape], which is public and all that planning needs. With a frame it gives [Statistics],
// which are private and sealed: only a mechanism's draw opens them. From estimated counts it gives a [Fitted] model, which
// predicts, summarises and synthesises the same way whether the counts are raw or private.
//
// Place: above frame, posterior and bayesnet; mechanisms plan from its shapes and draw from its statistics.
package model

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/internal/label"
)

// Kind names a family of models.
type Kind string

// The kinds of model.
const (
	KindCategorical Kind = "categorical"
	KindBinary      Kind = "binary"
	KindNaiveBayes  Kind = "naive-bayes"
	KindNetwork     Kind = "network"

	KindExponential      Kind = "exponential"
	KindLaplaceScale     Kind = "laplace-scale"
	KindNormalPrecision  Kind = "normal-precision"
	KindLinearRegression Kind = "linear-regression"
)

// Counts reports whether a model of this kind is made of count tables; the others are made of sums over rows.
func (k Kind) Counts() bool { return !k.rate() && k != KindLinearRegression }

// Model is the public description of a model: which columns it uses and its prior. Build one with Categorical, Binary or
// NaiveBayes.
type Model struct {
	Kind     Kind     `json:"kind"`
	Target   string   `json:"target"`             // the column (categorical, binary) or the class (naive Bayes)
	Features []string `json:"features,omitempty"` // naive Bayes; empty means every other column of the schema, in its order
	Families []Family `json:"families,omitempty"` // network: every node with its parents
	Alpha    Prior    `json:"alpha"`              // prior hyperparameters

	EveryFamily bool `json:"every_family,omitempty"` // network: measure every family's table, not only the maximal ones'

	Range       []float64 `json:"range,omitempty"`        // rate: the two ends of the parameter's range
	Center      float64   `json:"center,omitempty"`       // Laplace scale, normal precision: the known location
	Radius      float64   `json:"radius,omitempty"`       // linear regression: ‖w‖ ≤ Radius, in scaled units
	NoIntercept bool      `json:"no_intercept,omitempty"` // linear regression
}

// Prior holds prior hyperparameters, all > 0: one value for every cell, or, for a single posterior, one per level of the target in the
// schema's order.
type Prior []float64

// MarshalJSON writes a single value as a number.
func (p Prior) MarshalJSON() ([]byte, error) {
	if len(p) == 1 {
		return json.Marshal(p[0])
	}
	return json.Marshal([]float64(p))
}

// UnmarshalJSON reads a number or a list.
func (p *Prior) UnmarshalJSON(b []byte) error {
	var one float64
	if json.Unmarshal(b, &one) == nil {
		*p = Prior{one}
		return nil
	}
	var list []float64
	if err := json.Unmarshal(b, &list); err != nil {
		return err
	}
	*p = list
	return nil
}

// At is the hyperparameter of cell i.
func (p Prior) At(i int) float64 {
	if len(p) == 1 {
		return p[0]
	}
	return p[i]
}

// String shows the hyperparameters, separated by commas.
func (p Prior) String() string {
	words := make([]string, len(p))
	for i, a := range p {
		words[i] = fmt.Sprint(a)
	}
	return strings.Join(words, ", ")
}

// valid checks the values against the number of cells they are for.
func (p Prior) valid(cells int, single bool) (want string, ok bool) {
	if len(p) != 1 && (!single || len(p) != cells) {
		want = "one prior hyperparameter"
		if single {
			want += fmt.Sprintf(", or one for each of the %d levels", cells)
		}
		return want, false
	}
	for _, a := range p {
		if !(a > 0) || math.IsInf(a, 1) {
			return "finite α > 0", false
		}
	}
	return "", true
}

// Categorical is the Dirichlet posterior of one column, under the prior Dirichlet(α, …, α) with α = 1.
func Categorical(column string) Model {
	return Model{Kind: KindCategorical, Target: column, Alpha: Prior{1}}
}

// Binary is the Beta posterior of a column with two levels, under the prior Beta(α, α) with α = 1.
func Binary(column string) Model { return Model{Kind: KindBinary, Target: column, Alpha: Prior{1}} }

// NaiveBayes is the classifier P(class) ∏_k P(x_k | class) with a Dirichlet(α, …, α) prior, α = 1, on the class and on every
// conditional. Without features it uses every other column of the schema that is not a sequence.
func NaiveBayes(class string, features ...string) Model {
	return Model{Kind: KindNaiveBayes, Target: class, Features: features, Alpha: Prior{1}}
}

// WithPrior returns the model with another prior: one hyperparameter α > 0 for every cell, or, for Categorical and Binary, one per
// level in the schema's order, such as WithPrior(7, 4) for Beta(7, 4). α is public: choose it without the data.
func (m Model) WithPrior(alpha ...float64) Model { m.Alpha = append(Prior(nil), alpha...); return m }

// String describes the model; the target is quoted: naive Bayes of "Class".
func (m Model) String() string {
	target := label.Quote(m.Target)
	switch m.Kind {
	case KindNaiveBayes:
		return "naive Bayes of " + target
	case KindLinearRegression:
		return "linear regression of " + target
	case KindExponential, KindLaplaceScale, KindNormalPrecision:
		return fmt.Sprintf("%s rate of %s", strings.ReplaceAll(string(m.Kind), "-", " "), target)
	case KindNetwork:
		return fmt.Sprintf("network of %d nodes, target %s", len(m.Families), target)
	default:
		return fmt.Sprintf("%s posterior of %s", label.Word(string(m.Kind)), target)
	}
}

// Error is a model that does not fit its schema or its prior's domain.
type Error struct {
	Model  string // Model.String()
	Column string // the column at fault, if any
	Value  any
	Want   string
}

func (e *Error) Error() string {
	s := "model: " + e.Model
	if e.Column != "" {
		s += ": column " + label.Short(e.Column)
	}
	if e.Value != nil {
		s += ": " + label.Line(fmt.Sprint(e.Value))
	}
	return s + "; want " + e.Want
}

// columns resolves and checks the model's columns against a schema: the target first, then the features.
func (m Model) columns(s *frame.Schema) ([]frame.Column, error) {
	switch {
	case m.Kind.rate():
		return m.rateColumns(s)
	case m.Kind == KindLinearRegression:
		return m.regressionColumns(s)
	}
	target, _, err := s.Column(m.Target)
	if err != nil {
		return nil, err
	}
	if want, ok := m.Alpha.valid(target.Levels(), m.Kind != KindNaiveBayes && m.Kind != KindNetwork); !ok {
		return nil, &Error{Model: m.String(), Value: fmt.Sprintf("prior hyperparameter α = %s", m.Alpha), Want: want}
	}
	if target.Kind == frame.KindSequence {
		return nil, &Error{Model: m.String(), Column: m.Target, Value: "a sequence column", Want: "a categorical, integer or real column"}
	}
	if l := target.Levels(); l < 2 {
		return nil, &Error{Model: m.String(), Column: m.Target, Value: fmt.Sprintf("%d level", l), Want: "at least two categories or bins in the schema"}
	}
	cols := []frame.Column{*target}
	switch m.Kind {
	case KindCategorical:
		return cols, nil
	case KindBinary:
		if l := target.Levels(); l != 2 {
			return nil, &Error{Model: m.String(), Column: m.Target, Value: fmt.Sprintf("%d levels", l), Want: "exactly two; use Categorical for more"}
		}
		return cols, nil
	case KindNaiveBayes:
	case KindNetwork:
		return m.networkColumns(s)
	default:
		return nil, &Error{Model: label.Short(string(m.Kind)), Value: "unknown kind", Want: "categorical, binary, naive-bayes or network"}
	}
	names := m.Features
	if len(names) == 0 {
		for _, c := range s.Columns {
			if c.Name != m.Target && c.Kind != frame.KindSequence {
				names = append(names, c.Name)
			}
		}
	}
	if len(names) == 0 {
		return nil, &Error{Model: m.String(), Want: "at least one feature column besides the class"}
	}
	seen, of := map[string]bool{m.Target: true}, nameColumns(s)
	for _, name := range names {
		c, err := of.column(name)
		if err != nil {
			return nil, err
		}
		if seen[name] {
			return nil, &Error{Model: m.String(), Column: name, Value: "named twice", Want: "each column once, and the class not among the features"}
		}
		if c.Kind == frame.KindSequence {
			return nil, &Error{Model: m.String(), Column: name, Value: "a sequence column", Want: "categorical, integer or real features"}
		}
		if l := c.Levels(); l < 2 {
			return nil, &Error{Model: m.String(), Column: name, Value: fmt.Sprintf("%d level", l), Want: "at least two categories or bins in the schema; leave a constant feature out"}
		}
		seen[name] = true
		cols = append(cols, *c)
	}
	return cols, nil
}
