package notebooks_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/tools/nbtool/internal/nbtool"
)

// writeBirths writes a table as the README describes it, which no notebook uses: 189 births, made up.
func writeBirths(t *testing.T, file string) {
	t.Helper()
	r := rand.New(rand.NewPCG(1989, 189))
	yes := func(p float64) string {
		if r.Float64() < p {
			return "yes"
		}
		return "no"
	}
	var b strings.Builder
	b.WriteString("low,smoke\n")
	for range 189 {
		smoke := yes(.4)
		low := yes(.25)
		if smoke == "yes" {
			low = yes(.4)
		}
		fmt.Fprintf(&b, "%s,%s\n", low, smoke)
	}
	must.Do(t, os.WriteFile(file, []byte(b.String()), 0o600))
}

// TestOwnNotebook: what the README says under "Your own notebooks" leads from a fresh clone to a verified release of
// one's own CSV in at most ten commands and cells. The cells are run as they stand, in a folder outside of the
// checkout; what make lab opens is tested by TestLabOpensFolders.
func TestOwnNotebook(t *testing.T) {
	readme := must.Get(os.ReadFile("../README.md"))(t)
	_, section, found := strings.Cut(string(readme), "\n## Your own notebooks\n")
	section, _, ended := strings.Cut(section, "\n## ")
	if !found || !ended {
		t.Fatal("the README has no such section")
	}
	n := must.Get(nbtool.FromMarkdown(section))(t)
	_, shell, _ := strings.Cut(section, "```sh\n")
	shell, _, _ = strings.Cut(shell, "```")
	commands := strings.Split(strings.TrimSpace(shell), "\n")
	cells := 0
	for _, c := range n.Cells {
		if c.Type == "code" {
			cells++
		}
	}
	t.Logf("%d commands and %d cells", len(commands), cells)
	if cells < 3 || len(commands)+cells > 10 {
		t.Errorf("%d commands and %d cells", len(commands), cells)
	}
	if n.FirstCode() != nbtool.Bind {
		t.Errorf("the first cell is %q", n.FirstCode())
	}
	if commands[0] != "git clone https://"+nbtool.Module || commands[1] != "cd "+filepath.Base(nbtool.Module) {
		t.Errorf("the clone is %q", commands[:2])
	}
	last := strings.Fields(commands[len(commands)-1])
	dry := exec.CommandContext(t.Context(), last[0], append([]string{"-n"}, last[1:]...)...)
	dry.Dir = ".."
	out, err := dry.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "privbayes lab --port 8888 '../mine'") {
		t.Errorf("%v: %v\n%s", last, err, out)
	}
	needKernel(t)
	t.Parallel()
	mine := filepath.Join(t.TempDir(), "mine")
	must.Do(t, os.Mkdir(mine, 0o755))
	writeBirths(t, filepath.Join(mine, "births.csv"))
	got := execute(t, "own.ipynb", n, mine)
	outs := texts(got)
	if t.Failed() {
		return
	}
	if outs[0] != "" || !strings.Contains(outs[2], "189") ||
		!strings.Contains(outs[3], "ε = 0.5, replace-one, unit: \"birth\"") || !strings.Contains(outs[4], "computed again") {
		t.Errorf("the cells show %q", outs)
	}
	v, err := release.Verify(t.Context(), filepath.Join(mine, "births.release.json"))
	if err != nil || !v.OK() {
		t.Errorf("the release is not verified: %v\n%v", err, v)
	}
}
