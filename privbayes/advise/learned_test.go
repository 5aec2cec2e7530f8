package advise_test

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/advise"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/privbayes2017"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/sums"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Learned structures are priced by the distance of pairs on simulated tables: more rows and a larger ε cost less, and
// what applies to no learner says so.
func TestAdviceOnLearnedStructures(t *testing.T) {
	if testing.Short() {
		t.Skip("simulations only")
	}
	s := &frame.Schema{Dataset: "advised", Columns: []frame.Column{frame.Categorical("a", "x", "y"),
		frame.Categorical("b", "x", "y", "z"), frame.Categorical("c", "x", "y"), frame.Categorical("d", "x", "y")}}
	found := map[string]float64{}
	for name, n := range map[string]int{"few": 300, "many": 20000} {
		for _, m := range []model.LearnedModel{model.Tree(), model.MaxEntropy()} {
			sh := must.Get(model.NewShape(s, m.Always(), n, true, ""))(t)
			a := must.Get(advise.For(t.Context(), sh, []dp.Request{dp.ZCDP(.05), dp.ZCDP(2)}, advise.Options{Data: 12}))(t)
			for i, level := range []string{"low", "high"} {
				best := a.Rows(i)[0] // the one asked about
				if !(best.Error > 0 && best.Error < .5) || math.IsNaN(best.KL) || !strings.Contains(best.Go, "Learned") {
					t.Errorf("%s, %s: %+v", m, level, best)
				}
				found[name+level+m.String()] = best.Error
			}
			if !strings.Contains(a.String(), "total variation") || !strings.Contains(a.String(), "random tree") {
				t.Error(a)
			}
		}
	}
	for _, m := range []model.LearnedModel{model.Tree(), model.MaxEntropy()} {
		if found["fewlow"+m.String()] < 2*found["fewhigh"+m.String()] ||
			found["fewlow"+m.String()] < 2*found["manylow"+m.String()] {
			t.Errorf("%v", found)
		}
	}
}

func advisedShape(t *testing.T, m model.Model, n int) *model.Shape {
	t.Helper()
	s := &frame.Schema{Dataset: "advised", Columns: []frame.Column{frame.Categorical("a", "x", "y"),
		frame.Categorical("b", "x", "y", "z"), frame.Categorical("c", "x", "y"), frame.Categorical("d", "x", "y")}}
	return must.Get(model.NewShape(s, m, n, true, ""))(t)
}

// Every learned structure has a row with a number, beside the others and what the user names, on the same data: the
// same model has the same row whichever is asked about.
func TestAdviceComparesModels(t *testing.T) {
	if testing.Short() {
		t.Skip("simulations only")
	}
	star := model.MaxEntropy().Star("b")
	given := model.Network("a", model.Node("a"), model.Node("b", "a"), model.Node("c", "b"), model.Node("d", "a", "c"))
	common := map[string]float64{}
	for _, m := range []model.LearnedModel{model.PrivBayes(), model.PrivBayes().Degree(1), model.PrivBayes().Degree(2),
		model.Cliques(3), model.Tree().Always(), star} {
		sh := advisedShape(t, m, 2000)
		a, err := advise.For(t.Context(), sh, []dp.Request{dp.PureDP(1)},
			advise.Options{Data: 16, Memory: 1 << 30, AlsoCompare: []model.Model{star, given}})
		if err != nil {
			t.Fatal(m, err)
		}
		shown := a.String() + a.Detail(0).String() + a.Reason(0)
		for _, bad := range []string{"NaN", "()  ", ":  (", "arithmetic .", "no model applies"} {
			if strings.Contains(shown, bad) {
				t.Errorf("%s shows %q:\n%s", m, bad, shown)
			}
		}
		about := map[string]bool{}
		for _, r := range a.Rows(0) {
			about[model.Expression(r.Model)] = true
			if r.Refused != "" || !(r.Error > 0 && r.Error < .5) || r.Go == "" || r.Chosen == nil || math.IsNaN(r.KL) {
				t.Errorf("%s: %+v", m, r)
			}
			if e, seen := common[model.Expression(r.Model)]; seen && e != r.Error {
				t.Errorf("%s beside %s: error %v, asked about in another place %v", r.Model, m, r.Error, e)
			}
			common[model.Expression(r.Model)] = r.Error
		}
		for _, want := range []model.Model{m, model.MaxEntropy(), model.Tree(), star, given} {
			if !about[model.Expression(want)] && m.Settings().Star == "" && len(m.Settings().Columns) == 0 {
				t.Errorf("%s: no row of %s; have %v", m, want, about)
			}
		}
	}
	// data from trees: a structure is worth more than none, and what is asked about is what is drawn
	alone := common[model.Expression(model.Network("a", model.Node("a"), model.Node("b"), model.Node("c"),
		model.Node("d")))]
	for _, m := range []model.Model{model.Tree(), model.MaxEntropy(), given} {
		if e := common[model.Expression(m)]; !(e < .6*alone) {
			t.Errorf("%s: error %v, every column by itself %v", m, e, alone)
		}
	}
	if common[model.Expression(model.PrivBayes().Degree(2))] == common[model.Expression(model.PrivBayes().Degree(1))] {
		t.Error("degrees 1 and 2 have one error")
	}
}

// What cannot be compared is refused with what can.
func TestAdviceBesideRefuses(t *testing.T) {
	learned, given := advisedShape(t, model.Tree(), 500), advisedShape(t, model.Categorical("a"), 500)
	for name, c := range map[string]struct {
		sh *model.Shape
		m  model.Model
	}{
		"beside a given model": {given, model.Tree()}, "no pairs": {learned, model.NaiveBayes("a")},
		"fewer columns": {learned, model.Tree().Of("a", "b")}, "nothing": {learned, nil},
	} {
		_, err := advise.For(t.Context(), c.sh, []dp.Request{dp.PureDP(1)},
			advise.Options{Data: 4, AlsoCompare: []model.Model{c.m}})
		var advised *advise.Error
		var modelled *model.Error
		if !errors.As(err, &advised) && !errors.As(err, &modelled) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Pairs of a network are those of its joint distribution, in either order of the columns.
func TestPairsUnderANetwork(t *testing.T) {
	sh := advisedShape(t, model.MaxEntropy(), 1000)
	st := must.Get(sh.Simulate(t.Context(), 1, dp.Seeded(3)))(t)
	p, err := privbayes2017.New().Plan(t.Context(), advisedShape(t, model.PrivBayes().Degree(2), 1000), dp.PureDP(1))
	if err != nil {
		t.Fatal(err)
	}
	other := must.Get(st.Under(t.Context(), p.Shape()))(t)
	drawn := must.Get(p.Draw(t.Context(), other, "test", dp.Seeded(5)))(t)
	e := must.Get(p.Estimate(t.Context(), drawn))(t)
	f := must.Get(model.Fit(p.Shape(), e))(t)
	got := must.Get(f.PairsUnder(t.Context(), sh))(t)
	net, levels := f.Network(), []int{2, 3, 2, 2}
	for i, pair := range sh.Learning().Pairs {
		want := make([]float64, levels[pair[0]]*levels[pair[1]])
		for a := range 2 {
			for b := range 3 {
				for c := range 2 {
					for d := range 2 {
						codes := []int{a, b, c, d}
						l := must.Get(net.LogProb(codes))(t)
						want[codes[pair[0]]*levels[pair[1]]+codes[pair[1]]] += math.Exp(l)
					}
				}
			}
		}
		for k, w := range want {
			if math.Abs(got[i][k]-w) > 1e-12 {
				t.Fatalf("pair %v: %v, want %v", pair, got[i], want)
			}
		}
	}
	if m := f.Means(); len(m) != 6 {
		t.Errorf("%d pairs by Means", len(m))
	}
}

// Where no data set can be afforded, nothing of theory stands among distances of pairs: it has other units.
func TestAdviceOnModelsWithoutTime(t *testing.T) {
	a := must.Get(advise.For(t.Context(), advisedShape(t, model.Tree(), 1_000_000), []dp.Request{dp.PureDP(1)},
		advise.Options{Time: 300 * time.Millisecond}))(t)
	for _, r := range a.Rows(0) {
		if !r.LeftOut || r.Refused == "" || !math.IsNaN(r.Error) {
			t.Errorf("%+v", r)
		}
	}
	if s := a.String(); strings.Contains(s, "NaN") || !strings.Contains(s, "left out: learned tree") {
		t.Error(s)
	}
}

// The table of theory/numbers.md §2, whatever the guess is.
func TestBestBound(t *testing.T) {
	for _, c := range []struct{ n, cTheta, sd float64 }{{10, 2.1, 1.9}, {100, 3, 1.17}, {1e3, 4.7, 1.03}, {1e4, 6.6, 1.01},
		{1e5, 8.7, 1}} {
		for _, guess := range []float64{.02, 3} {
			n := 100_000 // and ε so that nε² is the table's
			b := must.Get(advise.BestBound(guess, n, math.Sqrt(c.n/float64(n))))(t)
			if math.Abs(b.Upper*guess/c.cTheta-1) > .04 || math.Abs(b.Relative*math.Sqrt(float64(n))/c.sd-1) > .02 {
				t.Errorf("nε² = %v: c·θ = %.3f, %.3f/√n for %v and %v", c.n, b.Upper*guess,
					b.Relative*math.Sqrt(float64(n)), c.cTheta, c.sd)
			}
		}
	}
	var e *advise.Error
	for _, c := range []struct {
		guess float64
		n     int
		eps   float64
	}{{0, 10, 1}, {math.NaN(), 10, 1}, {1, 0, 1}, {1, 10, -1}, {math.Inf(1), 10, 1}, {1, 10, math.Inf(1)}} {
		if _, err := advise.BestBound(c.guess, c.n, c.eps); !errors.As(err, &e) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// What is expected is what releases have: at the best bound, and at one eight times as wide, which is worse. Forty
// releases know a root mean square to within 11 %, of which six are allowed.
func TestBestBoundIsWhatReleasesHave(t *testing.T) {
	const theta, n, eps = .5, 2000, .2
	best := must.Get(advise.BestBound(theta, n, eps))(t)
	src := dp.Seeded(6)
	at := func(top float64) float64 {
		s := &frame.Schema{Dataset: "x", Columns: []frame.Column{frame.Real("x", 0, top)}}
		sh := must.Get(model.NewShape(s, model.Exponential("x").WithRange(.05, 5), n, true, ""))(t)
		p := must.Get(sums.New().Plan(t.Context(), sh, dp.PureDP(eps)))(t)
		square := 0.0
		for range 40 {
			whole := []int64{0}
			for range n {
				sh.Lattice().Add(whole, []int64{sh.Lattice().At(0, math.Exp(sample.LogGamma(src, 1))/theta)}, 0)
			}
			st := must.Get(model.FromWhole(sh, n, whole))(t)
			d := must.Get(p.Draw(t.Context(), st, "id", src))(t)
			e := must.Get(p.Estimate(t.Context(), d))(t)
			square += math.Pow(e.Draws.Mean()[0]/theta-1, 2) / 40
		}
		return math.Sqrt(square)
	}
	got, wide := at(best.Upper), at(8*best.Upper)
	if math.Abs(got/best.Relative-1) > .66 || wide < 1.3*got {
		t.Errorf("relative error %.4f for %.4f; %.4f at a bound eight times as wide", got, best.Relative, wide)
	}
}
