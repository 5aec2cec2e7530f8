package noiseaware

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
)

// Draws, laws and captions may be read while a question makes the chains longer (go test -race).
func TestReadWhileChainsRun(t *testing.T) {
	p, err := OfNetwork(t.Context(), drawn(t, counts.Geometric(), threeNodes(t), 200, dp.PureDP(2), false), Sampled())
	must(t, err)
	p.s.limit = 8 * p.base.sweeps * chains * p.lay.Moves()
	want, route := p.Draw(3).Net.Table(0)[0], p.Route()
	ended := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		defer close(ended)
		var n atomic.Int64 // a question whose draws never agree
		_, err := p.Ask(t.Context(), "x", func(*bayesnet.Net) (float64, error) { return float64(n.Add(1)), nil })
		var e *NotConvergedError
		if !errors.As(err, &e) {
			t.Error(err)
		}
	})
	for reading := true; reading; {
		select {
		case <-ended:
			reading = false
		default:
		}
		if got := p.Draw(3).Net.Table(0)[0]; got != want || p.Len() != chains*p.base.draws || p.Route() != route ||
			!(p.mixture(0, 0, 0).Mean() > 0) {
			t.Fatalf("draw 3 has %v, want %v", got, want)
		}
	}
	wg.Wait()
	if len(p.kept) < 2 {
		t.Error("the chains were not made longer: the test sees nothing")
	}
}

// Who waits for chains that another asker runs waits as long as its own context allows.
func TestWaitingEnds(t *testing.T) {
	p, err := OfNetwork(t.Context(), drawn(t, counts.Geometric(), threeNodes(t), 200, dp.PureDP(2), false), Sampled())
	must(t, err)
	p.turn <- struct{}{} // another asker's
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := p.level(ctx, p.first+1); !errors.Is(err, context.Canceled) {
		t.Errorf("waiting: %v", err)
	}
	if l, _, err := p.level(t.Context(), p.first); err != nil || l != p.base {
		t.Errorf("a level that is there: %v", err)
	}
	<-p.turn
	if _, _, err := p.level(t.Context(), p.first+1); err != nil {
		t.Error(err)
	}
}

// A function that panics is an error that names it, and does not end the program.
func TestPanicsAreErrors(t *testing.T) {
	p, err := OfNetwork(t.Context(), drawn(t, counts.Geometric(), threeNodes(t), 200, dp.PureDP(2), false))
	must(t, err)
	beyond := func(n *bayesnet.Net) float64 { return n.Prob(0, 0)[2] }
	q := Function("a third level", beyond)
	_, answers := p.Answers(t.Context(), Probability(Event{"b": "yes"}), q)
	_, ask := p.Ask(t.Context(), "a third level", func(n *bayesnet.Net) (float64, error) { return beyond(n), nil })
	_, of := q.Of(p.Draw(0).Net)
	for i, err := range []error{answers, ask, of} {
		var e *PanicError
		if !errors.As(err, &e) || e.Question != "a third level" || !strings.Contains(e.Panic, "out of range") {
			t.Errorf("call %d: %v", i, err)
		}
	}
}
