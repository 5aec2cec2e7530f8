package notebooks_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/seen"
	"github.com/privbayes/privbayes-go/privbayes/plots"
	"github.com/privbayes/privbayes-go/tools/nbtool/internal/nbtool"
)

// owed are faults that are known of notebooks that were executed before they were mended, or before pictures carried
// what was drawn: who executes one takes it from the list.
var owed = map[string]int{"01_hellinger.ipynb": 6, "02_proofs.ipynb": 2, "04_dirichlet.ipynb": 1,
	"05_posterior_sampling.ipynb": 4, "06_map_and_sampler.ipynb": 1, "07_linear_regression.ipynb": 6,
	"09_caught_bugs.ipynb": 1, "10_noise_aware.ipynb": 1, "12_big_data.ipynb": 2, "14_whole_networks.ipynb": 3,
	"15_learned.ipynb": 11}

// Every picture in the outputs of a notebook can be read, as the figures of the library can: no word over another or
// over a line, nothing cut or pale, at most six colours, one unit an axis, no single point. It carries what was drawn.
func TestPicturesOfNotebooksCanBeRead(t *testing.T) {
	pictures := 0
	for _, file := range list(t, "[0-9]*.ipynb") {
		n, err := nbtool.Read(file)
		if err != nil {
			t.Fatal(err)
		}
		var faults []string
		fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
		for i, c := range n.Cells {
			for _, o := range c.Outputs {
				text, ok := o.Data["image/png"]
				if !ok {
					continue
				}
				pictures++
				png, err := base64.StdEncoding.DecodeString(strings.TrimSpace(string(text)))
				if err != nil {
					fault("cell %d: %v", i, err)
					continue
				}
				r, err := plots.Recorded(png)
				if err != nil {
					fault("cell %d: %v: execute the notebook again", i, err)
					continue
				}
				for _, what := range seen.Faults(r) {
					fault("cell %d, %s: %s", i, r.Title, what)
				}
			}
		}
		if len(faults) != owed[file] {
			t.Errorf("%s: %d faults, %d are owed\n%s", file, len(faults), owed[file], strings.Join(faults, "\n"))
		}
	}
	if pictures < 50 {
		t.Errorf("%d pictures: the test finds them no more", pictures)
	}
}
