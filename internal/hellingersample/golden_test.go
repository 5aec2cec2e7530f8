package hellingersample_test

import (
	"math"
	"testing"

	hs "github.com/privbayes/privbayes-go/internal/hellingersample"
	"github.com/privbayes/privbayes-go/internal/must"
)

// Reference values from an independent program: expected proposals and shells for Beta(1, 1); normalisers Σ exp(−A·H)
// by enumeration and by the mixture.

var dyadicGolden = []struct {
	n, k   int64
	rate   float64
	cost   float64
	shells int
}{
	{1000, 500, 21.7, 1.2473250335141328, 19},
	{1000, 0, 1.48, 1.001491184983988, 11},
	{1000, 100, 1.3, 1.0256818635241431, 18},
}

var mixtureGolden = []struct {
	instance
	enumerated, mixture float64
}{
	{instance{[]float64{1, 1, 1}, []int64{12, 5, 3}, 3}, 25.692342856633708, 25.692342856633683},
	{instance{[]float64{7, 4, 5}, []int64{10, 8, 2}, 5}, 13.32874347358481, 13.328743473584804},
	{instance{[]float64{1, 1}, []int64{7, 3}, 2}, 4.3659468873602005, 4.365946887360176},
	{instance{[]float64{0.5, 1, 2, 3}, []int64{3, 1, 0, 2}, 4}, 8.70200727361307, 8.702007273613093},
}

func near(got, want float64) bool { return math.Abs(got/want-1) < 1e-12 }

func normaliser(t *testing.T, c instance) float64 {
	logs, _ := c.logWeights(t)
	sum := 0.0
	for _, l := range logs {
		sum += math.Exp(l)
	}
	return sum
}

func TestShellsGolden(t *testing.T) {
	for _, g := range dyadicGolden {
		x := [2]int64{g.k, g.n - g.k}
		s := must.Get(hs.Shells([2]float64{1, 1}, x, g.rate))(t)
		sum, shells := hs.Envelope(s)
		cost := sum / normaliser(t, instance{[]float64{1, 1}, x[:], g.rate})
		if !near(cost, g.cost) || shells != g.shells || cost > s.Proposals() {
			t.Errorf("%+v: %v proposals from %d shells", g, cost, shells)
		}
	}
}

// Z = Σ_N p_N Z_N, Z_N by convolution, the rest of p at x; and by enumeration.
func TestMixtureGolden(t *testing.T) {
	const terms = 4000
	for _, g := range mixtureGolden {
		if z := normaliser(t, g.instance); !near(z, g.enumerated) {
			t.Errorf("%+v: enumerated %v", g, z)
		}
		p, n := hs.StableLaw(g.a, terms), int(g.n())
		sum, rest := 0.0, 1.0
		for N, pN := range p {
			law := []float64{1}
			for i, x := range g.x {
				next := make([]float64, n+1)
				for r := range n + 1 {
					w := math.Exp(float64(N) * hs.LogBC(g.alpha[i], x, int64(r)))
					for k, v := range law {
						if k+r <= n {
							next[k+r] += v * w
						}
					}
				}
				law = next
			}
			sum, rest = sum+pN*law[n], rest-pN
		}
		if z := sum + rest; !near(z, g.mixture) {
			t.Errorf("%+v: mixture %v", g, z)
		}
	}
}

// p_N against e^{−A}·A^N/(2^N N!)·y_{N−1}(1/A), y the Bessel polynomials.
func TestStableLaw(t *testing.T) {
	for _, a := range []float64{0.1, 1, 7, 40} {
		got := hs.StableLaw(a, 60)
		power := math.Exp(-a)
		y, before := 1.0, 1.0 // y_{N−1}, y_{N−2} with y_{−1} = y_0 = 1
		for N := 1; N < 60; N++ {
			power *= a / 2 / float64(N)
			if N > 1 {
				y, before = float64(2*N-3)/a*y+before, y
			}
			if math.Abs(got[N]/(power*y)-1) > 1e-13 {
				t.Errorf("A = %v: p_%d = %v, want %v", a, N, got[N], power*y)
			}
		}
	}
	// A rate past the range of e^−A: the first N terms add up to erfc(A/(2√N)), the law of the ½-stable limit, up to
	// O(1/N).
	sum, terms := 0.0, 2_000_000
	for _, p := range hs.StableLaw(900, terms) {
		sum += p
	}
	if want := math.Erfc(450 / math.Sqrt(float64(terms))); math.Abs(sum-want) > 1e-6 {
		t.Errorf("A = 900: the first terms add up to %v, want about %v", sum, want)
	}
}
