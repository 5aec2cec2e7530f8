package plots

import "github.com/privbayes/privbayes-go/privbayes/figure"

// Widths are those of a text at ten points, by the table of the layout and in the font.
func Widths(text string, bold bool) (table, in float64) {
	f := figure.Font{Size: 10, Bold: bold}
	for _, run := range figure.Runs(text, f) {
		face := face(run.Font)
		for _, r := range run.Text {
			in += float64(face.Width(string(r)))
		}
	}
	return f.Width(text), in
}
