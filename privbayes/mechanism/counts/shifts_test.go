package counts

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
)

// rates of noise from nearly none to nearly all of a record.
var shiftRates = []noise.Rational{{Num: 1, Den: 1 << 20}, {Num: 1, Den: 64}, {Num: 15, Den: 32}, {Num: 1, Den: 1},
	{Num: 5, Den: 1}, {Num: 40, Den: 1}}

func shipped(t testing.TB, r noise.Rational) shiftLaw {
	t.Helper()
	law := must.Get(noise.NewGeometric(r))(t)
	return shippedShift(law)
}

// responses is what randomised response at sγ in place of each count shifted by s would be, on the same points.
func responses(gamma float64) shiftLaw {
	return func(s int) []float64 {
		if s == 0 {
			return []float64{1}
		}
		out := make([]float64, s+1)
		out[0] = 1 / (1 + math.Exp(-gamma*float64(s)))
		out[s] = 1 - out[0]
		return out
	}
}

// The theorem of loss.GeometricPair in exact fractions: an exchange (a, b) to (a+1, b−1) raises the profile at i by
// q^i(1−q²)/(1+q)² for b ≤ i ≤ a, and leaves it elsewhere.
func TestExchangeRaisesTheProfile(t *testing.T) {
	one := big.NewRat(1, 1)
	mul := func(a, b *big.Rat) *big.Rat { return new(big.Rat).Mul(a, b) }
	for _, q := range []*big.Rat{big.NewRat(1, 3), big.NewRat(9, 10), big.NewRat(2, 101)} {
		power := []*big.Rat{one}
		for i := range 64 {
			power = append(power, mul(power[i], q))
		}
		whole := new(big.Rat).Inv(new(big.Rat).Add(one, q)) // 1/(1+q)
		rest := new(big.Rat).Sub(one, q)
		law := func(s int) []*big.Rat {
			if s == 0 {
				return []*big.Rat{one}
			}
			out := []*big.Rat{whole}
			for j := 1; j < s; j++ {
				out = append(out, mul(whole, mul(rest, power[j])))
			}
			return append(out, mul(whole, power[s]))
		}
		profile := func(a, b int) []*big.Rat {
			out := make([]*big.Rat, a+b)
			for i := range out {
				out[i] = new(big.Rat)
			}
			for j, p := range law(a) {
				for k, r := range law(b) {
					for i := j + k; i < a+b; i++ { // the point i+1
						out[i].Add(out[i], mul(mul(p, r), new(big.Rat).Sub(one, power[2*(i+1-j-k)])))
					}
				}
			}
			return out
		}
		for a := 1; a <= 7; a++ {
			for b := 1; b <= a; b++ {
				before, after := profile(a, b), profile(a+1, b-1)
				for i := range before {
					want := new(big.Rat)
					if b <= i+1 && i+1 <= a {
						want = mul(mul(power[i+1], new(big.Rat).Sub(one, power[2])), mul(whole, whole))
					}
					if rise := new(big.Rat).Sub(after[i], before[i]); rise.Cmp(want) != 0 {
						t.Fatalf("q = %s, (%d, %d), point %d: the profile rises by %s; want %s", q, a, b, i+1, rise,
							want)
					}
				}
			}
		}
	}
}

// patterns visits every way to write total as whole shifts of at most k, in falling order.
func patterns(total, k int, parts []int, visit func([]int)) {
	if total == 0 {
		visit(parts)
		return
	}
	for s := min(total, k); s >= 1; s-- {
		patterns(total-s, s, append(parts, s), visit)
	}
}

// Every pattern of shifts is dominated by the even one and by the pair that plans use, and the even one attains the
// maximum.
func TestEveryPatternIsDominated(t *testing.T) {
	most := 4
	if testing.Short() {
		most = 3
	}
	for _, r := range shiftRates {
		gamma, law := r.Float(), shipped(t, r)
		for k := 1; k <= most; k++ {
			for m := 1; m <= 4; m++ {
				even := slices.Repeat([]int{k}, m)
				pair := loss.GeometricPair{Rate: gamma * float64(k), Cells: m}
				for total := 1; total <= k*m; total++ {
					patterns(total, k, nil, func(s []int) {
						for i, d := range law.profile(gamma, s...) {
							eps := gamma * float64(total-2*(i+1))
							if eps >= 0 && d > pair.Delta(eps)*(1+1e-12) {
								t.Errorf("γ = %v, shifts %v: δ(%v) = %v, pair %v", gamma, s, eps, d, pair.Delta(eps))
							}
						}
						if total < k*m {
							return
						}
						if x := law.excess(gamma, s, even); x > 1+1e-12 {
							t.Errorf("γ = %v: δ of shifts %v is up to %v of that of %v", gamma, s, x, even)
						}
					})
				}
			}
		}
	}
}

// The mutant: the same claim about randomised responses is false, and the same checks refuse it.
func TestShiftsOfRandomisedResponseAreRefused(t *testing.T) {
	fives, fours := slices.Repeat([]int{4}, 5), slices.Repeat([]int{5}, 4)
	for _, r := range shiftRates[1:4] {
		gamma := r.Float()
		good, bad := shipped(t, r), responses(gamma)
		if x := good.excess(gamma, fives, fours); x > 1+1e-12 {
			t.Errorf("γ = %v: five shifts by 4 have δ up to %v of that of four by 5", gamma, x)
		}
		if x := bad.excess(gamma, fives, fours); !(x > 1+1e-5) {
			t.Errorf("γ = %v: RR(4γ)^5 passes against RR(5γ)^4: %v", gamma, x)
		}
		if x, _ := good.exchanges(gamma, topShift); x > 1+1e-12 {
			t.Errorf("γ = %v: an exchange of the shipped noise lowers δ: %v", gamma, x)
		}
		if x, _ := bad.exchanges(gamma, topShift); !(x > 1+1e-4) {
			t.Errorf("γ = %v: exchanges of randomised response pass: %v", gamma, x)
		}
	}
}

// The law by which shifts are judged is that of loss.ShiftedGeometricPair.
func TestShiftLawIsThePairs(t *testing.T) {
	for _, r := range shiftRates {
		for _, s := range []int{1, 2, 5} {
			gamma := r.Float()
			pair := loss.ShiftedGeometricPair{Rate: gamma, Shift: s, Cells: 1}
			for i, d := range shipped(t, r).profile(gamma, s) {
				if eps := gamma * float64(s-2*(i+1)); eps >= 0 && math.Abs(d-pair.Delta(eps)) > 1e-8*d+1e-11 {
					t.Errorf("γ = %v, shift %d: δ(%v) = %v, pair %v", gamma, s, eps, d, pair.Delta(eps))
				}
			}
		}
	}
}

// Moving s records of one table under K-norm noise of rate γ is a chain of s steps, each 2γ-DP: at most one count
// shifted by s at rate 2γ. With two cells it is that count.
func TestMovedRecordsUnderKNorm(t *testing.T) {
	const gamma, n = .5, 6
	for _, c := range []struct {
		to    []int
		moved int
	}{{[]int{3, 3}, 3}, {[]int{2, 2, 2}, 4}, {[]int{4, 1, 1}, 2}, {[]int{3, 3, 0}, 3}} {
		law := must.Get(sample.NewSumZero(len(c.to), 1, 2))(t)
		from := make([]int, len(c.to))
		from[0] = n
		tables := newNoisyTables(law, n)
		p, q := make([]float64, tables.Outputs()), make([]float64, tables.Outputs())
		tables.LogLaw(from, p)
		tables.LogLaw(c.to, q)
		for _, eps := range []float64{0, .4, 1.1, 2, 2.7} {
			delta := 0.0 // over the box: at most the truth
			for o := range p {
				delta += math.Max(0, math.Exp(p[o])-math.Exp(eps+q[o]))
			}
			pair := loss.ShiftedGeometricPair{Rate: 2 * gamma, Shift: c.moved, Cells: 1}
			if delta > pair.Delta(eps)*(1+1e-9) {
				t.Errorf("%v to %v: δ(%v) = %v, chain %v", from, c.to, eps, delta, pair.Delta(eps))
			}
			if len(c.to) == 2 && eps < 2 && delta < .95*pair.Delta(eps) {
				t.Errorf("%v to %v: δ(%v) = %v; want nearly %v", from, c.to, eps, delta, pair.Delta(eps))
			}
			pair.Rate = gamma
			if len(c.to) == 2 && delta <= pair.Delta(eps) && delta > 0 {
				t.Errorf("%v to %v: half the rate passes at ε = %v", from, c.to, eps)
			}
		}
	}
}
