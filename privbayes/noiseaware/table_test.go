package noiseaware

import (
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// The table has a row for every probability; the short form, those of the target.
func TestTables(t *testing.T) {
	p := posteriorOf(t, raws(t, plan(t, counts.Geometric(), bayes(t, 40, 2, 2, 3), dp.PureDP(2)),
		[]int64{10, 5, 20, 5}, []int64{3, 4, 8, 20, 0, 5}))
	if rows := strings.Count(p.Probabilities().String(), " … ") / 2; rows != len(p.Parameters()) || rows != 2+4+6 {
		t.Errorf("%d rows for %d parameters", rows, len(p.Parameters()))
	}
	if rows := strings.Count(p.String(), " … ") / 2; rows != 2 {
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
