package sampling

import (
	"context"
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/privbayes/dp"
)

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
