package figure

import (
	"image/color"
	"strings"
	"unicode"
)

// inch is 72 points, the unit of all lengths here.
const inch = 72.0

// Point is a place.
type Point struct{ X, Y float64 }

// Stroke is how a line is drawn.
type Stroke struct {
	Color  color.RGBA
	Width  float64
	Dashes []float64
}

// Font is a size of the sans-serif font, regular or bold.
type Font struct {
	Size float64
	Bold bool
}

// Text is how words are written: in a font and a colour, placed by their box and turned.
type Text struct {
	Font
	Color color.RGBA
	// where the place is in the box of the words: 0 at its left or bottom, −½ in its middle, −1 at its right or top
	X, Y  float64
	Angle float64 // radians, counterclockwise
}

// Shape is a mark: the first three are filled, the others outlines.
type Shape int

// The shapes of marks.
const (
	disc Shape = iota
	box
	pyramid
	ring
	square
	triangle
)

// outline is whether a mark is not filled.
func (s Shape) outline() bool { return s >= ring }

// Canvas is a sheet to draw on. Text is of one line.
type Canvas interface {
	Width(text string, f Font) float64
	Fill(c color.Color, outline []Point)
	Stroke(s Stroke, line []Point)
	Mark(s Shape, at Point, radius float64, c color.RGBA)
	Write(t Text, at Point, text string)
}

// The extents of the font, Liberation Sans, over its size.
const (
	ascent  = 1854.0 / 2048
	descent = 434.0 / 2048
)

// height is the height of a line of text.
func (f Font) height() float64 { return ascent*f.Size + descent*f.Size }

// baseline is how far the baseline of a text is above its place.
func (t Text) baseline() float64 { return t.height()*t.Y - ascent*t.Size + t.Size }

// printable drops what a picture cannot show and XML must not hold.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == unicode.ReplacementChar || r == 0xfffe || r == 0xffff {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, " "))
}

// fitted cuts a text to a width.
func fitted(c Canvas, s string, f Font, width float64) string {
	if c.Width(s, f) <= width {
		return s
	}
	runes := []rune(s)
	lo, hi := 0, len(runes) // the longest start that fits with an ellipsis, by bisection
	for lo < hi {
		if mid := (lo + hi + 1) / 2; c.Width(string(runes[:mid])+"…", f) <= width {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	return string(runes[:lo]) + "…"
}

// wrapped breaks a text into lines that fit the width, at most limit of them; what does not fit ends in an ellipsis.
func wrapped(c Canvas, s string, f Font, width float64, limit int) []string {
	var lines []string
	line := ""
	for _, w := range strings.Fields(printable(s)) {
		switch longer := strings.TrimSpace(line + " " + w); {
		case c.Width(longer, f) <= width:
			line = longer
		case line == "":
			line = fitted(c, w, f, width)
		default:
			lines = append(lines, line)
			line = fitted(c, w, f, width)
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	if len(lines) > limit {
		lines = append(lines[:limit-1:limit-1], fitted(c, lines[limit-1]+" …", f, width))
	}
	return lines
}
