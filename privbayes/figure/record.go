package figure

import (
	"encoding/json"
	"fmt"
	"image/color"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
)

// Axis are the names of the axes of a plane, with the most points that a series of it has; 0 where x has names.
type Axis struct {
	X      string `json:"x"`
	Y      string `json:"y,omitempty"`
	Points int    `json:"points,omitempty"`
}

// Axes are those of the figure.
func (f *Figure) Axes() []Axis {
	a := Axis{X: f.XLabel, Y: f.YLabel}
	for _, s := range f.Series {
		if !s.Guide && len(f.XTicks) == 0 {
			a.Points = max(a.Points, len(s.X))
		}
	}
	return []Axis{a}
}

// Axes are those of all panels.
func (f *Facets) Axes() (out []Axis) {
	for _, p := range f.Panels {
		out = append(out, p.Axes()...)
	}
	return out
}

// Axes are those of the forest, one for each unit.
func (f *Forest) Axes() (out []Axis) {
	for _, part := range f.parts() {
		out = append(out, Axis{X: part.XLabel})
	}
	return out
}

// Record is a drawing as what stands in the picture, and no more: its words and strokes to a hundredth of a point. It
// draws itself again, so that a picture that carries it can be inspected.
type Record struct {
	Title  string  `json:"title"`
	Alt    string  `json:"alt"`
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
	Planes []Axis  `json:"axes,omitempty"`
	Calls  []call  `json:"calls"`
}

// call is one call of a canvas; the text is a text's.
type call struct {
	Kind   string      `json:"k"` // fill, stroke, mark, text
	Colour string      `json:"c"`
	Points []float64   `json:"p"`
	Size   float64     `json:"s,omitempty"` // width of a stroke, radius of a mark, size of a font
	Dashes []float64   `json:"d,omitempty"`
	Shape  int         `json:"m,omitempty"`
	Text   string      `json:"t,omitempty"`
	Bold   bool        `json:"b,omitempty"`
	Place  *[3]float64 `json:"a,omitempty"` // X, Y and Angle of a text
}

// NewRecord draws a figure into a record. Errors: those of drawing.
func NewRecord(d Drawing) (*Record, error) {
	w, h, err := d.Size()
	if err != nil {
		return nil, err
	}
	r := &Record{Width: w, Height: h}
	r.Title, r.Alt = d.Words()
	if a, ok := d.(interface{ Axes() []Axis }); ok {
		r.Planes = a.Axes()
	}
	return r, d.Draw(r)
}

// ParseRecord reads a record's JSON. Error: *dp.ParameterError for another text.
func ParseRecord(b []byte) (*Record, error) {
	r := &Record{}
	if err := json.Unmarshal(b, r); err != nil {
		return nil, domain.Refuse("figure", "record", err.Error(), "what a picture of this library carries")
	}
	return r, nil
}

// Axes are those of the figure that was drawn.
func (r *Record) Axes() []Axis { return r.Planes }

// Size is that of the picture, in inches.
func (r *Record) Size() (width, height float64, err error) { return r.Width, r.Height, nil }

// Words are the title and what the picture shows, in words.
func (r *Record) Words() (title, alt string) { return r.Title, r.Alt }

// Draw draws the picture again. Error: *FigureError for a call that no picture has.
func (r *Record) Draw(c Canvas) error {
	for _, a := range r.Calls {
		var n color.NRGBA
		if _, err := fmt.Sscanf(a.Colour, "%02x%02x%02x%02x", &n.R, &n.G, &n.B, &n.A); err != nil || len(a.Points) < 2 ||
			len(a.Points)%2 != 0 {
			return &FigureError{r.Title, a.Kind, "a colour, and places"}
		}
		points := make([]Point, len(a.Points)/2)
		for i := range points {
			points[i] = Point{a.Points[2*i], a.Points[2*i+1]}
		}
		solid := color.RGBA(n)
		switch {
		case a.Kind == "fill":
			c.Fill(n, points)
		case a.Kind == "stroke":
			c.Stroke(Stroke{Color: solid, Width: a.Size, Dashes: a.Dashes}, points)
		case a.Kind == "mark":
			c.Mark(Shape(a.Shape), points[0], a.Size, solid)
		case a.Kind == "text" && a.Place != nil:
			c.Write(Text{Font: Font{a.Size, a.Bold}, Color: solid, X: a.Place[0], Y: a.Place[1], Angle: a.Place[2]},
				points[0], a.Text)
		default:
			return &FigureError{r.Title, a.Kind, "a fill, stroke, mark or text"}
		}
	}
	return nil
}

// add records a call.
func (r *Record) add(a call, c color.Color, points []Point) {
	n := color.NRGBAModel.Convert(c).(color.NRGBA)
	if s, ok := c.(color.RGBA); ok {
		n = color.NRGBA(s) // as it is: lines and words have no transparent colours
	}
	a.Colour = fmt.Sprintf("%02x%02x%02x%02x", n.R, n.G, n.B, n.A)
	for _, p := range points {
		a.Points = append(a.Points, math.Round(100*p.X)/100, math.Round(100*p.Y)/100)
	}
	r.Calls = append(r.Calls, a)
}

// Fill records a polygon.
func (r *Record) Fill(c color.Color, outline []Point) { r.add(call{Kind: "fill"}, c, outline) }

// Stroke records a line.
func (r *Record) Stroke(s Stroke, line []Point) {
	r.add(call{Kind: "stroke", Size: s.Width, Dashes: s.Dashes}, s.Color, line)
}

// Mark records a mark.
func (r *Record) Mark(s Shape, at Point, radius float64, c color.RGBA) {
	r.add(call{Kind: "mark", Size: radius, Shape: int(s)}, c, []Point{at})
}

// Write records a text.
func (r *Record) Write(t Text, at Point, text string) {
	r.add(call{Kind: "text", Size: t.Size, Text: text, Bold: t.Bold, Place: &[3]float64{t.X, t.Y, t.Angle}}, t.Color,
		[]Point{at})
}
