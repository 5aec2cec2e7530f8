package learnednetworks

import (
	"math"
	"slices"
	"testing"
)

// What docs/noise_aware.md says of the committed points: columns are covered everywhere; so is all of an edge where
// edges are strong or there are three levels; edges that are there by chance are not, and the less noise the less.
func TestCommitted(t *testing.T) {
	r, err := Committed()
	if err != nil {
		t.Fatal(err)
	}
	at := func(s Spec) Point {
		i := slices.IndexFunc(r.Points, func(p Point) bool { return p.Spec == s })
		if i < 0 {
			t.Fatalf("%+v was not run", s)
		}
		return r.Points[i]
	}
	for _, p := range r.Points {
		if p.Replicates < 200 || p.NotConverged > 0 {
			t.Errorf("%+v", p)
		}
		for _, q := range Quantities() {
			c := p.Of[q]
			fails := c.Aware < .93 || c.Aware > .98
			if (q == Margins || p.Population == "strong" || p.Population == "three levels") && fails {
				t.Errorf("%s: %+v: %+v", q, p.Spec, c)
			}
			if c.Naive > c.Aware+.02 || c.AwareSE <= 0 || c.AwareSE > .03 || c.AwareWidth < .99*c.NaiveWidth {
				t.Errorf("%s: %+v: %+v", q, p.Spec, c)
			}
		}
	}
	last := math.Inf(1)
	for _, eps := range []float64{1, 3} {
		c := at(Spec{Population: "independent", Learner: "tree", Records: 10000, Epsilon: eps}).Of[Differences]
		if c.Aware+4*c.AwareSE > .95 || c.Aware >= last {
			t.Errorf("ε = %g: the choice costs nothing: %+v", eps, c)
		}
		last = c.Aware
	}
	for _, q := range Quantities() {
		if c := at(livePoint).Of[q]; c.Aware-2*c.AwareSE < lowest {
			t.Errorf("the live test supposes too much: %s %+v", q, c)
		}
		if err := r.Figure(q).Validate(); err != nil {
			t.Error(q, err)
		}
	}
	if r.Table().String() == "" || r.Widths().String() == "" {
		t.Error("no tables")
	}
}
