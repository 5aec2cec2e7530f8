package plots

import (
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"

	"github.com/privbayes/privbayes-go/privbayes/figure"
)

// Widths are those of a text at ten points, by the table of vector pictures and in the font.
func Widths(text string, bold bool) (table, font float64) {
	f := figure.Font{Size: 10, Bold: bold}
	return figure.NewSVG(100, 100).Width(text, f), pixels{draw.New(vgimg.New(100, 100))}.Width(text, f)
}
