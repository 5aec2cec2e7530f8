package main

import (
	"io"
	"time"
)

const adviseSynopsis = `advise [--data NAME | --schema FILE | --levels D] --n N --epsilon E [flags]

Compares every mechanism that applies, each with its best free choice, at 0.1, 0.3, 1, 3 and 10 times the asked level:
which one errs least, and by how much. No row is read, and nothing is spent.`

var adviseExamples = []string{
	"privbayes advise --schema survey.schema.json --n 5000 --target answer --epsilon 1",
	"privbayes advise --levels 2 --n 1000 --epsilon 1 --error 0.002",
}

func adviseCommand(args []string, out, errs io.Writer) error {
	f, asJSON := newFlags("advise", adviseSynopsis)
	p := planFlags{mechanism: "geometric"}
	p.addModel(f)
	p.addLevel(f)
	p.addPublic(f)
	f.Float64Var(&p.error, "error", 0, "say also which level and which n reach this error")
	f.DurationVar(&p.time, "time", 10*time.Second, "what all rows together may take; what does not fit is named")
	if _, err := parse(f, args, 0); err != nil {
		return err
	}
	set := given(f)
	p.noLevel = !set["epsilon"] && !set["rho"]
	return p.advice(out, errs, *asJSON)
}
