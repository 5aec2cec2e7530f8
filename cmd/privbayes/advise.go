package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/privbayes/privbayes-go/privbayes/advise"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

const adviseSynopsis = `advise [--data NAME | --schema FILE | --levels D] --n N --epsilon E [flags]

Compares every mechanism that applies, each with its best free choice, at 0.1, 0.3, 1, 3 and 10 times the asked level:
which one errs least, and by how much. With --sizes it compares at the asked level, over numbers of records. No row is
read, and nothing is spent.`

var adviseExamples = []string{
	"privbayes advise --schema survey.schema.json --n 5000 --target answer --epsilon 1",
	"privbayes advise --levels 2 --n 1000 --epsilon 1 --error 0.002",
	"privbayes advise --levels 2 --sizes 50,500,5000 --epsilon 1 --figure advice.svg",
}

func adviseCommand(args []string, out, errs io.Writer) error {
	f, asJSON := newFlags("advise", adviseSynopsis)
	var p planFlags
	p.addModel(f)
	p.addLevel(f)
	p.addPublic(f)
	f.Float64Var(&p.error, "error", 0, "say also which level and which n reach this error")
	f.DurationVar(&p.time, "time", 10*time.Second, "what all rows together may take; what does not fit is named")
	sizes := f.String("sizes", "", "compare at these numbers of records instead of --n, such as 50,500,5000")
	f.StringVar(&p.figure, "figure", "", "new `file` for the figure, .svg: error against ε, or against n with --sizes")
	if _, err := parse(f, args, 0); err != nil {
		return err
	}
	f.reads("time", "figure")
	if !f.given("sizes") {
		f.reads("error")
		return p.advice(out, errs, *asJSON)
	}
	if err := f.excludes("sizes", "n", "error"); err != nil {
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
			return &usageError{fmt.Sprintf("--sizes %s; want whole numbers separated by commas", list)}
		}
		sizes = append(sizes, n)
	}
	p.n = max(sizes[0], 1) // any: OverN says what is wrong with the sizes
	sh, t, err := p.public()
	if err != nil {
		return err
	}
	ctx, end := interruptible(errs, "compared")
	defer end()
	s, err := advise.OverN(ctx, sh, sizes, t, advise.Options{Time: p.time})
	if err != nil {
		return err
	}
	if err := p.draw(s.Figure()); err != nil {
		return err
	}
	if !asJSON {
		_, err = fmt.Fprint(out, s)
		return err
	}
	j := sweepJSON{Measure: s.At(0).Measure(), Terms: s.Figure().Caption}
	for i, n := range s.Sizes() {
		for _, r := range s.At(i).Rows(0) {
			j.Rows = append(j.Rows, sweepRow{n, rowOutput(r)})
		}
		j.Warnings = j.Warnings.And(s.At(i).Warnings())
	}
	return writeJSON(out, j)
}

// draw writes the figure that was asked for.
func (p planFlags) draw(f *figure.Figure) error {
	if p.figure == "" {
		return nil
	}
	b, err := f.SVG()
	if err == nil {
		err = writeNew(p.figure, b)
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
