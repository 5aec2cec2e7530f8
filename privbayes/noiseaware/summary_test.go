package noiseaware

import (
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// The CSV reads back to the summary, digit for digit, and the summary is that of the laws.
func TestSummary(t *testing.T) {
	p := posteriorOf(t, raws(t, plan(t, counts.Geometric(), bayes(t, 40, 2, 2, 3), dp.PureDP(2)),
		[]int64{10, 5, 20, 5}, []int64{3, 4, 8, 20, 0, 5}))
	list, err := p.Summary(0.9)
	must(t, err)
	text, err := p.CSV(0.9)
	must(t, err)
	lines, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	must(t, err)
	if len(lines) != len(list)+1 || len(list) != len(p.Parameters()) {
		t.Fatalf("%d lines for %d rows", len(lines), len(list))
	}
	for i, q := range p.Parameters() {
		r := list[i]
		l, u := q.Law().CredibleInterval(0.9)
		nl, nu := q.Naive.CredibleInterval(0.9)
		want := []float64{q.Naive.Mean(), nl, nu, q.Law().Mean(), q.Law().SD(), l, u}
		for k, x := range []float64{r.NaiveMean, r.NaiveLower, r.NaiveUpper, r.Mean, r.SD, r.Lower, r.Upper} {
			cell, err := strconv.ParseFloat(lines[i+1][k+2], 64)
			if err != nil || cell != x || x != want[k] {
				t.Errorf("row %d, number %d: %v, %g, want %g", i, k, lines[i+1], x, want[k])
			}
		}
		if lines[i+1][0] != q.Name || lines[i+1][1] != q.Label {
			t.Errorf("row %d is %v", i, lines[i+1][:2])
		}
	}
	for _, level := range []float64{0, 1, -1, math.NaN()} {
		var e *dp.ParameterError
		if _, err := p.Summary(level); !errors.As(err, &e) {
			t.Errorf("level %g: %v", level, err)
		}
		if _, err := p.CSV(level); !errors.As(err, &e) {
			t.Errorf("level %g: %v", level, err)
		}
	}
}

func TestChoose(t *testing.T) {
	p := posteriorOf(t, raws(t, plan(t, counts.Geometric(), bayes(t, 40, 2, 2, 3), dp.PureDP(2)),
		[]int64{10, 5, 20, 5}, []int64{3, 4, 8, 20, 0, 5}))
	for _, c := range []struct {
		of     string
		levels []string
		want   int
		first  string
	}{{"", nil, 2, "v0"}, {"class", []string{"v1"}, 1, "v1"}, {"x1 | class = v1", nil, 3, "v0"},
		{"x1 | class = v0", []string{"v2", "v0"}, 2, "v2"}} {
		got, err := p.Choose(c.of, c.levels...)
		must(t, err)
		if len(got) != c.want || got[0].Label != c.first || c.of != "" && got[0].Name != c.of {
			t.Errorf("%+v: %d, %q", c, len(got), got[0].Label)
		}
	}
	var e *dp.ParameterError
	if _, err := p.Choose("x1"); !errors.As(err, &e) || strings.Count(e.Want, ", ") != 4 ||
		!strings.HasSuffix(e.Want, `, "x1 | class = v1"`) {
		t.Errorf("x1: %v", err)
	}
	if _, err := p.Choose("class", "v7"); !errors.As(err, &e) || strings.Count(e.Want, ", ") != 1 ||
		e.Value != `"v7"` {
		t.Errorf("v7: %v", err)
	}
	if _, err := Of(nil); !errors.As(err, &e) || e.Parameter != "release" {
		t.Errorf("no release: %v", err)
	}
}

// The table has a row for every probability; the short form, those of the target.
func TestTables(t *testing.T) {
	p := posteriorOf(t, raws(t, plan(t, counts.Geometric(), bayes(t, 40, 2, 2, 3), dp.PureDP(2)),
		[]int64{10, 5, 20, 5}, []int64{3, 4, 8, 20, 0, 5}))
	if rows := strings.Count(p.Probabilities().String(), " – "); rows != len(p.Parameters()) || rows != 2+4+6 {
		t.Errorf("%d rows for %d parameters", rows, len(p.Parameters()))
	}
	if rows := strings.Count(p.String(), " – "); rows != 2 {
		t.Errorf("%d rows of the target", rows)
	}
	if h := table.HTML(p); !strings.Contains(h, "<table") || !strings.Contains(h, "shared by all features") {
		t.Errorf("HTML: %s", h)
	}
	if _, ok := p.Parameter("x1 | class = v1", "v2"); !ok {
		t.Error("no x1 | class = v1")
	}
	if _, ok := p.Parameter("x1", "v2"); ok {
		t.Error("x1 is not a distribution")
	}
}

// Densities of a figure integrate to nearly 1.
func TestDensity(t *testing.T) {
	p := posteriorOf(t, raws(t, plan(t, counts.Geometric(), categorical(t, 4, 80), dp.PureDP(0.5)),
		[]int64{30, 12, 25, 5}))
	d := p.params[2].Density(4000)
	naive, aware, h := 0.0, 0.0, d.X[1]-d.X[0]
	for i := range d.X {
		naive, aware = naive+h*d.Naive[i], aware+h*d.Aware[i]
	}
	near(t, "naive mass", naive, 1, 2.1e-4)
	near(t, "noise-aware mass", aware, 1, 2.1e-4)
}

// records reads rows under a shape's schema.
func records(t testing.TB, sh *model.Shape, rows string) *frame.Frame {
	t.Helper()
	var names []string
	for _, c := range sh.Schema().Columns {
		names = append(names, c.Name)
	}
	x, err := frame.Read(background, strings.NewReader(strings.Join(names, ",")+"\n"+rows), "rows", sh.Schema())
	must(t, err)
	return x
}

// The class of a new record against the sum over all class totals and all tables with these totals, for every noise.
// Features make the class totals matter: a classifier of posterior means differs.
func TestPredictByEnumeration(t *testing.T) {
	const n, j = 5, 2
	features := []int{2, 3}
	for _, k := range kinds {
		p := plan(t, k.mech, bayes(t, n, j, features...), k.target)
		lp, unit := logProb(t, p), int64(1)
		if k.name == "laplace" {
			unit = noise.LaplaceSteps
		}
		raw := [][]int64{{4, -1, 2, 0}, {1, 1, 1, 4, -3, 1}}
		for _, r := range raw {
			for i := range r {
				r[i] *= unit
			}
		}
		// joint[j][x0][x1] is Σ over latent counts of their weight times the probability of a new record
		var joint [j][2][3]float64
		for _, class := range tables(j, n) {
			evidence := math.Exp(logUrnOf(constant(1, j), class))
			var mean [2][j][3]float64 // E[θ | class totals]
			for ft, c := range features {
				for cl := range j {
					row := 0.0
					for _, f := range tables(c, class[cl]) {
						l := logUrnOf(constant(1, c), f)
						for i := range c {
							y := raw[ft][cl*c+i]
							l += lp(y, f[i]) - lp(y, 0)
						}
						row += math.Exp(l)
						for i := range c {
							mean[ft][cl][i] += math.Exp(l) * (1 + float64(f[i])) / float64(c+class[cl])
						}
					}
					evidence *= row
					for i := range c {
						mean[ft][cl][i] /= row
					}
				}
			}
			for cl := range j {
				for a := range 2 {
					for b := range 3 {
						joint[cl][a][b] += evidence * float64(
							1+class[cl],
						) / float64(
							j+n,
						) * mean[0][cl][a] * mean[1][cl][b]
					}
				}
			}
		}
		post := posteriorOf(t, raws(t, p, raw...))
		got, err := post.Predict(records(t, p.Shape(),
			"v0,v0,v0\nv1,v0,v1\nv0,v0,v2\nv0,v1,v0\nv0,v1,v1\nv0,v1,v2\nv1,v1,v2\n"))
		must(t, err)
		means := 0.0 // how far posterior means alone are off
		for i, at := range [][2]int{{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}, {1, 2}} {
			a, b := at[0], at[1]
			want := joint[0][a][b] / (joint[0][a][b] + joint[1][a][b])
			near(t, fmt.Sprint(k.name, " P(class | ", a, b, ")"), got[i][0], want, 1e-12)
			near(t, "sum", got[i][0]+got[i][1], 1, 1e-12)
			plug := [2]float64{1, 1}
			for cl := range j {
				for _, q := range []int{cl, 2 + 2*cl + a, 6 + 3*cl + b} {
					plug[cl] *= post.params[q].Law().Mean()
				}
			}
			means = math.Max(means, math.Abs(plug[0]/(plug[0]+plug[1])-want))
		}
		if means < 1e-3 {
			t.Errorf("%s: posterior means are off by %.3g: the case shows nothing", k.name, means)
		}
	}
}

// A class by itself is predicted by its mean; a private n and hardly any noise agree with the released model.
func TestPredictLimits(t *testing.T) {
	sh := categorical(t, 3, 20)
	post := posteriorOf(t, raws(t, plan(t, counts.KNorm(), sh, dp.PureDP(1)), []int64{25, -8, 3}))
	got, err := post.Predict(records(t, sh, "v0\nv2\n"))
	must(t, err)
	for i := range got {
		for j, q := range post.Parameters() {
			near(t, "categorical", got[i][j], q.Law().Mean(), 1e-12)
		}
	}
	nb := bayes(t, 40, 2, 2, 3)
	for _, target := range []dp.Request{dp.PureDP(400), dp.PureDP(400).Under(dp.AddRemove)} {
		p := plan(t, counts.Geometric(), nb, target)
		r := raws(t, p, []int64{10, 5, 20, 5}, []int64{3, 4, 8, 20, 0, 5})
		x := records(t, nb, "v0,v0,v1\nv0,v1,v0\nv0,v1,v2\n")
		want, err := r.Predict(x)
		must(t, err)
		got, err := posteriorOf(t, r).Predict(x)
		must(t, err)
		for i := range want {
			near(t, target.Adjacency.String(), got[i][0], want[i][0], 1e-9)
		}
	}
	var m *model.MismatchError
	if _, err := post.Predict(records(t, nb, "v0,v0,v1\n")); !errors.As(err, &m) {
		t.Errorf("another schema: %v", err)
	}
}
