package wholenetworks

import (
	"errors"
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// A small part live: the intervals of every entry of the chain's tables hold the truth as often as they say, and those
// of a posterior that takes the noise for a much smaller one do not, through the same path.
//
// Ten replicates of five entries: at a coverage of 0.95 the chance of at most 33 of 50 is below 1e-9 for independent
// entries, and those of one replicate are nearly so.
func TestCoverLive(t *testing.T) {
	s := Spec{Network: "chain", Records: 100, Epsilon: .1, Noise: "geometric"}
	p, err := Cover(t.Context(), s, 10, 7, func() {})
	if err != nil {
		t.Fatal(err)
	}
	if p.NotConverged > 0 || p.Aware.Tables < 33./50 || p.Naive.Tables > p.Aware.Tables {
		t.Errorf("%+v", p)
	}
	s.Overstated = 20
	wrong, err := Cover(t.Context(), s, 10, 7, func() {})
	if err != nil {
		t.Fatal(err)
	}
	if wrong.Aware.Tables > p.Aware.Tables-.1 {
		t.Errorf("noise taken for a twentieth covers %v", wrong.Aware.Tables)
	}
}

// The committed points hold what the page says: coverage within 0.94 to 0.96 up to three standard errors, which is
// below that of naive intervals nowhere.
func TestCommitted(t *testing.T) {
	r, err := Committed()
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Points) == 0 {
		t.Fatal("no points")
	}
	for _, p := range r.Points {
		if off := math.Abs(p.Aware.Tables - level); p.NotConverged > 0 || p.Replicates < 200 || off > .01+3*p.SE() {
			t.Errorf("%+v", p)
		}
		if p.Naive.Tables > p.Aware.Tables+.02 {
			t.Errorf("naive intervals cover more: %+v", p)
		}
	}
	for _, n := range r.Nulls {
		if n.Replicates < 400 || n.Share(OneSet) < .15 || n.Share(ByTf) > .05+3*math.Sqrt(.05*.95/400) ||
			math.Abs(n.Share(OfInterval)-.05) > 4*math.Sqrt(.05*.95/400) {
			t.Errorf("%+v", n)
		}
	}
	if f := r.Figure(); f.Validate() != nil {
		t.Error(f.Validate())
	}
	if r.Table().String() == "" || r.Errors().String() == "" || len(r.Of("chain").Points) > len(r.Points) {
		t.Error("no tables")
	}
}

// Sets of sets, a few: one set alone misses more often than the rule does.
func TestTypeOneLive(t *testing.T) {
	n, err := TypeOne(t.Context(), 300, 1, 1, 4, 3, func() {})
	if err != nil {
		t.Fatal(err)
	}
	if n.Missed[ByTf] > n.Missed[OneLarge] || n.Missed[ByTf] == 4 {
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
	if _, err := Cover(t.Context(), Spec{Network: "chain", Records: 10, Epsilon: 1, Noise: "geometric"}, 0, 1, func() {}); !errors.As(err, &e) {
		t.Error(err)
	}
}
