package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/privbayes/release/export"
)

const exportSynopsis = `export RELEASE --to csv|records|arrow|parquet|bif|json|stan|numpyro [--out FILE|FOLDER] [flags]

Writes a release in the form of another program. csv, records (JSON), arrow and parquet are its estimates with their
intervals, as precise as they are; of a publication those of every item, each in a file of the folder of --out, with
their guarantee in publication.json, and of tables whole records, too, rounded so that margins are kept. bif and json
are the released network. stan and numpyro are a program with its data, in the folder of --out: the likelihood of the
noisy numbers, with the noise, and the prior of this library in a block that you may replace. It reads no
table and uses no budget.`

var exportExamples = []string{
	"privbayes export survey.publication.json --to csv --out survey.tables",
	"privbayes export survey.release.json --to bif --out survey.bif",
	"privbayes export survey.release.json --to stan --out survey.stan",
	"privbayes export wages.release.json --to numpyro --out wages",
}

// exportJSON is what export writes with --json.
type exportJSON struct {
	Release string        `json:"release"`
	Form    export.Form   `json:"form"`
	Files   []export.File `json:"files"`
}

// exportedJSON is what export writes with --json and --out: where the files are.
type exportedJSON struct {
	ID   string `json:"release"`
	Form string `json:"form"`
	Out  string `json:"out"`
}

func exportCommand(args []string, out, errs io.Writer) error {
	f, asJSON := longFlags("export", exportSynopsis)
	forms := slices.Clone(tableForms)
	for _, form := range export.Forms() {
		forms = append(forms, string(form))
	}
	form := f.String("to", "", "the form: "+strings.Join(forms, ", "))
	to := f.String("out", "", "new `path`: of stan, numpyro and publications a folder, else a file (default: standard "+
		"output)")
	item := f.String("item", "", "of a publication: write one item alone, by its `name`")
	files, err := parse(f, args)
	switch {
	case err != nil:
		return err
	case *form == "":
		return wrongFlag("to", nil, "%s", strings.Join(forms, ", "))
	case !slices.Contains(forms, *form):
		return wrongFlag("to", *form, "%s", strings.Join(forms, ", "))
	case export.Form(*form).Program() && *to == "" && !*asJSON:
		return wrongFlag("out", nil, "the folder for the program and its data")
	}
	ctx, end := f.interruptible(errs, "prepared")
	defer end()
	o, err := open(ctx, files[0], *item)
	if err == nil && o.publication == nil && o.release == nil {
		_, err = o.only(files[0])
	}
	switch {
	case err != nil:
		return err
	case !*asJSON || *to == "":
		return f.inFlag(writeExport(ctx, o, *item, *form, *to, *asJSON, out))
	}
	if err := writeExport(ctx, o, *item, *form, *to, false, io.Discard); err != nil {
		return f.inFlag(err)
	}
	if o.release == nil {
		return writeJSON(out, exportedJSON{o.publication.ID(), *form, *to})
	}
	return writeJSON(out, exportedJSON{o.release.ID(), *form, *to})
}

// writeExport writes a form of what was opened to standard output or to files.
func writeExport(ctx context.Context, o opened, item, form, to string, asJSON bool, out io.Writer) error {
	all, r := o.publication, o.release
	switch tabular := slices.Contains(tableForms, form); {
	case tabular && r == nil:
		return writeItems(ctx, all, form, to, asJSON, out)
	case tabular:
		return writeEstimates(ctx, r, all, item, form, to, asJSON, out)
	case r == nil:
		return wrongFlag("item", nil, "the item of the publication, by its name")
	}
	list, err := export.To(r, export.Form(form))
	switch {
	case err != nil:
		return err
	case asJSON:
		return writeJSON(out, exportJSON{r.ID(), export.Form(form), list})
	case !export.Form(form).Program():
		return writeText(out, to, []byte(list[0].Text), 0o644)
	}
	err = os.MkdirAll(to, 0o755)
	for _, file := range list {
		if err == nil {
			err = writeText(out, filepath.Join(to, file.Name), []byte(file.Text), 0o644)
		}
	}
	return err
}
