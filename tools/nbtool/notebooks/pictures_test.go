package notebooks_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/seen"
	"github.com/privbayes/privbayes-go/tools/nbtool/internal/nbtool"
)

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
				r, err := seen.Recorded(png)
				if err != nil {
					fault("cell %d: %v: execute the notebook again", i, err)
					continue
				}
				for _, what := range seen.Faults(r) {
					fault("cell %d, %s: %s", i, r.Title, what)
				}
			}
		}
		if len(faults) > 0 {
			t.Errorf("%s:\n%s", file, strings.Join(faults, "\n"))
		}
	}
	if pictures < 50 {
		t.Errorf("%d pictures: the test finds them no more", pictures)
	}
}
