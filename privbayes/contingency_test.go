package privbayes_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/noiseaware"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// A contingency table goes the whole way on the CPS of 1988: recoded, cut and filtered before, evaluated next to the
// non-private line, kept, verified and loaded with the same numbers. Its margins add up: of the estimates as they are,
// and of the rows, which their intervals hold (of 2 × 5 levels and 8 cells at 1 − 1e-10 each).
func TestTablesGoTheWholeWay(t *testing.T) {
	all := privbayes.ReadFrame(data.CPS1988()).Recode("region", map[string]string{"northeast": "north",
		"midwest": "north", "south": "south", "west": "west"}).Cut("education", 0, 12, 18)
	for name, rows := range map[string]*privbayes.Frame{"all": all,
		"the public n is lost": all.Where("parttime", func(l string) bool { return l == "no" })} {
		adjacency := privbayes.ReplaceOne
		if _, public := rows.Data().PublicN(); !public {
			adjacency = privbayes.AddRemove
		}
		train, test := rows.Split(.8, 1)
		p := train.Model(privbayes.Table("region", "education")).
			Privatize(privbayes.Geometric(), privbayes.PureDP(.5).Under(adjacency), privbayes.Seeded(1))
		r, err := p.Release()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		counts := must.Get(train.Data().CountPrivate("region", "education"))(t)
		cells, n := make([]float64, len(counts)), 0.0
		for i, c := range counts {
			cells[i] = float64(c)
			n += cells[i]
		}
		shape := r.Plan().Shape().Tables()[0]
		truth := append(append([]float64(nil), cells...), append(shape.Margin(cells, 0), shape.Margin(cells, 1)...)...)
		list, _, err := r.Intervals(t.Context(), 1-1e-10)
		if err != nil || len(list) != 6+3+2 || len(truth) != len(list) {
			t.Fatalf("%s: %d intervals, %v", name, len(list), err)
		}
		for i, q := range list {
			if share := truth[i] / n; q.Rows.Lower > share || q.Rows.Upper < share || q.Rows.Upper-q.Rows.Lower > .02 {
				t.Errorf("%s: %s, %s: %.5f is not in %+v", name, q.Of, q.Label, share, q.Rows)
			}
		}
		sum := 0.0
		for _, q := range list[:2] { // the cells of the first row
			sum += q.Estimate
		}
		if math.Abs(sum-list[6].Estimate) > 1e-9 || list[6].Of != "region" || list[9].Label != "[0, 12)" {
			t.Errorf("%s: the cells of %s, %s add up to %v, and its share is %v", name, list[6].Of, list[6].Label, sum,
				list[6].Estimate)
		}
		report := must.Get(p.Evaluate(test))(t)
		if l, ok := report.Line("accuracy"); !ok || math.Abs(l.Release-l.NonPrivate) > .01 || l.NonPrivate < .3 {
			t.Errorf("%s: %+v", name, l)
		}
		b := must.Get(r.JSON())(t)
		if v, err := release.VerifyBytes(t.Context(), b); err != nil || !v.OK() {
			t.Errorf("%s: verification %v, %v", name, v, err)
		}
		again, err := release.Parse(t.Context(), b)
		if err != nil || again.String() != r.String() {
			t.Errorf("%s: loaded\n%v\ndrawn\n%s (%v)", name, again, r, err)
		}
		if s := r.String(); !strings.Contains(s, "total") || !strings.Contains(s, "In brackets: the 95 % interval") {
			t.Errorf("%s: no layout with margins in\n%s", name, s)
		}
	}
}

// The noise-aware posterior of a table's cells, by convolution, is that of the complete network of its columns, by
// draws: their means differ by less than 7 standard errors of the draws (false alarm below 1e-9).
func TestQuestionsOfTablesAreThoseOfTheirCells(t *testing.T) {
	p := privbayes.ReadFrame(data.Penguins()).Model(privbayes.Table("species", "island").WithPrior(2)).
		Privatize(privbayes.Geometric(), privbayes.PureDP(.3), privbayes.Seeded(4))
	exact := must.Get(p.NoiseAware())(t)
	r := must.Get(p.Release())(t)
	drawn := must.Get(noiseaware.OfNetwork(t.Context(), r, noiseaware.Sampled()))(t)
	for _, q := range exact.Parameters() {
		species, island, _ := strings.Cut(q.Label, ", ")
		a, err := drawn.Answers(t.Context(), noiseaware.Probability(noiseaware.Event{"species": species, "island": island}))
		if err != nil {
			t.Fatal(err)
		}
		rows := must.Get(a.Rows(.95))(t)
		mean, sd := q.Law().Mean(), q.Law().SD()
		if math.Abs(rows[0].Mean-mean) > 7*sd/math.Sqrt(400) || rows[0].SD > 1.4*sd || rows[0].SD < sd/1.4 {
			t.Errorf("%s: %.4f ± %.4f from draws, want %.4f ± %.4f", q.Label, rows[0].Mean, rows[0].SD, mean, sd)
		}
	}
	f := privbayes.ReadFrame(data.Penguins()).Data()
	probs, err := exact.Predict(f)
	if err != nil || math.Abs(probs[0][0]+probs[0][1]+probs[0][2]-1) > 1e-12 {
		t.Errorf("%v, %v", probs[0], err)
	}
	skewed := privbayes.ReadFrame(data.Penguins()).Model(privbayes.Table("species", "island").
		WithPrior(1, 2, 3, 4, 5, 6, 7, 8, 9)).Privatize(privbayes.Geometric(), privbayes.PureDP(1), privbayes.Seeded(4))
	if r, err = skewed.Release(); err != nil {
		t.Fatal(err)
	}
	var no *noiseaware.UnsupportedError
	if _, err := noiseaware.OfNetwork(t.Context(), r); !errors.As(err, &no) || no.Want != "one hyperparameter" {
		t.Errorf("a prior that differs from cell to cell: %v", err)
	}
}
