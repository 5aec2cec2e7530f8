// Package plots draws the figures that package eval describes: PNG for notebooks, SVG for files.
//
// The same figure gives the same bytes on every run. Importing the package also teaches reports to embed pictures.
//
// Place: above eval. Only notebooks and programs that draw import it, so that the others need no plotting.
package plots

import (
	"bytes"
	"fmt"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/privbayes/privbayes-go/privbayes/eval"
	"github.com/privbayes/privbayes-go/privbayes/figure"
)

func init() { eval.RegisterRenderer(func(f *figure.Figure) ([]byte, error) { return SVG(f) }) }

// Default and extreme sizes of a picture, in inches.
const (
	defaultWidth, defaultHeight = 6.2, 3.9
	minWidth, minHeight         = 2.5, 1.8
	maxSide                     = 40
)

// Option changes how a figure is drawn.
type Option func(*options)

type options struct{ w, h float64 }

// Size sets width and height in inches, from 2.5 × 1.8 to 40 × 40; without it a picture has 6.2 × 3.9.
func Size(width, height float64) Option { return func(o *options) { o.w, o.h = width, height } }

// SizeError is a size, in inches, that a figure cannot have.
type SizeError struct {
	Width, Height float64
	Want          string
}

func (e *SizeError) Error() string {
	return fmt.Sprintf("plots: size %v × %v inches: want %s", e.Width, e.Height, e.Want)
}

func resolve(opts []Option) (options, error) {
	o := options{defaultWidth, defaultHeight}
	for _, set := range opts {
		if set != nil {
			set(&o)
		}
	}
	if !(o.w >= minWidth && o.w <= maxSide && o.h >= minHeight && o.h <= maxSide) { // also NaN
		return o, &SizeError{o.w, o.h, fmt.Sprintf("from %v × %v to %d × %d", minWidth, minHeight, maxSide, maxSide)}
	}
	return o, nil
}

// Drawing is a figure that can be shown: PNG in a notebook, its table twin as text.
type Drawing struct {
	Figure *figure.Figure
	opts   []Option
}

// Draw wraps a figure with the options to draw it with.
func Draw(f *figure.Figure, opts ...Option) *Drawing { return &Drawing{f, opts} }

// PNG renders the figure. Errors: those of the function PNG.
func (d *Drawing) PNG() ([]byte, error) { return PNG(d.Figure, d.opts...) }

// SVG renders the figure. Errors: those of the function SVG.
func (d *Drawing) SVG() ([]byte, error) { return SVG(d.Figure, d.opts...) }

// String is the table twin.
func (d *Drawing) String() string { return d.Figure.String() }

// SVG renders a figure for files and reports; the same bytes for the same figure. Errors: *figure.FigureError for what cannot be drawn,
// *SizeError.
func SVG(f *figure.Figure, opts ...Option) ([]byte, error) {
	o, err := resolve(opts)
	if err != nil {
		return nil, err
	}
	c := vgsvg.New(vg.Length(o.w)*vg.Inch, vg.Length(o.h)*vg.Inch)
	if err := paint(f, o, draw.New(c)); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return nil, fmt.Errorf("plots: %w", err)
	}
	// Readers without the Liberation fonts get ones of the same widths.
	s := strings.ReplaceAll(b.String(), "font-family:Liberation Sans", "font-family:'Liberation Sans',Arial,Helvetica,sans-serif")
	return []byte(s), nil
}
