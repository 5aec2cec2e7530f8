package linear

import (
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Descriptors describes the mechanisms of this room.
func Descriptors() []mechanism.Descriptor {
	moments, continuous := SufficientStatistics(), SufficientStatistics().Continuous()
	return []mechanism.Descriptor{
		{Kind: statisticsKind, Name: "SufficientStatistics", Flag: "moments", Title: moments.Title(),
			Short: "Noisy moments", Rebuild: rebuildStatistics,
			New: func(mechanism.Options) mechanism.Mechanism { return moments },
			Choices: func(sh *model.Shape) []mechanism.Choice {
				switch {
				case sh.Design() == nil:
					return nil
				case sh.Classifies():
					return []mechanism.Choice{{Name: "floored ridge", Mechanism: moments, Go: "SufficientStatistics()"}}
				}
				return []mechanism.Choice{
					{Name: "noise-aware posterior", Mechanism: moments, Go: "SufficientStatistics()"},
					{Name: "plain posterior", Mechanism: moments.Plain(), Go: "SufficientStatistics().Plain()"},
				}
			}},
		{Kind: statisticsKind, Name: "SufficientStatistics", Flag: "moments-continuous", Title: continuous.Title(),
			Short: "Noisy moments, floats", Rebuild: rebuildStatistics,
			New: func(mechanism.Options) mechanism.Mechanism { return continuous },
			Choices: forRegression(mechanism.Choice{
				Name: "noise-aware posterior", Mechanism: continuous, Go: "SufficientStatistics().Continuous()",
			})},
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
		if sh.Design() == nil || sh.Classifies() {
			return nil
		}
		return list
	}
}
