package main

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/internal/filecases"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

func TestDataList(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(t.TempDir())
	t.Setenv("PRIVBAYES_DATA", dir)
	must.Do(t, os.WriteFile(filepath.Join(dir, "bank.csv.gz"), nil, 0o600))
	code, out, errs := call("data", "list")
	if code != exitDone {
		t.Fatal(code, errs)
	}
	for _, part := range []string{"votes", "GermanCredit", "privbayes data fetch adult",
		filepath.Join(dir, "bank.csv.gz"), "CC BY 4.0", "embedded", "acs_gov2018", "not here: put"} {
		if !strings.Contains(out, part) {
			t.Errorf("no %q in\n%s", part, out)
		}
	}
	code, out, _ = call("data", "list", "--json")
	var sets []listed
	if err := json.Unmarshal([]byte(out), &sets); err != nil || code != exitDone || len(sets) != len(data.Names())+9 {
		t.Fatal(code, err, len(sets))
	}
	if s := sets[len(sets)-1]; s.Name != "acs_gov2018" || s.Rows != 204309 || s.SHA256 == "" || s.Path != "" {
		t.Errorf("%+v", s)
	}
	for _, s := range sets[len(data.Names()) : len(sets)-1] {
		// in the folder, or embedded
		here := map[string]bool{"bank": true, "creditcard": true, "shopper": true, "spam": true}
		if s.URL == "" || s.PaperName == "" || (s.Path != "") != here[s.Name] {
			t.Errorf("%+v", s)
		}
	}
}

// spamOriginal writes the publisher's archive from the embedded table.
func spamOriginal(t *testing.T) []byte {
	t.Helper()
	r, _ := data.Spam()
	z := must.Get(gzip.NewReader(r))(t)
	csv := must.Get(io.ReadAll(z))(t)
	_, rows, _ := bytes.Cut(csv, []byte("\n"))
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	f := must.Get(w.Create("spambase.data"))(t)
	must.Get(f.Write(bytes.ReplaceAll(rows, []byte("\n"), []byte("\r\n"))))(t)
	must.Do(t, w.Close())
	return b.Bytes()
}

func TestDataFetchDownloads(t *testing.T) {
	archive := spamOriginal(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", strconv.Itoa(len(archive)))
		_, _ = w.Write(archive)
	}))
	defer server.Close()
	dir := t.TempDir()
	t.Chdir(t.TempDir())
	t.Setenv("PRIVBAYES_DATA", filepath.Join(dir, "cache"))
	var shown screen
	var stdout bytes.Buffer
	want := filepath.Join(dir, "cache", "spam.csv.gz")
	if code := run([]string{"data", "fetch", "spam", "--download", "--url", server.URL}, &stdout,
		&shown); code != exitDone ||
		stdout.String() != want+"\n" || !strings.Contains(shown.String(), "100 %") {
		t.Fatal(code, stdout.String(), shown.String())
	}
	if path, err := data.FindStudy("spam"); err != nil || path != want {
		t.Error(path, err)
	}
	code, out, errs := call("data", "fetch", "spam", "--download", "--url", server.URL, "--to", dir, "--json")
	var files map[string]string
	if err := json.Unmarshal([]byte(out), &files); err != nil || code != exitDone || errs != "" { // no progress
		t.Fatal(code, err, errs)
	}
	b := must.Get(os.ReadFile(files["schema"]))(t)
	s := must.Get(privbayes.ParseSchema(b))(t)
	if n := len(s.Columns); n != 58 || s.Dataset != "spam" {
		t.Error(n, s.Dataset)
	}
	// Without --download the embedded copy needs no network.
	if code, out, errs := call("data", "fetch", "spam", "--to", t.TempDir()); code != exitDone || errs != "" ||
		!strings.Contains(out, "schema") {
		t.Error(code, out, errs)
	}
}

func TestDataFetchFails(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/other.zip" {
			z := zip.NewWriter(w)
			if f, err := z.Create("other"); err == nil {
				_, _ = f.Write([]byte("other"))
			}
			_ = z.Close()
			return
		}
		http.NotFound(w, r)
	}))
	defer server.Close()
	dir := t.TempDir()
	for path, says := range map[string]string{"/none.zip": "404", "/other.zip": "adult.data"} {
		code, out, errs := call("data", "fetch", "adult", "--to", dir, "--url", server.URL+path)
		if code != exitInput || out != "" || !strings.Contains(errs, says) {
			t.Errorf("%s: %d %q %s", path, code, out, errs)
		}
	}
	if code, _, errs := call("data", "fetch", "nothing"); code != exitUsage || !strings.Contains(errs, "iris") ||
		!strings.Contains(errs, "adult") {
		t.Error(code, errs)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 0 {
		t.Error("files left behind:", files, err)
	}
	if code, out, errs := call("data", "--help"); code != exitDone || !strings.Contains(out, "publisher") {
		t.Error(code, errs)
	}
}

// The skeleton holds the header and nothing of the rows; --inferred reads them and says so.
func TestSchemaCommand(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "towns.csv")
	must.Do(t, os.WriteFile(path, []byte("city;rain\nUlm;1,5\nBern;2\n"), 0o600))
	var out, errs bytes.Buffer
	if code := run([]string{"schema", path, "--separator", ";", "--decimal", ","}, &out, &errs); code != exitDone {
		t.Fatal(code, errs.String())
	}
	text := out.String()
	if strings.Contains(text, "Ulm") || strings.Contains(text, "1.5") || !strings.Contains(text, `"dataset": "towns"`) ||
		!strings.Contains(text, `{"name": "city", "kind": "FILL IN"`) || !strings.Contains(text, `"decimal":","`) {
		t.Error(text)
	}
	to := filepath.Join(dir, "towns.schema.json")
	out.Reset()
	inferred := []string{"schema", path, "--separator", ";", "--decimal", ",", "--inferred", "--out", to}
	if code := run(inferred, &out, &errs); code != exitDone || out.String() != to+"\n" {
		t.Fatal(code, errs.String())
	}
	b := must.Get(os.ReadFile(to))(t)
	if s, err := frame.ParseSchema(b); err != nil || !s.Inferred || !strings.Contains(string(b), "Ulm") {
		t.Errorf("%v: %s", err, b)
	}
	for want, args := range map[string][]string{
		"never overwritten":        inferred,
		"want the file of a table": {"schema"},
		"no such file":             {"schema", path + "x"},
		"has one field with":       {"schema", path},
	} {
		errs.Reset()
		if code := run(args, &out, &errs); code == exitDone || !strings.Contains(errs.String(), want) {
			t.Errorf("%v: %d %s", args, code, errs.String())
		}
	}
}

// Without a file, or with one of another folder, verify says where it looked and what is here.
func TestVerifyFromAnotherFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"", "a.release.json"} {
		if name != "" {
			must.Do(t, os.WriteFile(name, nil, 0o600))
		}
		var out, errs bytes.Buffer
		if code := run([]string{"verify"}, &out, &errs); code != exitUsage || !strings.Contains(errs.String(), name) {
			t.Error(code, errs.String())
		}
		errs.Reset()
		if code := run([]string{"verify", "b.release.json"}, &out, &errs); code != exitInput ||
			!strings.Contains(errs.String(), "where this program runs") || !strings.Contains(errs.String(), name) {
			t.Error(code, errs.String())
		}
	}
}

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
		must.Do(t, os.WriteFile(name, []byte(text), 0o600))
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
	if code != exitDone || !strings.Contains(out, "All 72 rows fit the schema.") {
		t.Errorf("%d %s%s", code, out, errs)
	}
	code, out, errs = run("--data", "part-1.csv", "--data", "bad.csv")
	if code != exitInput || errs != "" || !strings.Contains(out, `"Secret"`) || !strings.Contains(out, "9,75") ||
		!strings.Contains(out, "3 values in 45 rows do not fit.") || !strings.Contains(out, "do not publish") {
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
	if capital := regexp.MustCompile(`"[A-Z]\w*":`).FindString(out); capital != "" || !strings.Contains(out, `"column":`) {
		t.Errorf("a name with a capital, %s: %s", capital, out)
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
		strings.ReplaceAll(each, "a.json", "b.json") != glob {
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
	must.Do(t, os.WriteFile("rows.csv", []byte("39,State-gov,77516\n"), 0o600))
	if code, out, errs := call("schema", "rows.csv"); code != exitInput || out != "" ||
		!strings.Contains(errs, "header line") || strings.Contains(errs, "77516") {
		t.Errorf("%d %s%s", code, out, errs)
	}
}

// The commands read the tables of cases as the library does, but for files of columns, which they read, too: check and
// release take what is read, and tell the same error otherwise; schema shows nothing of a row.
func TestCommandsOnFileCases(t *testing.T) {
	cases := filecases.Load(t, "../../privbayes/frame/testdata/cases/*.txt")
	t.Chdir(t.TempDir())
	released := 0
	for _, c := range cases {
		must.Do(t, os.WriteFile("t.csv", c.File, 0o600))
		if c.Schema == nil || len(c.Want) == 0 || formOf(c.File) != textForm {
			continue
		}
		must.Do(t, os.WriteFile("s.json", c.Schema, 0o600))
		want := strings.TrimSuffix(c.Want[0].Text, "\n")
		code, out, errs := call("check", "--schema", "s.json", "--data", "t.csv")
		switch key := c.Want[0].Key; {
		case key == "read" && code != exitDone:
			t.Errorf("%s: check ends with %d: %s%s", c.Name, code, out, errs)
		case key != "read" && code == exitDone:
			t.Errorf("%s: check ends well: %s", c.Name, out)
		case key == "schema error" && !strings.Contains(errs, want):
			t.Errorf("%s: check: %s, want %s", c.Name, errs, want)
		}
		if s, err := frame.ParseSchema(c.Schema); err == nil && (released < 12 || c.Want[0].Key != "read") {
			_, _, errs = call("release", "--schema", "s.json", "--data", "t.csv", "--model", "categorical", "--target",
				s.Columns[0].Name, "--epsilon", "1", "--out", "r.json")
			if _, err := os.Stat("r.json"); err == nil {
				released++
				if c.Want[0].Key != "read" {
					t.Errorf("%s: released", c.Name)
				}
				must.Do(t, os.Remove("r.json"))
			} else if c.Want[0].Key == "read" {
				t.Logf("%s: %s", c.Name, errs)
			} else if !strings.Contains(errs, spoken(want)) {
				t.Errorf("%s: release: %s, want %s", c.Name, errs, want)
			}
		}
		showsNoRow(t, c)
	}
	if released < 10 {
		t.Errorf("%d tables were released", released)
	}
}

// showsNoRow looks for the texts of rows in what the command schema says.
func showsNoRow(t *testing.T, c filecases.Case) {
	t.Helper()
	_, out, errs := call("schema", "t.csv", "--dataset", "d")
	head, rows := c.Text, ""
	if i := strings.IndexAny(head, "\r\n"); i >= 0 {
		head, rows = head[:i], head[i:]
	}
	for _, text := range strings.FieldsFunc(rows, func(r rune) bool { return strings.ContainsRune(",;\t\r\n\"", r) }) {
		if len(text) > 2 && !strings.Contains(head, text) && strings.Contains(out+errs, text) && !said[text] {
			t.Errorf("%s: schema shows %q of a row:\n%s%s", c.Name, text, out, errs)
		}
	}
}

// said are words of the command's own that also stand in rows of a case.
var said = map[string]bool{"missing": true}

// A network whose states contradict the schema is named, and nothing is released.
func TestNetworkThatContradictsTheSchema(t *testing.T) {
	t.Chdir(t.TempDir())
	write := func(name, text string) {
		must.Do(t, os.WriteFile(name, []byte(text), 0o600))
	}
	write("d.csv", "a,b\nx,u\ny,v\n")
	write("d.json", `{"dataset": "d", "columns": [{"name": "a", "kind": "categorical", "categories": ["x", "y"]},
		{"name": "b", "kind": "categorical", "categories": ["u", "v"], "aliases": [{"category": "v", "texts": ["vv"]}]}]}`)
	network := func(states string) string {
		return "variable a { type discrete [ 2 ] { y, x }; }\nvariable b { type discrete [ " + states + " }; }\n" +
			"probability ( a ) { table NaN, NaN; }\nprobability ( b | a ) { (x) 1, 2, 3; }\n"
	}
	for states, want := range map[string]string{
		"2 ] { u, v": "", "2 ] { vv, u": "",
		"3 ] { u, v, w": `state "w" in the network, which the schema has not`,
		"2 ] { u, w":    `state "w" in the network, which the schema has not`,
		"1 ] { u":       `category "v" in the schema, which the network has not`,
	} {
		write("m.bif", network(states))
		_ = os.Remove("r.json")
		code, _, errs := call("release", "--schema", "d.json", "--data", "d.csv", "--network", "m.bif", "--target", "b",
			"--epsilon", "1", "--out", "r.json")
		_, err := os.Stat("r.json")
		if (want == "") != (code == exitDone) || (err == nil) != (want == "") || !strings.Contains(errs, want) {
			t.Errorf("%s: exit %d, %v: %s", states, code, err, errs)
		}
	}
}
