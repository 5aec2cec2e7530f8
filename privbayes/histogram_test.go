package privbayes_test

import (
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// Histograms, CDFs and counted quantiles go the whole way: evaluated beside the non-private line, headed by their own
// score, kept, verified and loaded with the same numbers.
func TestHistogramsGoTheWholeWay(t *testing.T) {
	train, test := privbayes.ReadFrame(data.CPS1988()).Split(.8, 1)
	for _, c := range []struct {
		model     model.Model
		mechanism privbayes.Mechanism
		score     string
	}{
		{privbayes.Histogram("wage"), privbayes.Geometric(), "largest distance from the held-out CDF"},
		{privbayes.CDF("wage"), privbayes.Geometric(), "largest distance from the held-out CDF"},
		{privbayes.Quantiles("wage", .1, .5, .9), privbayes.HistogramQuantiles(), "rank error on held-out rows"},
	} {
		p := train.Model(c.model).Privatize(c.mechanism, privbayes.PureDP(1), privbayes.Seeded(1))
		report, err := p.Evaluate(test)
		if err != nil {
			t.Fatalf("%s: %v", c.model, err)
		}
		l, ok := report.Line(c.score)
		if !ok || l.Release > .03 || l.NonPrivate > .03 || l.Name != report.Lines[0].Name {
			t.Errorf("%s: %+v heads the report %v", c.model, l, report.Lines[0])
		}
		if !strings.Contains(report.Headlines(), c.score) {
			t.Errorf("%s: headlines\n%s", c.model, report.Headlines())
		}
		r := must.Get(p.Release())(t)
		b := must.Get(r.JSON())(t)
		if v, err := release.VerifyBytes(t.Context(), b); err != nil || !v.OK() {
			t.Errorf("%s: verification %v, %v", c.model, v, err)
		}
		again := must.Get(release.Parse(t.Context(), b))(t)
		if again.Summary().String() != r.Summary().String() {
			t.Errorf("%s: loaded\n%s\ndrawn\n%s", c.model, again.Summary(), r.Summary())
		}
		if f, err := r.Model().Figure(nil, r.Caption()); err != nil || f.Validate() != nil {
			t.Errorf("%s: %v, %v", c.model, err, f.Validate())
		}
	}
}

// Table and figure of a CDF and of a histogram say which intervals are of one share, and which are of a band of all: a
// figure has both.
func TestBandsAreNamed(t *testing.T) {
	wages := privbayes.ReadFrame(data.CPS1988())
	for _, m := range []model.Model{privbayes.CDF("wage"), privbayes.Histogram("wage")} {
		r := must.Get(wages.Model(m).Privatize(privbayes.Geometric(), privbayes.PureDP(.1)).Release())(t)
		f := must.Get(r.Figure())(t)
		if len(f.Series) != 2 || !strings.Contains(f.Series[1], "each share by itself") ||
			!strings.Contains(f.Series[0], "all shares at once") || !strings.Contains(r.Summary().String(), "All at once") {
			t.Errorf("%v\n%s", f.Series, r.Summary())
		}
		list, _, err := r.Intervals(t.Context(), .95)
		if err != nil || len(list) != len(f.Rows) {
			t.Fatal(len(list), len(f.Rows), err)
		}
		for i, row := range f.Rows {
			all, one := row.Marks[0], row.Marks[1]
			if all.From != list[i].AtOnce.Population.Lower || all.To != list[i].AtOnce.Population.Upper ||
				one.From != list[i].Population.Lower || one.To != list[i].Population.Upper ||
				all.To-all.From <= one.To-one.From {
				t.Errorf("%+v for %+v", row, list[i])
			}
		}
		if svg, err := f.SVG(); err != nil || !strings.Contains(string(svg), "all shares at once") {
			t.Error(err)
		}
	}
}
