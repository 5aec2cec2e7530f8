package release_test

import (
	"fmt"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/catalog"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// Every estimate lies in each of its own intervals: of the population, of the rows, and of both at once. All models are
// crossed with all mechanisms that release them with intervals by a test, both adjacencies, n public and private, pure
// and concentrated levels, tables of 0 to 5 rows, and levels of 95 and 50 %. At one row the half record of room that
// intervals of rows have is half of the range.
func TestEstimatesAreInTheirIntervals(t *testing.T) {
	src, seen := dp.Seeded(3), 0
	for _, n := range []int{0, 1, 2, 3, 5} {
		f := people(t, n, src)
		for i, w := range walked {
			switch w.model.(type) {
			case model.LinearRegressionModel, model.LogisticRegressionModel: // of chains
				continue
			}
			for k, public := range []bool{true, false} {
				if testing.Short() && (i+n+k)%3 > 0 {
					continue
				}
				sh := must.Get(model.NewShape(f.Schema(), w.model, n, public, ""))(t)
				st := must.Get(model.Count(sh, f))(t)
				for _, d := range catalog.All() {
					m, err := catalog.For(sh, d.New(mechanism.Options{Count: 4}))
					if err != nil {
						continue
					}
					for _, target := range []dp.Request{dp.PureDP(1), dp.ZCDP(.5).Under(dp.AddRemove), dp.ZCDP(.5),
						dp.PureDP(1).Under(dp.AddRemove)} {
						of := fmt.Sprintf("%d rows, public %t, %s, %s, %s", n, public, d.Flag, w.model, target)
						seen += allInside(t, of, m, sh, st, target, src)
					}
				}
			}
		}
	}
	if seen < 1000 {
		t.Errorf("%d intervals were seen", seen)
	}
}

// allInside draws releases by a plan, where there is one, and says how many intervals were looked at.
func allInside(t *testing.T, of string, m mechanism.Mechanism, sh *model.Shape, st *model.Statistics, l dp.Request,
	src *dp.Stream) (seen int) {
	t.Helper()
	p, err := m.Plan(t.Context(), sh, l)
	if err != nil {
		return 0
	}
	for range 4 {
		r := must.Get(release.New(t.Context(), p, must.Get(p.Draw(t.Context(), st, "id", src))(t)))(t)
		for _, level := range []float64{.95, .5} {
			list, _, err := r.Intervals(t.Context(), level)
			if err != nil || len(list) == 0 {
				return seen
			}
			for _, i := range list {
				within := []*mechanism.Range{i.Population, i.Rows}
				if i.AtOnce != nil && level == .95 {
					within = append(within, i.AtOnce.Population, i.AtOnce.Rows)
				}
				for _, e := range within {
					if e == nil {
						continue
					}
					if seen++; !(e.Lower <= i.Estimate && i.Estimate <= e.Upper) {
						t.Errorf("%s: %s %s: %v is outside of %v", of, i.Of, i.Label, i.Estimate, *e)
					}
				}
			}
		}
	}
	return seen
}
