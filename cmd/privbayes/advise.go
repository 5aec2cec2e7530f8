package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/privbayes/privbayes-go/cmd/privbayes/internal/terminal"
	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/advise"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/catalog"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

const adviseSynopsis = `advise [--schema FILE --n N | --data NAME | --levels N --n N] --epsilon NUMBER [flags]

Compares every mechanism that applies, each with its best free choice, at 0.1, 0.3, 1, 3 and 10 times the asked level:
which one errs least, and by how much. With --sizes it compares at the asked level, over numbers of records. No row is
read, and no budget is used.`

var adviseExamples = []string{
	"privbayes advise --schema survey.schema.json --n 5000 --target answer --epsilon 1",
	"privbayes advise --levels 2 --n 1000 --epsilon 1 --error 0.002",
	"privbayes advise --levels 2 --sizes 50,500,5000 --epsilon 1 --figure advice.svg",
}

func adviseCommand(args []string, out, errs io.Writer) error {
	f, asJSON := longFlags("advise", adviseSynopsis)
	var p planFlags
	p.addModel(f)
	p.addLevel(f)
	p.addPublic(f)
	f.Float64Var(&p.error, "error", 0, "say also which level and which n reach this error")
	f.DurationVar(&p.time, "time", 10*time.Second, "what all rows together may take; what does not fit is named")
	f.BoolVar(&p.why, "why", false, "list also what does not apply, with the reasons")
	detailed := details(f)
	sizes := f.String("sizes", "", "compare at a `list` of numbers of records instead of --n, such as 50,500,5000")
	f.StringVar(&p.figure, "figure", "", "new `file` for the figure, .svg: error against ε, or against n with --sizes")
	if _, err := parse(f, args); err != nil {
		return err
	}
	if err := p.readSpec(); err != nil {
		return err
	}
	f.reads("time", "figure", "why")
	if !f.given("sizes") {
		f.reads("error")
		return p.advice(out, errs, *asJSON, *detailed)
	}
	if err := f.excludes("sizes", "n", "error", "why", "details"); err != nil {
		return err
	}
	f.reads("sizes")
	return p.sweep(out, errs, *sizes, *asJSON)
}

// sweep compares at the asked level over numbers of records.
func (p planFlags) sweep(out, errs io.Writer, list string, asJSON bool) error {
	var sizes []int
	for _, word := range strings.Split(list, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(word))
		if err != nil {
			return wrongFlag("sizes", list, "whole numbers separated by commas")
		}
		sizes = append(sizes, n)
	}
	p.n = max(sizes[0], 1) // any: OverN says what is wrong with the sizes
	sh, t, err := p.public()
	if err != nil {
		return err
	}
	ctx, end := p.flags.interruptible(errs, "compared")
	defer end()
	s, err := advise.OverN(ctx, sh, sizes, t, advise.Options{Time: p.time})
	if err != nil {
		return err
	}
	if err := p.draw(s.Figure()); err != nil {
		return err
	}
	if !asJSON {
		return wrote(out, displayIn(out, s, spoken), p.figure)
	}
	j := sweepJSON{Measure: s.At(0).Measure(), Terms: s.Figure().Caption}
	for i, n := range s.Sizes() {
		for _, r := range s.At(i).Rows(0) {
			j.Rows = append(j.Rows, sweepRow{n, rowOutput(r)})
		}
		j.Warnings = j.Warnings.And(worded(s.At(i).Warnings()))
	}
	return writeJSON(out, j)
}

// draw writes the figure that was asked for.
func (p planFlags) draw(f interface{ SVG() ([]byte, error) }) error {
	if p.figure == "" {
		return nil
	}
	return writeFigure(p.figure, f)
}

// writeFigure writes a figure to a file that is not there yet.
func writeFigure(path string, f interface{ SVG() ([]byte, error) }) error {
	b, err := f.SVG()
	if err == nil {
		err = writeNew(path, b)
	}
	return err
}

// sweepJSON is the JSON form of a comparison over numbers of records.
type sweepJSON struct {
	Measure  string       `json:"measure"`
	Terms    string       `json:"terms"`
	Rows     []sweepRow   `json:"rows"`
	Warnings warning.List `json:"warnings,omitempty"`
}

type sweepRow struct {
	N int `json:"n"`
	compareRow
}

// backwards sets ε or n to the smallest value whose plan expects at most the asked error of one proportion. Expected
// error falls in both, so bisection finds it; the plan that is then made states the error it really expects.
func (p *planFlags) backwards(ctx context.Context) error {
	p.flags.reads("solve", "error")
	for _, given := range []string{p.solve, "rho"} { // what is found is not given; ρ has no ε
		if p.flags.given(given) && (given != "rho" || p.solve == "epsilon") {
			return wrongUsage("plan: --solve %s and --%s; want one of them", p.solve, given)
		}
	}
	if !(p.error > 0 && p.error < 1) {
		return wrongFlag("error", p.error, "a proportion in (0, 1)")
	}
	if p.solve == "n" {
		n, err := p.search(ctx, 1, 1e14, 1, func(q *planFlags, x float64) { q.n = int(x) })
		p.n = int(n)
		return err
	}
	eps, err := p.search(ctx, 1e-6, 1e4, 0, func(q *planFlags, x float64) { q.epsilon = x })
	p.epsilon = eps
	return err
}

// search finds the smallest x in [lo, most], to six digits or to the given step, that meets the error once set.
func (p *planFlags) search(ctx context.Context, lo, most, step float64,
	set func(*planFlags, float64)) (float64, error) {
	meets := func(x float64) (bool, error) {
		q := *p
		set(&q, x)
		return q.meets(ctx)
	}
	hi := lo
	for {
		ok, err := meets(hi)
		if err != nil {
			return 0, err
		}
		if ok {
			break
		}
		if hi >= most {
			return 0, &unreachableError{p.solve, most, p.error}
		}
		lo, hi = hi, 4*hi
	}
	for hi-lo > math.Max(step, 1e-6*hi) {
		mid := lo + (hi-lo)/2
		if step > 0 {
			mid = math.Floor(mid)
		}
		ok, err := meets(mid)
		if err != nil {
			return 0, err
		}
		if ok {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi, nil
}

// meets reports whether the plan expects at most the asked error. The error of one proportion needs a public n.
func (p *planFlags) meets(ctx context.Context) (bool, error) {
	m, s, t, err := p.inputs()
	if err == nil {
		m, err = p.orUsual(ctx, m, s, t)
	}
	if err != nil {
		return false, err
	}
	x, ok := m.(mechanism.Expecter)
	if !ok {
		return false, wrongUsage("--solve works for noise on counts: geometric, discrete-gaussian, laplace and k-norm")
	}
	list, err := x.Expect(ctx, s, t)
	if err != nil {
		return false, err
	}
	e, ok := mechanism.ProportionError(list)
	if !ok {
		return false, wrongUsage("--solve needs a public n: use replace-one or replace-value adjacency")
	}
	return e <= p.error, nil
}

// unreachableError says that no ε or n in reach meets the error asked for.
type unreachableError struct {
	what  string
	most  float64
	error float64
}

func (e *unreachableError) Error() string {
	return fmt.Sprintf("--solve %s: no value up to %g meets an error of %g; ask for a larger error", e.what, e.most,
		e.error)
}

// shape is the model on the schema asked for.
func (p planFlags) shape() (*model.Shape, error) {
	p.flags.reads("n")
	if err := p.someRows(); err != nil {
		return nil, err
	}
	if p.flags.given("network") {
		return p.networkShape()
	}
	s, err := p.readSchema()
	if err == nil {
		s, err = p.withPresent(s)
	}
	if err != nil {
		return nil, misused(err)
	}
	n := p.rowsOf(s)
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
		return nil, wrongFlag("n", nil, "the public number of rows")
	}
	if p.present != "" && p.adjacency != "add-remove" {
		return nil, wrongUsage("--present %s: how many rows have a value is private; want --adjacency add-remove", p.present)
	}
	sh, err := model.NewShape(s, m, n, n >= 0, "--n was not given")
	return sh, misused(err)
}

// misused is a wrong usage where a model does not fit: what it is made of is on the command line.
func misused(err error) error {
	var e *model.Error
	var c *frame.ColumnError
	var f *privbayes.FormulaError
	if errors.As(err, &e) || errors.As(err, &c) || errors.As(err, &f) {
		return &usageError{text: err.Error(), err: err}
	}
	return err
}

// spec is the model asked for, on the columns of a schema.
func (p planFlags) spec(s *frame.Schema) (model.Model, error) {
	target := p.target
	if p.learned.on {
		return p.learnedSpec()
	}
	if p.flags.given("formula") || p.described != nil && p.described.Formula != "" {
		return p.byFormula()
	}
	if model.ByFormula(p.model) {
		return nil, wrongFlag("formula", nil, "the formula of --model %s, such as \"y ~ x*z\"", p.model)
	}
	if p.flags.given("network") {
		if err := p.flags.excludes("network", inPlaceOf["network"]...); err != nil {
			return nil, err
		}
		if p.described != nil {
			return nil, wrongUsage("--network and a --spec with a model; want one of them")
		}
		p.flags.reads("network", "target", "alpha")
		d, err := p.graph()
		if err != nil {
			return nil, err
		}
		if target == "" {
			target = d.Node(0).Name
		}
		m := model.NetworkOf(target, d)
		if !p.flags.given("alpha") { // intervals then have the prior that nodes of many parent rows share
			return m, nil
		}
		prior, err := p.prior()
		return m.WithPrior(prior...), err
	}
	if err := p.flags.excludes("table", inPlaceOf["table"]...); err != nil {
		return nil, err
	}
	d, err := p.description(len(s.Columns) == 1)
	if err != nil {
		return nil, err
	}
	if p.flags.given("table") {
		p.flags.reads("table")
		list, err := columnsIn("table", p.crossed)
		if err != nil {
			return nil, err
		}
		d.Target, d.Features = list[0], list[1:]
	}
	kind := d.Kind
	if target = cmp.Or(target, d.Target); target == "" && len(s.Columns) == 1 {
		target = s.Columns[0].Name
	}
	p.flags.reads("model", "target")
	for _, q := range parameters {
		if takes(kind, q.set) {
			p.flags.reads(q.flag)
		} else if p.flags.given(q.flag) {
			return nil, wrongUsage("--%s: model %s has no such parameter", q.flag, kind)
		}
	}
	if len(d.Alpha) > 0 { // models of means have no hyperparameters
		p.flags.reads("alpha")
		if p.described == nil || p.flags.given("alpha") {
			if d.Alpha, err = p.prior(); err != nil {
				return nil, err
			}
		}
	}
	if d.Target = target; p.features != "" {
		if d.Features, err = columnsIn("features", p.features); err != nil {
			return nil, err
		}
	}
	if err := p.numbers.describe(p.flags, &d); err != nil {
		return nil, err
	}
	if target == "" && d.Learned == nil {
		return nil, wrongFlag("target", nil, "the column that is modelled, or the class of naive Bayes: one of %s",
			strings.Join(s.Names(), ", "))
	}
	switch groups := len(d.Features); {
	case kind == "group-means" && groups == 0:
		return nil, wrongFlag("features", nil, "the column of the groups: one of %s", strings.Join(s.Names(), ", "))
	case kind == "group-means" && groups > 1:
		return nil, wrongFlag("features", p.features, "one column of groups, of %s", strings.Join(s.Names(), ", "))
	}
	m, err := d.Model()
	return m, misused(err)
}

// description is the model that --model or --spec names, or the usual one, of one column or of several, with the
// parameters that it has so far.
func (p planFlags) description(one bool) (model.Description, error) {
	kind := p.model
	if p.flags.given("table") {
		kind = "table"
	}
	switch {
	case p.described != nil && kind != "" && kind != p.described.Kind:
		return model.Description{}, wrongUsage("--model %s and a --spec with a model of kind %s; want one of them", kind,
			p.described.Kind)
	case p.described != nil:
		return *p.described, nil
	case kind == "" && one:
		kind = "categorical"
	case kind == "":
		kind = "naive-bayes"
	}
	d, err := model.Describe(kind)
	if err != nil {
		return d, wrongFlag("model", kind, "%s%s", strings.Join(modelKinds(), ", "), meant(kind, modelKinds()))
	}
	return d, nil
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
	{"at", func(d *model.Description) { d.Quantiles = []float64{.5} }},
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
	out, err := numbersIn(p.alpha)
	if err != nil {
		return nil, wrongFlag("alpha", p.alpha, "numbers > 0 separated by commas")
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
		return nil, wrongUsage("want exactly one of --data, --schema and --levels")
	}
	switch {
	case p.flags.given("data"):
		_, s, err := data.Open(p.dataset)
		if err != nil {
			return nil, wrongFlag("data", p.dataset, "one of %s%s", strings.Join(data.Names(), ", "),
				meant(p.dataset, data.Names()))
		}
		return s, nil
	case p.flags.given("schema"):
		return readSchemaFile(p.schema)
	}
	if p.levels < 2 || p.levels > 65536 {
		return nil, wrongFlag("levels", p.levels, "2 … 65536")
	}
	cats := make([]string, p.levels)
	for i := range cats {
		cats[i] = fmt.Sprint(i + 1)
	}
	return &frame.Schema{Dataset: "unnamed", Columns: []frame.Column{frame.Categorical("value", cats...)}}, nil
}

// compareFactors are the levels compared, times the asked one, which is the middle of the list.
var compareFactors = []float64{.1, .3, 1, 3, 10}

const compareMiddle = 2

// advice compares mechanisms around the asked level: nothing is drawn from data, no budget is used. Progress goes to
// errs.
func (p planFlags) advice(out, errs io.Writer, asJSON, detailed bool) error {
	ctx, end := p.flags.interruptible(errs, "compared")
	defer end()
	if p.error != 0 && !(p.error > 0) {
		return wrongFlag("error", p.error, "a number > 0")
	}
	sh, t, err := p.public()
	if err != nil {
		return err
	}
	var targets []dp.Request
	for _, factor := range compareFactors {
		next := t
		next.Epsilon = cert.Number(factor) * t.Epsilon
		next.Rho = factor * t.Rho
		targets = append(targets, next)
	}
	a, err := advise.For(ctx, sh, targets, advise.Options{Time: p.time})
	if err != nil {
		return err
	}
	if err := p.draw(a.Figure()); err != nil {
		return err
	}
	j := compareJSON{Measure: a.Measure(), Terms: a.Figure().Caption, Warnings: worded(a.Warnings())}
	for i := range targets {
		j.Recommended = append(j.Recommended, spoken(a.Reason(i)))
		for _, r := range a.Rows(i) {
			if r.Refused == "" || r.LeftOut || p.why {
				j.Rows = append(j.Rows, rowOutput(r))
			}
		}
	}
	for _, line := range a.LeftOut() {
		j.LeftOut = append(j.LeftOut, spoken(line))
	}
	if d, err := catalog.Usual(ctx, sh, t); err == nil {
		j.Usual = d.Flag
	}
	for _, c := range a.Crossovers() {
		j.Crossings = append(j.Crossings, compareCrossing(c))
	}
	if p.error > 0 {
		if j.Backwards, err = reach(ctx, a, p.error); err != nil {
			return err
		}
	}
	if asJSON {
		return writeJSON(out, j)
	}
	shown := adviceTable(a)
	if detailed {
		shown = a.Table()
	}
	if err := displayIn(out, terminal.Tables{shown}, spoken); err != nil {
		return err
	}
	if _, err := io.WriteString(out, worded(a.Warnings()).String()); err != nil {
		return err
	}
	if j.Usual != "" {
		fmt.Fprintf(out, "Without --mechanism, %s is used.\n", j.Usual)
	}
	if p.why {
		fmt.Fprintln(out)
		if err := displayIn(out, terminal.Tables{a.NotApplicable(compareMiddle)}, spoken); err != nil {
			return err
		}
	}
	if j.Backwards != nil {
		fmt.Fprintf(out, "\n%s", j.Backwards)
	}
	return wrote(out, nil, p.figure)
}

// compareJSON is the JSON form of a comparison.
type compareJSON struct {
	Measure     string            `json:"measure"`
	Terms       string            `json:"terms"`
	Recommended []string          `json:"recommended"`
	Usual       string            `json:"usual,omitempty"` // the mechanism where none is asked for
	Crossings   []compareCrossing `json:"crossings,omitempty"`
	Backwards   *compareReach     `json:"backwards,omitempty"`
	LeftOut     []string          `json:"left_out,omitempty"`
	Rows        []compareRow      `json:"rows"`
	Warnings    warning.List      `json:"warnings,omitempty"`
}

type compareRow struct {
	Mechanism string   `json:"mechanism"`
	Target    string   `json:"target"`
	Choice    string   `json:"choice,omitempty"`
	Flags     string   `json:"flags,omitempty"` // that ask for it
	Certified string   `json:"certified,omitempty"`
	Error     *float64 `json:"error,omitempty"`
	SE        *float64 `json:"standard_error,omitempty"`
	How       string   `json:"how,omitempty"`
	Refused   string   `json:"refused,omitempty"`
	LeftOut   bool     `json:"left_out,omitempty"` // it may apply, but takes more time or memory than there is
	Reduced   string   `json:"reduced,omitempty"`
}

func rowOutput(r advise.Row) compareRow {
	row := compareRow{Mechanism: r.Mechanism, Target: r.Target.Parameters.String(), Refused: spoken(r.Refused),
		LeftOut: r.LeftOut, Reduced: r.Reduced}
	if r.Refused == "" {
		row.Choice, row.Certified, row.Error, row.SE, row.How = r.Choice, r.Certified.String(), &r.Error, &r.SE,
			string(r.How)
		if flags := spoken(r.Go); strings.HasPrefix(flags, "--mechanism ") && !strings.Contains(flags, "(") {
			row.Flags = flags
		}
	}
	return row
}

type compareCrossing struct {
	Level float64 `json:"level"`
	From  string  `json:"from"`
	To    string  `json:"to"`
}
