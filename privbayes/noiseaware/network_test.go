package noiseaware

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/privbayes/privbayes-go/internal/mcmc"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/structure"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// drawn is a release of n records of a network whose tables are known.
func drawn(t testing.TB, m mechanism.Mechanism, net *bayesnet.Net, n int, target dp.Request, everyFamily bool) *release.Release {
	t.Helper()
	mod := model.NetworkOf(net.DAG().Node(0).Name, net.DAG())
	if everyFamily {
		mod = mod.WithEveryFamily()
	}
	return drawnOf(t, m, mod, net, n, target)
}

func drawnOf(t testing.TB, m mechanism.Mechanism, mod model.NetworkModel, net *bayesnet.Net, n int,
	target dp.Request) *release.Release {
	t.Helper()
	f, err := model.Simulate("simulated", net, n, dp.Seeded(3))
	must(t, err)
	_, public := n, target.Adjacency.PublicN()
	sh, err := model.NewShape(f.Schema(), mod, n, public, "")
	must(t, err)
	st, err := model.Count(sh, f)
	must(t, err)
	p, err := m.Plan(background, sh, target)
	must(t, err)
	d, err := p.Draw(background, st, "0123456789abcdef", dp.Seeded(5))
	must(t, err)
	r, err := release.New(background, p, d)
	must(t, err)
	return r
}

// threeNodes is a chain a → b → c.
func threeNodes(t testing.TB) *bayesnet.Net {
	t.Helper()
	d, err := bayesnet.NewDAG([]bayesnet.Node{{Name: "a", States: []string{"no", "yes"}},
		{Name: "b", States: []string{"no", "yes"}, Parents: []string{"a"}},
		{Name: "c", States: []string{"no", "yes"}, Parents: []string{"b"}}})
	must(t, err)
	net, err := bayesnet.NewNet(d, [][]float64{{.3, .7}, {.8, .2, .25, .75}, {.6, .4, .1, .9}})
	must(t, err)
	return net
}

// The same release gives the same draws and answers, whatever was asked before; another one gives others.
func TestDrawsAreOfTheRelease(t *testing.T) {
	ask := func(p *NetworkPosterior, v int) *Quantity {
		q, err := p.Ask(t.Context(), "a margin", func(net *bayesnet.Net) (float64, error) {
			m, err := net.Marginal(v)
			return m[1], err
		})
		must(t, err)
		return q
	}
	of := func(n int) *NetworkPosterior {
		p, err := OfNetwork(t.Context(), drawn(t, counts.Geometric(), threeNodes(t), n, dp.PureDP(2), false))
		must(t, err)
		return p
	}
	p, q := of(200), of(200)
	first := ask(p, 2)
	ask(q, 1)
	if again := ask(q, 2); !reflect.DeepEqual(first, again) {
		t.Error("the same release gives other draws")
	}
	if d, e := p.Draw(p.Len()-1), q.Draw(q.Len()-1); !slices.Equal(d.Net.Table(1), e.Net.Table(1)) || d.Records != 200 {
		t.Error("the same release gives another network")
	}
	if other := ask(of(201), 2); other.Mean() == first.Mean() {
		t.Error("another release gives the same draws")
	}
	if lo, hi := first.CredibleInterval(.95); !(first.RHat < 1.01 && first.ESS >= 400 && lo < first.Mean() && first.Mean() < hi) {
		t.Errorf("%+v", first)
	}
}

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

// The default prior is that of shared rows: moments of entries and of a question are those of a separate program, which
// sums over all data and integrates over centres; an alpha of 1 has those of independent rows. Tolerances are 6.5
// standard errors of chains with 400 effective draws.
func TestSharedRows(t *testing.T) {
	var golden struct {
		Exact []struct {
			Name, Prior string
			Levels      []int
			Parents     [][]int
			N           int64
			Tables      []struct {
				Vars []int
				Y    []int64
				Rate float64
			}
			Mean, SD [][][]float64
			Last     float64 `json:"p_mean"`
		}
	}
	b, err := os.ReadFile("../../internal/latent/testdata/prior.json")
	must(t, err)
	must(t, json.Unmarshal(b, &golden))
	ran := 0
	for _, g := range golden.Exact {
		if g.Prior == "bdeu" || g.Name != "v-structure" && g.Name != "two nodes, three rows, three levels" {
			continue
		}
		ran++
		var nodes []bayesnet.Node
		for v, levels := range g.Levels {
			node := bayesnet.Node{Name: fmt.Sprint("v", v), States: []string{"0", "1", "2"}[:levels]}
			for _, u := range g.Parents[v] {
				node.Parents = append(node.Parents, fmt.Sprint("v", u))
			}
			nodes = append(nodes, node)
		}
		d, err := bayesnet.NewDAG(nodes)
		must(t, err)
		var tables []NoisyTable
		for _, m := range g.Tables {
			t := NoisyTable{Counts: m.Y, Noise: StatedGeometric(m.Rate)}
			for _, v := range m.Vars {
				t.Columns = append(t.Columns, fmt.Sprint("v", v))
			}
			tables = append(tables, t)
		}
		alpha := map[string]float64{"shared": 0, "one": 1}[g.Prior]
		p, err := FromNoisyCounts(t.Context(), d, alpha, tables, PublicN(g.N))
		must(t, err)
		for v := range g.Levels {
			for row := range g.Mean[v] {
				for state, mean := range g.Mean[v][row] {
					m, sd := p.mixture(v, row, state), g.SD[v][row][state]
					near(t, g.Name+": mean of "+p.s.parameter(v, row, state), m.Mean(), mean, 6.5*sd/20)
					near(t, g.Name+": sd of "+p.s.parameter(v, row, state), m.SD(), sd, 6.5*sd/20/math.Sqrt2)
					if lo, hi := m.CredibleInterval(.95); math.Abs(m.CDF(hi)-m.CDF(lo)-.95) > 1e-9 {
						t.Errorf("%s: %v to %v", g.Name, lo, hi)
					}
				}
			}
		}
		last := len(g.Levels) - 1
		a, err := p.Answers(t.Context(), Probability(Event{fmt.Sprint("v", last): "0"}))
		must(t, err)
		near(t, g.Name, a.List[0].Mean(), g.Last, 6.5*.35/20)
	}
	if ran != 4 {
		t.Errorf("%d cases", ran)
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

// learnt is a release of a learned structure of n records of a network.
func learnt(t testing.TB, m model.LearnedModel, mech mechanism.Mechanism, net *bayesnet.Net, n int, target dp.Request) *release.Release {
	t.Helper()
	f, err := model.Simulate("simulated", net, n, dp.Seeded(3))
	must(t, err)
	sh, err := model.NewShape(f.Schema(), m, n, target.Adjacency.PublicN(), "")
	must(t, err)
	st, err := model.Count(sh, f)
	must(t, err)
	p, err := mech.Plan(background, sh, target)
	must(t, err)
	d, err := p.Draw(background, st, "0123456789abcdef", dp.Seeded(5))
	must(t, err)
	r, err := release.New(background, p, d)
	must(t, err)
	return r
}

// The posterior of a learned tree is that of its network given all that was measured, as FromNoisyCounts has it of the
// same numbers, to 1e-12; it warns of its structure; and one table left out gives another posterior.
func TestLearnedTrees(t *testing.T) {
	for name, c := range map[string]struct {
		mech   mechanism.Mechanism
		target dp.Request
		law    func(m model.NoisyCounts) StatedNoise
	}{
		"geometric": {structure.Geometric(), dp.PureDP(6), func(m model.NoisyCounts) StatedNoise { return StatedGeometric(noise.FormOf(m.Noise).Rate) }},
		"Gaussian":  {structure.DiscreteGaussian(), dp.ZCDP(2), func(m model.NoisyCounts) StatedNoise { return StatedGaussian(noise.FormOf(m.Noise).Sigma2) }},
	} {
		r := learnt(t, model.Tree().Always(), c.mech, threeNodes(t), 400, c.target)
		p, err := OfContext(t.Context(), r)
		must(t, err)
		joint, err := p.Network(t.Context())
		must(t, err)
		if w := joint.Warnings(); len(w) != 1 || w[0].Kind != warning.KindLearnedRows ||
			!strings.Contains(joint.Caption(), "learned from the same rows") || !joint.Exact() {
			t.Errorf("%s: %v; %s", name, w, joint.Caption())
		}
		var tables []NoisyTable
		for _, m := range r.Structure().Measured {
			s := NoisyTable{Columns: m.Columns, Counts: append([]int64{}, m.Counts...), Noise: c.law(m)}
			if len(m.Columns) == 1 && len(m.Counts) == 1 { // the other cell follows from n
				s.Counts, s.Measured = append(s.Counts, 0), []bool{true, false}
			}
			tables = append(tables, s)
		}
		if len(tables) < 5 {
			t.Fatalf("%s: %d tables", name, len(tables))
		}
		same := func(tables []NoisyTable) (off float64) {
			q, err := FromNoisyCounts(t.Context(), joint.DAG(), 0, tables, PublicN(400))
			must(t, err)
			for v := range joint.DAG().Len() {
				for row := range joint.DAG().FamilyCells(v) / 2 {
					a, b := joint.mixture(v, row, 1), q.mixture(v, row, 1)
					off = max(off, math.Abs(a.Mean()-b.Mean()), math.Abs(a.SD()-b.SD()))
				}
			}
			return off
		}
		if off := same(tables); off > 1e-12 {
			t.Errorf("%s: off by %g", name, off)
		}
		if off := same(tables[1:]); off < 1e-6 {
			t.Errorf("%s: the first table does not count: %g", name, off)
		}
	}
}

// Fits that are larger than what was measured are sampled, also under a private n; a public structure warns of nothing;
// structural zeros are refused.
func TestLearnedNetworks(t *testing.T) {
	for name, c := range map[string]struct {
		m      model.LearnedModel
		target dp.Request
	}{
		"maximum entropy": {model.MaxEntropy().Always(), dp.PureDP(8)},
		"cliques":         {model.Cliques(3).Always(), dp.PureDP(8)},
		"private n":       {model.Tree().Always(), dp.PureDP(8).Under(dp.AddRemove)},
	} {
		if testing.Short() && name == "cliques" {
			continue
		}
		r := learnt(t, c.m, structure.Geometric(), clinicNet(t), 300, c.target)
		p, err := OfContext(mcmc.Contract{Sweeps: 200, RHat: 1.2, ESS: 50, Naive: naiveDraws}.With(t.Context()), r)
		must(t, err)
		for m, want := range map[int]int{1: 2, 3: 1} { // of one set also that it is one
			sets, err := p.joint.SyntheticSets(m, 10)
			must(t, err)
			if w := sets.Warnings(); len(w) != want || w[0].Kind != warning.KindLearnedRows {
				t.Errorf("%s: %d sets warn of %v", name, m, w)
			}
		}
		if text := p.joint.Caption() + p.String(); strings.Contains(text, "..") {
			t.Errorf("%s: %s", name, text)
		}
		if len(p.Parameters()) == 0 || p.joint.Exact() || !strings.Contains(p.String(), "learned from the same rows") {
			t.Errorf("%s: %s", name, p)
		}
		a, err := p.joint.Answers(t.Context(), Probability(Event{"ill": "yes"}))
		must(t, err)
		truth := joint(clinicNet(t), func(x []int) bool { return x[2] == 1 })
		if q := a.List[0]; math.Abs(q.Mean()-truth) > 8*(q.SD()+.03) {
			t.Errorf("%s: %v ± %v, in truth %v", name, q.Mean(), q.SD(), truth)
		}
	}
	var u *UnsupportedError
	zeros := model.Tree().Always().StructuralZeros(map[string]string{"age": "old", "ill": "yes"})
	r := learnt(t, zeros, structure.Geometric(), clinicNet(t), 300, dp.PureDP(8))
	if _, err := OfContext(t.Context(), r); !errors.As(err, &u) {
		t.Error(err)
	}
	public, err := OfNetwork(t.Context(), drawn(t, counts.Geometric(), threeNodes(t), 100, dp.PureDP(2), false))
	must(t, err)
	star, err := OfNetwork(t.Context(), learnt(t, model.Tree().Star("b"), structure.Geometric(), threeNodes(t), 100, dp.PureDP(4)))
	must(t, err)
	if public.Warnings() != nil || star.Warnings() != nil || strings.Contains(star.Caption(), "same rows") {
		t.Error(public.Warnings(), star.Warnings())
	}
}

// Chains that would stay far below the criteria are ended after three levels, and not at a work limit of many times as
// many sweeps; the error says how many they need. A question that is slow, but near enough, is gone on with, and the
// third level is waited for. Chains that have not met are given a quarter of the limit.
func TestHopelessChainsEndEarly(t *testing.T) {
	s, err := settingOf(t.Context(), drawn(t, counts.Geometric(), threeNodes(t), 200, dp.PureDP(2), false))
	must(t, err)
	s.sampled, s.contract = true, mcmc.Contract{Sweeps: 100, RHat: math.Inf(1), Naive: naiveDraws}
	p, err := newNetwork(t.Context(), s)
	must(t, err)
	p.s.contract = standard
	moves, base := float64(chains*p.lay.Moves()), p.base.sweeps
	for name, c := range map[string]struct {
		ess    func(level int) float64
		rhat   float64
		levels int // within the limit
		want   int // looked at
	}{
		"no growth":                {func(int) float64 { return 5 }, 1.05, 6, 3},
		"not met":                  {func(int) float64 { return 5 }, 3, 6, 4},
		"met late":                 {func(i int) float64 { return []float64{4, 4, 5, 250, 300, 399}[i] }, 3, 6, 6},
		"too slow":                 {func(i int) float64 { return 2 * math.Exp2(float64(i)) }, 1.2, 5, 3},
		"as fast as would do":      {func(i int) float64 { return 26 * math.Exp2(float64(i)) }, 1.2, 5, 5},
		"slow first":               {func(i int) float64 { return []float64{4, 4, 200, 300, 399}[i] }, 1.2, 5, 5},
		"once behind, then before": {func(i int) float64 { return []float64{4, 4, 110, 5, 300}[i] }, 1.2, 5, 5},
		"few levels":               {func(int) float64 { return 5 }, 3, 2, 2},
	} {
		p.s.limit = int(moves * float64(base) * math.Exp2(float64(c.levels-1)))
		looked := 0
		err := p.until(t.Context(), func(*level) finding {
			looked++
			x := c.ess(looked - 1)
			return finding{"x", mcmc.Diagnosis{RHat: c.rhat, Bulk: x, Tail: x}}
		})
		var not *NotConvergedError
		sweeps := base << (looked - 1)
		if !errors.As(err, &not) || looked != c.want || not.Most != base<<(c.levels-1) || not.Sweeps != sweeps ||
			math.Abs(not.Need/(float64(sweeps)*leastESS/c.ess(looked-1))-1) > 1e-12 {
			t.Errorf("%s: %d levels: %+v", name, looked, not)
		}
		if looked < c.levels && !strings.Contains(err.Error(), "within the work limit") {
			t.Error(err)
		}
	}
}
