package notebooks_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/seen"
	"github.com/privbayes/privbayes-go/privbayes/plots"
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
		for i, c := range n.Cells {
			for _, o := range c.Outputs {
				text, ok := o.Data["image/png"]
				if !ok {
					continue
				}
				pictures++
				png, err := base64.StdEncoding.DecodeString(strings.TrimSpace(string(text)))
				if err != nil {
					t.Errorf("%s, cell %d: %v", file, i, err)
					continue
				}
				r, err := plots.Recorded(png)
				if err != nil {
					t.Errorf("%s, cell %d: %v: execute the notebook again", file, i, err)
					continue
				}
				for _, fault := range seen.Faults(r) {
					t.Errorf("%s, cell %d, %s: %s", file, i, r.Title, fault)
				}
			}
		}
	}
	if pictures < 50 {
		t.Errorf("%d pictures: the test finds them no more", pictures)
	}
}
