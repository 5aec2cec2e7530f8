package counts

import (
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// A check that ran on a smaller structure says so in its statement, and its formula has both counts: the one checked
// and the one charged.
func TestSensitivityCheckSaysOnHowMuch(t *testing.T) {
	sixteen := []int{2}
	for range 16 {
		sixteen = append(sixteen, 3)
	}
	for _, c := range []struct {
		m             model.Model
		levels        []int
		suffix        string
		formula       string
		derived, most float64
	}{
		{model.NaiveBayes("c0"), []int{2, 3, 2}, "each by one", "4 counts per row", 4, 4},
		{model.NaiveBayes("c0"), sixteen, ", checked on 9 of 16 features", "18 counts per row of those features, 32 " +
			"of all by the closed form", 18, 18},
		{model.Categorical("c0"), []int{2000}, ", checked on fewer levels", "2 counts per row", 2, 2},
	} {
		p := must.Get(Geometric().Plan(t.Context(), smallShape(t, c.m, 100, c.levels...), dp.PureDP(1)))(t)
		k := p.Certificate().Checks[0]
		if !strings.HasPrefix(k.Statement, "one row changes at most this many counts, each by one") ||
			!strings.HasSuffix(k.Statement, c.suffix) ||
			k.Formula != c.formula || float64(k.Value) != c.derived || float64(k.Bound) != c.most {
			t.Errorf("%s over %v: %q, %q, %v at most %v", c.m, c.levels, k.Statement, k.Formula, k.Value, k.Bound)
		}
	}
}

// The line about the noise cites the theorem about its formula, of the adjacency, and that about the sampler's text.
// What has a proof on paper alone, such as a profile, cites none.
func TestNoiseCitesItsTheorems(t *testing.T) {
	sh := smallShape(t, model.NaiveBayes("c0"), 100, 2, 3, 2)
	const renyi, pure = "GaussianWhole.text_zcdp", "GeometricText.text_private"
	for _, c := range []struct {
		mechanism     Noise
		target        dp.Request
		formula, text string
	}{
		{DiscreteGaussian(), dp.ZCDP(.1), "GaussianPrivacy.replace_zcdp", renyi},
		{DiscreteGaussian(), dp.ZCDP(.1).Under(dp.AddRemove), "GaussianPrivacy.add_zcdp", renyi},
		{DiscreteGaussian(), dp.ZCDP(.1).Under(dp.ReplaceValue), "GaussianPrivacy.gaussian_renyi", renyi},
		{DiscreteGaussian(), dp.RenyiDP(8, .5), "GaussianPrivacy.replace_zcdp", renyi},
		{DiscreteGaussian(), dp.ApproxDP(1, 1e-6), "", "GaussianWhole.text_normalised"},
		{Geometric(), dp.PureDP(1), "Geometric.noise_private", pure},
		{Geometric(), dp.PureDP(1).Under(dp.AddRemove), "Geometric.noise_private", pure},
		{Geometric(), dp.ApproxDP(1, 1e-6), "Dominated.law_dominated", ""},
		{Geometric(), dp.ZCDP(.1), "", ""},
	} {
		p := must.Get(c.mechanism.Plan(t.Context(), sh, c.target))(t)
		k, formula, text := p.Certificate().Checks[1], "", ""
		if k.Theorem != nil {
			formula = k.Theorem.Name
		}
		if k.Program != nil {
			text = k.Program.Theorem.Name
		}
		if formula != c.formula || text != c.text {
			t.Errorf("%s, %v: %q and %q are cited, want %q, %q", p.Title(), c.target, formula, text, c.formula, c.text)
		}
	}
	for sigma2, cited := range map[noise.Rational]bool{{Num: 1, Den: 1 << 18}: true, {Num: 1, Den: 1 << 19}: false} {
		if c := textOfGaussian(sigma2, dp.ZCDP(1).Parameters); (c != nil) != cited {
			t.Errorf("σ² = %v, of which the theorem speaks, or not: %v", sigma2, c)
		}
	}
	for rate, cited := range map[noise.Rational]bool{{Num: 1 << 22, Den: 1}: true, {Num: 1<<23 + 1, Den: 2}: false} {
		if c := textOfGeometric(rate, dp.PureDP(1).Parameters); (c != nil) != cited {
			t.Errorf("γ = %v, of which the theorem speaks, or not: %v", rate, c)
		}
	}
}
