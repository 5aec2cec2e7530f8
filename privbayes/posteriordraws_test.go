package privbayes_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// Posterior draws are the coefficients in the units of the data, a rectangle of chains and draws, the same of a file;
// what has none is refused by type.
func TestPosteriorDraws(t *testing.T) {
	wages := privbayes.ReadFrame(data.CPS1988())
	approximate := privbayes.ApproxDP(1, 1e-6)
	line := privbayes.LinearRegression("wage", "education", "region")
	names := []string{"intercept", "education", "region=midwest", "region=south", "region=west", release.ResidualSD}
	for name, c := range map[string]struct {
		p      *privbayes.Privatized
		names  []string
		draws  int
		chains int
		kind   string
	}{
		"columns": {wages.Model(line).Privatize(privbayes.SufficientStatistics(), approximate, privbayes.Seeded(1)), names,
			1000, 4, "posterior"},
		"formula": {wages.Model(privbayes.Linear("wage ~ education + region")).Privatize(privbayes.SufficientStatistics(),
			approximate, privbayes.Seeded(1)), names, 1000, 4, "posterior"},
		"steps": {wages.Model(privbayes.LogisticRegression("smsa", "education")).Privatize(privbayes.FisherScoring(),
			approximate, privbayes.Seeded(1)), names[:2], 1000, 4, "posterior"},
		"plain": {wages.Model(line).Privatize(privbayes.SufficientStatistics().Plain(), approximate, privbayes.Seeded(1)),
			names, 1000, 1, "noise ignored"},
		"sampler": {wages.Model(line).Privatize(privbayes.LinearSampler(1), privbayes.PureDP(1), privbayes.Seeded(1)),
			names[:5], 1, 1, "approximate"},
		"posterior sample": {wages.Model(privbayes.Categorical("smsa")).Privatize(privbayes.PosteriorSample(3),
			privbayes.PureDP(1), privbayes.Seeded(1)), []string{"smsa = no", "smsa = yes"}, 3, 1, "approximate"},
	} {
		r := must.Get(c.p.Release())(t)
		d, err := r.PosteriorDraws()
		if err != nil {
			t.Fatal(name, err)
		}
		if !slices.Equal(d.Names, c.names) || len(d.Values) != c.draws || d.Chains != c.chains || d.Kind != c.kind {
			t.Errorf("%s: %q, %d draws of %d chains, %s", name, d.Names, len(d.Values), d.Chains, d.Kind)
		}
		hasPlaces(t, name, d, c.draws/d.Chains)
		again := must.Get(must.Get(release.Parse(t.Context(), must.Get(r.JSON())(t)))(t).PosteriorDraws())(t)
		if !slices.EqualFunc(again.Values, d.Values, slices.Equal[[]float64]) {
			t.Error(name, "has other draws in a file")
		}
		if r.Plan().Shape().Linear() != nil {
			inUnits(t, name, r.Model(), d)
		}
	}
	for _, p := range []*privbayes.Privatized{
		wages.Model(privbayes.Mean("wage")).Privatize(privbayes.NoisySums(), approximate, privbayes.Seeded(1)),
		wages.Model(privbayes.LogisticRegression("smsa", "education")).Privatize(privbayes.SufficientStatistics(),
			approximate, privbayes.Seeded(1)),
		wages.Model(privbayes.Categorical("smsa")).Privatize(privbayes.Geometric(), privbayes.PureDP(1), privbayes.Seeded(1)),
	} {
		var refused *dp.ParameterError
		if d, err := must.Get(p.Release())(t).PosteriorDraws(); !errors.As(err, &refused) || d != nil {
			t.Errorf("%v: %v", p, err)
		}
	}
}

// hasPlaces checks that draws are a rectangle: every chain has as many.
func hasPlaces(t *testing.T, name string, d *release.PosteriorDraws, each int) {
	t.Helper()
	seen := map[[2]int]bool{}
	for k, v := range d.Values {
		chain, draw := d.Place(k)
		seen[[2]int{chain, draw}] = true
		if len(v) != len(d.Names) || chain < 0 || chain >= d.Chains || draw >= each {
			t.Fatalf("%s: draw %d of chain %d is %v", name, draw, chain, v)
		}
	}
	if len(seen) != each*d.Chains {
		t.Errorf("%s: %d places of %d draws", name, len(seen), len(d.Values))
	}
}

// inUnits checks that draws are those of the coefficients in the units of the data, with the residual sd, if any, last.
func inUnits(t *testing.T, name string, f *model.Fitted, d *release.PosteriorDraws) {
	t.Helper()
	coefficients, residual := must.Get(f.CoefficientDraws())(t).Values, f.ResidualDraws()
	for k, want := range coefficients {
		if residual != nil {
			want = append(slices.Clone(want), residual[k])
		}
		if !slices.Equal(d.Values[k], want) {
			t.Fatalf("%s: draw %d is %v, want %v", name, k, d.Values[k], want)
		}
	}
}
