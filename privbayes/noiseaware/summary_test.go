package noiseaware

import (
	"encoding/csv"
	"errors"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
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
