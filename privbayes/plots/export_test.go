package plots

import (
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"

	"github.com/privbayes/privbayes-go/internal/canvas"
)

// Widths are those of a text at ten points, by the table of vector pictures and in the font.
func Widths(text string, bold bool) (table, font float64) {
	f := canvas.Font{Size: 10, Bold: bold}
	return canvas.NewSVG(100, 100).Width(text, f), pixels{draw.New(vgimg.New(100, 100))}.Width(text, f)
}
