package notebooks_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
)

// Three cells that each evaluate a private release, kept, under a budget: what a user writes who does not know that
// every cell is a program of its own.
const keptNotebook = "```go\n" + `import (
	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/nb"
)

var rows, schema = data.Votes()
var budget, _ = privbayes.OpenBudget("votes.budget", schema, privbayes.PureDP(1))
var train, test = privbayes.ReadFrame(rows, schema).WithBudget(budget).Split(0.7, 1)
var private = train.Model(privbayes.NaiveBayes("Class")).
	Privatize(privbayes.Geometric(), privbayes.PureDP(1), privbayes.KeepIn("votes.release.json")) // secure randomness
` + "```\n\n```go\n%%\nnb.Show(private)\n```\n\n```go\n%%\nnb.Show(private.Evaluate(test))\n```\n\n" +
	"```go\n%%\nnb.Printf(\"charges: %d\", len(budget.Charges()))\n```\n"

// TestKeptReleaseSurvivesCellsAndKernels: the kernel evaluates the package-level release in every cell, in two kernels;
// it is drawn once, charged once, and the file keeps its bytes.
func TestKeptReleaseSurvivesCellsAndKernels(t *testing.T) {
	needKernel(t)
	t.Parallel()
	dir := checkoutDir(t)
	var bytesOf [2][]byte
	run := func(i int) {
		b := must.Get(os.ReadFile(filepath.Join(dir, "votes.release.json")))(t)
		bytesOf[i] = b
	}
	first, second := runTwice(t, keptNotebook, dir)
	if t.Failed() {
		return
	}
	run(0)
	third, _ := runTwice(t, keptNotebook, dir)
	run(1)
	a, b, c := texts(first), texts(second), texts(third)
	if a[2] == "" || a[2] != b[2] || a[3] != b[3] || a[2] != c[2] {
		t.Errorf("a later kernel saw another release:\n%s\n%s", a[2], b[2])
	}
	if !strings.Contains(b[4], "charges: 1") {
		t.Errorf("the ledger says %q", b[4])
	}
	if !bytes.Equal(bytesOf[0], bytesOf[1]) {
		t.Error("the kept file changed")
	}
	ledger := must.Get(os.ReadFile(filepath.Join(dir, "votes.budget")))(t)
	if lines := strings.Count(string(ledger), "\n"); lines != 2 {
		t.Errorf("the ledger has %d lines, want a header and one charge:\n%s", lines, ledger)
	}
}
