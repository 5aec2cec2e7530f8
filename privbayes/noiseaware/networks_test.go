package noiseaware

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
)

// The joint posterior is made once, whoever asks, and by chains where chains are asked for.
func TestNetworkIsMadeOnce(t *testing.T) {
	bayesian := posteriorOf(t, raws(t, plan(t, counts.Geometric(), bayes(t, 400, 2, 2, 3), dp.PureDP(1)),
		[]int64{150, 90, 60, 100}, []int64{120, 80, 40, 40, 50, 70}))
	binary := posteriorOf(t, raws(t, plan(t, counts.Geometric(), categorical(t, 2, 300), dp.PureDP(1)), []int64{120}))
	joint := posteriorOf(t, drawn(t, counts.Geometric(), threeNodes(t), 300, dp.PureDP(1), false))
	for name, p := range map[string]*Posterior{"naive Bayes": bayesian, "one table": binary, "a network": joint} {
		made := make([]*NetworkPosterior, 4)
		var wg sync.WaitGroup
		for i := range made {
			wg.Go(func() {
				var err error
				if made[i], err = p.Network(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		for _, n := range made[1:] {
			if n != made[0] {
				t.Errorf("%s: made twice", name)
			}
		}
		sampled, err := p.Network(t.Context(), Sampled())
		must(t, err)
		again, err := p.Network(t.Context(), Sampled())
		must(t, err)
		if sampled.Exact() || sampled != again || !made[0].Exact() && sampled != made[0] {
			t.Errorf("%s: with Sampled() %q", name, sampled.Route())
		}
		if n, err := p.Network(t.Context()); err != nil || n != made[0] {
			t.Errorf("%s: another after Sampled(): %v", name, err)
		}
	}
	if n, _ := joint.Network(t.Context()); !n.Exact() {
		t.Error("no exact joint posterior: the test sees less")
	}
	// who waits for it waits as long as the own context allows
	fresh := posteriorOf(t, bayesian.release)
	fresh.networks.turn <- struct{}{}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if n, err := fresh.Network(ended); n != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("waiting: %v", err)
	}
}

// The law of an entry is made of all draws of the latent counts: its mean is theirs.
func TestMixturesTakeAllDraws(t *testing.T) {
	p, err := OfNetwork(t.Context(), drawn(t, counts.Geometric(), threeNodes(t), 300, dp.PureDP(.3), false), Sampled())
	must(t, err)
	at := 0
	for v := range p.s.dag.Len() {
		alpha := p.s.problem.Alpha[v]
		for row := range p.s.dag.FamilyCells(v) / 2 {
			mean, n := 0.0, 0.0
			for c := range p.base.counts {
				for d := range p.base.draws {
					f := p.base.counts[c][d*p.entries()+at:][:2]
					mean, n = mean+(alpha[1]+float64(f[1]))/(alpha[0]+alpha[1]+float64(f[0]+f[1])), n+1
				}
			}
			near(t, p.s.parameter(v, row, 1), p.mixture(v, row, 1).Mean(), mean/n, 1e-12)
			at += 2
		}
	}
}
