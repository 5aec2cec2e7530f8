package notebooks_test

import (
	"bytes"
	"encoding/base64"
	"os"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/nbtool"
)

const readmePicture = "../docs/tour_accuracy.png"

// TestReadmeShowsTheTour: the README's picture and its four headline numbers are those of the committed tour. -update
// writes the picture.
func TestReadmeShowsTheTour(t *testing.T) {
	n, err := nbtool.Read("00_tour.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	var want []byte
	for _, c := range n.Cells {
		if !strings.Contains(string(c.Source), ".Compare(") {
			continue
		}
		for _, o := range c.Outputs {
			if p := o.Data["image/png"]; p != "" {
				if want, err = base64.StdEncoding.DecodeString(strings.TrimSpace(string(p))); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if len(want) == 0 {
		t.Fatal("the tour has no comparison figure")
	}
	if *update {
		if err := os.WriteFile(readmePicture, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if have, err := os.ReadFile(readmePicture); err != nil || !bytes.Equal(have, want) {
		t.Errorf("%s is not the tour's: %v; run go test ./notebooks -run Readme -update", readmePicture, err)
	}
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	heads := n.Headlines()
	if len(heads) != 4 {
		t.Errorf("%d headlines", len(heads))
	}
	for _, h := range heads {
		if !strings.Contains(string(readme), h) {
			t.Errorf("the README does not say %q", h)
		}
	}
}
