package sampling

import (
	"context"
	"math"
	"strings"
	"testing"

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
