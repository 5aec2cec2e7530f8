package privbayes_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// farFrom is the distance of the model's table of two columns from the rows', as a share of n.
func farFrom(t *testing.T, f *frame.Frame, r *release.Release, n float64, pair [2]string) (sum float64) {
	t.Helper()
	counts, net := must.Get(f.Counts(pair[:]...))(t), r.Model().Network()
	x, _ := net.DAG().Index(pair[0])
	y, _ := net.DAG().Index(pair[1])
	for k, v := range must.Get(net.Query([]int{x, y}, nil))(t) {
		sum += math.Abs(float64(counts[k]) - v*n)
	}
	return sum / (2 * n)
}

// Intervals and bounds hold the true distances of all pairs, measured or not, of releases by all notions: at a level
// that leaves 1e-10 to chance, and at one half for at least 12 of 72, which fails once in 1e9.
func TestDistancesHoldTheTruth(t *testing.T) {
	f := payroll(t, 6000)
	open := must.Get(f.Data().AsPublic("made up in this test"))(t)
	within, all, seeds := 0, 0, uint64(6)
	if testing.Short() {
		seeds = 2
	}
	for seed := range seeds {
		for _, c := range []struct {
			m      model.LearnedModel
			noise  privbayes.Mechanism
			target privbayes.Target
		}{
			{privbayes.Tree(), privbayes.DiscreteGaussian(), privbayes.ZCDP(.5)},
			{privbayes.MaxEntropy(), privbayes.DiscreteGaussian(), privbayes.ZCDP(.05).Under(dp.AddRemove)},
			{privbayes.Tree(), privbayes.Geometric(), privbayes.PureDP(3)},
		} {
			r := must.Get(f.Learn(c.m.Always().Statements()).Privatize(c.noise, c.target, privbayes.Seeded(seed)).Release())(t)
			size := r.Structure().Size
			sure, half := must.Get(r.Distances(1-1e-10))(t), must.Get(r.Distances(.5))(t)
			released := 0
			for i, d := range sure {
				far := farFrom(t, open, r, size, d.Columns)
				if !(d.Lower <= far && far <= d.Upper && far <= d.AtOnce) || !d.Released && d.Upper != d.AtOnce {
					t.Errorf("%v, seed %d: %+v for %v", c.target, seed, d, far)
				}
				if d.Released {
					released++
				}
				if h := half[i]; h.Released && c.target.Notion != dp.Pure {
					if all++; h.Lower <= far && far <= h.Upper {
						within++
					}
				}
			}
			if want := map[bool]int{true: 1, false: 6}[c.target.Notion == dp.Pure]; len(sure) != 6 || released != want {
				t.Fatalf("%v: %d of %d distances", c.target, released, len(sure))
			}
		}
	}
	if all != 12*int(seeds) || seeds == 6 && within < 12 {
		t.Errorf("%d of %d intervals of level .5 hold the truth", within, all)
	}
}

// A release says how far it is, its file says the same and verifies, and a pair that was not measured has a typed
// error with its distance; without statements nothing is known of it.
func TestStatementsOfReleases(t *testing.T) {
	f, path := payroll(t, 6000), filepath.Join(t.TempDir(), "pay.json")
	r := must.Get(f.Learn(privbayes.Tree().Always().Statements()).Privatize(privbayes.DiscreteGaussian(),
		privbayes.ZCDP(.5), privbayes.Seeded(2), privbayes.KeepIn(path)).Release())(t)
	loaded := must.Get(release.Load(t.Context(), path))(t)
	list := must.Get(r.Distances(.95))(t)
	if !reflect.DeepEqual(list, must.Get(loaded.Distances(.95))(t)) {
		t.Error("the file says another distance")
	}
	if v := must.Get(release.Verify(t.Context(), path))(t); !v.OK() {
		t.Error(v)
	}
	for _, words := range []string{"How far the model is from the rows", "Half of the 6 pairs are within"} {
		if text := fmt.Sprint(loaded.Parts()); !strings.Contains(text, words) {
			t.Errorf("%q is missing in %s", words, text)
		}
	}
	folder := filepath.Join(t.TempDir(), "sets")
	must.Do(t, must.Get(r.SyntheticSets(t.Context(), 2, 100))(t).Write(t.Context(), folder))
	page := string(must.Get(os.ReadFile(filepath.Join(folder, "README.md")))(t))
	if !strings.Contains(page, "Half of the 6 pairs are within") {
		t.Error(page)
	}
	plain := must.Get(f.Learn(privbayes.Tree().Always()).Privatize(privbayes.DiscreteGaussian(), privbayes.ZCDP(.5),
		privbayes.Seeded(2)).Release())(t)
	unmeasured := 0
	for _, d := range list {
		var no *release.NotAnsweredError
		_, err := r.MeasuredShares(t.Context(), .95, d.Columns[0], d.Columns[1])
		if d.Measured {
			must.Do(t, err)
			continue
		}
		unmeasured++
		if !errors.As(err, &no) || no.Distance == nil || *no.Distance != d ||
			!strings.Contains(err.Error(), "the true table is within ") {
			t.Errorf("%v: %v", d.Columns, err)
		}
	}
	if unmeasured != 3 {
		t.Errorf("%d pairs have no table", unmeasured)
	}
	var bad *dp.ParameterError
	if _, err := plain.Distances(.95); !errors.As(err, &bad) {
		t.Error(err)
	}
	if _, err := r.Distances(1); !errors.As(err, &bad) {
		t.Error(err)
	}
	for _, m := range []model.LearnedModel{privbayes.MaxEntropy().Star("sex"), privbayes.PrivBayes()} {
		if err := f.Learn(m.Statements()).Privatize(privbayes.Geometric(), privbayes.PureDP(1)).Err(); err == nil ||
			!strings.Contains(err.Error(), "Statements") {
			t.Errorf("%s: %v", m, err)
		}
	}
}
