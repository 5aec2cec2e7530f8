package mcmc_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/mcmc"
)

// autoregressive is x_t = φx_{t−1} + e_t, e_t a sum of three uniform numbers of a linear congruential generator, less
// 1.5, shifted and scaled.
func autoregressive(seed uint64, n int, phi, shift, scale float64, integer bool) []float64 {
	uniform := func() float64 {
		seed = seed*6364136223846793005 + 1442695040888963407
		return float64(seed>>11) / (1 << 53)
	}
	x, out := 0.0, make([]float64, n)
	for i := range out {
		e := uniform()
		e += uniform()
		e += uniform()
		x = phi*x + (e - 1.5)
		if out[i] = shift + scale*x; integer {
			out[i] = math.Floor(out[i] * 4)
		}
	}
	return out
}

func four(n int, phi, shift, scale float64, integer bool) [][]float64 {
	var out [][]float64
	for k := range 4 {
		out = append(out, autoregressive(uint64(k+1), n, phi, shift*float64(k), 1+scale*float64(k), integer))
	}
	return out
}

func near(a, b, tol float64) bool { return math.Abs(a-b) <= tol*math.Abs(b) }

// Golden values from a program of its own in Python that follows the definitions word for word: sorted lists, sums over
// all lags, and normal quantiles of the standard library.
func TestDiagnoseGolden(t *testing.T) {
	for _, c := range []struct {
		name              string
		n                 int
		phi, shift, scale float64
		integer           bool
		rhat, bulk, tail  float64
	}{
		{"independent", 200, 0, 0, 0, false, 0.998856036056, 742.351360169, 680.170212766},
		{"correlated", 300, 0.7, 0, 0, false, 1.00747332889, 225.862069228, 242.592009299},
		{"slow", 400, 0.98, 0, 0, false, 1.14067412089, 29.1418846427, 59.5844933306},
		{"shifted", 200, 0.3, 0.5, 0, false, 1.46787988944, 7.9691368703, 84.0309352954},
		{"scaled", 201, 0.2, 0, 1.5, false, 1.21558643077, 507.698302147, 86.8508552443},
		{"integers", 250, 0.5, 0, 0, true, 1.00392177447, 377.022146684, 499.823094974},
	} {
		d := mcmc.Diagnose(four(c.n, c.phi, c.shift, c.scale, c.integer))
		if !near(d.RHat, c.rhat, 1e-9) || !near(d.Bulk, c.bulk, 1e-8) || !near(d.Tail, c.tail, 1e-8) {
			t.Errorf("%s: %+v, want %g, %g, %g", c.name, d, c.rhat, c.bulk, c.tail)
		}
	}
}

// Draws that are all equal agree; constant chains that differ do not, nor do draws that are no numbers.
func TestDegenerateChains(t *testing.T) {
	constant := func(x ...float64) [][]float64 {
		out := make([][]float64, len(x))
		for k := range out {
			for range 50 {
				out[k] = append(out[k], x[k])
			}
		}
		return out
	}
	if d := mcmc.Diagnose(constant(2, 2, 2, 2)); d != (mcmc.Diagnosis{RHat: 1, Bulk: 200, Tail: 200}) {
		t.Errorf("equal draws: %+v", d)
	}
	bad := map[string][][]float64{"constant, different": constant(1, 1, 1, 2), "two values": constant(.1, .3),
		"none": nil, "one chain": constant(1)[:1], "short": {{1, 2, 3}, {1, 2, 3}}}
	half := constant(1, 1)
	for i := range half[0][:25] { // both chains jump halfway: the halves are constant and differ
		half[0][i], half[1][i] = 2, 2
	}
	bad["a jump in every chain"] = half
	nan := four(50, 0, 0, 0, false)
	nan[2][7] = math.NaN()
	bad["no number"] = nan
	for name, c := range bad {
		if d := mcmc.Diagnose(c); !math.IsInf(d.RHat, 1) || d.Bulk != 0 || d.Tail != 0 {
			t.Errorf("%s: %+v", name, d)
		}
	}
	far := four(100, 0, 0, 0, false)
	far[0][3], far[1][4] = math.Inf(1), math.Inf(-1)
	if d := mcmc.Diagnose(far); math.IsNaN(d.RHat) || d.RHat > 1.1 || d.Bulk < 100 {
		t.Errorf("infinite draws: %+v", d)
	}
}

// Ranks do not change under increasing maps, and chains have no order.
func TestDiagnosisIsOfRanks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		phi := rapid.Float64Range(0, .95).Draw(t, "phi")
		c := four(rapid.IntRange(8, 300).Draw(t, "draws"), phi, rapid.Float64Range(0, .3).Draw(t, "shift"), 0, false)
		d := mcmc.Diagnose(c)
		mapped := make([][]float64, 4)
		for k := range c {
			for _, x := range c[3-k] {
				mapped[k] = append(mapped[k], math.Exp(3*x))
			}
		}
		e := mcmc.Diagnose(mapped)
		if !near(e.Bulk, d.Bulk, 1e-6) || !near(e.Tail, d.Tail, 1e-6) {
			t.Fatalf("%+v and, mapped, %+v", d, e)
		}
	})
}

// The transform that serves long lags gives what the sums give: a slow chain with and without it.
func TestLongLags(t *testing.T) {
	d := mcmc.Diagnose(four(2000, .995, 0, 0, false))
	// by the same program in Python
	if !near(d.RHat, longRHat, 1e-9) || !near(d.Bulk, longBulk, 1e-7) || !near(d.Tail, longTail, 1e-7) {
		t.Errorf("%+v, want %g, %g, %g", d, longRHat, longBulk, longTail)
	}
}

func BenchmarkDiagnose(b *testing.B) {
	for name, phi := range map[string]float64{"fast": .3, "slow": .99} {
		c := four(1000, phi, 0, 0, false)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				mcmc.Diagnose(c)
			}
		})
	}
}

// By the program of TestDiagnoseGolden.
const longRHat, longBulk, longTail = 1.16535826801, 20.5245041548, 19.4922375865

// A context has the contract that it was given, and another one the caller's.
func TestContractOf(t *testing.T) {
	own, other := mcmc.Contract{Sweeps: 1, RHat: 2, ESS: 3, Naive: 4}, mcmc.Contract{Sweeps: 5}
	if got := mcmc.ContractOf(own.With(t.Context()), other); got != own {
		t.Error(got)
	}
	if got := mcmc.ContractOf(t.Context(), other); got != other {
		t.Error(got)
	}
}

// Draws that are nearly all equal, as of counts that noise leaves no doubt of, have tails that few draws or none are
// in: equal indicators count in full, also where 1 over the length is no binary fraction.
func TestNearlyEqualDraws(t *testing.T) {
	for _, length := range []int{500, 1000, 1024, 1002} {
		for _, off := range []float64{-1, 1} {
			chains := make([][]float64, 4)
			for c := range chains {
				chains[c] = slices.Repeat([]float64{3.7}, length)
				chains[c][71*(c+1)] += off // far apart
			}
			d := mcmc.Diagnose(chains)
			if n := float64(4 * length); d.Tail < .9*n || d.Bulk < .9*n || d.RHat > 1.01 {
				t.Errorf("%d draws, one in each chain off by %v: %+v", length, off, d)
			}
		}
	}
}
