package advise

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/gridmap"
)

// What several errors need is what LevelFor and NFor say of each; the n found reaches the error and 3 % fewer records
// do not; the figure has them in order, whatever the order asked.
func TestNeedsIsBackwardsForEveryError(t *testing.T) {
	targets := []dp.Request{dp.PureDP(.1), dp.PureDP(1)}
	o := Options{Mechanisms: []mechanism.Mechanism{counts.KNorm()}, Time: 10 * time.Minute} // also on a busy machine
	a := must.Get(For(t.Context(), coin(t, 1000), targets, o))(t)
	asked := []float64{.001, .008, .003, .5, .0005}
	n := must.Get(a.Required(t.Context(), asked...))(t)
	at := func(size int, target dp.Request) float64 {
		b := must.Get(For(t.Context(), coin(t, size), []dp.Request{target}, o))(t)
		return b.Rows(0)[0].Error
	}
	for i, e := range asked {
		level, ok := n.Level(i)
		if want, has := a.LevelFor(e); ok != has || level != want {
			t.Errorf("error %g: level %v %v, want %v %v", e, level, ok, want, has)
		}
		for j, target := range targets {
			s, ok := n.Size(i, j)
			want, err := a.NFor(t.Context(), j, e)
			if !ok || err != nil || s.N != want.N {
				t.Fatalf("error %g at %s: n = %d, alone %d: %v", e, target.Parameters, s.N, want.N, err)
			}
			if got := at(s.N, target); got > e {
				t.Errorf("error %g at %s: n = %d errs by %g", e, target.Parameters, s.N, got)
			}
			if less := int(float64(s.N) / near); less >= 1 && s.N > 2 && at(less, target) <= e {
				t.Errorf("error %g at %s: n = %d would do, found %d", e, target.Parameters, less, s.N)
			}
		}
	}
	f := n.Figure()
	if err := f.Validate(); err != nil || len(f.Series) != 2 {
		t.Fatalf("%v %+v", err, f)
	}
	for j, s := range f.Series {
		one, _ := n.Size(0, j)
		if !slices.IsSorted(s.X) || s.X[1] != asked[0] || s.Y[1] != float64(one.N) || len(s.X) != len(asked) {
			t.Errorf("%+v", s)
		}
	}
	text := n.String()
	for _, want := range []string{"ε at n = 1000", "n at ε = 1", "below 0.1", "not up to 1", "no data was read",
		"n to within 3 %", "replace-one"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// An error that no n reaches is said in a note, and the others are answered; bad errors and a context that is over are
// refused.
func TestNeedsSaysWhyThereIsNone(t *testing.T) {
	o := Options{Mechanisms: []mechanism.Mechanism{gridmap.New()}} // its error stops at the distance to its grid
	a := must.Get(For(t.Context(), coin(t, 100), []dp.Request{dp.PureDP(1)}, o))(t)
	own := a.Rows(0)[0].Error
	n := must.Get(a.Required(t.Context(), own, 1e-9))(t)
	if s, ok := n.Size(0, 0); !ok || s.N > 100 {
		t.Errorf("the error at n = 100 needs %d", s.N)
	}
	if s, ok := n.Size(1, 0); ok {
		t.Errorf("a grid reaches 1e-9 at n = %d", s.N)
	}
	if text := n.String(); !strings.Contains(text, "Error 1e-9 at ε = 1: ") || !strings.Contains(text, "–") {
		t.Error(text)
	}
	if f := n.Figure(); len(f.Series) != 1 || len(f.Series[0].X) != 1 {
		t.Errorf("%+v", f)
	}
	for _, bad := range [][]float64{nil, {0}, {.1, -1}, {math.NaN()}, {math.Inf(1)}, make([]float64, mostErrors+1)} {
		var no *Error
		if _, err := a.Required(t.Context(), bad...); !errors.As(err, &no) {
			t.Errorf("%v: %v", bad, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := a.Required(ctx, .001); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// Every point of a sweep is the comparison at that n alone; the sampling error is that of binomial counts, summed; and
// wrong sizes are refused.
func TestSweepIsAdviceAtEverySize(t *testing.T) {
	o := Options{Mechanisms: []mechanism.Mechanism{counts.KNorm(), gridmap.New()}}
	sizes := []int{20, 200}
	s := must.Get(OverN(t.Context(), coin(t, 7), sizes, dp.PureDP(1), o))(t)
	f := s.Figure()
	if len(s.Sizes()) != 2 || len(f.Series) != 3 || f.Series[0].Name != "K-norm" || !f.Series[2].Guide {
		t.Fatalf("%v %+v", s.Sizes(), f)
	}
	for i, n := range sizes {
		a := must.Get(For(t.Context(), coin(t, n), []dp.Request{dp.PureDP(1)}, o))(t)
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
	if text := s.String(); !strings.Contains(text, "over n") || !strings.Contains(text, "ε = 1, replace-one") ||
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
