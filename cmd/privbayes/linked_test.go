//go:build !browser

package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/sources/arrow"
	"github.com/privbayes/privbayes-go/sources/parquet"
)

const townJSON = `{"dataset": "town", "unit": "household", "tables": [
  {"name": "households", "key": "hid", "columns": [
    {"name": "side", "kind": "categorical", "categories": ["north", "south"]}]},
  {"name": "persons", "of": "households", "key": "hid", "at_most": 3, "columns": [
    {"name": "age", "kind": "integer", "edges": [0, 5, 18, 100]}],
   "per_unit": [{"name": "size", "is": "count"}, {"name": "infant", "is": "any", "of": "age", "where": ["[0, 5)"]}]}]}`

// Two tables are released, checked, planned, scored and predicted from as one row a unit: the release of the command is
// the library's. Files that are not both tables, and orphans, are refused by name.
func TestTwoTables(t *testing.T) {
	t.Chdir(t.TempDir())
	households, persons := "hid,side\n", "hid,age\n"
	for i := range 120 {
		households += fmt.Sprintf("%d,%s\n", i, []string{"north", "south"}[i%2])
		for k := range i % 5 {
			persons += fmt.Sprintf("%d,%d\n", i, (i*37+k*41)%100)
		}
	}
	for name, text := range map[string]string{"town.json": townJSON, "h.csv": households, "p.csv": persons,
		"orphan.csv": persons + "999,4\n", "new.csv": "side,size,infant\nnorth,2,yes\nsouth,0,no\n"} {
		must.Do(t, os.WriteFile(name, []byte(text), 0o600))
	}
	both := []string{"--schema", "town.json", "--data", "h.csv", "--data", "p.csv"}
	with := func(command string, more ...string) []string {
		return append(append([]string{command}, both...), more...)
	}
	mustCall(t, with("release", "--target", "infant", "--features", "side,size", "--epsilon", "1", "--split", "0.7,1",
		"--seed", "1", "--out", "r.json")...)
	train, _ := privbayes.LoadTables(must.Get(privbayes.ParseSchema([]byte(townJSON)))(t), "h.csv", "p.csv").Split(.7, 1)
	r := must.Get(train.Model(privbayes.NaiveBayes("infant", "side", "size")).
		Privatize(privbayes.Geometric(), privbayes.PureDP(1), privbayes.Seeded(1)).Release())(t)
	if file := must.Get(os.ReadFile("r.json"))(t); string(file) != string(must.Get(r.JSON())(t)) {
		t.Error("the release of the command is not the library's")
	}
	mustCall(t, "verify", "r.json")
	code, rows, errs := call("synthesize", "r.json", "--rows", "3")
	if code != exitDone || strings.Count(rows, "\n") != 4 {
		t.Errorf("three synthetic rows of units: %d %s %s", code, rows, errs)
	}
	for want, args := range map[string][]string{
		"All 360 rows fit the schema": with("check"),
		"replace-one": append([]string{"plan", "--n", "120", "--target", "infant", "--epsilon", "1"},
			both[:2]...),
		"yes": {"predict", "r.json", "--data", "new.csv"},
	} {
		if out := mustCall(t, args...); !strings.Contains(out, want) {
			t.Errorf("%v: no %q in %s", args, want, out)
		}
	}
	for data, want := range map[string]string{"h.csv": "two files, in the order", "-": "files, one for each",
		"h.csv orphan.csv": `orphan.csv line 242, column "hid"`, "h.csv h.csv": "each file once"} {
		args := []string{"release", "--schema", "town.json", "--target", "infant", "--epsilon", "1", "--out", "x.json"}
		for file := range strings.FieldsSeq(data) {
			args = append(args, "--data", file)
		}
		if code, _, errs := call(args...); code == exitDone || !strings.Contains(errs, want) {
			t.Errorf("%s: %d, no %q in %s", data, code, want, errs)
		}
	}
	for data, want := range map[string]string{"-": "files, one for each", "h.csv": "two files, in the order"} {
		if code, _, errs := call("check", "--schema", "town.json", "--data", data); code == exitDone ||
			!strings.Contains(errs, want) {
			t.Errorf("check of %s: %d, no %q in %s", data, code, want, errs)
		}
	}
	code, rows, _ = call("check", "--schema", "town.json", "--data", "h.csv", "--data", "orphan.csv")
	if code == exitDone || !strings.Contains(rows, "999") {
		t.Errorf("check of an orphan: %d %s", code, rows)
	}
}

// Two pipes are two tables, of which nothing is lost.
func TestTwoTablesFromPipes(t *testing.T) {
	if _, err := os.Stat("/dev/fd"); err != nil {
		t.Skip("no names for pipes")
	}
	t.Chdir(t.TempDir())
	must.Do(t, os.WriteFile("town.json", []byte(townJSON), 0o600))
	args := []string{"check", "--schema", "town.json"}
	for _, text := range []string{"hid,side\n1,north\n2,south\n", "hid,age\n2,4\n"} {
		r, w, err := os.Pipe()
		must.Do(t, err)
		must.Get(w.WriteString(text))(t) // a pipe holds that much
		must.Do(t, w.Close())
		defer func() { _ = r.Close() }()
		args = append(args, "--data", fmt.Sprintf("/dev/fd/%d", r.Fd()))
	}
	if out := mustCall(t, args...); !strings.Contains(out, "All 3 rows fit the schema") {
		t.Errorf("two pipes: %s", out)
	}
}

// Two files of Parquet, of Arrow, or one of each, are the two CSV files that mean the same: the release, its rows set
// aside, and the list of what does not fit. A pair of CSV and another kind is refused.
func TestTwoTablesInColumns(t *testing.T) {
	t.Chdir(t.TempDir())
	csv := map[string]string{"h": "hid,side\n", "p": "hid,age\n"}
	households, persons := [][]any{}, [][]any{}
	for i := range 120 {
		side := []string{"north", "south"}[i%2]
		csv["h"] += fmt.Sprintf("%d,%s\n", i, side)
		households = append(households, []any{int64(i), side})
		for k := range i % 5 {
			age := (i*37 + k*41) % 100
			csv["p"] += fmt.Sprintf("%d,%d\n", i, age)
			persons = append(persons, []any{int64(i), int64(age)})
		}
	}
	must.Do(t, os.WriteFile("town.json", []byte(townJSON), 0o600))
	write := func(name string, head []string, rows [][]any) {
		var columns, arrows bytes.Buffer
		must.Do(t, parquet.Write(&columns, head, rows))
		must.Do(t, arrow.Write(&arrows, head, rows))
		must.Do(t, os.WriteFile(name+".parquet", columns.Bytes(), 0o600))
		must.Do(t, os.WriteFile(name+".arrow", arrows.Bytes(), 0o600))
	}
	write("h", []string{"hid", "side"}, households)
	write("p", []string{"hid", "age"}, persons)
	write("orphan", []string{"hid", "age"}, append(persons, []any{int64(999), int64(4)}))
	for name, text := range csv {
		must.Do(t, os.WriteFile(name+".csv", []byte(text), 0o600))
	}
	release := func(h, p string) (int, string) {
		out := strings.ReplaceAll(h+p, ".", "") + ".json"
		code, _, errs := call("release", "--schema", "town.json", "--data", h, "--data", p, "--target", "infant",
			"--features", "side,size", "--epsilon", "1", "--split", "0.7,1", "--seed", "1", "--out", out)
		text, _ := os.ReadFile(out)
		return code, string(text) + errs
	}
	_, want := release("h.csv", "p.csv")
	for _, pair := range [][2]string{{"h.parquet", "p.parquet"}, {"h.arrow", "p.arrow"}, {"h.parquet", "p.arrow"}} {
		if code, got := release(pair[0], pair[1]); code != exitDone || got != want {
			t.Errorf("%v: %d, another release than of CSV: %.400s", pair, code, got)
		}
		if out := mustCall(t, "check", "--schema", "town.json", "--data", pair[0], "--data", pair[1]); !strings.Contains(out,
			"All 360 rows fit the schema") {
			t.Errorf("%v: %s", pair, out)
		}
	}
	for second, want := range map[string]string{"p.csv": "both tables as CSV", "orphan.parquet": "persons",
		"h.parquet": `h.parquet: no column "age"`, "gone.parquet": "gone.parquet: no such file"} {
		if code, got := release("h.parquet", second); code == exitDone || !strings.Contains(got, want) ||
			strings.Contains(got, "999") {
			t.Errorf("%s: %d, no %q in %s", second, code, want, got)
		}
	}
	both := []string{"predict", "hparquetpparquet.json", "--data", "h.parquet", "--data", "p.parquet"}
	if code, _, errs := call(append(both, "--separator", ";")...); code == exitDone || !strings.Contains(errs, "for CSV") {
		t.Errorf("a separator of Parquet: %d %s", code, errs)
	}
	mustCall(t, both...)
	code, out, _ := call("check", "--schema", "town.json", "--data", "h.parquet", "--data", "orphan.parquet")
	if code == exitDone || !strings.Contains(out, "999") {
		t.Errorf("check of an orphan: %d %s", code, out)
	}
}

// oldTown writes tables of 120 units, in several forms, and releases a model of them.
func oldTown(t *testing.T, features, out string) {
	t.Helper()
	town := strings.Replace(townJSON, `["north", "south"]}`, `["north", "south"]}, {"name": "old", "kind": "categorical",
		"categories": ["y", "n"]}`, 1)
	texts := map[string]string{"town.json": town, "h.csv": "hid,side,old\n", "p.csv": "hid,age\n",
		"wide.csv": "old,size,infant\n", "new.csv": "hid,old\n", "h2.csv": "hid,side,old\n", "p2.csv": "hid,age\n",
		"few.csv": "hid,side,town\n", "more.csv": "hid,age,shoe\n", "aged.csv": "hid,shoe\n1,40\n"}
	for i := range 120 {
		side, old, infant := []string{"north", "south"}[i%2], []string{"y", "n"}[i/3%2], "no"
		texts["h.csv"] += fmt.Sprintf("%d,%s,%s\n", 500-i, side, old)
		texts["h2.csv"] += fmt.Sprintf("%d,%s,%s\n", 1000-i, side, old)
		texts["new.csv"] += fmt.Sprintf("%d,%s\n", 500-i, old)
		texts["few.csv"] += fmt.Sprintf("%d,%s,x\n", 500-i, side)
		for k := range i % 4 {
			texts["p.csv"] += fmt.Sprintf("%d,%d\n", 500-i, (i+k)%40)
			texts["more.csv"] += fmt.Sprintf("%d,%d,41\n", 500-i, (i+k)%40)
			texts["p2.csv"] += fmt.Sprintf("%d,%d\n", 1000-i, (i+k)%40)
			if (i+k)%40 < 5 {
				infant = "yes"
			}
		}
		texts["wide.csv"] += fmt.Sprintf("%s,%d,%s\n", old, i%4, infant)
	}
	for name, text := range texts {
		must.Do(t, os.WriteFile(name, []byte(text), 0o600))
	}
	mustCall(t, "release", "--schema", "town.json", "--data", "h.csv", "--data", "p.csv", "--target", "side", "--features",
		features, "--epsilon", "1", "--seed", "1", "--out", out)
}

// Both files of new units are predicted from by key, in the order of the parents, as one file with one row a unit is,
// also without the target; both are scored on, and a file of one table is refused with what to give.
func TestTwoTablesPredicted(t *testing.T) {
	t.Chdir(t.TempDir())
	oldTown(t, "old,size,infant", "r.json")
	wide := strings.Split(strings.TrimSpace(mustCall(t, "predict", "r.json", "--data", "wide.csv")), "\n")
	for _, first := range []string{"h.csv", "new.csv"} {
		both := strings.Split(strings.TrimSpace(mustCall(t, "predict", "r.json", "--data", first, "--data", "p.csv")), "\n")
		for i, line := range both {
			key := "hid"
			if i > 0 {
				key = fmt.Sprint(501 - i)
			}
			if line != key+","+wide[i] || len(both) != 121 {
				t.Fatalf("%s: line %d %s, of one row a unit %s", first, i, line, wide[i])
			}
		}
	}
	if out := mustCall(t, "predict", "r.json", "--data", "new.csv", "--data", "p.csv", "--json"); !strings.Contains(out,
		`"key": "hid"`) || !strings.Contains(out, `"500"`) {
		t.Error(out)
	}
	if out := mustCall(t, "report", "r.json", "--data", "h.csv", "--data", "p.csv", "--test", "h2.csv", "--test",
		"p2.csv"); !strings.Contains(out, "north") {
		t.Error(out)
	}
	must.Do(t, os.WriteFile("wide2.csv", []byte("old,size,infant\ny,1,no\n"), 0o600))
	if out := mustCall(t, "predict", "r.json", "--data", "wide*.csv"); strings.Count(out, "\n") != 122 {
		t.Errorf("wide rows in two files: %s", out)
	}
	for want, args := range map[string][]string{
		"no column \"old\"":       {"predict", "r.json", "--data", "few.csv", "--data", "p.csv"},
		"gone.csv":                {"predict", "r.json", "--data", "h.csv", "--data", "gone.csv"},
		"--data for each":         {"predict", "r.json", "--data", "new.csv"},
		"two files, in the order": {"report", "r.json", "--data", "h.csv", "--data", "p.csv", "--test", "h2.csv"},
		"each file once":          {"predict", "r.json", "--data", "h.csv", "--data", "h.csv"},
		"a file; --data may":      {"report", "r.json", "--data", "h.csv", "--data", "p.csv", "--test", "-"},
		"is it another file":      {"predict", "r.json", "--data", "p.csv", "--data", "h.csv"},
	} {
		if code, _, errs := call(args...); code == exitDone || !strings.Contains(errs, want) {
			t.Errorf("%v: %d, no %q in %s", args, code, want, errs)
		}
	}
}

// Columns that the model does not use may be in both files, and missing from the parents', but not from the children's.
func TestTwoTablesPredictedByFewColumns(t *testing.T) {
	t.Chdir(t.TempDir())
	oldTown(t, "size", "few.json")
	want := mustCall(t, "predict", "few.json", "--data", "h.csv", "--data", "p.csv")
	for first, other := range map[string]string{"h.csv": "more.csv", "few.csv": "p.csv"} {
		code, got, errs := call("predict", "few.json", "--data", first, "--data", other)
		if code != exitDone || got != want {
			t.Errorf("%s and %s, with other columns than the model's: %d %s%s", first, other, code, got, errs)
		}
	}
	code, _, errs := call("predict", "few.json", "--data", "h.csv", "--data", "aged.csv")
	if code == exitDone || !strings.Contains(errs, "aged.csv") {
		t.Errorf("no ages: %d %s", code, errs)
	}
}

// A release of wide rows becomes two files in a folder, which the same schema reads; what cannot be two tables, and
// files that are there, are refused.
func TestTwoTablesAgain(t *testing.T) {
	t.Chdir(t.TempDir())
	households, persons := "hid,side\n", "hid,age\n"
	for i := range 200 {
		households += fmt.Sprintf("%d,%s\n", i, []string{"north", "south"}[i%2])
		for k := range i % 3 {
			persons += fmt.Sprintf("%d,%d\n", i, (i*37+k*41)%100)
		}
	}
	wide := strings.Replace(townJSON, `"at_most": 3`, `"at_most": 3, "places": true, "order": "-age"`, 1)
	for name, text := range map[string]string{"town.json": wide, "h.csv": households, "p.csv": persons} {
		must.Do(t, os.WriteFile(name, []byte(text), 0o600))
	}
	both := []string{"--schema", "town.json", "--data", "h.csv", "--data", "p.csv"}
	mustCall(t, append([]string{"learn", "--epsilon", "4", "--always", "--seed", "1", "--out", "r.json"}, both...)...)
	mustCall(t, "verify", "r.json")
	code, out, errs := call("synthesize", "r.json", "--rows", "150", "--seed", "2", "--tables", "made")
	if code != exitDone || !strings.Contains(out, "households.csv") || !strings.Contains(out, "persons.csv") {
		t.Error(code, out, errs)
	}
	made := must.Get(os.ReadFile("made/households.csv"))(t)
	if lines := strings.Count(string(made), "\n"); lines != 151 || !strings.HasPrefix(string(made), "hid,side\n1,") {
		t.Errorf("%d lines: %.40s", lines, made)
	}
	if out := mustCall(t, "check", "--schema", "town.json", "--data", "made/households.csv", "--data",
		"made/persons.csv"); !strings.Contains(out, "fit the schema") {
		t.Error(out)
	}
	code, out, errs = call("synthesize", "r.json", "--rows", "9", "--tables", "other", "--json")
	if paths := strings.ReplaceAll(out, " ", ""); code != exitDone || !strings.Contains(paths,
		`"households":"other/households.csv"`) {
		t.Error(code, out, errs)
	}
	for _, places := range []string{"1", "4"} { // of three
		must.Do(t, os.WriteFile(places, []byte(strings.Replace(wide, `"places": true`, `"places": `+places, 1)), 0o600))
	}
	one := []string{"--schema", "1", "--data", "h.csv", "--data", "p.csv", "--epsilon", "4", "--always"}
	if out := mustCall(t, append([]string{"learn", "--plan"}, one...)...); !strings.Contains(strings.Join(
		strings.Fields(out), " "), "of up to 3 who are counted 1 have places") {
		t.Error(out)
	}
	mustCall(t, append([]string{"learn", "--seed", "1", "--out", "one.json"}, one...)...)
	mustCall(t, "verify", "one.json")
	call("synthesize", "one.json", "--rows", "150", "--seed", "2", "--tables", "one")
	if out := mustCall(t, "check", "--schema", "1", "--data", "one/households.csv", "--data",
		"one/persons.csv"); !strings.Contains(out, "fit the schema") {
		t.Error(out)
	}
	mustCall(t, append([]string{"release", "--table", "size,infant", "--epsilon", "4", "--seed", "1", "--out", "few.json"},
		both...)...)
	for want, args := range map[string][]string{
		"never overwritten": {"synthesize", "r.json", "--rows", "9", "--tables", "made"},
		"--out":             {"synthesize", "r.json", "--rows", "9", "--tables", "new", "--out", "x.csv"},
		`column "side"`:     {"synthesize", "few.json", "--rows", "9", "--tables", "new"},
		"from 1 to 3":       {"check", "--schema", "4", "--data", "h.csv", "--data", "p.csv"},
		"--tables is empty": {"synthesize", "r.json", "--rows", "9", "--tables", ""},
	} {
		if code, _, errs := call(args...); code == exitDone || !strings.Contains(errs, want) {
			t.Errorf("%v: %d, no %q in %s", args, code, want, errs)
		}
	}
	if _, err := os.Stat("new"); err == nil {
		t.Error("a refused call made a folder")
	}
}
