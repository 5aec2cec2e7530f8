package counts

import (
	"math"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Both ways to release shares of units of four rows predict the same two widths, whichever of them is planned: with
// little noise √(1 + 3ρ) for 2 of the width of independent rows. The plan says so, also of noise that has no release by
// unit of its own; K-norm noise is compared with nothing.
func TestUnitWaysAreCompared(t *testing.T) {
	const rows = 4000
	keys, a, b := make([]string, rows), make([]string, rows), make([]string, rows)
	for i := range rows {
		keys[i], a[i], b[i] = string(rune(1000+i/4)), string(rune('0'+i%3)), string(rune('0'+i%2))
	}
	ways := func(p *mechanism.Plan) mechanism.UnitWays {
		w, ok := p.Sampler(access.Mine()).(mechanism.UnitSampler).UnitWays(t.Context())
		if !ok {
			t.Fatal(p.Table(), "one way only")
		}
		return w
	}
	for _, adj := range []dp.Adjacency{dp.ReplaceOne, dp.AddRemove} {
		for _, m := range []model.Model{model.Binary("b"), model.Categorical("a"), model.ContingencyTable("a", "b")} {
			_, sh := keyed(t, adj == dp.ReplaceOne, m, keys, a, b)
			target := dp.PureDP(20).Under(adj)
			plan := must.Get(Geometric().Plan(t.Context(), sh, target))(t)
			byRows, byUnit := ways(plan), ways(must.Get(Geometric().ByUnit().Plan(t.Context(), sh, target))(t))
			p := 1 / float64(sh.Cells())
			independent := 2 * 1.96 * math.Sqrt(p*(1-p)/float64(byRows.Rows))
			for rho, times := range map[float64]float64{0: 1, .5: math.Sqrt(2.5), 1: 2} {
				if got := byRows.ByUnit(rho); math.Abs(got/independent/times-1) > .08 || got != byUnit.ByUnit(rho) {
					t.Errorf("%s, %s: by unit %v and %v at ρ = %v, want %v", m, adj, got, byUnit.ByUnit(rho), rho,
						independent*times)
				}
			}
			if got := byRows.ByRows; math.Abs(got/independent/2-1) > .08 || got != byUnit.ByRows || byRows.Chosen ||
				!byUnit.Chosen {
				t.Errorf("%s, %s: by rows %v and %v, want %v", m, adj, got, byUnit.ByRows, 2*independent)
			}
		}
	}
	_, sh := keyed(t, false, model.Categorical("a"), keys, a, b)
	target := dp.ZCDP(.5).Under(dp.AddRemove)
	for _, m := range []Noise{Geometric(), Geometric().ByUnit(), DiscreteGaussian()} {
		p := must.Get(m.Plan(t.Context(), sh, target))(t)
		if note := p.UnitNote(t.Context()); !strings.Contains(note, "The other way is by ") {
			t.Errorf("%s: %q", m.title(), note)
		}
	}
}
