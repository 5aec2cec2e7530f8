//go:build !browser

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	goccy "github.com/goccy/go-yaml"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/release/entry"
)

// What is not verified reads so in the first line and in the last, and is exit code 4: an edited file, a plan that does
// not have its guarantee, a work limit that leaves checks out, and a record of another release.
func TestVerdictsOfTheCommand(t *testing.T) {
	t.Chdir(t.TempDir())
	mustCall(t, "release", "--data", "votes", "--target", "Class", "--features", "V3", "--epsilon", "1", "--out", "r.json")
	mustCall(t, "release", "--data", "votes", "--target", "Class", "--features", "V3", "--epsilon", "1", "--out", "o.json")
	mustCall(t, "entry", "r.json", "--out", "r.yaml")
	good := must.Get(os.ReadFile("r.json"))(t)
	edit := func(file, from, to string) string {
		text := strings.Replace(string(good), from, to, 1)
		if text == string(good) {
			t.Fatalf("no %q in the file", from)
		}
		must.Do(t, os.WriteFile(file, []byte(text), 0o600))
		return file
	}
	for name, c := range map[string]struct {
		args        []string
		code        int
		first, last string
	}{
		"good":            {[]string{"r.json"}, exitDone, "VERIFIED: ", "VERIFIED: "},
		"with its record": {[]string{"r.json", "--entry", "r.yaml"}, exitDone, "VERIFIED: ", "VERIFIED: "},
		"another record": {[]string{"o.json", "--entry", "r.yaml"}, exitUnverified, "NOT VERIFIED: the record",
			"NOT VERIFIED: the record"},
		"an edited value": {[]string{edit("a.json", `"value": 2`, `"value": 1`)}, exitUnverified, "NOT VERIFIED: 1 of ",
			"NOT VERIFIED: 1 of "},
		"an edited guarantee": {[]string{edit("b.json", `"epsilon": 1`, `"epsilon": 0.1`)}, exitUnverified,
			"NOT VERIFIED: 1 of 4 checks fails: the stated guarantee is ε = 0.1", "NOT VERIFIED: 1 of "},
		"less noise": {[]string{edit("c.json", `"den": 2`, `"den": 1`)}, exitUnverified, "privbayes: NOT VERIFIED: ",
			"privbayes: NOT VERIFIED: "},
		"no release": {[]string{edit("d.json", `"mechanism": "geometric"`, `"mechanism": "geometry"`)}, exitInput,
			"privbayes: NOT VERIFIED: release d.json", "privbayes: NOT VERIFIED: release d.json"},
		"no record": {[]string{"r.json", "--entry", "r.json"}, exitInput, "privbayes: NOT VERIFIED: ", "privbayes: NOT " +
			"VERIFIED: "},
		"a small limit": {[]string{"r.json", "--work", "10"}, exitUnverified, "VERIFIED IN PART: 1 of 3",
			"VERIFIED IN PART: 1 of 3"},
	} {
		code, out, errs := call(append([]string{"verify"}, c.args...)...)
		lines := strings.Split(strings.TrimSpace(out+errs), "\n")
		if code != c.code || !strings.HasPrefix(lines[0], c.first) || !strings.HasPrefix(lines[len(lines)-1], c.last) ||
			strings.Contains(out+errs, "NaN") {
			t.Errorf("%s: %d\n%s%s", name, code, out, errs)
		}
		if code != exitDone && strings.Contains(out, "Verification shows") && !strings.Contains(c.first, "IN PART") &&
			!strings.Contains(c.first, "record") {
			t.Errorf("%s: says what it does not show\n%s", name, out)
		}
		_, asJSON, _ := call(append([]string{"verify", "--json"}, c.args...)...)
		var j verifyJSON
		if err := json.Unmarshal([]byte(asJSON), &j); asJSON != "" && err != nil || j.OK != (c.code == exitDone) ||
			strings.Contains(asJSON, "NaN") {
			t.Errorf("%s: %s", name, asJSON)
		}
	}
}

// A release, its record, and whether they belong together; what was changed is exit code 4, a seeded release is
// refused.
func TestEntry(t *testing.T) {
	t.Chdir(t.TempDir())
	mustCall(t, "data", "fetch", "votes", "--to", ".")
	mustCall(t, "budget", "v.budget", "--data", "votes", "--epsilon", "2")
	release := func(out string, more ...string) {
		mustCall(t, append([]string{"release", "--schema", "votes.schema.json", "--data", "votes.csv", "--target", "Class",
			"--features", "V3", "--epsilon", "1", "--out", out}, more...)...)
	}
	release("v.json", "--budget", "v.budget")
	release("seeded.json", "--seed", "1")
	if out := mustCall(t, "entry", "v.json", "--budget", "v.budget", "--out", "v.yaml"); !strings.Contains(out,
		"questions are open") {
		t.Error(out)
	}
	if out := mustCall(t, "verify", "v.json", "--entry", "v.yaml"); !strings.Contains(out, "names the file by its "+
		"digest") {
		t.Error(out)
	}
	out := mustCall(t, "verify", "v.json", "--entry", "v.yaml", "--json")
	if !strings.Contains(out, `"statement": "states ε"`) {
		t.Error(out)
	}
	for file, want := range map[string]bool{"v.json": false, "seeded.json": true} {
		out := mustCall(t, "verify", file, "--json")
		if strings.Contains(out, `"draw": "not private: seeded"`) != want || !strings.Contains(out, `"ok": true`) {
			t.Errorf("%s: %s", file, out)
		}
	}
	text := must.Get(os.ReadFile("v.yaml"))(t)
	changed := strings.Replace(string(text), "epsilon: 1.0", "epsilon: 0.1", 1)
	must.Do(t, os.WriteFile("changed.yaml", []byte(changed), 0o600))
	t.Setenv("COLUMNS", "200")
	for _, more := range [][]string{nil, {"--json"}} {
		code, out, errs := call(append([]string{"verify", "v.json", "--entry", "changed.yaml"}, more...)...)
		if code != exitUnverified || errs != "" || !strings.Contains(out, "from the release follows") {
			t.Errorf("%d %s %s", code, out, errs)
		}
	}
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"entry"}, exitUsage, "want a release file"},
		{[]string{"entry", "none.json"}, exitInput, "none.json"},
		{[]string{"show", "v.budget"}, exitInput, "the file is a budget: the command budget reads it"},
		{[]string{"entry", "v.yaml"}, exitInput, "verify RELEASE --entry FILE reads both"},
		{[]string{"entry", "v.budget"}, exitInput, "release v.budget: format: want"},
		{[]string{"report", "v.budget", "--public"}, exitInput, "release v.budget: format: want"},
		{[]string{"totals", "--after", "votes.csv", "--out", "t.json"}, exitInput, "running totals: invalid character"},
		{[]string{"entry", "seeded.json"}, exitFailed, "seeded"},
		{[]string{"entry", "v.json", "--tier", "4"}, exitInput, "tier"},
		{[]string{"entry", "v.json", "--out", "v.yaml"}, exitInput, "entry: writing v.yaml: file already exists"},
		{[]string{"verify", "v.json", "--entry", "none.yaml"}, exitInput, "none.yaml"},
		{[]string{"verify", "v.json", "--entry", "votes.csv"}, exitInput, "line 1"},
	} {
		if code, out, errs := call(c.args...); code != c.code || out != "" || !strings.Contains(errs, c.want) {
			t.Errorf("%v: %d %q %q", c.args, code, out, errs)
		}
	}
	if out := mustCall(t, "entry", "v.json", "--tier", "1", "--json"); !strings.HasPrefix(out, "{") {
		t.Error(out)
	}
	if found, _ := filepath.Glob("*.yaml"); len(found) != 2 {
		t.Error(found)
	}
}

// A plan's numbers, and a release's, are written once into a folder that says how to check it.
func TestProve(t *testing.T) {
	dir := t.TempDir()
	planned := mustCall(t, "plan", "--data", "votes", "--target", "Class", "--epsilon", "1", "--json")
	path := filepath.Join(dir, "votes.plan.json")
	must.Do(t, os.WriteFile(path, []byte(planned), 0o600))
	to := filepath.Join(dir, "proof")
	if out := mustCall(t, "prove", path, "--out", to); !strings.Contains(out, "counts_private") ||
		!strings.Contains(out, "check.sh") || !strings.Contains(out, "random source") {
		t.Error(out)
	}
	text, err := os.ReadFile(filepath.Join(to, "Plan.v"))
	if err != nil || !strings.Contains(string(text), "replace_ok counts_private_cells 1 1 32 1 1 = true") {
		t.Errorf("%s\n%v", text, err)
	}
	var said struct {
		Command string
		Checks  []struct{ Statement, Theorem, Says string }
	}
	release := filepath.Join(dir, "votes.release.json")
	mustCall(t, "release", "--data", "votes", "--target", "Class", "--epsilon", "1", "--seed", "7", "--out", release)
	again := filepath.Join(dir, "again")
	out := mustCall(t, "prove", "--json", release, "--out", again)
	if err := json.Unmarshal([]byte(out), &said); err != nil || len(said.Checks) != 3 ||
		!strings.Contains(said.Command, "again/check.sh") {
		t.Errorf("%s, %v", out, err)
	}
	if same, err := os.ReadFile(filepath.Join(again, "Plan.v")); err != nil || len(same) != len(text) {
		t.Errorf("the release has other numbers than its plan:\n%s", same)
	}
	bad := filepath.Join(dir, "bad.json")
	must.Do(t, os.WriteFile(bad, []byte(`{"rows": 3}`), 0o600))
	loose := filepath.Join(dir, "loose.plan.json")
	must.Do(t, os.WriteFile(loose, []byte(mustCall(t, "plan", "--levels", "3", "--n", "50", "--epsilon", "1", "--delta",
		"1e-6", "--json")), 0o600))
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"prove", path, "--out", to}, exitInput, "not empty"},
		{[]string{"prove", path}, exitUsage, "folder"},
		{[]string{"prove", "--out", to}, exitUsage, "want a release file"},
		{[]string{"prove", bad, "--out", filepath.Join(dir, "x")}, exitInput, "plan --json"},
		{[]string{"prove", filepath.Join(dir, "none"), "--out", filepath.Join(dir, "x")}, exitInput, "no such file"},
		{[]string{"prove", loose, "--out", filepath.Join(dir, "x")}, exitFailed, "no number of"},
	} {
		if code, _, errs := call(c.args...); code != c.code || !strings.Contains(errs, c.want) {
			t.Errorf("%v: exit %d, %s", c.args, code, errs)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "x")); err == nil {
		t.Error("a folder is written for a plan without a proof")
	}
}

// byOther reads with a parser that does not take U+0085, U+2028 and U+2029 for ends of lines, as YAML 1.2 says; byYAML
// takes them for such, as YAML 1.1 says.
func byOther(text []byte) (v any, err error) {
	err = goccy.UnmarshalWithOptions(text, &v, goccy.Strict())
	return v, err
}

// The two parsers differ where a record could hide fields, which is why both stand here.
func TestParsersDiffer(t *testing.T) {
	for _, end := range []string{"\u0085", "\u2028", "\u2029"} {
		text := []byte("epsilon: 1.0\nnote: x # hidden" + end + "delta: 0.5\n")
		one := must.Get(byYAML(text))(t)
		other := must.Get(byOther(text))(t)
		if len(one.(map[string]any)) != 3 || len(other.(map[string]any)) != 2 {
			t.Errorf("%q: %v and %v", end, one, other)
		}
	}
}

// corpus are records, and parts that mutations put into them.
var (
	corpus = []string{"a: 1\nb:\n  - \"x\"\n  - c: |-\n      t\n      u\n    d: 'e'\n",
		`{"a": [1, {"b": "c"}], "d": -0.5}`,
		"# note\nepsilon: 1.0 # one\ndelta: 1.0e-07\ntext: |-\n  - a: 1\n\n    # not a comment\n  b\n" +
			"list:\n  -\n    x: 'it''s'\n  - plain text\n",
		"a:\r\n  b: \"\\u00e9\\n\\\"\"\r\n  c: -12\r\nd: Approximate DP # as certified\r\n", "a: \"\"\nb: ''\n"}
	parts = []string{"\n", " ", "  ", "\t", "\r", "\r\n", "\u0085", "\u2028", "\u2029", "\ufeff", "\u00a0", "\u3000",
		":", ": ", "#", " #", " # ", "-", "- ", "\"", "'", "\\", "|", "|-", "|+", ">", "&a ", "*a", "!!str ", "!",
		"<<: ", "{", "}", "[", "]", ",", "? ", "---", "...", "%", "@", "`", "~", "null", "no", "yes", "true", "0", "1",
		"1_000", "0o7", "010", "0x1", ".5", "1e-1", "1.0e-1", "1.", "+1", ".inf", ".nan", "1:30", "2024-01-01",
		"\nz: 2024-01-01\n", "a", "b: 2\n", "A: 2\n", "\na: 1", "\n  ", "\n    x", "é", "\\/", "\\ud83d", "\\n",
		"\\x41", "\n\n", " |-\n   x", "=", "..", "e"}
)

// mutated is a record with some of its parts changed.
func mutated(r *rand.Rand) []byte {
	text := corpus[r.IntN(len(corpus))]
	for range 1 + r.IntN(3) {
		at, to := r.IntN(len(text)+1), 0
		switch r.IntN(4) {
		case 0: // left out
			to = min(len(text), at+1+r.IntN(4))
			text = text[:at] + text[to:]
		case 1: // stands twice
			to = min(len(text), at+1+r.IntN(12))
			text = text[:to] + text[at:to] + text[to:]
		default:
			text = text[:at] + parts[r.IntN(len(parts))] + text[at:]
		}
	}
	return []byte(text)
}

// disagreement says where one of the parsers reads a text, which a reader has accepted, otherwise.
func disagreement(text []byte, read func([]byte) (map[string]any, error)) error {
	for _, other := range []func([]byte) (any, error){byYAML, byOther} {
		own, err := read(text)
		if err != nil {
			return nil
		}
		if v, err := other(text); err != nil || !reflect.DeepEqual(inFloats(v), any(own)) {
			return fmt.Errorf("%q is read as\n%#v and\n%#v, %v", text, own, v, err)
		}
	}
	return nil
}

// takesNEL is a reader that takes U+0085 for a character like any other: the fault that the reader had.
func takesNEL(text []byte) (map[string]any, error) {
	const stand = "\u00b6"
	return entry.Read(bytes.ReplaceAll(text, []byte("\u0085"), []byte(stand)))
}

// endsAtCR is a reader that takes a lone carriage return for a blank.
func endsAtCR(text []byte) (map[string]any, error) {
	return entry.Read(bytes.ReplaceAll(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")), []byte("\r"), []byte(" ")))
}

// takesDates is a reader that reads unquoted words that others take for something else, as texts.
func takesDates(text []byte) (map[string]any, error) {
	return entry.Read(bytes.ReplaceAll(text, []byte(": 2024-01-01"), []byte(`: "2024-01-01"`)))
}

// What the reader accepts, both parsers read in the same way; readers with the faults are caught by the same search.
func TestRecordsAreReadOneWay(t *testing.T) {
	readers := map[string]struct {
		read  func([]byte) (map[string]any, error)
		right bool
	}{"": {entry.Read, true}, "U+0085": {takesNEL, false}, "CR": {endsAtCR, false}, "dates": {takesDates, false}}
	for name, c := range readers {
		r := rand.New(rand.NewPCG(33, 1))
		accepted := 0
		var err error
		for range 20000 {
			text := mutated(r)
			if _, e := c.read(text); e == nil {
				accepted++
				if err = disagreement(text, c.read); err != nil {
					break
				}
			}
		}
		if (err == nil) != c.right || c.right && accepted < 2000 {
			t.Errorf("%s: %d accepted, %v", name, accepted, err)
		}
	}
}

func FuzzRecordsAreReadOneWay(f *testing.F) {
	for _, text := range corpus {
		f.Add([]byte(text))
		for _, part := range parts {
			f.Add([]byte(text + part))
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := disagreement(text, entry.Read); err != nil {
			t.Error(err)
		}
	})
}

// The command refuses what the library's reader would take and a reader of YAML does not, or reads otherwise.
func TestReadAlike(t *testing.T) {
	for text, want := range map[string]string{"a: 1 # x\u0085b: 2\n": "differ", "a: 1\n---\na: 1\n": "second document",
		"a: 1\na: 1\n": "already defined", "a: 2": "differ", "a: 1": ""} {
		err := readAlike([]byte(text), func([]byte) (map[string]any, error) { return map[string]any{"a": 1.0}, nil }, byYAML)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
