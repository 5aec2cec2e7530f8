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
	mechanism, model, target, features, schema, dataset, network, adjacency, figure string
	levels, n                                                                       int
	epsilon, delta, rho, lambda, omega                                              float64
	records, draws                                                                  int
	alpha                                                                           string
	nominal, compare, noLevel                                                       bool
	solve                                                                           string
	error                                                                           float64
	time                                                                            time.Duration
	numbers                                                                         numberFlags
}

const planSynopsis = `plan [--data NAME | --schema FILE | --levels D] --n N --epsilon E [flags]

Calibrates a release and proves its guarantee. No row is read, and nothing is spent.`

var planExamples = []string{
	"privbayes plan --data votes --target Class --epsilon 1",
	"privbayes plan --levels 5 --n 1000 --solve epsilon --error 0.01",
	"privbayes plan --network asia --n 5000 --mechanism fourier --epsilon 1",
}

func planCommand(args []string, out, errs io.Writer) error {
	fs, asJSON := newFlags("plan", planSynopsis)
	var p planFlags
	p.add(fs)
	if _, err := parse(fs, args, 0); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	set := given(fs)
	p.noLevel = !set["epsilon"] && !set["rho"] && p.solve != "epsilon"
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

// add declares the flags of plan.
func (p *planFlags) add(fs *flag.FlagSet) {
	p.addMechanism(fs)
	p.addModel(fs)
	p.addLevel(fs)
	p.addPublic(fs)
	fs.BoolVar(&p.compare, "compare", false, "the same as the command advise")
	fs.StringVar(&p.solve, "solve", "", "plan backwards: epsilon or n, for --error")
	fs.Float64Var(&p.error, "error", 0, "with --solve: mean absolute error of one estimated proportion; with "+
		"--compare: the error compared")
	fs.DurationVar(&p.time, "time", 10*time.Second, "with --compare: what all rows together may take; what does not "+
		"fit is named")
}

// addMechanism declares what says how to release.
func (p *planFlags) addMechanism(fs *flag.FlagSet) {
	fs.StringVar(&p.mechanism, "mechanism", "geometric", strings.Join(catalog.Flags(), ", "))
	fs.BoolVar(&p.nominal, "nominal", false, "the paper's own formula at ε (and δ), with the privacy it really has; "+
		"hellinger: local sensitivity, or smooth with δ; dirichlet-raw: Algorithm 1, with --lambda or --delta")
	fs.IntVar(&p.draws, "draws", 1, "draws of --mechanism posterior-sample and linear-sampler")
	fs.IntVar(&p.records, "records", 1000, "synthetic records of --mechanism records")
}

// addModel declares what says what is inferred.
func (p *planFlags) addModel(fs *flag.FlagSet) {
	fs.StringVar(&p.model, "model", "", "categorical, binary, naive-bayes, linear-regression, exponential, "+
		"laplace-scale or normal-precision (default: categorical with --levels, else naive-bayes)")
	fs.StringVar(&p.target, "target", "", "the column, or the class of naive Bayes")
	fs.StringVar(&p.features, "features", "", "features of naive Bayes, separated by commas (default: all other "+
		"columns)")
	fs.StringVar(&p.schema, "schema", "", "schema `file`, JSON")
	fs.StringVar(&p.network, "network", "", "a Bayesian network in a BIF `file`, or an embedded one (asia, sachs); "+
		"--target is a node (default: the first)")
	fs.StringVar(&p.alpha, "alpha", "1", "prior hyperparameter of every cell, or a list with one per level, such as "+
		"7,4")
	p.numbers.add(fs)
}

// addLevel declares the privacy asked for.
func (p *planFlags) addLevel(fs *flag.FlagSet) {
	fs.Float64Var(&p.epsilon, "epsilon", 0, "ε")
	fs.Float64Var(&p.delta, "delta", 0, "δ; with ε, asks for (ε, δ)-DP")
	fs.Float64Var(&p.rho, "rho", 0, "ρ of zCDP, instead of ε")
	fs.Float64Var(&p.omega, "omega", 0, "with --rho: truncated concentrated DP, all orders up to ω")
	fs.Float64Var(&p.lambda, "lambda", 0, "order of Rényi DP, with ε")
	fs.StringVar(&p.adjacency, "adjacency", "replace-one", "replace-one, add-remove or replace-value")
}

// addPublic declares the public facts of a table that is not read.
func (p *planFlags) addPublic(fs *flag.FlagSet) {
	fs.StringVar(&p.dataset, "data", "", "an embedded data set: its schema and n; its rows are not read")
	fs.IntVar(&p.levels, "levels", 0, "instead of a schema: one column with this many categories")
	fs.IntVar(&p.n, "n", -1, "number of rows, public; -1 is that of --data")
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
		return nil, &usageError{fmt.Sprintf("--mechanism %s; want %s%s", p.mechanism,
			strings.Join(catalog.Flags(), ", "), meant(p.mechanism, catalog.Flags()))}
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
	if p.network != "" {
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
	if d.Alpha, err = p.prior(); err != nil {
		return nil, err
	}
	m, err := d.Model()
	return m, misused(err)
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

const noLevel = "--epsilon: want the privacy level, such as --epsilon 1 (or --rho; or plan --solve epsilon " +
	"--error E, which finds it)"

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
		return m, nil, dp.Target{}, &usageError{noLevel}
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
