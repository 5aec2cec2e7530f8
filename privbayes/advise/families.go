package advise

import (
	"fmt"

	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/catalog"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Family is one row of a comparison: a mechanism, and the choices of which the best is taken at every target.
type Family struct {
	Title   string
	Choices []mechanism.Choice
	Model   model.Model // of a comparison of models, which are then the rows; nil: that of the shape

	short string       // in a figure
	shape *model.Shape // that it is planned for
}

// Families lists every mechanism of the library with the choices that are tried on a shape. Of a learned structure it
// lists models in place of mechanisms: the one asked about, MaxEntropy, Tree and every column by itself.
func Families(sh *model.Shape) (out []Family) {
	if sh.Learning() != nil {
		out, _ = models(sh, nil, false)
		return out
	}
	for _, d := range catalog.All() {
		if d.Choices == nil {
			continue
		}
		if list := d.Choices(sh); len(list) > 0 {
			out = append(out, Family{Title: d.Title, Choices: list, short: d.Short})
		}
	}
	return out
}

// alone makes a family of every mechanism.
func alone(list []mechanism.Mechanism) []Family {
	var out []Family
	seen, kinds := map[string]int{}, map[string]int{}
	for _, m := range list {
		kinds[m.Name()]++
	}
	for _, m := range list {
		title := m.Title()
		if seen[title]++; seen[title] > 1 {
			title = fmt.Sprintf("%s (%d)", title, seen[title])
		}
		short := title
		if kinds[m.Name()] == 1 { // told apart by the name of the kind
			short = shortOf(m.Name(), title)
		}
		out = append(out, Family{Title: title, Choices: []mechanism.Choice{{Name: "as given", Mechanism: m}}, short: short})
	}
	return out
}

// shortOf is the name in a figure of a kind of mechanism, or the title of one that is not of the library.
func shortOf(kind, title string) string {
	for _, d := range catalog.All() {
		if d.Kind == kind && d.Short != "" {
			return d.Short
		}
	}
	return title
}
