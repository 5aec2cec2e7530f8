package nb

import (
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/plots"
)

// Figures are shown as pictures, with their table twin as text.
func init() {
	RegisterRenderer(func(v any) ([]byte, bool, error) {
		f, ok := v.(*figure.Figure)
		if !ok {
			return nil, false, nil
		}
		png, err := plots.PNG(f)
		return png, true, err
	})
}
