package gridmap

import (
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Descriptors describes the mechanism of this room.
func Descriptors() []mechanism.Descriptor {
	d := mechanism.Describe(New(), "MAP", "map", "MAP")
	d.Choices = choices
	return []mechanism.Descriptor{d}
}

// choices are resolutions; the fine one where no column has more than three levels. Its exact calibration takes seconds
// for some thousand records: where that is too much, the estimate of its cost leaves it out.
func choices(sh *model.Shape) []mechanism.Choice {
	out := []mechanism.Choice{{Name: "grid of 1/20", Mechanism: New(), Go: "MAP()"}}
	for _, c := range sh.Conditionals() {
		if c.Levels > 3 {
			return out
		}
	}
	return append(out, mechanism.Choice{Name: "grid of 1/100", Mechanism: New().WithGrid(100, 1),
		Go: "MAP().WithGrid(100, 1)"})
}
