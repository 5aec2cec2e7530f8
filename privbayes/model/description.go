package model

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/internal/safetext"
)

// kinds lists the models, one of each kind, as their constructors make them; a learned structure without its bounds,
// which files from before do not state.
var kinds = []Model{
	Categorical(""), Binary(""), NaiveBayes(""), Network(""), learned(LearnedSettings{Algorithm: Pairs}),
	ContingencyTable(""), Histogram(""), CDF(""),
	Mean(""), Means(""), MeanSD(""), MeanSD("").Latent(), GroupMeans("", ""), Quantiles(""), Poisson(""),
	Exponential(""), LaplaceScale("", 0), NormalPrecision("", 0), LinearRegression(""),
	LogisticRegression(""), Linear(""), Logistic(""), PoissonRegression(""),
	weightedOf(weightedMean, "", nil), weightedOf(weightedGroups, "", nil), weightedOf(weightedTable, "", nil),
	weightedOfQuantiles("", .25, .5, .75), Total(""), stratifiedOf(false, ""), stratifiedOf(true, ""),
}

// sealed reports whether a model is a value of this package: neither a pointer to one nor a type that embeds one, whose
// methods could say something else than its description.
func sealed(m Model) bool {
	return slices.ContainsFunc(kinds, func(k Model) bool { return reflect.TypeOf(k) == reflect.TypeOf(m) })
}

// Description is a model as it is written in files: the name of its kind and its parameters.
type Description struct {
	Kind     string   `json:"kind"`
	Target   string   `json:"target"`             // the column that is modelled
	Features []string `json:"features,omitempty"` // naive Bayes, regression; empty: all others that fit; means, table: the others; group means, total: the groups
	Families []Family `json:"families,omitempty"` // network: every node with its parents
	Alpha    Prior    `json:"alpha"`              // prior hyperparameters

	EveryFamily     bool `json:"every_family,omitempty"`     // network: see NetworkModel.WithEveryFamily
	IndependentRows bool `json:"independent_rows,omitempty"` // network: WithPrior(1), and not the default prior

	Learned *LearnedSettings `json:"learned,omitempty"` // learned: its public choices; Features: its columns

	Range       []float64 `json:"range,omitempty"`        // rate, Poisson: the two ends of the parameter's range
	Resolution  int64     `json:"resolution,omitempty"`   // means, rate: steps of the lattice; 0: the usual
	Quantiles   []float64 `json:"quantiles,omitempty"`    // quantiles: p, increasing
	Center      float64   `json:"center,omitempty"`       // Laplace scale, normal precision: the known location
	Radius      float64   `json:"radius,omitempty"`       // linear regression: ‖w‖ ≤ Radius, in scaled units
	NoIntercept bool      `json:"no_intercept,omitempty"` // linear regression

	// linear: the canonical text, and the deviations of priors in half-ranges of the response
	Formula   string  `json:"formula,omitempty"`
	Slopes    float64 `json:"slopes,omitempty"`
	Intercept float64 `json:"intercept,omitempty"`
}

// Describe is the description of a kind of model with the parameters that its constructor gives it, to be filled in.
// Error: *Error, which lists the kinds.
func Describe(kind string) (Description, error) {
	m, err := ofKind(kind)
	if err != nil {
		return Description{}, err
	}
	d := m.describe()
	d.Alpha, d.Quantiles = slices.Clone(d.Alpha), slices.Clone(d.Quantiles) // the defaults stay this package's own
	return d, nil
}

// Kinds are the names of the kinds of models, as files and the command line have them.
func Kinds() []string {
	names := make([]string, len(kinds))
	for i, m := range kinds {
		names[i] = m.describe().Kind
	}
	return names
}

// byText is a kind of model that takes a formula.
type byText interface {
	Model
	of(text string) Model
}

// ByFormula reports whether a kind of model takes a formula.
func ByFormula(kind string) bool {
	m, err := ofKind(kind)
	_, ok := m.(byText)
	return ok && err == nil
}

// OfFormula describes the model of a formula, of a kind that takes one. Error: *Error for another kind.
func OfFormula(kind, text string) (Description, error) {
	m, err := ofKind(kind)
	if of, ok := m.(byText); ok && err == nil {
		return of.of(text).describe(), nil
	}
	return Description{}, &Error{Model: safetext.Short(kind), Value: "a formula", Want: "linear, logistic or " +
		"poisson-regression"}
}

func ofKind(kind string) (Model, error) {
	names := Kinds()
	if i := slices.Index(names, kind); i >= 0 {
		return kinds[i], nil
	}
	want := strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
	if near := safetext.Closest(kind, names); near != "" {
		want += "; did you mean " + near + "?"
	}
	return nil, &Error{Model: safetext.Short(kind), Value: "unknown kind", Want: want}
}

// Model makes the model. Errors: *Error for an unknown kind, and for parameters that it does not have.
func (d Description) Model() (Model, error) {
	m, err := ofKind(d.Kind)
	if err != nil {
		return nil, err
	}
	m = m.with(d)
	if groups, ok := m.(GroupMeansModel); ok && len(d.Features) != 1 {
		return nil, wrong(groups, "", fmt.Sprintf("%d columns of groups", len(d.Features)), "one")
	}
	if !reflect.DeepEqual(m.describe(), d) {
		return nil, wrong(m, "", "parameters of another model", fmt.Sprintf("those of %s only", d.Kind))
	}
	return m, nil
}

// Expression is the Go expression that makes a model, such as NaiveBayes("Class").WithPrior(1).
func Expression(m Model) string {
	if l, ok := m.(LearnedModel); ok {
		return l.expression()
	}
	d := m.describe()
	args := quoted(append([]string{d.Target}, d.Features...))
	if ByFormula(d.Kind) {
		args = quoted([]string{d.Formula})
	}
	for _, f := range d.Families {
		args = append(args, "Node("+strings.Join(quoted(append([]string{f.Node}, f.Parents...)), ", ")+")")
	}
	if r, ok := m.(RateModel); ok && r.law != exponential {
		args = append(args, fmt.Sprint(d.Center))
	}
	for _, p := range d.Quantiles {
		args = append(args, fmt.Sprint(p))
	}
	constructor, kind := "", d.Kind
	if kind == latentNormal {
		kind = MeanSD("").describe().Kind
	}
	for _, word := range strings.Split(strings.TrimPrefix(strings.TrimPrefix(kind, "weighted-"), "stratified-"), "-") {
		if word == "sd" || word == "cdf" {
			word = strings.ToUpper(word)
		}
		constructor += strings.ToUpper(word[:1]) + word[1:]
	}
	s := fmt.Sprintf("%s(%s)", constructor, strings.Join(args, ", "))
	if network, ok := m.(NetworkModel); len(d.Alpha) > 0 && !(ok && network.ShareRows()) {
		s += fmt.Sprintf(".WithPrior(%s)", d.Alpha)
	}
	if len(d.Range) == 2 {
		s += fmt.Sprintf(".WithRange(%v, %v)", d.Range[0], d.Range[1])
	}
	if d.Kind == latentNormal {
		s += ".Latent()"
	}
	if d.Resolution > 0 {
		s += fmt.Sprintf(".WithResolution(%d)", d.Resolution)
	}
	usual, _ := Describe(d.Kind)
	if d.Radius != usual.Radius {
		s += fmt.Sprintf(".WithRadius(%v)", d.Radius)
	}
	if d.Slopes != usual.Slopes {
		s += fmt.Sprintf(".Slopes(%v)", d.Slopes)
	}
	if d.Intercept != usual.Intercept {
		s += fmt.Sprintf(".Intercept(%v)", d.Intercept)
	}
	if d.EveryFamily {
		s += ".WithEveryFamily()"
	}
	if d.NoIntercept {
		s += ".WithoutIntercept()"
	}
	return s
}

func quoted(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = safetext.Quote(n)
	}
	return out
}
