package noiseaware

import (
	"context"
	"errors"
	"math"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
)

// A chain of two-level nodes goes the exact way, and the sampler's draws have its law: every parameter's mean within
// 6.5 standard errors of its exact one, at the effective sample size less a fifth (false alarm below 1e-10 each by the
// normal approximation), its standard deviation likewise. Of another release they have not.
func TestExactAndSampledAgree(t *testing.T) {
	of := func(n int) (exact, sampled *NetworkPosterior) {
		r := drawn(t, counts.Geometric(), threeNodes(t), n, dp.PureDP(1), true)
		exact, err := OfNetwork(t.Context(), r)
		must(t, err)
		sampled, err = OfNetwork(t.Context(), r, Sampled())
		must(t, err)
		return exact, sampled
	}
	exact, sampled := of(500)
	if !exact.Exact() || sampled.Exact() || !strings.Contains(exact.Route(), "Exact law") ||
		!strings.Contains(sampled.Route(), "Markov chains of") || exact.tree.Short > 1e-15 {
		t.Errorf("%s; %s", exact.Route(), sampled.Route())
	}
	other, _ := of(520)
	worst := func(p *NetworkPosterior) (out float64) {
		for v := range p.s.dag.Len() {
			for row := range p.s.dag.FamilyCells(v) / 2 {
				law := p.mixture(v, row, 1)
				q, err := sampled.Ask(t.Context(), "entry", func(net *bayesnet.Net) (float64, error) {
					return net.Table(v)[2*row+1], nil
				})
				must(t, err)
				e := .8 * q.ESS
				out = max(out, math.Abs(q.Mean()-law.Mean())/(law.SD()/math.Sqrt(e)),
					math.Abs(q.SD()/law.SD()-1)*math.Sqrt(e)) // its relative error is at most 1/√e up to a kurtosis of 5
			}
		}
		return out
	}
	if w := worst(exact); w > 6.5 {
		t.Errorf("the sampler is %.1f standard errors off", w)
	}
	if w := worst(other); w < 6.5 {
		t.Errorf("another release's law is only %.1f standard errors off", w)
	}
}

// Independent draws have the exact law's quantiles: of 4000, within 8 binomial standard deviations, which Bernstein's
// inequality passes with probability below 2e-10 in all (2.5e-11 at 0.025, less elsewhere). They are the release's own.
func TestExactDraws(t *testing.T) {
	r := drawn(t, counts.DiscreteGaussian(), threeNodes(t), 300, dp.ZCDP(.1), false)
	p, err := OfNetwork(t.Context(), r)
	must(t, err)
	again, err := OfNetwork(t.Context(), r)
	must(t, err)
	if p.Len() != 4000 || p.Draw(17).Net.Table(1)[0] != again.Draw(17).Net.Table(1)[0] || p.Draw(5).Records != 300 {
		t.Error("draws are not a function of the release")
	}
	for state := range 2 {
		law := p.mixture(2, 1, state)
		for _, level := range []float64{.025, .5, .9} {
			at, below := law.Quantile(level), 0.0
			for i := range p.Len() {
				if p.Draw(i).Net.Table(2)[2+state] <= at {
					below++
				}
			}
			n := float64(p.Len())
			if off := math.Abs(below-n*level) / math.Sqrt(n*level*(1-level)); off > 8 {
				t.Errorf("%v of draws at the quantile of %v: %.1f", below/n, level, off)
			}
		}
	}
	var told atomic.Int64
	_, err = OfNetwork(t.Context(), r, WithProgress(func(done, _ int64) { told.Store(done) }))
	must(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := OfNetwork(ctx, r); !errors.Is(err, context.Canceled) || told.Load() != 4000 {
		t.Errorf("%v, %d told", err, told.Load())
	}
	// a question whose draws look as if they disagreed is asked of others, some times
	calls := 0
	_, err = p.Ask(t.Context(), "how often it was asked", func(*bayesnet.Net) (float64, error) {
		p.asked.mu.Lock()
		defer p.asked.mu.Unlock()
		calls++
		return float64(calls), nil
	})
	var not *NotConvergedError
	if !errors.As(err, &not) || calls > 7*4000 {
		t.Errorf("%v after %d", err, calls)
	}
}

// Where there is no exact way the chains run: a node of three levels, two parents, more noise than the work allows.
func TestWhereTreesEnd(t *testing.T) {
	for name, c := range map[string]struct {
		net *bayesnet.Net
		n   int
		eps float64
	}{"three levels": {clinicNet(t), 100, 2}, "asia": {bayesnet.Asia(), 50, 40}, "wide noise": {threeNodes(t), 5000, .02}} {
		if testing.Short() && name == "asia" {
			continue
		}
		p, err := OfNetwork(t.Context(), drawn(t, counts.Geometric(), c.net, c.n, dp.PureDP(c.eps), false))
		must(t, err)
		if p.Exact() {
			t.Errorf("%s: %s", name, p.Route())
		}
	}
}
