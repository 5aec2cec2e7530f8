//go:build unix

package noiseaware

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"syscall"
	"testing"

	"github.com/privbayes/privbayes-go/internal/mcmc"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// cpuSeconds is the processor time of this process.
func cpuSeconds() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return math.NaN()
	}
	return float64(u.Utime.Sec) + float64(u.Stime.Sec) + 1e-6*float64(u.Utime.Usec+u.Stime.Usec)
}

// tree is a tree of k nodes with the given number of levels, node i below (i−1)/2, with rows that lean to a level; a
// star has all below node 0.
func tree(t testing.TB, k, levels int, star bool) *bayesnet.Net {
	t.Helper()
	var nodes []bayesnet.Node
	var cpts [][]float64
	for i := range k {
		n := bayesnet.Node{Name: fmt.Sprint("x", i)}
		for l := range levels {
			n.States = append(n.States, fmt.Sprint(l))
		}
		rows := 1
		if i > 0 {
			parent := (i - 1) / 2
			if star {
				parent = 0
			}
			n.Parents, rows = []string{fmt.Sprint("x", parent)}, levels
		}
		var cpt []float64
		for r := range rows {
			for l := range levels {
				p := .4 / float64(levels)
				if (l+r+i)%levels == 0 {
					p += .6
				}
				cpt = append(cpt, p)
			}
		}
		nodes, cpts = append(nodes, n), append(cpts, cpt)
	}
	d, err := bayesnet.NewDAG(nodes)
	must(t, err)
	net, err := bayesnet.NewNet(d, cpts)
	must(t, err)
	return net
}

// BenchmarkContract reports the processor seconds of the whole contract, and those until the worst entry has an
// effective sample size of 400, at the rate of the last level; where the law is exact, those of it and its draws.
func BenchmarkContract(b *testing.B) {
	for _, c := range []struct {
		name   string
		net    *bayesnet.Net
		forest bool // of two-level nodes: has an exact way, where that is not too much work
	}{{"chain", threeNodes(b), true}, {"class and 5 features", tree(b, 6, 2, true), true},
		{"asia", bayesnet.Asia(), false}, {"37 nodes of 3 levels", tree(b, 37, 3, false), false}} {
		for _, n := range []int{1_000, 10_000, 1_000_000} {
			for _, eps := range []float64{.1, 1, 5} {
				name := fmt.Sprintf("%s/n=%d/ε=%g", c.name, n, eps)
				r := sync.OnceValue(func() *release.Release {
					return drawn(b, counts.Geometric(), c.net, n, dp.PureDP(eps), false)
				})
				b.Run(name+"/chains", func(b *testing.B) { contract(b, r(), Sampled()) })
				if c.forest {
					b.Run(name+"/default", func(b *testing.B) { contract(b, r()) })
				}
			}
		}
	}
}

func contract(b *testing.B, r *release.Release, options ...Option) {
	at, per400, exact := cpuSeconds(), 0.0, false
	for b.Loop() {
		p, err := OfNetwork(b.Context(), r, options...)
		if err != nil {
			b.Fatal(err)
		}
		start := cpuSeconds()
		l := p.base
		worst := math.Inf(1)
		for i := range p.entries() {
			if x := l.entriesOf(i, p.entries()); slices.Min(x[0]) < slices.Max(x[0]) {
				worst = min(worst, mcmc.Diagnose(x).Bulk)
			}
		}
		exact = p.Exact()
		per400 += (start - at) / 2 * leastESS / worst
		at += cpuSeconds() - start
	}
	b.ReportMetric((cpuSeconds()-at)/float64(b.N), "cpu-s/op")
	if !exact {
		b.ReportMetric(per400/float64(b.N), "cpu-s/ESS400")
	}
}
