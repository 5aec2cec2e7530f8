package privbayes2017

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/finite"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// shape is a table of columns with the given levels.
func shape(t testing.TB, m model.LearnedModel, n int, levels ...int) *model.Shape {
	t.Helper()
	s := &frame.Schema{Dataset: "test"}
	for i, k := range levels {
		cats := make([]string, k)
		for c := range cats {
			cats[c] = fmt.Sprint("v", c)
		}
		s.Columns = append(s.Columns, frame.Categorical(fmt.Sprint("c", i), cats...))
	}
	return must.Get(model.NewShape(s, m, n, true, ""))(t)
}

// put changes one component of production for a test.
func put[T any](t *testing.T, where *T, what T) {
	t.Helper()
	old := *where
	*where = what
	cert.Forget()
	t.Cleanup(func() {
		*where = old
		cert.Forget()
	})
}

// Certified is what was asked for, to rounding. The paper's own rates spend that too, but for R on columns of two
// levels, which moves by (2 − 2/n)/(3 + 2/n) of what is printed.
func TestNominalAndReal(t *testing.T) {
	const n, epsilon = 500, 1.
	for _, c := range []struct {
		score   model.ParentScore
		levels  []int
		nominal float64
	}{
		{model.ByInformation, []int{2, 2, 2, 2}, epsilon}, {model.ByInformation, []int{3, 2, 4}, epsilon},
		{model.ByDistance, []int{2, 2, 2, 2}, .7 + .3*(2-2./n)/(3+2./n)}, {model.ByDistance, []int{3, 2, 4}, epsilon},
		{model.ByMaximum, []int{2, 2, 2, 2}, epsilon},
	} {
		sh := shape(t, model.PrivBayes().Degree(1).Scored(c.score), n, c.levels...)
		for target, want := range map[dp.Request]float64{dp.PureDP(epsilon): epsilon, dp.AsPublished(epsilon): c.nominal} {
			p := must.Get(New().Plan(t.Context(), sh, target))(t)
			if got := float64(p.Certified().Epsilon); math.Abs(got-want) > 1e-5 || got > want*(1+1e-12) {
				t.Errorf("%s %v, %s: certified %v, want %v", c.score, c.levels, target.Parameters, got, want)
			}
			ideal := c.score == model.ByInformation
			if (p.Certified().Arithmetic == dp.Ideal) != ideal {
				t.Errorf("%s: arithmetic %s", c.score, p.Certified().Arithmetic)
			}
			b := must.Get(json.Marshal(p))(t)
			again, err := mechanism.ParsePlan(t.Context(), b)
			if err != nil || again.String() != p.String() {
				t.Errorf("%s: %v\n%v", c.score, err, again)
			}
		}
	}
}

func init() { mechanism.Register(Descriptors()[0]) }

// Wrong scores, sensitivities and laws get no plan; the right ones do, in the same test.
func TestMutantsGetNoPlan(t *testing.T) {
	normalised := func(_ model.ParentScore, x []int64, levels int) int64 {
		of, a, n := margins(x, levels)
		entropy := func(c []int64) (h float64) {
			for _, v := range c {
				if v > 0 {
					h -= float64(v) / float64(n) * math.Log2(float64(v)/float64(n))
				}
			}
			return h
		}
		h := math.Min(entropy(of), entropy(a))
		if h == 0 {
			return 0
		}
		return int64(math.Round(float64(information(x, levels)) / h))
	}
	half := moves
	for name, c := range map[string]struct {
		score  model.ParentScore
		levels []int
		mutate func(t *testing.T)
	}{
		"half the sensitivity of R": {model.ByDistance, []int{2, 2, 2}, func(t *testing.T) {
			put(t, &moves, func(s model.ParentScore, n float64, two bool) float64 { return half(s, n, two) / 2 })
		}},
		"half the sensitivity of I": {model.ByInformation, []int{3, 3, 2}, func(t *testing.T) {
			put(t, &moves, func(s model.ParentScore, n float64, two bool) float64 { return half(s, n, two) / 2 })
		}},
		"half the sensitivity of F": {model.ByMaximum, []int{2, 2, 2}, func(t *testing.T) {
			put(t, &moves, func(s model.ParentScore, n float64, two bool) float64 { return half(s, n, two) / 2 })
		}},
		"the lemma of two levels for three": {model.ByInformation, []int{3, 3, 2}, func(t *testing.T) {
			put(t, &moves, func(s model.ParentScore, n float64, _ bool) float64 { return half(s, n, true) })
		}},
		"what two levels prove of R for three": {model.ByDistance, []int{3, 3, 2}, func(t *testing.T) {
			put(t, &moves, func(_ model.ParentScore, n float64, _ bool) float64 { return 2 * (n - 1) })
		}},
		"normalised information": {model.ByInformation, []int{2, 2, 2}, func(t *testing.T) { put(t, &scoreOf, normalised) }},
		"a law at four times the rate": {model.ByInformation, []int{2, 2, 2}, func(t *testing.T) {
			put(t, &choiceLaw, func(s sample.Selection, x []int64) []float64 {
				return sample.Selection{Num: 4 * s.Num, Den: s.Den}.LogProbs(x)
			})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			sh := shape(t, model.PrivBayes().Degree(1).Scored(c.score), 300, c.levels...)
			must.Get(New().Plan(t.Context(), sh, dp.PureDP(1)))(t)
			c.mutate(t)
			var failed *mechanism.CheckError
			if _, err := New().Plan(t.Context(), sh, dp.PureDP(1)); !errors.As(err, &failed) {
				t.Errorf("a plan was made: %v", err)
			}
		})
	}
}

// Noise of scale (d − k)/ε₂, as an implementation has it, spends 2ε₂: a file with it has no plan for the target, and
// its parameters are not the paper's own.
func TestHalfTheNoise(t *testing.T) {
	sh := shape(t, model.PrivBayes().Degree(1), 500, 3, 2, 4)
	p := must.Get(New().Plan(t.Context(), sh, dp.PureDP(1)))(t)
	var q params
	must.Do(t, mechanism.DecodeParams("test", p.Params(), &q))
	q.Noise.Num *= 2
	var unmet *mechanism.UnmetTarget
	if _, err := mathematics().Rebuild(t.Context(), sh, dp.PureDP(1), q); !errors.As(err, &unmet) {
		t.Errorf("a plan with half the noise: %v", err)
	}
	var other *mechanism.NominalError
	if _, err := mathematics().Rebuild(t.Context(), sh, dp.AsPublished(1), q); !errors.As(err, &other) {
		t.Errorf("half the noise as the paper's own: %v", err)
	}
}

// Under add-remove the choices of small releases, at rates made of their own n, spend less than is claimed of them, but
// for F more than under replace-one, where it is 5.355: nothing is proved of them. A degree made of n tells neighbours
// apart. Such plans are refused.
func TestAddRemove(t *testing.T) {
	const claimed = 2 * toyHigh // two choices
	for score, want := range map[model.ParentScore]float64{model.ByInformation: 4.7092, model.ByDistance: 1.7545,
		model.ByMaximum: 8.6021} {
		most := 0.0
		for n := 3; n <= 4; n++ { // a record fewer has its own rate
			law := func(x []int, n int) []path {
				rate := noise.DyadicTo(toyHigh/(2*printed(score, float64(n), true)), 24, 1<<40, false).Reduced()
				r := releaseParams{score, []int{2, 2, 2}, 1, n, rate, noise.Rational{Num: 1, Den: 8}, true}
				small := must.Get(r.smallInstance())(t)
				return must.Get(small.outputs(t.Context(), finite.Counts(x), small.pick))(t)
			}
			for x := range finite.Histograms(8, n) {
				a := law(x, n)
				for y := range finite.Stepped(x, -1) {
					b := law(y, n-1)
					most = math.Max(most, math.Max(worst(a, b, 0), worst(b, a, 0)))
				}
			}
		}
		if math.Abs(most-want) > 1e-4 || most > claimed {
			t.Errorf("%s: ε = %.4f, want %v, %d is claimed", score, most, want, claimed)
		}
	}
	set := model.PrivBayes().Settings()
	k := func(n float64) int { l, _ := lay(set, []int{2, 2, 2, 2, 2}, n, 1); return l.degree }
	changes := 0
	for n := 2.; n < 2000; n++ {
		if k(n) != k(n+1) {
			changes++
		}
	}
	if changes != 3 { // outputs of one that the other cannot have: ε = ∞
		t.Errorf("the degree changes at %d numbers of records, want 3", changes)
	}
	var refused *mechanism.UnsupportedError
	sh := shape(t, model.PrivBayes(), 500, 2, 2, 2)
	if _, err := New().Plan(t.Context(), sh, dp.PureDP(1).Under(dp.AddRemove)); !errors.As(err, &refused) {
		t.Errorf("a plan under add-remove: %v", err)
	}
}

// The degree is the greatest of enough usefulness, by the paper's formula nε₂/((d−k)2^{k+2}) ≥ θ.
func TestUsefulness(t *testing.T) {
	set, levels := model.PrivBayes().Settings(), []int{2, 2, 2, 2, 2, 2, 2}
	for _, n := range []float64{10, 100, 300, 1000, 3000} {
		l, share := lay(set, levels, n, 1)
		want := 0
		for k := 1; k <= 4; k++ {
			if n*.7/(float64(7-k)*math.Pow(2, float64(k+2))) >= 4 {
				want = k
			}
		}
		if l.degree != want || (share == 0) != (want == 0) || l.tables != 7-want {
			t.Errorf("n = %v: degree %d, share %v, %d tables; want degree %d", n, l.degree, share, l.tables, want)
		}
	}
}

// What cannot be planned is refused with what can.
func TestRefused(t *testing.T) {
	for says, c := range map[string]struct {
		m      model.LearnedModel
		n      int
		levels []int
		target dp.Request
	}{
		"the paper's privacy": {model.PrivBayes(), 100, []int{2, 2}, dp.ApproxDP(1, 1e-6)},
		"n = 1":               {model.PrivBayes(), 1, []int{2, 2}, dp.PureDP(1)},
		"score F":             {model.PrivBayes().Scored(model.ByMaximum), 100, []int{2, 3}, dp.PureDP(1)},
		"PrivBayes()":         {model.Tree(), 100, []int{2, 3}, dp.PureDP(1)},
		"smaller Degree":      {model.PrivBayes().Degree(4), 100, []int{50, 50, 50, 50, 50}, dp.PureDP(1)},
		"too small":           {model.PrivBayes().Degree(1), 100, []int{2, 2}, dp.PureDP(1e-6)},
	} {
		_, err := New().Plan(t.Context(), shape(t, c.m, c.n, c.levels...), c.target)
		var refused *mechanism.UnsupportedError
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", says, err)
		}
	}
}

// Rates that need no rounding meet their target, too: four columns without parents at ε = 1 have γ = 1/8. A nominal ε
// beyond all rates is refused or spends what the sampler's largest rates spend, in words of the field.
func TestRatesAtTheEnds(t *testing.T) {
	for _, levels := range [][]int{{2, 2}, {2, 2, 2, 2}, {3, 3, 3, 3, 3, 3, 3, 3}} {
		sh := shape(t, model.PrivBayes().Theta(1e9), 100, levels...)
		for _, epsilon := range []float64{.5, 1, 2, 3} {
			p, err := New().Plan(t.Context(), sh, dp.PureDP(epsilon))
			if err != nil {
				t.Errorf("%d columns, ε = %v: %v", len(levels), epsilon, err)
			} else if e := float64(p.Certified().Epsilon); e > epsilon || e < epsilon*(1-1e-5) {
				t.Errorf("%d columns: %v for ε = %v", len(levels), e, epsilon)
			}
		}
	}
	sh := shape(t, model.PrivBayes().Degree(1), 100, 2, 2, 2)
	if _, err := New().Plan(t.Context(), sh, dp.AsPublished(1e300)); err != nil {
		t.Error(err)
	}
}
