package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A plan's numbers, and a release's, are written once into a folder that says how to check it.
func TestProve(t *testing.T) {
	dir := t.TempDir()
	planned := mustCall(t, "plan", "--data", "votes", "--target", "Class", "--epsilon", "1", "--json")
	path := filepath.Join(dir, "votes.plan.json")
	if err := os.WriteFile(path, []byte(planned), 0o600); err != nil {
		t.Fatal(err)
	}
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
	if err := os.WriteFile(bad, []byte(`{"rows": 3}`), 0o600); err != nil {
		t.Fatal(err)
	}
	loose := filepath.Join(dir, "loose.plan.json")
	if err := os.WriteFile(loose, []byte(mustCall(t, "plan", "--levels", "3", "--n", "50", "--epsilon", "1", "--delta",
		"1e-6", "--json")), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"prove", path, "--out", to}, exitInput, "not empty"},
		{[]string{"prove", path}, exitUsage, "folder"},
		{[]string{"prove", "--out", to}, exitUsage, "plan"},
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
