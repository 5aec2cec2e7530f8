package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

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
	if out := mustCall(t, "entry", "v.json", "--ledger", "v.budget", "--out", "v.yaml"); !strings.Contains(out,
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
	text, err := os.ReadFile("v.yaml")
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(text), "epsilon: 1.0", "epsilon: 0.1", 1)
	if err := os.WriteFile("changed.yaml", []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
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
