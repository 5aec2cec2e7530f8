package regression

import (
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// The 95 % interval of the residual standard deviation, which is 1, holds it in most of 100 releases: fewer than 76
// have probability below 1e-9 at 95 % (at .955 to 1 over 200 other releases). That the noise drowns directions is said
// where it does, by a function of the released numbers.
func TestResidualIntervalsCover(t *testing.T) {
	for _, c := range []struct {
		n       int
		epsilon float64
		drowned bool
	}{{300, .3, true}, {3000, 1, false}} {
		var p *mechanism.Plan
		covered, warned := 0, 0
		for seed := range uint64(100) {
			st := counted(t, withFactors, factorRows(t, c.n, 7000+seed))
			if p == nil {
				p = plan(t, SufficientStatistics(), st.Shape(), dp.ApproxDP(c.epsilon, 1e-6))
			}
			d := samplerOf(p)
			drawn := must.Get(d.Draw(t.Context(), mechanism.Open(key, st), dp.Seeded(seed)))(t)
			draws := drawsOf(t, must.Get(d.Estimate(quick(t), drawn))(t))
			if lo, hi := 10*draws.Quantile(d.dim, .025), 10*draws.Quantile(d.dim, .975); lo <= 1 && 1 <= hi {
				covered++
			}
			for _, w := range d.Warned(drawn) {
				if w.Kind != warning.KindNoiseDrowns || w.Value < 1 || w.Value > float64(d.dim) {
					t.Fatalf("%+v", w)
				}
				warned++
			}
		}
		t.Logf("n = %d, ε = %g: %d of 100, %d warned", c.n, c.epsilon, covered, warned)
		if covered < 76 || (warned > 80) != c.drowned || (warned == 0) == c.drowned {
			t.Errorf("n = %d, ε = %g: %d of 100 cover, %d warn", c.n, c.epsilon, covered, warned)
		}
	}
}
