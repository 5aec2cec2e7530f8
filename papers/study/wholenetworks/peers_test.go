package wholenetworks

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/privbayes/privbayes-go/internal/mcmc"
	"github.com/privbayes/privbayes-go/papers/study/simulate"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// geometric draws P(Z = z) ∝ e^{−rate·|z|}.
func geometric(r *rand.Rand, rate float64) int64 {
	up, down := r.ExpFloat64()/rate, r.ExpFloat64()/rate
	return int64(up) - int64(down)
}

// Data augmentation started at a draw of network, records and noise stays one: (θ, y) has the same law after sweeps as
// before, so the mean of the difference of two indicators of it is off by t with probability 2·exp(−k·t²/2) at most. A
// chain that accepts every record forgets y.
func TestAugmentIsStationary(t *testing.T) {
	const replicates, n, rate = 20000, 20, .5
	d, err := graph("chain")
	if err != nil {
		t.Fatal(err)
	}
	far := math.Sqrt(2 * math.Log(2/falseAlarm) / replicates)
	off := func(taken float64) float64 {
		src := rand.NewChaCha8([32]byte{1})
		rng, sum := rand.New(src), 0.0
		for range replicates {
			s := &noisy{dag: d, n: n, rate: []float64{taken, taken}, vars: [][]int{{0, 1}, {1, 2}},
				y: [][]int64{make([]int64, 4), make([]int64, 4)}}
			zero := [][]float64{make([]float64, 2), make([]float64, 4), make([]float64, 4)}
			a := newAugment(s, dirichlets(d, zero, src), src)
			for m := range s.y {
				for c := range s.y[m] {
					s.y[m][c] = a.f[m][c] + geometric(rng, rate)
				}
			}
			agree := func(theta tables) float64 { // of P(c = 0 | b = 0) with the noisy counts of it
				if (theta[2][0] > .5) == (s.y[1][0] > s.y[1][1]) {
					return 1
				}
				return 0
			}
			before := agree(a.theta)
			for range 4 {
				a.sweep()
			}
			sum += agree(a.theta) - before
		}
		return math.Abs(sum / replicates)
	}
	if got := off(rate); got > far {
		t.Errorf("off by %.4f, want below %.4f", got, far)
	}
	if got := off(1e-12); got <= far {
		t.Errorf("every record accepted is not found: %.4f", got)
	}
}

// Where all are right they agree with the library: means within half a standard deviation and standard deviations
// within 30 %, which is 8 standard errors of 400 effective draws. Data augmentation is right everywhere, normal counts
// where counts are large, and one table by itself where there is one table. Noise taken for a fifth is found.
func TestPeersAgreeWithTheLibrary(t *testing.T) {
	two := []string{"0", "1"}
	pair, err := bayesnet.NewDAG([]bayesnet.Node{{Name: "a", States: two},
		{Name: "b", States: two, Parents: []string{"a"}}})
	if err != nil {
		t.Fatal(err)
	}
	set, err := plan(t.Context(), pair, 400, .2, "geometric", 1)
	if err != nil {
		t.Fatal(err)
	}
	net, err := bayesnet.NewNet(pair, [][]float64{{.4, .6}, {.7, .3, .2, .8}})
	if err != nil {
		t.Fatal(err)
	}
	r, err := set.release(t.Context(), net, dp.Seeded(5))
	if err != nil {
		t.Fatal(err)
	}
	lib, err := aware(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	full := mcmc.Contract{Sweeps: 500, RHat: 1.01, ESS: 400}
	run := func(peer func(s *noisy, src rand.Source) chain, taken float64) *outcome {
		s, src := noisyOf(r, pair), rand.NewChaCha8([32]byte{2})
		for m := range s.rate {
			s.rate[m] *= taken
		}
		o, err := draw(t.Context(), pair, func(int) chain { return peer(s, src) }, full, 30)
		if err != nil || !o.converged() || math.IsInf(o.per400(), 1) {
			t.Fatal(err, o)
		}
		return o
	}
	augmented := func(s *noisy, src rand.Source) chain {
		return newAugment(s, dirichlets(pair, estimates(r, pair), src), src)
	}
	normal := func(s *noisy, src rand.Source) chain {
		return newNormal(s, dirichlets(pair, estimates(r, pair), src), src)
	}
	alone, err := separate(t.Context(), noisyOf(r, pair), 400)
	if err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]*outcome{"augmentation": run(augmented, 1), "normal": run(normal, 1),
		"separate": alone} {
		if !agree(lib, o) {
			t.Errorf("%s: %v, the library %v", name, spread(o), spread(lib))
		}
	}
	for name, peer := range map[string]func(*noisy, rand.Source) chain{"augmentation": augmented, "normal": normal} {
		if agree(lib, run(peer, 5)) {
			t.Errorf("%s: noise taken for a fifth is not found", name)
		}
	}
}

// spread is the mean and the standard deviation of each row's first entry.
func spread(o *outcome) (out [][2]float64) {
	for _, at := range [][2]int{{0, 0}, {1, 0}, {1, 1}} {
		var m simulate.Moments
		for _, net := range o.nets {
			m.Add(net.Prob(at[0], at[1])[0])
		}
		out = append(out, [2]float64{m.Mean(), m.SD()})
	}
	return out
}

func agree(a, b *outcome) bool {
	x, y := spread(a), spread(b)
	for i := range x {
		if math.Abs(x[i][0]-y[i][0]) > .5*x[i][1] || math.Abs(y[i][1]/x[i][1]-1) > .3 {
			return false
		}
	}
	return true
}

// A small comparison live: the exact ways hold, and the naive plug-in does not.
func TestCompareLive(t *testing.T) {
	const replicates = 60
	row, err := Compare(t.Context(), "chain", 300, .1, replicates, .02, 3)
	if err != nil {
		t.Fatal(err)
	}
	least := fewest(replicates, .9, falseAlarm)
	if f := row.Ways[Library]; f.Replicates < replicates || f.Tables <= least || f.Seconds <= 0 {
		t.Errorf("%+v, want above %.3f", f, least)
	}
	if f := row.Ways[PlugIns]; f.Tables > least {
		t.Errorf("%+v", f)
	}
}

// The committed comparison has every way at every point, and what it says shows.
func TestCommittedComparison(t *testing.T) {
	c, err := CommittedComparison()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range c.Rows {
		if f := r.Ways[Library]; f.Replicates != r.Replicates || f.Tables <= fewest(r.Replicates, .9, falseAlarm) {
			t.Errorf("%+v", r)
		}
		if len(r.Ways) != len(Ways()) {
			t.Errorf("%+v", r)
		}
	}
	if len(c.Rows) > 0 {
		if f := c.Figure(c.Rows[0].Epsilon); f.Validate() != nil || c.Table().String() == "" {
			t.Error(f.Validate())
		}
	}
}
