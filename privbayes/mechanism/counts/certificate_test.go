package counts

import (
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
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

// Of discrete Gaussian noise the line about Rényi divergences cites the theorem of its adjacency, and that of (ε, δ),
// whose profile has a proof on paper, none.
func TestGaussianCitesItsTheorem(t *testing.T) {
	sh := smallShape(t, model.NaiveBayes("c0"), 100, 2, 3, 2)
	for _, c := range []struct {
		target dp.Request
		want   string
	}{
		{dp.ZCDP(.1), "GaussianPrivacy.replace_zcdp"}, {dp.ZCDP(.1).Under(dp.AddRemove), "GaussianPrivacy.add_zcdp"},
		{dp.ZCDP(.1).Under(dp.ReplaceValue), "GaussianPrivacy.gaussian_renyi"},
		{dp.RenyiDP(8, .5), "GaussianPrivacy.replace_zcdp"}, {dp.ApproxDP(1, 1e-6), ""},
	} {
		p, have := must.Get(DiscreteGaussian().Plan(t.Context(), sh, c.target))(t), ""
		if k := p.Certificate().Checks[1]; k.Theorem != nil {
			have = k.Theorem.Name
		}
		if have != c.want {
			t.Errorf("%v: %q is cited, want %q", c.target, have, c.want)
		}
	}
}
