package main

import (
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/catalog"
)

// planFlags are the public inputs of a plan.
type planFlags struct {
	mechanism, model, target, features, schema, dataset, network, adjacency, figure string
	levels, n                                                                       int
	epsilon, delta, rho, lambda, omega                                              float64
	records, draws                                                                  int
	alpha                                                                           string
	nominal, compare                                                                bool
	solve                                                                           string
	error                                                                           float64
	time                                                                            time.Duration
	numbers                                                                         numberFlags
	learned                                                                         learnedFlags
	flags                                                                           *flagSet
}

// add declares the flags of plan.
func (p *planFlags) add(fs *flagSet) {
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
func (p *planFlags) addMechanism(fs *flagSet) {
	fs.StringVar(&p.mechanism, "mechanism", "geometric", strings.Join(catalog.Flags(), ", "))
	fs.BoolVar(&p.nominal, "nominal", false, "the paper's own formula at ε (and δ), with the privacy it really has; "+
		"hellinger: local sensitivity, or smooth with δ; dirichlet-raw: Algorithm 1, with --lambda or --delta")
	fs.IntVar(&p.draws, "draws", 1, "draws of --mechanism posterior-sample and linear-sampler")
	fs.IntVar(&p.records, "records", 1000, "synthetic records of --mechanism records")
}

// usualAlpha is the hyperparameter where none is asked for.
const usualAlpha = "1"

// addModel declares what says what is inferred.
func (p *planFlags) addModel(fs *flagSet) {
	fs.StringVar(&p.model, "model", "", "categorical, binary, naive-bayes, linear-regression, logistic-regression, "+
		"mean, means, mean-sd, latent-normal, group-means, poisson, exponential, laplace-scale or normal-precision "+
		"(default: categorical with --levels, else naive-bayes)")
	fs.StringVar(&p.target, "target", "", "the column, or the class of naive Bayes")
	fs.StringVar(&p.features, "features", "", "features of naive Bayes, separated by commas (default: all other "+
		"columns); the other columns of means; the groups of group-means")
	fs.StringVar(&p.schema, "schema", "", "schema `file`, JSON")
	fs.StringVar(&p.network, "network", "", "a Bayesian network in a BIF `file`, or an embedded one (asia, sachs); "+
		"--target is a node (default: the first)")
	fs.StringVar(&p.alpha, "alpha", usualAlpha,
		"prior hyperparameter of every cell, or a list with one per level, such as 7,4")
	p.numbers.add(fs)
}

// addLevel declares the privacy asked for.
func (p *planFlags) addLevel(fs *flagSet) {
	p.flags = fs
	fs.Float64Var(&p.epsilon, "epsilon", 0, "ε")
	fs.Float64Var(&p.delta, "delta", 0, "δ; with ε, asks for (ε, δ)-DP")
	fs.Float64Var(&p.rho, "rho", 0, "ρ of zCDP, instead of ε")
	fs.Float64Var(&p.omega, "omega", 0, "with --rho: truncated concentrated DP, all orders up to ω")
	fs.Float64Var(&p.lambda, "lambda", 0, "order of Rényi DP, with ε")
	fs.StringVar(&p.adjacency, "adjacency", "replace-one", "replace-one, add-remove or replace-value")
}

// addPublic declares the public facts of a table that is not read.
func (p *planFlags) addPublic(fs *flagSet) {
	fs.StringVar(&p.dataset, "data", "", "an embedded data set: its schema and n; its rows are not read")
	fs.IntVar(&p.levels, "levels", 0, "instead of a schema: one column with this many categories")
	fs.IntVar(&p.n, "n", -1, "number of rows, public; -1 is that of --data")
}

// choose is the mechanism asked for.
func (p planFlags) choose() (mechanism.Mechanism, error) {
	d, ok := catalog.ByFlag(p.mechanism)
	if !ok {
		return nil, &usageError{fmt.Sprintf("--mechanism %s; want %s%s", p.mechanism,
			strings.Join(catalog.Flags(), ", "), meant(p.mechanism, catalog.Flags()))}
	}
	p.flags.reads("mechanism", "nominal")
	count := p.draws
	if d.Flag == "records" {
		count = p.records
		p.flags.reads("records")
	} else if !reflect.DeepEqual(d.New(mechanism.Options{Count: 2}), d.New(mechanism.Options{Count: 3})) {
		p.flags.reads("draws")
	}
	return d.New(mechanism.Options{Nominal: p.nominal, Delta: p.delta, Count: count}), nil
}

// noLevel says that no privacy level was asked for.
const noLevel = "--epsilon: want the privacy level, such as --epsilon 1 (or --rho; or plan --solve epsilon " +
	"--error E, which finds it)"

// privacy is the target asked for: one level, and no parameter of another.
func (p planFlags) privacy() (dp.Request, error) {
	f := p.flags
	for _, err := range []error{
		f.excludes("rho", "epsilon", "delta", "lambda", "nominal"), // ε and what goes with it
		f.excludes("lambda", "delta"),
	} {
		if err != nil {
			return dp.Request{}, err
		}
	}
	f.reads("adjacency")
	var t dp.Request
	switch {
	case f.given("rho"):
		f.reads("rho")
		if t = dp.ZCDP(p.rho); f.given("omega") {
			f.reads("omega")
			t = dp.TCDP(p.rho, p.omega)
		}
	case f.given("omega"):
		return t, &usageError{"--omega: want it with --rho"}
	case !f.given("epsilon") && p.solve != "epsilon":
		return t, &usageError{noLevel}
	case f.given("lambda"):
		f.reads("epsilon", "lambda")
		t = dp.RenyiDP(p.lambda, p.epsilon)
	case p.delta != 0: // --delta 0 asks for pure ε
		f.reads("epsilon", "delta")
		t = dp.ApproxDP(p.epsilon, p.delta)
	default:
		f.reads("epsilon", "delta")
		t = dp.PureDP(p.epsilon)
	}
	t.NominalScale = p.nominal
	var a dp.Adjacency
	if err := a.UnmarshalText([]byte(p.adjacency)); err != nil {
		return t, err
	}
	return t.Under(a), t.Valid()
}
