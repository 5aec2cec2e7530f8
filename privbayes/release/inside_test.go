package release_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/catalog"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

func TestEstimatesAreInTheirIntervals(t *testing.T) {
	src := dp.Seeded(3)
	bad := map[string]int{}
	all := map[string]int{}
	took := map[string]time.Duration{}
	for _, n := range []int{1, 2, 3, 5} {
		f := people(t, n, src)
		for _, w := range walked {
			for _, public := range []bool{true,false} {
			sh := must.Get(model.NewShape(f.Schema(), w.model, f.Len(), public, ""))(t)
			st := must.Get(model.Count(sh, f))(t)
			for _, d := range catalog.All() {
				m, err := catalog.For(sh, d.New(mechanism.Options{Count: 40}))
				if err != nil {
					continue
				}
				for _, target := range []dp.Request{dp.PureDP(1), dp.PureDP(1).Under(dp.AddRemove), dp.ZCDP(.5), dp.ZCDP(.5).Under(dp.AddRemove)} {
					start := time.Now()
					p, err := m.Plan(t.Context(), sh, target)
					if err != nil {
						continue
					}
					for range 10 {
					d2, err := p.Draw(t.Context(), st, "id", src)
					if err != nil { continue }
					r, err := release.New(t.Context(), p, d2)
					if err != nil { continue }
					for _, level := range []float64{.95,.5,.05} {
					list, _, err := r.Intervals(t.Context(), level)
					if err != nil || len(list)==0 { break }
					for _, i := range list {
						at := []*mechanism.Range{i.Population, i.Rows,nil,nil}
						if i.AtOnce != nil { at[2],at[3]=i.AtOnce.Population, i.AtOnce.Rows }
						for k, e := range at {
							of := fmt.Sprintf("%v, %d rows, %v, %s, %s, %s, %s, %d", level, n, public, d.Flag, w.model, target.Parameters, target.Adjacency, k)
							if e != nil { all[of]++ }
							if e != nil && !(e.Lower <= i.Estimate && i.Estimate <= e.Upper) {
								bad[of]++
								if bad[of] == 1 {
								t.Errorf("%s: %s %s: %v, %+v, rows %+v %+v", of, i.Of, i.Label, i.Estimate, i.Population, i.Rows, e)
								}
							}
						}
					}
					}
					}
					took[d.Flag+w.model.String()] += time.Since(start)
				}
			}
			}
		}
	}
	t.Log(len(all), len(bad))
	for k, v := range took { if v > time.Second { t.Log(k, v) } }
}
