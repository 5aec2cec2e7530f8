package privbayes_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/internal/seen"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// drawings are the figures that the library makes of releases, reports, comparisons and questions, as notebooks show
// them.
func drawings(t *testing.T) map[string]figure.Drawing {
	t.Helper()
	out := map[string]figure.Drawing{}
	keep := func(name string, d figure.Drawing, err error) {
		if err != nil {
			t.Fatal(name, err)
		}
		out[name] = d
	}
	wages := func() *privbayes.Frame { return privbayes.ReadFrame(data.CPS1988()) }
	report := func(name string, p *privbayes.Privatized, test *privbayes.Frame) {
		r, err := p.Evaluate(test)
		if err != nil {
			t.Fatal(name, err)
		}
		for i, f := range r.Figures() {
			keep(fmt.Sprintf("%s, report %d", name, i), f, nil)
		}
		release, err := p.Release()
		if err != nil {
			t.Fatal(name, err)
		}
		if f, err := release.Figure(); err == nil {
			keep(name+", release", f, nil)
		}
	}
	one, seed := privbayes.PureDP(1), privbayes.Seeded(1)
	train, test := privbayes.ReadFrame(data.Votes()).Split(0.7, 1)
	report("votes", train.Model(privbayes.NaiveBayes("Class")).Privatize(privbayes.Geometric(), one, seed), test)
	report("wage", wages().Model(privbayes.Mean("wage")).Privatize(privbayes.NoisySums(), one, seed), wages())
	regions := wages().Model(privbayes.GroupMeans("wage", "region")).Privatize(privbayes.NoisySums(), one, seed)
	report("regions", regions, wages())
	report("alcohol", privbayes.ReadFrame(data.Wine()).Model(privbayes.MeanSD("alcohol")).
		Privatize(privbayes.NoisySums(), privbayes.PureDP(3), seed), privbayes.ReadFrame(data.Wine()))
	report("quantiles", wages().Model(privbayes.Quantiles("wage", .1, .25, .5, .75, .9)).
		Privatize(privbayes.JointQuantiles(), privbayes.PureDP(.1), seed), wages())
	below := wages().Model(privbayes.CDF("wage")).Privatize(privbayes.Geometric(), privbayes.PureDP(.1), seed)
	report("below", below, wages())
	report("line", wages().Model(privbayes.LinearRegression("wage", "education", "experience", "region", "smsa").
		WithRadius(3)).Privatize(privbayes.SufficientStatistics(), privbayes.ApproxDP(1, 1e-6), seed), wages())

	party := train.Model(privbayes.Binary("Class")).Privatize(privbayes.Geometric(), privbayes.PureDP(.2),
		privbayes.Seeded(3))
	f, err := party.PosteriorFigure()
	keep("party", f, err)
	aware := must.Get(party.NoiseAware())(t)
	f, err = aware.Densities()
	keep("densities", f, err)
	forest, err := aware.Intervals()
	keep("intervals", forest, err)
	d := must.Get(train.Model(privbayes.NaiveBayes("Class")).Compare(context.Background(), privbayes.CompareOptions{
		Mechanisms: []privbayes.Mechanism{privbayes.Geometric(), privbayes.DiscreteGaussian()},
		Epsilons:   []float64{0.1, 0.2, 0.5, 1, 2, 5}, Delta: 1e-6, Splits: 2, Repeats: 3, Seed: 1}))(t)
	keep("compare", d.Figure(), nil)
	return out
}

// Every figure of the library can be read: no word over another or over a line, nothing cut or pale, a title that fits.
func TestFiguresCanBeRead(t *testing.T) {
	if testing.Short() {
		t.Skip("draws every figure")
	}
	for name, d := range drawings(t) {
		if dir := os.Getenv("PRIVBAYES_PICTURES"); dir != "" { // to look at them
			if svg, ok := d.(interface{ SVG() ([]byte, error) }); ok {
				b, err := svg.SVG()
				if err == nil {
					err = os.WriteFile(filepath.Join(dir, strings.ReplaceAll(name, " ", "_")+".svg"), b, 0o644)
				}
				if err != nil {
					t.Error(name, err)
				}
			}
		}
		for _, fault := range seen.Faults(d) {
			t.Errorf("%s: %s", name, fault)
		}
	}
}

// A title compares rows of one quantity alone: group means, and not dollars with years.
func TestTitlesCompareLikeWithLike(t *testing.T) {
	wages := privbayes.ReadFrame(data.CPS1988())
	for _, c := range []struct {
		m        privbayes.ModelSpec
		compared bool
	}{{privbayes.Means("wage", "education", "experience"), false}, {privbayes.GroupMeans("wage", "region"), true}} {
		r, err := wages.Model(c.m).Privatize(privbayes.NoisySums(), privbayes.PureDP(1), privbayes.Seeded(1)).Release()
		if err != nil {
			t.Fatal(err)
		}
		f, err := r.Figure()
		if err != nil || strings.HasSuffix(f.Title, "all others") != c.compared {
			t.Errorf("%v: %q, %v", c.m, f.Title, err)
		}
	}
}

// The picture of a mean and a spread shows the intervals that there are, and says which are of the rows alone.
func TestFigureOfASpread(t *testing.T) {
	for sampling, want := range map[frame.Sampling][]string{"": {"", " (of the rows)"},
		frame.Sample: {"", " (of the rows)"}, frame.Census: {"", ""}} {
		s := &frame.Schema{Dataset: "made up", Sampling: sampling, Columns: []frame.Column{frame.Real("u", 0, 1)}}
		var table strings.Builder
		table.WriteString("u\n")
		for i := range 500 {
			fmt.Fprintln(&table, float64(i)/499)
		}
		r := must.Get(privbayes.ReadFrame(strings.NewReader(table.String()), s).Model(privbayes.MeanSD("u")).
			Privatize(privbayes.NoisySums(), privbayes.PureDP(1), privbayes.Seeded(1)).Release())(t)
		forest, err := r.Figure()
		if err != nil || len(forest.Rows) != len(want) {
			t.Fatal(sampling, forest, err)
		}
		for i, row := range forest.Rows {
			if strings.Contains(row.Name, "(of the rows)") != (want[i] != "") {
				t.Errorf("%q: %s", sampling, row.Name)
			}
		}
	}
}
