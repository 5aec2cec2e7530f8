package sampling

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/logratio"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/papers/families"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*math.Max(math.Abs(want), 1e-300)) {
		t.Errorf("%s = %.16g, want %.16g within %g", what, got, want, tol)
	}
}

func twoPoints(t *testing.T, lrho float64) *Contest {
	t.Helper()
	return must.Get(TwoPointContest(lrho))(t)
}

func play(t *testing.T, c *Contest, seed uint64, trials int, samples ...int) []Round {
	t.Helper()
	return must.Get(Play(t.Context(), c, dp.Seeded(seed), PlayOptions{Samples: samples, Trials: trials}))(t)
}

func TestFigure1(t *testing.T) {
	for _, concentrated := range []bool{false, true} {
		fig, tab := must.Get2(Figure1(concentrated, 5, 20))(t)
		must.Do(t, fig.Validate())
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
}

// What the paper reads off Figure 1, and where it holds.
func TestFigure1Claims(t *testing.T) {
	grid := func(steps int, concentrated bool) *families.FiniteBernoulli {
		return must.Get(families.NewGridBernoulli(1, steps, concentrated))(t)
	}
	coarse, fine := grid(5, false), grid(20, false)
	near(t, "L", coarse.Uniform(), math.Log(4), 1e-14)
	near(t, "about half", fine.Uniform()/coarse.Uniform(), 2.124, 1e-3)
	curve := func(f *families.FiniteBernoulli, l0, l float64) float64 {
		return -math.Expm1(-must.Get(f.BestC(l0))(t) * (l - l0))
	}
	own := func(f *families.FiniteBernoulli, l float64) float64 { return curve(f, f.LeastL0(), l) }
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
		f := grid(c.steps, c.exp)
		sum, l0 := bestSum(f)
		near(t, "least sum", sum, c.sum, 2e-6)
		near(t, "its L0", l0, c.l0, 3e-6)
		least := f.LeastL0()
		for i := range 2000 { // a scan finds nothing smaller, and nearly as small
			at := least + (f.Uniform()-least)*float64(i)/2000
			if v := at + 1/must.Get(f.BestC(at))(t); v < sum*(1-1e-12) {
				t.Errorf("L0 + 1/c = %v at %v, least %v", v, at, sum)
			}
		}
		if c.exp && must.Get(f.BestC(least))(t) <= must.Get(grid(c.steps, false).BestC(least))(t) {
			t.Error("the concentrated prior does not shift the curve upwards")
		}
	}
}

func TestDuelFigure(t *testing.T) {
	c := twoPoints(t, 1)
	fig, tab := must.Get2(DuelFigure(c, play(t, c, 1, 300, 1, 3, 10, 400)))(t)
	must.Do(t, fig.Validate())
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
	beta := must.Get(BetaContest(10, 5, 1, 1, .05, .95))(t)
	fig, tab = must.Get2(DuelFigure(beta, play(t, beta, 1, 50, 1)))(t)
	if len(fig.Series) != 4 || !strings.Contains(tab.String(), "not enumerated") {
		t.Error(tab)
	}
}

// The optimum error of two points is Σ min(P^N, Q^N)/2 over all sequences of N samples, above every floor, and at most
// δ from the N on that Samples says.
func TestOptimalError(t *testing.T) {
	for _, lrho := range []float64{.01, .5, 1, 3} {
		c := twoPoints(t, lrho)
		p := 1 / (1 + math.Exp(-lrho))
		for n := 1; n <= 10; n++ {
			sum := 0.0
			for sequence := range 1 << n {
				x, y := 1.0, 1.0
				for i := range n {
					if sequence>>i&1 == 1 {
						x, y = x*p, y*(1-p)
					} else {
						x, y = x*(1-p), y*p
					}
				}
				sum += math.Min(x, y)
			}
			e, f := c.OptimalError(n), c.floor(n)
			near(t, "by enumeration", e, sum/2, 1e-12)
			if e < max(f.Floor, f.Pure, f.Jeffreys, f.KL, f.Hellinger)-1e-9 {
				t.Errorf("N = %d: optimum error %v below a floor of %+v", n, e, f)
			}
			if n == 1 { // Pure and Jeffreys are attained
				near(t, "pure", f.Pure, e, 1e-12)
				near(t, "Jeffreys", f.Jeffreys, e, 1e-9)
				near(t, "TV", (1-c.tv)/2, e, 1e-12)
			}
		}
		if n := must.Get(Samples(lrho, .05))(t).TwoPoint; c.OptimalError(n) > .05 || n > 1 && c.OptimalError(n-1) <= .05 {
			t.Errorf("Lρ = %v: error %v at N = %d, %v before", lrho, c.OptimalError(n), n, c.OptimalError(n-1))
		}
	}
	if beta := must.Get(BetaContest(10, 5, 1, 1, .05, .95))(t); !math.IsNaN(beta.OptimalError(1)) {
		t.Error("an exact error of a game that is not enumerated")
	}
}

// The simulated adversary is the optimum test: his frequencies cover the exact error and stay above the floors.
// Intervals are at error probability 1e-9 each.
func TestAdversaryStaysAboveTheFloors(t *testing.T) {
	beta := must.Get(BetaContest(10, 5, 1, 1, .05, .95))(t)
	for seed, c := range []*Contest{twoPoints(t, 1), beta, twoPoints(t, .5)} {
		rounds := play(t, c, uint64(100+seed), 4000, 1, 2, 5, 20, 50)
		for _, r := range rounds {
			if r.Error.Hi < max(r.Floor.Floor, r.Floor.KL, r.Floor.Hellinger) {
				t.Errorf("%s: N = %d: error %v to %v, floors %+v", c.name, r.Samples, r.Error.Lo, r.Error.Hi, r.Floor)
			}
			if r.MissX.Trials+r.MissY.Trials != 4000 || r.MissX.Events+r.MissY.Events != r.Error.Events {
				t.Errorf("%+v does not add up", r)
			}
			if e := c.OptimalError(r.Samples); e < r.Error.Lo || e > r.Error.Hi {
				t.Errorf("%s: N = %d: exact error %v outside %v to %v", c.name, r.Samples, e, r.Error.Lo, r.Error.Hi)
			}
		}
		if rounds[4].Error.Hi >= rounds[0].Error.Lo {
			t.Errorf("%s: 50 samples are no better than one: %+v", c.name, rounds)
		}
	}
	// The Beta adversary at N = 1, against the exact TV.
	r := play(t, beta, 7, 20_000, 1)[0]
	if e := (1 - beta.tv) / 2; e < r.Error.Lo || e > r.Error.Hi {
		t.Errorf("Beta: exact error %v outside %v to %v", e, r.Error.Lo, r.Error.Hi)
	}
}

// A power bound that claims half of κ is refuted by the adversary, through the same path that accepts the right one. So
// are one that counts one sample for N, one with half of Lρ, and the printed direction of Theorem 13.
func TestAdversaryRefutesWrongBounds(t *testing.T) {
	const lrho = .5
	ns := []int{1, 3, 9, 15}
	rounds := play(t, twoPoints(t, lrho), 31, 60_000, ns...)
	refuted := func(claim func(n int) float64) (k int) {
		for _, r := range rounds {
			if r.Error.Hi < claim(r.Samples) {
				k++
			}
		}
		return k
	}
	kl := func(scale float64) func(n int) float64 {
		return func(n int) float64 { return klFloor(scale * float64(n) * logratio.BoundedRange(2*lrho).KL()) }
	}
	hellinger := func(l float64) func(n int) float64 {
		return func(n int) float64 { return errorFloor(l, n).Hellinger }
	}
	if k := refuted(kl(1)) + refuted(hellinger(lrho)) +
		refuted(func(n int) float64 { return errorFloor(lrho, n).Floor }); k != 0 {
		t.Errorf("%d right floors refuted", k)
	}
	if k := refuted(kl(.5)); k != len(ns) {
		t.Errorf("half of κ: refuted at %d of %d N", k, len(ns))
	}
	if k := refuted(hellinger(lrho / 2)); k != len(ns) {
		t.Errorf("half of Lρ: refuted at %d of %d N", k, len(ns))
	}
	if k := refuted(func(int) float64 { return errorFloor(lrho, 1).Floor }); k != len(ns)-1 {
		t.Errorf("one sample counted for N: refuted at %d N", k)
	}
	// As printed, N = 3 ln(1/δ)/(4Lρ) samples would suffice for δ: from there on a claimed ceiling δ of the error. The
	// whole interval is above.
	b := must.Get(Samples(lrho, .05))(t)
	if r := rounds[2]; float64(r.Samples) < b.Paper || !(r.Error.Lo > .05) {
		t.Errorf("printed N = %v for δ = .05; error %+v at N = %d", b.Paper, r.Error, r.Samples)
	}
}

func TestPlayReplaysAndStops(t *testing.T) {
	c := twoPoints(t, 1)
	if a, b := play(t, c, 3, 250, 1, 4), play(t, c, 3, 250, 1, 4); a[0] != b[0] || a[1] != b[1] {
		t.Errorf("%+v, then %+v", a, b)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Play(ctx, c, dp.Seeded(3), PlayOptions{Samples: []int{1}, Trials: 1}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// Values of 34-digit arithmetic, apart from this code; TwoPoint is what the optimum test of two points needs.
func TestSamplesGolden(t *testing.T) {
	for _, c := range []struct {
		lrho, paper, pure, kl float64
		twoPoint              int
	}{
		{.1, 22.4679920516549, 29.4443897916644, 530.293362052328, 1083},
		{.5, 4.49359841033099, 5.88887795833288, 21.4919831459831, 45},
		{1, 2.24679920516549, 2.94443897916644, 5.58511418388999, 11},
	} {
		b := must.Get(Samples(c.lrho, .05))(t)
		near(t, "paper", b.Paper, c.paper, 1e-13)
		near(t, "pure", b.Pure, c.pure, 1e-13)
		near(t, "kl", b.KL, c.kl, 1e-12)
		if b.TwoPoint != c.twoPoint {
			t.Errorf("Lρ = %v: %+v", c.lrho, b)
		}
	}
}

func TestTrimmedBetaGolden(t *testing.T) {
	for _, c := range []struct {
		n, k         int
		alpha, l, tv float64
	}{
		{1, 0, 1, .05, .45}, {10, 1, 1, .05, .268459755004061}, {100, 0, 50, .05, .0650839083337263},
		{10, 5, 5, .2, .178622826055648},
	} {
		game := must.Get(BetaContest(c.n, c.k, c.alpha, c.alpha, c.l, 1-c.l))(t)
		near(t, "TV", game.tv, c.tv, 1e-11)
		near(t, "range", game.lrho, math.Log((1-c.l)/c.l), 1e-14)
		if game.jeffreys < 4*game.tv*game.tv {
			t.Errorf("%+v", game)
		}
	}
}

// Theorem 13 as printed, "can distinguish if": for a bit on [.05, .95] at ρ = 1 it says N = 1, where every adversary
// errs with probability (1 − .45)/2 on average.
func TestTheorem13IsReversed(t *testing.T) {
	b := must.Get(BetaContest(1, 0, 1, 1, .05, .95))(t)
	if p := must.Get(Samples(b.lrho, .05))(t).Paper; !(p <= 1) {
		t.Errorf("printed N = %v, want at most 1", p)
	}
	near(t, "TV", b.tv, .45, 1e-12)
	if e := play(t, b, 13, 20_000, 1)[0].Error; !(e.Lo > .2 && e.Lo <= .275 && e.Hi >= .275) {
		t.Errorf("%+v", e)
	}
}

func TestBoundsOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lrho := math.Exp(rapid.Float64Range(-5, 2).Draw(t, "ln Lρ"))
		delta := rapid.Float64Range(.001, .45).Draw(t, "δ")
		b, err := Samples(lrho, delta)
		if err != nil {
			t.Fatal(err)
		}
		// The last: the printed rate, read as "only if".
		if above := 1 + 1e-9; b.KL > b.Jeffreys*above || b.Necessary > float64(b.TwoPoint)*above ||
			delta <= .2755 && b.Paper > b.Pure*above {
			t.Fatalf("%+v", b)
		}
		n := max(1, int(b.Necessary))
		f := errorFloor(lrho, n)
		if float64(n) <= b.Necessary && f.Floor < delta-1e-8 { // the two forms are inverse
			t.Fatalf("floor %v at N = %d below δ = %v, %+v", f.Floor, n, delta, b)
		}
		if f.KL > f.Jeffreys+1e-9 {
			t.Fatalf("%+v", f)
		}
	})
}

func TestExtremes(t *testing.T) {
	if f := errorFloor(800, 1_000_000); f.Floor != 0 || f.Hellinger != 0 || f.Pure != 0 {
		t.Errorf("%+v", f)
	}
	if f := errorFloor(0, 5); math.Abs(f.Floor-.5) > 1e-9 {
		t.Errorf("%+v", f)
	}
	// One game leaves one side without trials.
	if r := play(t, twoPoints(t, 1), 1, 1, 1)[0]; r.MissX.Trials+r.MissY.Trials != 1 || r.Error.Hi-r.Error.Lo < .99 {
		t.Errorf("%+v", r)
	}
}

func TestBadInput(t *testing.T) {
	c := twoPoints(t, 1)
	of := func(c *Contest, o PlayOptions) error { _, err := Play(t.Context(), c, dp.Seeded(1), o); return err }
	second := func(_ any, err error) error { return err }
	third := func(_, _ any, err error) error { return err }
	for _, c := range []struct {
		parameter string
		err       error
	}{
		{"L*rho", second(Samples(0, .1))},
		{"delta", second(Samples(1, .5))},
		{"L*rho", second(TwoPointContest(0))},
		{"k", second(BetaContest(5, 5, 1, 1, .1, .9))},
		{"[l, u]", second(BetaContest(5, 0, 1, 1, .9, .1))},
		{"contest", of(nil, PlayOptions{Samples: []int{1}, Trials: 1})},
		{"source", second(Play(t.Context(), c, nil, PlayOptions{Samples: []int{1}, Trials: 1}))},
		{"number of N", of(c, PlayOptions{Trials: 1})},
		{"trials", of(c, PlayOptions{Samples: []int{1}})},
		{"N", of(c, PlayOptions{Samples: []int{2, 2}, Trials: 1})},
		{"number of grids", third(Figure1(false))},
		{"steps", third(Figure1(false, 2))}, // one level: c is infinite, so there is no curve
		{"rounds", third(DuelFigure(c, nil))},
		{"contest", third(DuelFigure(nil, make([]Round, 1)))},
	} {
		var p *domain.Error
		if !errors.As(c.err, &p) || p.Parameter != c.parameter || p.Error() == "" {
			t.Errorf("error %v, want a *domain.Error about %s", c.err, c.parameter)
		}
	}
}
