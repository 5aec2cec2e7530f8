package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
)

// here is the folder of the tests.
var here, _ = os.Getwd()

// columnsFile is a file of testdata/columns: one table as CSV, and as pyarrow writes it in columns.
func columnsFile(name string) string { return filepath.Join(here, "testdata", "columns", name) }

// piped runs f with bytes on standard input.
func piped(t *testing.T, b []byte, f func()) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "input")
	must.Do(t, os.WriteFile(path, b, 0o600))
	file := must.Get(os.Open(path))(t)
	defer func() { _ = file.Close() }()
	defer func(was *os.File) { os.Stdin = was }(os.Stdin)
	os.Stdin = file
	f()
}

// seeded releases the table of --data with a fixed seed and returns the file.
func seeded(t *testing.T, args ...string) []byte {
	t.Helper()
	out := filepath.Join(t.TempDir(), "r.json")
	mustCall(t, append([]string{"release", "--schema", columnsFile("schema.json"), "--target", "answer",
		"--epsilon", "1", "--seed", "1", "--out", out}, args...)...)
	return must.Get(os.ReadFile(out))(t)
}

// One table gives one release and one set of predictions, in whatever form it is and whether it is a file or piped.
func TestFormsOfATable(t *testing.T) {
	csv := must.Get(os.ReadFile(columnsFile("table.csv")))(t)
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	must.Get(z.Write(csv))(t)
	must.Do(t, z.Close())
	want := seeded(t, "--data", columnsFile("table.csv"))
	made := filepath.Join(t.TempDir(), "r.json")
	must.Do(t, os.WriteFile(made, want, 0o600))
	_, predicted, _ := call("predict", made, "--data", columnsFile("table.csv"))
	half := seeded(t, "--data", columnsFile("table.csv"), "--split", "0.5,1")

	for _, name := range []string{"stream.arrow", "file.arrow", "table.parquet"} {
		if got := seeded(t, "--data", columnsFile(name)); !bytes.Equal(got, want) {
			t.Errorf("%s: another release than that of the CSV file", name)
		}
		if got := seeded(t, "--data", columnsFile(name), "--split", "0.5,1"); !bytes.Equal(got, half) {
			t.Errorf("%s: another half than that of the CSV file", name)
		}
		if _, out, errs := call("predict", made, "--data", columnsFile(name)); out != predicted || errs != "" {
			t.Errorf("%s: other predictions than those of the CSV file: %s", name, errs)
		}
	}
	arrow := must.Get(os.ReadFile(columnsFile("stream.arrow")))(t)
	for name, b := range map[string][]byte{"CSV": csv, "marked": append(bytes.Clone(csv), inputMark...),
		"gzip": packed.Bytes(), "stream": arrow, "file": must.Get(os.ReadFile(columnsFile("file.arrow")))(t)} {
		piped(t, b, func() {
			if got := seeded(t, "--data", "-"); !bytes.Equal(got, want) {
				t.Errorf("%s: another release than that of the file", name)
			}
		})
		piped(t, b, func() {
			if got := seeded(t, "--data", "-", "--split", "0.5,1"); !bytes.Equal(got, half) {
				t.Errorf("%s: another half than that of the file", name)
			}
		})
		piped(t, b, func() {
			code, out, errs := call("check", "--schema", columnsFile("schema.json"), "--data", "-", "--json")
			if code != exitDone || !strings.Contains(out, `"rows": 60`) {
				t.Errorf("%s: %s%s", name, out, errs)
			}
		})
		piped(t, b, func() { // with the target, which may be absent: the pipe is read twice
			if _, out, errs := call("predict", made, "--data", "-"); out != predicted || errs != "" {
				t.Errorf("%s: other predictions than those of the file: %s", name, errs)
			}
		})
	}
	other := filepath.Join(t.TempDir(), "other.json") // whose files have another form than what programs write
	text := must.Get(os.ReadFile(columnsFile("schema.json")))(t)
	must.Do(t, os.WriteFile(other, bytes.Replace(text, []byte("{"), []byte(`{"format": {"separator": ";", `+
		`"decimal": ",", "thousands": "."}, `), 1), 0o600))
	for _, b := range [][]byte{arrow, append(bytes.Clone(csv), inputMark...)} {
		piped(t, b, func() { mustCall(t, "check", "--schema", other, "--data", "-") })
	}
	piped(t, bytes.ReplaceAll(csv, []byte("answer"), []byte("other")), func() {
		if _, out, errs := call("predict", made, "--data", "-"); out != predicted {
			t.Errorf("without the target: %s", errs)
		}
	})
}

// A table that was cut off is an error, and nothing is drawn, charged or written.
func TestCutTables(t *testing.T) {
	t.Chdir(t.TempDir())
	csv := must.Get(os.ReadFile(columnsFile("table.csv")))(t)
	stream := must.Get(os.ReadFile(columnsFile("stream.arrow")))(t)
	schema := columnsFile("schema.json")
	mustCall(t, "budget", "b.budget", "--schema", schema, "--epsilon", "1")
	before := must.Get(os.ReadFile("b.budget"))(t)
	try := func(what string, b []byte) {
		t.Helper()
		piped(t, b, func() {
			code, _, errs := call("release", "--schema", schema, "--data", "-", "--target", "answer", "--epsilon", "1",
				"--budget", "b.budget", "--out", "r.json", "--json")
			var j struct{ Error fault }
			if err := json.Unmarshal([]byte(errs), &j); code != exitInput || err != nil || j.Error.Kind != "input" {
				t.Errorf("%s: %d %v %s", what, code, err, errs)
			}
		})
		if found, _ := filepath.Glob("*"); len(found) != 1 || !bytes.Equal(must.Get(os.ReadFile("b.budget"))(t), before) {
			t.Fatalf("%s: left %v, or the budget is another", what, found)
		}
	}
	for at := 0; at < len(stream); at += 37 {
		if at >= 8 { // less is CSV
			try("a stream", stream[:at])
		}
	}
	try("a stream without its mark", stream[:len(stream)-8])
	try("a stream that goes on", append(bytes.Clone(stream), stream...))
	try("half a gzip file", []byte("\x1f\x8b\x08\x00\x00"))
	piped(t, append(bytes.Clone(csv), 'x'), func() { // a row that is not whole has no column
		_, _, errs := call("release", "--schema", schema, "--data", "-", "--target", "answer", "--epsilon", "1", "--out",
			"r.json")
		if !strings.Contains(errs, "a row does not fit; want") {
			t.Error(errs)
		}
	})
	t.Setenv("PRIVBAYES_PIPE", "marked")
	for i, c := range csv {
		if c == '\n' {
			try("CSV cut behind a line", csv[:i+1])
		}
	}
	try("nothing", nil)
	try("the mark in the middle", append(append(bytes.Clone(csv[:21]), inputMark...), csv[21:]...))
	piped(t, append(bytes.Clone(csv), inputMark...), func() { // the whole table passes
		mustCall(t, "release", "--schema", schema, "--data", "-", "--target", "answer", "--epsilon", "1", "--budget",
			"b.budget", "--out", "r.json", "--json")
	})
}

// What cannot be read from standard input, or is not CSV, is refused in words; no value of piped rows is shown.
func TestInputRefused(t *testing.T) {
	t.Chdir(t.TempDir())
	schema := columnsFile("schema.json")
	read := func(name string) []byte { return must.Get(os.ReadFile(columnsFile(name)))(t) }
	const secret = "secret4711"
	csv := string(read("table.csv"))
	release := "release --target answer --epsilon 1 --out r.json --schema " + schema
	for _, c := range []struct {
		what, line string
		input      []byte
		code       int
		want       string
	}{
		{"Parquet piped", release + " --data -", read("table.parquet"), exitUsage, "give the file"},
		{"a separator", release + " --data - --separator tab", read("stream.arrow"), exitUsage, "--separator is for CSV"},
		{"a decimal mark", release + " --decimal , --data " + columnsFile("table.parquet"), nil, exitUsage,
			"--decimal is for CSV"},
		{"next to a file", release + " --data - --data other.csv", nil, exitUsage, "for one table"},
		{"twice", release + " --data - --data -", nil, exitUsage, "for one table"},
		{"scores on it", "report r.json --data a.csv --test -", nil, exitUsage, "--data may be standard input"},
		{"a value", release + " --data -", []byte(strings.Replace(csv, "yes", secret, 1)), exitInput, "column"},
		{"nearly a value", release + " --data -", []byte(strings.Replace(csv, "yes", "Yes", 1)), exitInput,
			`want one of \"yes\", \"no\"","file"`},
		{"a number", release + " --data - --split 0.5,1", []byte(strings.Replace(csv, "23.6", secret, 1)), exitInput,
			`\"wage\"`},
	} {
		piped(t, c.input, func() {
			code, out, errs := call(append(strings.Fields(c.line), "--json")...)
			if code != c.code || !strings.Contains(errs, c.want) || strings.Contains(out+errs, secret) ||
				strings.Contains(errs, "WrapFrame") {
				t.Errorf("%s: %d %s%s", c.what, code, out, errs)
			}
		})
		if exists("r.json") {
			t.Fatalf("%s: a release was made", c.what)
		}
	}
	piped(t, []byte(strings.Replace(csv, "yes", secret, 1)), func() { // check is for the owner of the rows
		if code, out, _ := call("check", "--schema", schema, "--data", "-"); code != exitInput ||
			!strings.Contains(out, secret) {
			t.Errorf("check: %d %s", code, out)
		}
	})
}

// A schema may stand on the command line itself.
func TestSchemaAsText(t *testing.T) {
	want := seeded(t, "--data", columnsFile("table.csv"))
	text := must.Get(os.ReadFile(columnsFile("schema.json")))(t)
	out := filepath.Join(t.TempDir(), "r.json")
	mustCall(t, "release", "--schema", string(text), "--target", "answer", "--epsilon", "1", "--seed", "1", "--out", out,
		"--data", columnsFile("table.csv"))
	if got := must.Get(os.ReadFile(out))(t); !bytes.Equal(got, want) {
		t.Error("another release")
	}
	if code, _, errs := call("plan", "--schema", "{", "--n", "9", "--epsilon", "1", "--target", "a"); code != exitInput ||
		errs == "" {
		t.Error(code, errs)
	}
}
