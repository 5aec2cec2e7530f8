package posteriorsample

import (
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Descriptors describes the mechanism of this room.
func Descriptors() []mechanism.Descriptor {
	d := mechanism.Describe(New(1), "PosteriorSample", "posterior-sample", "Posterior sample")
	d.Title, d.Choices = "Posterior sample, tempered", choices
	d.New = func(o mechanism.Options) mechanism.Mechanism { return New(max(o.Count, 1)) }
	return []mechanism.Descriptor{d}
}

// manyRecords bounds n for more than one draw: beyond, and for one probability, whose profile is summed over all data,
// several draws take seconds to account.
const manyRecords = 50_000

// choices are numbers of draws, whose mean is the estimate.
func choices(sh *model.Shape) []mechanism.Choice {
	out := []mechanism.Choice{{Name: "N = 1", Mechanism: New(1), Go: "PosteriorSample(1)"}}
	conds := sh.Conditionals()
	single := len(conds) == 1 && conds[0].Levels == 2
	if n, _ := sh.N(); n <= manyRecords && !single {
		out = append(out, mechanism.Choice{Name: "mean of N = 10", Mechanism: New(10), Go: "PosteriorSample(10)"})
	}
	return out
}
