package release

import (
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// What a released artifact can do. Code that needs one of these asks for the interface, not for a kind of artifact;
// none of them reads data beyond its arguments or costs budget.
type (
	// Predictor gives class probabilities for every row of a frame.
	Predictor interface {
		Predict(x *frame.Frame) ([][]float64, error)
	}
	// Synthesizer draws records from the released model.
	Synthesizer interface {
		Synthesize(n int, src rand.Source) (*frame.Frame, error)
	}
	// Summarizer tabulates the released posterior.
	Summarizer interface {
		Summary() *table.Table
	}
)

// A release of count tables has all of them.
var (
	_ Predictor   = (*Release)(nil)
	_ Synthesizer = (*Release)(nil)
	_ Summarizer  = (*Release)(nil)
)
