package noiseaware

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// Tables that contradict one another, n, or what was cut are refused wherever the contradiction is; the same ones
// nearer together are not.
func TestContradictions(t *testing.T) {
	d := threeNodes(t).DAG()
	ab := func(z StatedNoise, y ...int64) NoisyTable {
		return NoisyTable{Columns: []string{"a", "b"}, Counts: y, Noise: z}
	}
	bc := func(z StatedNoise, y ...int64) NoisyTable {
		return NoisyTable{Columns: []string{"b", "c"}, Counts: y, Noise: z}
	}
	cut := func(t NoisyTable, low, high int64) NoisyTable { t.Clamp = &Clamp{low, high}; return t }
	part := func(t NoisyTable, measured ...bool) NoisyTable { t.Measured = measured; return t }
	geo, normal := StatedGeometric(1), StatedGaussian(4)
	for name, c := range map[string]struct {
		n      StatedN
		tables []NoisyTable
		bad    bool
	}{
		"shared margins": {PublicN(1000), []NoisyTable{ab(geo, 450, 50, 450, 50), bc(geo, 50, 50, 450, 450)}, true},
		"shared margins, near": {PublicN(1000), []NoisyTable{ab(geo, 265, 235, 265, 235), bc(geo, 235, 235, 265, 265)},
			false},
		"twice": {PublicN(1000), []NoisyTable{ab(normal, 250, 250, 250, 250), ab(normal, 700, 100, 100, 100)}, true},
		"twice, in another order": {PublicN(1000), []NoisyTable{ab(normal, 700, 100, 100, 100), {Columns: []string{"b", "a"},
			Counts: []int64{100, 700, 100, 100}, Noise: normal}}, true},
		"twice, near": {PublicN(1000), []NoisyTable{ab(normal, 250, 250, 250, 250), ab(normal, 260, 240, 250, 250)},
			false},
		"cut, far from n": {PublicN(100000), []NoisyTable{cut(ab(geo, 5, 6, 7, 8), 0, Unbounded)}, true},
		"cut, near n":     {PublicN(30), []NoisyTable{cut(ab(geo, 5, 6, 7, 0), 0, Unbounded)}, false},
		"cut totals": {LatentN(), []NoisyTable{cut(ab(geo, 5, 6, 7, 8), 0, Unbounded),
			cut(bc(geo, 5000, 6000, 7000, 8000), 0, Unbounded)}, true},
		"measured above n":  {PublicN(100), []NoisyTable{part(ab(geo, 110, 110, 110, 0), true, true, true, false)}, true},
		"measured, near n":  {PublicN(100), []NoisyTable{part(ab(geo, 40, 40, 40, 0), true, true, true, false)}, false},
		"upper end above n": {PublicN(100), []NoisyTable{cut(ab(geo, 5000, 10, 10, 10), 0, 5000)}, true},
		"upper ends below n": {PublicN(100), []NoisyTable{cut(ab(geo, 10, 10, 10, 10), 0, 10)},
			false}, // each says that it is large
		"lower end below 0": {PublicN(100), []NoisyTable{cut(ab(geo, -5000, 30, 30, 40), -5000, 5000)}, true},
	} {
		_, err := FromNoisyCounts(t.Context(), d, 1, c.tables, c.n)
		var e *EvidenceError
		if errors.As(err, &e) != c.bad || !c.bad && err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Coefficients far beyond n, and such as are possible one by one but not together, are refused; as drawn they are not.
func TestContradictoryParities(t *testing.T) {
	three := levelsRelease(t)
	raw := three.Raw()[0]
	for i := range raw {
		c := append([]int64(nil), raw...)
		c[i] = 1 << 40
		var e *EvidenceError
		if _, err := OfNetwork(t.Context(), raws(t, three.Plan(), c)); !errors.As(err, &e) {
			t.Errorf("coefficient %d at 2^40 steps: %v", i, err)
		}
	}
	two := drawn(t, counts.Fourier(), threeNodes(t), 4000, dp.PureDP(4), false)
	all := make([]int64, len(two.Raw()[0]))
	for i := range all {
		all[i] = 4000 // x = 1 throughout, y = 1 throughout, and x ≠ y throughout
	}
	var e *EvidenceError
	if _, err := OfNetwork(t.Context(), raws(t, two.Plan(), all)); !errors.As(err, &e) {
		t.Errorf("every parity odd: %v", err)
	}
	for name, r := range map[string]error{"two levels": asDrawn(t, two), "three levels": asDrawn(t, three)} {
		if r != nil {
			t.Errorf("%s, as drawn: %v", name, r)
		}
	}
}

// Sums of noises are beyond their reach no more often than it says, by convolution of the law itself, and within a
// few powers of ten of that often.
func TestReach(t *testing.T) {
	for name, z := range map[string]noise.Probabilities{"geometric": StatedGeometric(.3), "narrow": StatedGeometric(3),
		"Gaussian": StatedGaussian(6), "rounded Laplace": StatedLaplace(4)} {
		law := make([]float64, 401)
		total := 0.0
		for i := range law {
			law[i] = math.Exp(z.LogProb(int64(i - 200)))
			total += law[i]
		}
		for i := range law {
			law[i] /= total
		}
		sum := window{-200, law}
		for m := 1; m <= 8; m++ {
			if m > 1 {
				sum = convolve(sum, window{-200, law}, -4000, 4000, nil)
			}
			for _, logp := range []float64{math.Log(1e-4), math.Log(1e-9)} {
				far, tail := noise.Reach(z, m, logp), 0.0
				for k, p := range sum.all() {
					if math.Abs(float64(k)) >= far {
						tail += p
					}
				}
				if tail > math.Exp(logp) || m > 1 && name != "narrow" && tail < 1e-4*math.Exp(logp) {
					t.Errorf("%s, %d noises: beyond %g with probability %g, want at most %g", name, m, far, tail,
						math.Exp(logp))
				}
			}
		}
	}
}

func asDrawn(t *testing.T, r *release.Release) error {
	_, err := settingOf(t.Context(), r)
	return err
}

// levelsRelease is of a node of three levels and two of two, by Fourier.
func levelsRelease(t *testing.T) *release.Release {
	d, err := bayesnet.NewDAG([]bayesnet.Node{{Name: "a", States: []string{"0", "1", "2"}},
		{Name: "b", States: []string{"0", "1"}, Parents: []string{"a"}},
		{Name: "c", States: []string{"0", "1"}, Parents: []string{"b"}}})
	must(t, err)
	net, err := bayesnet.NewNet(d, [][]float64{{.2, .5, .3}, {.8, .2, .25, .75, .5, .5}, {.6, .4, .1, .9}})
	must(t, err)
	return drawn(t, counts.Fourier(), net, 100, dp.PureDP(2), false)
}

// Releases as drawn are never refused, also where noise is so narrow that a sum put in another's place would be.
func TestDrawnIsExplained(t *testing.T) {
	d, err := bayesnet.NewDAG([]bayesnet.Node{{Name: "a", States: []string{"0", "1", "2"}},
		{Name: "b", States: []string{"0", "1"}},
		{Name: "c", States: []string{"0", "1", "2", "3"}, Parents: []string{"a", "b"}}})
	must(t, err)
	net, err := bayesnet.NewNet(d, [][]float64{{.1, .2, .7}, {.9, .1}, {.7, .1, .1, .1, .1, .7, .1, .1, .1, .1, .7, .1,
		.1, .1, .1, .7, .4, .4, .1, .1, .1, .1, .4, .4}})
	must(t, err)
	for _, m := range []mechanism.Mechanism{counts.Geometric(), counts.DiscreteGaussian(), counts.Laplace(), counts.KNorm(),
		counts.BySize(), counts.Fourier()} {
		for _, target := range []dp.Request{dp.ApproxDP(200, 1e-6), dp.ApproxDP(.5, 1e-6), dp.PureDP(200), dp.PureDP(.5),
			dp.PureDP(60).Under(dp.AddRemove)} {
			for _, every := range []bool{false, true} {
				mod := model.NetworkOf("a", d)
				if every {
					mod = mod.WithEveryFamily()
				}
				sh, err := model.NewShape(model.SchemaOf("simulated", d), mod, 5000, target.Adjacency.PublicN(), "")
				must(t, err)
				if _, err := m.Plan(t.Context(), sh, target); err != nil {
					continue // not this target
				}
				if err := asDrawn(t, drawn(t, m, net, 5000, target, every)); err != nil {
					t.Errorf("%s at %v: %v", m.Title(), target, err)
				}
			}
		}
	}
}

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
	if !exact.Exact() || sampled.Exact() || !strings.Contains(exact.Route(), "Exact distribution") ||
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

// Cliques that are too wide name what joins them, and ask for what makes them smaller.
func TestTooWideCliques(t *testing.T) {
	var nodes []bayesnet.Node // a grid of 8 × 8 columns of 4 levels, each with those above it and to its left for parents
	name := func(i, j int) string { return fmt.Sprintf("c%d%d", i, j) }
	for i := range 8 {
		for j := range 8 {
			n := bayesnet.Node{Name: name(i, j), States: levels(4)}
			if i > 0 {
				n.Parents = append(n.Parents, name(i-1, j))
			}
			if j > 0 {
				n.Parents = append(n.Parents, name(i, j-1))
			}
			nodes = append(nodes, n)
		}
	}
	d, err := bayesnet.NewDAG(nodes)
	must(t, err)
	var tables []NoisyTable
	for v := range d.Len() {
		columns := append([]string{d.Node(v).Name}, d.Node(v).Parents...)
		cells := 1
		for range columns {
			cells *= 4
		}
		counts := make([]int64, cells)
		counts[0] = 100
		tables = append(tables, NoisyTable{Columns: columns, Counts: counts, Noise: StatedGeometric(1)})
	}
	_, err = FromNoisyCounts(t.Context(), d, 1, tables, PublicN(100))
	var w *WorkError
	if !errors.As(err, &w) || w.Work <= w.Limit {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{"fewer parents": true, "fewer levels": true, `("c`: true, "less noise": false,
		"fewer records": false} {
		if strings.Contains(err.Error(), text) != want {
			t.Errorf("%q: %v, want %v", err.Error(), !want, want)
		}
	}
}
