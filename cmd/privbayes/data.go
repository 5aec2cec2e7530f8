package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"time"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

const dataSynopsis = `data list | fetch NAME [flags]

list shows the embedded data sets, the public ones of the study that can be fetched, and a larger one, with licence and
place.

fetch copies an embedded set and its schema to a folder: the current one, or the one of --to, which is made if it is not
there. fetch downloads any other set from its publisher, checks the SHA-256 of the original files, converts them, checks
the result, and stores it where data.OpenStudy finds it: the folder that PRIVBAYES_DATA names, else the user's cache
folder. With --to it writes the table and its schema there instead. Without network it says which file to put where by
hand.`

var dataExamples = []string{"privbayes data list", "privbayes data fetch votes --to mine",
	"privbayes data fetch adult"}

func dataCommand(args []string, out, errs io.Writer) error {
	fs, asJSON := newFlags("data", dataSynopsis)
	to := fs.String("to", "", "folder to write to, with fetch")
	fs.StringVar(to, "dir", "", "the same as --to")
	download := fs.Bool("download", false, "download even a set that is embedded (spam, shopper)")
	url := fs.String("url", "", "another address of the archive, such as a mirror")
	rest, err := parse(fs, args, 2)
	if err != nil {
		return err
	}
	if err := fs.excludes("to", "dir"); err != nil {
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
		fs.reads("to", "dir")
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
			return downloadData(out, errs, name, data.FetchOptions{Dir: *to, URL: *url}, *asJSON)
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
	return &usageError{"data: want list, or fetch NAME"}
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
	_, err := fmt.Fprintf(out, "%s\n%s\n%s", t, p, l)
	return err
}

// downloadData fetches one public set, with progress on errs; an interrupt stops it and leaves nothing behind.
func downloadData(out, errs io.Writer, name string, opts data.FetchOptions, asJSON bool) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	p := progress{out: errs, name: name}
	opts.Progress = p.report
	path, err := data.Fetch(ctx, name, opts)
	p.end()
	if err != nil {
		return err
	}
	files := map[string]string{"csv": path}
	if opts.Dir != "" { // outside the cache, the schema goes with the table
		s, err := data.StudySchema(name)
		if err != nil {
			return err
		}
		files["schema"] = filepath.Join(opts.Dir, name+".schema.json")
		if err := writeNew(files["schema"], append(s.JSON(), '\n')); err != nil && !errors.Is(err, os.ErrExist) {
			return err
		}
	}
	return writeFiles(out, files, asJSON)
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

// progress writes one line that grows, ten times a second at most.
type progress struct {
	out   io.Writer
	name  string
	last  time.Time
	done  int64
	total int64
}

func (p *progress) report(done, total int64) {
	p.done, p.total = done, total
	if !terminal(p.out) {
		return
	}
	if now := time.Now(); now.Sub(p.last) >= 100*time.Millisecond {
		p.last = now
		p.print("\r")
	}
}

func (p *progress) print(before string) {
	if p.total > 0 {
		fmt.Fprintf(p.out, "%s%s: %d of %d KiB, %d %%", before, p.name, p.done>>10, p.total>>10, 100*p.done/p.total)
		return
	}
	fmt.Fprintf(p.out, "%s%s: %d KiB", before, p.name, p.done>>10)
}

func (p *progress) end() {
	if p.done > 0 && terminal(p.out) {
		p.print("\r")
		fmt.Fprintln(p.out)
	}
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
