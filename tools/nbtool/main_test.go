package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/tools/nbtool/internal/nbtool"
)

func TestUsage(t *testing.T) {
	for _, args := range [][]string{nil, {"build"}, {"frobnicate", "x.md"}, {"gallery", "a", "b"}} {
		var out, errs bytes.Buffer
		if code := run(context.Background(), args, &out, &errs); code != 2 {
			t.Errorf("%q: exit status %d, want 2", args, code)
		}
		if !strings.Contains(errs.String(), "usage:") {
			t.Errorf("%q: no usage in %q", args, errs.String())
		}
	}
}

func TestPageName(t *testing.T) {
	for in, want := range map[string]string{
		"notebooks/00_tour.ipynb": "tour.html",
		"notebooks/12_a_b.md":     "a_b.html",
		"x.md":                    "x.html",
		"a_b.md":                  "a_b.html",
		"00_.md":                  "00_.html",
	} {
		if got := pageName(in); got != want {
			t.Errorf("pageName(%q) = %q, want %q", in, got, want)
		}
	}
}

// TestBuild follows a notebook through a new source, an edit of the prose (keeps
// the outputs) and an edit of the code (drops them).
func TestBuild(t *testing.T) {
	dir := t.TempDir()
	md, nb := filepath.Join(dir, "01_x.md"), filepath.Join(dir, "01_x.ipynb")
	put := func(src string) string {
		t.Helper()
		must.Do(t, os.WriteFile(md, []byte(src), 0o644))
		var out, errs bytes.Buffer
		if code := run(t.Context(), []string{"build", md}, &out, &errs); code != 0 {
			t.Fatalf("exit status %d: %s", code, errs.String())
		}
		return out.String()
	}
	get := func() *nbtool.Notebook {
		t.Helper()
		return must.Get(nbtool.Read(nb))(t)
	}
	if out := put("# X\n\n```go\n%%\nf()\n```\n"); !strings.Contains(out, "new") {
		t.Errorf("a new notebook is announced: %q", out)
	}
	n := get()
	n.Cells[1].Outputs = []nbtool.Output{{Type: "stream", Name: "stdout", Text: "1\n"}}
	must.Do(t, n.Write(nb))
	put("# X\n\nMore prose.\n\n```go\n%%\nf()\n```\n")
	if len(get().Cells[1].Outputs) != 1 {
		t.Error("an edit of the prose lost the outputs")
	}
	if out := put("# X\n\n```go\n%%\ng()\n```\n"); !strings.Contains(out, "dropped") {
		t.Errorf("dropped outputs are announced: %q", out)
	}
	if len(get().Cells[1].Outputs) != 0 {
		t.Error("an edit of the code kept the outputs")
	}
}

// A failed notebook is kept where it can be looked into, never in its own place.
func TestFailedNotebooksAreKept(t *testing.T) {
	problems := []string{"cell 2 (x-2): error: exit status 1"}
	n := &nbtool.Notebook{Nbformat: 4, Cells: []nbtool.Cell{{Type: "code", ID: "x-2", Source: "f()",
		Outputs: []nbtool.Output{{Type: "error", Ename: "ERROR", Evalue: "exit status 1"}}}}}
	for _, checkout := range []bool{true, false} {
		dir := t.TempDir()
		want := filepath.Join(dir, "notebooks", "01_x.failed.ipynb")
		if checkout {
			want = filepath.Join(dir, "build", "01_x.failed.ipynb")
			must.Do(t, os.WriteFile(filepath.Join(dir, "go.mod"), nil, 0o644))
		}
		must.Do(t, os.Mkdir(filepath.Join(dir, "notebooks"), 0o755))
		notes, left := keepFailed(n, filepath.Join(dir, "notebooks", "01_x.md"), problems)
		if len(left) != 1 || len(notes) != 1 || !strings.Contains(notes[0], want) {
			t.Errorf("notes %q, problems %q", notes, left)
		}
		back, err := nbtool.Read(want)
		if err != nil || len(back.Cells) != 1 || back.Cells[0].Outputs[0].Evalue != "exit status 1" {
			t.Error(back, err)
		}
		if _, err := os.Stat(filepath.Join(dir, "notebooks", "01_x.ipynb")); err == nil {
			t.Error("the failed notebook took its place")
		}
	}
	if notes, left := keepFailed(nil, "x.md", problems); notes != nil || len(left) != 1 {
		t.Error(notes, left)
	}
}

func TestBuildFails(t *testing.T) {
	dir := t.TempDir()
	md := filepath.Join(dir, "bad.md")
	must.Do(t, os.WriteFile(md, []byte("```go\nnever closed"), 0o644))
	for _, f := range []string{md, filepath.Join(dir, "absent.md")} {
		var out, errs bytes.Buffer
		if code := run(t.Context(), []string{"build", f}, &out, &errs); code != 1 {
			t.Errorf("%s: exit status %d, want 1", f, code)
		}
		if errs.Len() == 0 {
			t.Errorf("%s: no reason given", f)
		}
	}
}
