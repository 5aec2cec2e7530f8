package publication

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/regression"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Equal parts of a budget that are exact in binary add up to no more than it, though sums are rounded up.
func TestEqualPartsMeetTheirTarget(t *testing.T) {
	for _, target := range []dp.Request{dp.PureDP(.5), dp.PureDP(1), dp.PureDP(50), dp.ZCDP(.25)} {
		for _, many := range []int{1, 2, 4, 16} {
			var items []Item
			for i := range many {
				items = append(items, Of(model.Categorical("region")).Named(fmt.Sprint("table ", i)))
			}
			if _, err := New(t.Context(), "tables", target, items, shapes(1000)); err != nil {
				t.Errorf("%d at %v: %v", many, target, err)
			}
		}
	}
}

// Items of which nothing is predicted divide what shares leave with the others, and a file of one is read again.
func TestUnpredictedItemsKeepTheirPart(t *testing.T) {
	fit := Of(model.Linear("income ~ sex")).By(regression.SufficientStatistics())
	table := Of(model.Categorical("sex"))
	for _, c := range []struct {
		items []Item
		part  float64 // of the fit
	}{{[]Item{fit}, 1}, {[]Item{table.Share(.9), fit}, .1},
		{[]Item{table.Share(.9), Of(model.Categorical("region")), fit}, .05}} {
		p := must.Get(New(t.Context(), "survey", dp.ZCDP(.5), c.items, shapes(500)))(t)
		if part := p.lines[len(p.lines)-1].Part; math.Abs(part-c.part) > 1e-4 {
			t.Errorf("%d items: %v, want %v", len(c.items), part, c.part)
		}
		seed := uint64(1)
		out, _, err := p.Draw(t.Context(), Request{Statistics: counting(rows(t, 500, 1)), Seed: &seed})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Parse(t.Context(), must.Get(out.JSON())(t)); err != nil {
			t.Error(err)
		}
	}
}

// Wishes that cannot be met, and rows so few that an interval is all there is, leave every item a part, and nothing of
// the budget is left over.
func TestWishesBeyondReach(t *testing.T) {
	items := []Item{Of(model.Categorical("sex")), Of(model.Categorical("region")).Within(1e9),
		Of(model.Mean("income")).Within(1e-9), Of(model.Quantiles("income", .5))}
	for _, n := range []int{1, 20, 5000} {
		for _, target := range []dp.Request{dp.PureDP(1), dp.ApproxDP(1, 1e-6), dp.ZCDP(.01)} {
			p := must.Get(New(t.Context(), "survey", target, items, shapes(n)))(t)
			g, least := p.Certified(), 1.
			if spent := g.Rho + float64(g.Epsilon); target.Notion != dp.Approximate &&
				spent < .9999*(target.Rho+float64(target.Epsilon)) || g.Delta < .9*target.Delta {
				t.Errorf("n = %d: %v of %v", n, g, target)
			}
			for _, l := range p.lines {
				least = math.Min(least, l.Part)
			}
			if least < .5*leastPart/float64(len(items)) { // (ε, δ) has a larger sum than its first guess
				t.Errorf("n = %d, %v: a part of %v", n, target, least)
			}
		}
	}
}

// A class that leaves the others less than their least parts takes all; what has no class is named so.
func TestClassThatLeavesTooLittle(t *testing.T) {
	first := must.Get(New(t.Context(), "survey", dp.PureDP(1), few()[:1], shapes(500)))(t).lines[0].Predicted.Rows
	_, err := New(t.Context(), "survey", dp.PureDP(1), []Item{few()[0].Within(first).Priority(1),
		Of(model.Mean("income"))}, shapes(500))
	if err == nil || !strings.Contains(err.Error(), "priority = none; want a first class") {
		t.Error(err)
	}
}

// The range of several columns is the widest, as their predicted error is.
func TestRangeOfSeveralColumns(t *testing.T) {
	s := &frame.Schema{Dataset: "two", Columns: []frame.Column{frame.Real("a", 0, 1), frame.Real("b", 0, 1000)}}
	shape := func(m model.Model) (*model.Shape, error) { return model.NewShape(s, m, 1000, true, "") }
	var factors []float64
	for _, m := range []model.Model{model.Means("a", "b"), model.Means("b", "a")} {
		p := must.Get(New(t.Context(), "two", dp.ZCDP(.1), []Item{Of(m).WithinOfRange(.01)}, shape))(t)
		factors = append(factors, p.Factor())
	}
	if factors[0] != factors[1] || factors[0] > 1 {
		t.Error(factors)
	}
}

// Under replace-value the class is not protected: another item that protects the same column is refused.
func TestReplaceValueHasOneClass(t *testing.T) {
	target := dp.PureDP(1).Under(dp.ReplaceValue)
	classes := Of(model.NaiveBayes("vote", questions()...))
	if _, err := New(t.Context(), "survey", target, []Item{classes, Of(model.NaiveBayes("vote", "sex")).Named("b"),
		Of(model.ContingencyTable("sex", "region")), Of(model.Mean("income"))}, shapes(1000)); err != nil {
		t.Error(err)
	}
	for _, other := range []model.Model{model.Categorical("vote"), model.NaiveBayes("sex", "vote"),
		model.ContingencyTable("sex", "vote")} {
		for _, items := range [][]Item{{classes, Of(other)}, {Of(other), classes}} {
			if _, err := New(t.Context(), "survey", target, items, shapes(1000)); err == nil ||
				!strings.Contains(err.Error(), `"vote" is the class`) {
				t.Errorf("%v: %v", other, err)
			}
		}
	}
}

// hundred are a hundred items, or the first few of them: tables, means of groups, means and quantiles.
func hundred(many int) (items []Item) {
	by := append(questions(), "sex", "region")
	for i, a := range by {
		items = append(items, Of(model.Categorical(a)), Of(model.GroupMeans("income", a)),
			Of(model.Quantiles("income", float64(i+1)/11)))
		for _, b := range by[i+1:] {
			items = append(items, Of(model.ContingencyTable(a, b)))
		}
		for _, b := range by[i+1:] {
			items = append(items, Of(model.ContingencyTable(a, b, "vote")))
		}
	}
	return items[:many]
}

// BenchmarkPlan plans lists under (ε, δ), zCDP and pure ε.
func BenchmarkPlan(b *testing.B) {
	for _, many := range []int{20, 100} {
		for _, target := range []dp.Request{dp.ApproxDP(1, 1e-6), dp.ZCDP(.02), dp.PureDP(1)} {
			b.Run(fmt.Sprintf("%d items/%v", many, target.Notion), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					must.Get(New(b.Context(), "many", target, hundred(many), shapes(30_000)))(b)
				}
			})
		}
	}
}

// At levels far from the usual a list is planned within its target, and errors are predicted.
func TestExtremeLevels(t *testing.T) {
	items := []Item{Of(model.Categorical("region")), Of(model.ContingencyTable("sex", "region"))}
	for _, epsilon := range []float64{1e-4, 1, 200} {
		for _, delta := range []float64{1e-300, 1e-6, .5} {
			p := must.Get(New(t.Context(), "survey", dp.ApproxDP(epsilon, delta), items, shapes(500)))(t)
			if g := p.Certified(); float64(g.Epsilon) > epsilon || !(g.Delta <= delta) {
				t.Errorf("(%v, %v): %v", epsilon, delta, g)
			}
			for _, l := range p.Lines() {
				if e := l.Predicted.Rows; !(e >= 0 && e <= 1) {
					t.Errorf("(%v, %v): an error of %v", epsilon, delta, e)
				}
			}
		}
	}
}
