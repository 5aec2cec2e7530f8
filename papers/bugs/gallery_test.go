package bugs

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/papers/families"
	"github.com/privbayes/privbayes-go/privbayes/audit"
	"github.com/privbayes/privbayes-go/privbayes/budget"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
)

// near reports |a − b| ≤ relative·|b|, and equality for infinities.
func near(a, b, relative float64) bool {
	return a == b || math.Abs(a-b) <= relative*math.Abs(b)
}

// Every mutant is rejected and every right version accepted, by one checker and for one claim; what the gallery says
// without running is what running finds.
func TestAll(t *testing.T) {
	seen := map[string]bool{}
	for _, b := range All() {
		f, err := b.Run(t.Context())
		if err != nil {
			t.Error(err)
			continue
		}
		if !f.Rejected {
			t.Errorf("%s: the defective version passes: %v", b.ID, f)
		}
		if !f.Accepted {
			t.Errorf("%s: the right version is rejected: %v", b.ID, f)
		}
		claimed := value(b.Claimed)
		if !(value(f.Spent) > 1.05*claimed) || !(value(f.RightSpent) <= claimed*(1+1e-6)) {
			t.Errorf("%s: claimed %v, spent %v, right version %v", b.ID, claimed, value(f.Spent), value(f.RightSpent))
		}
		if f.Claimed != b.Claimed || !near(value(f.Spent), value(b.Spent), 2e-9) || f.Spent.Notion != b.Claimed.Notion {
			t.Errorf("%s: found %v and %.13g, stated %v and %.13g", b.ID, f.Claimed, value(f.Spent), b.Claimed,
				value(b.Spent))
		}
		if f.Counterexample != b.Counterexample {
			t.Errorf("%s: counterexample %q, stated %q", b.ID, f.Counterexample, b.Counterexample)
		}
		if seen[b.ID] || b.Mechanism == "" || b.Symptom == "" || b.How == "" || b.Remedy == "" || len(f.Evidence) < 2 {
			t.Errorf("%q is incomplete, or not the only one of its name", b.ID)
		}
		seen[b.ID] = true
	}
}

// The named data sets are neighbours that attain the loss.
func TestConditionalFloorCounterexample(t *testing.T) {
	f := must.Get(newClaimed(2, 0, .1, 2*math.Log(10)))(t)
	k, err := checkLoss(t.Context(), onePair{f, families.Data{{0, 0}, {0, 0}}, families.Data{{1, 0}, {0, 0}}}, 1)
	want, err2 := recordEpsilon(1, 2, .1)
	if err != nil || err2 != nil || k.OK() || !near(float64(k.Value), want, 1e-9) {
		t.Errorf("%v, want %v, errors %v, %v", k, want, err, err2)
	}
}

type onePair struct {
	claimedNetwork
	x, y families.Data
}

func (p onePair) Draw(rand.Source) families.Data                     { return p.x }
func (p onePair) Neighbour(rand.Source, families.Data) families.Data { return p.y }

func TestRun(t *testing.T) {
	tab, f := must.Get2(Run(t.Context()))(t)
	if len(tab.Rows) != len(All()) || len(Table().Rows) != len(All()) {
		t.Errorf("%d and %d rows for %d bugs", len(tab.Rows), len(Table().Rows), len(All()))
	}
	if err := f.Validate(); err != nil {
		t.Error(err)
	}
	for i, y := range f.Series[0].Y {
		if right := f.Series[2].Y[int(f.Series[0].X[i])]; y <= 1 || right > 1+1e-6 {
			t.Errorf("%s: %v and %v times the claim", f.XTicks[i], y, right)
		}
	}
	if !strings.Contains(tab.String(), "∞ (not private)") || strings.Count(tab.String(), "REJECTED") != len(All()) {
		t.Error(tab)
	}
}

func TestErrors(t *testing.T) {
	var unknown *UnknownError
	if _, err := Find("no such bug"); !errors.As(err, &unknown) || unknown.ID != "no such bug" {
		t.Errorf("Find: %v", err)
	}
	if _, err := (Bug{ID: "mine"}).Run(t.Context()); !errors.As(err, &unknown) || unknown.ID != "mine" {
		t.Errorf("Run of a bug that is not from All: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, id := range []string{"one-seed", "conditional-floor"} {
		b := must.Get(Find(id))(t)
		if _, err := b.Run(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("%s under a cancelled context: %v", id, err)
		}
	}
	if _, _, err := Run(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Run under a cancelled context: %v", err)
	}
}

// A ledger that cannot be used is an error, not a budget that is spent.
func TestBrokenLedger(t *testing.T) {
	if _, err := crashes(func() ledger { return &syncedLedger{t.TempDir()} }, dp.Seeded(1)); err == nil {
		t.Error("a directory is taken for a ledger")
	}
}

// Without a crash the late ledger works, which is why its defect goes unnoticed.
func TestLateLedgerWithoutCrash(t *testing.T) {
	path := t.TempDir() + "/late"
	first := &lateLedger{path}
	must.Do(t, first.before("a"))
	must.Do(t, first.after("a"))
	var spent *budget.ExceededError
	if err := (&lateLedger{path}).before("b"); !errors.As(err, &spent) {
		t.Errorf("a second session: %v", err)
	}
}

// The normalised score moves by 1: 2.13 and 3.49 times the bound of the plain one, in bits, at 10 and 20 records
// (theory/structure.md §4). What is spent grows with the records; the plain score keeps to its claim.
func TestNormalisedScoreTheory(t *testing.T) {
	last := 0.0
	for _, v := range []struct {
		n     int
		times float64
	}{{10, 2.13}, {20, 3.49}} {
		move := normalisedInformation([2][2]int{{v.n - 1, 0}, {0, 1}}, v.n) -
			normalisedInformation([2][2]int{{v.n - 1, 0}, {1, 0}}, v.n)
		times := move * math.Ln2 / informationSensitivity(v.n)
		if math.Abs(move-1) > 1e-12 || math.Abs(times-v.times) > .005 {
			t.Errorf("n = %d: moves by %v, %v times the bound, want %v", v.n, move, times, v.times)
		}
		f := must.Get(normalisedScoreAt(v.n).Run(t.Context()))(t)
		// one of 20 rises while 19 fall
		s := times / 2
		want := s + math.Log((1+19*math.Exp(s))/(math.Exp(s)+19))
		if !near(value(f.Spent), want, 1e-9) || value(f.Spent) <= last || !f.Accepted {
			t.Errorf("n = %d: %v, want %v", v.n, f, want)
		}
		last = value(f.Spent)
	}
}

// One choice among many candidates approaches ηw: 2η under replace-one for the defective rate. Small rates among few
// candidates would hide it.
func TestOneDirectionTheory(t *testing.T) {
	for _, eta := range []float64{.5, 1, 6} {
		s := chosenEdge(eta)
		s.Claim = dp.PureDP(2 * eta).Parameters
		v := must.Get(enumerated(t.Context(), s))(t)
		// 20 others at one more, then at one less
		want := eta + math.Log((1+20*math.Exp(eta))/(math.Exp(eta)+20))
		if got := value(v.spent); !v.holds || !near(got, want, 1e-9) {
			t.Errorf("η = %v: %v, want %v", eta, got, want)
		}
	}
}

// A redraw on two cells of eight records spends 1.2095 where 1 is claimed (theory/structure.md §4). By hand at the pair
// (0, 8), (1, 7) and the output (0, ≥ 8): P(0 | 0) = 1 − q and P(Y ≥ 8 | c) = q^{8−c}/(1 + q)/P(Y ≥ 0 | c).
func TestUntilPositiveTheory(t *testing.T) {
	q := math.Exp(-.5)
	least := func(c int) float64 { return 1 - math.Pow(q, float64(c+1))/(1+q) } // P(Y ≥ 0)
	zero := func(c int) float64 { return (1 - q) / (1 + q) * math.Pow(q, float64(c)) / least(c) }
	high := func(c int) float64 { return math.Pow(q, float64(8-c)) / (1 + q) / least(c) }
	want := math.Log(zero(0) * high(8) / (zero(1) * high(7)))
	f, err := untilPositive().Run(t.Context())
	if err != nil || !near(value(f.Spent), want, 1e-9) || math.Abs(want-1.2095) > 5e-5 {
		t.Errorf("%v, want %v: %v", value(f.Spent), want, err)
	}
}

// Every law is one: not negative and of sum 1, on every data set of its space.
func TestLearnedLaws(t *testing.T) {
	for a := range 5 {
		for b := 0; a+b <= 4; b++ {
			for c := 0; a+b+c <= 4; c++ {
				for _, free := range []bool{false, true} {
					sum := 0.0
					for _, p := range chosenForest([]int{a, b, c, 4 - a - b - c}, .25, free) {
						if sum += p; !(p >= 0) {
							t.Errorf("%v %v %v: %v", a, b, c, p)
						}
					}
					if !near(sum, 1, 1e-12) {
						t.Errorf("%v %v %v: sum %v", a, b, c, sum)
					}
				}
			}
		}
	}
}

// Geometric noise of the right scale is not refuted at its ε, and noise of half the scale is: the lower bound of ε
// stays below the truth (false alarm 1e-9) and comes within 10 % of it.
func TestSampledHasPower(t *testing.T) {
	for _, den := range []uint64{1, 2} { // ε = 2/den
		g := must.Get(sample.NewTwoSidedGeometric(2, den))(t)
		eps := 2 / float64(den)
		bound, _, err := sampled(t.Context(), "no more than 2", func(neighbour bool, src *dp.Stream) (bool, error) {
			count := int64(2)
			if neighbour {
				count = 3
			}
			return count+g.Draw(src) <= 2, nil
		}, 5)
		if err != nil || bound > eps || bound < .85*eps {
			t.Errorf("ε = %v: at least %v, error %v", eps, bound, err)
		}
	}
}

// A kept release is one draw, shown in every cell; a variable is drawn in each.
func TestNotebook(t *testing.T) {
	shown, drawn, err := notebook(7, &keeper{}, dp.Seeded(1))
	if err != nil || drawn != 1 || len(shown) != cells {
		t.Fatal(shown, drawn, err)
	}
	for _, y := range shown {
		if y != shown[0] {
			t.Errorf("a kept release shows %v", shown)
		}
	}
	if _, drawn, err = notebook(7, nil, dp.Seeded(1)); err != nil || drawn != cells {
		t.Errorf("%d draws in %d cells, error %v", drawn, cells, err)
	}
}

// The two laws of a pair of noisy counts are those of the running code: every output's share is within 6.5 standard
// errors.
func TestOneSeedLaw(t *testing.T) {
	const top, draws, rate = 4, 100_000, .5
	counts := [2]int{1, 3}
	g := must.Get(sample.NewTwoSidedGeometric(1, 2))(t)
	want, src := sameNoise(counts, top, rate), dp.Seeded(9)
	got := make([]float64, len(want))
	for range draws {
		z := int(g.Draw(src))
		got[min(max(counts[0]+z, 0), top)*(top+1)+min(max(counts[1]+z, 0), top)]++
	}
	wrong := sameNoise(counts, top, 2*rate)
	differ := false
	for i, p := range want {
		// 6.5 standard errors over 25 outputs: a false alarm below 1e-9
		tolerance := 6.5*math.Sqrt(p*(1-p)/draws) + 1e-12
		if math.Abs(got[i]/draws-p) > tolerance {
			t.Errorf("output %d: share %v, law %v", i, got[i]/draws, p)
		}
		differ = differ || math.Abs(got[i]/draws-wrong[i]) > 6.5*math.Sqrt(wrong[i]*(1-wrong[i])/draws)
	}
	if !differ {
		t.Error("noise of half the scale passes too")
	}
}

// theory/dirichlet.md §7, and §1.4 for the right version.
func TestDirichletTheory(t *testing.T) {
	for _, v := range []struct{ eps, defective, right float64 }{
		{.001, .00112680489077, .000937075771657}, {.01, .01432933449742, .00850174041688},
		{.1, .2348691742244, .0763683381739},
		{1, 3.329262528645, .73986242522}, {10, 36.43293830961, 7.37006408462},
	} {
		f := must.Get(dirichletShapeAt(v.eps).Run(t.Context()))(t)
		if !near(value(f.Spent), v.defective, 2e-9) || !near(value(f.RightSpent), v.right, 2e-9) || !f.Rejected ||
			!f.Accepted {
			t.Errorf("ε = %v: %v; want %v and %v", v.eps, f, v.defective, v.right)
		}
	}
	inf := math.Inf(1)
	for _, v := range []struct {
		features          int
		total, share, act float64
	}{
		{13, .001, 7.14286e-05, .0116614850203}, {20, .001, 4.7619e-05, .0184261206242},
		{64, .001, 1.53846e-05, .0617290455908},
		{13, .01, .000714286, .1152083737509}, {20, .01, .00047619, .1902296245120}, {64, .01, .000153846, inf},
		{13, .1, .00714286, inf}, {64, 10, .153846, inf},
	} {
		f := must.Get(classCountsAt(v.features, v.total).Run(t.Context()))(t)
		if !near(value(f.Spent), v.act, 2e-8) || !near(value(f.Claimed), v.share, 1e-5) || !f.Rejected || !f.Accepted {
			t.Errorf("K = %d, ε = %v: %v; want %v", v.features, v.total, f, v.act)
		}
	}
}

// theory/networks.md §3.4: Beta(1, 1) priors, claimed 2 ln(1/ω).
func TestConditionalFloorTheory(t *testing.T) {
	for _, v := range []struct {
		d, n        int
		omega, want float64
		digits      float64
	}{
		{1, 1, .1, 4.39445, 1e-5}, {1, 2, .1, 5.02114, 1e-5}, {1, 4, .1, 5.70417, 1e-5}, {1, 50, .1, 7.52442, 1e-5},
		{1, 1000, .1, 8.64429, 1e-5},
		{2, 1, .1, 6.59167, 1e-5}, {16, 50, .1, 67.394, 1e-3},
		{16, 50, math.Exp(-1), 16.475, 1e-3}, {16, 50, math.Exp(-2.5), 73.77, 1e-2},
		{16, 50, math.Exp(-5), 137.7, 1e-1},
		{16, 50, .4884142909, 1, 1e-8}, {16, 50, .4556908874, 5, 1e-8}, // §3.5 B: calibrated
	} {
		if got, err := recordEpsilon(v.d, v.n, v.omega); err != nil || math.Abs(got-v.want) > v.digits {
			t.Errorf("d = %d, n = %d, ω = %v: %v, want %v, error %v", v.d, v.n, v.omega, got, v.want, err)
		}
	}
	for _, d := range []int{1, 2, 16} { // the remedy keeps ε for every n
		for _, n := range []int{1, 2, 50, 1000} {
			for _, eps := range []float64{.5, 2, 10} {
				if got, err := recordEpsilon(d, n, 1/(1+math.Exp(eps/float64(2*(d+1))))); err != nil || got > eps {
					t.Errorf("d = %d, n = %d: the right ω for %v spends %v, error %v", d, n, eps, got, err)
				}
			}
		}
	}
}

// The formula of the sensitivity in nats is the greatest change over all 2 × 2 tables, attained.
func TestInformationSensitivity(t *testing.T) {
	for n := 2; n <= 9; n++ {
		most := 0.0
		for a := 0; a <= n; a++ {
			for b := 0; a+b <= n; b++ {
				for c := 0; a+b+c <= n; c++ {
					x := [4]int{a, b, c, n - a - b - c}
					for i := range x {
						for j := range x {
							if i == j || x[i] == 0 {
								continue
							}
							y := x
							y[i]--
							y[j]++
							u := information([2][2]int{{x[0], x[1]}, {x[2], x[3]}}, n)
							most = math.Max(most, math.Abs(u-information([2][2]int{{y[0], y[1]}, {y[2], y[3]}}, n)))
						}
					}
				}
			}
		}
		if !near(informationSensitivity(n), most, 1e-12) {
			t.Errorf("n = %d: %v, found %v", n, informationSensitivity(n), most)
		}
	}
}

// One candidate against twenty whose scores move the other way by Δ: ln[e^s(1 + 19e^s)/(e^s + 19)], s = ε/2 or ε/(2 ln
// 2).
func TestBitsTheory(t *testing.T) {
	f := must.Get(bitsAndNats().Run(t.Context()))(t)
	loss := func(s float64) float64 { return s + math.Log((1+19*math.Exp(s))/(math.Exp(s)+19)) }
	if !near(value(f.Spent), loss(.5/math.Ln2), 1e-12) || !near(value(f.RightSpent), loss(.5), 1e-12) {
		t.Errorf("%v and %v, want %v and %v", value(f.Spent), value(f.RightSpent), loss(.5/math.Ln2), loss(.5))
	}
}

// The closed form against the procedure: every order of the candidates, each taken with its probability, the best one
// for sure.
func TestPermuteFlip(t *testing.T) {
	for _, score := range [][]float64{{0, 0}, {3, 1}, {0, 2, 2}, {5, 4, 1, 0}} {
		const rate = .7
		want := make([]float64, len(score))
		top := math.Inf(-1)
		for _, u := range score {
			top = math.Max(top, u)
		}
		var visit func(left []int, weight float64)
		visit = func(left []int, weight float64) {
			for i, r := range left {
				a := math.Exp(rate * (score[r] - top))
				share := weight / float64(len(left))
				want[r] += share * a
				visit(append(append([]int{}, left[:i]...), left[i+1:]...), share*(1-a))
			}
		}
		all := make([]int, len(score))
		for i := range all {
			all[i] = i
		}
		visit(all, 1)
		for r, p := range permuteFlip(score, rate) {
			if !near(p, want[r], 1e-12) {
				t.Errorf("scores %v: P(%d) = %v, want %v", score, r, p, want[r])
			}
		}
	}
}

// As ε → 0 permute-and-flip with two candidates spends four times ε²/8, and never more than ε·tanh(ε/2).
func TestPermuteFlipConcentrated(t *testing.T) {
	for _, v := range []struct{ eps, least float64 }{{.01, 3.9}, {.1, 3.5}, {.5, 2.7}, {1, 2}} {
		claim := dp.ZCDP(v.eps * math.Tanh(v.eps/2)).Parameters
		got := must.Get(enumerated(t.Context(), audit.Subject{
			Name: "permute-and-flip", Space: space(2, 2, dp.ReplaceOne), Claim: claim,
			Mechanism: audit.FromFunc(2, func(x []int) []float64 {
				return permuteFlip([]float64{float64(x[0]), float64(x[1])}, v.eps/2)
			}),
		}))(t)
		if factor := got.spent.Rho / (v.eps * v.eps / 8); !got.holds || factor < v.least || factor > 4 {
			t.Errorf("ε = %v: %v times ε²/8, within ε·tanh(ε/2): %v", v.eps, factor, got.holds)
		}
	}
}

// The exact σ is the least one, and the shrunk one fails at every δ.
func TestShrunkNoise(t *testing.T) {
	for _, delta := range []float64{1e-2, 1e-4, 1e-6, 1e-9} {
		mu := must.Get(gaussianMu(1, delta))(t)
		shrink := math.Sqrt(math.Log(.5/delta) / math.Log(1/delta))
		at, less := loss.GaussianPair{Mu: mu}.Delta(1), loss.GaussianPair{Mu: mu / shrink}.Delta(1)
		if at > delta || !near(at, delta, 1e-6) || less < 1.3*delta {
			t.Errorf("δ = %v: the exact σ has %v, the shrunk one %v", delta, at, less)
		}
	}
}
