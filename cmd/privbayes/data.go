package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/cmd/privbayes/internal/terminal"
	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

const dataSynopsis = `data list
data fetch NAME [flags]

list shows the embedded data sets, the public ones of the study that can be fetched, and a larger one, with licence and
place.

fetch copies an embedded set and its schema to a folder: the current one, or the one of --to, which is made if it is not
there. fetch downloads any other set from its publisher, checks the SHA-256 of the original files, converts them, checks
the result, and stores it where the library finds it: the folder that PRIVBAYES_DATA names, else the user's cache
folder. With --to it writes the table and its schema there instead. Without network it says which file to put where by
hand.`

var dataExamples = []string{"privbayes data list", "privbayes data fetch votes --to mine",
	"privbayes data fetch adult"}

func dataCommand(args []string, out, errs io.Writer) error {
	fs, asJSON := newFlags("data", dataSynopsis)
	to := fs.String("to", "", "with fetch: the `folder` to write to")
	download := fs.Bool("download", false, "download even a set that is embedded (spam, shopper)")
	url := fs.String("url", "", "another `address` of the archive, such as a mirror")
	rest, err := parse(fs, args)
	if err != nil {
		return err
	}
	switch {
	case len(rest) == 1 && rest[0] == "list":
		if err := fs.unread(); err != nil {
			return err
		}
		return listData(out, *asJSON)
	case len(rest) == 2 && rest[0] == "fetch":
		name := rest[1]
		fs.reads("to")
		embedded, public := slices.Contains(data.Names(), name), slices.Contains(data.StudyNames(), name)
		switch {
		case public && (!embedded || *download):
			o, err := data.StudyInfo(name)
			if fs.reads("download"); !o.Shipped {
				fs.reads("url")
			}
			if err := errors.Join(err, fs.unread()); err != nil {
				return err
			}
			return downloadData(out, errs, name, *to, *url, *asJSON)
		case !embedded:
			return &data.NameError{Name: name, Have: slices.Compact(slices.Sorted(slices.Values(append(data.Names(),
				data.StudyNames()...))))}
		case *to == "":
			*to = "."
		}
		if err := fs.unread(); err != nil {
			return err
		}
		return copyData(out, name, *to, *asJSON)
	}
	return wrongUsage("data: want list, or fetch NAME")
}

// listed is a data set as JSON shows it: an embedded one, or a public one with its address, its name in the paper, and
// where it is (empty while it has to be fetched).
type listed struct {
	data.Dataset
	URL       string `json:",omitempty"`
	PaperName string `json:",omitempty"`
	Path      string `json:",omitempty"`
}

func listData(out io.Writer, asJSON bool) error {
	var sets, study []listed
	for _, name := range data.Names() {
		d, err := data.Info(name)
		if err != nil {
			return err
		}
		sets = append(sets, listed{Dataset: d})
	}
	for _, o := range data.Study() {
		path, err := data.FindStudy(o.Name)
		var absent *data.NotFetchedError
		if err != nil && !errors.As(err, &absent) {
			return err
		}
		if path == "" && (o.Shipped || slices.Contains(data.Names(), o.Name)) {
			path = "embedded"
		}
		d := data.Dataset{Name: o.Name, File: o.File, Title: o.PaperName, Rows: o.Rows, Columns: o.Features + 1,
			Licence: o.Licence,
			Source:  fmt.Sprintf("UCI Machine Learning Repository %d, doi:%s", o.ID, o.DOI), Citation: o.Citation,
			Changes: o.Changes, SHA256: o.CSVSHA256}
		study = append(study, listed{d, o.URL, o.PaperName, path})
	}
	large := listed{Dataset: data.ACSGov2018Info()}
	if path, err := data.External(large.File); err == nil {
		large.Path = path
	}
	if asJSON {
		return writeJSON(out, append(append(sets, study...), large))
	}
	t := table.New("Embedded data sets", "name", "title", "rows", "columns", "licence", "source")
	for _, d := range sets {
		t.Add(d.Name, d.Title, d.Rows, d.Columns, d.Licence, d.Source)
	}
	p := table.New("Public data sets of the study", "name", "in the paper", "rows", "columns", "licence", "where")
	for _, s := range study {
		where := s.Path
		if where == "" {
			where = "privbayes data fetch " + s.Name
		}
		p.Add(s.Name, s.PaperName, s.Rows, s.Columns, s.Licence, where)
	}
	where := large.Path
	if where == "" {
		where = "not here: put " + large.File + " into the folder that PRIVBAYES_DATA names"
	}
	l := table.New("Larger public data sets, neither embedded nor fetched", "name", "title", "rows", "columns",
		"licence", "source", "where")
	l.Add(large.Name, large.Title, large.Rows, large.Columns, large.Licence, large.Source+"; "+large.Package, where)
	return display(out, terminal.Tables{t, p, l})
}

// writeFiles tells which files there are now.
func writeFiles(out io.Writer, files map[string]string, asJSON bool) error {
	if asJSON {
		return writeJSON(out, files)
	}
	for _, kind := range []string{"csv", "schema"} {
		if files[kind] != "" {
			if _, err := fmt.Fprintln(out, files[kind]); err != nil {
				return err
			}
		}
	}
	return nil
}

// copyData writes NAME.csv (or .csv.gz) and NAME.schema.json of an embedded set. It never overwrites.
func copyData(out io.Writer, name, dir string, asJSON bool) error {
	r, s, err := data.Open(name)
	if err != nil {
		return err
	}
	csv := name + ".csv"
	if n, ok := r.(interface{ Name() string }); ok {
		csv = n.Name() // .csv or .csv.gz
	}
	files := map[string]string{"csv": filepath.Join(dir, csv), "schema": filepath.Join(dir, name+".schema.json")}
	raw, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := errors.Join(writeNew(files["csv"], raw), writeNew(files["schema"], append(s.JSON(), '\n'))); err != nil {
		if errors.Is(err, os.ErrExist) {
			err = fmt.Errorf("%w\nwant a folder without them: files are never overwritten", err)
		}
		return err
	}
	return writeFiles(out, files, asJSON)
}

const schemaSynopsis = `schema TABLE [flags]

Writes a schema with the names of the columns, from the header line of a CSV file. Kinds, categories and bounds are
marked FILL IN: they come from the code book and not from the rows, of which none is read.

--inferred reads the rows and guesses everything. It is for looking around: the schema says so, and nothing that is made
under it is private.`

var schemaExamples = []string{"privbayes schema survey.csv --out survey.schema.json",
	`privbayes schema survey.csv --separator ";" --decimal , --encoding latin-1`}

func schemaCommand(args []string, out, _ io.Writer) error {
	flags, asJSON := newFlags("schema", schemaSynopsis)
	inferred := flags.Bool("inferred", false, "read the rows and guess; what is made under the schema is not private")
	dataset := flags.String("dataset", "", "the `name` that budgets are kept under; that of the file by default")
	to := flags.String("out", "", "write to this new `file`")
	var written formatFlags
	written.add(flags, "")
	paths, err := parse(flags, args)
	if err != nil {
		return err
	}
	if *dataset == "" {
		*dataset, _, _ = strings.Cut(filepath.Base(paths[0]), ".")
	}
	b, err := schemaOf(paths[0], *dataset, written.format(nil), *inferred)
	if err != nil {
		return err
	}
	if *to == "" {
		_, err = out.Write(b)
		return err
	}
	if err := writeNew(*to, b); err != nil {
		return fmt.Errorf("%w; want a new file: files are never overwritten", err)
	}
	if *asJSON {
		return writeJSON(out, map[string]string{"schema": *to})
	}
	_, err = fmt.Fprintln(out, *to)
	return err
}

// schemaOf is the skeleton of a file's header, or what its rows look like.
func schemaOf(path, dataset string, f frame.Format, inferred bool) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var b []byte
	if !inferred {
		b, err = frame.SchemaSkeleton(file, dataset, frame.WithFormat(f))
	} else if s, no := frame.InferSchema(file, dataset, frame.WithFormat(f)); no != nil {
		err = no
	} else {
		b = append(s.JSON(), '\n')
	}
	var wrong *frame.FileError
	if errors.As(err, &wrong) {
		wrong.File = filepath.Base(path)
	}
	return b, err
}

const checkSynopsis = `check --schema FILE --data FILE [flags]

Reads the whole table and lists, counted, every value that does not fit the schema, where the other commands stop at
the first. The list quotes private rows: it is for the data holder only, do not publish it. Mend the table by it, or
look into the code book again. A schema that is changed because of it lets the data choose the domain. No budget is
used. What does not fit is exit code 3.`

var checkExamples = []string{
	"privbayes check --schema survey.schema.json --data survey.csv",
	`privbayes check --schema survey.schema.json --data "survey-*.csv" --separator ";" --decimal , --encoding latin-1`,
}

func checkCommand(args []string, out, errs io.Writer) error {
	f, asJSON := longFlags("check", checkSynopsis)
	schema := f.String("schema", "", "schema `file`, JSON")
	var t tableFlags
	t.add(f, "")
	if _, err := parse(f, args); err != nil {
		return err
	}
	ctx, end := f.interruptible(errs, "prepared")
	defer end()
	s, err := t.schemaOf(*schema)
	if err == nil {
		err = f.unread()
	}
	if err != nil {
		return err
	}
	v, err := t.violations(ctx, s)
	if err != nil {
		return err
	}
	if *asJSON {
		err = writeJSON(out, checkJSON{"do not publish", v.Rows, v.Count(), v.Stopped, v.List(), v.Marks()})
	} else {
		err = display(out, v)
	}
	if err == nil && v.Count() > 0 {
		err = errUnfit
	}
	return err
}

// checkJSON is what check writes with --json.
type checkJSON struct {
	Private    string            `json:"private"`
	Rows       int               `json:"rows"`
	Count      int               `json:"violations"`
	Stopped    bool              `json:"stopped,omitempty"` // behind the last nobody can tell fields apart
	Violations []frame.Violation `json:"list,omitempty"`
	Marks      []frame.MarkCount `json:"missing,omitempty"`
}

// maxDocument is the length of the longest schema that is read, in bytes.
const maxDocument = 1 << 26

// readSchemaFile reads a schema file, or the schema itself: a text that begins with a brace.
func readSchemaFile(path string) (*frame.Schema, error) {
	if strings.HasPrefix(path, "{") {
		return frame.ParseSchema([]byte(path))
	}
	b, err := readWithin(path, maxDocument)
	if err != nil {
		return nil, fmt.Errorf("--schema: %w", err)
	}
	s, err := frame.ParseSchema(b)
	if err != nil {
		return nil, &fileError{path, err}
	}
	return s, nil
}

// exists reports whether there is a file of that name.
func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// newRows reads rows to predict, under the columns of a release's model: other columns are ignored, and the target may
// be absent. Of two linked tables it reads both files, and says which unit each row is, or files of wide rows.
func newRows(ctx context.Context, t *tableFlags, sh *model.Shape) (*frame.Frame, *unitsOf, error) {
	if err := t.data.expand(); err != nil {
		return nil, nil, err
	}
	tables := len(sh.Schema().Tables)
	if tables > 0 && len(t.data) == tables {
		f, units, err := t.newTables(ctx, sh)
		if err != nil { // two files of wide rows
			if wide, other := newWide(ctx, t, sh); other == nil {
				return wide, nil, nil
			}
		}
		return f, units, err
	}
	f, err := newWide(ctx, t, sh)
	var absent *frame.ColumnError
	if tables > 0 && errors.As(err, &absent) {
		absent.Want = "a file with one row a unit; or the files of both tables, --data for each"
	}
	return f, nil, err
}

// newWide reads rows to predict from one table.
func newWide(ctx context.Context, t *tableFlags, sh *model.Shape) (*frame.Frame, error) {
	s := sh.Schema().Clone()
	if s.Columns, s.ExtraColumns = sh.Columns(), true; len(s.Tables) > 0 {
		s.Tables, s.UnitKey = nil, ""
	}
	f, err := readNew(ctx, t, s)
	var absent *frame.ColumnError
	if errors.As(err, &absent) && absent.Column == s.Columns[0].Name && len(s.Columns) > 1 {
		s.Columns = s.Columns[1:]
		f, err = readNew(ctx, t, s)
	}
	return f, err
}

func readNew(ctx context.Context, t *tableFlags, s *frame.Schema) (*frame.Frame, error) {
	t.rows = true
	f := t.read(ctx, s)
	return f.Data(), f.Err()
}

// writeTable writes records to a new file, or to out where path is empty.
func writeTable(out io.Writer, path string, records [][]string, mode os.FileMode) error {
	var b bytes.Buffer
	if err := csv.NewWriter(&b).WriteAll(records); err != nil {
		return err
	}
	return writeText(out, path, b.Bytes(), mode)
}

func writeText(out io.Writer, path string, text []byte, mode os.FileMode) error {
	if path == "" {
		_, err := out.Write(text)
		return err
	}
	if err := writeNewAs(path, text, mode); err != nil {
		return fmt.Errorf("%w; want a new file: files are never overwritten", err)
	}
	_, err := fmt.Fprintln(out, path)
	return err
}
