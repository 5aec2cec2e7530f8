package nbtool

import (
	"slices"
	"strings"
	"testing"
)

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
