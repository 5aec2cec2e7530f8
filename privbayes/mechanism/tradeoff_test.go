package mechanism_test

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// The title is never below the bound, and the question is that of the adjacency.
func TestTradeOffSaysNoLess(t *testing.T) {
	number := regexp.MustCompile(`at most ([0-9.]+) %$`)
	for adj, asked := range map[dp.Adjacency]string{dp.AddRemove: "in the table?", dp.ReplaceOne: "rows, or others?",
		dp.ReplaceValue: "value, or another?"} {
		for _, eps := range []float64{.1, .37, 1, 2.3} {
			p, err := counts.Geometric().Plan(t.Context(), shape(t, model.Binary("c0"), 50, 1, 2), dp.PureDP(eps).Under(adj))
			if err != nil {
				t.Fatal(err)
			}
			f := must.Get(p.TradeOff(t.Context()))(t)
			found := number.FindStringSubmatch(f.Title)
			if found == nil || !strings.Contains(f.Subtitle, asked) {
				t.Fatalf("%s: %q, %q", adj, f.Title, f.Subtitle)
			}
			said, err := strconv.ParseFloat(found[1], 64)
			if bound := 100 * p.AttackPower(t.Context(), .05); err != nil || said < bound-1e-9 || said > bound+.11 {
				t.Errorf("%s, ε = %v: %q of %v", adj, eps, f.Title, bound)
			}
		}
	}
}

// The curve of a release lies between guessing and that of its guarantee.
func TestTradeOff(t *testing.T) {
	p := must.Get(counts.Geometric().Plan(t.Context(), shape(t, model.Binary("c0"), 50, 1, 2), dp.PureDP(1)))(t)
	f, err := p.TradeOff(t.Context())
	if err != nil || len(f.Series) != 3 {
		t.Fatal(f, err)
	}
	own, others := f.Series[0], f.Series[1]
	for i, a := range own.X {
		if own.Y[i] < a-1e-9 || own.Y[i] > others.Y[i]+1e-9 || i > 0 && own.Y[i] < own.Y[i-1]-1e-9 {
			t.Errorf("at %v: %v, any %v", a, own.Y[i], others.Y[i])
		}
	}
}
