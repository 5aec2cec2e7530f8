package release_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// areasTable has so many regions, of twelve people each, a third of them ill.
func areasTable(t testing.TB, regions int, sampling frame.Sampling) *privbayes.Frame {
	t.Helper()
	s := &frame.Schema{Dataset: "regions", Sampling: sampling, Columns: []frame.Column{
		frame.Categorical("ill", "yes", "no"), frame.Real("wage", 0, 100)}}
	var names []string
	var rows strings.Builder
	rows.WriteString("region,ill,wage\n")
	for r := range regions {
		names = append(names, fmt.Sprintf("r%02d", r))
		for i := range 12 {
			fmt.Fprintf(&rows, "%s,%s,%d\n", names[r], []string{"yes", "no", "no"}[i%3], 20+5*i+r%3)
		}
	}
	s.Columns = append(s.Columns, frame.Categorical("region", names...))
	f := privbayes.ReadFrame(strings.NewReader(rows.String()), s)
	if f.Err() != nil {
		t.Fatal(f.Err())
	}
	return f
}

func drawn(t testing.TB, f *privbayes.Frame, m privbayes.ModelSpec, how privbayes.Mechanism,
	eps float64) *release.Release {
	t.Helper()
	return must.Get(f.Model(m).Privatize(how, privbayes.PureDP(eps), privbayes.Seeded(4)).Release())(t)
}

// Every estimate lies in its intervals, which are of the rows, the population or both, as the schema says; the head of
// the columns says which, and no interval is shown that leaves the noise out.
func TestSummaryShowsIntervals(t *testing.T) {
	for _, c := range []struct {
		sampling         frame.Sampling
		population, rows bool
	}{{"", true, true}, {frame.Sample, true, false}, {frame.Census, false, true}} {
		f := areasTable(t, 6, c.sampling)
		for _, r := range []*release.Release{
			drawn(t, f, privbayes.Categorical("ill"), privbayes.Geometric(), .5),
			drawn(t, f, privbayes.NaiveBayes("ill", "region"), privbayes.KNorm(), 2),
			drawn(t, f, privbayes.Mean("wage"), privbayes.NoisySums(), .1),
			drawn(t, f, privbayes.GroupMeans("wage", "region"), privbayes.NoisySums(), .1),
			drawn(t, f, privbayes.Means("wage"), privbayes.NoisySums(), 1),
			drawn(t, f, privbayes.Quantiles("wage", .25, .5), privbayes.HistogramQuantiles(), 1),
		} {
			of := fmt.Sprintf("%s, %q", r.Plan().Shape().Model(), c.sampling)
			list, how, err := r.Intervals(t.Context(), .95)
			if err != nil || len(list) == 0 || how == "" {
				t.Fatalf("%s: %v, %v", of, list, err)
			}
			for _, i := range list {
				for _, within := range []*mechanism.Range{i.Population, i.Rows} {
					if within != nil && !(within.Lower <= i.Estimate && i.Estimate <= within.Upper) {
						t.Errorf("%s: %+v outside %+v", of, i.Estimate, within)
					}
				}
				if (i.Population != nil) != c.population || (i.Rows != nil) != c.rows {
					t.Errorf("%s: %+v", of, i)
				}
			}
			head := strings.Join(r.Summary().Columns, " ")
			if strings.Contains(head, "population") != c.population || strings.Contains(head, "rows") != c.rows {
				t.Errorf("%s: %s", of, head)
			}
		}
	}
	for sampling, head := range map[frame.Sampling]string{"": "population: 95 %, rows: 95 %",
		frame.Sample: "population: 95 %, rows: 95 %", frame.Census: "rows: 95 %"} {
		r := drawn(t, areasTable(t, 6, sampling), privbayes.MeanSD("wage"), privbayes.NoisySums(), 1)
		s := r.Summary()
		if got := strings.Join(s.Columns[2:], ", "); got != head || s.Rows[1][len(s.Rows[1])-1] == "" ||
			strings.Contains(strings.Join(s.Notes, " "), "deviation is that of the rows") != (sampling != frame.Census) {
			t.Errorf("%q: a deviation has an interval, of the rows: %v", sampling, s)
		}
	}
	groups := drawn(t, areasTable(t, 6, frame.Census), privbayes.GroupMeans("wage", "region"), privbayes.NoisySums(), 1)
	if s := groups.String(); strings.Contains(s, "No squares") || !strings.Contains(s, "whole population") {
		t.Errorf("of rows alone, whose spread is not needed:\n%s", s)
	}
	naive := drawn(t, areasTable(t, 6, ""), privbayes.Categorical("ill"), privbayes.Geometric(), 1).Model().Summary()
	if !strings.HasSuffix(naive.Title, "noise ignored") || !strings.Contains(naive.Notes[0], "too narrow") {
		t.Errorf("an interval without the noise, not labelled: %v", naive)
	}
	hellinger := drawn(t, areasTable(t, 6, ""), privbayes.Categorical("ill"), privbayes.Hellinger(), 1)
	if s := hellinger.Summary(); len(s.Columns) != 2 || !strings.Contains(s.Notes[0], "No interval") {
		t.Errorf("Hellinger: %v", s)
	}
}

// Many areas: pooled beside direct, as a table and a figure; on its own from 20 groups on. What is not an area is
// refused.
func TestAreas(t *testing.T) {
	f := areasTable(t, 24, "")
	means := drawn(t, f, privbayes.GroupMeans("wage", "region"), privbayes.NoisySums(), 1)
	ill := drawn(t, f, privbayes.NaiveBayes("region", "ill"), privbayes.Geometric(), 1)
	two := drawn(t, f, privbayes.Table("region", "ill"), privbayes.Geometric(), 1)
	for name, c := range map[string]struct {
		r              *release.Release
		feature, label string
		want           float64
	}{"means": {means, "", "", 48}, "rates": {ill, "ill", "yes", 1. / 3}, "a table": {two, "ill", "yes", 1. / 3}} {
		a, err := c.r.Areas(t.Context(), c.feature, c.label)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(a.Table().Rows) != 24 {
			t.Errorf("%s: %v", name, a)
		}
		if _, err := a.Figure().SVG(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		pooled := must.Get(c.r.Plan().Pooled(t.Context(), drawOf(t, c.r), c.feature, c.label, .95))(t)
		inside := 0
		for _, p := range pooled {
			if p.Lower <= c.want && c.want <= p.Upper {
				inside++
			}
		}
		if inside < 20 {
			t.Errorf("%s: %d of 24 intervals hold %v", name, inside, c.want)
		}
	}
	if s := means.Summary(); s.Columns[len(s.Columns)-2] != "pooled" {
		t.Errorf("%v", s.Columns)
	}
	if s := ill.String(); strings.Count(s, "\nAreas: ") != 1 || !strings.Contains(s, "Areas: ill = yes") {
		t.Errorf("rates of many areas, of the rarer level, stand next to the direct ones:\n%s", s)
	}
	if s := two.String(); strings.Count(s, "\nAreas: ") != 1 || !strings.Contains(s, "Areas: ill = yes") {
		t.Errorf("rates of a table's areas:\n%s", s)
	}
	for name, f := range map[string]*privbayes.Frame{"few": areasTable(t, 6, ""), "census": areasTable(t, 24,
		frame.Census)} {
		for _, m := range []privbayes.ModelSpec{privbayes.NaiveBayes("region", "ill"), privbayes.Table("ill", "region")} {
			if s := drawn(t, f, m, privbayes.Geometric(), 1).String(); strings.Contains(s, "pooled") {
				t.Errorf("%s: areas are pooled:\n%s", name, s)
			}
		}
	}
	for regions, want := range map[int]string{1001: "Areas(ctx, feature, level) estimates further rates",
		999: "Areas: ill = yes"} {
		s := drawn(t, areasTable(t, regions, ""), privbayes.NaiveBayes("region", "ill"), privbayes.Geometric(), 1).String()
		if !strings.Contains(s, want) || strings.Contains(s, "Areas: ill = yes") != (regions == 999) {
			t.Errorf("%d regions: no %q in %s", regions, want, s[max(0, len(s)-2000):])
		}
	}
	few := drawn(t, areasTable(t, 4, ""), privbayes.GroupMeans("wage", "region"), privbayes.NoisySums(), 1)
	for name, refused := range map[string]error{"few": second(few.Areas(t.Context(), "", "")),
		"no feature": second(ill.Areas(t.Context(), "", "")), "no level": second(ill.Areas(t.Context(), "ill", "maybe")),
		"a feature of groups": second(means.Areas(t.Context(), "ill", "yes")),
		"a census": second(drawn(t, areasTable(t, 6, frame.Census), privbayes.NaiveBayes("region", "ill"),
			privbayes.Geometric(), 1).Areas(t.Context(), "ill", "yes"))} {
		if refused == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

// Of a table of two columns every column has its rates in the levels of the other. At least 337 of 400 direct intervals
// hold the rate of the rows, and fewer would if they were a quarter as wide.
func TestAreasOfATable(t *testing.T) {
	f := areasTable(t, 24, "")
	for _, columns := range [][]string{{"region", "ill"}, {"ill", "region"}} {
		held, short, pooled := 0, 0, 0
		for seed := range uint64(17) {
			r := must.Get(f.Model(privbayes.Table(columns...)).Privatize(privbayes.Geometric(), privbayes.PureDP(.25),
				privbayes.Seeded(seed)).Release())(t)
			for k, a := range must.Get(r.Areas(t.Context(), "ill", "yes"))(t).List() {
				if a.Name != fmt.Sprintf("r%02d", k) {
					t.Fatalf("%d: %+v", k, a)
				}
				d := a.Direct
				if d.Rows.Lower <= 1./3 && 1./3 <= d.Rows.Upper {
					held++
				}
				if math.Abs(d.Estimate-1./3) <= (d.Rows.Upper-d.Rows.Lower)/8 {
					short++
				}
				if a.Pooled.Lower <= 1./3 && 1./3 <= a.Pooled.Upper {
					pooled++
				}
			}
		}
		if held < 337 || short >= 337 || pooled < 337 {
			t.Errorf("%v: %d direct and %d pooled intervals hold, %d of a quarter of the width", columns, held, pooled, short)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// drawOf is the draw of a release.
func drawOf(t *testing.T, r *release.Release) *mechanism.Drawn {
	t.Helper()
	return &mechanism.Drawn{ID: r.ID(), Output: mechanism.Output{Raw: r.Raw()}}
}

// Synthetic numbers are even within bins: who analyses them is told, by column; of categories there is nothing to tell.
func TestBinnedNumbersAreWarnedOf(t *testing.T) {
	s := &frame.Schema{Dataset: "bins", Columns: []frame.Column{frame.Categorical("a", "x", "y"),
		frame.Categorical("b", "x", "y"), {Name: "wage", Kind: frame.KindReal, Edges: []float64{0, 10, 100}}}}
	f := privbayes.ReadFrame(strings.NewReader("a,b,wage\nx,y,3\ny,x,40\n"), s)
	for feature, want := range map[string]bool{"b": false, "wage": true} {
		made, err := drawn(t, f, privbayes.NaiveBayes("a", feature), privbayes.Geometric(), 1).Synthesize(5, dp.Seeded(1))
		if err != nil {
			t.Fatal(err)
		}
		w := made.Warnings()
		told := slices.ContainsFunc(w, func(w warning.Warning) bool {
			return w.Kind == warning.KindBinnedNumbers && strings.Contains(w.Text, "wage")
		})
		if told != want {
			t.Errorf("%s: %v", feature, w)
		}
	}
}

// Intervals that take long are not shown first: the line says how to have them, and they are there.
func TestSlowIntervalsAreNotShown(t *testing.T) {
	r := drawn(t, areasTable(t, 1001, ""), privbayes.GroupMeans("wage", "region"), privbayes.NoisySums(), 1)
	if s := r.Summary(); len(s.Columns) != 2 || len(s.Rows) != 1001 || !strings.Contains(s.Notes[0],
		"take more than a second: Intervals(ctx, level) has them") {
		t.Errorf("%v, %v", s.Columns, s.Notes)
	}
	if list, _, err := r.Intervals(t.Context(), .95); err != nil || len(list) != 1001 || list[0].Population == nil {
		t.Errorf("%d intervals, %v", len(list), err)
	}
}

// BenchmarkManyRates shows a release of 480 rates, those of 24 regions in each of 20 levels, pooled next to direct.
func BenchmarkManyRates(b *testing.B) {
	region, job := frame.Categorical("region"), frame.Categorical("job")
	var rows strings.Builder
	rows.WriteString("region,job\n")
	for i := range 24 {
		region.Categories = append(region.Categories, fmt.Sprintf("r%02d", i))
		job.Categories = append(job.Categories, fmt.Sprintf("j%02d", i))
		for k := range 400 {
			fmt.Fprintf(&rows, "r%02d,j%02d\n", i, k*k%(15+i%6))
		}
	}
	job.Categories = job.Categories[:20]
	f := privbayes.ReadFrame(strings.NewReader(rows.String()), &frame.Schema{Dataset: "regions",
		Columns: []frame.Column{region, job}})
	r := drawn(b, f, privbayes.NaiveBayes("region", "job"), privbayes.Geometric(), 1)
	for b.Loop() {
		if parts := r.Parts(); len(parts) < 20 {
			b.Fatal(len(parts))
		}
	}
}
