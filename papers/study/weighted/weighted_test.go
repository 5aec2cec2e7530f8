package weighted

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/survey"
	"github.com/privbayes/privbayes-go/papers/study/simulate/full"
)

const command = "go test ./papers/study/weighted -run TestFull -write -timeout 1h"

// TestFull makes results.json, some ten minutes of one processor; it runs only when asked to.
func TestFull(t *testing.T) {
	all := &Result{}
	full.Run(t, "results.json", true, all, func(ctx context.Context, save func()) error {
		all.Library, all.Command, all.Seed = full.Library, command, 2026
		done := len(all.Cells)
		for _, d := range designs() {
			if done -= len(d.rates); done >= 0 {
				continue
			}
			cells, err := d.run(ctx, all.Seed)
			if err != nil {
				return err
			}
			all.Cells = append(all.Cells, cells...)
			save()
		}
		return nil
	})
}

// least is what the coverage of every cell of a kind has to be, and how many cells there are.
var least = map[string]struct {
	coverage float64
	cells    int
}{
	"share": {.92, 90}, "mean": {.925, 90}, "mean, five boxes": {.925, 6}, "total": {.93, 54}, "domain share": {.93, 15},
	"domain mean": {.93, 15}, "strata share": {.92, 72}, "strata mean": {.92, 18}, "calibrated share": {.92, 76},
	"calibrated mean": {.90, 56}, "clusters": {.91, 24}, "clusters as units": {.91, 12}, "quantile": {.93, 48},
	"share, zCDP": {.91, 6}, "mean, zCDP": {.91, 6}, "square and add": {0, 3}, "hard share": {0, 4},
	"hard calibrated share": {0, 2},
}

// The committed run: every kind covers what is asked of it, and no interval is without a width. Where strata's own
// intervals are combined, or a few rows carry weight and value, they do not: these cells are kept, too.
func TestCommitted(t *testing.T) {
	r, err := Committed()
	if err != nil || r.Command != command {
		t.Fatal(r, err)
	}
	cells, low := map[string]int{}, map[string]int{}
	sum, worst, wide := map[string]float64{}, map[string]float64{}, map[string]float64{}
	for _, c := range r.Cells {
		want, known := least[c.Kind]
		cells[c.Kind]++
		sum[c.Kind] += c.Coverage
		if w, any := worst[c.Kind]; !any || c.Coverage < w {
			worst[c.Kind] = c.Coverage
		}
		if c.Coverage < .93 {
			low[c.Kind]++
		}
		if !known || c.Coverage < want.coverage || c.Empty > 0 {
			t.Errorf("%+v: want %v", c, want.coverage)
		}
		if at := fmt.Sprint(c.Kind, c.N, c.Rate); c.Design == "CV 1" {
			wide[at] = c.Width
		}
	}
	for kind, want := range least {
		t.Logf("%s: %d cells, mean %.4f, least %.4f, %d below .93", kind, cells[kind],
			sum[kind]/float64(cells[kind]), worst[kind], low[kind])
		if cells[kind] != want.cells {
			t.Errorf("%s: %d cells, want %d", kind, cells[kind], want.cells)
		}
	}
	if low["share"] > 3 || low["square and add"] < 3 || worst["square and add"] > .1 || worst["hard share"] > .9 {
		t.Errorf("below .93: %v, least %v", low, worst)
	}
	for at, most := range map[string]float64{"share5000 1": 1.10, "mean5000 1": 1.27, "share1000 3": 1.12,
		"mean1000 3": 1.20} {
		if w, ok := wide[at]; !ok || w > most {
			t.Errorf("%s: %.3f times as wide as without privacy, at most %v", at, w, most)
		}
	}
}

// Some designs again, few releases each: the coverage is at least what one of .93 exceeds but for 1e-9. It is not where
// the weights' squares are taken for those of equal weights, or the strata's own intervals are combined.
func TestLive(t *testing.T) {
	equal := func(d dealer, src rand.Source, rows []row) ends { // Σt² for (Σt)²/n
		z := d.share(src, rows, 1)[0]
		rest := 1 - (z.Own.Weight+z.Others.Weight)/float64(len(rows))
		z.Own.Rest, z.Others.Rest = z.Own.Weight*rest, z.Others.Weight*rest
		return endsOf(survey.Share(z.Own, z.Others, 2, d.noise, alpha, level))
	}
	share := sharePopulations()[3].design("share", 1000, 1000, []float64{3})
	wrong := share
	wrong.kind, wrong.interval = "share, squares of equal weights", equal
	list := []design{share, wrong, meanPopulations()[2].design("mean", 300, 80, []float64{1})}
	for _, d := range strataShares() {
		if d.n == 20 && strings.HasSuffix(d.name, "–0.05") {
			if d.rates, d.runs = []float64{1}, 100; d.kind != "strata share" {
				d.runs = 40
			}
			list = append(list, d)
		}
	}
	shares := cellPopulation{name: "6 cells", share: []float64{.4, .25, .15, .1, .06, .04}, ones: even(6, .1, .6),
		responses: []float64{2, 1, .5, 1, .3, 1.5}}
	list = append(list, shares.calibrated(3000, 150, []float64{3}))
	var kinds []string
	for _, d := range list {
		cells, err := d.run(t.Context(), 7)
		if err != nil {
			t.Fatal(err)
		}
		fails := d.kind == "square and add" || d.kind == wrong.kind
		if limit := full.Fewest(d.runs, .93, 1e-9); (cells[0].Coverage < limit) != fails {
			t.Errorf("%+v, limit %.3f", cells[0], limit)
		}
		kinds = append(kinds, d.kind)
	}
	if len(kinds) != 6 {
		t.Errorf("%v", kinds)
	}
}

// What rows deal is at most all tokens of a unit, and the boxes of a row are those of its weight and value.
func TestTokens(t *testing.T) {
	d, err := newDealer(1)
	if err != nil {
		t.Fatal(err)
	}
	d.draw, d.half = func(rand.Source) int64 { return 0 }, func(rand.Source) int64 { return 0 }
	near := func(what string, got, want float64) {
		if !(math.Abs(got-want) < 1e-6 && got <= want+1e-12) {
			t.Errorf("%s: %v, want at most %v", what, got, want)
		}
	}
	rows := []row{{w: 37, k: 100}}
	w, x := .37, 100./grid
	six := d.six(nil, rows, 1)[0].Boxes
	for j, b := range []float64{(1 - x) * (1 - x), 2 * x * (1 - x), x * x} {
		near("t·b", six.Weight[j], w*b)
		near("t(1−t)·b", six.Rest[j], w*(1-w)*b)
	}
	z := d.total(nil, rows)
	near("z", z.Weight, w*x)
	near("z(1−z)", z.Rest, w*x*(1-w*x))
	a, c := w*x/2, w*(1-x)/2
	for j, b := range []float64{a * a, c * c, 2 * a * c, 2 * a * (1 - a - c), 2 * c * (1 - a - c)} {
		near("five", d.five(nil, rows, 1, 2)[j], b)
	}
	if p := d.pairs(nil, rows, 1)[0]; math.Abs(p.Ones-w*x) > 1e-6 || math.Abs(p.Zeros-w*(1-x)) > 1e-6 {
		t.Errorf("pair %+v", p)
	}
}

// A cell's text is read as it was written; what is no cell is refused.
func TestCellsAreText(t *testing.T) {
	c := Cell{"share", "CV 1, y rises", 300, .1, 4000, .95, 1.25, .9, 2}
	text, err := c.MarshalText()
	var again Cell
	if err == nil {
		err = again.UnmarshalText(text)
	}
	if err != nil || !reflect.DeepEqual(again, c) {
		t.Errorf("%q: %+v, %v", text, again, err)
	}
	if again.UnmarshalText([]byte("share | CV 1")) == nil {
		t.Error("no cell is read")
	}
}
