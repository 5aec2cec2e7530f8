package eval

import (
	"errors"

	"github.com/privbayes/privbayes-go/privbayes/figure"
)

// ErrNoRenderer says that nothing can draw figures: import privbayes/plots, for its effect if need be.
var ErrNoRenderer = errors.New("eval: no renderer for figures; import github.com/privbayes/privbayes-go/privbayes/plots")

var renderer func(*figure.Figure) ([]byte, error)

// RegisterRenderer makes a drawing function known, figure to SVG. Package plots calls it; keeping the drawing library out of this
// package keeps notebook cells that draw nothing fast.
func RegisterRenderer(svg func(*figure.Figure) ([]byte, error)) { renderer = svg }

// drawn draws a figure with the registered renderer: ErrNoRenderer without one.
func drawn(f *figure.Figure) ([]byte, error) {
	if renderer == nil {
		return nil, ErrNoRenderer
	}
	return renderer(f)
}
