package notebooks_test

import (
	"bytes"
	"encoding/base64"
	"os"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/tools/nbtool/internal/nbtool"
)

const readmePicture = "../docs/tour_accuracy.png"

// TestReadmeShowsTheTour: the README's picture and the headlines below it are those of the committed tour, and its
// first headline is what the picture says. -update writes the picture.
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
		t.Errorf("%s is not the tour's: %v; run go test ./tools/nbtool/notebooks -run Readme -update", readmePicture, err)
	}
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, below, _ := strings.Cut(string(readme), "](docs/tour_accuracy.png)\n")
	block := fenced(below, "text")
	heads := n.Headlines()
	if len(heads) < 2 || block != strings.Join(heads, "\n")+"\n" {
		t.Errorf("the README says\n%s\nthe tour\n%s", block, strings.Join(heads, "\n"))
	}
	sentence := "stays within 0.02 of the"
	if !strings.Contains(below[:strings.Index(below, "```")], "From ε = 1 on") || !strings.HasSuffix(heads[0], " = 1") ||
		!strings.Contains(heads[0], sentence) || !strings.Contains(below, sentence) {
		t.Errorf("the sentence below the picture is not the first headline, %q", heads[0])
	}
}

// fenced is the text of a page's first block of a language.
func fenced(page, lang string) string {
	_, text, _ := strings.Cut(page, "```"+lang+"\n")
	text, _, _ = strings.Cut(text, "```")
	return text
}

// TestReadmeBegins: the README's first program is the package's Example, whose output is what the README says that it
// answers, and has at most ten lines.
func TestReadmeBegins(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("../privbayes/chain_test.go")
	if err != nil {
		t.Fatal(err)
	}
	code := fenced(string(readme), "go")
	_, after, _ := strings.Cut(string(readme), code)
	var example strings.Builder
	example.WriteString("func Example() {\n")
	for line := range strings.Lines(code) {
		example.WriteString("\t" + line)
	}
	example.WriteString("\t// Output:\n")
	for line := range strings.Lines(fenced(after, "text")) {
		example.WriteString("\t// " + line)
	}
	example.WriteString("}\n")
	if k := strings.Count(code, "\n"); k == 0 || k > 10 || !strings.Contains(string(source), example.String()) {
		t.Errorf("no Example in privbayes/chain_test.go is the README's first program, of %d lines:\n%s", k, &example)
	}
}
