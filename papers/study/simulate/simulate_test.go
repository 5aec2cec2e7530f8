package simulate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync/atomic"
	"testing"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/noiseaware"
)

// Replicates that did not converge are counted apart; another error ends the run, as the context does.
func TestReplicates(t *testing.T) {
	other := errors.New("other")
	for _, c := range []struct {
		fails        map[int]error
		notConverged int
		err          error
		ran          int
	}{
		{nil, 0, nil, 5},
		{map[int]error{1: &noiseaware.NotConvergedError{}, 3: fmt.Errorf("it: %w", &noiseaware.NotConvergedError{})}, 2, nil,
			5},
		{map[int]error{2: other}, 0, other, 3},
	} {
		ran := 0
		n, err := Replicates(t.Context(), 5, 1, func(i int) error { ran++; return c.fails[i] })
		if n != c.notConverged || !errors.Is(err, c.err) || ran != c.ran {
			t.Errorf("%v: %d not converged, %v after %d", c.fails, n, err, ran)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := Replicates(ctx, 5, 1, func(int) error { cancel(); return nil }); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	var e *domain.Error
	if _, err := Replicates(t.Context(), 1, 2, nil); !errors.As(err, &e) {
		t.Error(err)
	}
}

// Each runs every job once; the first that fails is the error, and no further one begins.
func TestEach(t *testing.T) {
	var ran [100]atomic.Int32
	if err := Each(t.Context(), len(ran), func(_ context.Context, i int) error { ran[i].Add(1); return nil }); err != nil {
		t.Fatal(err)
	}
	for i := range ran {
		if ran[i].Load() != 1 {
			t.Errorf("job %d ran %d times", i, ran[i].Load())
		}
	}
	failed, begun := errors.New("failed"), atomic.Int32{}
	err := Each(t.Context(), 10000, func(ctx context.Context, i int) error {
		if begun.Add(1); i == 3 {
			return failed
		}
		if i > 3 {
			<-ctx.Done()
		}
		return nil
	})
	if !errors.Is(err, failed) || begun.Load() > 1000 {
		t.Errorf("%v after %d jobs", err, begun.Load())
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Each(ctx, 3, func(context.Context, int) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// The seeds of the committed points stay as they are, and two replicates, points, studies and seeds have their own.
func TestStreams(t *testing.T) {
	point := struct{ N int }{5}
	first := Stream("learnednetworks", 50219, point, 0).Uint64()
	for _, other := range []uint64{Stream("learnednetworks", 50219, point, 1).Uint64(), Stream("x", 50219, point,
		0).Uint64(),
		Stream("learnednetworks", 1, point, 0).Uint64(), Stream("learnednetworks", 50219, 5, 0).Uint64()} {
		if other == first {
			t.Error("two streams are the same")
		}
	}
	if again := Stream("learnednetworks", 50219, point, 0).Uint64(); again != first || first != 3036238955506585675 {
		t.Errorf("%d, then %d", first, again)
	}
}

// Moments against sums by hand, and the order statistics of nine numbers.
func TestCounts(t *testing.T) {
	var m Moments
	for _, x := range []float64{1, 2, 3, 6} {
		m.Add(x)
	}
	if m.N != 4 || m.Mean() != 3 || math.Abs(m.SD()-math.Sqrt(3.5)) > 1e-15 ||
		math.Abs(m.SE()-math.Sqrt(3.5/3)) > 1e-15 || math.Abs(SE(100)-.0218) > 1e-4 {
		t.Error(m, m.Mean(), m.SD(), m.SE(), SE(100))
	}
	if Held(1, 2, 1) != 1 || Held(1, 2, 2) != 1 || Held(1, 2, 2.1) != 0 || Held(1, 2, math.NaN()) != 0 {
		t.Error("what an interval holds")
	}
	x := make([]float64, 39) // (N + 1)/40 = 1: the ends are the first and the last
	for i := range x {
		x[i] = float64((i*7)%39 + 1)
	}
	if lo, hi := Ends(x); lo != 1 || hi != 39 {
		t.Error(lo, hi)
	}
}
