package model

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/privbayes/privbayes-go/internal/label"
)

// kinds lists the models, one of each kind, as their constructors make them.
var kinds = []Model{
	Categorical(""), Binary(""), NaiveBayes(""), Network(""),
	Exponential(""), LaplaceScale("", 0), NormalPrecision("", 0), LinearRegression(""),
}

// Description is a model as it is written in files: the name of its kind and its parameters.
type Description struct {
	Kind     string   `json:"kind"`
	Target   string   `json:"target"`             // the column that is modelled
	Features []string `json:"features,omitempty"` // naive Bayes, linear regression; empty means every other column that fits, in the schema's order
	Families []Family `json:"families,omitempty"` // network: every node with its parents
	Alpha    Prior    `json:"alpha"`              // prior hyperparameters

	EveryFamily bool `json:"every_family,omitempty"` // network: measure every family's table, not only the maximal ones'

	Range       []float64 `json:"range,omitempty"`        // rate: the two ends of the parameter's range
	Center      float64   `json:"center,omitempty"`       // Laplace scale, normal precision: the known location
	Radius      float64   `json:"radius,omitempty"`       // linear regression: ‖w‖ ≤ Radius, in scaled units
	NoIntercept bool      `json:"no_intercept,omitempty"` // linear regression
}

// Describe is the description of a kind of model with the parameters that its constructor gives it, to be filled in. Error: *Error, which
// lists the kinds.
func Describe(kind string) (Description, error) {
	var names []string
	for _, m := range kinds {
		d := m.describe()
		if d.Kind == kind {
			return d, nil
		}
		names = append(names, d.Kind)
	}
	last := len(names) - 1
	return Description{}, &Error{Model: label.Short(kind), Value: "unknown kind", Want: strings.Join(names[:last], ", ") + " or " + names[last]}
}

// Model makes the model. Errors: *Error for an unknown kind, and for parameters that it does not have.
func (d Description) Model() (Model, error) {
	if _, err := Describe(d.Kind); err != nil {
		return nil, err
	}
	for _, m := range kinds {
		if m.describe().Kind != d.Kind {
			continue
		}
		m = m.with(d)
		if again := m.describe(); !reflect.DeepEqual(again, d) {
			return nil, &Error{Model: m.String(), Value: "parameters of another model", Want: fmt.Sprintf("those of %s only", d.Kind)}
		}
		return m, nil
	}
	return nil, nil
}
