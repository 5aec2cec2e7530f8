package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/cmd/privbayes/jupyter"
	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// The test binary is the program itself where a shell is to run it. Tests draw the same in every run of the suite.
func TestMain(m *testing.M) {
	if os.Getenv("PRIVBAYES_AS_PROGRAM") != "" {
		main()
	}
	must.Repeatable(1)
	os.Exit(m.Run())
}

// screen is a terminal.
type screen struct{ bytes.Buffer }

func (*screen) Terminal() bool { return true }

// call runs the program and returns its exit code and outputs.
func call(args ...string) (code int, out, errs string) {
	var o, e bytes.Buffer
	code = run(args, &o, &e)
	return code, o.String(), e.String()
}

func TestPlan(t *testing.T) {
	code, out, errs := call("plan", "--data", "votes", "--target", "Class", "--epsilon", "1")
	if code != exitDone || !strings.Contains(out, "ε = 1 (pure DP), replace-one") || !strings.Contains(out, "Checks") {
		t.Errorf("%d %s %s", code, out, errs)
	}
	code, out, errs = call("plan", "--levels", "5", "--n", "1000", "--epsilon", "1", "--delta", "1e-6", "--mechanism",
		"discrete-gaussian", "--json")
	var p struct {
		Certified   struct{ Epsilon, Delta float64 }
		Sensitivity map[string]int
		Expected    map[string]float64
	}
	if err := json.Unmarshal([]byte(out), &p); err != nil || code != exitDone || p.Certified.Epsilon != 1 ||
		p.Certified.Delta > 1e-6 || p.Sensitivity["l1"] != 2 || len(p.Expected) != 3 {
		t.Errorf("%d %v %+v %s", code, err, p, errs)
	}
}

// The figure of a plan shows what the best attack finds out, and is refused where it is no new SVG file before a plan
// is made.
func TestFigureOfAPlan(t *testing.T) {
	t.Chdir(t.TempDir())
	plan := []string{"plan", "--levels", "5", "--n", "1000", "--epsilon", "1", "--figure"}
	out := mustCall(t, append(plan, "attack.svg")...)
	if svg := string(must.Get(os.ReadFile("attack.svg"))(t)); !strings.Contains(svg, "the best attack finds at most 13.6 %") ||
		!strings.HasSuffix(out, "Wrote attack.svg.\n") {
		t.Errorf("%s%s", out, svg)
	}
	for _, file := range []string{"attack.svg", "attack.png"} {
		if code, out, errs := call(append(plan, file)...); code != exitUsage || out != "" || !strings.Contains(errs, file) {
			t.Errorf("%s: %d %s%s", file, code, out, errs)
		}
	}
}

// A network file is planned on like a schema, and the other mechanisms are reachable.
func TestPlanOfNetworkAndMechanisms(t *testing.T) {
	path := filepath.Join(t.TempDir(), "asia.bif")
	var b bytes.Buffer
	must.Do(t, bayesnet.Asia().WriteBIF(&b))
	must.Do(t, os.WriteFile(path, b.Bytes(), 0o600))
	for _, m := range []string{"consistent", "fourier", "k-norm", "laplace"} {
		code, out, errs := call("plan", "--network", path, "--n", "5000", "--mechanism", m, "--epsilon", "1")
		if code != exitDone || !strings.Contains(out, "network of 8 nodes") ||
			!strings.Contains(out, "ε = 1 (pure DP), replace-one") {
			t.Errorf("%s: %d %s %s", m, code, out, errs)
		}
	}
	code, out, errs := call("plan", "--levels", "2", "--n", "50", "--alpha", "7,4", "--mechanism", "hellinger",
		"--nominal", "--epsilon", "0.5")
	if code != exitDone || !strings.Contains(out, "so the notes label it") ||
		!strings.Contains(out, "sampling: exact") {
		t.Errorf("%d %s %s", code, out, errs)
	}
	for _, args := range [][]string{
		{"plan", "--network", path, "--data", "votes", "--epsilon", "1"}, {"plan", "--network", path, "--epsilon", "1"},
		{"plan", "--levels", "2", "--n", "5", "--alpha", "7,x", "--epsilon", "1"},
		{"plan", "--levels", "2", "--n", "5", "--mechanism", "magic", "--epsilon", "1"},
	} {
		if code, _, errs := call(args...); code != exitUsage {
			t.Errorf("%v: %d %s", args, code, errs)
		}
	}
	if code, _, _ := call("plan", "--network", path+".none", "--n", "5", "--epsilon", "1"); code != exitInput {
		t.Error("a missing file:", code)
	}
}

// Planning backwards finds an ε (or n) that meets the error, and a slightly smaller one does not.
func TestSolve(t *testing.T) {
	expected := func(args ...string) float64 {
		code, out, errs := call(append([]string{"plan", "--levels", "4", "--json"}, args...)...)
		var p struct{ Expected map[string]float64 }
		if err := json.Unmarshal([]byte(out), &p); err != nil || code != exitDone {
			t.Fatal(code, err, errs)
		}
		return p.Expected["absolute error of a proportion"]
	}
	if e := expected("--n", "1000", "--solve", "epsilon", "--error", "0.005"); e > 0.005 || e < 0.00499 {
		t.Errorf("solving for ε expects an error of %v", e)
	}
	if e := expected("--epsilon", "0.5", "--solve", "n", "--error", "0.005"); e > 0.005 || e < 0.0049 {
		t.Errorf("solving for n expects an error of %v", e)
	}
}

func TestVerify(t *testing.T) {
	path := filepath.Join(t.TempDir(), "votes.release.json")
	train := privbayes.ReadFrame(data.Votes())
	must.Do(t, train.Model(privbayes.Binary("Class")).Privatize(privbayes.Geometric(), privbayes.PureDP(1),
		privbayes.KeepIn(path)).Err())
	if code, out, errs := call("verify", path, "--details"); code != exitDone || !strings.Contains(out, "re-derived") {
		t.Error(code, out, errs)
	}
	code, out, _ := call("verify", "--json", path)
	var v verifyJSON
	if err := json.Unmarshal([]byte(out), &v); err != nil || code != exitDone || !v.OK || len(v.Checks) != 3 {
		t.Error(code, err, v)
	}
	b := must.Get(os.ReadFile(path))(t)
	edited := filepath.Join(t.TempDir(), "edited.json")
	must.Do(t, os.WriteFile(edited, bytes.Replace(b, []byte(`"epsilon": 1`), []byte(`"epsilon": 0.1`), 1),
		0o600))
	if code, _, errs := call("verify", edited); code != exitUnverified {
		t.Error("an edited guarantee:", code, errs)
	}
	weaker := bytes.Replace(b, []byte(`"num": 1`), []byte(`"num": 2`), 1)
	must.Do(t, os.WriteFile(edited, weaker, 0o600))
	if code, _, errs := call("verify", edited); code != exitUnverified || !strings.Contains(errs,
		"privacy loss is ε = 2. The file claims ε = 1.") {
		t.Error("noise that is too small:", code, errs)
	}
}

func TestData(t *testing.T) {
	code, out, _ := call("data", "list")
	for _, name := range data.Names() {
		if code != exitDone || !strings.Contains(out, name) {
			t.Error(code, name)
		}
	}
	dir := t.TempDir()
	code, out, errs := call("data", "fetch", "iris", "--to", dir)
	if code != exitDone {
		t.Fatal(code, errs)
	}
	files := strings.Fields(out)
	schema := must.Get(os.ReadFile(files[1]))(t)
	s := must.Get(privbayes.ParseSchema(schema))(t)
	if f := privbayes.LoadFrame(files[0], s); f.Err() != nil || f.Data().Len() != 150 {
		t.Error(f.Err())
	}
	if code, _, _ := call("data", "fetch", "iris", "--to", dir); code != exitInput {
		t.Error("fetch wrote over a file:", code)
	}
}

func TestExitCodes(t *testing.T) {
	t.Chdir(t.TempDir())
	answers(t, "exits")

}

// A wrong command line is answered with what is there to choose from.
func TestWrongUsageIsExplained(t *testing.T) {
	t.Chdir(t.TempDir())
	must.Do(t, os.WriteFile("bad.json", []byte("{\n#"), 0o600))
	answers(t, "usage")

}

// A folder is made when it is not there; files that are there stay as they are.
func TestFetchMakesTheFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "folder")
	if code, out, errs := call("data", "fetch", "shopper", "--to", dir); code != exitDone ||
		!strings.Contains(out, "shopper.csv.gz") {
		t.Fatal(code, out, errs)
	}
	if code, _, errs := call("data", "fetch", "shopper", "--to", dir); code != exitInput ||
		!strings.Contains(errs, "never overwritten") || !strings.Contains(errs, "shopper.csv.gz") {
		t.Error(code, errs)
	}
}

// What is dangerous about a plan, a comparison or a file is said once, below the table, and listed in the JSON; a usual
// plan says nothing.
func TestCommandsWarn(t *testing.T) {
	const line, field = "warning: ", `"warnings"`
	usual := []string{"plan", "--levels", "2", "--n", "400", "--epsilon", "1"}
	weak := []string{"plan", "--levels", "2", "--n", "400", "--epsilon", "11"}
	r := must.Get(privbayes.ReadFrame(data.Votes()).Model(privbayes.Binary("Class")).Privatize(privbayes.Geometric(),
		privbayes.PureDP(11)).Release())(t)
	file := filepath.Join(t.TempDir(), "r.json")
	must.Do(t, r.Save(file))
	for _, c := range []struct {
		args []string
		want int
	}{{usual, 0}, {weak, 1}, {[]string{"verify", file}, 1}} {
		code, out, errs := call(c.args...)
		if n := strings.Count(out+errs, line); code != exitDone || n != c.want || c.want > 0 &&
			!strings.Contains(out, "ε = 11 is above ε = 10") {
			t.Errorf("%v: %d, %d warnings\n%s%s", c.args, code, n, out, errs)
		}
		code, out, errs = call(append(c.args, "--json")...)
		var j struct {
			Warnings []struct {
				Kind         string
				Value, Limit float64
			}
		}
		if err := json.Unmarshal([]byte(out), &j); err != nil || code != exitDone || len(j.Warnings) != c.want ||
			strings.Contains(out, field) != (c.want > 0) {
			t.Errorf("%v: %v, %d\n%s%s", c.args, err, code, out, errs)
		}
		if c.want > 0 && (j.Warnings[0].Kind != "epsilon" || j.Warnings[0].Value != 11 || j.Warnings[0].Limit != 10) {
			t.Errorf("%v: %+v", c.args, j.Warnings)
		}
	}
}

// A notebook gets the library that the program was built with, when that was downloaded.
func TestReleased(t *testing.T) {
	library := debug.Module{Path: jupyter.Module, Version: "v1.2.3"}
	replaced := library
	replaced.Replace = &debug.Module{Path: "../.."}
	own := debug.Module{Path: jupyter.Module + "/cmd/privbayes", Version: "v1.2.4", Sum: "h1:x"}
	built := own
	built.Sum = ""
	for name, c := range map[string]struct {
		main, library debug.Module
		want          string
	}{
		"installed":             {own, library, "v1.2.3"},
		"built in a checkout":   {built, library, ""},
		"with another checkout": {own, replaced, ""},
		"of another library":    {own, debug.Module{Path: "example.org/x", Version: "v1.0.0"}, ""},
	} {
		if got := released(&debug.BuildInfo{Main: c.main, Deps: []*debug.Module{&c.library}}); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// The version names the module, the commit where the build knows it, and the compiler.
func TestVersion(t *testing.T) {
	if code, out, errs := call("--version"); code != exitDone || !strings.HasPrefix(out, "privbayes ") ||
		!strings.Contains(out, runtime.Version()) || strings.Count(out, "\n") != 1 || errs != "" {
		t.Errorf("%d %q %q", code, out, errs)
	}
	built := func(settings ...string) *debug.BuildInfo {
		info := &debug.BuildInfo{GoVersion: "go1.99", Main: debug.Module{Version: "v1.2.3"}}
		for i := 0; i < len(settings); i += 2 {
			info.Settings = append(info.Settings, debug.BuildSetting{Key: settings[i], Value: settings[i+1]})
		}
		return info
	}
	for want, info := range map[string]*debug.BuildInfo{
		"privbayes v1.2.3, go1.99":                           built(),
		"privbayes v1.2.3, commit 0a1b, go1.99":              built("vcs.revision", "0a1b", "vcs.modified", "false"),
		"privbayes v1.2.3, commit 0a1b with changes, go1.99": built("vcs.modified", "true", "vcs.revision", "0a1b"),
		"privbayes " + release.Version + " (devel), go1.99":  {GoVersion: "go1.99"},
		"privbayes " + release.Version + " (devel), go2.00": {GoVersion: "go2.00",
			Main: debug.Module{Version: "(devel)"}},
	} {
		if _, got := version(info, true); got != want {
			t.Errorf("%s; want %s", got, want)
		}
	}
	if _, got := version(nil, false); !strings.Contains(got, "without module information") {
		t.Error(got)
	}
}
