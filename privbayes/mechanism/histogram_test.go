package mechanism_test

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// A histogram and a CDF are released as the categorical model of their bins is, by every mechanism that takes it: the
// same levels are certified, the same seed draws the same numbers, and the shares that come out are the same.
func TestHistogramsAreReleasedAsCategories(t *testing.T) {
	s := &frame.Schema{Dataset: "test", Columns: []frame.Column{frame.Real("x", 0, 1, 5, 20)}}
	counts, released := [][]int64{{9, 27, 4}}, 0
	of := func(m mechanism.Mechanism, of model.Model, target dp.Request) (*mechanism.Plan, *model.Statistics, error) {
		sh := must.Get(model.NewShape(s, of, 40, true, ""))(t)
		p, err := m.Plan(quick(t), sh, target)
		if err != nil {
			return nil, nil, err
		}
		st := must.Get(model.FromCounts(p.Shape(), counts))(t)
		return p, st, nil
	}
	for _, m := range mechanisms() {
		for _, target := range []dp.Request{dp.PureDP(1), dp.ApproxDP(1, 1e-6), dp.ZCDP(.2).Under(dp.AddRemove)} {
			want, st, refused := of(m, model.Categorical("x"), target)
			for _, bins := range []model.Model{model.Histogram("x"), model.CDF("x")} {
				what := fmt.Sprintf("%s, %v, %s", m.Title(), target, bins)
				got, binned, err := of(m, bins, target)
				if refused != nil {
					if reflect.TypeOf(err) != reflect.TypeOf(refused) {
						t.Errorf("%s: %v, want a refusal as %v", what, err, refused)
					}
					continue
				}
				if err != nil {
					t.Errorf("%s: %v", what, err)
					continue
				}
				if got.Certified() != want.Certified() {
					t.Errorf("%s: certified %v, want %v", what, got.Certified(), want.Certified())
				}
				a := releaseOf(t, want, st)
				b := releaseOf(t, got, binned)
				if !reflect.DeepEqual(a.Raw(), b.Raw()) || !reflect.DeepEqual(a.Real(), b.Real()) {
					t.Errorf("%s: drew %v %v, want %v %v", what, b.Raw(), b.Real(), a.Raw(), a.Real())
				}
				if x, y := a.Model().Means(), b.Model().Means(); !reflect.DeepEqual(x, y) {
					t.Errorf("%s: shares %v, want %v", what, y, x)
				}
				if _, err := b.Synthesize(20, dp.Seeded(1)); err != nil {
					t.Errorf("%s: %v", what, err)
				}
				if shares, err := b.Model().Shares(); err != nil || len(shares) < 2 {
					t.Errorf("%s: %d shares, %v", what, len(shares), err)
				}
				released++
			}
		}
	}
	if released < 40 {
		t.Errorf("%d releases of histograms", released)
	}
}

func releaseOf(t *testing.T, p *mechanism.Plan, st *model.Statistics) *release.Release {
	t.Helper()
	d := must.Get(p.Draw(t.Context(), st, "test", dp.Seeded(3)))(t)
	return must.Get(release.New(t.Context(), p, d))(t)
}
