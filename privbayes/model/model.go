// Package model holds the models that are fitted to a table. Categorical, binary, contingency table, naive Bayes and
// Bayesian network models are made of count tables. Means, one-parameter rates, linear and logistic regression are made
// of sums.
//
// A [Model] with a schema and n gives a [Shape], which is public and all that planning needs. With a frame it gives
// [Statistics], which are private. Only a mechanism's draw can open them. From an [Estimate] it gives a [Fitted] model,
// which predicts, summarises and synthesises the same way whether the counts are raw or private.
//
// # Adding a model
//
// A model is a type of this package, in a file of its own, that embeds ofCounts or ofSums: what models made of count
// tables, or of sums over rows, have in common. The file says what is particular: the parameters with their With
// methods, the columns and tables or sums that a schema gives, what a row adds to the sums, the fit, and what differs
// in predicting, scoring, simulating and showing. The type joins the list kinds (description.go), by which files and
// the command line know it, and package privbayes gives its constructor a name. Nothing else asks which model it has:
// mechanisms, releases, reports and advice ask a Shape what it is made of and a Fitted what it can do.
package model

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// Model is the public description of a model: which columns it uses and its prior. The types of this package are all
// there are; make one with Categorical, Binary, ContingencyTable, Histogram, CDF, NaiveBayes, Network, Mean, Means,
// MeanSD, GroupMeans, Quantiles, Poisson, Exponential, LaplaceScale, NormalPrecision, LinearRegression or
// LogisticRegression.
type Model interface {
	// String describes the model; the target is quoted: naive Bayes of "Class".
	fmt.Stringer
	// Target is the column that is modelled: the class of a classifier, the response of a regression.
	Target() string
	// Prior holds the prior hyperparameters.
	Prior() Prior

	describe() Description
	with(d Description) Model // the same type of model with the parameters of d

	columns(s *frame.Schema) ([]frame.Column, error) // resolved and checked: the target first
	layOut(sh *Shape) error                          // sets the tables or sums
	summer(sh *Shape) (summer, error)                // of models of sums
	fit(sh *Shape, e Estimate) (*Fitted, error)
	fitPlain(st *Statistics) (*Fitted, error) // without privacy

	words() Words
	measure(f, np *Fitted, x *frame.Frame) ([]float64, error)               // Fitted.Measure
	guess(np *Fitted, x *frame.Frame) (value float64, err error)            // the first measure of Words.Guess
	scores(f *Fitted, x *frame.Frame) ([]Score, error)                      // Fitted.Scores
	means(f *Fitted) [][]float64                                            // Fitted.Means
	distance(sh *Shape, plain, released [][]float64) (absolute, kl float64) // Shape.Distance
	figure(f, np *Fitted, caption string) *figure.Figure                    // Fitted.Figure
	steps(sh *Shape, n int) float64                                         // of simulate
	simulate(ctx context.Context, sh *Shape, n int, a0 float64, src rand.Source) (*Statistics, error)
}

// Words are what people read about a kind of model.
type Words struct {
	Measures []string // what Fitted.Measure gives; comparisons are drawn by the first
	LogScale bool     // whether they are drawn on a logarithmic scale
	Guess    string   // what predicts the target without the features, "" where there is nothing
	Headline string   // the score that a report is headed by, and
	Score    string   // its name among Fitted.Scores or the scores of class probabilities
	Axis     string   // that name with its unit, where it has one
	Bars     string   // the title of that score's figure, "" for none
	Public   string   // the public choice of a schema that must not be made by scores
	Error    string   // what Shape.Distance is the error of
	Source   string   // the prior that Shape.Simulate draws from, with a verb for the hyperparameter if it has one
}

// base is what every model has.
type base struct {
	target string
	alpha  Prior
}

// Target is the column that is modelled.
func (b base) Target() string { return b.target }

// Prior holds the prior hyperparameters.
func (b base) Prior() Prior { return b.alpha }

// Error is a model that does not fit its schema or its prior's domain.
type Error struct {
	Model  string // Model.String()
	Column string // the column at fault, if any
	Value  any
	Want   string
}

// wrong says what a model, or one of its columns if it is named, has in place of what is wanted.
func wrong(m Model, column string, value any, want string) *Error {
	return &Error{Model: m.String(), Column: column, Value: value, Want: want}
}

// levelsOf is how many bins or categories a column has, in words.
func levelsOf(c frame.Column) string {
	one, many := "category", "categories"
	if c.Numeric() {
		one, many = "bin", "bins"
	}
	if l := c.Levels(); l != 1 {
		return fmt.Sprintf("%d %s", l, many)
	}
	return "one " + one
}

// twoLevels is what a model of counts wants of a column that has one level.
func twoLevels(c frame.Column) string {
	if c.Numeric() {
		return `at least two bins in the schema: public "edges", such as 0, 18, 65, 120`
	}
	return "at least two categories or bins in the schema"
}

func (e *Error) Error() string {
	s := "model: " + e.Model
	if e.Column != "" {
		s += ": column " + safetext.Short(e.Column)
	}
	if e.Value != nil {
		s += ": " + safetext.Line(fmt.Sprint(e.Value))
	}
	return s + "; want " + e.Want
}

// Prior holds prior hyperparameters, all > 0: one value for every cell, or, for a single posterior, one per level of
// the target in the schema's order.
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
	if string(b) == "null" {
		return nil
	}
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

// named finds columns of a schema by name: as frame.Schema.Column, in a time that does not grow with the number of
// columns.
type named struct {
	schema *frame.Schema
	places map[string]int
}

func nameColumns(s *frame.Schema) named {
	places := make(map[string]int, len(s.Columns))
	for i := range s.Columns {
		places[s.Columns[i].Name] = i
	}
	return named{s, places}
}

// column is the column of a name. Error: *frame.ColumnError.
func (n named) column(name string) (*frame.Column, error) {
	if i, ok := n.places[name]; ok {
		return &n.schema.Columns[i], nil
	}
	_, _, err := n.schema.Column(name)
	return nil, err
}
