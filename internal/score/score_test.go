package score

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// The golden intervals are of another implementation (theory/intervals.md §1), at 95 %.
func TestGoldenIntervals(t *testing.T) {
	powers := func(su, suu, n, eps float64) Mean {
		return OfPowers(su, suu, n, [2]float64{2 * math.Sqrt2 / eps, 4 * math.Sqrt2 / eps}, false, 1)
	}
	bernstein := func(b0, b1, b2, scale float64) Mean {
		return OfBernstein([3]float64{b0, b1, b2}, scale*math.Sqrt2, false, 1)
	}
	geometric := func(rate float64) float64 { q := math.Exp(-rate); return math.Sqrt(2*q) / (1 - q) }
	fixed := geometric(.1) * math.Sqrt(2./3)
	private := Share{Count: 42, Rest: 251, Own: geometric(.2), Other: geometric(.2) * math.Sqrt2}
	private.Size = 42 + 251 + geometric(.2)*math.Sqrt(3)/2
	for _, c := range []struct {
		name string
		test interface {
			Interval(level float64) (lower, upper float64)
		}
		lower, upper, tolerance float64
	}{
		{"powers, n = 1000, ε = 1", powers(-812.5, 700.25, 1000, 1), .0872202556766, .100912601761, 1e-9},
		{"powers, n = 50, ε = 3", powers(-41.25, 38.5, 50, 3), .0525151356696, .154152858708, 1e-9},
		{"powers, n = 200, ε = .1", powers(3.5, 12, 200, .1), .355865194361, .661619944443, 1e-9},
		{"powers, n = 30000, ε = .3", powers(-27800, 26900, 30000, .3), .0355474924045, .037838584879, 1e-9},
		{"Bernstein, scale 1", bernstein(610.5, 301.25, 95.5, 1), .232863752911, .256513283254, 1e-9},
		{"Bernstein, no records", bernstein(1.5, -2.25, .75, 2), 0, 1, 0},
		{"Bernstein, scale ⅓", bernstein(31, 12.5, 2, 1./3), .145974857513, .224420439116, 1e-9},
		{"share, public n", Share{Count: 42, Rest: 258, Size: 300, Own: fixed, Fixed: true}, .0552999748, .2324254275, 1e-9},
		{"share, private n", private, .0875008625, .2054567247, 1e-9},
	} {
		lower, upper := c.test.Interval(.95)
		if math.Abs(lower-c.lower) > c.tolerance || math.Abs(upper-c.upper) > c.tolerance {
			t.Errorf("%s: [%.12g, %.12g], want [%.12g, %.12g]", c.name, lower, upper, c.lower, c.upper)
		}
	}
}

// Whatever was released, an interval is inside [0, 1], has a width, and widens with its level. Sums that no data give
// are among them: bisection alone gave [1, 1] for the first (truth .36), and [0, 0] for the second.
func TestIntervalsHaveAWidth(t *testing.T) {
	for _, m := range []Mean{
		OfBernstein([3]float64{-58.136, 12.43, 15.826}, 10*math.Sqrt2, false, 1),
		OfPowers(-120, 0, 50, [2]float64{28.3, 56.6}, false, 1),
	} {
		if lower, upper := m.Interval(.95); lower > .36 || upper-lower < .1 {
			t.Errorf("[%v, %v]", lower, upper)
		}
	}
	// without noise, as at rates of a thousand, the rows' share is that of the counts
	none := Share{Count: 20, Rest: 40, Size: 60, Fixed: true}
	if lower, upper := none.OfRows(.95); !(lower < 1./3 && 1./3 < upper && upper-lower < .02) {
		t.Errorf("without noise: [%v, %v]", lower, upper)
	}
	rapid.Check(t, func(t *rapid.T) {
		n, sd := float64(rapid.IntRange(0, 3000).Draw(t, "n")), rapid.Float64Range(.05, 300).Draw(t, "sd")
		any := func(name string) float64 { return rapid.Float64Range(-3*sd, n+3*sd).Draw(t, name) }
		normal, rows := rapid.Bool().Draw(t, "normal"), rapid.IntRange(1, 9).Draw(t, "rows")
		for _, test := range []interface {
			Interval(level float64) (lower, upper float64)
		}{
			OfPowers(any("Σu"), any("Σu²"), n, [2]float64{sd, 2 * sd}, normal, rows),
			OfPowers(any("Σu"), 0, n, [2]float64{sd, math.Inf(1)}, normal, rows),
			OfBernstein([3]float64{any("b0"), any("b1"), any("b2")}, sd, normal, rows),
			OfTotals(any("Σx"), any("Σ(1−x)"), 0, [2]float64{sd, math.Inf(1)}, normal, rows),
			OfTotals(any("Σx"), any("Σ(1−x)"), any("Σu²"), [2]float64{sd, 2 * sd}, normal, rows),
			Share{Count: any("count"), Rest: any("rest"), Size: n, Own: sd, Other: sd, Normal: normal, Alike: float64(rows)},
		} {
			a, b := test.Interval(.95)
			c, d := test.Interval(.5)
			if !(0 <= a && a < b && b <= 1 && a <= c+1e-9 && d <= b+1e-9) {
				t.Fatalf("%T: [%v, %v] at .95, [%v, %v] at .5", test, a, b, c, d)
			}
		}
	})
}

// The intervals hold the mean of the population at least as often as a coverage of .93 would let them with probability
// 1 − 1e-9; those that leave out the noise, or the sampling of the rows, do not.
func TestIntervalsHold(t *testing.T) {
	const draws, eps, n = 1500, .3, 200
	least := int(draws*.93 - 6*math.Sqrt(draws*.93*.07))
	r := rand.New(rand.NewPCG(1, 2))
	laplace := func(scale float64) float64 { return scale * (r.ExpFloat64() - r.ExpFloat64()) }
	value := func() float64 { return math.Min(math.Exp(r.NormFloat64()), 20) / 20 } // lognormal, on [0, 20]
	mean := 0.0
	for range 1 << 20 {
		mean += value() / (1 << 20)
	}
	held := map[string]int{}
	count := func(name string, truth, lower, upper float64) {
		if lower <= truth && truth <= upper {
			held[name]++
		}
	}
	for range draws {
		su, suu, b, yes := 0.0, 0.0, [3]float64{}, 0.0
		for range n {
			x := value()
			su, suu = su+2*x-1, suu+(2*x-1)*(2*x-1)
			b[0], b[1], b[2] = b[0]+(1-x)*(1-x), b[1]+2*x*(1-x), b[2]+x*x
			if r.Float64() < .1 {
				yes++
			}
		}
		first, second := su+laplace(2/eps), suu+laplace(4/eps)
		sd := [2]float64{2 * math.Sqrt2 / eps, 4 * math.Sqrt2 / eps}
		lower, upper := OfPowers(first, second, n, sd, false, 1).Interval(.95)
		count("powers", mean, lower, upper)
		lower, upper = OfPowers(first, second, n, [2]float64{1e-3, 1e-3}, false, 1).Interval(.95)
		count("powers, the noise left out", mean, lower, upper)
		for i := range b {
			b[i] += laplace(1 / eps)
		}
		lower, upper = OfBernstein(b, math.Sqrt2/eps, false, 1).Interval(.95)
		count("Bernstein", mean, lower, upper)
		y, rest := yes+laplace(1/eps), n-yes+laplace(1/eps)
		share := Share{Count: y, Rest: rest, Size: y + rest + math.Sqrt2/eps, Own: math.Sqrt2 / eps, Other: math.Sqrt2 / eps}
		lower, upper = share.Interval(.95)
		count("share", .1, lower, upper)
		lower, upper = share.OfRows(.95)
		count("share of the rows", yes/n, lower, upper)
		count("share, sampling left out", .1, lower, upper)
	}
	for name, want := range map[string]bool{"powers": true, "Bernstein": true, "share": true, "share of the rows": true,
		"powers, the noise left out": false, "share, sampling left out": false} {
		if (held[name] >= least) != want {
			t.Errorf("%s: held in %d of %d; at least %d: want %v", name, held[name], draws, least, want)
		}
	}
}

func BenchmarkMean(b *testing.B) {
	m := OfPowers(-812.5, 700.25, 1000, [2]float64{2.83, 5.66}, false, 1)
	for b.Loop() {
		m.Interval(.95)
	}
}

func BenchmarkShare(b *testing.B) {
	s := Share{Count: 42, Rest: 258, Size: 300, Own: 11.5, Fixed: true}
	for b.Loop() {
		s.Interval(.95)
	}
}
