package bugs

import (
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/dp"
)

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
		f, err := normalisedScoreAt(v.n).Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
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
		v, err := enumerated(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
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
