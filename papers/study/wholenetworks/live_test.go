package wholenetworks

import (
	"errors"
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// lowest is the coverage that the posterior has at least: 0.95, less what is left of the dependence between draws.
const lowest = .94

// A part of the study live: the intervals of the chain's tables hold the truth, and those of a posterior that takes the
// noise for a tenth of what it is do not, through the same path. The bound holds whatever the dependence between the
// entries of a replicate.
func TestCoverLive(t *testing.T) {
	const replicates = 150
	s := Spec{Network: "chain", Records: 1000, Epsilon: .1, Noise: "geometric"}
	p, err := Cover(t.Context(), s, replicates, 7, func() {})
	if err != nil {
		t.Fatal(err)
	}
	least := fewest(replicates, lowest, falseAlarm)
	if p.NotConverged > 0 || p.Aware.Tables <= least || p.Aware.Questions <= least {
		t.Errorf("want above %.3f: %+v", least, p)
	}
	s.Overstated = 10
	wrong, err := Cover(t.Context(), s, replicates, 7, func() {})
	if err != nil {
		t.Fatal(err)
	}
	if wrong.Aware.Tables > least {
		t.Errorf("noise taken for a tenth is not found: %+v", wrong)
	}
	t.Logf("%.3f, and %.3f of the wrong posterior, with the bound %.3f", p.Aware.Tables, wrong.Aware.Tables, least)
}

// The committed points: none is further from 0.95 than chance allows, by Hoeffding's bound below and above, and each
// network's mean is within what the page says of this file.
func TestCommitted(t *testing.T) {
	r, err := Committed()
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Points) == 0 || len(r.Nulls) == 0 {
		t.Fatal("no points")
	}
	for _, p := range r.Points {
		k := p.Replicates - p.NotConverged
		for _, share := range []float64{p.Aware.Tables, p.Aware.Questions} {
			if p.NotConverged > 0 || p.Replicates < 200 || share <= fewest(k, lowest, falseAlarm/2) {
				t.Errorf("%+v", p)
			}
		}
		if p.Naive.Tables > p.Aware.Tables+.02 {
			t.Errorf("naive intervals cover more: %+v", p)
		}
	}
	for _, m := range r.Means() {
		if math.Abs(m.Tables-level) > .01 || math.Abs(m.Questions-level) > .01 {
			t.Errorf("%+v", m)
		}
	}
	for _, n := range r.Nulls {
		// T_f's own rate is 0.045 to 0.055 where V is known: see package synthetic.
		for _, m := range []Method{ByTf, OfInterval} {
			if n.Replicates < 400 || !misses(n.Missed[m], n.Replicates-n.Empty[m], .045, .055) {
				t.Errorf("%s: %+v", m, n)
			}
		}
		if misses(n.Missed[OneSet], n.Replicates-n.Empty[OneSet], .045, .055) {
			t.Errorf("one set is enough: %+v", n)
		}
	}
	if f := r.Figure(); f.Validate() != nil {
		t.Error(f.Validate())
	}
	if r.Table().String() == "" || r.Errors().String() == "" || len(r.Of("chain").Points) > len(r.Points) {
		t.Error("no tables")
	}
}

// Of 40 sets of sets, T_f misses 16 or more with probability below 1e-9; one set alone does.
func TestTypeOneLive(t *testing.T) {
	const replicates, most = 40, 16
	if atLeast(most, replicates, .055) > falseAlarm {
		t.Fatal(atLeast(most, replicates, .055))
	}
	n, err := TypeOne(t.Context(), 300, 1, 1, replicates, 3, func() {})
	if err != nil {
		t.Fatal(err)
	}
	if n.Missed[ByTf] >= most || n.Missed[OfInterval] >= most || n.Missed[OneLarge] < most {
		t.Errorf("%+v", n)
	}
}

func TestOptionsThatCannotBe(t *testing.T) {
	var e *dp.ParameterError
	for _, s := range []Spec{{Network: "x", Records: 10, Epsilon: 1, Noise: "geometric"}, {Network: "chain", Records: 10,
		Epsilon: 1, Noise: "x"}} {
		if _, err := Cover(t.Context(), s, 1, 1, func() {}); !errors.As(err, &e) {
			t.Error(err)
		}
	}
	s := Spec{Network: "chain", Records: 10, Epsilon: 1, Noise: "geometric"}
	if _, err := Cover(t.Context(), s, 0, 1, func() {}); !errors.As(err, &e) {
		t.Error(err)
	}
}
