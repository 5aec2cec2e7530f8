package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/budget"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

const budgetSynopsis = `budget BUDGET [--schema FILE | --data NAME] [--epsilon NUMBER | --rho NUMBER] [flags]

With a schema and a limit, such as --epsilon 2, it opens the file as the budget of the data set and the privacy unit
that the schema names. The limit holds for all releases together. Without them it shows the releases, and what is used
and left. Opening it again with another limit or for another unit is refused.

With --charge it enters a release of another tool, under the guarantee that the tool states for the same unit and the
same neighbours. Such a release counts like any other; nobody here checks what is stated of it, and the budget says so.

With --amplified it says in a line of its own how much less all releases tell those who do not know who was sampled, by
the "design" in the schema of a release. Charges of another design, or that do not say theirs, are refused by name. The
budget counts nothing by it.`

var budgetExamples = []string{
	"privbayes budget survey.budget --schema survey.schema.json --epsilon 2 --delta 1e-6",
	"privbayes budget survey.budget",
	"privbayes budget survey.budget --charge run-7 --tool \"tool 1.2\" --released \"mean age\" --adjacency replace-one " +
		"--epsilon 0.5",
}

// budgetFlags are a limit, or a charge.
type budgetFlags struct {
	planFlags
	charge, tool, released, loss, part, amplified string
	unfit                                         string // why the schema has no releases under the limit's adjacency
}

func (p *budgetFlags) add(f *flagSet) {
	p.addLevel(f)
	f.StringVar(&p.schema, "schema", "", "schema `file`, JSON: it names data set and unit; with --charge it says by its "+
		"\"design\" how the rows of the other tool were drawn")
	f.StringVar(&p.dataset, "data", "", "instead of a schema: the `name` of an embedded data set; its rows are not read")
	f.StringVar(&p.charge, "charge", "", "enter a release of another tool under this `name`, such as run-7; a name is "+
		"charged once")
	f.StringVar(&p.tool, "tool", "", "with --charge: the `tool` that released, with its version")
	f.StringVar(&p.released, "released", "", "with --charge: `what` was released, in a few words")
	f.StringVar(&p.loss, "loss", "", "with --charge: a `file` with the distribution of the privacy loss, JSON: "+
		"{\"losses\": [[loss, probability], …], \"infinite\": probability}, or a list of two, one for each order of "+
		"neighbours; with --epsilon it is charged as that ε and its δ")
	f.StringVar(&p.part, "part", "", "with --charge: "+partWords)
	f.StringVar(&p.amplified, "amplified", "", "show by how much less the releases tell those who do not know who was "+
		"sampled, by the design in the schema of a release, a `file` of one that the budget paid for")
}

// partWords is the flag --part.
const partWords = "the `part` of the data that the rows are, such as quarter=2026-Q1; no unit may be in two parts of " +
	"one rule, which nobody checks; the budget counts the part that has used most"

// partIn reads the value of --part.
func partIn(text string) (rule, name string, err error) {
	rule, name, ok := strings.Cut(text, "=")
	if !ok || rule == "" || name == "" {
		return "", "", wrongFlag("part", text, "a rule and a part by it, such as quarter=2026-Q1")
	}
	return rule, name, nil
}

// ofPart is the table as the part of --part.
func (r *releaseFlags) ofPart(table *privbayes.Frame) (*privbayes.Frame, error) {
	if r.part == "" {
		return table, nil
	}
	rule, name, err := partIn(r.part)
	if err != nil {
		return nil, err
	}
	return table.Part(rule, name), nil
}

func budgetCommand(args []string, out, errs io.Writer) error {
	f, asJSON := newFlags("budget", budgetSynopsis)
	var p budgetFlags
	p.add(f)
	files, err := parse(f, args)
	if err != nil {
		return err
	}
	var b *privbayes.Budget
	if f.given("charge") {
		b, err = p.enter(files[0])
	} else {
		b, err = p.open(files[0])
	}
	var line *budget.Amplified
	if err == nil && p.amplified != "" {
		line, err = p.amplify(b, errs)
	}
	switch {
	case err != nil:
		return err
	case *asJSON:
		return writeJSON(out, budgetJSON{b.Dataset(), b.Unit(), b.Limit(), b.Spent(), b.Left().String(), b.Charges(), line,
			worded(b.Warnings())})
	}
	text := budgetText(b, fitted(out)) + p.unfit
	if line != nil {
		text += "\n" + line.String() + "\n"
	}
	_, err = fmt.Fprint(out, text)
	return err
}

// amplify is the level about the population, by the release of --amplified.
func (p *budgetFlags) amplify(b *privbayes.Budget, errs io.Writer) (*budget.Amplified, error) {
	ctx, end := p.flags.interruptible(errs, "prepared")
	defer end()
	r, err := releaseIn(ctx, p.amplified)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(b.Charges(), func(c budget.Charge) bool { return c.ID == r.ID() }) {
		return nil, wrongFlag("amplified", p.amplified, "a release that the budget paid for")
	}
	return b.Amplified(r.Plan().Shape())
}

// open opens the budget, with its limit where one is given.
func (p *budgetFlags) open(path string) (b *privbayes.Budget, err error) {
	f := p.flags
	f.reads("amplified")
	level := f.given("epsilon") || f.given("rho")
	switch {
	case level != (p.schema != "" || p.dataset != ""):
		return nil, wrongUsage("budget: want --schema and a level, such as --epsilon 2, to open one; neither to show it")
	case p.schema != "" && p.dataset != "":
		return nil, wrongUsage("budget: --schema and --data; want one of them")
	}
	var limit dp.Request
	var s *frame.Schema
	if level {
		if limit, err = p.privacy(); err == nil {
			s, err = p.readSchema()
		}
	}
	if err == nil {
		err = f.unread()
	}
	switch {
	case err != nil:
		return nil, err
	case level:
		if capped, publicN := s.CapsRows(); capped && !publicN && limit.Adjacency.PublicN() {
			p.unfit = "The schema caps the rows of a unit, so their number is private. Its releases need a budget under " +
				"--adjacency add-remove.\n"
		}
		return privbayes.OpenBudget(path, s, limit)
	}
	return budget.Existing(path)
}

// enter charges a release of another tool.
func (p *budgetFlags) enter(path string) (*privbayes.Budget, error) {
	f := p.flags
	f.reads("charge", "tool", "released", "adjacency", "part", "schema")
	for _, need := range [][3]string{{"charge", p.charge, "a name of the release, which is charged once"},
		{"tool", p.tool, "the tool that released, with its version"}, {"released", p.released, "what was released"}} {
		if need[1] == "" {
			return nil, wrongFlag(need[0], nil, "%s", need[2])
		}
	}
	if !f.given("adjacency") {
		return nil, wrongFlag("adjacency", nil, "that of the tool's guarantee, which many state under add-remove: it must "+
			"be the budget's")
	}
	c := budget.Charge{ID: p.charge, Tool: p.tool, What: p.released}
	s, err := p.ofRows(&c)
	if err != nil {
		return nil, err
	}
	if err := c.Adjacency.UnmarshalText([]byte(p.adjacency)); err != nil {
		return nil, err
	}
	var level func(b *privbayes.Budget) (dp.Parameters, error)
	if p.loss != "" {
		pair, err := p.losses()
		if err != nil {
			return nil, err
		}
		level = func(b *privbayes.Budget) (dp.Parameters, error) { return p.levelOf(b, pair) }
	} else {
		stated, err := p.privacy()
		if err != nil {
			return nil, err
		}
		level = func(*privbayes.Budget) (dp.Parameters, error) { return stated.Parameters, nil }
	}
	if err := f.unread(); err != nil {
		return nil, err
	}
	b, err := budget.Existing(path)
	if err != nil {
		return nil, err
	}
	if s != nil {
		err = b.For(s.Dataset, budget.UnitOf(s))
	}
	if err == nil {
		c.Level, err = level(b)
	}
	if err != nil {
		return nil, err
	}
	c.Unit = b.Unit()
	err = b.Charge(b.Dataset(), c)
	var other *budget.MismatchError
	if errors.As(err, &other) && other.Field == "adjacency" {
		want := other.Have + ", as the budget's"
		if other.Have == dp.WithinStrata.String() {
			want = dp.ReplaceOne.String() + ", which implies " + want
		}
		err = wrongFlag("adjacency", p.adjacency, "%s. A guarantee under add-remove holds under replace-one "+
			"as 2ε, as (2ε, (1 + e^ε)δ) or as 4ρ; of one under replace-one nothing follows under add-remove", want)
	}
	return b, err
}

// ofRows gives a charge the part that the rows are, and their design by the schema of --schema; nil where there is
// none.
func (p *budgetFlags) ofRows(c *budget.Charge) (*frame.Schema, error) {
	if p.flags.given("part") {
		rule, name, err := partIn(p.part)
		if err != nil {
			return nil, err
		}
		c.Part = &budget.Part{Rule: rule, Name: name}
	}
	if p.schema == "" {
		return nil, nil
	}
	s, err := p.readSchema()
	if err == nil {
		c.Design = s.DesignName(0)
	}
	return s, err
}

// losses reads the file of --loss.
func (p *budgetFlags) losses() (loss.DiscretePair, error) {
	p.flags.reads("loss", "epsilon")
	text, err := readWithin(p.loss, maxDocument)
	if err != nil {
		return loss.DiscretePair{}, err
	}
	pair, err := loss.ParseDiscrete(text)
	if err != nil {
		return pair, &fileError{p.loss, err}
	}
	return pair, nil
}

// levelOf is the level of a loss distribution: that of the budget's limit, or the ε asked for with its δ.
func (p *budgetFlags) levelOf(b *privbayes.Budget, pair loss.DiscretePair) (dp.Parameters, error) {
	if !p.flags.given("epsilon") {
		return b.LevelOf(pair)
	}
	l := dp.ApproxDP(p.epsilon, pair.Delta(p.epsilon)).Parameters
	if l.Delta == 0 {
		return l, wrongFlag("epsilon", p.epsilon, "less than the largest loss, %.6g, or that with no --loss",
			pair.PureEpsilon())
	}
	return l, l.Valid()
}

// budgetJSON is what budget writes with --json.
type budgetJSON struct {
	Dataset string          `json:"dataset"`
	Unit    budget.Unit     `json:"unit"`
	Limit   dp.Parameters   `json:"limit"`
	Spent   dp.Parameters   `json:"spent"`
	Left    string          `json:"left"`
	Charges []budget.Charge `json:"charges"`
	// Amplified is the level about the population, for those who do not know who was sampled: of --amplified.
	Amplified *budget.Amplified `json:"amplified,omitempty"`
	Warnings  warning.List      `json:"warnings,omitempty"`
}
