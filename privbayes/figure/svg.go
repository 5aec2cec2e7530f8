package figure

import (
	"encoding/xml"
	"fmt"
	"image/color"
	"math"
	"strconv"
	"strings"
)

// SVG is a canvas that writes Scalable Vector Graphics: the same bytes for the same operations. Readers without the
// Liberation fonts get ones of the same widths.
type SVG struct {
	height float64
	b      strings.Builder
}

// NewSVG is an empty white picture, its sides in points.
func NewSVG(width, height float64) *SVG {
	s := &SVG{height: height}
	fmt.Fprintf(
		&s.b,
		`<svg xmlns="http://www.w3.org/2000/svg" width="%[1]spt" height="%[2]spt" viewBox="0 0 %[1]s %[2]s" `+
			`font-family="'Liberation Sans',Arial,Helvetica,sans-serif">`+"\n"+`<rect width="100%%" height="100%%" fill="#fff"/>`+"\n",
		length(width),
		length(height),
	)
	return s
}

// Bytes is the picture.
func (s *SVG) Bytes() []byte { return []byte(s.b.String() + "</svg>\n") }

// length is a length to a hundredth of a point, which nobody sees.
func length(x float64) string { return strconv.FormatFloat(math.Round(x*100)/100+0, 'f', -1, 64) }

// paint is the attribute what, such as fill, in a colour.
func paint(what string, c color.Color) string {
	n := color.NRGBAModel.Convert(c).(color.NRGBA)
	out := fmt.Sprintf(`%s="#%02x%02x%02x"`, what, n.R, n.G, n.B)
	if n.A < 255 {
		out += fmt.Sprintf(` %s-opacity="%.2f"`, what, float64(n.A)/255)
	}
	return out
}

// points lists places as polygons and lines have them: in points, from the upper left corner.
func (s *SVG) points(list []Point) string {
	var b strings.Builder
	for i, p := range list {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(length(p.X) + "," + length(s.height-p.Y))
	}
	return b.String()
}

// Fill fills a polygon.
func (s *SVG) Fill(c color.Color, outline []Point) {
	fmt.Fprintf(&s.b, "<polygon points=\"%s\" %s/>\n", s.points(outline), paint("fill", c))
}

// Stroke draws a line through points.
func (s *SVG) Stroke(st Stroke, line []Point) {
	dashes := ""
	if len(st.Dashes) > 0 {
		var list []string
		for _, d := range st.Dashes {
			list = append(list, length(d))
		}
		dashes = ` stroke-dasharray="` + strings.Join(list, " ") + `"`
	}
	fmt.Fprintf(&s.b, "<polyline points=\"%s\" fill=\"none\" %s stroke-width=\"%s\"%s/>\n", s.points(line),
		paint("stroke", st.Color), length(st.Width), dashes)
}

// corners are those of a mark that has some, around its place; none of a circle.
func (s Shape) corners(at Point, radius float64) []Point {
	switch s {
	case box, square:
		x := radius * (1 + math.Sqrt2/2) / 2
		return []Point{{at.X - x, at.Y - x}, {at.X + x, at.Y - x}, {at.X + x, at.Y + x}, {at.X - x, at.Y + x}}
	case pyramid, triangle:
		r := radius * 1.25
		x, y := r*math.Sqrt(3)/2, r/2
		return []Point{{at.X, at.Y + r}, {at.X - x, at.Y - y}, {at.X + x, at.Y - y}}
	}
	return nil
}

// Mark draws a mark.
func (s *SVG) Mark(shape Shape, at Point, radius float64, c color.RGBA) {
	look := paint("fill", c)
	if shape.outline() {
		look = `fill="none" ` + paint("stroke", c) + ` stroke-width="0.5"`
	}
	if corners := shape.corners(at, radius); corners != nil {
		fmt.Fprintf(&s.b, "<polygon points=\"%s\" %s/>\n", s.points(corners), look)
		return
	}
	fmt.Fprintf(&s.b, "<circle cx=\"%s\" cy=\"%s\" r=\"%s\" %s/>\n", length(at.X), length(s.height-at.Y), length(radius),
		look)
}

// Write writes a text.
func (s *SVG) Write(t Text, at Point, text string) {
	if text == "" {
		return
	}
	x, y, turn := length(at.X), length(s.height-at.Y-t.baseline()), ""
	if t.Angle != 0 {
		x, y, turn = "0", length(-t.baseline()),
			fmt.Sprintf(` transform="translate(%s %s) rotate(%s)"`, length(at.X), length(s.height-at.Y),
				length(-t.Angle*180/math.Pi))
	}
	fmt.Fprintf(&s.b, `<text x="%s" y="%s"%s font-size="%s" %s`, x, y, turn, length(t.Size), paint("fill", t.Color))
	if t.Bold {
		s.b.WriteString(` font-weight="bold"`)
	}
	switch t.X {
	case -0.5:
		s.b.WriteString(` text-anchor="middle"`)
	case -1:
		s.b.WriteString(` text-anchor="end"`)
	}
	s.b.WriteByte('>')
	_ = xml.EscapeText(&s.b, []byte(printable(text))) // a strings.Builder does not fail
	s.b.WriteString("</text>\n")
}

// advance is the width of the characters from the blank to the tilde in Liberation Sans, which has those of Arial and
// Helvetica, in units of 1/2048 of the size.
var advance = [...]int{
	569, 569, 727, 1139, 1139, 1821, 1366, 391, 682, 682, 797, 1196, 569, 682, 569, 569, 1139, 1139, 1139, 1139, 1139,
	1139, 1139, 1139,
	1139, 1139, 569, 569, 1196, 1196, 1196, 1139, 2079, 1366, 1366, 1479, 1479, 1366, 1251, 1593, 1479, 569, 1024,
	1366, 1139, 1706, 1479,
	1593, 1366, 1593, 1479, 1366, 1251, 1479, 1366, 1933, 1366, 1366, 1251, 569, 569, 569, 961, 1139, 682, 1139, 1139,
	1024, 1139, 1139,
	569, 1139, 1139, 455, 455, 1024, 455, 1706, 1139, 1139, 1139, 1139, 682, 1024, 569, 1139, 1024, 1479, 1024, 1024,
	1024, 684, 532, 684, 1196,
}

// Width is that of a text, by the widths of its characters: those beyond ASCII count as a figure, wide ones and the
// ellipsis as the size, and bold ones as a twelfth more.
func (s *SVG) Width(text string, f Font) float64 {
	w := 0
	for _, r := range text {
		switch {
		case r >= ' ' && r <= '~':
			w += advance[r-' ']
		case r == '…' || r >= 0x2e80:
			w += 2048
		default:
			w += 1139
		}
	}
	out := float64(w) / 2048 * f.Size
	if f.Bold {
		out *= 13.0 / 12
	}
	return out
}
