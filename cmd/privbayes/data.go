package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

func dataCommand(args []string, out, errs io.Writer) error {
	fs, asJSON := newFlags("data", "data list | fetch NAME [flags]", errs)
	dir := fs.String("dir", ".", "folder to write to, with fetch")
	rest, err := parse(fs, args, 2)
	if err != nil {
		return err
	}
	switch {
	case len(rest) == 1 && rest[0] == "list":
		return listData(out, *asJSON)
	case len(rest) == 2 && rest[0] == "fetch":
		return fetchData(out, rest[1], *dir, *asJSON)
	}
	return &usageError{"data: want list, or fetch NAME"}
}

func listData(out io.Writer, asJSON bool) error {
	var sets []data.Dataset
	for _, name := range data.Names() {
		d, err := data.Info(name)
		if err != nil {
			return err
		}
		sets = append(sets, d)
	}
	if asJSON {
		return writeJSON(out, sets)
	}
	t := table.New("Embedded data sets", "name", "title", "rows", "columns", "licence", "source")
	for _, d := range sets {
		t.Add(d.Name, d.Title, d.Rows, d.Columns, d.Licence, d.Source)
	}
	_, err := fmt.Fprint(out, t)
	return err
}

// fetchData writes NAME.csv (or .csv.gz) and NAME.schema.json. It never overwrites.
func fetchData(out io.Writer, name, dir string, asJSON bool) error {
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
	if err := writeNew(files["csv"], raw); err != nil {
		return err
	}
	if err := writeNew(files["schema"], append(s.JSON(), '\n')); err != nil {
		return err
	}
	if asJSON {
		return writeJSON(out, files)
	}
	_, err = fmt.Fprintf(out, "%s\n%s\n", files["csv"], files["schema"])
	return err
}

func writeNew(path string, b []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	if _, err = f.Write(b); err != nil {
		_ = f.Close()
		return err
	}
	return f.Close()
}
