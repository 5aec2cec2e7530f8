package divergence

import (
	"errors"
	"testing"
)

// counterexamples are cases below α = ½ where Theorem 2 as printed is false. p is uniform.
var counterexamples = []struct {
	d                 int
	beta, alpha, eta  float64
	printed, probably float64 // the bound, and a lower bound of the truth
}{
	{1000, 100, .01, 1, .092, .99},
	{2000, 200, .05, 1, .0085, .99},
	{50, 10, .01, 1, .788, .99},
	{100, 20, .001, 1, .621, .99},
}

// The printed bound is refuted by simulation at a false-alarm rate of 1e-9 each, and by the exact tail; the corrected
// theorems decline.
func TestTheorem2FailsBelowOneHalf(t *testing.T) {
	for i, c := range counterexamples {
		printed := must[float64](t)(PaperTheorem2(c.d, c.beta, c.alpha, c.eta))
		near(t, "printed bound", printed, c.printed, 1e-2)
		const draws = 400
		if k := exceed(uint64(100+i), draws, uniform(c.d), c.beta, c.alpha, c.eta); !refutes(k, draws, printed) {
			t.Errorf("%+v: %d of %d draws exceed η, which does not refute the bound %g", c, k, draws, printed)
		}
		if tail := must[Tail](t)(ExactTail(uniform(c.d), c.beta, c.alpha, c.eta)); tail.Probability < c.probably ||
			tail.RelativeError > 1e-6 {
			t.Errorf("%+v: exact tail %+v", c, tail)
		}
		for name, f := range map[string]func(int, float64, float64, float64) (float64, error){
			"Theorem2": Theorem2, "Theorem2W": Theorem2W, "TheoremStar": TheoremStar,
			"TheoremStarSimple": TheoremStarSimple,
		} {
			_, err := f(c.d, c.beta, c.alpha, c.eta)
			var condition *ConditionError
			if !errors.As(err, &condition) || condition.Quantity != "alpha" || condition.Value != c.alpha ||
				condition.Least != half {
				t.Errorf("%s: error %v, want a *ConditionError about alpha", name, err)
			}
		}
	}
}

// At α = ½ the same simulation finds nothing against any of the theorems: it does not refute everything.
func TestTheoremsStandAtOneHalf(t *testing.T) {
	for i, c := range []struct {
		p         []float64
		beta, eta float64
	}{{uniform(50), 60, 1}, {uniform(10), 30, .5}, {[]float64{1, 0, 0, 0}, 20, .25},
		{[]float64{.7, .3, 0, 0, 0}, 12, .6}} {
		const draws = 4000
		k := exceed(uint64(200+i), draws, c.p, c.beta, half, c.eta)
		for name, f := range map[string]func(int, float64, float64, float64) (float64, error){
			"Theorem2": Theorem2, "Theorem2W": Theorem2W, "TheoremStar": TheoremStar,
			"TheoremStarSimple": TheoremStarSimple,
		} {
			if bound := must[float64](t)(f(len(c.p), c.beta, half, c.eta)); refutes(k, draws, bound) {
				t.Errorf("%s: %d of %d draws against %g", name, k, draws, bound)
			}
		}
	}
	if !refutes(30, 30, .1) || refutes(5, 30, .1) {
		t.Error("the criterion has no power, or too much")
	}
}
