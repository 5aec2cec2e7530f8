package privbayes_test

import (
	"context"
	"errors"
	"runtime"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// live is the heap that is in use.
func live() float64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

// What Plan.Fits estimates is an upper bound of what a draw and its model hold, and not many times it: a factor of
// eight at most.
func TestFitsIsAnUpperBound(t *testing.T) {
	naive := func(k, levels int) *model.Shape {
		return must.Get(model.NewShape(schemaOf(1, append([]int{2}, repeat(k, levels)...)...), model.NaiveBayes("c0"), 1000,
			true, ""))(t)
	}
	network := must.Get(model.NewShape(schemaOf(1, repeat(14, 2)...), networkOf(14, lastOnes(13)), 1000, true, ""))(t)
	for _, sh := range []*model.Shape{naive(400, 60), naive(3000, 2), network} {
		for _, m := range []mechanism.Mechanism{counts.Geometric().WithPostProcess(counts.Clamp),
			privbayes.Dirichlet().Raw(), counts.KNorm()} {
			p, err := m.Plan(t.Context(), sh, dp.ApproxDP(1, 1e-6))
			if err != nil {
				t.Fatalf("%s: %v", m.Title(), err)
			}
			st := must.Get(emptyStatistics(p.Shape()))(t)
			var limit *cert.LimitError
			if err := p.Fits(cert.WithMemoryLimit(t.Context(), 1)); !errors.As(err, &limit) {
				t.Fatal(err)
			}
			before := live()
			d := must.Get(p.Draw(t.Context(), st, "id", dp.Seeded(1)))(t)
			r := must.Get(release.New(t.Context(), p, d))(t)
			held := live() - before
			t.Logf("%s on %s: %.0f bytes of %.0f", m.Title(), sh.Model(), held, limit.Figure)
			if held > limit.Figure || held < limit.Figure/8 {
				t.Errorf("%s on %s holds %.0f bytes, estimated %.0f", m.Title(), sh.Model(), held, limit.Figure)
			}
			runtime.KeepAlive(r)
			runtime.KeepAlive(st)
		}
	}
}

// A release that is loaded or verified obeys the context that it is given: its memory limit and its end.
func TestReadingObeysTheContext(t *testing.T) {
	sh := must.Get(model.NewShape(schemaOf(1, 3), model.Categorical("c0"), 10, true, ""))(t)
	p := must.Get(counts.Geometric().Plan(t.Context(), sh, dp.PureDP(1)))(t)
	st := must.Get(emptyStatistics(sh))(t)
	d := must.Get(p.Draw(t.Context(), st, "id", dp.Seeded(1)))(t)
	r := must.Get(release.New(t.Context(), p, d))(t)
	path := t.TempDir() + "/r.json"
	must.Do(t, r.Save(path))
	small := privbayes.WithContext(cert.WithMemoryLimit(t.Context(), 100))
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	var limit *cert.LimitError
	if _, err := privbayes.LoadRelease(path, small); !errors.As(err, &limit) {
		t.Errorf("loaded over the limit: %v", err)
	}
	if _, err := privbayes.Verify(path, small); !errors.As(err, &limit) {
		t.Errorf("verified over the limit: %v", err)
	}
	if _, err := privbayes.LoadRelease(path, privbayes.WithContext(ended)); !errors.Is(err, context.Canceled) {
		t.Errorf("loaded after the end: %v", err)
	}
	if _, err := release.New(ended, p, d); !errors.Is(err, context.Canceled) {
		t.Errorf("made after the end: %v", err)
	}
	if _, err := privbayes.LoadRelease(path); err != nil {
		t.Error(err)
	}
}
