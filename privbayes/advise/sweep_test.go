package advise

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/gridmap"
)

// Every point of a sweep is the comparison at that n alone; the sampling error is that of binomial counts, summed; and
// wrong sizes are refused.
func TestSweepIsAdviceAtEverySize(t *testing.T) {
	o := Options{Mechanisms: []mechanism.Mechanism{counts.KNorm(), gridmap.New()}}
	sizes := []int{20, 200}
	s, err := OverN(t.Context(), coin(t, 7), sizes, dp.PureDP(1), o)
	if err != nil {
		t.Fatal(err)
	}
	f := s.Figure()
	if len(s.Sizes()) != 2 || len(f.Series) != 3 || f.Series[0].Name != "K-norm" || !f.Series[2].Guide {
		t.Fatalf("%v %+v", s.Sizes(), f)
	}
	for i, n := range sizes {
		a, err := For(t.Context(), coin(t, n), []dp.Request{dp.PureDP(1)}, o)
		if err != nil {
			t.Fatal(err)
		}
		for m, r := range a.Rows(0) {
			if got := s.At(i).Rows(0)[m].Error; got != r.Error || f.Series[m].Y[i] != r.Error ||
				f.Series[m].X[i] != float64(n) {
				t.Errorf("n = %d, %s: %v and %v, alone %v", n, r.Mechanism, got, f.Series[m].Y[i], r.Error)
			}
		}
		sum, nodes := 0.0, 4000 // E|K/n − p| over p uniform, by midpoints
		for j := range nodes {
			p := (float64(j) + .5) / float64(nodes)
			for k := range n + 1 {
				x, y := float64(k), float64(n-k)
				a, _ := math.Lgamma(float64(n) + 1)
				b, _ := math.Lgamma(x + 1)
				c, _ := math.Lgamma(y + 1)
				sum += math.Exp(a-b-c+x*math.Log(p)+y*math.Log1p(-p)) * math.Abs(x/float64(n)-p) / float64(nodes)
			}
		}
		if e, ok := s.At(i).sampling(); !ok || math.Abs(e/sum-1) > .03 || f.Series[2].Y[i] != e {
			t.Errorf("n = %d: sampling error %v, summed %v", n, e, sum)
		}
	}
	if text := s.String(); !strings.Contains(text, "over n") || !strings.Contains(text, "1-DP, replace-one") ||
		strings.Contains(text, "n = 20,") {
		t.Error(text)
	}
	for _, sizes := range [][]int{nil, {0, 5}, {5, 5}, {7, 3}, make([]int, mostSizes+1)} {
		var no *Error
		if _, err := OverN(t.Context(), coin(t, 7), sizes, dp.PureDP(1), o); !errors.As(err, &no) {
			t.Errorf("%v: %v", sizes, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := OverN(ctx, coin(t, 7), sizes, dp.PureDP(1), o); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
