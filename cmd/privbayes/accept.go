//go:build !browser

package main

import (
	"cmp"
	"context"
	"encoding/json"
	"io"

	"github.com/privbayes/privbayes-go/internal/strictjson"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/catalog"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/selection"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

const acceptSynopsis = `accept --rules FILE --schema FILE --data FILE --out FILE [--budget BUDGET] [flags]
accept --rules FILE --plan --schema FILE --n N [flags]

Draws several candidates of a release, tests the synthetic rows of each with noise, and releases the first that meets
the criteria, or none. The file of --rules is JSON:

  {"level": {"epsilon": 3},
   "criteria": {"cells": {"ways": 2, "within": 0.01}, "ratio": 1.4,
    "means": [{"of": "income", "within": 50, "by": "region"}]},
   "test": {"epsilon": 0.3, "wrong": 0.01},
   "stop": {"one_in": 20, "most": 5}, "report": 0.5}

The level is that of the whole. "test" is what each candidate's test uses, and how probable it is that a candidate
passes which fails a criterion. All of "most" candidates are drawn. How many of them count is drawn at random: after
each the count ends with probability 1/one_in. With "best": true the best of them is released, whatever it meets.
"report" is what the noisy slacks of the accepted one use. Other criteria: "cuts", "regressions", "matched". "model"
and "mechanism" stand as plan --json prints them under "spec"; without them the structure is learned.

How many candidates were tried or refused is never shown. So there is no progress while they are drawn.`

var acceptExamples = []string{
	"privbayes accept --rules rules.json --plan --schema survey.schema.json --n 9000",
	"privbayes accept --rules rules.json --schema survey.schema.json --data survey.csv --budget survey.budget " +
		"--out survey.selection.json",
	"privbayes synthesize survey.selection.json --out synthetic.csv",
}

// acceptance is the file of the rules.
type acceptance struct {
	Model     json.RawMessage  `json:"model,omitempty"`
	Mechanism *chosen          `json:"mechanism,omitempty"`
	Level     *json.RawMessage `json:"level,omitempty"`
	Adjacency *dp.Adjacency    `json:"adjacency,omitempty"`
	selection.Rules
}

// acceptFlags are those of a publication, with rules in place of wishes.
type acceptFlags struct {
	publishFlags
	rules string
}

func acceptCommand(args []string, out, errs io.Writer) error {
	f, asJSON := longFlags("accept", acceptSynopsis)
	var p acceptFlags
	f.StringVar(&p.rules, "rules", "", "criteria, test, stopping and report: a `file`, JSON, see above")
	p.addLevel(f)
	p.add(f, "selection", "plan, and say what is left for a candidate: no row is read")
	f.StringVar(&p.split, "split", "", "release a `share` of the rows, chosen by a seed, such as 0.7,1")
	if _, err := parse(f, args); err != nil {
		return err
	}
	if p.rules == "" {
		return wrongFlag("rules", nil, "the file of the rules, JSON, such as rules.json")
	}
	text, err := readWithin(p.rules, maxDocument)
	if err != nil {
		return err
	}
	of, err := p.read(text)
	if err != nil {
		return &fileError{p.rules, placed(err)}
	}
	target, err := p.privacy()
	if err != nil {
		return err
	}
	f.reads("plan", "rules")
	if p.plan {
		return p.planned(out, errs, target, of, *asJSON)
	}
	if f.given("n") {
		return wrongUsage("--n: it is for --plan; a selection counts the rows that it is of")
	}
	f.reads("budget", "out", "part", "seed", "split")
	return p.accept(out, errs, target, of, *asJSON)
}

// candidates are what is drawn, and the rules.
type candidates struct {
	model model.Model
	mech  mechanism.Mechanism // nil for the usual one
	rules selection.Rules
}

// read reads the rules, and sets the flags of the level that they say and that are not given.
func (p *acceptFlags) read(text []byte) (out candidates, err error) {
	var a acceptance
	if err := cmp.Or(strictjson.Unique(text), cert.Decode(text, &a)); err != nil {
		return out, err
	}
	if err := p.takeLevel(a.Level, a.Adjacency); err != nil {
		return out, err
	}
	out.rules, out.model = a.Rules, model.MaxEntropy()
	if len(a.Model) > 0 {
		if out.model, err = modelIn(a.Model); err != nil {
			return out, err
		}
	}
	out.mech, err = a.Mechanism.mechanism()
	return out, err
}

// by is the mechanism of the candidates: the usual one under pure ε, else Gaussian noise where the model takes it.
func (c candidates) by(ctx context.Context, sh *model.Shape, target dp.Request) (mechanism.Mechanism, error) {
	if c.mech != nil {
		return c.mech, nil
	}
	if target.Notion != dp.Pure {
		target.Parameters = dp.ZCDP(.1).Parameters // as selection.New asks of a plan under ε and δ
		d, _ := catalog.ByFlag("discrete-gaussian")
		mech, err := catalog.For(sh, d.New(mechanism.Options{Count: 1}))
		if err == nil {
			_, err = mech.Plan(ctx, sh, target)
		}
		if err == nil {
			return mech, nil
		}
	}
	d, err := catalog.Usual(ctx, sh, target)
	if err != nil {
		return nil, err
	}
	return (planFlags{draws: 1, records: 1}).made(d)
}

// acceptPlanJSON is what accept --plan writes with --json.
type acceptPlanJSON struct {
	Plan      *selection.Plan `json:"plan"`
	Certified dp.Guarantee    `json:"certified"` // of the whole
	Candidate dp.Guarantee    `json:"candidate"`
	Limit     *int64          `json:"limit,omitempty"` // of the noisy least slack; none where the best is asked for
	Criteria  []string        `json:"criteria"`
	Warnings  warning.List    `json:"warnings,omitempty"`
}

// planned shows the plan.
func (p *acceptFlags) planned(out, errs io.Writer, target dp.Request, of candidates, asJSON bool) error {
	ctx, shape, end, err := p.beforePlan(errs, target)
	if err != nil {
		return err
	}
	defer end()
	sh, err := shape(of.model)
	if err != nil {
		return err
	}
	mech, err := of.by(ctx, sh, target)
	if err == nil {
		mech, err = catalog.For(sh, mech)
	}
	if err != nil {
		return err
	}
	one := func(ctx context.Context, t dp.Request) (*mechanism.Plan, error) { return mech.Plan(ctx, sh, t) }
	plan, err := selection.New(ctx, target, of.rules, sh, one)
	if err != nil {
		return err
	}
	if asJSON {
		j := acceptPlanJSON{Plan: plan, Certified: plan.Certified(), Candidate: plan.Candidate().Certified(),
			Criteria: plan.Rules().Criteria.Names(), Warnings: worded(plan.Warnings())}
		if limit := plan.Limit(); !plan.Rules().Stop.Best {
			j.Limit = &limit
		}
		return writeJSON(out, j)
	}
	_, err = io.WriteString(out, fitted(out)(plan.Table())+worded(plan.Warnings()).String())
	return err
}

// acceptJSON is what accept writes with --json.
type acceptJSON struct {
	releaseJSON
	Accepted bool `json:"accepted"` // else no candidate was
}

// accept is the chain of the façade. That no candidate was accepted is a result, and no error.
func (p *acceptFlags) accept(out, errs io.Writer, target dp.Request, of candidates, asJSON bool) error {
	table, options, end, err := p.ready(errs, "selection", nil)
	if err != nil {
		return err
	}
	defer end()
	if table, err = p.train(table, target.Adjacency); err != nil {
		return err
	}
	m := table.Model(of.model)
	sh, err := m.Shape()
	if err != nil {
		return misused(err)
	}
	mech, err := of.by(context.Background(), sh, target)
	if err != nil {
		return err
	}
	s, err := m.Accept(of.rules).Privatize(mech, target, options...)
	if err != nil {
		return err
	}
	if asJSON {
		_, none := s.Release()
		return writeJSON(out, acceptJSON{p.output(s, "selection", s.Loaded(), s.Warnings()), none == nil})
	}
	return p.ends(out, selectionText(context.Background(), s, false, fitted(out))+p.kept(s.Loaded())+"\n")
}
