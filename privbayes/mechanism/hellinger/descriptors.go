package hellinger

import (
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Descriptors describes the mechanisms of this room.
func Descriptors() []mechanism.Descriptor {
	flip := New().PermuteAndFlip()
	return []mechanism.Descriptor{
		{Kind: Kind, Name: "Hellinger", Flag: "hellinger", Title: New().Title(), Short: "Hellinger, exponential",
			Rebuild: rebuild,
			New: func(o mechanism.Options) mechanism.Mechanism {
				switch {
				case o.Nominal && o.Delta != 0:
					return New().Smooth(SizeNPlusOne)
				case o.Nominal:
					return New().Local()
				}
				return New()
			},
			Choices: func(*model.Shape) []mechanism.Choice {
				return []mechanism.Choice{{Name: "as drawn", Mechanism: New(), Go: "Hellinger()"}}
			}},
		{Kind: Kind, Name: "Hellinger", Flag: "hellinger-flip", Title: flip.Title(),
			Short: "Hellinger, permute-and-flip", Rebuild: rebuild,
			New: func(mechanism.Options) mechanism.Mechanism { return flip },
			Choices: func(sh *model.Shape) []mechanism.Choice {
				if n, _ := sh.N(); len(sh.Conditionals()) != 1 || n > flipRecords {
					return nil
				}
				return []mechanism.Choice{{Name: "as drawn", Mechanism: flip, Go: "Hellinger().PermuteAndFlip()"}}
			}},
	}
}

// flipRecords bounds n for permute-and-flip in comparisons: it visits every candidate at every draw.
const flipRecords = 500
