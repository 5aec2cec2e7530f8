package noiseaware

import (
	"context"
	"errors"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// asking is a context that ends when it was asked often enough, and counts.
type asking struct {
	context.Context
	asked, most int
}

func (a *asking) Err() error {
	if a.asked++; a.asked > a.most {
		return context.Canceled
	}
	return nil
}

// large are releases whose exact law is much work.
func large(t *testing.T) map[string]*release.Release {
	row := func(n int64) []int64 { return []int64{3 * n / 10, 3 * n / 10, n / 10, 3 * n / 10} }
	out := map[string]*release.Release{}
	for name, n := range map[string]int64{"naive Bayes, 3e4": 3e4, "naive Bayes, 1e5": 1e5} {
		p := plan(t, counts.Geometric(), bayes(t, int(n), 2, 2, 2, 2, 2, 2), dp.PureDP(.1))
		out[name] = raws(t, p, row(n), row(n), row(n), row(n), row(n))
	}
	out["four levels, 1e5"] = raws(t, plan(t, counts.Geometric(), categorical(t, 4, 1e5), dp.PureDP(.1)), row(1e5))
	private := categorical(t, 4, 2e4).WithoutN()
	out["private n"] = raws(t, plan(t, counts.Geometric(), private, dp.PureDP(.02).Under(dp.AddRemove)), row(2e4))
	return out
}

// The exact law of a release takes no more than the one limit, rows and repetitions together, and looks at the context
// all along: one that ends is its error.
func TestExactWorkIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("seconds of sums")
	}
	for name, r := range large(t) {
		z, _ := oneLaw(r.Plan())
		whole := &asking{Context: t.Context(), most: 1 << 30}
		_, err := of(whole, r, z)
		var w *WorkError
		if err != nil && !errors.As(err, &w) {
			t.Errorf("%s: %v", name, err)
		}
		if most := int(2*exactWork/look) + 2; whole.asked > most || whole.asked < 5 {
			t.Errorf("%s: the context was asked %d times, want 5 to %d", name, whole.asked, most)
		}
		for _, k := range []int{0, 1, whole.asked / 2, whole.asked - 1} {
			ending := &asking{Context: t.Context(), most: k}
			if p, err := of(ending, r, z); p != nil || !errors.Is(err, context.Canceled) {
				t.Errorf("%s, ended after %d looks: %v, %v", name, k, p, err)
			}
		}
	}
	// what is sure to be too much is not begun, and drawn instead
	row := []int64{3e5, 3e5, 1e5, 3e5}
	r := raws(t, plan(t, counts.Geometric(), bayes(t, 1e6, 2, 2, 2, 2, 2, 2), dp.PureDP(1)), row, row, row, row, row)
	z, _ := oneLaw(r.Plan())
	idle := &asking{Context: t.Context()}
	var w *WorkError
	if _, err := of(idle, r, z); !errors.As(err, &w) || w.Work <= w.Limit {
		t.Errorf("a million records: %v", err)
	}
	p, err := OfContext(t.Context(), r)
	must(t, err)
	if p.joint == nil {
		t.Error("a million records by convolution")
	}
}
