package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/internal/strictjson"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/catalog"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/publication"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

const publishSynopsis = `publish WISHES --schema FILE --data FILE --out FILE [--budget BUDGET] [flags]
publish WISHES --plan --schema FILE --n N [flags]

Releases a list of models as one: tables, means, quantiles and others, under one guarantee, one charge and in one file.
The file WISHES says what, and how exact:

  {"publication": "survey 2026", "level": {"epsilon": 1, "delta": 1e-6},
   "items": [
    {"model": {"kind": "categorical", "target": "sex"}, "within": "1pp"},
    {"model": {"kind": "mean", "target": "income"}, "within": "2%"}]}

A model and a mechanism stand as plan --json prints them under "spec". "within" is how far the ends of the 95 %
intervals of the rows may be from the estimates: a number, percentage points of shares and ranks ("1pp"), or a share of
a column's range ("2%"). Other wishes: "name", "weight", "priority", "share". "guess" is public knowledge that errors
for the population are predicted at: of a mean 42000, or [42000, 15000] with the standard deviation of the values, of a
table the share of a cell. The guarantee is divided so that the
largest error, in units of its wish, is as small as can be. --plan shows that, and what the wishes need, without a
table.

A part of the guarantee can be set aside for later releases, whose models are chosen when the others are known. Each is
one release --slot, and the budget counts it now:

  "reserve": [{"name": "later", "level": {"epsilon": 0.05}}]`

var publishExamples = []string{
	"privbayes publish wishes.json --plan --data cps1988",
	"privbayes publish wishes.json --schema survey.schema.json --data survey.csv --budget survey.budget " +
		"--out survey.publication.json",
}

// wishes is the file of a publication's items.
type wishes struct {
	Publication string           `json:"publication"`
	Level       *json.RawMessage `json:"level,omitempty"`
	Adjacency   *dp.Adjacency    `json:"adjacency,omitempty"`
	Items       []wishedItem     `json:"items"`
	Reserve     []reservedSlot   `json:"reserve,omitempty"`
}

// reservedSlot is a level that is set aside for a later release, by its name.
type reservedSlot struct {
	Name  string          `json:"name"`
	Level json.RawMessage `json:"level"`
}

// wishedItem is a model and a mechanism as a spec says them, and what is wished.
type wishedItem struct {
	Model     json.RawMessage `json:"model"`
	Mechanism *chosen         `json:"mechanism,omitempty"`
	publication.Wish
}

// publishFlags are those of a release, but for model and mechanism.
type publishFlags struct {
	releaseFlags
	plan bool
}

// add declares them but for those of the level, for what is saved.
func (p *publishFlags) add(f *flagSet, saved, planned string) {
	p.table.add(f, "")
	f.StringVar(&p.schema, "schema", "", "schema `file`, JSON")
	f.BoolVar(&p.plan, "plan", false, planned)
	f.IntVar(&p.n, "n", -1, "with --plan: the public number of rows (default: that of --data, or of the "+
		"schema's strata that no unit leaves)")
	f.StringVar(&p.budget, "budget", "", budgetWords)
	f.StringVar(&p.part, "part", "", partWords)
	f.StringVar(&p.out, "out", "", "the "+saved+" `file` to save")
	f.Uint64Var(&p.seed, "seed", 0, "fix the noise by this number: for tests and tutorials, not private")
}

func publishCommand(args []string, out, errs io.Writer) error {
	f, asJSON := longFlags("publish", publishSynopsis)
	var p publishFlags
	p.addLevel(f)
	p.add(f, "publication", "plan, and say what the wishes need: no row is read")
	files, err := parse(f, args)
	if err != nil {
		return err
	}
	text, err := readWithin(files[0], maxDocument)
	if err != nil {
		return err
	}
	name, items, err := p.read(text)
	if err != nil {
		return &fileError{files[0], placed(err)}
	}
	target, err := p.privacy()
	if err != nil {
		return err
	}
	f.reads("plan")
	if p.plan {
		return p.planned(out, errs, name, target, items, *asJSON)
	}
	if f.given("n") {
		return wrongUsage("--n: it is for --plan; a publication counts the rows that it is of")
	}
	f.reads("budget", "out", "part", "seed")
	return p.publish(out, errs, name, target, items, *asJSON)
}

// read reads the wishes, and sets the flags of the level that they say and that are not given.
func (p *publishFlags) read(text []byte) (name string, items []publication.Item, err error) {
	var w wishes
	if err := strictjson.Unique(text); err != nil {
		return "", nil, err
	}
	if err := cert.Decode(text, &w); err != nil {
		return "", nil, err
	}
	if err := p.takeLevel(w.Level, w.Adjacency); err != nil {
		return "", nil, err
	}
	for i, item := range w.Items {
		one, err := item.item()
		if err != nil {
			return "", nil, fmt.Errorf("items.%d: %w", i, err)
		}
		items = append(items, one)
	}
	for i, s := range w.Reserve {
		level, err := levelIn(s.Level)
		if err != nil {
			return "", nil, fmt.Errorf("reserve.%d.level: %w", i, err)
		}
		items = append(items, privbayes.Reserve(s.Name, dp.Request{Parameters: *level}))
	}
	return w.Publication, items, nil
}

// takeLevel sets the flags of the level that a file says and that are not given.
func (p *publishFlags) takeLevel(level *json.RawMessage, adjacency *dp.Adjacency) (err error) {
	s := &spec{Adjacency: adjacency}
	if level != nil {
		if s.Level, err = levelIn(*level); err != nil {
			return err
		}
	}
	return p.flags.take(s)
}

// levelIn is a level that may leave the notion out, where its parameters say it.
func levelIn(text json.RawMessage) (*dp.Parameters, error) {
	var l dp.Parameters
	if err := cert.Decode(text, &l); err != nil {
		return nil, err
	}
	switch {
	case l.Notion != "":
	case l.Rho > 0:
		l.Notion = dp.Concentrated
	case l.Order > 0:
		l.Notion = dp.Renyi
	case l.Delta > 0:
		l.Notion = dp.Approximate
	default:
		l.Notion = dp.Pure
	}
	return &l, nil
}

// item is the item that a file's says.
func (w wishedItem) item() (publication.Item, error) {
	m, err := modelIn(w.Model)
	if err != nil {
		return publication.Item{}, err
	}
	item := publication.Of(m).Wishing(w.Wish)
	made, err := w.Mechanism.mechanism()
	if err == nil && made != nil {
		item = item.By(made)
	}
	return item, err
}

// modelIn is the model that a file describes.
func modelIn(described json.RawMessage) (model.Model, error) {
	text, err := json.Marshal(spec{Model: described})
	if err != nil {
		return nil, err
	}
	s, err := parseSpec(text)
	if err != nil {
		return nil, err
	}
	if s.described == nil {
		return nil, errors.New(`model: none; want one such as {"kind": "mean", "target": "income"}`)
	}
	return s.described.Model()
}

// mechanism is the one that a file names; nil where it names none.
func (c *chosen) mechanism() (mechanism.Mechanism, error) {
	if c == nil {
		return nil, nil
	}
	d, ok := catalog.ByFlag(c.Name)
	if !ok {
		return nil, fmt.Errorf("mechanism.name: %q; want one of %q%s", c.Name, catalog.Flags(), meant(c.Name,
			catalog.Flags()))
	}
	by := planFlags{post: c.Post, nominal: c.Nominal, intervals: c.Intervals, byUnit: c.ByUnit, anyway: c.Anyway,
		held: c.HeldAsGiven, draws: max(c.Draws, 1), records: max(c.Records, 1)}
	return by.made(d)
}

// publicRows are the schema and the number of rows of a table that is not read.
func (p *publishFlags) publicRows() (s *frame.Schema, n int, err error) {
	p.flags.reads("schema", "n", "data")
	n = p.n
	if name, embedded := p.table.embedded(); embedded && p.schema == "" {
		info, err := data.Info(name)
		if err != nil {
			return nil, 0, err
		}
		if _, s, err = data.Open(name); n < 0 {
			n = info.Rows
		}
		return s, n, err
	}
	switch {
	case len(p.table.data) > 0:
		return nil, 0, wrongUsage("--data %s: --plan reads no table; want --schema and --n", p.table.data.String())
	case p.schema == "":
		return nil, 0, wrongFlag("schema", nil, "the schema of the table, or --data with an embedded set")
	}
	if s, err = readSchemaFile(p.schema); err == nil {
		n = p.rowsOf(s)
	}
	if err == nil && n < 1 && p.adjacency != dp.AddRemove.String() {
		return nil, 0, wrongFlag("n", nil, "the public number of rows")
	}
	return s, n, err
}

// beforePlan gives the shapes of models on a table that is not read, once no flag is left that has no effect, and a
// context that an interrupt ends. end is to be called when the plan is shown.
func (p *publishFlags) beforePlan(errs io.Writer, target dp.Request) (ctx context.Context,
	shape func(model.Model) (*model.Shape, error), end func(), err error) {
	if err := p.privateN(); err != nil {
		return nil, nil, nil, err
	}
	s, n, err := p.publicRows()
	if err == nil {
		err = p.flags.unread()
	}
	if err != nil {
		return nil, nil, nil, err
	}
	ctx, end = p.flags.interruptible(errs, "planned")
	return ctx, func(m model.Model) (*model.Shape, error) {
		return model.NewShape(s, m, max(n, 0), target.Adjacency.PublicN(), "adjacency")
	}, end, nil
}

// plannedJSON is what publish --plan writes with --json.
type plannedJSON struct {
	Plan      *publication.Plan  `json:"plan"`
	Certified dp.Guarantee       `json:"certified"`
	Items     []publication.Line `json:"items"`
	Needs     *publication.Needs `json:"needs,omitempty"`
	// wishes that no level meets for the population
	Unreachable []publication.Unreachable `json:"unreachable,omitempty"`
	Warnings    warning.List              `json:"warnings,omitempty"`
}

// planned shows the plan, and what the wishes need where there are some.
func (p *publishFlags) planned(out, errs io.Writer, name string, target dp.Request, items []publication.Item,
	asJSON bool) error {
	ctx, shape, end, err := p.beforePlan(errs, target)
	if err != nil {
		return err
	}
	defer end()
	plan, err := publication.New(ctx, name, target, items, shape)
	if err != nil {
		return err
	}
	var needs *publication.Needs
	for _, i := range items {
		if i.Wish().Within.Value > 0 && needs == nil {
			if needs, err = publication.NeedsOf(ctx, target, items, shape); err != nil {
				return err
			}
		}
	}
	if asJSON {
		return writeJSON(out, plannedJSON{plan, plan.Certified(), plan.Lines(), needs, plan.Unreachable(),
			worded(plan.Warnings())})
	}
	text := fitted(out)(plan.Table())
	if needs != nil {
		text += "\n" + fitted(out)(needs.Table())
	}
	return tell(out, text+worded(plan.Warnings()).String())
}

// countsOnly has CSV files read once for all items and without keeping rows, but where these are needed: to tell the
// rows of a part or a unit, and to learn a network from questions about them.
func (p *publishFlags) countsOnly(s *frame.Schema, items []publication.Item) {
	p.table.rows = len(items) == 0
	for _, i := range items {
		_, learns := i.Model().(model.LearnedModel)
		p.table.rows = p.table.rows || learns
		p.table.counts = append(p.table.counts, i.Model())
	}
	p.table.rows = p.table.rows || p.part != "" || s.UnitKey != ""
}

// publish is the chain of the façade.
func (p *publishFlags) publish(out, errs io.Writer, name string, target dp.Request, items []publication.Item,
	asJSON bool) error {
	table, options, end, err := p.ready(errs, "publication", items)
	if err != nil {
		return err
	}
	defer end()
	made, err := table.Publish(name, target, items...).Privatize(options...)
	if err != nil {
		return err
	}
	if asJSON {
		return writeJSON(out, p.output(made, "publication", made.Loaded(), made.Warnings()))
	}
	return p.ends(out, publicationText(context.Background(), made, fitted(out))+p.kept(made.Loaded())+"\n")
}

// ready reads the table and opens the budget, for what is saved: items, or what needs rows. end is to be called when
// the work is done.
func (p *publishFlags) ready(errs io.Writer, saved string, items []publication.Item) (table *privbayes.Frame,
	options []privbayes.Option, end func(), err error) {
	if p.out == "" {
		return nil, nil, nil, wrongFlag("out", nil, "the %s file to save: without it a second run would add new noise "+
			"and charge again", saved)
	}
	s, err := p.table.schemaOf(p.schema)
	if err == nil {
		err = p.flags.unread()
	}
	if err != nil {
		return nil, nil, nil, err
	}
	ctx, end := p.flags.interruptible(errs, "prepared")
	p.countsOnly(s, items)
	if table, err = p.ofPart(p.table.read(ctx, s)); err == nil {
		err = table.Err()
	}
	if err == nil {
		table, err = p.pays(table)
	}
	if err != nil {
		end()
		return nil, nil, nil, err
	}
	options = []privbayes.Option{privbayes.WithContext(ctx), privbayes.KeepIn(p.out)}
	if p.flags.given("seed") {
		options = append(options, privbayes.Seeded(p.seed))
	}
	return table, options, end, nil
}
