package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"time"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/catalog"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/sensitivity"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// planFlags are the public inputs of a plan.
type planFlags struct {
	mechanism, model, target, features, schema, dataset, network, adjacency string
	levels, n                                                               int
	epsilon, delta, rho, lambda, omega                                      float64
	records, draws                                                          int
	alpha                                                                   string
	nominal, compare, noLevel                                               bool
	solve                                                                   string
	error                                                                   float64
	time                                                                    time.Duration
	numbers                                                                 numberFlags
}

func planCommand(args []string, out, errs io.Writer) error {
	fs, asJSON := newFlags("plan", "plan [--data NAME | --schema FILE | --levels D] --n N --epsilon E [flags]", errs)
	var p planFlags
	p.add(fs)
	if _, err := parse(fs, args, 0); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	given := map[string]bool{}
	fs.Visit(func(f *flag.Flag) { given[f.Name] = true })
	p.noLevel = !given["epsilon"] && !given["rho"] && p.solve != "epsilon"
	switch p.solve {
	case "":
	case "epsilon", "n":
		if err := p.backwards(ctx); err != nil {
			return err
		}
	default:
		return &usageError{fmt.Sprintf("--solve %s; want epsilon or n", p.solve)}
	}
	if p.compare {
		return p.advice(out, errs, *asJSON)
	}
	plan, err := p.plan(ctx)
	if err != nil {
		return err
	}
	if *asJSON {
		return writeJSON(out, planOutput(plan))
	}
	fmt.Fprintf(out, "%s\n%s", plan, plan.Certificate())
	return nil
}

// add declares the flags.
func (p *planFlags) add(fs *flag.FlagSet) {
	fs.StringVar(&p.mechanism, "mechanism", "geometric", strings.Join(catalog.Flags(), ", "))
	fs.BoolVar(&p.nominal, "nominal", false, "the paper's own formula at ε (and δ), with the privacy it really has; "+
		"hellinger: local sensitivity, or smooth with δ; dirichlet-raw: Algorithm 1, with --lambda or --delta")
	fs.StringVar(&p.model, "model", "", "categorical, binary, naive-bayes, linear-regression, exponential, "+
		"laplace-scale or normal-precision (default: categorical with --levels, else naive-bayes)")
	fs.StringVar(&p.target, "target", "", "the column, or the class of naive Bayes")
	fs.StringVar(&p.features, "features", "", "features of naive Bayes, separated by commas (default: all other "+
		"columns)")
	fs.StringVar(&p.schema, "schema", "", "schema file, JSON")
	fs.StringVar(&p.dataset, "data", "", "an embedded data set: its schema and n; its rows are not read")
	fs.StringVar(&p.network, "network", "", "instead of a schema: a Bayesian network in a BIF file, or an embedded "+
		"one (asia, sachs); --target is a node (default: the first)")
	fs.IntVar(&p.levels, "levels", 0, "instead of a schema: one column with this many categories")
	fs.IntVar(&p.n, "n", -1, "number of rows, public; -1 is that of --data")
	fs.StringVar(&p.alpha, "alpha", "1", "prior hyperparameter of every cell, or a list with one per level, such as "+
		"7,4")
	fs.Float64Var(&p.epsilon, "epsilon", 0, "ε")
	fs.Float64Var(&p.delta, "delta", 0, "δ; with ε, asks for (ε, δ)-DP")
	fs.Float64Var(&p.rho, "rho", 0, "ρ of zCDP, instead of ε")
	fs.Float64Var(&p.omega, "omega", 0, "with --rho: truncated concentrated DP, all orders up to ω")
	fs.IntVar(&p.draws, "draws", 1, "draws of --mechanism posterior-sample and linear-sampler")
	fs.IntVar(&p.records, "records", 1000, "synthetic records of --mechanism records")
	fs.Float64Var(&p.lambda, "lambda", 0, "order of Rényi DP, with ε")
	fs.StringVar(&p.adjacency, "adjacency", "replace-one", "replace-one, add-remove or replace-value")
	fs.BoolVar(&p.compare, "compare", false, "compare every applicable mechanism at 0.1, 0.3, 1, 3 and 10 times the "+
		"asked level; with --error also which level and which n reach it")
	fs.StringVar(&p.solve, "solve", "", "plan backwards: epsilon or n, for --error")
	fs.Float64Var(&p.error, "error", 0, "with --solve: mean absolute error of one estimated proportion; with "+
		"--compare: the error compared")
	fs.DurationVar(&p.time, "time", 10*time.Second, "with --compare: what all rows together may take; what does not "+
		"fit is named")
	p.numbers.add(fs)
}

// planJSON is the JSON form of a plan with what follows from it.
type planJSON struct {
	Plan        *mechanism.Plan    `json:"plan"`
	Certified   dp.Guarantee       `json:"certified"`
	Textbook    dp.Level           `json:"textbook"`
	Sensitivity map[string]int     `json:"sensitivity"`
	Expected    map[string]float64 `json:"expected"`
	Certificate *cert.Certificate  `json:"certificate"`
	Warnings    warning.List       `json:"warnings,omitempty"`
}

func planOutput(p *mechanism.Plan) planJSON {
	j := planJSON{Plan: p, Certified: p.Certified(), Textbook: p.Textbook().Level, Certificate: p.Certificate(),
		Expected: map[string]float64{}, Warnings: p.Warnings()}
	for _, e := range p.Expected() {
		j.Expected[e.Name] = e.Value
	}
	if s, err := sensitivity.OfCounts(p.Shape(), p.Target().Adjacency); err == nil {
		j.Sensitivity = map[string]int{"l1": s.L1(), "l2_squared": s.L2Squared()}
	}
	return j
}

// choose is the mechanism asked for.
func (p planFlags) choose() (mechanism.Mechanism, error) {
	d, ok := catalog.ByFlag(p.mechanism)
	if !ok {
		return nil, &usageError{fmt.Sprintf("--mechanism %s; want %s", p.mechanism,
			strings.Join(catalog.Flags(), ", "))}
	}
	count := p.draws
	if d.Flag == "records" {
		count = p.records
	}
	return d.New(mechanism.Options{Nominal: p.nominal, Delta: p.delta, Count: count}), nil
}

// privacy is the target asked for.
func (p planFlags) privacy() (dp.Target, error) {
	var t dp.Target
	switch {
	case p.nominal && p.lambda != 0:
		t = dp.RenyiDP(p.lambda, p.epsilon)
		t.NominalScale = true
	case p.nominal && p.delta != 0:
		t = dp.Nominal(p.epsilon, p.delta)
	case p.nominal:
		t = dp.Nominal(p.epsilon)
	case p.rho != 0 && p.omega != 0:
		t = dp.TCDP(p.rho, p.omega)
	case p.rho != 0:
		t = dp.ZCDP(p.rho)
	case p.lambda != 0:
		t = dp.RenyiDP(p.lambda, p.epsilon)
	case p.delta != 0:
		t = dp.ApproxDP(p.epsilon, p.delta)
	default:
		t = dp.PureDP(p.epsilon)
	}
	var a dp.Adjacency
	if err := a.UnmarshalText([]byte(p.adjacency)); err != nil {
		return t, err
	}
	return t.Under(a), t.Valid()
}

// shape is the model on the schema asked for.
func (p planFlags) shape() (*model.Shape, error) {
	if p.network != "" {
		return p.networkShape()
	}
	s, err := p.readSchema()
	if err != nil {
		return nil, err
	}
	target := p.target
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
	n := p.n
	if n < 0 && p.dataset != "" {
		info, err := data.Info(p.dataset)
		if err != nil {
			return nil, err
		}
		n = info.Rows
	}
	if n < 0 && p.adjacency != "add-remove" {
		return nil, &usageError{"--n: want the public number of rows"}
	}
	if d.Alpha, err = p.prior(); err != nil {
		return nil, err
	}
	m, err := d.Model()
	var sh *model.Shape
	if err == nil {
		sh, err = model.NewShape(s, m, n, n >= 0, "--n was not given")
	}
	if errors.As(err, new(*model.Error)) { // what a model is made of is on the command line
		err = &usageError{err.Error()}
	}
	return sh, err
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
	for _, set := range []bool{p.schema != "", p.dataset != "", p.levels != 0} {
		if set {
			given++
		}
	}
	if given != 1 {
		return nil, &usageError{"want exactly one of --data, --schema and --levels"}
	}
	switch {
	case p.dataset != "":
		_, s, err := data.Open(p.dataset)
		return s, err
	case p.schema != "":
		b, err := os.ReadFile(p.schema)
		if err != nil {
			return nil, err
		}
		s, err := frame.ParseSchema(b)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.schema, err)
		}
		return s, nil
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

// inputs resolves mechanism, shape and target.
func (p planFlags) inputs() (mechanism.Mechanism, *model.Shape, dp.Target, error) {
	m, err := p.choose()
	if err != nil {
		return m, nil, dp.Target{}, err
	}
	s, err := p.shape()
	if err != nil {
		return m, nil, dp.Target{}, err
	}
	if p.noLevel {
		return m, nil, dp.Target{}, &usageError{"--epsilon: want the privacy level, such as --epsilon 1 (or --rho; " +
			"or --solve epsilon --error E, which finds it)"}
	}
	t, err := p.privacy()
	return m, s, t, err
}

func (p planFlags) plan(ctx context.Context) (*mechanism.Plan, error) {
	m, s, t, err := p.inputs()
	if err != nil {
		return nil, err
	}
	return m.Plan(ctx, s, t)
}
