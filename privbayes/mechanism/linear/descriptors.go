package linear

import (
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Descriptors describes the mechanisms of this room.
func Descriptors() []mechanism.Descriptor {
	lattice, moments := SufficientStatistics().OnLattice(), SufficientStatistics()
	return []mechanism.Descriptor{
		{Kind: statisticsKind, Name: "SufficientStatistics", Flag: "moments-lattice", Title: lattice.Title(),
			Short:   "Noisy moments, lattice",
			Rebuild: rebuildStatistics,
			New:     func(mechanism.Options) mechanism.Mechanism { return lattice },
			Choices: forRegression(mechanism.Choice{
				Name: "noise-aware posterior", Mechanism: lattice, Go: "SufficientStatistics().OnLattice()",
			})},
		{Kind: statisticsKind, Name: "SufficientStatistics", Flag: "moments", Title: moments.Title(),
			Short: "Noisy moments", Rebuild: rebuildStatistics,
			New: func(mechanism.Options) mechanism.Mechanism { return moments },
			Choices: forRegression(
				mechanism.Choice{Name: "noise-aware posterior", Mechanism: moments, Go: "SufficientStatistics()"},
				mechanism.Choice{Name: "plain posterior", Mechanism: moments.Plain(),
					Go: "SufficientStatistics().Plain()"},
			)},
		{Kind: SamplerKind, Name: "LinearSampler", Flag: "linear-sampler", Title: "Posterior sampler of the weights",
			Short:   "Posterior sampler",
			Rebuild: rebuildSampler,
			New:     func(o mechanism.Options) mechanism.Mechanism { return Sampler(max(o.Count, 1)) },
			Choices: forRegression(
				mechanism.Choice{Name: "1 draw", Mechanism: Sampler(1), Go: "LinearSampler(1)"},
				mechanism.Choice{Name: "mean of 10 draws", Mechanism: Sampler(10), Go: "LinearSampler(10)"},
			)},
	}
}

// forRegression are choices for linear regressions alone.
func forRegression(list ...mechanism.Choice) func(*model.Shape) []mechanism.Choice {
	return func(sh *model.Shape) []mechanism.Choice {
		if sh.Design() == nil {
			return nil
		}
		return list
	}
}
