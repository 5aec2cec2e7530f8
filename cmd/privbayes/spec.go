package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/strictjson"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/quantiles"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/regression"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/sums"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/weighted"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// spec is what is inferred, how, and at which privacy, as data: what the flags say, and the models that no flag makes.
type spec struct {
	Model     json.RawMessage `json:"model,omitempty"` // a model.Description
	Mechanism *chosen         `json:"mechanism,omitempty"`
	Level     *dp.Parameters  `json:"level,omitempty"`
	Adjacency *dp.Adjacency   `json:"adjacency,omitempty"`
	// rows of a schema with a weight stand for themselves
	Unweighted bool `json:"unweighted,omitempty"`

	described *model.Description // the model, with the usual parameters where it says none
}

// chosen is a mechanism by its name on the command line, with the flags that are its options.
type chosen struct {
	Name    string `json:"name"`
	Post    string `json:"post,omitempty"`
	Nominal bool   `json:"nominal,omitempty"`
	Draws   int    `json:"draws,omitempty"`
	Records int    `json:"records,omitempty"`
	// of quantiles drawn one by one or at once: the ends of intervals, too
	Intervals bool `json:"intervals,omitempty"`
	// of noisy sums: the moments of units in place of those of rows; of counts, with them
	ByUnit bool `json:"by_unit,omitempty"`
	// of Fisher scoring: also where there are few rows
	Anyway bool `json:"anyway,omitempty"`
	// of tokens: intervals also of weights computed from the respondents
	HeldAsGiven bool `json:"held_as_given,omitempty"`
}

// specWords is the flag --spec.
const specWords = "model, mechanism, level and adjacency as JSON: a `file`, or text that begins with {; plan --json " +
	"prints it; other flags override it"

// parseSpec reads a spec. A name that is unknown or stands twice is an error.
func parseSpec(text []byte) (*spec, error) {
	var s spec
	err := strictjson.Unique(text)
	if err == nil {
		err = cert.Decode(text, &s)
	}
	if err == nil {
		err = explicitZero(text)
	}
	if err != nil || len(s.Model) == 0 {
		return &s, err
	}
	var kind struct {
		Kind    string `json:"kind"`
		Learned struct {
			Says given `json:"within_bins"`
		} `json:"learned"`
	}
	if err := json.Unmarshal(s.Model, &kind); err != nil {
		return nil, err
	}
	d, err := model.Describe(kind.Kind)
	if err != nil {
		return nil, err
	}
	if err := cert.Decode(s.Model, &d); err != nil {
		return nil, err
	}
	if l := d.Learned; l != nil && l.Algorithm == model.Pairs && l.MaxCells == 0 {
		usual := model.MaxEntropy().Settings()
		l.MaxCells, l.MaxWork = usual.MaxCells, cmp.Or(l.MaxWork, usual.MaxWork)
		l.WithinBins = l.WithinBins || !bool(kind.Learned.Says)
	}
	s.described = &d
	return &s, nil
}

// explicitZero refuses zeros where only a field that does not stand there means the usual value.
func explicitZero(text []byte) error {
	var read struct {
		Model struct {
			Resolution strictjson.Zero `json:"resolution"`
			Learned    struct {
				MaxCells strictjson.Zero `json:"max_cells"`
				MaxWork  strictjson.Zero `json:"max_work"`
				Size     strictjson.Zero `json:"size"`
				Greedy   struct {
					Degree strictjson.Zero `json:"degree"`
					Theta  strictjson.Zero `json:"theta"`
					Share  strictjson.Zero `json:"share"`
				} `json:"privbayes"`
			} `json:"learned"`
		} `json:"model"`
		Mechanism struct {
			Draws   strictjson.Zero `json:"draws"`
			Records strictjson.Zero `json:"records"`
		} `json:"mechanism"`
	}
	if err := json.Unmarshal(text, &read); err != nil {
		return err
	}
	m, l, by := read.Model, read.Model.Learned, read.Mechanism
	for _, z := range []struct {
		field string
		zero  strictjson.Zero
	}{
		{"model.resolution", m.Resolution}, {"model.learned.max_cells", l.MaxCells}, {"model.learned.max_work", l.MaxWork},
		{"model.learned.size", l.Size}, {"model.learned.privbayes.degree", l.Greedy.Degree},
		{"model.learned.privbayes.theta", l.Greedy.Theta}, {"model.learned.privbayes.share", l.Greedy.Share},
		{"mechanism.draws", by.Draws}, {"mechanism.records", by.Records},
	} {
		if z.zero {
			return domain.Refuse("spec", z.field, 0, "a number above 0, or no such field for the usual")
		}
	}
	return nil
}

// given is a field that stands in JSON, whatever its value is.
type given bool

// UnmarshalJSON notes that the field stands there.
func (s *given) UnmarshalJSON([]byte) error {
	*s = true
	return nil
}

// readSpec takes what --spec says for the flags that are not given.
func (p *planFlags) readSpec() error {
	p.flags.reads("spec")
	if !p.flags.given("spec") {
		return nil
	}
	text, file := []byte(p.specText), !strings.HasPrefix(strings.TrimSpace(p.specText), "{")
	var err error
	if file {
		if text, err = readWithin(p.specText, maxDocument); err != nil {
			return err
		}
	}
	s, err := parseSpec(text)
	if err == nil {
		err = p.flags.take(s)
	}
	if err == nil {
		p.described = s.described
		return nil
	}
	if err = placed(err); file {
		return &fileError{p.specText, err}
	}
	return &usageError{text: "--spec: " + err.Error(), err: err, flag: "--spec"}
}

// placed is the error of JSON, which names types of Go, by the place in the file.
func placed(err error) error {
	var misfit *json.UnmarshalTypeError
	if errors.As(err, &misfit) {
		return fmt.Errorf("%sJSON %s in the wrong place", strings.TrimPrefix(misfit.Field+": ", ": "), misfit.Value)
	}
	return err
}

// take sets the flags that a spec has values for and that are not given.
func (f *flagSet) take(s *spec) error {
	set := map[string]string{}
	if s.Adjacency != nil {
		text, err := s.Adjacency.MarshalText()
		if err != nil {
			return err
		}
		set["adjacency"] = string(text)
	}
	if c := s.Mechanism; c != nil && !f.given("mechanism") {
		if f.Lookup("mechanism") == nil {
			return fmt.Errorf("mechanism: %s compares all; want a spec without one", commandOf(f))
		}
		set["mechanism"], set["post-process"] = c.Name, c.Post
		for flag, on := range map[string]bool{"nominal": c.Nominal, "intervals": c.Intervals, "by-unit": c.ByUnit,
			"anyway": c.Anyway, "held-as-given": c.HeldAsGiven} {
			if on {
				set[flag] = "true"
			}
		}
		for flag, count := range map[string]int{"draws": c.Draws, "records": c.Records} {
			if count != 0 {
				set[flag] = strconv.Itoa(count)
			}
		}
	}
	if s.Unweighted {
		set["unweighted"] = "true"
	}
	if l := s.Level; l != nil && !slices.ContainsFunc(levelFlags, f.given) {
		level, err := inFlags(*l)
		if err != nil {
			return err
		}
		for flag, x := range level {
			set[flag] = strconv.FormatFloat(x, 'g', -1, 64)
		}
	}
	for flag, text := range set {
		if text != "" && !f.given(flag) {
			if err := f.Set(flag, text); err != nil {
				return err
			}
		}
	}
	return nil
}

// levelFlags are the flags of a privacy level.
var levelFlags = []string{"epsilon", "delta", "rho", "omega", "lambda"}

// inFlags is a level as flags say it. A parameter of another notion is an error.
func inFlags(l dp.Parameters) (map[string]float64, error) {
	flags, back := map[string]float64{}, dp.Request{}
	switch epsilon := float64(l.Epsilon); l.Notion {
	case dp.Pure:
		flags["epsilon"], back = epsilon, dp.PureDP(epsilon)
	case dp.Approximate:
		flags["epsilon"], flags["delta"], back = epsilon, l.Delta, dp.ApproxDP(epsilon, l.Delta)
	case dp.Renyi:
		flags["epsilon"], flags["lambda"], back = epsilon, l.Order, dp.RenyiDP(l.Order, epsilon)
	case dp.Concentrated:
		flags["rho"], back = l.Rho, dp.ZCDP(l.Rho)
	case dp.TruncatedConcentrated:
		flags["rho"], flags["omega"], back = l.Rho, l.Order, dp.TCDP(l.Rho, l.Order)
	}
	if back.Parameters != l {
		return nil, fmt.Errorf("level: notion %q; want pure (epsilon), approximate (epsilon, delta), renyi (epsilon, "+
			"order), concentrated (rho) or truncated-concentrated (rho, order), with its own parameters only", l.Notion)
	}
	return flags, nil
}

// specOf is the spec that gives a plan again, but for its mechanism.
func specOf(plan *mechanism.Plan) (*spec, error) {
	var shape struct {
		Model json.RawMessage `json:"model"`
	}
	text, err := json.Marshal(plan.Shape())
	if err == nil {
		err = json.Unmarshal(text, &shape)
	}
	t, w := plan.Target(), plan.Shape().Schema().Weight
	return &spec{Model: shape.Model, Level: &t.Parameters, Adjacency: &t.Adjacency, Unweighted: w != nil && w.Unused}, err
}

// specOf is the spec that gives a plan again.
func (p planFlags) specOf(plan *mechanism.Plan) (*spec, error) {
	s, err := specOf(plan)
	c := &chosen{Name: p.mechanism, Post: p.post, Nominal: p.nominal, Intervals: p.intervals, ByUnit: p.byUnit,
		Anyway: p.anyway, HeldAsGiven: p.held}
	if p.flags.given("draws") {
		c.Draws = p.draws
	}
	if p.flags.given("records") {
		c.Records = p.records
	}
	s.Mechanism = c
	return s, err
}

// postProcesses are the values of --post-process.
var postProcesses = []struct {
	flag string
	is   counts.PostProcess
}{{"posterior-mean", counts.PosteriorMean}, {"flat-posterior-mean", counts.FlatPosteriorMean},
	{"clamp", counts.Clamp}, {"clip", counts.Clip}, {"project", counts.Project}, {"consistent", counts.Consistent}}

func postNames() (names []string) {
	for _, p := range postProcesses {
		names = append(names, p.flag)
	}
	return names
}

// processed is noise on counts with a post-processing of its own.
func processed(m mechanism.Mechanism, name string) (mechanism.Mechanism, error) {
	i := slices.Index(postNames(), name)
	if i < 0 {
		return nil, wrongFlag("post-process", name, "one of %s%s", strings.Join(postNames(), ", "),
			meant(name, postNames()))
	}
	switch m := m.(type) {
	case counts.Noise:
		return m.WithPostProcess(postProcesses[i].is), nil
	case counts.KNormNoise:
		return m.WithPostProcess(postProcesses[i].is), nil
	case counts.BySizeNoise:
		return m.WithPostProcess(postProcesses[i].is), nil
	}
	return nil, wrongUsage("--post-process: it is for noise on counts, such as --mechanism geometric")
}

// withIntervals draws the ends of intervals, too.
func withIntervals(m mechanism.Mechanism) (mechanism.Mechanism, error) {
	if q, ok := m.(quantiles.Exponential); ok {
		return q.WithIntervals(), nil
	}
	return nil, wrongUsage("--intervals: it is for --mechanism quantile-em and joint-quantiles; others have intervals " +
		"without it")
}

// heldAsGiven shows intervals of weights computed from the respondents.
func heldAsGiven(m mechanism.Mechanism) (mechanism.Mechanism, error) {
	if t, ok := m.(weighted.Tokens); ok {
		return t.HeldAsGiven(), nil
	}
	return nil, wrongUsage("--held-as-given: it is for --mechanism tokens")
}

// byUnit releases the moments of units.
func byUnit(m mechanism.Mechanism) (mechanism.Mechanism, error) {
	switch m := m.(type) {
	case sums.Noisy:
		return m.ByUnit(), nil
	case counts.Noise:
		return m.ByUnit(), nil
	}
	return nil, wrongUsage("--by-unit: it is for --mechanism noisy-sums and geometric")
}

// anyway plans for few rows, too.
func anyway(m mechanism.Mechanism) (mechanism.Mechanism, error) {
	switch m := m.(type) {
	case regression.NoisyScoring:
		return m.Anyway(), nil
	case regression.NoisyTable:
		return m.Anyway(), nil
	}
	return nil, wrongUsage("--anyway: it is for --mechanism fisher-scoring and contingency-table")
}

// byFormula is the regression of a formula.
func (p planFlags) byFormula() (model.Model, error) {
	d := p.described
	if p.flags.given("formula") {
		if d != nil {
			return nil, wrongUsage("--formula and a --spec with a model; want one of them")
		}
		p.flags.reads("formula", "model")
		kind := cmp.Or(p.model, formulaKinds()[0])
		if !model.ByFormula(kind) {
			return nil, wrongFlag("model", kind, "%s, of a --formula%s", strings.Join(formulaKinds(), ", "),
				meant(kind, formulaKinds()))
		}
		of, err := model.OfFormula(kind, p.formula)
		if err != nil {
			return nil, err
		}
		d = &of
	} else if err := p.flags.excludes("spec", "model"); err != nil {
		return nil, err
	}
	if err := p.flags.excludes("formula", inPlaceOf["formula"]...); err != nil {
		return nil, err
	}
	m, err := d.Model()
	return m, misused(err)
}
