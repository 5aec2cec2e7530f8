package quantiles_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/quantiles"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/sensitivity"
)

// all are the mechanisms of this room.
var all = []mechanism.Mechanism{quantiles.Histogram(), quantiles.EM(), quantiles.Joint()}

func shape(t *testing.T, n, rows int, m model.Model) *model.Shape {
	t.Helper()
	s := &frame.Schema{Dataset: "test", RowsPerUnit: rows, Columns: []frame.Column{frame.Integer("k", 0, 1000),
		frame.Real("x", -1, 0, 1)}}
	return must.Get(model.NewShape(s, m, n, true, ""))(t)
}

// drawn releases statistics with a seed.
func drawn(t *testing.T, m mechanism.Mechanism, sh *model.Shape, target dp.Request, counts []int64,
	seed uint64) *release.Release {
	t.Helper()
	p := must.Get(m.Plan(t.Context(), sh, target))(t)
	n := 0
	for _, c := range counts {
		n += int(c)
	}
	st := must.Get(model.FromWhole(p.Shape(), n, counts))(t)
	d := must.Get(p.Draw(t.Context(), st, "test", dp.Seeded(seed)))(t)
	return must.Get(release.New(t.Context(), p, d))(t)
}

// The whole budget is spent: pure ε exactly, by the bounded range at ρ = w²/8, and by σ² of twenty bits.
func TestTheBudgetIsSpent(t *testing.T) {
	for _, m := range all {
		for _, rows := range []int{1, 5} {
			sh := shape(t, 400, rows, model.Quantiles("k", .1, .5, .9))
			for _, target := range []dp.Request{dp.PureDP(1), dp.PureDP(.01), dp.PureDP(20), dp.ApproxDP(.5, 1e-6),
				dp.ZCDP(.1), dp.RenyiDP(8, .3), dp.PureDP(1).Under(dp.AddRemove), dp.ZCDP(1).Under(dp.AddRemove)} {
				p, err := m.Plan(t.Context(), sh, target)
				if err != nil {
					t.Fatalf("%s, %v: %v", m.Title(), target, err)
				}
				got, want := p.Certified(), target.Parameters
				share := float64(got.Epsilon) / float64(want.Epsilon)
				if want.Notion == dp.Concentrated {
					share = float64(got.Rho) / float64(want.Rho)
				}
				if share > 1 || share < 1-2e-6 {
					t.Errorf("%s, %d rows, %v: certified %v", m.Title(), rows, target, got)
				}
			}
		}
	}
}

// Quantiles of many records are close to those of the data, under ties, too; a release loads, verifies and says the
// same.
func TestReleasesAreCloseAndVerify(t *testing.T) {
	counts := make([]int64, 1001)
	for v := range counts {
		counts[v] = int64(v % 7)
	}
	counts[500] += 4000 // more than half of all records
	for _, m := range all {
		for _, target := range []dp.Request{dp.PureDP(2), dp.PureDP(2).Under(dp.AddRemove)} {
			n := 0
			for _, c := range counts {
				n += int(c)
			}
			r := drawn(t, m, shape(t, n, 1, model.Quantiles("k", .05, .5, .75)), target, counts, 7)
			got := r.Draws().Mean()
			if math.Abs(got[0]-117) > 25 || got[1] != 500 || got[2] != 500 {
				t.Errorf("%s, %v: %v, want about [117 500 500]", m.Title(), target, got)
			}
			b := must.Get(r.JSON())(t)
			again := must.Get(release.Parse(t.Context(), b))(t)
			if v := again.Draws().Mean(); v[0] != got[0] || v[2] != got[2] {
				t.Errorf("loaded: %v, drawn: %v", v, got)
			}
			if v, err := release.VerifyBytes(t.Context(), b); err != nil || !v.OK() {
				t.Errorf("verification: %v, %v", v, err)
			}
			if s := r.Summary().String(); !strings.Contains(s, "0.05") {
				t.Errorf("the summary has no row for .05:\n%s", s)
			}
		}
	}
}

// All records at one point, no records at all, and more quantiles than there are records are legal data.
func TestLegalData(t *testing.T) {
	for _, m := range all {
		at := make([]int64, 1001)
		at[3] = 5000
		r := drawn(t, m, shape(t, 5000, 1, model.Quantiles("k", .1, .9)), dp.PureDP(4), at, 1)
		if v := r.Draws().Mean(); v[0] != 3 || v[1] != 3 {
			t.Errorf("%s: all records at 3, drew %v", m.Title(), v)
		}
		drawn(t, m, shape(t, 0, 1, model.Quantiles("k", .1, .9)), dp.PureDP(4), make([]int64, 1001), 1)
		at[3] = 1
		drawn(t, m, shape(t, 1, 1, model.Quantiles("k", .1, .2, .3, .4, .5, .6)), dp.PureDP(4), at, 1)
	}
}

func TestRefusals(t *testing.T) {
	s := &frame.Schema{Dataset: "test", Columns: []frame.Column{frame.Integer("k", 0, 1000), frame.Real("x", -1, 0, 1),
		frame.Categorical("g", "a", "b"), frame.Integer("two", 0, 1)}}
	var e *model.Error
	for name, m := range map[string]model.Model{
		"p of 0": model.Quantiles("k", 0), "p of 1": model.Quantiles("k", 1), "p above 1": model.Quantiles("k", 1.5),
		"no number": model.Quantiles("k", math.NaN()), "out of order": model.Quantiles("k", .5, .25),
		"twice": model.Quantiles("k", .5, .5), "no fraction": model.Quantiles("k", 1/math.Pi),
		"categories": model.Quantiles("g", .5), "more than points": model.Quantiles("two", .25, .5, .75),
		"a prior": func() model.Model {
			d, _ := model.Describe("quantiles")
			d.Target, d.Alpha = "k", model.Prior{1}
			m, _ := d.Model()
			return m
		}(),
		"resolution": model.Quantiles("x", .5).WithResolution(1 << 21), "negative": model.Quantiles("x",
			.5).WithResolution(-1),
	} {
		if _, err := model.NewShape(s, m, 10, true, ""); !errors.As(err, &e) {
			t.Errorf("%s: %v, want a *model.Error", name, err)
		}
	}
	many := make([]float64, 21)
	for i := range many {
		many[i] = float64(i+1) / 22
	}
	var unsupported *mechanism.UnsupportedError
	if _, err := quantiles.Joint().Plan(t.Context(), shape(t, 10, 1, model.Quantiles("k", many...)),
		dp.PureDP(1)); !errors.As(err, &unsupported) {
		t.Errorf("21 quantiles at once: %v", err)
	}
	if _, err := quantiles.Joint().Plan(t.Context(),
		shape(t, 10, 1, model.Quantiles("x", .5).WithResolution(1<<20-1)), dp.PureDP(1)); !errors.As(err, &unsupported) {
		t.Errorf("a lattice of 2^20 points: %v", err)
	}
	if _, err := quantiles.EM().Plan(t.Context(), shape(t, 10, 1, model.Mean("k")), dp.PureDP(1)); !errors.As(err,
		&unsupported) {
		t.Errorf("a mean: %v", err)
	}
	private := must.Get(model.NewShape(s, model.Quantiles("k"), 0, false, "Where"))(t)
	var adjacency *sensitivity.AdjacencyError
	if _, err := quantiles.EM().Plan(t.Context(), private, dp.PureDP(1)); !errors.As(err, &adjacency) {
		t.Errorf("a private n: %v", err)
	}
	if _, err := quantiles.EM().Plan(t.Context(), private, dp.PureDP(1).Under(dp.AddRemove)); err != nil {
		t.Errorf("a private n under add-remove: %v", err)
	}
}

// The predicted rank error is a bound that draws keep: with probability 0.95 each, and so for at least 400 of 500, with
// a false alarm below 1e-9.
func TestExpectedRankError(t *testing.T) {
	const n = 2000
	counts := make([]int64, 1001)
	for i := range n {
		counts[i/2]++
	}
	sh := shape(t, n, 1, model.Quantiles("k", .3))
	p := must.Get(quantiles.EM().Plan(t.Context(), sh, dp.PureDP(.2)))(t)
	bound := p.Expected()[0].Value
	if bound > .1 {
		t.Errorf("the bound is %v of n: too wide to be of use", bound)
	}
	kept := 0
	for seed := range uint64(500) {
		v := drawn(t, quantiles.EM(), sh, dp.PureDP(.2), counts, seed).Draws().Mean()[0]
		if math.Abs(2*v/n-.3) <= bound+2./n {
			kept++
		}
	}
	if kept < 400 {
		t.Errorf("%d of 500 draws within the bound", kept)
	}
}

func BenchmarkOneOf1e5(b *testing.B) {
	s := &frame.Schema{Dataset: "test", Columns: []frame.Column{frame.Real("x", 0, 1)}}
	sh := must.Get(model.NewShape(s, model.Quantiles("x", .5).WithResolution(1e5), 1e5, true, ""))(b)
	p := must.Get(quantiles.EM().Plan(b.Context(), sh, dp.PureDP(1)))(b)
	counts := make([]int64, 1e5+1)
	for i := range int(1e5) {
		counts[i] = 1
	}
	st := must.Get(model.FromWhole(sh, 1e5, counts))(b)
	for b.Loop() {
		must.Get(p.Draw(b.Context(), st, "test", dp.Seeded(1)))(b)
	}
}

func BenchmarkCountedOf1e5(b *testing.B) {
	s := &frame.Schema{Dataset: "test", Columns: []frame.Column{frame.Real("x", 0, 1)}}
	sh := must.Get(model.NewShape(s, model.Quantiles("x").WithResolution(1e5), 1e5, true, ""))(b)
	p := must.Get(quantiles.Histogram().Plan(b.Context(), sh, dp.PureDP(1)))(b)
	counts := make([]int64, 1e5+1)
	for i := range int(1e5) {
		counts[i] = 1
	}
	st := must.Get(model.FromWhole(sh, 1e5, counts))(b)
	for b.Loop() {
		d := must.Get(p.Draw(b.Context(), st, "test", dp.Seeded(1)))(b)
		must.Get(p.Estimate(b.Context(), d))(b)
	}
}
