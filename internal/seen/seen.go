// Package seen finds faults in drawn figures as a reader would: words over words, over lines or cut, pale words, too
// many colours, single points, names of axes that name no quantity. Tests use it.
package seen

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"image/color"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/figure"
)

// box is where a text stands, upright or turned by a quarter.
type box struct {
	minX, minY, maxX, maxY float64
	text                   string
	size                   float64
}

// sheet is a canvas that keeps what is drawn.
type sheet struct {
	words  []box
	faults []string
	fills  []fill
	lines  []line
	hues   map[color.RGBA]bool
}

type fill struct {
	outline []figure.Point
	colour  color.RGBA
}

type line struct{ a, b figure.Point }

func (s *sheet) fault(format string, args ...any) {
	s.faults = append(s.faults, fmt.Sprintf(format, args...))
}

// plain is whether a colour is one of ink, grids and grounds: those with equal channels.
func plain(c color.RGBA) bool { return c.R == c.G && c.G == c.B }

func (s *sheet) Fill(c color.Color, outline []figure.Point) {
	n := color.NRGBAModel.Convert(c).(color.NRGBA)
	if n.A == 255 {
		s.fills = append(s.fills, fill{outline, color.RGBA{n.R, n.G, n.B, 255}})
	}
}

func (s *sheet) Stroke(st figure.Stroke, points []figure.Point) {
	if !plain(st.Color) {
		s.hues[st.Color] = true
	}
	if st.Color.R > 200 && plain(st.Color) || st.Width <= .5 {
		return // grids, and hairlines to names
	}
	for i := 1; i < len(points); i++ {
		s.lines = append(s.lines, line{points[i-1], points[i]})
	}
}

func (s *sheet) Mark(_ figure.Shape, at figure.Point, _ float64, c color.RGBA) {
	if !plain(c) {
		s.hues[c] = true
	}
	s.lines = append(s.lines, line{at, at})
}

// place is where a text stands.
func place(t figure.Text, at figure.Point, text string) box {
	w, base := t.Width(text), t.Baseline()
	x0, x1, y0, y1 := t.X*w, t.X*w+w, base-.2*t.Size, base+.72*t.Size
	out := box{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1), text, t.Size}
	sin, cos := math.Sincos(t.Angle)
	for _, q := range [][2]float64{{x0, y0}, {x0, y1}, {x1, y0}, {x1, y1}} {
		x, y := at.X+q[0]*cos-q[1]*sin, at.Y+q[0]*sin+q[1]*cos
		out.minX, out.maxX = math.Min(out.minX, x), math.Max(out.maxX, x)
		out.minY, out.maxY = math.Min(out.minY, y), math.Max(out.maxY, y)
	}
	return out
}

func (s *sheet) Write(t figure.Text, at figure.Point, text string) {
	b := place(t, at, text)
	s.words = append(s.words, b)
	if strings.HasSuffix(text, "…") { // one in the middle is of the words
		s.fault("cut: %q", text)
	}
	if !plain(t.Color) && t.Color.A == 255 {
		s.hues[t.Color] = true
	}
	ground, page := color.RGBA{255, 255, 255, 255}, true
	for _, f := range s.fills {
		if holds(f.outline, (b.minX+b.maxX)/2, (b.minY+b.maxY)/2) {
			ground, page = f.colour, false
		}
	}
	modes := [][2]color.RGBA{{t.Color, ground}}
	if d, ok := figure.Dark(t.Color); ok && page {
		modes = append(modes, [2]color.RGBA{d, {20, 24, 31, 255}})
	} else if ok {
		g, same := figure.Dark(ground)
		if !same {
			g = ground
		}
		modes = append(modes, [2]color.RGBA{d, g})
	}
	for _, m := range modes {
		if c := Contrast(m[0], m[1]); c < 4.5 {
			s.fault("contrast %.1f of %v on %v: %q", c, m[0], m[1], text)
		}
	}
}

// holds is whether the box around an outline holds a place.
func holds(outline []figure.Point, x, y float64) bool {
	b := box{minX: math.Inf(1), minY: math.Inf(1), maxX: math.Inf(-1), maxY: math.Inf(-1)}
	for _, p := range outline {
		b.minX, b.maxX = math.Min(b.minX, p.X), math.Max(b.maxX, p.X)
		b.minY, b.maxY = math.Min(b.minY, p.Y), math.Max(b.maxY, p.Y)
	}
	return x > b.minX && x < b.maxX && y > b.minY && y < b.maxY
}

// Contrast is that of two colours by WCAG 2.1, from 1 to 21.
func Contrast(a, b color.RGBA) float64 {
	light := func(c color.RGBA) float64 {
		part := func(v uint8) float64 {
			if x := float64(v) / 255; x > .04045 {
				return math.Pow((x+.055)/1.055, 2.4)
			}
			return float64(v) / 255 / 12.92
		}
		return .2126*part(c.R) + .7152*part(c.G) + .0722*part(c.B)
	}
	x, y := light(a), light(b)
	return (math.Max(x, y) + .05) / (math.Min(x, y) + .05)
}

// crosses is whether a line goes through a box.
func (b box) crosses(l line) bool {
	lo, hi := 0.0, 1.0
	for _, d := range [2][3]float64{{l.b.X - l.a.X, b.minX - l.a.X, b.maxX - l.a.X},
		{l.b.Y - l.a.Y, b.minY - l.a.Y, b.maxY - l.a.Y}} {
		if d[0] == 0 {
			if d[1] > 0 || d[2] < 0 {
				return false
			}
			continue
		}
		u, v := d[1]/d[0], d[2]/d[0]
		lo, hi = math.Max(lo, math.Min(u, v)), math.Min(hi, math.Max(u, v))
	}
	return lo < hi || l.a == l.b
}

// tooLong is whether a text has numbers of more than four digits that four would tell apart: the ends of its interval
// by ten units of the fourth, or a tick from the next one.
func (s *sheet) tooLong(text string) bool {
	digits, least, most := 0, math.Inf(1), math.Inf(-1)
	numbers := long.FindAllString(text, -1)
	for _, n := range numbers {
		v, _ := strconv.ParseFloat(n, 64) // the expression's numbers are Go's
		digits, least, most = max(digits, len(strings.Trim(strings.Replace(n, ".", "", 1), "0"))), min(least, v), max(most, v)
	}
	if digits <= 4 {
		return false
	}
	unit := math.Pow(10, math.Floor(math.Log10(most))-3)
	for _, o := range s.words {
		if v, err := strconv.ParseFloat(o.text, 64); err == nil && len(numbers) == 1 && v != most && math.Abs(v-most) < unit {
			return false
		}
	}
	return len(numbers) == 1 || most-least >= 10*unit
}

// The most characters of a title, colours, and points of width; the least size of words in a column of 620 pixels.
const (
	mostTitle   = 62
	mostColours = 6
	mostWidth   = 570.0
	leastWords  = 9.0
)

var (
	exponent = regexp.MustCompile(`\d[eE][+-]?\d`)
	long     = regexp.MustCompile(`\d*\.\d+`)
)

// Faults are those of a drawing; none for a good one. A drawing that cannot be drawn has that fault.
func Faults(d figure.Drawing) []string {
	w, h, err := d.Size()
	s := &sheet{hues: map[color.RGBA]bool{}}
	if err == nil {
		err = d.Draw(s)
	}
	if err != nil {
		return []string{err.Error()}
	}
	w, h = w*72, h*72
	if w > mostWidth {
		s.fault("%.0f points wide", w)
	}
	for i, b := range s.words {
		if b.minX < 0 || b.minY < 0 || b.maxX > w || b.maxY > h {
			s.fault("beyond the sheet: %q", b.text)
		}
		if px := b.size * 620 / w; px < leastWords && !strings.ContainsAny(b.text, "⁻") {
			s.fault("%.1f pixels high in a column: %q", px, b.text)
		}
		if b.size > 9 && exponent.MatchString(b.text) {
			s.fault("an exponent: %q", b.text)
		}
		if b.size > 9 && s.tooLong(b.text) {
			s.fault("more than four digits: %q", b.text)
		}
		for _, o := range s.words[:i] {
			if math.Min(b.maxX, o.maxX)-math.Max(b.minX, o.minX) > .2 && math.Min(b.maxY, o.maxY)-math.Max(b.minY, o.minY) > .2 {
				s.fault("%q over %q", b.text, o.text)
			}
		}
		for _, l := range s.lines {
			if (box{b.minX + .5, b.minY + .5, b.maxX - .5, b.maxY - .5, "", 0}).crosses(l) {
				s.fault("a line through %q", b.text)
				break
			}
		}
	}
	if n := len(s.hues); n > mostColours {
		s.fault("%d colours", n)
	}
	title, alt := d.Words()
	if n := utf8.RuneCountInString(title); n > mostTitle || n == 0 {
		s.fault("a title of %d characters: %q", n, title)
	}
	if n := utf8.RuneCountInString(alt); n < 40 || n > 250 {
		s.fault("%d characters instead of the picture: %q", n, alt)
	}
	if plot, ok := d.(interface{ Axes() []figure.Axis }); ok {
		for _, a := range plot.Axes() {
			if a.Points == 1 {
				s.fault("a single point")
			}
			for _, name := range []string{a.X, a.Y} {
				if name == "value" || name == "parameter" {
					s.fault("an axis of mixed units: %q", name)
				}
			}
		}
	}
	return s.faults
}

const mostRecord = 16 << 20 // bytes

// Recorded is the record that a PNG of package plots carries: what stands in the picture, which can be drawn and
// inspected again. Error: *dp.ParameterError for a file without one.
func Recorded(png []byte) (*figure.Record, error) {
	_, packed, _ := bytes.Cut(png, []byte("iTXtprivbayes\x00\x01\x00\x00\x00"))
	var text []byte
	z, err := zlib.NewReader(bytes.NewReader(packed))
	if err == nil {
		text, err = io.ReadAll(io.LimitReader(z, mostRecord))
	}
	if err != nil {
		return nil, domain.Refuse("seen", "picture", err.Error(), "a PNG that plots.PNG made, with its record")
	}
	return figure.ParseRecord(text)
}
