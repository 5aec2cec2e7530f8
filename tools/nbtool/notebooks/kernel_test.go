package notebooks_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/tools/nbtool/internal/nbtool"
)

// checkoutDir is a directory inside the checkout, where the kernel binds to it;
// it is removed after the test.
func checkoutDir(t *testing.T) string {
	t.Helper()
	root := must.Get(filepath.Abs(".."))(t)
	build := filepath.Join(root, "build")
	must.Do(t, os.MkdirAll(build, 0o755))
	dir := must.Get(os.MkdirTemp(build, "nbrun-*"))(t)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// runTwice executes the notebook with these cells, after the cell that binds it to
// the checkout, in two kernels one after the other. Both work in dir, so the
// second sees the files the first has left; an empty dir means a fresh one.
func runTwice(t *testing.T, markdown, dir string) (first, second *nbtool.Notebook) {
	t.Helper()
	if dir == "" {
		dir = checkoutDir(t)
	}
	src := "```go\n" + nbtool.Bind + "\n```\n\n" + markdown
	for _, to := range []**nbtool.Notebook{&first, &second} {
		n := must.Get(nbtool.FromMarkdown(src))(t)
		*to = execute(t, filepath.Join(dir, "twice.ipynb"), n, dir)
	}
	return first, second
}

// texts are the text outputs of a notebook's code cells, one entry a cell.
func texts(n *nbtool.Notebook) []string {
	var s []string
	for _, c := range n.Cells {
		if c.Type != "code" {
			continue
		}
		var b strings.Builder
		for _, o := range c.Outputs {
			b.WriteString(string(o.Text) + string(o.Data["text/plain"]))
		}
		s = append(s, b.String())
	}
	return s
}

const smoke = "```go\n" + `import (
	"fmt"
	"os"

	"github.com/privbayes/privbayes-go/privbayes/nb"
)

// draws counts evaluations in a file, as a ledger would.
var draws = func() int {
	f, err := os.OpenFile("draws.txt", os.O_APPEND|os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	fmt.Fprint(f, "x")
	st, err := f.Stat()
	if err != nil {
		panic(err)
	}
	return int(st.Size())
}()
` + "```\n\n```go\n" + `%%
nb.Printf("draw %d", draws)
` + "```\n\n```go\n" + `%%
nb.Show(fmt.Sprintf("draw %d", draws))
` + "```\n"

// TestKernelSemantics: the facts about GoNB that this library's kept releases
// stand on. A package-level variable is evaluated again in every later cell, in
// the same kernel; a file survives cells and kernels.
func TestKernelSemantics(t *testing.T) {
	needKernel(t)
	t.Parallel()
	first, second := runTwice(t, smoke, "")
	if t.Failed() {
		return
	}
	a, b := texts(first), texts(second)
	if len(a) != 4 || len(b) != 4 {
		t.Fatalf("%d and %d code cells, want 4", len(a), len(b))
	}
	if a[2] == a[3] {
		t.Errorf("two cells saw the same evaluation: %q, %q", a[2], a[3])
	}
	if a[2] == b[2] || a[3] == b[2] {
		t.Errorf("the second kernel saw an evaluation of the first: %q after %q", b, a)
	}
}

// TestFailuresAreSeen: each way in which a cell can fail is a problem. nbconvert
// itself reports none of the shell's.
func TestFailuresAreSeen(t *testing.T) {
	needKernel(t)
	t.Parallel()
	src := "# A\n```go\n!echo no >&2; false\n```\n# B\n```go\n%%\npanic(\"no\")\n```\n" +
		"# C\n```go\n%%\nundefined()\n```\n# D\n```go\n%nosuchmagic\n```\n# E\n```go\n%%\nos.Exit(3)\n```\n" +
		"# F\n```go\n%%\nfmt.Println(\"fine\")\n```\n"
	n := must.Get(nbtool.FromMarkdown(src))(t)
	slots <- struct{}{}
	defer func() { <-slots }()
	got := must.Get(nbtool.ExecuteNotebook(t.Context(), n, "failures.ipynb", nbtool.Options{}))(t)
	ps := strings.Join(got.Problems(), "\n")
	for _, id := range []string{"a-2", "b-2", "c-2", "d-2", "e-2"} {
		if !strings.Contains(ps, "("+id+")") {
			t.Errorf("the failure of cell %s is not seen in\n%s", id, ps)
		}
	}
	if strings.Contains(ps, "(f-2)") {
		t.Errorf("the cell that is fine is reported:\n%s", ps)
	}
}

// TestCompiledFailuresAreSeen: the same of cells that are one program, and what is no such program is refused by its
// cell.
func TestCompiledFailuresAreSeen(t *testing.T) {
	needKernel(t)
	t.Parallel()
	run := func(cells string) (*nbtool.Notebook, error) {
		t.Helper()
		n := must.Get(nbtool.FromMarkdown("# Z\n```go\n" + nbtool.Bind + "\n```\n" + cells))(t)
		slots <- struct{}{}
		defer func() { <-slots }()
		return nbtool.ExecuteCompiled(t.Context(), n, "failures.ipynb", nbtool.Options{})
	}
	got := must.Get(run("# A\n```go\n%%bash\necho no >&2; false\n```\n# B\n```go\n%%\npanic(\"no\")\n```\n" +
		"# C\n```go\n%%\nos.Exit(3)\n```\n" +
		"# D\n```go\nimport \"github.com/privbayes/privbayes-go/privbayes/nb\"\n\nfunc same() int { return 1 }\n```\n" +
		"# E\n```go\nfunc same() int { return 1 }\n```\n" +
		"# F\n```go\n%%\nnb.Printf(\"shown %d\", same())\nfmt.Print(\"told\")\n```\n"))(t)
	ps := strings.Join(got.Problems(), "\n")
	for _, id := range []string{"a-2", "b-2", "c-2"} {
		if !strings.Contains(ps, "("+id+")") {
			t.Errorf("the failure of cell %s is not seen in\n%s", id, ps)
		}
	}
	shown := texts(got)
	if s := shown[len(shown)-1]; strings.Contains(ps, "(f-2)") || s != "shown 1told" && s != "toldshown 1" {
		t.Errorf("the cell that is fine shows %q:\n%s", s, ps)
	}
	if _, err := run("# A\n```go\n%%\nundefined()\n```\n"); err == nil || !strings.Contains(err.Error(), "undefined") {
		t.Errorf("a cell that does not compile: %v", err)
	}
	for _, cells := range []string{"# A\n```go\n%env X 1\n```\n", "# A\n```go\n!ls\n```\n",
		"# A\n```go\nfunc f() int { return 1 }\n```\n# B\n```go\nfunc f() int { return 2 }\n```\n",
		"# A\n```go\nfunc init_f() {}\n```\n", "# A\n```go\nfunc\n```\n"} {
		var no *nbtool.CellError
		if _, err := run(cells); !errors.As(err, &no) || no.Cell < 4 {
			t.Errorf("%q: %v, want a cell that is refused", cells, err)
		}
	}
}
