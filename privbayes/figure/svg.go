package figure

import (
	"fmt"
	"html"
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"
)

// SVG is a canvas that writes Scalable Vector Graphics: the same bytes for the same operations. It has no ground; on a
// dark page the colours of words and lines have their counterparts. Readers without the Liberation fonts get ones of
// the same widths.
type SVG struct {
	width, height float64
	title, alt    string              // what a reader of the screen says
	used          map[color.RGBA]bool // that have a counterpart
	b             strings.Builder
}

// NewSVG is an empty picture, its sides in points.
func NewSVG(width, height float64) *SVG {
	return &SVG{width: width, height: height, used: map[color.RGBA]bool{}}
}

// Bytes is the picture.
func (s *SVG) Bytes() []byte {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%[1]spt" height="%[2]spt" viewBox="0 0 %[1]s %[2]s" `+
		`role="img" font-family="'Liberation Sans',Arial,Helvetica,sans-serif" font-kerning="none">`+"\n",
		length(s.width), length(s.height))
	for _, e := range [][2]string{{"title", s.title}, {"desc", s.alt}} {
		if e[1] != "" {
			b.WriteString("<" + e[0] + ">")
			b.WriteString(html.EscapeString(printable(e[1])))
			b.WriteString("</" + e[0] + ">\n")
		}
	}
	if len(s.used) > 0 {
		b.WriteString("<style>@media(prefers-color-scheme:dark){")
		var rules []string
		for c := range s.used {
			d := dark[c]
			rules = append(rules, fmt.Sprintf(".f%s{fill:%s}.s%[1]s{stroke:%[2]s}", hex(c)[1:], hex(d)))
		}
		slices.Sort(rules)
		b.WriteString(strings.Join(rules, "") + "}</style>\n")
	}
	return []byte(b.String() + s.b.String() + "</svg>\n")
}

func hex(c color.RGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

// length is a length to a hundredth of a point, which nobody sees.
func length(x float64) string { return strconv.FormatFloat(math.Round(x*100)/100+0, 'f', -1, 64) }

// paint is the attribute what, fill or stroke, in a colour, with the class of its counterpart on a dark page.
func (s *SVG) paint(what string, c color.Color) string {
	n := color.NRGBAModel.Convert(c).(color.NRGBA)
	solid := color.RGBA{n.R, n.G, n.B, 255}
	out := fmt.Sprintf(`%s="%s"`, what, hex(solid))
	if _, ok := dark[solid]; ok {
		s.used[solid] = true
		out += fmt.Sprintf(` class="%s%s"`, what[:1], hex(solid)[1:])
	}
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
	fmt.Fprintf(&s.b, "<polygon points=\"%s\" %s/>\n", s.points(outline), s.paint("fill", c))
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
		s.paint("stroke", st.Color), length(st.Width), dashes)
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
	look := s.paint("fill", c)
	if shape.outline() {
		look = `fill="none" ` + s.paint("stroke", c) + ` stroke-width="0.5"`
	}
	if corners := shape.corners(at, radius); corners != nil {
		fmt.Fprintf(&s.b, "<polygon points=\"%s\" %s/>\n", s.points(corners), look)
		return
	}
	fmt.Fprintf(&s.b, "<circle cx=\"%s\" cy=\"%s\" r=\"%s\" %s/>\n", length(at.X), length(s.height-at.Y), length(radius),
		look)
}

// Write writes a text. It states its length, so that a reader without the font has one that is drawn as wide.
func (s *SVG) Write(t Text, at Point, text string) {
	if text = printable(text); text == "" {
		return
	}
	x, y, turn := length(at.X), length(s.height-at.Y-t.Baseline()), ""
	if t.Angle != 0 {
		x, y, turn = "0", length(-t.Baseline()),
			fmt.Sprintf(` transform="translate(%s %s) rotate(%s)"`, length(at.X), length(s.height-at.Y),
				length(-t.Angle*180/math.Pi))
	}
	fmt.Fprintf(&s.b, `<text x="%s" y="%s"%s font-size="%s" textLength="%s" lengthAdjust="spacingAndGlyphs" %s`, x, y,
		turn, length(t.Size), length(t.Width(text)), s.paint("fill", t.Color))
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
	rise := 0.0
	for _, run := range Runs(text, t.Font) {
		if run.Rise != rise {
			fmt.Fprintf(&s.b, `<tspan dy="%s" font-size="%s">`, length(rise-run.Rise), length(run.Font.Size))
		}
		s.b.WriteString(html.EscapeString(printable(run.Text)))
		if run.Rise != rise {
			s.b.WriteString("</tspan>")
			rise = run.Rise
		}
	}
	s.b.WriteString("</text>\n")
}
