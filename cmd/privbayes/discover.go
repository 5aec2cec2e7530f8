//go:build !browser

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

const discoverSynopsis = `discover --column COLUMN --epsilon ε --delta δ --schema FILE --data FILE --out FILE [flags]
discover --column COLUMN --epsilon ε --delta δ --plan --schema FILE [flags]
discover --column COLUMN --epsilon ε --within FILE --schema FILE --data FILE --out FILE [flags]

Releases the categories of a column without a public list, such as product codes: those that enough units hold, with
noisy counts. The schema says "kind": "open" of the column. A unit is a row, or the rows of one "unit_key"; it counts
once in each of at most --at-most categories, which are chosen by a hash where it holds more.

A public superset of the categories, such as a catalogue, takes δ away: --within names a file with a code in each
line, or the schema says "within" of the column. All its codes get noise, and other values count as others. With
--levels, or "levels" in the schema, codes that begin alike are counted together first: those that are not listed
stand under the longest beginning that is, as 12*, and not all under one name.

Of a column of numbers with "bounds": "unknown" it releases a range, from noisy counts of public octaves, at a pure ε. A
unit counts in one octave. Without --epsilon it takes a quarter of that of --budget, under its adjacency. Numbers beyond
±2^40 lie in the outermost octaves; texts that are no numbers, "NaN" and "Inf" too, are refused unless they are missing
marks.

--into saves the schema with the categories, and one of all other values, or with the bounds, in a new file. Releases
under that schema are charged besides, and say which release found them. How many other categories there are, and how
many values lie beyond the bounds, stays unknown.

The table is CSV, Arrow or Parquet. It is read once, and only the column and the key.`

var discoverExamples = []string{
	"privbayes discover --column product --at-most 1 --epsilon 1 --delta 1e-9 --plan --schema sales.schema.json",
	"privbayes discover --column product --epsilon 1 --within catalogue.txt --plan --schema sales.schema.json",
	"privbayes discover --column product --epsilon 1 --within catalogue.txt --levels 2,4 --plan --schema " +
		"sales.schema.json",
	"privbayes discover --column product --at-most 1 --epsilon 1 --delta 1e-9 --schema sales.schema.json " +
		"--data sales.csv --budget sales.budget --out product.categories.json --into sales2.schema.json",
	"privbayes discover --column paid --epsilon 0.25 --schema sales.schema.json --data sales.csv --budget sales.budget " +
		"--out paid.range.json --into sales3.schema.json",
}

type discoverFlags struct {
	releaseFlags
	column, into, within string
	levels               string
	atMost               int
	plan                 bool
	finds                findsKind
}

// share sets --epsilon of a range to a quarter of the budget's, and --adjacency to that of the budget, where no level
// is given.
func (d *discoverFlags) share(s *frame.Schema) error {
	_, isRange := d.finds.(rangeKind)
	if !isRange || d.budget == "" || d.flags.given("epsilon") || d.flags.given("rho") {
		return nil
	}
	b, err := openBudget(d.budget, d.schema, nil)
	if err != nil {
		return err
	}
	target, err := privbayes.FindRange(s, d.column).WithBudget(b).Quarter()
	if err != nil {
		return wrongFlag("epsilon", nil, "the level of the range: this budget is not in ε, of which it could be a quarter")
	}
	d.flags.reads("budget")
	if !d.flags.given("adjacency") {
		if err := d.flags.Set("adjacency", target.Adjacency.String()); err != nil {
			return err
		}
	}
	return d.flags.Set("epsilon", strconv.FormatFloat(float64(target.Epsilon), 'g', -1, 64))
}

func discoverCommand(args []string, out, errs io.Writer) error {
	f, asJSON := longFlags("discover", discoverSynopsis)
	var d discoverFlags
	d.addLevel(f)
	d.table.add(f, "")
	f.StringVar(&d.column, "column", "", "the `column` whose categories, or bounds, are sought")
	f.IntVar(&d.atMost, "at-most", 1, "the most categories of one unit that count")
	f.StringVar(&d.within, "within", "", "a `file` with a code in each line, a public superset: no --delta is needed")
	f.StringVar(&d.levels, "levels", "", "`numbers` of leading characters, as 1,3, by which codes of --within "+
		"are counted together first")
	f.StringVar(&d.schema, "schema", "", "schema `file`, JSON, with \"kind\": \"open\" or \"bounds\": \"unknown\"")
	f.BoolVar(&d.plan, "plan", false, "plan, and say how many units are needed: no row is read")
	f.StringVar(&d.budget, "budget", "", budgetWords)
	f.StringVar(&d.out, "out", "", "the `file` of categories, or of the range, to save")
	f.StringVar(&d.into, "into", "", "save the schema with what was found in this new `file`")
	f.Uint64Var(&d.seed, "seed", 0, "fix the noise by this number: for tests and tutorials, not private")
	if _, err := parse(f, args); err != nil {
		return err
	}
	switch {
	case d.column == "":
		return wrongFlag("column", nil, "the column whose categories, or bounds, are sought")
	case d.schema == "":
		return wrongFlag("schema", nil, `the schema, with the column of "kind": "open" or "bounds": "unknown"`)
	}
	f.reads("column", "plan", "schema")
	s, err := readSchemaFile(d.schema)
	if err != nil {
		return err
	}
	if c, _, err := s.Column(d.column); err == nil && c.Bounds != "" {
		d.finds = rangeKind{}
	} else {
		d.finds = categoriesKind{d.atMost}
		f.reads("at-most", "within", "levels")
	}
	if err := d.share(s); err != nil {
		return err
	}
	target, err := d.privacy()
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
	if _, isRange := d.finds.(rangeKind); isRange || !d.flags.given("within") {
		if !isRange && d.flags.given("levels") {
			return nil, wrongFlag("levels", d.levels, "--within, whose codes they are about; of a schema's own superset it "+
				`says "levels" in "within"`)
		}
		return s, nil
	}
	c, err := s.OpenColumn(d.column)
	switch {
	case d.within == "":
		return nil, wrongFlag("within", d.within, "a file with a code in each line")
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
	if d.flags.given("levels") {
		for text := range strings.SplitSeq(d.levels, ",") {
			level, err := strconv.Atoi(strings.TrimSpace(text))
			if err != nil {
				return nil, wrongFlag("levels", d.levels, "whole numbers of leading characters, as 1,3")
			}
			with.Columns[at].Within.Levels = append(with.Columns[at].Within.Levels, level)
		}
	}
	_, err = with.OpenColumn(d.column)
	wrong := (*frame.SchemaError)(nil)
	switch {
	case errors.As(err, &wrong) && wrong.Field == "levels" && !strings.Contains(wrong.Value, "*"): // of a code
		return nil, wrongFlag("levels", d.levels, "%s", wrong.Want)
	case err != nil: // a code that is no category
		return nil, &fileError{d.within, err}
	}
	return with, nil
}

// planned shows the plan.
func (d *discoverFlags) planned(out, errs io.Writer, target dp.Request, s *frame.Schema, asJSON bool) error {
	if err := d.flags.unread(); err != nil {
		return err
	}
	ctx, end := d.flags.interruptible(errs, "planned")
	defer end()
	plan, err := d.finds.plan(ctx, target, s, d.column)
	if err != nil {
		return err
	}
	if asJSON {
		return writeJSON(out, plan.json)
	}
	return tell(out, fitted(out)(plan.table)+plan.warnings.String())
}

// absolute is a path from the root, so that two names of a file are one.
func absolute(path string) string {
	if whole, err := filepath.Abs(path); err == nil {
		return whole
	}
	return path
}

// release charges, draws and saves; with --into it saves the schema, too.
func (d *discoverFlags) release(out, errs io.Writer, target dp.Request, s *frame.Schema, asJSON bool) error {
	if err := d.files(); err != nil {
		return err
	}
	d.flags.reads("budget", "out", "seed", "into")
	switch {
	case d.out == "":
		return wrongFlag("out", nil, "the file to save what is found in: without it a second run would add new noise and "+
			"charge again")
	case d.into != "" && absolute(d.into) == absolute(d.out):
		return wrongFlag("into", d.into, "another file than that of --out")
	case d.into != "" && exists(d.into) && !exists(d.out):
		return wrongFlag("into", d.into, "a new file: this one is there")
	}
	if capped, publicN := s.CapsRows(); d.into != "" && capped && !publicN && target.Adjacency.PublicN() {
		return wrongFlag("adjacency", target.Adjacency, "add-remove: the schema caps the rows of a unit, so their number "+
			"is private, and no release under the schema of --into would be possible")
	}
	if err := d.flags.unread(); err != nil {
		return err
	}
	read := s.Clone()
	if d.table.formatFlags != (formatFlags{}) {
		format := d.table.format(s.Format)
		read.Format = &format
	}
	if d.budget != "" {
		b, err := openBudget(d.budget, d.schema, d.table.data)
		if err != nil {
			return err
		}
		d.ledger, d.known = b, len(b.Charges())
	}
	ctx, end := d.flags.interruptible(errs, "prepared")
	defer end()
	in, err := d.input(ctx, read)
	if err != nil {
		return d.table.quiet(err)
	}
	found, err := d.finds.draw(target, read, in, d, d.options(ctx, d.flags.given("seed"), nil))
	if err != nil {
		return d.table.quiet(err)
	}
	if err := d.save(found, s); err != nil {
		return fmt.Errorf("%s keeps what was released, and no schema was saved: %w", safetext.File(d.out), err)
	}
	if asJSON {
		return writeJSON(out, d.finds.json(found, d))
	}
	text := foundText(found, false, fitted(out)) + d.kept(found.Loaded()) + "\n"
	if d.into != "" {
		text += "The schema with the " + d.finds.noun() + " is in " + d.into + ".\n"
	}
	return d.ends(out, text)
}

// files lists the table's files. None may be the superset.
func (d *discoverFlags) files() error {
	if err := d.table.find(); err != nil {
		return err
	}
	if len(d.table.data) == 0 {
		return wrongFlag("data", nil, "the table whose column is sought: CSV, Arrow or Parquet")
	}
	list, err := os.Stat(d.within)
	for _, path := range d.table.data {
		if table, no := os.Stat(path); err == nil && no == nil && os.SameFile(list, table) {
			return wrongFlag("within", d.within, "a public list, made without the rows: this file is the table")
		}
	}
	return nil
}

// input is the table: CSV files as they are, and others as CSV. Then the schema's own form of files is set aside.
func (d *discoverFlags) input(ctx context.Context, s *frame.Schema) (in frame.Input, err error) {
	t := &d.table
	part := func(r io.Reader) frame.Input { return frame.Input{Readers: []frame.Shard{{Name: t.name(), Reader: r}}} }
	if name, embedded := t.embedded(); embedded {
		r, _, err := data.Open(name)
		s.Format = nil
		return part(r), err
	}
	form, err := t.form()
	switch {
	case err != nil:
		return in, err
	case form == textForm && !t.fromInput():
		return frame.Input{Paths: t.data}, nil
	case form == textForm:
		b, err := t.input()
		if t.marked && t.formatFlags == (formatFlags{}) { // a program wrote it
			s.Format = nil
		}
		return part(bytes.NewReader(b)), err
	}
	text, err := t.columnText(ctx, asTexts(s, d.column), form)
	s.Format = nil
	return part(text), err
}

// asTexts is a schema of a column's texts alone, and of the key of units.
func asTexts(s *frame.Schema, column string) *frame.Schema {
	const all = "(all texts)"
	texts := frame.Categorical(column, all)
	texts.OnOutOfDomain, texts.Other = frame.DomainOther, all
	if c, _, err := s.Column(column); err == nil && len(c.Missing) > 0 {
		texts.Missing, texts.OnMissing, texts.MissingCategory = c.Missing, frame.MissingAsCategory, "(missing)"
	}
	return &frame.Schema{Dataset: s.Dataset, UnitKey: s.UnitKey, RowsPerUnit: s.RowsPerUnit, ExtraColumns: true,
		Columns: []frame.Column{texts}}
}

// save writes the schema with what was found.
func (d *discoverFlags) save(found foundColumn, s *frame.Schema) error {
	if d.into == "" {
		return nil
	}
	with, err := found.AddTo(s)
	if err != nil {
		return err
	}
	text := append(with.JSON(), '\n')
	if err := writeNew(d.into, text); errors.Is(err, fs.ErrExist) {
		if there, err := readWithin(d.into, maxDocument); err != nil || !bytes.Equal(there, text) {
			return wrongFlag("into", d.into, "a new file: this one is there, with another schema")
		}
	} else if err != nil {
		return &fileError{d.into, err}
	}
	return nil
}
