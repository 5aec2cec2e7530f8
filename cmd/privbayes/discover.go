//go:build !browser

package main

import (
	"context"
	"fmt"
	"io"

	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/discovery"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/table"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

const discoverSynopsis = `discover --column COLUMN --epsilon ε --delta δ --schema FILE --data FILE --out FILE [flags]
discover --column COLUMN --epsilon ε --delta δ --plan --schema FILE [flags]
discover --column COLUMN --epsilon ε --within FILE --schema FILE --data FILE --out FILE [flags]

Releases the categories of a column without a public list, such as product codes: those that enough units hold, with
noisy counts. The schema says "kind": "open" of the column. A unit is a row, or the rows of one "unit_key"; it counts
once in each of at most --at-most categories, which are chosen by a hash where it holds more.

A public superset of the categories, such as a catalogue, takes δ away: --within names a file with a code in each
line, or the schema says "within" of the column. All its codes get noise, and other values count as others.

--into saves the schema with the categories, and one of all other values, in a new file. Releases under that schema are
charged besides, and say which release found the categories. How many other categories there are stays unknown.

CSV files are read once, and only the column and the key.`

var discoverExamples = []string{
	"privbayes discover --column product --at-most 1 --epsilon 1 --delta 1e-9 --plan --schema sales.schema.json",
	"privbayes discover --column product --epsilon 1 --within catalogue.txt --plan --schema sales.schema.json",
	"privbayes discover --column product --at-most 1 --epsilon 1 --delta 1e-9 --schema sales.schema.json " +
		"--data sales.csv --budget sales.budget --out product.categories.json --into sales2.schema.json",
}

type discoverFlags struct {
	releaseFlags
	column, into, within string
	atMost               int
	plan                 bool
}

func discoverCommand(args []string, out, errs io.Writer) error {
	f, asJSON := longFlags("discover", discoverSynopsis)
	var d discoverFlags
	d.addLevel(f)
	d.table.add(f, "")
	f.StringVar(&d.column, "column", "", "the `column` whose categories are sought")
	f.IntVar(&d.atMost, "at-most", 1, "the most categories of one unit that count")
	f.StringVar(&d.within, "within", "", "a `file` with a code in each line, a public superset: no --delta is needed")
	f.StringVar(&d.schema, "schema", "", "schema `file`, JSON, with the column of \"kind\": \"open\"")
	f.BoolVar(&d.plan, "plan", false, "plan, and say how many units a category needs: no row is read")
	f.StringVar(&d.budget, "budget", "", budgetWords)
	f.StringVar(&d.out, "out", "", "the `file` of categories to save")
	f.StringVar(&d.into, "into", "", "save the schema with the categories in this new `file`")
	f.Uint64Var(&d.seed, "seed", 0, "fix the noise by this number: for tests and tutorials, not private")
	if _, err := parse(f, args); err != nil {
		return err
	}
	switch {
	case d.column == "":
		return wrongFlag("column", nil, "the column whose categories are sought")
	case d.schema == "":
		return wrongFlag("schema", nil, `the schema, with the column of "kind": "open"`)
	}
	target, err := d.privacy()
	if err != nil {
		return err
	}
	f.reads("column", "at-most", "plan", "schema", "within")
	s, err := readSchemaFile(d.schema)
	if err != nil {
		return err
	}
	if s, err = d.bounded(s); err != nil {
		return err
	}
	if d.plan {
		return d.planned(out, errs, target, s, *asJSON)
	}
	return d.release(out, errs, target, s, *asJSON)
}

// bounded is the schema with the superset of --within.
func (d *discoverFlags) bounded(s *frame.Schema) (*frame.Schema, error) {
	if d.within == "" {
		return s, nil
	}
	c, err := s.OpenColumn(d.column)
	switch {
	case err != nil:
		return nil, err
	case c.Within != nil:
		return nil, wrongFlag("within", d.within, `a column whose schema has no "within" of its own`)
	}
	b, err := readWithin(d.within, maxDocument)
	if err != nil {
		return nil, fmt.Errorf("--within: %w", err)
	}
	with := s.Clone()
	_, at, err := with.Column(d.column)
	if err != nil {
		return nil, err
	}
	if with.Columns[at].Within, err = frame.ReadCodes(string(b)); err != nil {
		return nil, &fileError{d.within, err}
	}
	_, err = with.OpenColumn(d.column) // the codes may be categories
	return with, err
}

// discoverPlanJSON is what discover --plan writes with --json.
type discoverPlanJSON struct {
	Plan      *discovery.Plan `json:"plan"`
	Certified dp.Guarantee    `json:"certified"`
	Cut       int64           `json:"cut"` // listed are categories with a noisy count above it
	SD        float64         `json:"sd"`  // of the noise
	Warnings  warning.List    `json:"warnings,omitempty"`
}

// planned shows the plan.
func (d *discoverFlags) planned(out, errs io.Writer, target dp.Request, s *frame.Schema, asJSON bool) error {
	if err := d.flags.unread(); err != nil {
		return err
	}
	ctx, end := d.flags.interruptible(errs, "planned")
	defer end()
	plan, err := discovery.New(ctx, target, s, d.column, d.atMost)
	if err != nil {
		return err
	}
	if asJSON {
		return writeJSON(out, discoverPlanJSON{plan, plan.Certified(), plan.Cut(), plan.SD(), worded(plan.Warnings())})
	}
	return tell(out, fitted(out)(plan.Table())+worded(plan.Warnings()).String())
}

// discoverJSON is what discover writes with --json.
type discoverJSON struct {
	releaseJSON
	Column     string            `json:"column"`
	Categories []discovery.Count `json:"categories"` // with intervals at 95 %
	Into       string            `json:"into,omitempty"`
}

// release charges, draws and saves; with --into it saves the schema, too.
func (d *discoverFlags) release(out, errs io.Writer, target dp.Request, s *frame.Schema, asJSON bool) error {
	if err := d.files(); err != nil {
		return err
	}
	d.flags.reads("budget", "out", "seed", "into")
	switch {
	case d.out == "":
		return wrongFlag("out", nil, "the file of categories to save: without it a second run would add new noise and "+
			"charge again")
	case d.into != "" && exists(d.into):
		return wrongFlag("into", d.into, "a new file: this one is there")
	}
	if err := d.flags.unread(); err != nil {
		return err
	}
	read := s.Clone()
	if d.table.formatFlags != (formatFlags{}) {
		format := d.table.format(s.Format)
		read.Format = &format
	}
	of := privbayes.Discover(read, d.column, d.atMost, d.table.data...)
	if d.budget != "" {
		b, err := openBudget(d.budget, d.schema, d.table.data)
		if err != nil {
			return err
		}
		d.ledger, d.known, of = b, len(b.Charges()), of.WithBudget(b)
	}
	ctx, end := d.flags.interruptible(errs, "prepared")
	defer end()
	found, err := of.Privatize(target, d.options(ctx, d.flags.given("seed"), nil)...)
	if err != nil {
		return err
	}
	if err := d.save(found, s); err != nil {
		return fmt.Errorf("%s keeps what was released, and no schema was saved: %w", safetext.File(d.out), err)
	}
	if !asJSON {
		text := categoriesText(found, false, fitted(out)) + d.kept(found.Loaded()) + "\n"
		if d.into != "" {
			text += "The schema with the categories is in " + d.into + ".\n"
		}
		return d.ends(out, text)
	}
	j := discoverJSON{releaseJSON: d.output(found, "categories", found.Loaded(), found.Warnings()), Column: d.column,
		Into: d.into}
	if j.Categories, err = found.Counts(.95); err != nil {
		return err
	}
	return writeJSON(out, j)
}

// files lists the table's files.
func (d *discoverFlags) files() error {
	if err := d.table.find(); err != nil {
		return err
	}
	if _, embedded := d.table.embedded(); embedded || d.table.fromInput() || len(d.table.data) == 0 {
		return wrongFlag("data", d.table.name(), "CSV files, or gzip of them: the table whose column is sought")
	}
	return nil
}

// save writes the schema with the categories.
func (d *discoverFlags) save(found *discovery.Found, s *frame.Schema) error {
	if d.into == "" {
		return nil
	}
	with, err := found.AddTo(s)
	if err != nil {
		return err
	}
	if err := writeNew(d.into, append(with.JSON(), '\n')); err != nil {
		return &fileError{d.into, err}
	}
	return nil
}

// shownCategoriesJSON are categories of a file for programs: all of it public.
type shownCategoriesJSON struct {
	ID         string            `json:"id"`
	Guarantee  dp.Guarantee      `json:"guarantee"`
	Randomness string            `json:"randomness"`
	Column     string            `json:"column"`
	AtMost     int               `json:"at_most"`
	Cut        int64             `json:"cut"`
	Categories []discovery.Count `json:"categories"` // with intervals at 95 %
	Tables     []*table.Table    `json:"tables"`
	Warnings   warning.List      `json:"warnings,omitempty"`
	HTML       string            `json:"html"`
}

// categoriesText shows categories, and their guarantee.
func categoriesText(f *discovery.Found, details bool, text func(*table.Table) string) string {
	all := text(f.Table()) + "\n"
	if details {
		all += text(f.Plan().Table()) + "\n" + text(f.Plan().Certificate().Table()) + "\n"
	}
	return all + stated(f.Guarantee(), nil) + fresh(f.Warnings()).String()
}

// openCategories reads a file of categories, and returns what shows it; nil for other files.
func openCategories(ctx context.Context, b []byte) (show shower, err error) {
	if !discovery.IsFile(b) {
		return nil, nil
	}
	f, err := discovery.Parse(ctx, b)
	if err != nil {
		return nil, err
	}
	return func(asJSON, details bool, out io.Writer) error {
		if !asJSON {
			return tell(out, categoriesText(f, details, fitted(out)))
		}
		counts, err := f.Counts(.95)
		if err != nil {
			return err
		}
		return writeJSON(out, shownCategoriesJSON{ID: f.ID(), Guarantee: f.Guarantee(), Randomness: f.Randomness(),
			Column: f.Plan().Column(), AtMost: f.Plan().AtMost(), Cut: f.Plan().Cut(), Categories: counts,
			Tables: []*table.Table{f.Table()}, Warnings: worded(f.Warnings()), HTML: table.HTML(f)})
	}, nil
}

// verifierOf verifies a file of categories; nil for other files.
func verifierOf(b []byte) func(ctx context.Context, b []byte) (*cert.Verification, error) {
	if discovery.IsFile(b) {
		return discovery.Verify
	}
	return nil
}
