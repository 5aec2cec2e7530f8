package noiseaware

import (
	"errors"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
)

// SimulateCoverage keeps the intervals of every seed and counts those that hold the truth; the figure shows them
// unchanged.
func TestRepeat(t *testing.T) {
	sh := categorical(t, 2, 40)
	pl := plan(t, counts.Geometric(), sh, dp.PureDP(1))
	draw := func(seed uint64) (*Posterior, error) { return Of(raws(t, pl, []int64{int64(seed)})) }
	truth := Truth{Level: "v0", Value: 0.3}
	r, err := SimulateCoverage(30, truth, draw)
	must(t, err)
	naive, aware := 0, 0
	for seed := range uint64(30) {
		p, err := draw(seed)
		must(t, err)
		q, _ := p.Parameter("x", "v0")
		l, u := q.Naive.CredibleInterval(0.95)
		if l <= 0.3 && 0.3 <= u {
			naive++
		}
		l, u = q.Law().CredibleInterval(0.95)
		if l <= 0.3 && 0.3 <= u {
			aware++
		}
		if r.Rows[seed].Lower != l || r.Rows[seed].Upper != u {
			t.Errorf("seed %d: %v", seed, r.Rows[seed])
		}
	}
	if n, a := r.Held(); n != naive || a != aware || n == 0 || n == 30 {
		t.Errorf("%d and %d hold the truth, counted %d and %d", n, a, naive, aware)
	}
	f := r.Figure()
	must(t, f.Validate())
	if len(f.Series[1].X) != shownRuns || f.Series[1].Lo[3] != r.Rows[3].Lower ||
		f.Series[0].Hi[3] != r.Rows[3].NaiveUpper || f.HLines[0].Y != 0.3 {
		t.Errorf("%v", f)
	}
	var e *dp.ParameterError
	for _, c := range []struct {
		runs  int
		truth Truth
	}{{0, truth}, {1, Truth{Level: "v0", Value: 30}}, {1, Truth{Level: "v2"}}} {
		if _, err := SimulateCoverage(c.runs, c.truth, draw); !errors.As(err, &e) {
			t.Errorf("%v: %v", c, err)
		}
	}
	failed := errors.New("failed")
	if _, err := SimulateCoverage(1, truth, func(uint64) (*Posterior, error) { return nil, failed }); err != failed {
		t.Error(err)
	}
}

// CompareWidths has the ratio of Summary at every name and ε, in the order given.
func TestCompareWidths(t *testing.T) {
	sh := map[string]int{"few": 30, "many": 3000}
	draw := func(name string, eps float64) (*Posterior, error) {
		n := sh[name]
		return Of(raws(t, plan(t, counts.Geometric(), categorical(t, 2, n), dp.PureDP(eps)), []int64{int64(n / 3)}))
	}
	w, err := CompareWidths([]string{"many", "few"}, []float64{0.1, 1}, draw)
	must(t, err)
	for i, name := range w.Names {
		for k, eps := range w.Epsilons {
			p, err := draw(name, eps)
			must(t, err)
			s, err := p.Summary(0.95)
			must(t, err)
			if want := (s[0].Upper - s[0].Lower) / (s[0].NaiveUpper - s[0].NaiveLower); w.Ratios[i][k] != want {
				t.Errorf("%s, %g: %g, want %g", name, eps, w.Ratios[i][k], want)
			}
		}
	}
	if w.Ratios[1][0] < w.Ratios[0][0] || w.Ratios[1][0] < w.Ratios[1][1] || w.Ratios[1][1] < 1 {
		t.Errorf("noise matters most with few records and small ε: %v", w.Ratios)
	}
	f := w.Figure()
	must(t, f.Validate())
	if !strings.HasPrefix(f.Caption, "Geometric noise on counts, replace-one; ") || strings.Count(f.Caption, ";") != 1 ||
		f.Series[0].Name != "many, n = 3000" || f.Series[1].Name != "few, n = 30" {
		t.Errorf("%q of %q and %q", f.Caption, f.Series[0].Name, f.Series[1].Name)
	}
	var e *dp.ParameterError
	if _, err := CompareWidths(nil, []float64{1}, draw); !errors.As(err, &e) {
		t.Error(err)
	}
	if _, err := CompareWidths([]string{"few"}, nil, draw); !errors.As(err, &e) {
		t.Error(err)
	}
}

// ByClass and ByFeature choose among the conditional probabilities, and figures name them by what differs.
func TestAcross(t *testing.T) {
	p := posteriorOf(t, raws(t, plan(t, counts.Geometric(), bayes(t, 40, 2, 2, 3), dp.PureDP(2)),
		[]int64{10, 5, 20, 5}, []int64{3, 4, 8, 20, 0, 5}))
	byClass, err := p.ByClass("x1", "v2")
	must(t, err)
	byFeature, err := p.ByFeature("v1", "v0")
	must(t, err)
	for _, c := range []struct {
		got          []Parameter
		names, ticks [2]string
		label, level string
	}{
		{byClass, [2]string{"x1 | class = v0", "x1 | class = v1"}, [2]string{"v0", "v1"}, "x1 = v2, given", "v2"},
		{byFeature, [2]string{"x0 | class = v1", "x1 | class = v1"}, [2]string{"x0", "x1"}, "of being v0, given v1", "v0"},
	} {
		if len(c.got) != 2 {
			t.Fatalf("%d parameters", len(c.got))
		}
		f, err := p.Intervals(c.got...)
		must(t, err)
		for i, q := range c.got {
			if q.Name != c.names[i] || q.Label != c.level || f.XTicks[i] != c.ticks[i] || f.XLabel != c.label {
				t.Errorf("%s, %s, %q, %q", q.Name, q.Label, f.XTicks[i], f.XLabel)
			}
		}
	}
	coin := posteriorOf(t, raws(t, plan(t, counts.Geometric(), categorical(t, 2, 40), dp.PureDP(2)), []int64{10}))
	var e *dp.ParameterError
	for _, c := range []struct {
		p           *Posterior
		name, level string
		want        string
	}{
		{p, "x1", "v3", `one of "v0", "v1", "v2"`}, {p, "x9", "v0", `one of "x0", "x1"`},
		{coin, "x", "v0", "a release of a NaiveBayes model"},
	} {
		if _, err := c.p.ByClass(c.name, c.level); !errors.As(err, &e) || e.Want != c.want {
			t.Error(err)
		}
	}
}
