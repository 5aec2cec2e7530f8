package sampling

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/privbayes/dp"
)

func TestFigure1(t *testing.T) {
	for _, concentrated := range []bool{false, true} {
		fig, tab, err := Figure1(concentrated, 5, 20)
		if err != nil {
			t.Fatal(err)
		}
		if err := fig.Validate(); err != nil {
			t.Error(err)
		}
		if len(fig.Series) != 4 || !strings.Contains(tab.String(), "2.944") || len(fig.Series[0].X) != 5 ||
			len(fig.Series[2].X) != 21 {
			t.Errorf("%d series, %s", len(fig.Series), tab)
		}
		for i := 0; i < 4; i += 2 { // the bound is nowhere above the steps
			steps, bound := fig.Series[i], fig.Series[i+1]
			for j, l := range bound.X {
				mass := 0.0
				for k := range steps.X {
					if steps.X[k] <= l {
						mass = steps.Y[k]
					}
				}
				if bound.Y[j] > mass+1e-12 {
					t.Errorf("%s at %v: %v above %v", bound.Name, l, bound.Y[j], mass)
				}
			}
		}
	}
	// Two steps have one level: c is infinite, so there is no curve. Three are the least.
	_, _, err := Figure1(false, 2)
	wantParameterError(t, err, "steps")
}

// What the paper reads off Figure 1, and where it holds.
func TestFigure1Claims(t *testing.T) {
	coarse := must[*Family](t)(NewGrid(5, false, 1))
	fine := must[*Family](t)(NewGrid(20, false, 1))
	near(t, "L", coarse.Uniform(), math.Log(4), 1e-14)
	near(t, "about half", fine.Uniform()/coarse.Uniform(), 2.124, 1e-3)
	curve := func(f *Family, l0, l float64) float64 {
		return -math.Expm1(-must[float64](t)(f.BestC(l0)) * (l - l0))
	}
	own := func(f *Family, l float64) float64 { return curve(f, f.Levels()[0].L, l) }
	if own(coarse, .64) > own(fine, .64) || own(coarse, .67) < own(fine, .67) {
		t.Error("the curves do not cross at L = 0.655")
	}
	if common := math.Log(1.5); curve(coarse, common, 1) > curve(fine, common, 1) {
		t.Error("at a common L0 the finer grid is the higher curve")
	}
	for _, c := range []struct {
		steps   int
		exp     bool
		sum, l0 float64
	}{{5, false, 1.386294, math.Log(4)}, {5, true, 1.160366, math.Log(1.5)}, {20, false, 1.549746661, .339011868},
		{20, true, .811220, .130279}} {
		f := must[*Family](t)(NewGrid(c.steps, c.exp, 1))
		sum, l0 := f.BestSum()
		near(t, "least sum", sum, c.sum, 2e-6)
		near(t, "its L0", l0, c.l0, 3e-6)
		for i := range 2000 { // a scan finds nothing smaller, and nearly as small
			at := f.Levels()[0].L + (f.Uniform()-f.Levels()[0].L)*float64(i)/2000
			if v := at + 1/must[float64](t)(f.BestC(at)); v < sum*(1-1e-12) {
				t.Errorf("L0 + 1/c = %v at %v, least %v", v, at, sum)
			}
		}
		plain := must[*Family](t)(NewGrid(c.steps, false, 1))
		least := f.Levels()[0].L
		if c.exp && must[float64](t)(f.BestC(least)) <= must[float64](t)(plain.BestC(least)) {
			t.Error("the concentrated prior does not shift the curve upwards")
		}
	}
}

func TestDuelFigure(t *testing.T) {
	c := must[*Contest](t)(must[*Family](t)(NewGrid(5, false, 10)).Contest(4, 5))
	rounds := must[[]Round](t)(Play(context.Background(), c, dp.Seeded(1),
		PlayOptions{Samples: []int{1, 3, 10, 400}, Trials: 300}))
	fig, tab, err := DuelFigure(c, rounds)
	if err != nil {
		t.Fatal(err)
	}
	if err := fig.Validate(); err != nil {
		t.Error(err)
	}
	if len(fig.Series) != 5 || len(fig.Series[1].X) != 4 || strings.Contains(tab.String(), "not enumerated") {
		t.Errorf("%d series, %s", len(fig.Series), tab)
	}
	for i, e := range fig.Series[1].Y {
		for _, floor := range fig.Series[2:] {
			if floor.Y[i] > e+1e-9 {
				t.Errorf("%s at N = %v: %v above the exact %v", floor.Name, floor.X[i], floor.Y[i], e)
			}
		}
	}
	beta := must[*Contest](t)(BetaContest(10, 5, 1, 1, .05, .95))
	fig, tab, err = DuelFigure(beta, must[[]Round](t)(Play(context.Background(), beta, dp.Seeded(1),
		PlayOptions{Samples: []int{1}, Trials: 50})))
	if err != nil || len(fig.Series) != 4 || !strings.Contains(tab.String(), "not enumerated") {
		t.Error(err, tab)
	}
}

// estimate is the query "which θ?" among the grid, scored 1 − |θ − r|.
func estimate(steps int) Utility {
	var u Utility
	for i := 1; i < steps; i++ {
		var row []float64
		for r := 1; r < steps; r++ {
			row = append(row, 1-math.Abs(float64(i-r))/float64(steps))
		}
		u = append(u, row)
	}
	return u
}

func TestCostFigure(t *testing.T) {
	f := must[*Family](t)(NewGrid(5, false, 10))
	ls := []float64{f.Uniform(), math.Log(1.5)}
	calls := 0
	costs := must[[]Cost](t)(f.Costs(context.Background(), estimate(5), ls, []int{1, 4, 16}, .05,
		func(done, total int64) {
			if calls++; done != int64(calls) || total != 6 {
				t.Errorf("progress %d of %d", done, total)
			}
		}))
	for i, c := range costs {
		if c.Regret > c.Bound || c.Regret < 0 || c.Epsilon > c.PaperEpsilon*(1+1e-9) {
			t.Errorf("%+v", c)
		}
		// all of Θ: only sampling costs, and less with every sample
		if c.L == ls[0] && i > 0 && c.Regret >= costs[i-1].Regret {
			t.Errorf("N = %d: %+v", c.Samples, c)
		}
	}
	near(t, "removed", costs[3].Removed, .5, 1e-12)
	// One sample of the whole posterior, by hand: the response is the sampled θ itself.
	want := 0.0
	for x, w := range f.Marginal() {
		values := estimate(5).expected(f.post[x])
		for i, p := range f.post[x] {
			want += w * p * (largest(values) - values[i])
		}
	}
	near(t, "N = 1", costs[0].Regret, want, 1e-12)
	fig, tab, err := CostFigure(costs)
	if err != nil {
		t.Fatal(err)
	}
	if err := fig.Validate(); err != nil {
		t.Error(err)
	}
	if len(fig.Series) != 4 || len(fig.Series[0].X) != 3 || fig.Series[0].Name != "L = 0.4055" ||
		!strings.Contains(tab.String(), "2LN") {
		t.Errorf("%+v %s", fig.Series, tab)
	}
}

func TestEmpirical(t *testing.T) {
	for delta, want := range map[float64]int{.0625: 2, 1. / 64: 3, 1. / 256: 4, .3: 0, .26: 0, .2: 1} {
		if m := must[int](t)(MaxParts(delta)); m != want {
			t.Errorf("δ = %v: %d parts, want %d", delta, m, want)
		}
	}
	// The exact worst tail of Lemma 12 on two sets, δ = 1/16.
	worst, at := 0.0, 0
	for n := 1; n <= 150; n++ {
		tail, p, err := WorstBinomialTail(n, must[float64](t)(EmpiricalRadius(n, 1./16)))
		if err != nil {
			t.Fatal(err)
		}
		if tail > worst {
			worst, at = tail, n
		}
		for _, other := range []float64{.5, .37, p + 1e-3, p - 1e-3} {
			if other > 0 && other < 1 && must[float64](t)(BinomialTail(other, n,
				must[float64](t)(EmpiricalRadius(n, 1./16)))) > tail+1e-12 {
				t.Errorf("n = %d: p = %v is worse than %v", n, other, p)
			}
		}
	}
	near(t, "worst", worst, .0063478321325180585, 1e-9)
	if at != 12 {
		t.Error("worst at", at)
	}
	// m = 3, δ = 1/64: the tail .00116 at N = 8 exceeds the .000737 of the theory file; the lemma (δ) holds by far.
	p := []float64{.25, .375, .375}
	tail := must[float64](t)(MultinomialTail(p, 8, must[float64](t)(EmpiricalRadius(8, 1./64))))
	byHand := 2*math.Pow(.375, 8) + math.Pow(.25, 8) + 2*8*math.Pow(.25, 7)*.375
	near(t, "three parts", tail, byHand, 1e-12)
	quarter := []float64{.25, .25, .25, .25}
	near(t, "four parts", must[float64](t)(MultinomialTail(quarter, 10,
		must[float64](t)(EmpiricalRadius(10, 1./256)))), .00011825561523437533, 1e-9)
	// The binomial is the multinomial of two.
	for _, n := range []int{1, 7, 30} {
		near(t, "two parts", must[float64](t)(MultinomialTail([]float64{.3, .7}, n, .25)),
			must[float64](t)(BinomialTail(.3, n, .25)), 1e-11)
	}
	// Large N: radii × √N.
	near(t, "Lemma 12", must[float64](t)(EmpiricalRadius(10_000, 1./16))*100, 2.884, 1e-3)
	near(t, "Weissman", must[float64](t)(WeissmanRadius(2, 10_000, 1./16))*100, 2.633, 1e-3)
}

// ExpectedBar is the integral that it stands for, and above the exact expected regret of the hardest two-response
// query.
func TestExpectedBar(t *testing.T) {
	for _, c := range []struct{ r, n int }{{2, 1}, {2, 9}, {5, 4}, {100, 50}} {
		k, n, sum := float64(c.r-1), float64(c.n), 0.0
		const h = 1e-4
		for v := h / 2; v < 12; v += h {
			sum += h * math.Min(1, k*math.Exp(-n*v*v/2))
		}
		near(t, "integral", must[float64](t)(ExpectedBar(c.r, c.n)), sum, 1e-6)
	}
	for _, n := range []int{1, 2, 9, 40} {
		bar := must[float64](t)(ExpectedBar(2, n))
		for q := .01; q < .5; q += .01 {
			if r := sampledRegret([]float64{q, 1 - q}, []float64{q, 1 - q}, Utility{{1, 0}, {0, 1}}, n); r > bar {
				t.Errorf("N = %d, q = %v: %v above %v", n, q, r, bar)
			}
		}
	}
}

// Ties are broken against us, also when rounding hides them.
func TestTies(t *testing.T) {
	belief := []float64{.1, .2, .7} // .1 + .2 rounds above .7·(3/7): equally good responses
	regret, _, _, err := Regret(belief, []float64{1, 0, 0}, Utility{{1, 0}, {1, 0}, {0, 3. / 7}})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "regret", regret, 1, 1e-12)
}

// Corollary 16 keeps both parts: priors (.9, .1) and (.5, .5) without data cost .8 however many samples are drawn.
func TestShiftBarKeepsThePriorsPart(t *testing.T) {
	bar := must[float64](t)(ShiftBar(math.Log(5), 2, 1_000_000, .05))
	regret, _, _, err := Regret([]float64{.5, .5}, []float64{.9, .1}, Utility{{1, 0}, {0, 1}})
	if err != nil || regret > bar {
		t.Errorf("regret %v above %v, %v", regret, bar, err)
	}
	near(t, "small η", must[float64](t)(ShiftBar(.5, 2, 1000, .05)), .489837324807418+.0774045512, 1e-7)
}

// The optimum error of every finite pair is above every floor, for one sample and several.
func TestOptimalErrorStaysAboveFloors(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := anyFamily(t)
		c, err := f.Contest(0, 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{1, 2, 7} {
			e, err := c.OptimalError(n)
			if err != nil {
				t.Fatal(err)
			}
			own, err := c.Floor(n)
			if err != nil {
				t.Fatal(err)
			}
			general, err := ErrorFloor(f.Uniform()*f.Distance(0, 1), n)
			if err != nil {
				t.Fatal(err)
			}
			for what, v := range map[string]float64{"own": own.Floor, "general": general.Floor, "pure": own.Pure,
				"KL": general.KL, "Hellinger": own.Hellinger} {
				if e < v-1e-9 {
					t.Fatalf("N = %d: optimum error %v below the %s floor %v", n, e, what, v)
				}
			}
		}
	})
}

func TestOptimalErrorOfOneSample(t *testing.T) {
	f := must[*Family](t)(NewGrid(5, false, 10))
	c := must[*Contest](t)(f.Contest(3, 4))
	tv := must[float64](t)(HockeyStick(f.Posterior(3), f.Posterior(4), 0))
	near(t, "N = 1", must[float64](t)(c.OptimalError(1)), (1-tv)/2, 1e-13)
	// Two samples by hand.
	p, q, min2 := f.Posterior(3), f.Posterior(4), 0.0
	for i := range p {
		for j := range p {
			min2 += math.Min(p[i]*p[j], q[i]*q[j])
		}
	}
	near(t, "N = 2", must[float64](t)(c.OptimalError(2)), min2/2, 1e-12)
	// The two-point game agrees with the majority vote of TwoPoint.
	for lrho, n := range map[float64]int{.5: 45, 1: 11} {
		two := must[*Contest](t)(TwoPointContest(lrho))
		at, before := must[float64](t)(two.OptimalError(n)), must[float64](t)(two.OptimalError(n-1))
		if !(at <= .05 && before > .05) {
			t.Errorf("Lρ = %v: error %v at N = %d, %v before", lrho, at, n, before)
		}
	}
}

// The simulated adversary is the optimum test: his frequencies cover the exact error and stay above the floors.
// Intervals are at error probability 1e-9 each.
func TestAdversaryStaysAboveTheFloors(t *testing.T) {
	finite := must[*Contest](t)(must[*Family](t)(NewGrid(5, false, 10)).Contest(4, 5))
	beta := must[*Contest](t)(BetaContest(10, 5, 1, 1, .05, .95))
	for seed, c := range []*Contest{finite, beta, must[*Contest](t)(TwoPointContest(.5))} {
		rounds := must[[]Round](t)(Play(context.Background(), c, dp.Seeded(uint64(100+seed)),
			PlayOptions{Samples: []int{1, 2, 5, 20, 50}, Trials: 4000}))
		for _, r := range rounds {
			if r.Refutes(r.Floor.Floor) || r.Refutes(r.Floor.KL) || r.Refutes(r.Floor.Hellinger) {
				t.Errorf("%s: N = %d: error %v to %v, floors %+v", c.Name(), r.Samples, r.Error.Lo, r.Error.Hi, r.Floor)
			}
			if r.MissX.Trials+r.MissY.Trials != 4000 || r.MissX.Events+r.MissY.Events != r.Error.Events {
				t.Errorf("%+v does not add up", r)
			}
			if c.p == nil {
				continue
			}
			if e := must[float64](t)(c.OptimalError(r.Samples)); e < r.Error.Lo || e > r.Error.Hi {
				t.Errorf("%s: N = %d: exact error %v outside %v to %v", c.Name(), r.Samples, e, r.Error.Lo, r.Error.Hi)
			}
		}
		if rounds[4].Error.Hi >= rounds[0].Error.Lo {
			t.Errorf("%s: 50 samples are no better than one: %+v", c.Name(), rounds)
		}
	}
	// The Beta adversary at N = 1, against the exact TV.
	r := must[[]Round](t)(Play(context.Background(), beta, dp.Seeded(7),
		PlayOptions{Samples: []int{1}, Trials: 20_000}))[0]
	if e := (1 - beta.divergences.tv) / 2; e < r.Error.Lo || e > r.Error.Hi {
		t.Errorf("Beta: exact error %v outside %v to %v", e, r.Error.Lo, r.Error.Hi)
	}
}

// A power bound that claims half of κ is refuted by the adversary, through the same path that accepts the right one. So
// are one that counts one sample for N, one with half of Lρ, and the printed direction of Theorem 13.
func TestAdversaryRefutesWrongBounds(t *testing.T) {
	const lrho = .5
	c := must[*Contest](t)(TwoPointContest(lrho))
	ns := []int{1, 3, 9, 15}
	rounds := must[[]Round](t)(Play(context.Background(), c, dp.Seeded(31), PlayOptions{Samples: ns, Trials: 60_000}))
	refuted := func(claim func(n float64) float64) int {
		k := 0
		for _, r := range rounds {
			if r.Refutes(claim(float64(r.Samples))) {
				k++
			}
		}
		return k
	}
	kl := func(scale float64) func(n float64) float64 {
		return func(n float64) float64 { return must[float64](t)(KLFloor(scale * n * Kappa(2*lrho))) }
	}
	hellinger := func(l float64) func(n float64) float64 {
		return func(n float64) float64 { return must[Floor](t)(ErrorFloor(l, int(n))).Hellinger }
	}
	if k := refuted(kl(1)) + refuted(hellinger(lrho)) +
		refuted(func(n float64) float64 { return must[Floor](t)(ErrorFloor(lrho, int(n))).Floor }); k != 0 {
		t.Errorf("%d right floors refuted", k)
	}
	if k := refuted(kl(.5)); k != len(ns) {
		t.Errorf("half of κ: refuted at %d of %d N", k, len(ns))
	}
	if k := refuted(hellinger(lrho / 2)); k != len(ns) {
		t.Errorf("half of Lρ: refuted at %d of %d N", k, len(ns))
	}
	one := must[Floor](t)(ErrorFloor(lrho, 1)).Floor
	if k := refuted(func(float64) float64 { return one }); k != len(ns)-1 {
		t.Errorf("one sample counted for N: refuted at %d N", k)
	}
	// As printed, N = 3 ln(1/δ)/(4Lρ) samples would suffice for δ: from there on a claimed ceiling δ of the error. The
	// whole interval is above.
	b := must[SampleBounds](t)(Samples(lrho, .05))
	if r := rounds[2]; float64(r.Samples) < b.Paper || !(r.Error.Lo > .05) {
		t.Errorf("printed N = %v for δ = .05; error %+v at N = %d", b.Paper, r.Error, r.Samples)
	}
}

func TestPlayReplaysAndStops(t *testing.T) {
	c := must[*Contest](t)(TwoPointContest(1))
	calls, last := 0, int64(0)
	o := PlayOptions{Samples: []int{1, 4}, Trials: 250, Progress: func(done, total int64) {
		if calls++; done < last || total != 250 {
			t.Errorf("progress %d of %d after %d", done, total, last)
		}
		last = done
	}}
	a := must[[]Round](t)(Play(context.Background(), c, dp.Seeded(3), o))
	b := must[[]Round](t)(Play(context.Background(), c, dp.Seeded(3), PlayOptions{Samples: []int{1, 4}, Trials: 250}))
	if a[0] != b[0] || a[1] != b[1] || last != 250 || calls < 100 {
		t.Errorf("%+v, then %+v; %d calls, the last at %d", a, b, calls, last)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	o.Progress = nil
	if _, err := Play(ctx, c, dp.Seeded(3), o); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestClopperPearson(t *testing.T) {
	// Coverage by enumeration: for every p the probability of an interval that misses it is at most alpha.
	const n, alpha = 12, .1
	for p := .01; p < 1; p += .01 {
		miss := 0.0
		for k := range n + 1 {
			if r := clopperPearson(k, n, alpha); p < r.Lo || p > r.Hi {
				miss += atLeastTail(p, n, float64(k)) - atLeastTail(p, n, float64(k)+1)
			}
		}
		if miss > alpha+1e-12 {
			t.Errorf("p = %v: missed with probability %v", p, miss)
		}
	}
	if r := clopperPearson(5, 10, .05); math.Abs(r.Lo-.1870860) > 1e-6 || math.Abs(r.Hi-.8129140) > 1e-6 {
		t.Errorf("%+v", r)
	}
	if r := clopperPearson(0, 10, .05); r.Lo != 0 || math.Abs(r.Hi-.3084971) > 1e-6 { // 1 − .025^{1/10}
		t.Errorf("%+v", r)
	}
}

// Lemma 11 simulated: the bar of a fixed query fails for a query that looks at the samples, where the bar over all
// queries of a finite Θ holds; for a fixed query it holds, and a shorter one is rejected.
func TestErrorBarSimulated(t *testing.T) {
	// A uniform posterior on 400 parameters. The query "is θ among the sampled ones?" is chosen after seeing them.
	prior, lik := make([]float64, 400), make([]float64, 400)
	for i := range prior {
		prior[i] = 1
	}
	f := must[*Family](t)(NewFamily(prior, [][]float64{lik}, [][]float64{{0}}, nil))
	const n, delta = 20, .05
	bar := must[float64](t)(FixedBar(2, n, delta))
	look := AnswerOptions{Samples: n, Trials: 500, Default: .9, Bar: bar}
	if r := must[Rate](t)(f.Answers(context.Background(), dp.Seeded(5), look)); r.Lo < .9 {
		t.Errorf("regret over %v in %+v", bar, r)
	}
	look.Bar = must[float64](t)(FiniteBar(400, n, delta))
	if r := must[Rate](t)(f.Answers(context.Background(), dp.Seeded(5), look)); r.Events != 0 {
		t.Errorf("regret over %v in %+v", look.Bar, r)
	}
	// A fixed query with complementary 0/1 utilities, posterior mass q on the worse side: the regret 1 − 2q has
	// probability δ exactly at the q of LeastBar.
	vote := func(q float64) *Family {
		return must[*Family](t)(NewFamily([]float64{q, 1 - q}, [][]float64{{0, 0}}, [][]float64{{0}}, nil))
	}
	least := must[float64](t)(LeastBar(n, delta))
	q := (1 - least) / 2
	near(t, "mass", vote(q).Posterior(0)[0], q, 1e-12)
	rate := func(q, bar float64) Rate {
		return must[Rate](t)(vote(q).Answers(context.Background(), dp.Seeded(6),
			AnswerOptions{Samples: n, Trials: 8000, Query: Utility{{1, 0}, {0, 1}}, Bar: bar}))
	}
	if r := rate(q, .999*least); r.Lo > delta || r.Hi < delta {
		t.Errorf("probability of the regret %v: %+v, exact %v", least, r, delta)
	}
	if r := rate(q, bar); r.Events != 0 {
		t.Errorf("regret over %v: %+v", bar, r)
	}
	if r := rate((1-1.01*bar/3)/2, bar/3); r.Lo <= delta { // a bar three times too short
		t.Errorf("a third of the bar is exceeded in %+v only", r)
	}
}
