package main

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/release/export"
)

const exportSynopsis = `export RELEASE --to bif|json|stan|numpyro [--out FILE|FOLDER] [flags]

Writes a release in the form of another program. bif and json are the released network. stan and numpyro are a program
with its data, in the folder of --out: the likelihood of the noisy numbers, with the noise, and the prior of this
library in a block that you may replace. It reads no table and uses no budget.`

var exportExamples = []string{
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

func exportCommand(args []string, out, errs io.Writer) error {
	f, asJSON := longFlags("export", exportSynopsis)
	var forms []string
	for _, form := range export.Forms() {
		forms = append(forms, string(form))
	}
	form := f.String("to", "", "the form: "+strings.Join(forms, ", "))
	to := f.String("out", "", "new `path`: of stan and numpyro a folder, else a file (default: standard output)")
	files, err := parse(f, args)
	switch {
	case err != nil:
		return err
	case *form == "":
		return wrongFlag("to", nil, "%s", strings.Join(forms, ", "))
	case !slices.Contains(forms, *form):
		return wrongFlag("to", *form, "%s", strings.Join(forms, ", "))
	case *asJSON && *to != "":
		return wrongUsage("export: --json writes to standard output, --out files; want one of them")
	case export.Form(*form).Program() && *to == "" && !*asJSON:
		return wrongFlag("out", nil, "the folder for the program and its data")
	}
	ctx, end := f.interruptible(errs, "prepared")
	defer end()
	r, err := release.Load(ctx, files[0])
	if err != nil {
		return err
	}
	list, err := export.To(r, export.Form(*form))
	switch {
	case err != nil:
		return f.inFlag(err)
	case *asJSON:
		return writeJSON(out, exportJSON{r.ID(), export.Form(*form), list})
	case !export.Form(*form).Program():
		return writeText(out, *to, []byte(list[0].Text), 0o644)
	}
	err = os.MkdirAll(*to, 0o755)
	for _, file := range list {
		if err == nil {
			err = writeText(out, filepath.Join(*to, file.Name), []byte(file.Text), 0o644)
		}
	}
	return err
}
