package main

import (
	"encoding/csv"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/privbayes/privbayes-go/privbayes/model"
)

const learnSynopsis = "" +
	`learn --schema FILE --data FILE --epsilon E --out FILE [--algorithm pairs|tree|cliques|privbayes] [--budget FILE] [flags]

Learns which columns depend on one another and releases a network of them: what "release" does for a model whose
structure is given. The plan decides first whether that pays, and releases every column by itself where it does not;
--always learns all the same. Run again, it loads the file, draws nothing and charges nothing.`

var learnExamples = []string{
	"privbayes learn --schema survey.schema.json --data survey.csv --epsilon 3 --delta 1e-9 \\\n" +
		"--mechanism discrete-gaussian --budget survey.budget --out survey.release.json",
	"privbayes learn --data votes --epsilon 10 --algorithm tree --target Class --out votes.release.json",
	"privbayes learn --data votes --epsilon 10 --algorithm privbayes --degree 1 --mechanism laplace --nominal \\\n" +
		"--out published.release.json",
}

// usualScore is that of PrivBayes.
const usualScore = string(model.ByDistance)

// learnedFlags are the public choices of a learned structure.
type learnedFlags struct {
	on               bool
	algorithm, star  string
	score            string
	width, cap, size int
	degree           int
	always           bool
	zeros            []map[string]string
	workload         []model.WorkloadQuery
}

// addLearned declares what says what is learned.
func (p *planFlags) addLearned(f *flag.FlagSet) {
	l := &p.learned
	l.on = true
	f.StringVar(&p.schema, "schema", "", "schema `file`, JSON")
	f.StringVar(&p.target, "target", "", "the column that predict predicts (default: the first)")
	f.StringVar(&p.features, "features", "",
		"the columns of the network with --target, separated by commas (default: all)")
	f.StringVar(&l.algorithm, "algorithm", "pairs",
		"what is learned: pairs, fitted by maximum entropy; a tree; cliques; or privbayes, as published, with "+
			"--mechanism laplace")
	f.IntVar(&l.degree, "degree", 0, "most parents of a column, with --algorithm privbayes; 0: by usefulness")
	f.StringVar(&l.score, "score", usualScore, "I, R or F, with --algorithm privbayes")
	f.StringVar(&l.star, "star", "", "a public structure instead: every column depends on this `column`")
	f.IntVar(&l.width, "width", 3, "most columns of a clique, 2 or 3, with --algorithm cliques")
	f.IntVar(&l.cap, "max-cells", 0, "most cells of a measured table, or of a clique of the fit; 0: the usual")
	f.IntVar(&l.size, "size", 0, "a public number of records to decide by, where n is private")
	f.Func("zero", "a `combination` that no record can have, such as sex=male,pregnant=yes: public knowledge, and not "+
		"what the rows lack; a part with a comma in double quotes; may be repeated", l.zero)
	f.Func("workload", "a `table` that is to be answered well, such as income or age,sex, or 3:age,sex with a weight; "+
		"may be repeated", l.query)
	f.BoolVar(&l.always, "always", false, "learn whatever the plan expects of it")
}

// spec is the model asked for: target and features are the flags of every model.
func (l learnedFlags) spec(target, features string) (model.Model, error) {
	if l.algorithm != "privbayes" && (l.degree != 0 || l.score != usualScore) {
		return nil, &usageError{"--degree or --score with --algorithm " + l.algorithm + "; want --algorithm privbayes, " +
			"whose choices these are"}
	}
	var m model.Learned
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
		return nil, &usageError{fmt.Sprintf("--algorithm %s; want pairs, tree, cliques or privbayes", l.algorithm)}
	}
	m = m.Classifying(target).Star(l.star).MaxCells(l.cap).Size(l.size)
	if features != "" {
		columns := strings.Split(features, ",")
		if target != "" && !slices.Contains(columns, target) {
			columns = append([]string{target}, columns...)
		}
		m = m.Of(columns...)
	}
	if l.always {
		m = m.Always()
	}
	for _, q := range l.workload {
		m = m.Workload(q.Weight, q.Columns...)
	}
	return m.StructuralZeros(l.zeros...), nil
}

// query reads a table of a workload: weight:column,column, as in a line of CSV.
func (l *learnedFlags) query(text string) error {
	weight, columns := 1, text
	if before, after, ok := strings.Cut(text, ":"); ok {
		if w, err := strconv.Atoi(before); err == nil {
			weight, columns = w, after
		}
	}
	parts, err := csv.NewReader(strings.NewReader(columns)).Read()
	if err != nil {
		return errors.New("want columns such as age,sex, or 3:age,sex with a weight")
	}
	l.workload = append(l.workload, model.WorkloadQuery{Columns: parts, Weight: weight})
	return nil
}

// zero reads a structural zero: column=level, separated by commas as in a line of CSV.
func (l *learnedFlags) zero(text string) error {
	const want = `column=level,column=level, such as 'sex=male,"age=[0, 16)"'`
	r := csv.NewReader(strings.NewReader(text))
	parts, err := r.Read()
	if err != nil {
		return errors.New("want " + want)
	}
	cell := map[string]string{}
	for _, p := range parts {
		column, level, ok := strings.Cut(p, "=")
		if _, twice := cell[column]; !ok || twice {
			return errors.New("want " + want + ", each column once")
		}
		cell[column] = level
	}
	if _, err := r.Read(); err != io.EOF {
		return errors.New("want one combination, " + want)
	}
	l.zeros = append(l.zeros, cell)
	return nil
}

func learnCommand(args []string, out, errs io.Writer) error {
	var r releaseFlags
	return r.run("learn", learnSynopsis, r.addLearned, args, out, errs)
}
