package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// shape is the model on the schema asked for.
func (p planFlags) shape() (*model.Shape, error) {
	p.flags.reads("n")
	if p.flags.given("network") {
		return p.networkShape()
	}
	s, err := p.readSchema()
	if err != nil {
		return nil, err
	}
	n := p.n
	if n < 0 && p.dataset != "" {
		info, err := data.Info(p.dataset)
		if err != nil {
			return nil, err
		}
		n = info.Rows
	}
	m, err := p.spec(s)
	if err != nil {
		return nil, err
	}
	if n < 0 && p.adjacency != "add-remove" {
		return nil, &usageError{"--n: want the public number of rows"}
	}
	sh, err := model.NewShape(s, m, n, n >= 0, "--n was not given")
	return sh, misused(err)
}

// misused is a wrong usage where a model does not fit: what it is made of is on the command line.
func misused(err error) error {
	var e *model.Error
	var c *frame.ColumnError
	if errors.As(err, &e) || errors.As(err, &c) {
		return &usageError{err.Error()}
	}
	return err
}

// spec is the model asked for, on the columns of a schema.
func (p planFlags) spec(s *frame.Schema) (model.Model, error) {
	target := p.target
	if p.learned.on {
		return p.learnedSpec()
	}
	if p.flags.given("network") {
		if err := p.flags.excludes("network", "model"); err != nil {
			return nil, err
		}
		p.flags.reads("network", "target", "alpha")
		d, err := p.graph()
		if err != nil {
			return nil, err
		}
		if target == "" {
			target = d.Node(0).Name
		}
		prior, err := p.prior()
		return model.NetworkOf(target, d).WithPrior(prior...), err
	}
	if target == "" && len(s.Columns) == 1 {
		target = s.Columns[0].Name
	}
	kind := p.model
	if kind == "" {
		kind = "naive-bayes"
		if p.levels > 0 {
			kind = "categorical"
		}
	}
	d, err := model.Describe(kind)
	if err != nil {
		return nil, &usageError{"--model: " + err.Error()}
	}
	p.flags.reads("model", "target")
	for _, q := range parameters {
		if takes(kind, q.set) {
			p.flags.reads(q.flag)
		} else if p.flags.given(q.flag) {
			return nil, &usageError{fmt.Sprintf("--%s: model %s has no such parameter", q.flag, kind)}
		}
	}
	if len(d.Alpha) > 0 { // models of means have no hyperparameters
		p.flags.reads("alpha")
		if d.Alpha, err = p.prior(); err != nil {
			return nil, err
		}
	}
	if d.Target = target; p.features != "" {
		d.Features = strings.Split(p.features, ",")
	}
	if err := p.numbers.describe(&d); err != nil {
		return nil, err
	}
	if target == "" {
		return nil, &usageError{"--target: want the column that is modelled, or the class of naive Bayes: one of " +
			strings.Join(s.Names(), ", ")}
	}
	m, err := d.Model()
	return m, misused(err)
}

// parameters are the flags that are parameters of some models, each with a change of it.
var parameters = []struct {
	flag string
	set  func(*model.Description)
}{
	{"features", func(d *model.Description) { d.Features = []string{"x"} }},
	{"range", func(d *model.Description) { d.Range = []float64{1, 2} }},
	{"location", func(d *model.Description) { d.Center = 1 }},
	{"resolution", func(d *model.Description) { d.Resolution = 2 }},
	{"radius", func(d *model.Description) { d.Radius++ }},
}

// takes reports whether the models of a kind have a parameter: a description with another's is refused.
func takes(kind string, set func(*model.Description)) bool {
	d, err := model.Describe(kind)
	if err != nil {
		return false
	}
	set(&d)
	_, err = d.Model()
	return err == nil
}

// prior reads the list of hyperparameters.
func (p planFlags) prior() ([]float64, error) {
	var out []float64
	for _, word := range strings.Split(p.alpha, ",") {
		a, err := strconv.ParseFloat(strings.TrimSpace(word), 64)
		if err != nil {
			return nil, &usageError{fmt.Sprintf("--alpha %s; want numbers > 0 separated by commas", p.alpha)}
		}
		out = append(out, a)
	}
	return out, nil
}

func (p planFlags) readSchema() (*frame.Schema, error) {
	given := 0
	for _, flag := range []string{"data", "schema", "levels"} {
		p.flags.reads(flag)
		if p.flags.given(flag) {
			given++
		}
	}
	if given != 1 {
		return nil, &usageError{"want exactly one of --data, --schema and --levels"}
	}
	switch {
	case p.flags.given("data"):
		_, s, err := data.Open(p.dataset)
		return s, err
	case p.flags.given("schema"):
		return readSchemaFile(p.schema)
	}
	if p.levels < 2 || p.levels > 65536 {
		return nil, &usageError{fmt.Sprintf("--levels %d; want 2 … 65536", p.levels)}
	}
	cats := make([]string, p.levels)
	for i := range cats {
		cats[i] = fmt.Sprint(i + 1)
	}
	return &frame.Schema{Dataset: "unnamed", Columns: []frame.Column{frame.Categorical("value", cats...)}}, nil
}
