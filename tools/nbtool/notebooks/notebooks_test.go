// Package notebooks_test executes the notebooks of the checkout through the GoNB kernel, and compares what comes out
// with what is committed. Its tests run in the checkout's folder of notebooks. Go keeps the results of tests by what
// they read in their own module, which the notebooks are not: run them with -count=1.
package notebooks_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/tools/nbtool/internal/checkout"
	"github.com/privbayes/privbayes-go/tools/nbtool/internal/nbtool"
)

var update = flag.Bool("update", false, "write the outputs of the run into the notebooks")

// TestMain goes to the notebooks.
func TestMain(m *testing.M) {
	root, err := checkout.Root()
	if err == nil {
		err = os.Chdir(filepath.Join(root, "notebooks"))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// slots lets two notebooks run at a time: each compiles and links its cells.
var slots = make(chan struct{}, 2)

// needKernel skips the test where notebooks cannot run; in CI it fails instead,
// since nothing would be tested.
func needKernel(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("notebooks take a while: not with -short")
	}
	if err := nbtool.Ready("."); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
}

func list(t *testing.T, pattern string) []string {
	t.Helper()
	files := must.Get(filepath.Glob(pattern))(t)
	if len(files) == 0 {
		t.Fatalf("no %s", pattern)
	}
	return files
}

// TestSources: each notebook says what its Markdown source says, begins with the
// cell that binds it to its checkout, and is stored normalised, without problems
// and with its outputs. It needs no Jupyter.
func TestSources(t *testing.T) {
	for _, md := range list(t, "[0-9][0-9]_*.md") {
		src := must.Get(os.ReadFile(md))(t)
		want, err := nbtool.FromMarkdown(string(src))
		if err != nil {
			t.Errorf("%s: %v", md, err)
			continue
		}
		if want.FirstCode() != nbtool.Bind {
			t.Errorf("%s: the first code cell is not the one that binds a notebook to its checkout:\n%s\nwant\n%s", md,
				want.FirstCode(), nbtool.Bind)
		}
		file := strings.TrimSuffix(md, ".md") + ".ipynb"
		got, err := nbtool.Read(file)
		if err != nil {
			t.Errorf("%v: make notebooks-update", err)
			continue
		}
		for _, d := range got.DiffSources(want) {
			t.Errorf("%s: %s: make notebooks-update", file, d)
		}
		for _, p := range got.Problems() {
			t.Errorf("%s: %s", file, p)
		}
		for _, c := range got.Cells {
			if c.Type == "code" && c.Count == nil {
				t.Errorf("%s: cell %s was not executed: make notebooks-update", file, c.ID)
			}
		}
		stored := must.Get(os.ReadFile(file))(t)
		got.Normalize("")
		if b, err := got.Bytes(); err != nil || !bytes.Equal(b, stored) {
			t.Errorf("%s: not stored normalised (saved from a browser?): make notebooks-update (%v)", file, err)
		}
	}
	for _, file := range list(t, "*.ipynb") {
		if _, err := os.Stat(strings.TrimSuffix(file, ".ipynb") + ".md"); err != nil {
			t.Errorf("%s has no Markdown source: %v", file, err)
		}
	}
}

// kernels are the notebooks that run in the kernel, as all did whose outputs are committed.
var kernels = map[string]bool{"00_tour.ipynb": true, "06_map_and_sampler.ipynb": true, "12_big_data.ipynb": true}

// TestNotebooks executes every notebook: some in the kernel, the others compiled to one program each. A failed cell
// fails it, and so does a difference from the committed outputs; -update executes all in the kernel, and writes them.
func TestNotebooks(t *testing.T) {
	needKernel(t)
	for _, file := range list(t, "*.ipynb") {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			var got *nbtool.Notebook
			if *update || kernels[file] {
				got = execute(t, file, nil, "")
			} else {
				got = compile(t, file)
			}
			if t.Failed() {
				return
			}
			if *update {
				must.Do(t, got.Write(file))
				return
			}
			want := must.Get(nbtool.Read(file))(t)
			want.Normalize("")
			for _, d := range got.Diff(want) {
				t.Error(d)
			}
		})
	}
}

// compile runs the notebook at path as one program.
func compile(t *testing.T, path string) *nbtool.Notebook {
	t.Helper()
	slots <- struct{}{}
	defer func() { <-slots }()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	n := must.Get(nbtool.Read(path))(t)
	got := must.Get(nbtool.ExecuteCompiled(ctx, n, path, nbtool.Options{CellTimeout: 5 * time.Minute}))(t)
	for _, p := range got.Problems() {
		t.Errorf("%s: %s", path, p)
	}
	return got
}

// execute runs the notebook at path, or n in its place, in dir (empty: a fresh
// one), and fails the test for every failed cell.
func execute(t *testing.T, path string, n *nbtool.Notebook, dir string) *nbtool.Notebook {
	t.Helper()
	slots <- struct{}{}
	defer func() { <-slots }()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	if n == nil {
		var err error
		if n, err = nbtool.Read(path); err != nil {
			t.Fatal(err)
		}
	}
	got := must.Get(nbtool.ExecuteNotebook(ctx, n, path, nbtool.Options{CellTimeout: 5 * time.Minute, Dir: dir}))(t)
	for _, p := range got.Problems() {
		t.Errorf("%s: %s", path, p)
	}
	return got
}
