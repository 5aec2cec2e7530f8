package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"reflect"
	"strings"
	"time"

	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/catalog"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/regression"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/sensitivity"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

const planSynopsis = `plan [--schema FILE --n N | --data NAME | --levels N --n N] --epsilon NUMBER [flags]

Calibrates a release and proves its guarantee. No row is read, and no budget is used.`

var planExamples = []string{
	"privbayes plan --data votes --target Class --epsilon 1",
	"privbayes plan --levels 5 --n 1000 --solve epsilon --error 0.01",
	"privbayes plan --network asia --n 5000 --mechanism fourier --epsilon 1",
	"privbayes plan --data votes --target Class --epsilon 1 --figure attack.svg",
}

func planCommand(args []string, out, _ io.Writer) error {
	fs, asJSON := newFlags("plan", planSynopsis)
	var p planFlags
	p.add(fs)
	detailed := details(fs)
	fs.reads("figure")
	picture := fs.String("figure", "", "draw what the best attack finds out about one unit to this `file`, a new SVG file")
	if _, err := parse(fs, args); err != nil {
		return err
	}
	switch {
	case *picture != "" && filepath.Ext(*picture) != ".svg":
		return wrongFlag("figure", *picture, "a file name that ends in .svg")
	case *picture != "" && exists(*picture):
		return wrongFlag("figure", *picture, "a new file: this one is there")
	}
	if err := p.readSpec(); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := p.privateN(); err != nil {
		return err
	}
	switch p.solve {
	case "":
	case "epsilon", "n":
		if err := p.backwards(ctx); err != nil {
			return err
		}
	default:
		return wrongFlag("solve", p.solve, "epsilon or n")
	}
	plan, err := p.plan(ctx)
	if err != nil {
		return err
	}
	if *picture != "" {
		f, err := plan.TradeOff(ctx)
		if err != nil {
			return err
		}
		if err := writeFigure(*picture, f); err != nil {
			return err
		}
	}
	if *asJSON {
		j, err := p.planOutput(ctx, plan)
		if err != nil {
			return err
		}
		return writeJSON(out, j)
	}
	return wrote(out, tell(out, planText(ctx, plan, *detailed, fitted(out))+p.named()), *picture)
}

// named says which mechanism was taken where none was asked for.
func (p planFlags) named() string {
	if p.flags.given("mechanism") || p.learned.on {
		return ""
	}
	return fmt.Sprintf("Mechanism: %s, the default for this model. \"privbayes advise\" compares it with others.\n",
		p.mechanism)
}

// planJSON is the JSON form of a plan with what follows from it.
type planJSON struct {
	Decision        string             `json:"decision,omitempty"` // of a structure to learn: whether that pays
	Plan            *mechanism.Plan    `json:"plan"`
	Spec            *spec              `json:"spec"`
	Certified       dp.Guarantee       `json:"certified"`
	StandardFormula dp.Parameters      `json:"textbook"`
	Sensitivity     map[string]int     `json:"sensitivity"`
	Expected        map[string]float64 `json:"expected"`
	AttackPower     float64            `json:"attack_power"` // of the best attack, at 5 % false alarms
	Certificate     *cert.Certificate  `json:"certificate"`
	Warnings        warning.List       `json:"warnings,omitempty"`
	HTML            string             `json:"html"` // the plan and its checks for a page
}

func (f planFlags) planOutput(ctx context.Context, p *mechanism.Plan) (planJSON, error) {
	again, err := f.specOf(p)
	j := planJSON{Plan: p, Spec: again, Certified: p.Certified(), StandardFormula: p.StandardFormula().Level,
		AttackPower: p.AttackPower(ctx, .05), Certificate: p.Certificate(), Expected: map[string]float64{},
		Warnings: worded(p.Warnings())}
	j.HTML = p.Table().HTML() + j.Certificate.Summary().HTML() + j.Warnings.HTML()
	for _, e := range p.Expected() {
		j.Expected[e.Name] = e.Value
	}
	if s, err := sensitivity.OfCounts(p.Shape(), p.Target().Adjacency); err == nil {
		j.Sensitivity = map[string]int{"l1": s.L1(), "l2_squared": s.L2Squared()}
	}
	return j, err
}

// inputs resolves mechanism, shape and target.
func (p planFlags) inputs() (mechanism.Mechanism, *model.Shape, dp.Request, error) {
	m, err := p.choose()
	if err != nil {
		return m, nil, dp.Request{}, err
	}
	s, t, err := p.public()
	return m, s, t, err
}

// privateN refuses a number of rows that a plan makes no use of, since it is private.
func (p planFlags) privateN() error {
	if p.flags.given("n") && p.adjacency == dp.AddRemove.String() {
		return wrongUsage("%s: --n and --adjacency add-remove, under which the number of rows is private; "+
			"want one of them", commandOf(p.flags))
	}
	return nil
}

// someRows refuses a number of rows that no table has.
func (p planFlags) someRows() error {
	if p.flags.given("n") && p.n < 1 {
		return wrongFlag("n", p.n, "at least 1 row")
	}
	return nil
}

// public resolves shape and target, the last that flags are read for.
func (p planFlags) public() (*model.Shape, dp.Request, error) {
	s, err := p.shape()
	if err != nil {
		return nil, dp.Request{}, err
	}
	t, err := p.privacy()
	if err == nil {
		err = p.flags.unread()
	}
	return s, t, err
}

func (p *planFlags) plan(ctx context.Context) (*mechanism.Plan, error) {
	m, s, t, err := p.inputs()
	if err == nil {
		m, err = p.orUsual(ctx, m, s, t)
	}
	if err == nil {
		m, err = catalog.For(s, m)
	}
	if err != nil {
		return nil, err
	}
	return m.Plan(ctx, s, t)
}

// orUsual is the mechanism that was chosen, or the usual one, whose name it notes: with --anyway also where there are
// few rows for it.
func (p *planFlags) orUsual(ctx context.Context, m mechanism.Mechanism, sh *model.Shape, t dp.Request) (
	mechanism.Mechanism, error) {
	if m != nil {
		return m, nil
	}
	d, err := catalog.Usual(ctx, sh, t)
	var few *regression.NotWorthError
	if err != nil && !(p.anyway && errors.As(err, &few)) {
		return nil, err
	}
	p.mechanism = d.Flag
	return p.made(d)
}

// planFlags are the public inputs of a plan.
type planFlags struct {
	mechanism, model, target, features, schema, dataset, network, adjacency, figure string
	post, specText, crossed, formula, present                                       string
	described                                                                       *model.Description // by --spec
	levels, n                                                                       int
	epsilon, delta, rho, lambda, omega                                              float64
	records, draws                                                                  int
	alpha                                                                           string
	nominal, intervals, byUnit, anyway, why, held, unweighted                       bool
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
	fs.StringVar(&p.solve, "solve", "", "find the smallest ε, or n, that meets --error")
	fs.Float64Var(&p.error, "error", 0, "with --solve: mean absolute error of one estimated proportion, such as 0.01")
}

// addMechanism declares what says how to release.
func (p *planFlags) addMechanism(fs *flagSet) {
	fs.StringVar(&p.mechanism, "mechanism", "", "how noise is added: "+strings.Join(catalog.Flags(), ", ")+" (default: "+
		"geometric for counts, noisy-sums for means and rates, tokens under a weight, else the first "+
		"that plans for the model)")
	fs.StringVar(&p.post, "post-process", "", "what is made of noisy counts, if not the usual: "+
		strings.Join(postNames(), ", "))
	fs.BoolVar(&p.nominal, "nominal", false, "the paper's own formula at ε (and δ), with the privacy it really has; "+
		"hellinger: local sensitivity, or smooth with δ; dirichlet-raw: Algorithm 1, with --lambda or --delta")
	fs.BoolVar(&p.intervals, "intervals", false, "with --mechanism quantile-em and joint-quantiles: draw the ends of a "+
		"95 % interval of every quantile, too, from the same budget")
	fs.BoolVar(&p.byUnit, "by-unit", false, "under a unit_key in the schema: release also how alike the rows of "+
		"a unit are; of means (--mechanism noisy-sums), and of one table (geometric)")
	fs.BoolVar(&p.anyway, "anyway", false, "with --mechanism fisher-scoring and contingency-table: plan also where "+
		"there are so few rows that intervals are mostly those of the prior")
	fs.BoolVar(&p.held, "held-as-given", false, "with --mechanism tokens: intervals also of weights computed from the "+
		"respondents, with others' weights held as given")
	fs.IntVar(&p.draws, "draws", 1, "draws of --mechanism posterior-sample and linear-sampler")
	fs.IntVar(&p.records, "records", 1000, "synthetic records of --mechanism records")
}

// usualAlpha is the hyperparameter where none is asked for.
const usualAlpha = "1"

// addModel declares what says what is inferred.
func (p *planFlags) addModel(fs *flagSet) {
	fs.StringVar(&p.specText, "spec", "", specWords)
	fs.StringVar(&p.model, "model", "", strings.Join(modelKinds(), ", ")+
		" (default: categorical of one column, else naive-bayes)")
	fs.StringVar(&p.crossed, "table", "", "the contingency table of some `columns`, such as sex,region: in place "+
		"of --model, --target and --features")
	fs.StringVar(&p.formula, "formula", "", "regression of a `formula` such as \"wage ~ school*sex + poly(age, 2)\", in "+
		"place of --target and --features; --model is "+strings.Join(formulaKinds(), ", ")+" (default: the first)")
	fs.StringVar(&p.target, "target", "", "the `column` that is modelled, or the class of naive Bayes")
	fs.StringVar(&p.features, "features", "", "the features of naive Bayes, `columns` separated by commas, one with a "+
		"comma in double quotes (default: all others); the other columns of means and table; the groups of group-means "+
		"and total")
	fs.StringVar(&p.schema, "schema", "", "schema `file`, JSON")
	fs.StringVar(&p.network, "network", "", "a Bayesian network in a BIF `file`, or an embedded one (asia, sachs); "+
		"--target is a node (default: the first)")
	fs.StringVar(&p.alpha, "alpha", usualAlpha,
		"prior hyperparameter of every cell, or a `list` with one per level, such as 7,4; of --network, if given, for "+
			"intervals, too, whose prior else has rows with a common centre")
	p.numbers.add(fs)
}

// addLevel declares the privacy asked for.
func (p *planFlags) addLevel(fs *flagSet) {
	p.flags = fs
	fs.Float64Var(&p.epsilon, "epsilon", 0, "ε, the privacy level, such as 1")
	fs.Float64Var(&p.delta, "delta", 0, "δ, such as 1e-6: with --epsilon, for (ε, δ)-DP")
	p.addRho(fs, ", instead of --epsilon")
	fs.Float64Var(&p.omega, "omega", 0, "ω: with --rho, for truncated concentrated DP of all orders up to ω")
	fs.Float64Var(&p.lambda, "lambda", 0, "λ, the order of Rényi DP, with --epsilon")
}

// addRho declares ρ and the adjacency, where no other level is planned for.
func (p *planFlags) addRho(fs *flagSet, instead string) {
	p.flags = fs
	fs.Float64Var(&p.rho, "rho", 0, "ρ of zero-concentrated DP, such as 0.1"+instead)
	fs.StringVar(&p.adjacency, "adjacency", "replace-one", "which tables are neighbours: one row is another, is there or "+
		"not, has another value in one column, or is another of its stratum (replace-one, add-remove, replace-value or "+
		"\"replace-one within strata\")")
}

// addPublic declares the public facts of a table that is not read.
func (p *planFlags) addPublic(fs *flagSet) {
	fs.StringVar(&p.dataset, "data", "", "the `name` of an embedded data set: its schema and n; its rows are not read")
	fs.IntVar(&p.levels, "levels", 0, "instead of a schema: one column with this many categories")
	fs.IntVar(&p.n, "n", -1, "the public number of rows (default: that of --data, or of the schema's strata "+
		"that no unit leaves)")
	p.addPresent(fs, "")
}

// addPresent declares the column whose rows with a value are kept.
func (p *planFlags) addPresent(fs *flagSet, when string) {
	fs.StringVar(&p.present, "present", "", "keep the rows that have a value in this `column`"+when+"; how many "+
		"there are is private: with --adjacency add-remove")
	fs.BoolVar(&p.unweighted, "unweighted", false, "under a weight in the schema: rows stand for themselves"+when)
}

// withPresent is the schema of the rows that are kept.
func (p planFlags) withPresent(s *frame.Schema) (*frame.Schema, error) {
	p.flags.reads("present", "unweighted")
	if p.unweighted {
		if s.Weighted() == nil {
			return nil, wrongUsage("--unweighted: it is for a schema with a weight")
		}
		s = s.Unweighted()
	}
	if !p.flags.given("present") {
		return s, nil
	}
	return s.Present(p.present)
}

// choose is the mechanism asked for, nil where none is.
func (p planFlags) choose() (mechanism.Mechanism, error) {
	p.flags.reads("mechanism", "nominal", "post-process", "intervals", "by-unit", "anyway", "held-as-given")
	if p.mechanism == "" {
		return nil, nil
	}
	d, ok := catalog.ByFlag(p.mechanism)
	if !ok {
		return nil, wrongFlag("mechanism", p.mechanism, "%s%s",
			strings.Join(catalog.Flags(), ", "), meant(p.mechanism, catalog.Flags()))
	}
	if d.Flag == "records" {
		p.flags.reads("records")
	} else if !reflect.DeepEqual(d.New(mechanism.Options{Count: 2}), d.New(mechanism.Options{Count: 3})) {
		p.flags.reads("draws")
	}
	return p.made(d)
}

// made is a mechanism with the options that flags say.
func (p planFlags) made(d mechanism.Descriptor) (mechanism.Mechanism, error) {
	flag, count := "draws", p.draws
	if d.Flag == "records" {
		flag, count = "records", p.records
	}
	if count < 1 {
		return nil, wrongFlag(flag, count, "at least 1")
	}
	m := d.New(mechanism.Options{Nominal: p.nominal, Delta: p.delta, Count: count})
	var err error
	for _, step := range []struct {
		asked bool
		with  func(mechanism.Mechanism) (mechanism.Mechanism, error)
	}{
		{p.post != "", func(m mechanism.Mechanism) (mechanism.Mechanism, error) { return processed(m, p.post) }},
		{p.byUnit, byUnit}, {p.anyway, anyway}, {p.held, heldAsGiven}, {p.intervals, withIntervals},
	} {
		if step.asked && err == nil {
			m, err = step.with(m)
		}
	}
	return m, err
}

// noLevel is what is wanted where no privacy level was asked for.
const noLevel = "the privacy level, such as --epsilon 1 (or --rho; or plan --solve epsilon --error 0.01, which " +
	"finds it)"

// privacy is the target asked for: one level, and no parameter of another.
func (p planFlags) privacy() (dp.Request, error) {
	f := p.flags
	for _, err := range []error{
		f.excludes("rho", inPlaceOf["rho"]...), f.excludes("lambda", inPlaceOf["lambda"]...),
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
		return t, wrongFlag("omega", nil, "it with --rho")
	case !f.given("epsilon") && p.solve != "epsilon":
		return t, wrongFlag("epsilon", nil, noLevel)
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
		return t, wrongFlag("adjacency", p.adjacency, "one of %s%s", strings.Join(choices["adjacency"](), ", "),
			meant(p.adjacency, choices["adjacency"]()))
	}
	return t.Under(a), f.inFlag(t.Valid())
}
