package main

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
)

// survey writes two files of one table in another form than plain CSV, with a schema that does not say so.
func survey(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"part-1.csv": "answer;size\nyes;1,5\nno;0,25\n" + strings.Repeat("yes;2\n", 40),
		"part-2.csv": "size;answer\n" + strings.Repeat("0,5;no\n", 30),
		"bad.csv":    "answer;size\nyes;1,5\nSecret;9,75\nSecret;1\n",
		"survey.schema.json": `{"dataset":"survey","columns":[{"name":"answer","kind":"categorical",
			"categories":["yes","no"]},{"name":"size","kind":"real","edges":[0,1,3]}]}`,
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

var semicolons = []string{"--separator", ";", "--decimal", ","}

// check lists what does not fit, says that the list is private, and ends with the code of bad input.
func TestCheckCommand(t *testing.T) {
	survey(t)
	run := func(more ...string) (int, string, string) {
		return call(append(append([]string{"check", "--schema", "survey.schema.json"}, semicolons...), more...)...)
	}
	code, out, errs := run("--data", "part-*.csv")
	if code != exitDone || !strings.Contains(out, "0 that do not fit in 72 rows") || !strings.Contains(out, "do not "+
		"publish") {
		t.Errorf("%d %s%s", code, out, errs)
	}
	code, out, errs = run("--data", "part-1.csv", "--data", "bad.csv")
	if code != exitInput || errs != "" || !strings.Contains(out, `"Secret"`) || !strings.Contains(out, "9,75") ||
		!strings.Contains(out, "3 that do not fit in 45 rows") || !strings.Contains(out, "do not publish") {
		t.Errorf("%d %s%s", code, out, errs)
	}
	code, out, errs = run("--data", "bad.csv", "--json")
	var j struct {
		Private    string
		Violations int
		List       []struct{ Value string }
	}
	if err := json.Unmarshal([]byte(out), &j); err != nil || code != exitInput || j.Violations != 3 || len(j.List) != 2 ||
		j.Private != "do not publish" || j.List[0].Value != "Secret" {
		t.Errorf("%d %s%s %v", code, out, errs, err)
	}
	if code, out, errs := call("check", "--data", "votes"); code != exitDone || !strings.Contains(out, "435 rows") {
		t.Errorf("%d %s%s", code, out, errs)
	}
	for want, args := range map[string][]string{
		"--data: want the table": {"check"}, "--schema: want the schema of part-1.csv": {"check", "--data", "part-1.csv"},
		"no file has a name like this": {"check", "--schema", "survey.schema.json", "--data", "none-*.csv"},
	} {
		if code, _, errs := call(args...); code != exitUsage || !strings.Contains(errs, want) {
			t.Errorf("%v: %d %s", args, code, errs)
		}
	}
	for want, args := range map[string][]string{
		"no such file":                 {"--data", "none.csv"},
		`"./part-1.csv" twice`:         {"--data", "part-1.csv", "--data", "./part-1.csv"},
		"format.separator":             {"--data", "part-1.csv", "--separator", ",,"},
		`"latin-1", "windows-1252" or`: {"--data", "part-1.csv", "--encoding", "ebcdic"},
	} {
		code, _, errs := call(append([]string{"check", "--schema", "survey.schema.json"}, args...)...)
		if code != exitInput || !strings.Contains(errs, want) {
			t.Errorf("%v: %d %s", args, code, errs)
		}
	}
}

// A table in several files, written in a form of its own, is released, scored and predicted like one.
func TestSeveralFilesAreOneTable(t *testing.T) {
	survey(t)
	release := append([]string{"release", "--schema", "survey.schema.json", "--target", "answer", "--epsilon", "1",
		"--seed", "1"}, semicolons...)
	each := mustCall(t, append(slices.Clone(release), "--data", "part-1.csv", "--data", "part-2.csv", "--out",
		"a.json")...)
	glob := mustCall(t, append(slices.Clone(release), "--data", "part-?.csv", "--out", "b.json")...)
	a, errA := os.ReadFile("a.json")
	b, errB := os.ReadFile("b.json")
	if errA != nil || errB != nil || string(a) != string(b) || !strings.Contains(string(a), `"n": 72`) ||
		strings.Replace(each, "a.json", "b.json", 1) != glob {
		t.Errorf("%s\n%s %v %v", each, glob, errA, errB)
	}
	out := mustCall(t, append([]string{"report", "a.json", "--data", "part-1.csv", "--data", "part-2.csv", "--test",
		"part-2.csv"}, semicolons...)...)
	if !strings.Contains(out, "30 of the 30 test rows are among the rows") {
		t.Errorf("evaluation on a file of the table is not warned of:\n%s", out)
	}
	out = mustCall(t, append([]string{"predict", "a.json", "--data", "part-2.csv", "--data", "part-1.csv"},
		semicolons...)...)
	if n := strings.Count(out, "\n"); n != 73 {
		t.Errorf("%d lines", n)
	}
	if code, _, errs := call(append(slices.Clone(release), "--data", "votes", "--data", "part-1.csv", "--out",
		"c.json")...); code != exitInput || !strings.Contains(errs, "votes") {
		t.Errorf("%d %s", code, errs)
	}
	if code, out, errs := call("schema", "part-2.csv", "--separator", "tab"); code == exitDone ||
		!strings.Contains(errs, "has one field") {
		t.Errorf("%d %s%s", code, out, errs)
	}
	if err := os.WriteFile("rows.csv", []byte("39,State-gov,77516\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out, errs := call("schema", "rows.csv"); code != exitInput || out != "" ||
		!strings.Contains(errs, "header line") || strings.Contains(errs, "77516") {
		t.Errorf("%d %s%s", code, out, errs)
	}
}
