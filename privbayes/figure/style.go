package figure

import (
	"image/color"
)

// Sizes of the layout, in points.
const (
	margin     = 9
	titleSize  = 11.5
	labelSize  = 10
	tickSize   = 9
	legendSize = 9
	footSize   = 8
	leading    = 1.25 // line height over font size
	tickLength = 3.5
	hairline   = 0.5 // width of axes and ticks
	padding    = 4   // between an axis and its name
)

// The colour-blind-safe palette of Okabe and Ito (2008), without yellow, which is too light for lines.
var palette = []color.RGBA{
	{0, 114, 178, 255}, {213, 94, 0, 255}, {0, 158, 115, 255}, {204, 121, 167, 255}, {86, 180, 233, 255},
	{230, 159, 0, 255}, {0, 0, 0, 255},
}

// Shapes tell series apart where colours cannot, as in print.
var shapes = []Shape{Circle, Box, Pyramid, Ring, Square, Triangle}

var (
	ink     = color.RGBA{40, 40, 40, 255}
	grey    = color.RGBA{105, 105, 105, 255}
	light   = color.RGBA{228, 228, 228, 255}
	stamp   = color.RGBA{170, 30, 30, 255}
	backing = color.NRGBA{255, 255, 255, 205} // behind words inside the plot
)

// tint is the light form of a colour for bands.
func tint(c color.RGBA) color.Color { return color.NRGBA{c.R, c.G, c.B, 45} }

// look is how a series is drawn.
type look struct {
	colour color.RGBA
	line   Stroke
	shape  Shape
	radius float64
}

// looks gives each series its own colour and shape, in order; guides are grey and take none.
func looks(f *Figure) []look {
	out, k := make([]look, len(f.Series)), 0
	for i, s := range f.Series {
		if s.Guide {
			out[i] = look{grey, Stroke{Color: grey, Width: 1, Dashes: []float64{3, 3}}, Circle, 2.5}
			continue
		}
		c := palette[k%len(palette)]
		l := look{c, Stroke{Color: c, Width: 1.8}, shapes[k%len(shapes)], 2.7}
		if s.Dashed {
			l.line.Dashes = []float64{5, 3}
		}
		if s.Kind == Points {
			l.radius = 3.2
		}
		out[i] = l
		k++
	}
	return out
}

// words is text at the left end and the bottom of its place.
func words(size float64, c color.RGBA) Text {
	return Text{Font: Font{Size: size}, Color: c}
}
