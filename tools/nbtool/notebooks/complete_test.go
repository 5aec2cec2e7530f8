package notebooks_test

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/cmd/privbayes/jupyter"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/tools/nbtool/internal/nbtool"
)

// A step is a message to the kernel, and an answer what came back: see testdata/ask.py.
type step struct {
	Do      string `json:"do"`
	Code    string `json:"code,omitempty"`
	Seconds int    `json:"seconds,omitempty"`
}

// ask is the program that talks to a kernel.
//
//go:embed testdata/ask.py
var ask string

type answer struct {
	Took                          float64
	Status, Stdout, Stderr, Error string
	Matches                       []string          // of complete
	Found                         bool              // of inspect
	Data                          map[string]string // of inspect, by media type
}

// converse starts a kernel in a folder outside of the checkout and sends it the steps; env is set beside a Jupyter's
// own environment.
func converse(t *testing.T, env []string, steps ...step) []answer {
	t.Helper()
	root := must.Get(filepath.Abs(".."))(t)
	in := must.Get(json.Marshal(steps))(t)
	python := "python3"
	if _, err := os.Stat("/usr/bin/jupyter-nbconvert"); err == nil {
		python = "/usr/bin/python3" // the one that has Jupyter: see nbtool
	}
	c := exec.CommandContext(t.Context(), python, "-c", ask)
	c.Dir = t.TempDir()
	c.Env = append(jupyter.Environ(os.Environ(), root), env...)
	c.Stdin = bytes.NewReader(in)
	var said bytes.Buffer
	c.Stderr = &said
	out, err := c.Output()
	if err != nil {
		log, _ := os.ReadFile(filepath.Join(c.Dir, "kernel.log"))
		t.Fatalf("%v\n%s\n%s", err, said.Bytes(), log[max(0, len(log)-4000):])
	}
	var as []answer
	if err := json.Unmarshal(out, &as); err != nil || len(as) != len(steps) {
		t.Fatalf("%d answers (%v): %s", len(as), err, out)
	}
	return as
}

// needCompletion skips the test where nothing completes; in CI it fails instead.
func needCompletion(t *testing.T) {
	t.Helper()
	needKernel(t)
	if _, err := os.Stat("../build/bin/gopls"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip("no gopls in build/bin: scripts/setup.sh complete")
	}
	must.Do(t, nbtool.Command(t.Context(), ".."))
}

// busy says how many times longer than alone something takes here now: what the machine is asked to do, over what it
// can.
func busy() float64 {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return 1
	}
	var load float64
	if _, err := fmt.Sscan(string(text), &load); err != nil {
		return 1
	}
	return max(1, load/float64(runtime.NumCPU()))
}

// warm reads ahead what completion will ask for, to the end.
func warm(t *testing.T, root string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "gonb_warm")
	must.Do(t, os.Mkdir(dir, 0o755))
	must.Do(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module gonb_warm\n\ngo 1.25.0\n"), 0o600))
	must.Do(t, jupyter.Bind(t.Context(), dir, jupyter.Library{Dir: root}))
	c := exec.CommandContext(t.Context(), filepath.Join(root, "build", "bin", "privbayes"), "bind", "--warm")
	c.Dir, c.Env = dir, jupyter.Environ(os.Environ(), root)
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("reading ahead: %v\n%s", err, out)
	}
}

const completed = `import (
	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/privbayes"
)

`

// TestCompletion: in a folder of its own, without a network, after the first cell a notebook completes and documents
// names of the library on Tab and Shift-Tab. It logs how long each answer took.
func TestCompletion(t *testing.T) {
	needCompletion(t)
	t.Parallel()
	root := must.Get(filepath.Abs(".."))(t)
	warm(t, root) // as the first cell does behind its back: here other tests use the processors
	as := converse(t, []string{"GOPROXY=off", jupyter.Variable + "=" + root},
		step{Do: "execute", Code: nbtool.Bind},
		step{Do: "wait", Seconds: 30},
		step{Do: "complete", Code: completed + "%%\nprivbayes.Nai|"},
		step{Do: "complete", Code: completed + "%%\nprivbayes.Geo|"},
		step{Do: "complete", Code: completed + "%%\nf := privbayes.ReadFrame(data.Votes())\nf.Spl|"},
		step{Do: "inspect", Code: completed + "%%\nprivbayes.Naive|Bayes(\"x\")\n"},
		step{Do: "execute", Code: completed + "%%\nprintln(privbayes.NaiveBayes(\"x\").String())"},
		step{Do: "complete", Code: "%%\nprivbayes.Lapl|"},
		step{Do: "inspect", Code: "%%\nprivbayes.ReadFrame(data.Votes()).Spl|it(.7, 1)\n"},
	)
	if a := as[0]; a.Status != "ok" || a.Stdout+a.Stderr+a.Error != "" {
		t.Errorf("the first cell: %+v", a)
	}
	for i, want := range map[int]string{2: "NaiveBayes", 3: "Geometric", 4: "Split", 7: "Laplace"} {
		if !slices.ContainsFunc(as[i].Matches, func(m string) bool { return strings.HasPrefix(m, want) }) {
			t.Errorf("answer %d completes to %v, want %s", i, as[i].Matches, want)
		}
	}
	for i, want := range map[int]string{5: "classifier of the class column", 8: "divides the rows"} {
		if doc := as[i].Data["text/markdown"]; !as[i].Found || !strings.Contains(doc, want) {
			t.Errorf("documentation says %q, want %q", doc, want)
		}
	}
	if a := as[6]; a.Status != "ok" || !strings.Contains(a.Stdout+a.Stderr, `naive Bayes of "x"`) {
		t.Errorf("a cell of the library: %+v", a)
	}
	took := []float64{}
	for _, i := range []int{2, 3, 4, 5, 7, 8} {
		took = append(took, as[i].Took)
	}
	t.Logf("answers took %.2f s each; the machine is %.1f times busy", took, busy())
}

// TestNoLibraryIsLoud: where the first cell cannot find the library it says what was wrong and what to do, and the next
// cell that needs the library fails and points back, although the kernel would fetch what a cell imports by itself.
func TestNoLibraryIsLoud(t *testing.T) {
	needCompletion(t)
	t.Parallel()
	as := converse(t, []string{"GOPROXY=off", jupyter.Variable + "=" + t.TempDir()},
		step{Do: "execute", Code: nbtool.Bind},
		step{Do: "execute", Code: completed + "%%\nprintln(privbayes.NaiveBayes(\"x\"))"})
	if said := as[0].Stderr; !strings.Contains(said, "PRIVBAYES is ") ||
		!strings.Contains(said, "want the folder of a checkout") {
		t.Errorf("the first cell says %+v", as[0])
	}
	said := as[1].Error + as[1].Stdout + as[1].Stderr
	if as[1].Status != "error" || !strings.Contains(said, "privbayes-was-not-bound-see-the-first-cell") {
		t.Errorf("the next cell says %+v", as[1])
	}
	// Outside of all there is a kernel and no command: the shell says so, below what the cell says to do.
	as = converse(t, nil, step{Do: "execute", Code: strings.Replace(nbtool.Bind, "!*", "!*PATH= ", 1)})
	if !strings.Contains(as[0].Stderr, "privbayes: ") || !strings.Contains(nbtool.Bind, "go install ./cmd/privbayes") {
		t.Errorf("without the command: %+v", as[0])
	}
}
