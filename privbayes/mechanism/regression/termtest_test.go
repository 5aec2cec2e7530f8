package regression_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/internal/mcmc"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/regression"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// An interaction that is not there is rejected at .001 by at most 3 of 12 releases, a false alarm of 5·10⁻¹⁰; a factor
// that is there by all. The mutant leaves four fifths of the posterior's deviation out, and rejects most of the null.
func TestTermsOfReleases(t *testing.T) {
	st := regression.PayStatistics(t, "y ~ x*f+z", 20000, true)
	p := must.Get(regression.SufficientStatistics().Plan(t.Context(), st.Shape(), dp.ApproxDP(1, 1e-6)))(t)
	rejected, mutant, times := 0, 0, 12
	if testing.Short() {
		times = 3
	}
	for seed := range times {
		drawn := must.Get(p.Draw(t.Context(), st, "0123456789abcdef0123456789abcdef", dp.Seeded(uint64(seed+1))))(t)
		r := must.Get(release.New(t.Context(), p, drawn))(t)
		null := must.Get(r.Test("f:x"))(t)
		if null.P < .001 {
			rejected++
		}
		if math.Exp(-25*null.Statistic/2) < .001 { // χ² of two degrees
			mutant++
		}
		there := must.Get(r.Test("z"))(t)
		if null.K != 2 || there.K != 1 || there.P > .05 || there.P != there.Coefficients[0].P {
			t.Errorf("%+v, %+v", null, there)
		}
		text := null.String()
		for _, want := range []string{"All 2 are 0", "x:f=c", "chosen by this same release", "x, f", "not private"} {
			if !strings.Contains(text, want) {
				t.Errorf("no %q in %s", want, text)
			}
		}
	}
	if rejected > 3 || times == 12 && mutant <= 3 {
		t.Errorf("%d of %d reject at .001, and %d of the mutant", rejected, times, mutant)
	}
}

// Terms of a logistic regression by Fisher scoring: part-time work goes with experience and
// schooling. A release without draws, or whose
// chains did not agree, has no test.
func TestTermsOfFisherScoring(t *testing.T) {
	rows := privbayes.ReadFrame(data.CPS1988())
	r := must.Get(rows.Model(partTime).Privatize(privbayes.FisherScoring(), privbayes.ApproxDP(3, 1e-5),
		privbayes.Seeded(1)).Release())(t)
	smsa, both := must.Get(r.Test("smsa"))(t), must.Get(r.Test("experience + education"))(t)
	if smsa.K != 1 || both.K != 2 || both.P > .001 || both.Response != "parttime" {
		t.Errorf("%s\n%s", smsa, both)
	}
	var wrong *dp.ParameterError
	moments := must.Get(rows.Model(partTime).Privatize(privbayes.SufficientStatistics(), privbayes.ApproxDP(3, 1e-5),
		privbayes.Seeded(1)).Release())(t)
	if _, err := moments.Test("smsa"); !errors.As(err, &wrong) {
		t.Errorf("of an estimate without intervals: %v", err)
	}
	st := regression.PayStatistics(t, "y ~ x", 100, true)
	p := must.Get(regression.SufficientStatistics().Plan(t.Context(), st.Shape(), dp.ApproxDP(1, 1e-6)))(t)
	drawn := must.Get(p.Draw(t.Context(), st, "0123456789abcdef0123456789abcdef", dp.Seeded(1)))(t)
	unmet := mcmc.Contract{Sweeps: 20, RHat: 1.01, ESS: 1e12}
	apart := must.Get(release.New(unmet.With(t.Context()), p, drawn))(t)
	var chains *regression.NotConvergedError
	if _, err := apart.Test("x"); !errors.As(err, &chains) {
		t.Errorf("of chains that do not agree: %v", err)
	}
}
