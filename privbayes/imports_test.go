package privbayes_test

import (
	"os/exec"
	"strings"
	"testing"
)

// floors orders the rooms: a package may import only packages on lower floors.
var floors = map[string]int{
	"internal/seal": 0, "internal/num": 0, "internal/sample": 0, "internal/countmean": 0, "table": 0,
	"cert": 1, "frame": 1, "posterior": 1, "internal/hellinger": 1, "internal/hellingersample": 1,
	"dp": 2, "model": 2,
	"dp/finite": 3, "sensitivity": 3, "lipschitz": 3,
	"mechanism": 4, "audit": 4, "claims": 4, "internal/parity": 1, "bayesnet": 1, "internal/klrisk": 1, "internal/truncated": 1, "internal/ball": 1, "internal/regression": 1, "internal/boxed": 2,
	"mechanism/counts": 5, "mechanism/hellinger": 5, "mechanism/dirichlet": 5, "mechanism/gridmap": 5, "mechanism/posteriorsample": 5, "mechanism/linear": 5,
	"release": 6,
	"eval":    7, "noiseaware": 7,
	"advise": 8, "study/coverage": 8, "study/gallery": 8, "plots": 8, "gotaframe": 8, "study": 8, "study/utility": 8, "study/networks": 8, "study/divergence": 8, "study/dirichlet": 8, "study/sampling": 8, "study/regression": 8, "": 9,
	"nb": 10,
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
	for _, line := range goList(t, "-f", `{{.ImportPath}} {{join .Imports " "}}`, module+"/...") {
		fields := strings.Fields(line)
		from := strings.TrimPrefix(strings.TrimPrefix(fields[0], module), "/")
		floor, known := floors[from]
		if !known {
			t.Errorf("package %q stands on no floor", from)
		}
		for _, imp := range fields[1:] {
			if !strings.HasPrefix(imp, module) {
				continue
			}
			to := strings.TrimPrefix(strings.TrimPrefix(imp, module), "/")
			if floors[to] >= floor {
				t.Errorf("%q imports %q, which is not below it", from, to)
			}
		}
	}
}

// A notebook cell that draws nothing must not link plotting, notebooks, data frames or drivers.
func TestTheCoreIsLight(t *testing.T) {
	for _, dep := range goList(t, "-deps", module) {
		for _, heavy := range []string{"gonb", "gonum.org/v1/plot", "go-gota", "database/sql", "net/http"} {
			if strings.Contains(dep, heavy) {
				t.Errorf("the façade depends on %s", dep)
			}
		}
	}
}
