package figure

import "image/color"

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
	Fill(c color.Color, outline []Point)
	Stroke(s Stroke, line []Point)
	Mark(s Shape, at Point, radius float64, c color.RGBA)
	Write(t Text, at Point, text string)
}

// rect is a part of the sheet.
type rect struct{ minX, minY, maxX, maxY float64 }

func (r rect) centreX() float64 { return (r.minX + r.maxX) / 2 }

func (r rect) centreY() float64 { return (r.minY + r.maxY) / 2 }

// meets is whether two rectangles come nearer to each other than a gap.
func (r rect) meets(o rect, gap float64) bool {
	return r.minX < o.maxX+gap && o.minX < r.maxX+gap && r.minY < o.maxY+gap && o.minY < r.maxY+gap
}

// within is whether a rectangle lies in another.
func (r rect) within(o rect) bool {
	return r.minX >= o.minX && r.maxX <= o.maxX && r.minY >= o.minY && r.maxY <= o.maxY
}

// fill fills a rectangle.
func fill(c Canvas, of color.Color, r rect) {
	c.Fill(of, []Point{{X: r.minX, Y: r.minY}, {X: r.maxX, Y: r.minY}, {X: r.maxX, Y: r.maxY}, {X: r.minX, Y: r.maxY}})
}

// words is text at the left end and the bottom of its place.
func words(size float64, c color.RGBA) Text {
	return Text{Font: Font{Size: size}, Color: c}
}

// Sizes of the layout, in points.
const (
	margin     = 10
	titleSize  = 12.5
	noteSize   = 9.5 // of subtitles
	labelSize  = 10
	tickSize   = 9.5
	legendSize = 9.5
	footSize   = 8.5
	leading    = 1.25 // line height over font size
	tickLength = 3.5
	hairline   = 0.5
	padding    = 4
	bandHeight = 16.5 // of the band on private pictures
)

// private is what the band says.
const private = "PRIVATE – for the data holder only. Shows values computed from the raw records."

// frame are the words around a picture, which every kind has: above it the band of private ones, the title and what is
// drawn, below it the caption.
type frame struct {
	title, subtitle, caption string
	private                  bool
}

// The most lines of each.
const mostTitle, mostSubtitle, mostCaption = 3, 4, 8

// lines are those of title, subtitle and caption on a sheet of a width, and the room they take above and below.
func (f frame) lines(width float64) (title, subtitle, caption []string, top, bottom float64) {
	room := width - 2*margin
	title = wrapped(f.title, Font{titleSize, true}, room, mostTitle)
	subtitle = wrapped(f.subtitle, Font{Size: noteSize}, room, mostSubtitle)
	caption = wrapped(f.caption, Font{Size: footSize}, room, mostCaption)
	top = margin + float64(len(title))*titleSize*leading + float64(len(subtitle))*noteSize*leading + padding
	if f.private {
		top += bandHeight
	}
	bottom = margin*.8 + float64(len(caption))*footSize*leading
	if len(caption) > 0 {
		bottom += padding
	}
	return title, subtitle, caption, top, bottom
}

// draw writes them and returns the room that is left between them.
func (f frame) draw(c Canvas, width, height float64) (low, high float64) {
	title, subtitle, caption, top, bottom := f.lines(width)
	y := height
	if f.private {
		y -= bandHeight
		fill(c, stamp, rect{0, y, width, height})
		style := words(tickSize, onStamp)
		style.Bold, style.Y = true, -.5
		for _, words := range []string{private, "PRIVATE – for the data holder only.", "PRIVATE"} {
			if style.Width(words) <= width-2*margin {
				c.Write(style, Point{margin, y + bandHeight/2}, words)
				break
			}
		}
	}
	y -= margin
	style := words(titleSize, ink)
	style.Bold = true
	for _, l := range title {
		y -= titleSize * leading
		c.Write(style, Point{margin, y + 3}, l)
	}
	for _, l := range subtitle {
		y -= noteSize * leading
		c.Write(words(noteSize, grey), Point{margin, y + 1}, l)
	}
	for i, l := range caption {
		up := float64(len(caption)-1-i) * footSize * leading
		c.Write(words(footSize, grey), Point{margin, margin*.8 + up}, l)
	}
	return bottom, height - top
}
