package nbtool

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// executed is a notebook as nbconvert leaves it, with everything in it that
// differs from run to run.
const executed = `{
 "cells": [
  {"cell_type": "markdown", "id": "a-1", "metadata": {}, "source": "# A\n$x < y$"},
  {"cell_type": "code", "execution_count": 1, "id": "a-2",
   "metadata": {"execution": {"iopub.execute_input": "2025-01-01T00:00:00Z"}, "tags": ["allow-stderr"]},
   "outputs": [
    {"name": "stdout", "output_type": "stream", "text": ["one\n"]},
    {"name": "stdout", "output_type": "stream", "text": "two /tmp/gonb_0123abcd/gonb_0123abcd\n"},
    {"name": "stderr", "output_type": "stream", "text": ["note: /home/u/repo/privbayes/x.go\n"]},
    {"name": "stdout", "output_type": "stream", "text": []}
   ], "source": ["f()\n", "g()"]},
  {"cell_type": "code", "execution_count": 2, "id": "a-3", "metadata": {},
   "outputs": [
    {"data": {"text/html": ""}, "metadata": {}, "output_type": "display_data"},
    {"data": {"image/png": "aGVsbG8=\n", "text/plain": ["figure: \u001b[31mX\u001b[0m"]},
     "metadata": {}, "output_type": "display_data"}
   ], "source": "h()"}
 ],
 "metadata": {"kernelspec": {"name": "gonb"}, "language_info": {"version": "go1.26.8"}, "widgets": {}},
 "nbformat": 4, "nbformat_minor": 5
}`

func parsed(t *testing.T) *Notebook {
	t.Helper()
	n, err := Parse([]byte(executed))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestNormalize(t *testing.T) {
	n := parsed(t)
	n.Normalize("/home/u/repo")
	b, err := n.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	for _, gone := range []string{"iopub", "/tmp", "/home", "0123abcd", "go1.26", "widgets", `\u001b`, "aGVsbG8=\\n",
		`\u003c`} {
		if strings.Contains(string(b), gone) {
			t.Errorf("%q is left in\n%s", gone, b)
		}
	}
	if got := n.Cells[1].Outputs; len(got) != 2 || got[0].Text != "one\ntwo /gonb\n" ||
		got[1].Text != "note: privbayes/x.go\n" {
		t.Errorf("streams %+v", got)
	}
	if got := n.Cells[2].Outputs; len(got) != 1 || got[0].Data["text/plain"] != "figure: X" ||
		got[0].Data["image/png"] != "aGVsbG8=" {
		t.Errorf("displays %+v", got)
	}
	n.Normalize("/home/u/repo")
	again, err := n.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(b, again) {
		t.Error("normalising twice changes the notebook")
	}
}

// TestBytes: writing and reading gives the same notebook; code cells have the
// fields nbformat requires and Markdown cells have none of them.
func TestBytes(t *testing.T) {
	n := parsed(t)
	path := filepath.Join(t.TempDir(), "n.ipynb")
	if err := n.Write(path); err != nil {
		t.Fatal(err)
	}
	back, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if ds := back.Diff(n); len(ds) > 0 {
		t.Error(ds)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for field, want := range map[string]int{`"outputs"`: 2, `"execution_count"`: 2, `"source"`: 3, `"metadata"`: 6,
		`"image/png": "`: 1} {
		if got := strings.Count(string(b), field); got != want {
			t.Errorf("%s stands %d times, want %d", field, got, want)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, s := range []string{"", "[]", `{"nbformat": 3}`, `{"nbformat": 4, "cells": [{"source": 7}]}`} {
		if _, err := Parse([]byte(s)); err == nil {
			t.Errorf("%q: no error", s)
		}
	}
	if _, err := Read(filepath.Join(t.TempDir(), "absent.ipynb")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("reading an absent file: %v", err)
	}
}

func TestHeadlines(t *testing.T) {
	n := &Notebook{Cells: []Cell{
		{Type: "code", Outputs: []Output{{Type: "stream", Text: "x\nheadline: accuracy = 0.71  \nheadline:epsilon = " +
			"1\n not a headline: y\n"}}},
		{Type: "code", Outputs: []Output{{Type: "display_data",
			Data: Bundle{"text/plain": "headline: delta = 1e-6", "text/html": "headline: no"}}}},
	}}
	if got, want := strings.Join(n.Headlines(), "|"), "accuracy = 0.71|epsilon = 1|delta = 1e-6"; got != want {
		t.Errorf("headlines %q, want %q", got, want)
	}
}
