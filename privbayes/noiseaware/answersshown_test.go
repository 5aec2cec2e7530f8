package noiseaware

import (
	"math"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
)

// At α = 1 an odds ratio one of whose cells may be empty has no mean: the draws' average is what the few
// farthest of them make it, and is not shown. Medians are, and means of what has one.
func TestRatiosShowMedians(t *testing.T) {
	if testing.Short() {
		t.Skip("long chains")
	}
	p, err := OfNetwork(t.Context(), drawn(t, counts.Geometric(), bayesnet.Asia(), 2000, dp.PureDP(.25), false))
	must(t, err)
	tub := Event{"tub": "yes"}
	x, y := Probability(tub, Event{"asia": "yes"}), Probability(tub, Event{"asia": "no"})
	odds, risk := OddsRatio(x, y), Ratio(x, y)
	ratios, err := p.Answers(t.Context(), odds, risk)
	must(t, err)
	rows, err := ratios.Rows(.95)
	must(t, err)
	for i, r := range rows {
		if q := ratios.List[i]; !r.Median || r.SD != 0 || r.Mean != q.Quantile(.5) || r.NaiveMean != q.Naive.Quantile(.5) ||
			!(r.Lower < r.Mean && r.Mean < r.Upper) {
			t.Errorf("%+v", r)
		}
	}
	if q := ratios.List[0]; q.Mean() < 20*rows[0].Mean {
		t.Errorf("this odds ratio would show its mean, %v, with no harm: the test tells nothing", q.Mean())
	}
	f := ratios.Forest()
	head := strings.SplitN(ratios.String(), "\n", 3)[1]
	if strings.Contains(head, "mean") || strings.Contains(head, " sd ") ||
		!strings.Contains(head, "naive median") || !strings.HasPrefix(f.Title, "Medians") || !f.LogX {
		t.Error(head, f.Title)
	}
	mixed, err := p.Answers(t.Context(), x, odds, odds.Log(), Difference(odds, risk), Ratio(odds.Log(), x),
		Difference(x, y))
	must(t, err)
	rows, err = mixed.Rows(.95)
	must(t, err)
	for i, want := range []bool{false, true, false, true, true, false} {
		if rows[i].Median != want || want == (rows[i].SD > 0) {
			t.Errorf("%+v, want a median: %v", rows[i], want)
		}
	}
	if text := mixed.String(); !strings.Contains(text, "mean or median") || strings.Count(text, "(median)") != 6 {
		t.Error(text)
	}
	if f := mixed.Forest(); f.LogX || !strings.Contains(f.Title, "of ratios medians") {
		t.Error(f.Title)
	}
}

// Whatever is asked, rows and tables have numbers and the forest is drawn.
func TestForestIsAlwaysDrawn(t *testing.T) {
	p := theClinic(t)
	at := func(of func(x float64) float64) *Question {
		return Function("f", func(net *bayesnet.Net) float64 { return of(net.Prob(0, 0)[0]) })
	}
	middle := .5
	ill := Probability(Event{"ill": "yes"})
	for name, q := range map[string]*Question{
		"infinite":       at(func(float64) float64 { return math.Inf(1) }),
		"below all":      at(func(float64) float64 { return math.Inf(-1) }),
		"sometimes":      at(func(x float64) float64 { return 1 / math.Max(x-middle, 0) }),
		"either way":     at(func(x float64) float64 { return math.Copysign(math.Inf(1), x-middle) }),
		"huge":           at(func(x float64) float64 { return 1e308 * x }),
		"tiny":           at(func(x float64) float64 { return 1e-300 * x }),
		"a constant":     at(func(x float64) float64 { return 1 + 1e-15*math.Round(5*x) }),
		"zero":           at(func(float64) float64 { return 0 }),
		"ratio of zero":  Ratio(at(func(float64) float64 { return 0 }), ill),
		"ratio to zero":  Ratio(ill, at(func(float64) float64 { return 0 })),
		"negative ratio": Ratio(Difference(ill, Probability(Event{"ill": "no"})), ill),
		"odds of 1":      OddsRatio(at(func(float64) float64 { return 1 }), ill),
		"ln of zero":     at(func(float64) float64 { return 0 }).Log(),
	} {
		a, err := p.Answers(t.Context(), q)
		must(t, err)
		rows, err := a.Rows(.95)
		must(t, err)
		r := rows[0]
		for _, x := range []float64{r.NaiveMean, r.NaiveLower, r.NaiveUpper, r.Mean, r.SD, r.Lower, r.Upper} {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				t.Errorf("%s: %+v", name, r)
			}
		}
		if b, err := a.Forest().SVG(); err != nil || len(b) == 0 {
			t.Errorf("%s: %v", name, err)
		}
		if text := a.String(); strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
			t.Errorf("%s: %s", name, text)
		}
	}
}
