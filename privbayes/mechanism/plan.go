package mechanism

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/table"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// Plan is a calibrated and certified release that has not been drawn. It is public, immutable and a function of schema,
// model, n, prior and target only.
type Plan struct {
	spec      Spec
	params    json.RawMessage
	certified dp.Guarantee
}

// Setting is one public parameter of a plan, for people.
type Setting struct{ Name, Value string }

// StandardFormula is what the usual formula claims for the shipped parameters.
type StandardFormula struct {
	Level  dp.Parameters
	Source string
}

// Expectation is a predicted error, known before anything is spent.
type Expectation struct {
	Name  string
	Value float64
	Unit  string
	How   string // "closed form", "sum over all outcomes", …
}

// Numbers bounds how many numbers a draw has, from public facts, so that there is room for them before anything is
// spent: what the mechanism states, or else what the model counts and sums up, and where real numbers are drawn its
// parameters, too.
func (p *Plan) Numbers() int {
	if p.spec.Count > 0 {
		return p.spec.Count
	}
	n := p.spec.Shape.Cells() + len(p.spec.Shape.Sums())
	if p.spec.Draws != Integers {
		for _, c := range p.spec.Shape.Conditionals() {
			n += c.Rows * c.Levels
		}
	}
	return n
}

// Spec is what a mechanism states about a calibrated release; New checks it and makes the Plan.
type Spec struct {
	Mechanism, Title string
	Shape            *model.Shape
	Target           dp.Request
	Params           any // what the release file keeps; rebuilding from it gives the same plan
	Settings         []Setting
	Level            dp.Parameters // proved for the shipped parameters
	Arithmetic       dp.Arithmetic
	StandardFormula  StandardFormula
	Pair             loss.Pair // a dominating pair; nil if none is known
	Certificate      *cert.Certificate
	Checks           []cert.Check // in place of Certificate: its checks, where it has no parts; see Family
	Expected         []Expectation
	Sampler          Sampler
	Draws            Drawing             // which numbers it draws
	Count            int                 // how many at most, where it is not what the model counts and sums up
	Noise            noise.Distribution  // of mechanisms that add one noise distribution to every measured count
	Measured         *Measured           // of mechanisms that add several distributions to counts, or noise to parities
	Sum              noise.Probabilities // of mechanisms that release one noisy sum before all else: of its noise
	Sampled          *Sampled            // of mechanisms that draw from a posterior

	// Predict is the mean absolute error of an estimated proportion, or of a parameter, and how it was found, where
	// that takes more than a formula and stands not among Expected; NaN where there is none.
	Predict func() (value float64, how string)
}

// CheckError says that a check of a plan's certificate failed: the plan is not made.
type CheckError struct{ Certificate *cert.Certificate }

func (e *CheckError) Error() string {
	return "mechanism: a check failed:\n" + e.Certificate.String()
}

// New makes a plan. Every check of the certificate must hold (*CheckError) and, unless a paper's own mode was asked
// for, the level must meet the target (*UnmetTarget); there must be a level, and title and names of settings must be
// text that can be shown (*dp.ParameterError); a target that requires exact arithmetic must get it (*UnsupportedError),
// and rows must have been chosen in a way that goes with its adjacency (*RowsError).
func New(s Spec) (*Plan, error) {
	if err := s.checkTexts(); err != nil {
		return nil, err
	}
	if !s.Certificate.OK() {
		return nil, &CheckError{s.Certificate}
	}
	if s.Level.Notion == "" {
		return nil, domain.Refuse("mechanism", "level", "none in the plan of "+s.Title,
			"what the release has, or a dominating pair to derive it from")
	}
	if !s.Target.NominalScale && !s.Level.Satisfies(s.Target.Parameters) {
		return nil, &UnmetTarget{Mechanism: s.Title, Target: s.Target.Parameters, Certified: s.Level,
			Reachable: "a weaker target"}
	}
	if s.Target.ExactOnly && s.Arithmetic != dp.Exact {
		return nil, &UnsupportedError{s.Title, "exact sampling", "an integer mechanism such as Geometric() or KNorm()"}
	}
	// a profile that is 0 there, or below the least float: claim what was asked
	if s.Level.Notion == dp.Approximate && !(s.Level.Delta > 0) {
		s.Level.Delta = s.Target.Delta
	}
	if s.Sampler == nil || s.Draws == Reals && s.Arithmetic != dp.Ideal {
		return nil, domain.Refuse("mechanism", "sampler", s.Title,
			"a sampler of integers, or of real numbers in floating point")
	}
	for _, z := range s.distributions() {
		if z == nil || z.Unit() < 1 || !(z.Variance() > 0) || math.IsInf(z.Variance(), 1) {
			return nil, domain.Refuse("mechanism", "noise", fmt.Sprint(z, " in the plan of ", s.Title),
				"a unit of at least 1, and a variance above 0")
		}
	}
	// the plan would publish what depends on how many rows every unit has, or what the guarantee hides
	n, public := s.Shape.N()
	if _, same := s.Shape.Schema().CapsRows(); public && !same {
		return nil, domain.Refuse("mechanism", "n", fmt.Sprintf("%d, public, though %q tells units of up to %d rows apart",
			n, s.Shape.Schema().UnitKey, s.Shape.Schema().RowsPerUnit),
			`add-remove adjacency, under which n is private; or units of one row, or "pad_units", after which n is public`)
	}
	if public && !s.Target.Adjacency.PublicN() {
		return nil, domain.Refuse("mechanism", "n", "public in the plan of "+s.Title,
			"private under "+s.Target.Adjacency.String()+": a shape WithoutN")
	}
	if err := rowsAllow(s.Shape, s.Target.Adjacency); err != nil {
		return nil, err
	}
	params, err := json.Marshal(s.Params)
	if err != nil {
		return nil, err
	}
	unit, rows := s.Shape.Unit()
	guarantee := dp.Guarantee{Parameters: s.Level, Adjacency: s.Target.Adjacency, Arithmetic: s.Arithmetic, Unit: unit,
		RowsPerUnit: rows}
	s.Expected = proportions(s.Shape, s.Expected)
	return &Plan{s, params, guarantee}, nil
}

// distributions are the noise that a plan states for those who infer counts from its releases.
func (s Spec) distributions() (out []noise.Distribution) {
	if s.Noise != nil {
		out = append(out, s.Noise)
	}
	if s.Measured != nil {
		out = append(out, s.Measured.Tables...)
		if s.Measured.Parities != nil {
			out = append(out, s.Measured.Parities.Noise)
		}
	}
	return out
}

// checkTexts refuses a title or the name of a setting that cannot be shown beside a guarantee: *dp.ParameterError.
func (s Spec) checkTexts() error {
	texts := map[string]string{"mechanism": s.Mechanism, "title": s.Title}
	for _, set := range s.Settings {
		texts["setting"] += set.Name
	}
	for _, field := range []string{"mechanism", "title", "setting"} {
		var e *safetext.Error
		if errors.As(safetext.CheckLine(texts[field]), &e) {
			return domain.Refuse("mechanism", field, e.Shown(), safetext.Want)
		}
	}
	return nil
}

// Mechanism is the registered kind.
func (p *Plan) Mechanism() string { return p.spec.Mechanism }

// Title is the mechanism's name for people.
func (p *Plan) Title() string { return p.spec.Title }

// Shape is what is released about what.
func (p *Plan) Shape() *model.Shape { return p.spec.Shape }

// Target is what was asked for.
func (p *Plan) Target() dp.Request { return p.spec.Target }

// Params is the JSON of the shipped parameters.
func (p *Plan) Params() json.RawMessage { return append(json.RawMessage(nil), p.params...) }

// Certified is the proved guarantee of the shipped parameters.
func (p *Plan) Certified() dp.Guarantee { return p.certified }

// StandardFormula is what the usual formula claims for the shipped parameters.
func (p *Plan) StandardFormula() StandardFormula { return p.spec.StandardFormula }

// Pair is a dominating pair of the release, nil if none is known.
func (p *Plan) Pair() loss.Pair { return p.spec.Pair }

// AttackPower is an upper bound on the power of every attack that tells the data set from a neighbouring one with at
// most falseAlarms in [0, 1] false alarms: that of the dominating pair, or of the certified level where that is
// smaller, or known sooner than ctx ends. It is rounded up: see loss.AttackPower.
func (p *Plan) AttackPower(ctx context.Context, falseAlarms float64) float64 {
	return loss.AttackPowerOf(ctx, p.spec.Pair, p.certified.Parameters, falseAlarms)
}

// Certificate holds the checks behind Certified.
func (p *Plan) Certificate() *cert.Certificate { return p.spec.Certificate }

// Settings lists the public parameters for people.
func (p *Plan) Settings() []Setting { return append([]Setting(nil), p.spec.Settings...) }

// ExpectedValue is the expectation of a name; ok is false if there is none.
func (p *Plan) ExpectedValue(name string) (value float64, ok bool) {
	for _, e := range p.spec.Expected {
		if e.Name == name {
			return e.Value, true
		}
	}
	return 0, false
}

// Setting is the value of one of Settings, empty if there is none of that name.
func (p *Plan) Setting(name string) string {
	for _, s := range p.spec.Settings {
		if s.Name == name {
			return s.Value
		}
	}
	return ""
}

// Sampler is the private side of the plan, for tests and audits inside this module; nil without the key.
func (p *Plan) Sampler(key access.Key) Sampler {
	if !key.Opens() {
		return nil
	}
	return p.spec.Sampler
}

// Draws says which numbers the plan draws.
func (p *Plan) Draws() Drawing { return p.spec.Draws }

// Noise is the distribution of the noise on every measured count; ok is false for plans that do not add one noise
// distribution to counts.
func (p *Plan) Noise() (d noise.Distribution, ok bool) { return p.spec.Noise, p.spec.Noise != nil }

// Measured says how the raw integers come from the model's tables; ok is false for plans that release anything else.
func (p *Plan) Measured() (m Measured, ok bool) {
	switch {
	case p.spec.Measured != nil:
		return Measured{slices.Clone(p.spec.Measured.Tables), p.spec.Measured.Parities}, true
	case p.spec.Noise != nil:
		return Measured{Tables: slices.Repeat([]noise.Distribution{p.spec.Noise}, len(p.spec.Shape.Tables()))}, true
	}
	return Measured{}, false
}

// Sum is the distribution of the noise on the first integer of a release, which is the sum of the rows; ok is false for
// mechanisms that release something else.
func (p *Plan) Sum() (z noise.Probabilities, ok bool) { return p.spec.Sum, p.spec.Sum != nil }

// OutputLaw visits every value that may be released of given tables, with its probability: see [Lawful]. It reads the
// tables it is given, and no data.
func (p *Plan) OutputLaw(tables [][]int64, visit func(raw [][]int64, p float64)) (ok bool) {
	l, ok := p.spec.Sampler.(Lawful)
	return ok && l.OutputLaw(tables, visit)
}

// PredictUnit says what [Plan.Predict] predicts the error of.
func (p *Plan) PredictUnit() string {
	if _, ok := p.ExpectedError(); ok {
		return proportionUnit(p.spec.Shape)
	}
	return p.spec.Shape.Words().Error
}

// Predict is the mean absolute error of an estimated proportion, or of a parameter of models without proportions, as
// the mechanism predicts it, and how; NaN where it has no formula. PredictUnit is its unit.
func (p *Plan) Predict() (value float64, how string) {
	for _, e := range p.spec.Expected {
		if e.Name == ProportionErrorName {
			return e.Value, e.How
		}
	}
	if p.spec.Predict == nil {
		return math.NaN(), ""
	}
	return p.spec.Predict()
}

// Expected lists predicted errors.
func (p *Plan) Expected() []Expectation { return append([]Expectation(nil), p.spec.Expected...) }

// Table shows the parameters asked for, the guarantee, that of the standard formula, settings and expected errors.
func (p *Plan) Table() *table.Table {
	t := table.New("Plan: "+p.spec.Title, "item", "value")
	n := "private"
	if v, ok := p.spec.Shape.N(); ok {
		n = fmt.Sprint(v)
	}
	t.Add("model", p.spec.Shape.Model().String()).Add("data set", safetext.Quote(p.spec.Shape.Schema().Dataset)).Add("n",
		n)
	if rows := p.spec.Shape.RowsText(); rows != "" {
		t.Add("rows", rows)
	}
	for _, how := range p.spec.Shape.Missing() {
		t.Add("missing values", how)
	}
	level := p.spec.Target.Parameters
	t.Add("asked for", level.String()).Add("guarantee", p.certified.String())
	t.Add("standard formula", p.spec.StandardFormula.Level.String()+" ("+p.spec.StandardFormula.Source+")")
	for _, s := range p.spec.Settings {
		t.Add(s.Name, s.Value)
	}
	for _, e := range p.spec.Expected {
		v := table.Number(e.Value)
		if e.Unit != "" {
			v += " " + e.Unit
		}
		if e.Name == ProportionErrorName && e.Value >= 1 {
			v += ", no better than guessing"
		}
		t.Add("expected "+e.Name, v+" ("+e.How+")")
	}
	if note := p.UnitNote(context.Background()); note != "" {
		t.Note(note)
	}
	return t.Note("A plan reads no data: it is public and uses no budget.")
}

// String shows the plan and its warnings as text.
func (p *Plan) String() string { return table.Text(p) }

// ProportionErrorName names the expectation that plans are compared by.
const ProportionErrorName = "absolute error of a proportion"

// proportionUnit says what an expected proportion is one of. Of one distribution that is a probability: its counts are
// shares of all records. Of several, as of naive Bayes and networks, a count is still measured as a share of all
// records, and the probabilities made of it, of the records of its row alone, are further off.
func proportionUnit(sh *model.Shape) string {
	if c := sh.Conditionals(); len(c) == 1 && c[0].Rows == 1 {
		return sh.Words().Error
	}
	return "a count, as a share of all records"
}

// proportions are expectations whose proportions have their unit. No estimate of one is further off than 1.
func proportions(sh *model.Shape, list []Expectation) []Expectation {
	out := slices.Clone(list)
	for i, e := range out {
		if e.Name == ProportionErrorName {
			out[i].Value, out[i].Unit = math.Min(e.Value, 1), "for "+proportionUnit(sh)
		}
	}
	return out
}

// ExpectedError is the predicted mean absolute error of one estimated proportion, E|Z|/n; ok is false where n is
// private.
func (p *Plan) ExpectedError() (value float64, ok bool) { return ProportionError(p.spec.Expected) }

// ProportionError finds the mean absolute error of one estimated proportion among expectations; ok is false where n is
// private.
func ProportionError(list []Expectation) (value float64, ok bool) {
	for _, e := range list {
		if e.Name == ProportionErrorName {
			return e.Value, true
		}
	}
	return 0, false
}

// Sampled says from which posterior a mechanism draws, by public figures.
type Sampled struct {
	Power  float64 // weight of a record in it: the power of the likelihood, 1 for the posterior of the data
	AtMost bool    // Power is a bound from above, for any data
	Box    float64 // the part of the range of a probability that a trim leaves, where it leaves least; 1 without

	// Prior is what the prior weighs against Power for every record, in the distribution where it weighs least, and
	// PriorName what it is called: of mechanisms with pseudo-counts of their own, and of models without distributions.
	// 0 if the model's hyperparameters say it.
	Prior     float64
	PriorName string
}

// Sampled is the posterior that the plan draws from; ok is false for a mechanism that does not draw from one.
func (p *Plan) Sampled() (s Sampled, ok bool) {
	if p.spec.Sampled == nil {
		return Sampled{}, false
	}
	return *p.spec.Sampled, true
}

// Size is what warnings about a shape may know of the number of rows: n where it is public, else what the schema
// declares.
func Size(sh *model.Shape) warning.Size {
	if n, public := sh.N(); public {
		return warning.Size{Rows: n}
	}
	return warning.Size{Rows: sh.Schema().ApproximateRows, Declared: true}
}

// CellNoise is the noise of the cells of one count table: of every cell the same.
type CellNoise struct {
	// Variance, in squared records, is that of independent noise that has the covariance of the counts once they are
	// moved to a public total. Of a table of two cells of which one is counted it is twice that of the count.
	Variance float64
	// Distribution is that of the noise of every count that was measured, independent of the others; nil where the counts
	// of a table depend on each other.
	Distribution noise.Probabilities
	Once         bool // one count of two is measured, the other is n less it
}

// celled is a sampler that counts every row in one cell of each table of its shape, with noise.
type celled interface {
	CellNoise() []CellNoise
}

// CellNoise is the noise of each table of the shape, for those who combine tables of several releases; ok is false for
// plans that release anything else. It reads no data.
func (p *Plan) CellNoise() (tables []CellNoise, ok bool) {
	s, ok := p.spec.Sampler.(celled)
	if ok {
		tables = s.CellNoise()
	}
	return tables, len(tables) > 0
}
