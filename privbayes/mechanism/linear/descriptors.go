package linear

import (
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Descriptors describes the mechanisms of this room.
func Descriptors() []mechanism.Descriptor {
	moments, continuous := SufficientStatistics(), SufficientStatistics().Continuous()
	noisy := mechanism.Describe(moments, "SufficientStatistics", "moments", "Noisy moments")
	noisy.Choices = func(sh *model.Shape) []mechanism.Choice {
		switch {
		case sh.Linear() == nil:
			return nil
		case sh.Classifies():
			return []mechanism.Choice{{Name: "floored ridge", Mechanism: moments, Go: "SufficientStatistics()"}}
		}
		return []mechanism.Choice{
			{Name: "noise-aware posterior", Mechanism: moments, Go: "SufficientStatistics()"},
			{Name: "plain posterior", Mechanism: moments.Plain(), Go: "SufficientStatistics().Plain()"},
		}
	}
	floats := mechanism.Describe(continuous, "SufficientStatistics", "moments-continuous", "Noisy moments, floats")
	floats.Choices = forRegression(mechanism.Choice{
		Name: "noise-aware posterior", Mechanism: continuous, Go: "SufficientStatistics().Continuous()",
	})
	sampler := mechanism.Describe(Sampler(1), "LinearSampler", "linear-sampler", "Posterior sampler")
	sampler.Title = "Posterior sampler of the weights"
	sampler.New = func(o mechanism.Options) mechanism.Mechanism { return Sampler(max(o.Count, 1)) }
	sampler.Choices = forRegression(
		mechanism.Choice{Name: "1 draw", Mechanism: Sampler(1), Go: "LinearSampler(1)"},
		mechanism.Choice{Name: "mean of 10 draws", Mechanism: Sampler(10), Go: "LinearSampler(10)"},
	)
	return []mechanism.Descriptor{noisy, floats, sampler}
}

// forRegression are choices for linear regressions alone.
func forRegression(list ...mechanism.Choice) func(*model.Shape) []mechanism.Choice {
	return func(sh *model.Shape) []mechanism.Choice {
		if sh.Linear() == nil || sh.Classifies() {
			return nil
		}
		return list
	}
}
