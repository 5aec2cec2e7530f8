package noiseaware

import (
	"context"
	"errors"
	"math"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
)

// Where the work limit comes first there are no draws: the worst quantity is named with its numbers.
func TestNotConvergedNamesTheWorst(t *testing.T) {
	s, err := settingOf(t.Context(), drawn(t, counts.Geometric(), threeNodes(t), 40, dp.PureDP(.5), false))
	must(t, err)
	s.limit, s.sampled = 1, true
	for _, alpha := range s.problem.Alpha { // rows are nearly all of one level, and which one takes long to change
		for l := range alpha {
			alpha[l] = 1e-3
		}
	}
	_, err = newNetwork(t.Context(), s)
	var not *NotConvergedError
	if !errors.As(err, &not) || not.Worst == "" || not.Sweeps != 1000 || not.RHat < mostRHat && not.ESS >= leastESS {
		t.Fatalf("%v", err)
	}
	if text := not.Error(); !strings.Contains(text, not.Worst) || !strings.Contains(text, "less noise") {
		t.Error(text)
	}
}

// A question that the chains have not settled is not answered: here which chain a network comes from, on which each
// agrees with itself and with no other.
func TestQuestionsConvergeToo(t *testing.T) {
	s, err := settingOf(t.Context(), drawn(t, counts.Geometric(), threeNodes(t), 200, dp.PureDP(2), false))
	must(t, err)
	s.limit, s.sampled = 1, true
	p, err := newNetwork(t.Context(), s)
	must(t, err)
	chain := map[float64]float64{}
	for i := range p.Len() {
		chain[p.Draw(i).Net.Table(0)[0]] = float64(i * p.Chains() / p.Len())
	}
	_, err = p.Ask(t.Context(), "the chain", func(net *bayesnet.Net) (float64, error) {
		return chain[net.Table(0)[0]], nil
	})
	var not *NotConvergedError
	if !errors.As(err, &not) || not.Worst != "the chain" || !math.IsInf(not.RHat, 1) {
		t.Errorf("%v", err)
	}
	both, err := p.AskAll(t.Context(), []string{"a constant", "a row"}, func(net *bayesnet.Net, out []float64) error {
		out[0], out[1] = 2, net.Table(1)[0]
		return nil
	})
	must(t, err)
	if both[0].Mean() != 2 || both[0].SD() != 0 || both[0].RHat != 1 || both[0].Quantile(.9) != 2 || both[1].SD() == 0 {
		t.Errorf("%+v, %+v", *both[0], *both[1])
	}
	if _, err = p.Ask(t.Context(), "nothing", func(*bayesnet.Net) (float64, error) { return math.NaN(), nil }); err == nil {
		t.Error("a question without an answer was answered")
	}
	if _, err = p.AskAll(t.Context(), nil, nil); err == nil {
		t.Error("no question was answered")
	}
}

// A context ends the work soon, wherever it is, and what is drawn afterwards is what would have been drawn; progress
// is told.
func TestContextAndProgress(t *testing.T) {
	r := drawn(t, counts.Geometric(), bayesnet.Asia(), 300, dp.PureDP(.1), false)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	if _, err := OfNetwork(ctx, r); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	if _, err := OfContext(ctx, r); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	var told atomic.Int64
	p, err := OfNetwork(t.Context(), drawn(t, counts.Geometric(), threeNodes(t), 200, dp.PureDP(2), false),
		Sampled(), WithProgress(func(done, total int64) { told.Store(done); _ = total }))
	must(t, err)
	if told.Load() != 4*1000 {
		t.Errorf("%d sweeps told of", told.Load())
	}
	if n, ok := p.Records(); n != 200 || !ok || p.Chains() != 4 || p.DAG().Len() != 3 || p.Len() != 2000 ||
		!strings.Contains(p.Caption(), p.Route()) {
		t.Error("what it says of itself")
	}
	// ended in the middle of an extension and asked again
	q, err := OfNetwork(t.Context(), drawn(t, counts.Geometric(), threeNodes(t), 200, dp.PureDP(2), false), Sampled())
	must(t, err)
	ended, stop := context.WithCancel(t.Context())
	stop()
	if _, _, err := q.level(ended, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	again, _, err := q.level(t.Context(), 1)
	must(t, err)
	whole, _, err := p.level(t.Context(), 1)
	must(t, err)
	for c := range chains {
		for i, x := range whole.theta[c] {
			if again.theta[c][i] != x {
				t.Fatal("other draws after a context ended")
			}
		}
	}
}

// Noisy counts that no data set explains are refused at once, and those at the edge of what noise reaches are not.
func TestImpossibleEvidence(t *testing.T) {
	good := drawn(t, counts.Geometric(), threeNodes(t), 100, dp.PureDP(1), false)
	raw := good.Raw()
	for name, c := range map[string]struct {
		change func(raw [][]int64)
		bad    bool
	}{
		"as drawn":                 {func([][]int64) {}, false},
		"negative":                 {func(raw [][]int64) { raw[0][0] = -40 }, false},
		"far below zero":           {func(raw [][]int64) { raw[0][0] = -400 }, true},
		"far above n":              {func(raw [][]int64) { raw[1][3] = 1 << 40 }, true},
		"a sum that is not n":      {func(raw [][]int64) { raw[0] = []int64{90, 90, 90, 90}; raw[1] = raw[0] }, false},
		"a sum that is far from n": {func(raw [][]int64) { raw[0] = []int64{-290, -290, -290, -290} }, true},
	} {
		changed := [][]int64{append([]int64(nil), raw[0]...), append([]int64(nil), raw[1]...)}
		c.change(changed)
		_, err := OfNetwork(t.Context(), raws(t, good.Plan(), changed...))
		var e *EvidenceError
		if errors.As(err, &e) != c.bad {
			t.Errorf("%s: %v", name, err)
		}
	}
}
