package privbayes_test

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
)

// floors orders the rooms, ground floor first: a package may import only packages on lower floors. The library's rooms
// are named without their "privbayes/", the others by their path in the module.
var floors = [...][]string{
	{"/internal/safetext", "/internal/must", "/proofs"},
	{"warning", "/internal/domain"},
	{"table", "/internal/junction", "/internal/mcmc", "/internal/strictjson", "/internal/journal", "/internal/num", "/internal/sample",
		"/internal/denoise",
		"/internal/csvscan", "/internal/access"},
	{"figure"},
	{"cert", "frame", "posterior", "bayesnet", "/internal/ball", "/internal/hellinger",
		"/internal/hellingersample", "/internal/klrisk", "/internal/logratio", "/internal/parity",
		"/internal/leastsquares", "/internal/score", "/internal/truncated", "/internal/roundedsum",
		"/internal/latent", "/internal/gram", "/internal/seen"},
	{"/internal/maxent", "/internal/steps", "/internal/formula", "/internal/noisycells", "/internal/survey"},
	{"dp", "model", "plots", "/internal/truncatednet"},
	{"dp/loss", "nb", "synthetic"},
	{"dp/finite", "mechanism/noise", "budget", "sensitivity", "source"},
	{"source/sqlsource"},
	{"mechanism", "audit"},
	{"mechanism/counts", "mechanism/hellinger", "mechanism/dirichlet", "mechanism/gridmap",
		"mechanism/posteriorsample", "mechanism/sums", "mechanism/quantiles",
		"mechanism/structure", "mechanism/privbayes2017", "mechanism/partition", "mechanism/weighted", "mechanism/stratified",
		"audit/program"},
	{"mechanism/regression"},
	{"mechanism/catalog"},
	{"release"},
	{"release/keep", "noiseaware", "release/export"},
	{"eval", "publication", "selection", "totals", "discovery"},
	{"release/entry"},
	{"advise", "gotaframe", "release/privacyreport"},
	{""}, // the façade
	{"source/sourcetest", "/internal/filecases"},
}

const (
	root   = "github.com/privbayes/privbayes-go"
	module = root + "/privbayes"
)

// goList lists packages of the workspace: the library's, and those of the modules below it.
func goList(t *testing.T, args ...string) []string {
	t.Helper()
	work := must.Get(filepath.Abs(filepath.Join("..", "go.work")))(t)
	c := exec.Command("go", append([]string{"list"}, args...)...)
	c.Env = append(os.Environ(), "GOWORK="+work)
	out := must.Get(c.Output())(t)
	return strings.Split(strings.TrimRight(string(out), "\n"), "\n") // a line may end in an empty list
}

func TestImportsGoDown(t *testing.T) {
	floorOf, seen := map[string]int{}, map[string]bool{}
	for floor, rooms := range floors {
		for _, room := range rooms {
			if _, twice := floorOf[room]; twice {
				t.Errorf("%q stands on two floors", room)
			}
			floorOf[room] = floor
		}
	}
	defer func() {
		for room := range floorOf {
			if !seen[room] {
				t.Errorf("no package %q", room)
			}
		}
	}()
	page := must.Get(os.ReadFile(filepath.Join("..", "CONTRIBUTING.md")))(t)
	for _, line := range goList(t, "-f", `{{.ImportPath}} {{join .Imports " "}}`, module+"/...", root+"/internal/...", root+"/proofs") {
		fields := strings.Fields(line)
		from, _ := room(fields[0])
		floor, known := floorOf[from]
		seen[from] = true
		if !known {
			t.Errorf("package %q stands on no floor", from)
		}
		if name := strings.TrimPrefix(cmp.Or(from, "privbayes"), "/"); !strings.Contains(string(page), "`"+name+"`") {
			t.Errorf("the map in CONTRIBUTING.md has no %s", name)
		}
		for _, imp := range fields[1:] {
			if to, ours := room(imp); ours && floorOf[to] >= floor {
				t.Errorf("%q imports %q, which is not below it", from, to)
			}
		}
	}
}

// The library imports no module that stands below it in the checkout, neither does a test of it: each would require the
// other. In the workspace such an import compiles.
func TestTheLibraryStandsAlone(t *testing.T) {
	modules := slices.DeleteFunc(goList(t, "-m"), func(path string) bool { return path == root })
	below := func(path string) bool {
		return slices.ContainsFunc(modules, func(m string) bool { return path == m || strings.HasPrefix(path, m+"/") })
	}
	var others int
	for _, line := range goList(t, "-f", `{{.ImportPath}} {{join .Imports " "}} {{join .TestImports " "}} `+
		`{{join .XTestImports " "}}`, root+"/...") {
		fields := strings.Fields(line)
		if below(fields[0]) {
			others++
			continue
		}
		if i := slices.IndexFunc(fields, below); i > 0 {
			t.Errorf("%s imports %s", fields[0], fields[i])
		}
	}
	if len(modules) < 5 || others < 30 {
		t.Errorf("%d packages of %v were looked at", others, modules)
	}
}

// room is the name of a package of this module in floors.
func room(path string) (name string, ours bool) {
	if rest, ok := strings.CutPrefix(path, module); ok && (rest == "" || rest[0] == '/') {
		return strings.TrimPrefix(rest, "/"), true
	}
	return strings.CutPrefix(path, root)
}

// A notebook cell that draws nothing must not link plotting, notebooks, data frames or drivers; nor what only studies a
// mechanism; nor code that could send rows anywhere, package data included.
func TestTheCoreIsLight(t *testing.T) {
	for _, dep := range goList(t, "-deps", module, root+"/data") {
		for _, heavy := range []string{"gonb", "gonum.org/v1/plot", "go-gota", "database/sql", "net/http", "crypto/tls",
			root + "/papers", module + "/audit"} {
			if strings.Contains(dep, heavy) || dep == "net" {
				t.Errorf("the core depends on %s", dep)
			}
		}
	}
}

// The top-level API and the embedded tables need three modules of others, of which one for Windows and locks only. The
// workspace has a command with heavier requirements. What it shares with the library has one version, so that we test
// what users get.
func TestTheCoreRequires(t *testing.T) {
	allowed := []string{root, "golang.org/x/sys", "golang.org/x/text", "gonum.org/v1/gonum"}
	seen := map[string]bool{}
	for _, path := range goList(t, "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", module, root+"/data") {
		if path != "" && !slices.Contains(allowed, path) {
			t.Errorf("the core depends on %s", path)
		}
		seen[path] = true
	}
	if !seen[root] || !seen["gonum.org/v1/gonum"] {
		t.Errorf("only %v was looked at", seen)
	}
	for _, heavy := range []string{"golang.org/x/net", "golang.org/x/exp", "golang.org/x/sys", "golang.org/x/text"} {
		in := goList(t, "-m", "-f", "{{.Version}}", heavy)[0]
		own := regexp.MustCompile(regexp.QuoteMeta(heavy) + ` (v\S+)`).FindSubmatch(must.Get(os.ReadFile("../go.mod"))(t))
		if own == nil || string(own[1]) != in {
			t.Errorf("%s is %s in the workspace; go.mod has %q", heavy, in, own)
		}
	}
}

// What shows values and draws figures needs none of the mechanisms, models and releases: a cell that only draws
// compiles no more.
func TestShowingIsLight(t *testing.T) {
	for _, what := range []string{"/nb", "/plots"} {
		for _, dep := range goList(t, "-deps", module+what) {
			r, ours := room(dep)
			if ours && r != "" && !slices.Contains([]string{what[1:], "plots", "figure", "table", "warning"}, r) &&
				!strings.HasPrefix(r, "/internal/") {
				t.Errorf("%s depends on %s", what, dep)
			}
		}
	}
}
