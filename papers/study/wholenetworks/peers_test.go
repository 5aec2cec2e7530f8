package wholenetworks

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/mcmc"
	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/papers/study/simulate"
	"github.com/privbayes/privbayes-go/papers/study/simulate/full"
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
	least := full.Fewest(replicates, .9, falseAlarm)
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
		if f := r.Ways[Library]; f.Replicates != r.Replicates || f.Tables <= full.Fewest(r.Replicates, .9, falseAlarm) {
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

// falseAlarm is how often a test may fail of what is right.
const falseAlarm = 1e-9

// sdSlack is what a standard deviation that was counted may be below the true one.
const sdSlack = 1.2

// reach is the t that the mean of k independent numbers of a standard deviation is off by, to the side where each is
// off by most at most, with probability alarm at most (Bennett's inequality): k·(sd/most)²·h(most·t/sd²) = −ln alarm
// with h(u) = (1 + u)·ln(1 + u) − u. It needs no normal law, and with small deviations is nearly that one's.
func reach(k int, sd, most, alarm float64) float64 {
	variance := sd * sd * sdSlack * sdSlack
	if !(variance > 0) {
		return 0
	}
	lo, hi := 0.0, most
	for range 60 {
		t := (lo + hi) / 2
		u := most * t / variance
		if float64(k)*variance/(most*most)*((1+u)*math.Log1p(u)-u) < -math.Log(alarm) {
			lo = t
		} else {
			hi = t
		}
	}
	return hi
}

// holdsLevel says whether a mean of k shares may have an expectation between lowest and highest: alarm on both sides
// together.
func holdsLevel(mean float64, k int, sd, alarm float64) bool {
	return mean >= lowest-reach(k, sd, lowest, alarm/2) && mean <= highest+reach(k, sd, 1-highest, alarm/2)
}

// atLeast is P(X ≥ x) of X ~ Binomial(n, p).
func atLeast(x, n int, p float64) float64 {
	if x <= 0 {
		return 1
	}
	if x > n {
		return 0
	}
	lower, _ := num.BetaTails(float64(x), float64(n-x+1), p, 1-p)
	return lower
}

// misses reports whether x of n misses may come from a rate between lo and hi: exact binomial tails, half of the false
// alarm on each side.
func misses(x, n int, lo, hi float64) bool {
	return atLeast(x, n, hi) > falseAlarm/2 && 1-atLeast(x+1, n, lo) > falseAlarm/2
}

func TestBounds(t *testing.T) {
	// P(Bin(4, ½) ≥ 3) = 5/16, and all of 20 at ½ is 2^−20.
	if math.Abs(atLeast(3, 4, .5)-5./16) > 1e-12 || math.Abs(atLeast(20, 20, .5)*(1<<20)-1) > 1e-9 {
		t.Error(atLeast(3, 4, .5), atLeast(20, 20, .5))
	}
	if !misses(50, 1000, .045, .055) || misses(120, 1000, .045, .055) || misses(9, 1000, .045, .055) {
		t.Error("not the tails of a binomial")
	}
	x := full.Fewest(100, .94, falseAlarm)
	for k := range 101 { // the bound holds of the binomial law itself
		if float64(k)/100 <= x && 1-atLeast(k+1, 100, .94) > falseAlarm {
			t.Error(k, x)
		}
	}
	if x < .7 || x > .75 {
		t.Error(x)
	}
	// Bennett's bound holds of binomial shares, is tighter than Hoeffding's, and nearly normal where deviations are small.
	for _, k := range []int{200, 2000} {
		sd := math.Sqrt(.94*.06) / sdSlack
		low, high := .94-reach(k, sd, .94, 1e-6), .94+reach(k, sd, .06, 1e-6)
		if below := 1 - atLeast(int(low*float64(k))+1, k, .94); below > 1e-6 || below == 0 {
			t.Error(k, low, below)
		}
		if above := atLeast(int(high*float64(k))+1, k, .94); above > 1e-6 {
			t.Error(k, high, above)
		}
	}
	if a, b := reach(200, .1, .94, falseAlarm/2), .94-full.Fewest(200, .94, falseAlarm/2); a > .85*b {
		t.Error(a, b)
	}
	if z := reach(1e6, .1/sdSlack, .94, falseAlarm/2) / (.1 / 1e3); z < 6.1 || z > 6.7 { // √(2·ln(2e9)) is 6.55
		t.Error(z)
	}
	if !holdsLevel(.93, 200, .1, falseAlarm) || holdsLevel(.82, 200, .1, falseAlarm) ||
		holdsLevel(.985, 200, .03, falseAlarm) {
		t.Error("not two-sided")
	}
}

// What pages tell analysts of one synthetic set and of T_f is what the committed results say, to the figure.
func TestPagesSayTheCommittedErrors(t *testing.T) {
	r, err := Committed()
	if err != nil {
		t.Fatal(err)
	}
	span := func(methods ...Method) string {
		lo, hi := 1.0, 0.0
		for _, n := range r.Nulls {
			for _, m := range methods {
				lo, hi = min(lo, n.Share(m)), max(hi, n.Share(m))
			}
		}
		return fmt.Sprintf("%.1f to %.1f %%", 100*lo, 100*hi)
	}
	one, many := span(OneSet, OneLarge), span(ByTf)
	for name, want := range map[string][]string{
		"privbayes/synthetic/text/combine.md": {one + " of the cases, and T_f in " + many + "."},
		"privbayes/synthetic/text/one.md":     {one + " of the cases."},
		"docs/reference/warnings.md":          {one + " of the cases"},
		"docs/explanation/intervals.md":       append(rowsOfErrors(r), rowsOfCoverage(r)),
	} {
		b, err := os.ReadFile("../../../" + name)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range want {
			if strings.Count(string(b), s) != 1 {
				t.Errorf("%s does not say once %q", name, s)
			}
		}
	}
	if one == many || len(r.Nulls) != 3 {
		t.Error(one, many, len(r.Nulls))
	}
}

// rowsOfCoverage are all rows of the page's table of coverage, network by network.
func rowsOfCoverage(r *Result) (out string) {
	for _, full := range []bool{false, true} {
		for _, name := range Networks() {
			for _, m := range r.Of(name).Means() {
				if m.Full == full {
					out += fmt.Sprintf("| %s | %s | %d | %.3f | %.4f | %.3f | %.3f | %.3f |\n", name, contractName(full),
						m.Points, m.Tables, m.SE, m.Questions, m.NaiveTables, m.NaiveQuestions)
				}
			}
		}
	}
	return out + "\n"
}

// rowsOfErrors are the rows of the page's table of Type I errors.
func rowsOfErrors(r *Result) (out []string) {
	names := map[Method]string{ByTp: "T_p (Reiter), 20 sets of 5n", ByTs: "T_s (Raab, Nowok, Dibben)",
		ByTm: "Rubin's rule", OfInterval: "the posterior's own interval"}
	for _, m := range Methods() {
		name, format := names[m], " | %.3f"
		if name == "" {
			name = string(m)
		}
		if m == ByTf {
			name, format = "**"+name+"**", " | **%.3f**"
		}
		row := "| " + name
		for _, n := range r.Nulls {
			row += fmt.Sprintf(format, n.Share(m))
		}
		out = append(out, row+" |\n")
	}
	return out
}
