package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/catalog"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

const learnSynopsis = "" +
	`learn --schema FILE --data FILE --epsilon NUMBER --out RELEASE [--algorithm pairs|tree|cliques|privbayes] ` +
	`[--budget BUDGET] [flags]
learn --plan [--schema FILE --n N | --data FILE] --epsilon NUMBER [flags]

Learns which columns depend on one another and releases a network of them: what "release" does for a model whose
structure is given. The plan decides first whether learning is expected to help, and releases every column separately
where it is not; --always learns all the same. If you run it again, it loads the file: no new noise, no charge.

With --plan it shows that decision, the noise and the checks. It generates, charges and writes nothing, whatever else is
given. Rows are not read where --n declares how many there are, under add-remove, or of an embedded data set; else
they are counted.`

var learnExamples = []string{
	"privbayes learn --schema survey.schema.json --data survey.csv --epsilon 3 --delta 1e-9 " +
		"--mechanism discrete-gaussian --budget survey.budget --out survey.release.json",
	"privbayes learn --plan --schema survey.schema.json --n 5000 --epsilon 3 --delta 1e-9",
	"privbayes learn --data votes --epsilon 10 --algorithm tree --target Class --out votes.release.json",
	"privbayes learn --data votes --epsilon 10 --algorithm privbayes --degree 1 --mechanism laplace --nominal " +
		"--out published.release.json",
}

// usualScore is that of PrivBayes.
const usualScore = string(model.ByDistance)

// rowsOnly is the help of --adjacency where a row is replaced, added or removed as a whole.
const rowsOnly = "which tables are neighbours: one row is another, or is there or not"

// learnedFlags are the public choices of a learned structure.
type learnedFlags struct {
	on               bool
	algorithm, star  string
	score            string
	width, cap, size int
	degree           int
	always, evenly   bool
	statements       bool
	evenlyColumns    string
	zeros            []map[string]string
	workload         []model.WorkloadQuery
	reserve          [][2]string
	ordered          [][]string
	determines       []string // files
}

// addLearning declares the flags of learn: those of a release that have a meaning for a learner, and its own.
func (r *releaseFlags) addLearning(f *flagSet) {
	p := &r.planFlags
	p.draws, p.records = 1, 1
	f.StringVar(&p.mechanism, "mechanism", "geometric", "the noise: geometric; discrete-gaussian, for targets other "+
		"than pure ε; or laplace, with --algorithm privbayes")
	f.BoolVar(&p.nominal, "nominal", false, "the paper's own formula at ε, with the privacy that it really has; with "+
		"--algorithm privbayes")
	p.addLearned(f)
	p.addLevel(f)
	f.Lookup("adjacency").Usage = rowsOnly
	f.BoolVar(&r.planOnly, "plan", false, "show the plan with its decision; nothing is generated, charged or written")
	f.IntVar(&p.n, "n", -1, "with --plan: the public number of rows to learn from (default: counted)")
}

// planned shows the plan of what would be learned.
func (r *releaseFlags) planned(out, errs io.Writer, asJSON bool) error {
	// "whatever else is given": a call is tried by --plan as it stands
	r.flags.reads(append(written, "plan", "n", "split", "budget", "out", "seed", "data")...)
	// n is of the rows learned from
	if err := cmp.Or(r.flags.excludes("n", "split"), r.privateN(), r.someRows()); err != nil {
		return err
	}
	mech, err := r.choose()
	if err != nil {
		return err
	}
	t, err := r.privacy()
	if err != nil {
		return err
	}
	ctx, end := r.flags.interruptible(errs, "prepared")
	defer end()
	sh, err := r.learnedShape(ctx, t.Adjacency)
	if err != nil {
		return err
	}
	if mech, err = catalog.For(sh, mech); err != nil {
		return err
	}
	plan, err := mech.Plan(ctx, sh, t)
	if err != nil {
		return err
	}
	if asJSON {
		j, err := r.planOutput(ctx, plan)
		if err != nil {
			return err
		}
		j.Decision = plan.Setting("decision")
		return writeJSON(out, j)
	}
	return tell(out, helps(plan, fitted(out))+"\n"+planText(ctx, plan, r.detailed, fitted(out))+
		"Nothing was generated, charged or written.\n")
}

// helps answers whether learning is expected to help.
func helps(p *mechanism.Plan, text func(*table.Table) string) string {
	answer := p.Setting("decision")
	if n, ok := p.Shape().N(); ok {
		answer += ". This table has " + table.Count(n, "row")
	}
	return text(table.New("Will learning the structure help?").Note(answer + "."))
}

// learnedShape is the shape to plan for. Rows are read where nothing else says how many there are.
func (r *releaseFlags) learnedShape(ctx context.Context, adjacency dp.Adjacency) (*model.Shape, error) {
	var s *frame.Schema
	var err error
	if len(r.table.data) == 0 && r.schema != "" {
		s, err = readSchemaFile(r.schema)
	} else {
		s, err = r.table.schemaOf(r.schema)
	}
	if err != nil {
		return nil, err
	}
	r.flags.reads("schema")
	spec, err := r.spec(s)
	if err == nil {
		err = r.flags.unread()
	}
	if err != nil {
		return nil, err
	}
	n, public := r.n, adjacency.PublicN()
	if name, ok := r.table.embedded(); ok && n < 0 && r.split == "" {
		info, err := data.Info(name)
		if err != nil {
			return nil, err
		}
		n = info.Rows
	}
	if n < 0 && public {
		if len(r.table.data) == 0 {
			return nil, wrongFlag("n", nil, "the public number of rows, or --data to count them")
		}
		r.table.rows = r.split != ""
		r.countsOnly(spec)
		table := r.table.read(ctx, s)
		if err := table.Err(); err != nil {
			return nil, err
		}
		if table, err = r.train(table, adjacency); err != nil {
			return nil, err
		}
		sh, err := table.Model(spec).Shape()
		return sh, misused(err)
	}
	sh, err := model.NewShape(s, spec, n, n >= 0, "--n was not given")
	return sh, misused(err)
}

// countsOnly has CSV files read once and without keeping rows, where a structure is learned from counts that are known
// beforehand.
func (r *releaseFlags) countsOnly(spec model.Model) {
	if r.learned.on && (r.learned.algorithm == "pairs" || r.learned.algorithm == "tree") {
		r.table.counts = []model.Model{spec}
	}
}

// addLearned declares what says what is learned.
func (p *planFlags) addLearned(f *flagSet) {
	l := &p.learned
	l.on = true
	f.StringVar(&p.schema, "schema", "", "schema `file`, JSON")
	f.StringVar(&p.target, "target", "", "the `column` that predict predicts (default: the first)")
	f.StringVar(&p.features, "features", "",
		"the `columns` of the network with --target, separated by commas (default: all)")
	f.StringVar(&l.algorithm, "algorithm", "pairs",
		"what is learned: pairs, fitted by maximum entropy; a tree; cliques; or privbayes, as published, with "+
			"--mechanism laplace")
	f.IntVar(&l.degree, "degree", 0, "most parents of a column, with --algorithm privbayes (default: by usefulness)")
	f.StringVar(&l.score, "score", usualScore, "I, R or F, with --algorithm privbayes")
	f.StringVar(&l.star, "star", "", "a public structure instead: every column depends on this `column`")
	f.IntVar(&l.width, "width", 3, "most columns of a clique, 2 or 3, with --algorithm cliques")
	f.IntVar(&l.cap, "max-cells", 0, "most cells of a measured table, or of a clique of the fit, if not the usual")
	f.IntVar(&l.size, "size", 0, "a public number of records to decide by, where n is private")
	f.Var(repeated(l.zero), "zero", "a `combination` that no record can have, such as sex=male,pregnant=yes: public "+
		"knowledge, and not what the rows lack; a part with a comma in double quotes; may be repeated")
	f.Var(repeated(l.order), "ordered", "`columns` whose values do not decrease from one to the next, such as start,end: "+
		"public knowledge; may be repeated")
	f.Var(repeated(func(path string) error { l.determines = append(l.determines, path); return nil }), "determines",
		"CSV `file` of two columns, with a header such as city,country: which category of the second goes with each of "+
			"the first; public knowledge; may be repeated")
	f.Var(repeated(l.query), "workload", "a `table` that is to be answered well, such as income or age,sex, or "+
		"3:age,sex with a weight; may be repeated")
	f.Var(repeated(l.pair), "reserve", "a `pair` of columns, such as age,income, that can be measured whatever is chosen "+
		"before it; may be repeated")
	f.BoolVar(&l.always, "always", false, "learn whatever the plan expects of it")
	f.BoolVar(&l.statements, "statements", false, "measure how far the model's table of every pair of columns is from "+
		"the rows', at 5 % of the budget")
	f.BoolVar(&l.evenly, "evenly", false, "draw synthetic numbers evenly within bins, and measure no sums within bins")
	f.StringVar(&l.evenlyColumns, "evenly-columns", "", "the same for these `columns` only, separated by commas")
}

// learnedSpec is the model asked for.
func (p planFlags) learnedSpec() (model.Model, error) {
	l, f, target, features := p.learned, p.flags, p.target, p.features
	// nothing is chosen of a star
	err := cmp.Or(f.excludes("star", "algorithm", "width", "always", "size", "workload", "reserve",
		"statements"), f.excludes("evenly", "evenly-columns"))
	if err != nil {
		return nil, err
	}
	for flag, algorithm := range map[string]string{"degree": "privbayes", "score": "privbayes", "width": "cliques"} {
		if f.given(flag) && l.algorithm != algorithm {
			return nil, wrongUsage("learn: --%s with --algorithm %s; want --algorithm %s, whose choice "+
				"it is", flag, l.algorithm, algorithm)
		}
	}
	for flag, value := range map[string]int{"degree": l.degree, "max-cells": l.cap, "size": l.size} {
		if f.given(flag) && value == 0 {
			return nil, wrongFlag(flag, value, "1 or more, or no such flag for the usual")
		}
	}
	if f.given("size") && p.adjacency != "add-remove" {
		return nil, wrongUsage("learn: --size with --adjacency %s, under which the number of rows is public; want "+
			"--adjacency add-remove", p.adjacency)
	}
	f.reads("target", "features", "algorithm", "degree", "score", "star", "width", "max-cells", "size", "zero", "ordered",
		"determines", "workload", "reserve", "always", "statements", "evenly", "evenly-columns")
	var m model.LearnedModel
	switch l.algorithm {
	case "pairs":
		m = model.MaxEntropy()
	case "tree":
		m = model.Tree()
	case "cliques":
		m = model.Cliques(l.width)
	case "privbayes":
		m = model.PrivBayes().Degree(l.degree).Scored(model.ParentScore(l.score))
	default:
		return nil, wrongFlag("algorithm", l.algorithm, "pairs, tree, cliques or privbayes")
	}
	m = m.Classifying(target).Star(l.star).MaxCells(l.cap).Size(l.size)
	if features != "" {
		columns, err := columnsIn("features", features)
		if err != nil {
			return nil, err
		}
		if target != "" && !slices.Contains(columns, target) {
			columns = append([]string{target}, columns...)
		}
		m = m.Of(columns...)
	}
	if l.always {
		m = m.Always()
	}
	if l.statements {
		m = m.Statements()
	}
	if m, err = l.sums(m); err != nil {
		return nil, err
	}
	for _, q := range l.workload {
		m = m.Workload(q.Weight, q.Columns...)
	}
	for _, p := range l.reserve {
		m = m.Reserve(p[0], p[1])
	}
	return l.ruled(m.StructuralZeros(l.zeros...))
}

// ruled is a model with the rules that were declared.
func (l *learnedFlags) ruled(m model.LearnedModel) (model.Model, error) {
	for _, columns := range l.ordered {
		m = m.Ordered(columns...)
	}
	for _, path := range l.determines {
		from, to, of, err := dependencyIn(path)
		if err != nil {
			return nil, err
		}
		m = m.Determines(from, to, of)
	}
	return m, nil
}

// dependencyIn reads a functional dependency: a header with the two columns, then a line for each category.
func dependencyIn(path string) (from, to string, of map[string]string, err error) {
	b, err := readWithin(path, maxDocument)
	if err != nil {
		return "", "", nil, err
	}
	r := csv.NewReader(bytes.NewReader(b))
	r.FieldsPerRecord = 2
	lines, err := r.ReadAll()
	if err == nil && len(lines) < 2 {
		err = fmt.Errorf("%s; want a header such as city,country and lines such as Lyon,France",
			table.Count(len(lines), "line"))
	}
	if err != nil {
		return "", "", nil, &fileError{path, err}
	}
	of = map[string]string{}
	for i, line := range lines[1:] {
		if earlier, twice := of[line[0]]; twice && earlier != line[1] {
			return "", "", nil, &fileError{path, fmt.Errorf("line %d: %s with %s and with %s; want each category once", i+2,
				safetext.Quote(line[0]), safetext.Quote(earlier), safetext.Quote(line[1]))}
		}
		of[line[0]] = line[1]
	}
	return lines[0][0], lines[0][1], of, nil
}

// order reads columns whose values do not decrease, as in a line of CSV.
func (l *learnedFlags) order(text string) error {
	parts, err := partsOf(text)
	if err != nil || len(parts) < 2 {
		return errors.New("want columns such as start,end")
	}
	l.ordered = append(l.ordered, parts)
	return nil
}

// sums says of which columns of numbers the model has sums within bins.
func (l *learnedFlags) sums(m model.LearnedModel) (model.LearnedModel, error) {
	if l.evenly && l.algorithm == "privbayes" {
		return m, wrongUsage("learn: --evenly with --algorithm privbayes, which has no sums within bins; want one of them")
	}
	if l.evenly {
		return m.Evenly(), nil
	}
	if l.evenlyColumns == "" {
		return m, nil
	}
	columns, err := columnsIn("evenly-columns", l.evenlyColumns)
	return m.Evenly(columns...), err
}

// pair reads two columns, as in a line of CSV.
func (l *learnedFlags) pair(text string) error {
	parts, err := partsOf(text)
	if err != nil || len(parts) != 2 {
		return errors.New("want two columns such as age,income")
	}
	l.reserve = append(l.reserve, [2]string(parts))
	return nil
}

// query reads a table of a workload: weight:column,column, as in a line of CSV.
func (l *learnedFlags) query(text string) error {
	weight, columns := 1, text
	if before, after, ok := strings.Cut(text, ":"); ok {
		if w, err := strconv.Atoi(before); err == nil {
			weight, columns = w, after
		}
	}
	parts, err := partsOf(columns)
	if err != nil {
		return errors.New("want columns such as age,sex, or 3:age,sex with a weight")
	}
	l.workload = append(l.workload, model.WorkloadQuery{Columns: parts, Weight: weight})
	return nil
}

// zero reads a structural zero: column=level, separated by commas as in a line of CSV.
func (l *learnedFlags) zero(text string) error {
	const want = `column=level,column=level, such as 'sex=male,"age=[0, 16)"'`
	parts, err := partsOf(text)
	if err != nil {
		return errors.New("want one combination, " + want)
	}
	cell := map[string]string{}
	for _, p := range parts {
		column, level, ok := strings.Cut(p, "=")
		if _, twice := cell[column]; !ok || twice {
			return errors.New("want " + want + ", each column once")
		}
		cell[column] = level
	}
	l.zeros = append(l.zeros, cell)
	return nil
}

func learnCommand(args []string, out, errs io.Writer) error {
	var r releaseFlags
	return r.run("learn", learnSynopsis, r.addLearning, args, out, errs)
}
