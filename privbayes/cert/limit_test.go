package cert_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/cert"
)

// A refusal shows what it would take and what the limit is, and the limit travels with the context.
func TestMemoryLimit(t *testing.T) {
	ctx := t.Context()
	if err := cert.Memory(ctx, "a table", cert.DefaultMemoryLimit); err != nil {
		t.Error(err)
	}
	small := cert.WithMemoryLimit(ctx, 1000)
	for _, bytes := range []float64{1001, math.Inf(1), math.NaN()} {
		err := cert.Memory(small, "a table", bytes)
		var limit *cert.LimitError
		if !errors.As(err, &limit) || limit.Limit != 1000 || limit.Unit != "bytes" {
			t.Errorf("%v bytes: %v", bytes, err)
		}
	}
	if s := cert.Memory(small, "a table", 2500).Error(); !strings.Contains(s, "a table takes 2500 bytes; the limit "+
		"is 1000") || !strings.Contains(s, "WithMemoryLimit") {
		t.Error(s)
	}
	if s := cert.Memory(ctx, "a table", cert.DefaultMemoryLimit+1).Error(); !strings.Contains(s, "takes 536870913 bytes; the "+
		"limit is 536870912") {
		t.Error(s)
	}
	if cert.MemoryLimit(cert.WithMemoryLimit(small, 5000)) != 5000 || cert.MemoryLimit(ctx) != cert.DefaultMemoryLimit {
		t.Error("the limit of the context is not the one that was set")
	}
}

// Progress ends a loop soon after its context, and no earlier.
func TestProgressEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p := cert.NewProgress(ctx, 1e9)
	for range 1_000_000 {
		must.Do(t, p.Step(1))
	}
	cancel()
	for i := range 1_000_000 {
		if err := p.Step(1); err != nil {
			if !errors.Is(err, context.Canceled) || i > 1<<17 {
				t.Errorf("%v after %d steps", err, i)
			}
			return
		}
	}
	t.Error("the loop does not end")
}

// Work over a second is reported, at most ten times a second, and never as done; shorter work is not.
func TestProgressReports(t *testing.T) {
	var seen [][2]int64
	ctx := cert.WithProgress(t.Context(), func(done, total int64) { seen = append(seen, [2]int64{done, total}) })
	p := cert.NewProgress(ctx, 1e9)
	start := time.Now()
	for time.Since(start) < 500*time.Millisecond {
		must.Do(t, p.Step(1<<17))
	}
	if early := time.Since(start) < time.Second; early && len(seen) > 0 {
		t.Errorf("%d reports within half a second", len(seen))
	}
	for time.Since(start) < 1300*time.Millisecond {
		must.Do(t, p.Step(1<<17))
	}
	took := time.Since(start)
	if len(seen) == 0 || len(seen) > int(took/(100*time.Millisecond)) {
		t.Errorf("%d reports in %v", len(seen), took)
	}
	for _, s := range seen {
		if s[1] != 1e9 || s[0] >= s[1] {
			t.Errorf("reported %d of %d", s[0], s[1])
		}
	}
}

func ExampleWithMemoryLimit() {
	ctx := cert.WithMemoryLimit(context.Background(), 4<<30) // for a model that is known to be large
	fmt.Println(cert.MemoryLimit(ctx))
	// Output: 4294967296
}
