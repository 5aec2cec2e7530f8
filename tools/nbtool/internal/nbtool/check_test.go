package nbtool

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
)

// TestProblems: the states a cell can end in, and what its tags excuse.
func TestProblems(t *testing.T) {
	failed := Output{Type: "error", Ename: "ERROR", Evalue: "exit status 1"}
	stderr := Output{Type: "stream", Name: "stderr", Text: "sh: no\n"}
	stdout := Output{Type: "stream", Name: "stdout", Text: "fine\n"}
	for _, tc := range []struct {
		name string
		tags []string
		outs []Output
		want string // "" when there is no problem
	}{
		{"nothing", nil, nil, ""},
		{"stdout", nil, []Output{stdout}, ""},
		{"error", nil, []Output{stdout, failed}, "exit status 1"},
		{"stderr alone", nil, []Output{stderr}, "stderr: sh: no"},
		{"stderr allowed", []string{"allow-stderr"}, []Output{stderr}, ""},
		{"error is not excused by allow-stderr", []string{"allow-stderr"}, []Output{stderr, failed}, "exit status 1"},
		{"expected failure", []string{"raises-exception"}, []Output{stderr, failed}, ""},
		{"expected failure did not come", []string{"raises-exception"}, []Output{stdout}, "should fail"},
		{"nondeterminism excuses nothing", []string{"nondeterministic"}, []Output{failed}, "exit status 1"},
	} {
		c := Cell{Type: "code", ID: "a-1", Outputs: tc.outs, Metadata: map[string]any{"tags": tc.tags}}
		ps := (&Notebook{Cells: []Cell{c}}).Problems()
		switch {
		case tc.want == "" && len(ps) > 0:
			t.Errorf("%s: %v", tc.name, ps)
		case tc.want != "" && (len(ps) != 1 || !strings.Contains(ps[0], tc.want) || !strings.Contains(ps[0], "a-1")):
			t.Errorf("%s: %v, want one with %q", tc.name, ps, tc.want)
		}
	}
}

// TestDiff: every kind of change is seen, and no change is none.
func TestDiff(t *testing.T) {
	code := func(n *Notebook) *Cell { return &n.Cells[1] }
	for name, change := range map[string]func(*Notebook){
		"source":         func(n *Notebook) { code(n).Source += " " },
		"prose":          func(n *Notebook) { n.Cells[0].Source = "# B" },
		"id":             func(n *Notebook) { code(n).ID = "b-2" },
		"type":           func(n *Notebook) { code(n).Type = "raw" },
		"tags":           func(n *Notebook) { code(n).Metadata["tags"] = []string{} },
		"stream":         func(n *Notebook) { code(n).Outputs[0].Text += "x" },
		"stream's name":  func(n *Notebook) { code(n).Outputs[0].Name = "stderr" },
		"fewer outputs":  func(n *Notebook) { code(n).Outputs = nil },
		"figure":         func(n *Notebook) { n.Cells[2].Outputs[0].Data["image/png"] = "eA==" },
		"a form is gone": func(n *Notebook) { delete(n.Cells[2].Outputs[0].Data, "text/plain") },
		"fewer cells":    func(n *Notebook) { n.Cells = n.Cells[:2] },
	} {
		a, b := parsed(t), parsed(t)
		a.Normalize("")
		b.Normalize("")
		if ds := a.Diff(b); len(ds) > 0 {
			t.Fatalf("a notebook differs from itself: %v", ds)
		}
		change(a)
		if len(a.Diff(b)) == 0 || len(b.Diff(a)) == 0 {
			t.Errorf("%s: a change is not seen", name)
		}
	}
}

func TestDiffNondeterministic(t *testing.T) {
	a, b := parsed(t), parsed(t)
	for _, n := range []*Notebook{a, b} {
		n.Cells[2].Metadata = map[string]any{"tags": []any{"nondeterministic"}}
	}
	a.Cells[2].Outputs = nil
	if ds := a.Diff(b); len(ds) > 0 {
		t.Error(ds)
	}
	a.Cells[2].Source = "other"
	if len(a.Diff(b)) == 0 {
		t.Error("a changed source is not seen")
	}
}

func TestKeepOutputs(t *testing.T) {
	old := parsed(t)
	fresh := parsed(t)
	for i := range fresh.Cells {
		fresh.Cells[i].Outputs, fresh.Cells[i].Count = nil, nil
	}
	fresh.Cells[0].Source = "new prose"
	if !fresh.KeepOutputs(old) || len(fresh.Cells[1].Outputs) != 4 || *fresh.Cells[2].Count != 2 {
		t.Errorf("outputs were not kept: %+v", fresh.Cells[1:])
	}
	fresh.Cells[1].Outputs = nil
	fresh.Cells[2].Source = "other()"
	if fresh.KeepOutputs(old) || fresh.Cells[1].Outputs != nil {
		t.Error("outputs were kept although the code changed")
	}
	fresh.Cells = fresh.Cells[:2]
	if fresh.KeepOutputs(old) {
		t.Error("outputs were kept although a cell is gone")
	}
}

// page is what GoNB 0.11 shows for a cell with two mistakes, its style left out.
const page = `<style>.gonb-err-line { font-weight: bold; }</style>
<div style="white-space: pre-wrap;"> # gonb_0f42b9ed</div>
<div style="white-space: pre-wrap;"><span class="gonb-err-hover-area"><span class="gonb-cell-line-info">` +
	`Cell[2]: Line 2</span> <span class="gonb-err-location">./main.go:13:19: </span></span>` +
	`cannot use "two" (untyped string constant) as int value in argument to twice` +
	`<div class="gonb-err-context">
func main() {
	flag.Parse()
<div class="gonb-err-line">fmt.Println(twice(&#34;two&#34;))
</div>var unused int

</div></div>
<div style="white-space: pre-wrap;"><span class="gonb-err-hover-area"><span class="gonb-cell-line-info">` +
	`Cell[2]: Line 3</span> <span class="gonb-err-location">./main.go:14:5: </span></span>` +
	`declared and not used: unused<div class="gonb-err-context">func main() {
fmt.Println(twice(&#34;two&#34;))
<div class="gonb-err-line">var unused int
</div>
}
</div></div>`

const trace = `<div style="white-space: pre-wrap;">	<span class="gonb-err-hover-area">` +
	`<span class="gonb-cell-line-info">Cell[3]: Line 2</span> ` +
	`<span class="gonb-err-location">/gonb/main.go:12</span></span> +0x65<div class="gonb-err-context">
func main() {
<div class="gonb-err-line">panic(&#34;no luck&#34;)
</div>
}
</div></div>`

// A cell that does not compile is reported with the compiler's words and the lines they are about; a panic with what it
// wrote.
func TestProblemsShowTheCompiler(t *testing.T) {
	shown := func(html Text) Output {
		return Output{Type: "display_data", Data: Bundle{"text/html": html}}
	}
	failed := Output{Type: "error", Ename: "ERROR", Evalue: `failed to run "go build -o /gonb": exit status 1`}
	cell := Cell{Type: "code", ID: "a-1", Outputs: []Output{shown("<b>before</b>"), shown(page), failed}}
	want := []string{
		`Cell[2]: Line 2: cannot use "two" (untyped string constant) as int value in argument to twice: ` +
			`fmt.Println(twice("two"))`,
		"Cell[2]: Line 3: declared and not used: unused: var unused int",
	}
	if got := compilerErrors(cell); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	ps := (&Notebook{Cells: []Cell{cell}}).Problems()
	if len(ps) != 1 || !strings.HasPrefix(ps[0], "cell 1 (a-1): error: ") || !strings.Contains(ps[0], want[0]+"\n") ||
		!strings.HasSuffix(ps[0], want[1]) {
		t.Errorf("%q", ps)
	}
	broken := shown(
		`<div style="white-space: pre-wrap;"> # example.org/lib</div>` +
			`<div style="white-space: pre-wrap;"> lib/a.go:58:14: p.q undefined (type *P has no &#34;q&#34;)</div>`,
	)
	if got := compilerErrors(Cell{Outputs: []Output{broken}}); !slices.Equal(got,
		[]string{`lib/a.go:58:14: p.q undefined (type *P has no "q")`}) {
		t.Errorf("%q", got)
	}
	if got := compilerErrors(Cell{Outputs: []Output{shown(trace),
		{Type: "stream", Name: "stdout", Text: page}}}); got != nil {
		t.Errorf("%q", got)
	}
}

func TestRoot(t *testing.T) {
	dir := t.TempDir()
	deep := filepath.Join(dir, "a", "b")
	must.Do(t, os.MkdirAll(deep, 0o755))
	must.Do(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module x\n"), 0o644))
	if got := Root(deep); got != dir {
		t.Errorf("Root = %q, want %q", got, dir)
	}
	if got := Root("/"); got != "" {
		t.Errorf("Root(/) = %q, want none", got)
	}
}

// TestReady: with nothing installed each missing thing has its own error.
func TestReady(t *testing.T) {
	if err := Ready("."); err != nil && !errors.Is(err, ErrNoJupyter) && !errors.Is(err, ErrNoGoimports) &&
		!errors.Is(err, ErrNoKernel) {
		t.Errorf("unexpected error %v", err)
	}
	t.Setenv("PATH", t.TempDir())
	if err := Ready(t.TempDir()); !errors.Is(err, ErrNoGoimports) && !errors.Is(err, ErrNoJupyter) {
		t.Errorf("without goimports: %v", err)
	}
}

// TestExecuteErrors: what cannot run says so; no Jupyter is needed to find out.
func TestExecuteErrors(t *testing.T) {
	absent := filepath.Join(t.TempDir(), "absent.ipynb")
	if _, err := Execute(t.Context(), absent, Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an absent notebook: %v", err)
	}
	if _, err := nbconvertPath(); err != nil {
		t.Skip(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	n := must.Get(FromMarkdown("# A"))(t)
	_, err := ExecuteNotebook(ctx, n, absent, Options{})
	var ee *ExecError
	if !errors.As(err, &ee) || !errors.Is(err, context.Canceled) || ee.Path != absent {
		t.Errorf("a cancelled run: %v", err)
	}
}
