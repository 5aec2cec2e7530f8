package main

import (
	"flag"
	"fmt"
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
	nominal, compare, noLevel                                                       bool
	solve                                                                           string
	error                                                                           float64
	time                                                                            time.Duration
	numbers                                                                         numberFlags
	learned                                                                         learnedFlags
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

// usualAlpha is the hyperparameter where none is asked for.
const usualAlpha = "1"

// addModel declares what says what is inferred.
func (p *planFlags) addModel(fs *flag.FlagSet) {
	fs.StringVar(&p.model, "model", "", "categorical, binary, naive-bayes, linear-regression, logistic-regression, "+
		"mean, means, mean-sd, group-means, poisson, exponential, laplace-scale or normal-precision "+
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
