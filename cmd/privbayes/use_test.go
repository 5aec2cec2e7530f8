package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// A split with private n is repeated by the contents of the columns that the release has. Where others decided, too, it
// cannot be, and scores would be of rows that the release has seen.
func TestReportRepeatsTheSplit(t *testing.T) {
	t.Chdir(t.TempDir())
	must.Do(t, os.WriteFile("t.csv", []byte("k,x\n"+strings.Repeat("a,1\na,2\nb,3\nb,1\n", 40)), 0o600))
	schema := &frame.Schema{Dataset: "d", Columns: []frame.Column{frame.Categorical("k", "a", "b"),
		frame.Categorical("x", "1", "2", "3")}}
	f := privbayes.LoadFrame("t.csv", schema)
	parts := func(f *privbayes.Frame) *privbayes.Frame { train, _ := f.Split(.7, 1); return train }
	for _, c := range []struct {
		name  string
		train *privbayes.Frame
		want  string // of the refusal
	}{
		{"all", parts(f.WithoutN()), ""},
		{"before", parts(f.Select("k").WithoutN()), ""},
		{"after", parts(f.WithoutN()).Select("k"), "in other columns than the release has"},
	} {
		p := c.train.Model(model.Categorical("k")).Privatize(privbayes.Geometric(),
			privbayes.PureDP(1).Under(dp.AddRemove), privbayes.Seeded(1), privbayes.KeepIn(c.name))
		if err := p.Err(); err != nil {
			t.Fatal(c.name, err)
		}
		table := "t.csv"
		if c.name != "all" {
			table = "k.csv"
			must.Do(t, os.WriteFile(table, []byte("k\n"+strings.Repeat("a\na\nb\nb\n", 40)), 0o600))
		}
		code, out, errs := call("report", c.name, "--data", table)
		if (code == exitDone) != (c.want == "") || !strings.Contains(errs, c.want) || c.want != "" && out != "" {
			t.Errorf("%s: %d %s%s", c.name, code, out, errs)
		}
	}
}

// Of rows that are published elsewhere a report is not stamped, and says where; a page that needs no rows takes no such
// words.
func TestReportOfPublicData(t *testing.T) {
	t.Chdir(t.TempDir())
	run := func(want int, args ...string) string {
		code, out, errs := call(args...)
		if code != want {
			t.Fatal(args, code, errs)
		}
		return out + errs
	}
	run(exitDone, "release", "--data", "votes", "--target", "Class", "--epsilon", "1", "--split", "0.7,1", "--seed", "1",
		"--out", "r.json")
	base := []string{"report", "r.json", "--data", "votes"}
	for _, more := range [][]string{nil, {"--json"}, {"--out", "r.html"}, {"--out", "r.md"}} {
		for _, open := range []bool{false, true} {
			args := append(append([]string{}, base...), more...)
			if open {
				args = append(args, "--public-data", "an almanac of 1984")
			}
			text := run(exitDone, args...)
			if len(more) == 2 {
				b, err := os.ReadFile(more[1])
				if err != nil {
					t.Fatal(err)
				}
				text += string(b)
			}
			stamped := strings.Contains(text, "do not publish") || strings.Contains(text, "do_not_publish")
			if stamped == open {
				t.Errorf("%q: stamped %v\n%s", args, stamped, text)
			}
		}
	}
	run(exitUsage, "report", "r.json", "--public", "--public-data", "an almanac of 1984")
	if said := run(exitUsage, append(base, "--public-data", "two\nlines")...); !strings.Contains(said, "--public-data") {
		t.Error(said)
	}
}

// A mark of missing values that is not the name of their category is explained, and an expected error of a proportion
// is never above 1.
func TestWordsOfMarksAndErrors(t *testing.T) {
	t.Chdir(t.TempDir())
	mustCall(t, "release", "--data", "votes", "--target", "Class", "--epsilon", "1", "--seed", "1", "--out", "r.json")
	code, out, errs := call("synthesize", "r.json", "--rows", "40", "--seed", "1")
	if code != exitDone || !strings.Contains(out, ",NA") ||
		!strings.Contains(errs, `"NA" for what releases show as unrecorded`) {
		t.Errorf("%d %s%s", code, out, errs)
	}
	for n, bad := range map[string]bool{"10": true, "100000": false} {
		plan := mustCall(t, "plan", "--data", "votes", "--target", "Class", "--epsilon", "1", "--n", n)
		if strings.Contains(strings.Join(strings.Fields(plan), " "), "no better than guessing") != bad {
			t.Errorf("n = %s: %s", n, plan)
		}
	}
}

// The command opens a folder with the Jupyter of the checkout that the variable names, and says what is wrong
// otherwise.
func TestLab(t *testing.T) {
	root, mine := t.TempDir(), filepath.Join(t.TempDir(), "mine")
	t.Setenv("PRIVBAYES", root)
	program := filepath.Join(root, "build", "lab", "bin", "jupyter-lab")
	must.Do(t, os.MkdirAll(filepath.Dir(program), 0o755))
	must.Do(t, os.WriteFile(program, []byte("#!/bin/sh\necho \"$@\" PRIVBAYES=$PRIVBAYES\n"), 0o755))
	code, out, errs := call("lab", mine, "--port", "9001", "--no-browser")
	for _, want := range []string{"--ServerApp.root_dir=" + mine, "--port=9001", "PRIVBAYES=" + root} {
		if code != exitDone || !strings.Contains(out, want) {
			t.Errorf("%d %q %q: want %s", code, out, errs, want)
		}
	}
	must.Do(t, os.WriteFile(program, []byte("#!/bin/sh\nexit 3\n"), 0o755))
	if code, _, errs = call("lab", mine); code != exitInput || !strings.Contains(errs, "status 3") {
		t.Errorf("a Jupyter that fails: %d %q", code, errs)
	}
	file := filepath.Join(t.TempDir(), "a.csv")
	must.Do(t, os.WriteFile(file, nil, 0o600))
	if code, _, errs = call("lab", file); code != exitInput || !strings.Contains(errs, "want a folder") {
		t.Errorf("a file: %d %q", code, errs)
	}
	for _, args := range [][]string{{"lab", "a", "b"}, {"lab", "--port", "0"}, {"lab", "--port", "x"}} {
		if code, _, errs := call(args...); code != exitUsage {
			t.Errorf("%v: %d %q", args, code, errs)
		}
	}
}

// Outside of a kernel the command that binds changes nothing and says where it belongs.
func TestBindOutsideOfAKernel(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	code, out, errs := call("bind")
	if code != exitInput || out != "" || !strings.Contains(errs, "in a notebook's cell, as !*privbayes bind") {
		t.Errorf("%d %q %q", code, out, errs)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("it left %v (%v)", left, err)
	}
}
