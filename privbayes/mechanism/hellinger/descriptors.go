package hellinger

import (
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Descriptors describes the mechanisms of this room.
func Descriptors() []mechanism.Descriptor {
	flip := New().PermuteAndFlip()
	plain := mechanism.Describe(New(), "Hellinger", "hellinger", "Hellinger, exponential")
	plain.New = func(o mechanism.Options) mechanism.Mechanism {
		switch {
		case o.Nominal && o.Delta != 0:
			return New().Smooth(SizeNPlusOne)
		case o.Nominal:
			return New().Local()
		}
		return New()
	}
	plain.Choices = func(*model.Shape) []mechanism.Choice {
		return []mechanism.Choice{{Name: "as drawn", Mechanism: New(), Go: "Hellinger()"}}
	}
	flipping := mechanism.Describe(flip, "Hellinger", "hellinger-flip", "Hellinger, permute-and-flip")
	flipping.Choices = func(sh *model.Shape) []mechanism.Choice {
		if n, _ := sh.N(); len(sh.Conditionals()) != 1 || n > flipRecords {
			return nil
		}
		return []mechanism.Choice{{Name: "as drawn", Mechanism: flip, Go: "Hellinger().PermuteAndFlip()"}}
	}
	plain.Rebuild, flipping.Rebuild = patient(plain.Rebuild), patient(flipping.Rebuild)
	return []mechanism.Descriptor{plain, flipping}
}

// flipRecords bounds n for permute-and-flip in comparisons: it visits every candidate at every draw.
const flipRecords = 500
