package privbayes_test

import (
	"os/exec"
	"strings"
	"testing"
)

// floors orders the rooms, ground floor first: a package may import only packages on lower floors.
var floors = [...][]string{
	{"internal/label"},
	{"table", "warning", "internal/document", "internal/durable", "internal/num", "internal/sample", "internal/countmean", "internal/seal",
		"internal/suggest", "study/internal/domain"},
	{"cert", "frame", "posterior", "bayesnet", "internal/ball", "internal/hellinger", "internal/hellingersample", "internal/klrisk", "internal/parity",
		"internal/regression", "internal/truncated"},
	{"dp", "model", "internal/boxed"},
	{"dp/finite", "sensitivity", "lipschitz"},
	{"mechanism", "audit", "claims"},
	{"mechanism/counts", "mechanism/hellinger", "mechanism/dirichlet", "mechanism/gridmap", "mechanism/posteriorsample", "mechanism/linear"},
	{"release"},
	{"eval", "noiseaware"},
	{"advise", "plots", "gotaframe", "study", "study/coverage", "study/dirichlet", "study/divergence", "study/gallery", "study/networks",
		"study/regression", "study/sampling", "study/utility"},
	{""}, // the façade
	{"nb"},
}

const module = "github.com/privbayes/privbayes-go/privbayes"

func goList(t *testing.T, args ...string) []string {
	t.Helper()
	out, err := exec.Command("go", append([]string{"list"}, args...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n")
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
	for _, line := range goList(t, "-f", `{{.ImportPath}} {{join .Imports " "}}`, module+"/...") {
		fields := strings.Fields(line)
		from := strings.TrimPrefix(strings.TrimPrefix(fields[0], module), "/")
		floor, known := floorOf[from]
		seen[from] = true
		if !known {
			t.Errorf("package %q stands on no floor", from)
		}
		for _, imp := range fields[1:] {
			if !strings.HasPrefix(imp, module) {
				continue
			}
			to := strings.TrimPrefix(strings.TrimPrefix(imp, module), "/")
			if floorOf[to] >= floor {
				t.Errorf("%q imports %q, which is not below it", from, to)
			}
		}
	}
}

// A notebook cell that draws nothing must not link plotting, notebooks, data frames or drivers; nor what only studies a mechanism.
func TestTheCoreIsLight(t *testing.T) {
	for _, dep := range goList(t, "-deps", module) {
		for _, heavy := range []string{"gonb", "gonum.org/v1/plot", "go-gota", "database/sql", "net/http", module + "/study", module + "/claims", module + "/audit"} {
			if strings.Contains(dep, heavy) {
				t.Errorf("the façade depends on %s", dep)
			}
		}
	}
}
