package bugs

import (
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/audit"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
)

// theory/dirichlet.md §7, and §1.4 for the right version.
func TestDirichletTheory(t *testing.T) {
	for _, v := range []struct{ eps, defective, right float64 }{
		{.001, .00112680489077, .000937075771657}, {.01, .01432933449742, .00850174041688},
		{.1, .2348691742244, .0763683381739},
		{1, 3.329262528645, .73986242522}, {10, 36.43293830961, 7.37006408462},
	} {
		f, err := dirichletShapeAt(v.eps).Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
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
		f, err := classCountsAt(v.features, v.total).Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
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
	f, err := bitsAndNats().Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
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
		got, err := enumerated(t.Context(), audit.Subject{
			Name: "permute-and-flip", Space: space(2, 2, dp.ReplaceOne), Claim: claim,
			Mechanism: audit.FromFunc(2, func(x []int) []float64 {
				return permuteFlip([]float64{float64(x[0]), float64(x[1])}, v.eps/2)
			}),
		})
		if err != nil {
			t.Fatal(err)
		}
		if factor := got.spent.Rho / (v.eps * v.eps / 8); !got.holds || factor < v.least || factor > 4 {
			t.Errorf("ε = %v: %v times ε²/8, within ε·tanh(ε/2): %v", v.eps, factor, got.holds)
		}
	}
}

// The exact σ is the least one, and the shrunk one fails at every δ.
func TestShrunkNoise(t *testing.T) {
	for _, delta := range []float64{1e-2, 1e-4, 1e-6, 1e-9} {
		mu, err := gaussianMu(1, delta)
		if err != nil {
			t.Fatal(err)
		}
		shrink := math.Sqrt(math.Log(.5/delta) / math.Log(1/delta))
		at, less := loss.GaussianPair{Mu: mu}.Delta(1), loss.GaussianPair{Mu: mu / shrink}.Delta(1)
		if at > delta || !near(at, delta, 1e-6) || less < 1.3*delta {
			t.Errorf("δ = %v: the exact σ has %v, the shrunk one %v", delta, at, less)
		}
	}
}
