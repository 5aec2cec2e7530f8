package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// --calibrate and --clusters show what the library's Calibrate and Clustered have, as text and JSON. Files that are
// neither are refused, with what is wanted.
func TestCellsOnTheCommandLine(t *testing.T) {
	t.Chdir(t.TempDir())
	var names []string
	rows, strata, sizes := "region,ill,w\n", map[string]string{}, map[string]int64{}
	for r := range 12 {
		name := fmt.Sprint("r", r)
		names, strata[name], sizes[name] = append(names, name), []string{"city", "land"}[r%2], int64(100*(r+1))
		rows += strings.Repeat(name+",yes,3\n"+name+",no,9\n", 200+r)
	}
	quoted := string(must.Get(json.Marshal(names))(t))
	for file, text := range map[string]string{
		"rows.csv": rows,
		"s.json": `{"dataset": "regions", "weight": {"column": "w", "min": "1", "max": "10", "step": "1", "computed": ` +
			`"design"}, "columns": [{"name": "region", "kind": "categorical", "categories": ` + quoted + `}, {"name": "ill", ` +
			`"kind": "categorical", "categories": ["yes", "no"]}]}`,
		"sizes.json":  `{"column": "region", "sizes": ` + string(must.Get(json.Marshal(sizes))(t)) + `}`,
		"strata.json": `{"column": "region", "strata": ` + string(must.Get(json.Marshal(strata))(t)) + `}`,
		"twice.json":  `{"column": "region", "column": "ill", "strata": {}}`,
		"other.json":  `{"columns": "region"}`,
	} {
		must.Do(t, os.WriteFile(file, []byte(text), 0o600))
	}
	mustCall(t, strings.Fields("release --schema s.json --data rows.csv --table ill,region --epsilon 1 --seed 1 --out "+
		"r.json")...)
	r := must.Get(release.Load(t.Context(), "r.json"))(t)
	for line, want := range map[string]*release.Calibrated{
		"--calibrate sizes.json": must.Get(r.Calibrate("region", sizes))(t),
		"--clusters strata.json": must.Get(r.Clustered("region", strata))(t),
		"--totals":               must.Get(r.Totals())(t),
	} {
		args := append([]string{"intervals", "r.json"}, strings.Fields(line)...)
		if text := mustCall(t, args...); !strings.HasPrefix(text, want.Table().Title+"\n") {
			t.Errorf("%s: %s", line, text)
		}
		var got struct {
			Level float64
			Rows  []struct {
				Of, About          string
				Mean, Lower, Upper float64
			}
		}
		must.Do(t, json.Unmarshal([]byte(mustCall(t, append(args, "--json")...)), &got))
		for i, w := range want.List {
			if g := got.Rows[i]; g.Of != w.Of || g.About != "population" || g.Mean != w.Estimate ||
				g.Lower != w.Population.Lower || g.Upper != w.Population.Upper || got.Level != .95 ||
				len(got.Rows) != len(want.List) {
				t.Errorf("%s: %+v, want %+v", line, got, w)
			}
		}
	}
	for line, want := range map[string]string{
		"--calibrate strata.json":                       `"sizes", and no "strata"`,
		"--clusters sizes.json":                         `"strata", and no "sizes"`,
		"--clusters twice.json":                         "column",
		"--calibrate other.json":                        "columns",
		"--calibrate none.json":                         "none.json",
		"--calibrate sizes.json --clusters strata.json": "want one of them",
		"--calibrate sizes.json --level .9":             "want one of them",
		"--totals --clusters strata.json":               "want one of them",
	} {
		if code, _, errs := call(append([]string{"intervals", "r.json"}, strings.Fields(line)...)...); code != exitUsage &&
			code != exitInput || !strings.Contains(errs, want) {
			t.Errorf("%s: %d %s", line, code, errs)
		}
	}
}

// Files of cells that have another form are refused with the one that is wanted.
func TestFilesOfCells(t *testing.T) {
	t.Chdir(t.TempDir())
	saved := savedSurvey(t)
	for _, text := range []string{"[]", "", "null", `{"column": "region", "strata": {"r1": 3}}`, `{"sizes": {"r1": 3}}`} {
		must.Do(t, os.WriteFile("cells.json", []byte(text), 0o600))
		for flag, want := range map[string]string{"--clusters": `{"column": "area"`, "--calibrate": `{"column": "region"`} {
			if code, _, errs := call("intervals", saved, flag, "cells.json"); code != exitUsage ||
				!strings.Contains(errs, "cells.json; want a JSON file of the form "+want) {
				t.Errorf("%s %s: %d %s", flag, text, code, errs)
			}
		}
	}
}

// savedSurvey is the file of a small weighted table.
func savedSurvey(t *testing.T) string {
	must.Do(t, os.WriteFile("s.json", []byte(strings.ReplaceAll(surveyText, "WHO", "design")), 0o600))
	must.Do(t, os.WriteFile("rows.csv", []byte("region,income,w\n"+strings.Repeat("north,10,4\n", 50)), 0o600))
	mustCall(t, strings.Fields("release --schema s.json --data rows.csv --table region --epsilon 1 --seed 1 --out "+
		"r.json")...)
	return "r.json"
}
