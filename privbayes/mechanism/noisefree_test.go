package mechanism_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/catalog"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/dirichlet"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/gridmap"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/posteriorsample"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/regression"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// noiseFree is a target so weak that a draw from its noise is 0, or a step of a fine lattice; the smaller ones are for
// mechanisms that have no plan for it.
var noiseFree = []dp.Request{dp.ApproxDP(1e6, 1e-9), dp.ApproxDP(300, 1e-9)}

// sampled are the mechanisms that draw from a posterior, or on a grid, whatever the noise: what they give of 300
// records is near the table, and not the table. So are ranks, which are as good as the bins.
var sampled = []string{dirichlet.Kind, dirichlet.RecordsKind, gridmap.Kind, posteriorsample.Kind,
	regression.SamplerKind,
	"quantile-em", "joint-quantiles"}

// ofRows counts random rows, lopsided ones, for a shape of public n.
func ofRows(t *testing.T, sh *model.Shape) *model.Statistics {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	n, _ := sh.N()
	columns := map[string]any{}
	for _, c := range sh.Schema().Columns {
		numbers, words := make([]float64, n), make([]string, n)
		for i := range n {
			if u := r.Float64(); c.Numeric() {
				numbers[i] = math.Floor(c.Min + u*u*(c.Max-c.Min))
			} else {
				words[i] = c.Categories[int(u*u*u*float64(len(c.Categories)))]
			}
		}
		if columns[c.Name] = words; c.Numeric() {
			columns[c.Name] = numbers
		}
		if strata := sh.Schema().FixedStrata(); strata != nil && c.Name == sh.Schema().Strata.Column {
			words = words[:0]
			for _, h := range strata {
				words = append(words, slices.Repeat([]string{h.Label}, int(h.Sampled))...)
			}
		}
	}
	f := must.Get(frame.FromColumns(sh.Schema(), columns))(t)
	return must.Get(model.Count(sh, f))(t)
}

// distance is the largest difference between two fits of one shape: of the means of their posteriors, or of their
// parameters as shares of the larger one.
func distance(have, want *model.Fitted) (worst float64) {
	see := func(a, b, scale float64) { worst = math.Max(worst, math.Abs(a-b)/scale) }
	if d := have.Draws(); d != nil && want.Draws() != nil {
		b := want.Draws().Mean()
		for i, a := range d.Mean() {
			see(a, b[i], math.Max(1, math.Abs(b[i])))
		}
		return worst
	}
	a, b := have.Posteriors(), want.Posteriors()
	if len(a) != len(b) || a[0].Dirichlet == nil || want.Shape().Model().String() != have.Shape().Model().String() {
		a, b = []model.Named{have.Target()}, []model.Named{want.Target()} // a learned structure: the target's margin
	}
	for i := range a {
		for k, x := range a[i].Mean() {
			see(x, b[i].Mean()[k], 1)
		}
	}
	return worst
}

// The estimate of a noise-free draw is the table: for every mechanism and post-processing, on every shape, what is
// fitted to it is what is fitted to the data. An estimate of 0 records is not.
func TestEstimateOfANoiseFreeDraw(t *testing.T) {
	list := slices.Clone(variants)
	for _, d := range catalog.All() {
		list = append(list, d.New(mechanism.Options{Count: 300}))
	}
	for _, post := range []counts.PostProcess{counts.PosteriorMean, counts.FlatPosteriorMean, counts.Clamp, counts.Clip,
		counts.Project, counts.Consistent} {
		for _, m := range []counts.Noise{counts.Geometric(), counts.DiscreteGaussian(), counts.Laplace()} {
			list = append(list, m.WithPostProcess(post))
		}
		list = append(list, counts.KNorm().WithPostProcess(post))
	}
	const n = 300
	all := append(shapes(t)[:9], weightedShapes(t, n)...) // those of numbers, of weights, and of strata
	stays := false
	strata := &frame.Schema{Dataset: "test", Columns: []frame.Column{frame.Categorical("g", "a", "b"),
		frame.Integer("k", 0, 30)}, Strata: &frame.Strata{Column: "g", Sizes: map[string]int64{"a": 9000, "b": 1000},
		Sampled: map[string]int64{"a": 200, "b": 100}, Moves: &stays}}
	all = append(all, must.Get(model.NewShape(strata, model.Mean("k"), n, true, ""))(t))
	for i, m := range []model.Model{model.Binary("c0"), model.NaiveBayes("c0"), collider, model.Tree().Always(),
		model.LogisticRegression("c0", "c1", "c2")} {
		all = append(all, shape(t, m, n, 1, [][]int{{2}, {2, 2, 3}, {2, 3, 2, 2}, {2, 3, 2}, {2, 3, 2}}[i]...))
	}
	seen, caught := map[string]int{}, 0
	for _, m := range list {
		for i, sh := range all {
			p, err := noiseFreePlan(quick(t), m, sh)
			if errors.As(err, new(*mechanism.UnsupportedError)) {
				continue
			}
			if err != nil {
				t.Fatalf("%s on %s: %v", m.Name(), sh.Model(), err)
			}
			st := ofRows(t, sh)
			want := must.Get(model.FitPrivately(access.Mine(), st))(t)
			drawn := must.Get(p.Draw(t.Context(), st, "id", dp.Seeded(3)))(t)
			e := must.Get(p.Estimate(t.Context(), drawn))(t)
			have := must.Get(model.Fit(sh, e))(t)
			most := .02
			if _, latent := sh.Model().(model.MeanSDModel); latent || slices.Contains(sampled, m.Name()) {
				most = .25 // a Spread is of a normal before it is clipped
			}
			if e.Sampling != nil {
				most = .05 // the posterior has the noise that was not drawn, and its prior
			}
			if e.Draws != nil && most > .1 {
				most = .4 // draws of weak evidence: a node whose parents are rarely so
			}
			if sh.Linear() != nil && sh.Classifies() {
				most = .9 // of log-odds: of 2.4 times least squares, or a mean of 300 rows in the noise that was not drawn
			}
			if far := distance(have, want); !(far <= most) {
				t.Errorf("%s on shape %d, %s: %.3g away from what the data give", p.Title(), i, sh.Model(), far)
			}
			seen[m.Name()]++
			if e.Tables == nil || len(e.Tables) != len(sh.Tables()) || e.WithPrior {
				continue
			}
			for k := range e.Tables {
				e.Tables[k] = make([]float64, len(e.Tables[k]))
			}
			if e.Class != nil {
				e.Class = make([]float64, len(e.Class))
			}
			if have, err = model.Fit(sh, e); err != nil {
				t.Fatal(err)
			}
			if caught++; distance(have, want) <= most {
				t.Errorf("%s on shape %d, %s: an estimate of 0 records passes", p.Title(), i, sh.Model())
			}
		}
	}
	for _, d := range catalog.All() {
		if seen[d.Kind] == 0 && d.Kind != "privbayes" {
			t.Errorf("%s was not tried", d.Kind)
		}
	}
	if caught < 40 {
		t.Errorf("only %d estimates of 0 records were tried", caught)
	}
}

// noiseFreePlan is the plan for the weakest target that the mechanism has a plan for.
func noiseFreePlan(ctx context.Context, m mechanism.Mechanism, sh *model.Shape) (p *mechanism.Plan, err error) {
	targets := noiseFree
	if slices.Contains(sampled, m.Name()) {
		targets = []dp.Request{dp.ApproxDP(40, 1e-9)}
	}
	for _, target := range targets {
		if sh.Schema().FixedStrata() != nil {
			target = target.Under(dp.WithinStrata)
		}
		if p, err = m.Plan(ctx, sh, target); err == nil {
			return p, nil
		}
	}
	return nil, err
}
