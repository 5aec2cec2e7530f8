package claims

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/papers/study/utility"
)

// lapTail is P(Y ≥ z) of Laplace noise of scale 1.
func lapTail(z float64) float64 {
	if z > 0 {
		return math.Exp(-z) / 2
	}
	return 1 - math.Exp(z)/2
}

// truncationPrivate takes the exact distribution of a noisy count cut to [0, n], its atoms and its density, at
// neighbouring counts: no output tells them apart by more than the noisy count does, factor/b.
func truncationPrivate(t *trial, factor float64) error {
	for _, n := range []float64{1, 5, 20} {
		for _, b := range []float64{.5, 2, 17, 100} {
			for d := 0.0; d < n; d++ {
				tell := func(what string, loss float64) {
					t.bound(factor/b, math.Abs(loss), n, "n = %v, b = %v, counts %v and %v, %s", n, b, d, d+1, what)
				}
				tell("the atom at 0", math.Log(lapTail(d/b)/lapTail((d+1)/b)))
				tell("the atom at n", math.Log(lapTail((n-d)/b)/lapTail((n-d-1)/b)))
				for i := 1; i < 40; i++ {
					z := n * float64(i) / 40
					tell("between", (math.Abs(z-d)-math.Abs(z-d-1))/b)
				}
			}
		}
	}
	t.attained(1e-9)
	return nil
}

// truncationKL compares a posterior from noisy counts with that from the same counts cut to [0, n], in the utility of
// the next passage: the divergence of the true posterior from them. Of noisy counts those are visited that give a
// posterior. Where counted, it compares the counts themselves.
func truncationKL(t *trial, counted bool) error {
	cases, worse := 0, 0
	for _, a := range []float64{1, 2} {
		for _, n := range []float64{1, 2, 5, 10, 20} {
			for d1 := 0.0; d1 <= n; d1++ {
				for d2 := 0.0; d1+d2 <= n; d2 += math.Max(1, n/5) {
					for i := -8; i <= 24; i++ {
						for j := -8; j <= 24; j++ {
							z1, z2 := n*float64(i)/8, n*float64(j)/8
							c1, c2 := math.Min(math.Max(z1, 0), n), math.Min(math.Max(z2, 0), n)
							t.repaired(math.Abs(c1-d1) <= math.Abs(z1-d1) && math.Abs(c2-d2) <= math.Abs(z2-d2),
								"n = %v, counts (%v, %v), noisy (%v, %v)", n, d1, d2, z1, z2)
							if a+z1 <= 0 || a+z2 <= 0 || c1 == z1 && c2 == z2 {
								continue
							}
							before, after := noisyKL(a, a, d1, d2, z1, z2), noisyKL(a, a, d1, d2, c1, c2)
							if cases++; after > before+1e-12 {
								worse++
							}
							t.printed(counted || after <= before+1e-12, 1000*n+100*a-(after-before),
								"Beta(%v, %v), n = %v, counts (%v, %v), noisy (%v, %v) cut to (%v, %v): KL %.3g, before %.3g",
								a, a, n, d1, d2, z1, z2, c1, c2, after, before)
						}
					}
				}
			}
		}
	}
	t.f.number("Beta(1, 1), n = 20, counts (20, 0), noisy (40, 20): KL before", noisyKL(1, 1, 20, 0, 40, 20), 36.82, .005)
	t.f.number("KL after the cut to (20, 20)", noisyKL(1, 1, 20, 0, 20, 20), 46.59, .005)
	t.f.number("share of the cases in which KL rises", float64(worse)/float64(cases), .1601, 5e-5)
	return nil
}

// clampedLaw compares the printed distribution of a cut count with seeded draws, by Hoeffding's inequality at 1e-10
// each; scale is that of the noise in the printed one.
func clampedLaw(t *trial, scale float64) error {
	const draws = 400_000
	r := rand.New(rand.NewPCG(5, 9))
	off := math.Sqrt(math.Log(2e10) / 2 / draws)
	for _, c := range [][3]float64{{10, 3, 2}, {5, 0, 4}, {20, 20, 7}} {
		n, d, b := c[0], c[1], c[2]
		parts := []func(z float64) bool{func(z float64) bool { return z == 0 }, func(z float64) bool { return z == n },
			func(z float64) bool { return z <= n/3 }, func(z float64) bool { return z <= n*.7 }}
		printed := []float64{lapTail(d / (scale * b)), lapTail((n - d) / (scale * b)),
			lapTail((d - n/3) / (scale * b)), lapTail((d - n*.7) / (scale * b))}
		seen := make([]float64, len(parts))
		for range draws {
			z := b * r.ExpFloat64()
			if r.IntN(2) == 0 {
				z = -z
			}
			z = math.Min(math.Max(d+z, 0), n)
			for i, is := range parts {
				if is(z) {
					seen[i] += 1. / draws
				}
			}
		}
		for i := range parts {
			t.printed(math.Abs(seen[i]-printed[i]) <= off, n, "n = %v, D = %v, b = %v, part %d: %v, not %v", n, d, b, i,
				seen[i], printed[i])
		}
	}
	return nil
}

// clampedLower has factor times the printed lower bound of the mean.
func clampedLower(t *trial, factor float64) error {
	for _, n := range []int{1, 2, 10, 50} {
		for _, share := range []float64{.001, .02, .1, .5, 1, 3, 50} {
			b := share * float64(n)
			for d := 0; d <= n; d++ {
				mean, err := utility.ClampedMean(float64(d), n, b)
				if err != nil {
					return err
				}
				t.bound(mean, factor*float64(n)/2*math.Exp(-float64(n)/b), float64(n), "n = %d, D = %d, b = %v", n, d, b)
			}
		}
	}
	t.f.number("least bound ÷ truth, D = 0 and b = 50n", t.least, 1.01, 1e-3)
	return nil
}

// disagree counts X₂ from noisy tables of (X₁, X₂) and of (X₂, X₃), with noise of the given scale.
func disagree(t *trial, scale float64) error {
	r := rand.New(rand.NewPCG(5, 10))
	for k := range 2000 {
		total := [2]float64{}
		for i := range total {
			for range 2 {
				z := scale * r.ExpFloat64()
				if r.IntN(2) == 0 {
					z = -z
				}
				total[i] += 25 + z
			}
		}
		t.printed(math.Abs(total[0]-total[1]) > 1e-9, 1, "draw %d: both say %v", k, total[0])
	}
	return nil
}

// valuesPerNode counts the coefficients inside of every family; there are base^(parents + 1).
func valuesPerNode(t *trial, base float64) error {
	for k := 1; k <= 5; k++ {
		everyDAG(k, func(g dag) {
			for i, f := range g.families() {
				n := 0
				for set := range uint(1) << k {
					if set&^f == 0 {
						n++
					}
				}
				t.printed(float64(n) == math.Pow(base, float64(len(g[i])+1)) && n <= 1<<k, float64(k),
					"%d parents: %d coefficients", len(g[i]), n)
			}
		})
	}
	return nil
}

// leastIncrement finds the least increment of all cells that leaves none of a collider's noisy joint table negative,
// for all data sets of some records: it is to differ between them.
func leastIncrement(_ context.Context, f *Finding, counts int) error {
	t := f.trial()
	r := rand.New(rand.NewPCG(5, 11))
	for range 50 {
		var noise [8]float64
		for i := range noise {
			if noise[i] = 4 * r.ExpFloat64(); r.IntN(2) == 0 {
				noise[i] = -noise[i]
			}
		}
		for h := 1; h < 8; h *= 2 {
			for i := range noise {
				if i&h == 0 {
					noise[i], noise[i|h] = noise[i]+noise[i|h], noise[i]-noise[i|h]
				}
			}
		}
		if slices.Min(noise[:]) >= 0 {
			continue // any data set is non-negative
		}
		least, most := math.Inf(1), 0.0
		for at := range noise {
			need := 0.0
			for i, v := range noise {
				if i == at {
					v += float64(counts)
				}
				need = math.Max(need, -v)
			}
			least, most = math.Min(least, need), math.Max(most, need)
		}
		t.printed(most > least, float64(counts), "%d records: always %v", counts, most)
	}
	return nil
}

// outputSize bounds the numbers that Algorithm 2 draws and puts out, the noisy coefficients and the cells of all
// tables, by factor·|N|.
func outputSize(t *trial, factor float64) error {
	for k := 1; k <= 6; k++ {
		everyDAG(k, func(g dag) {
			cells := 0.0
			for _, ps := range g {
				cells += math.Exp2(float64(len(ps) + 1))
			}
			t.bound(factor*g.size(), g.size()+cells, float64(k), "%d nodes: %v numbers, |N| = %v", k, g.size()+cells,
				g.size())
			t.f.require(cells <= 2*(g.size()-1), "%v: %v cells, |N| = %v", g, cells, g.size())
		})
	}
	return nil
}

// truncateTables cuts the tables of a chain's noisy coefficients at 0: a loss of agreement in some draws, and none of
// privacy, since the cut sees the noisy tables only: two outputs are as near in distribution after any cut as before.
func truncateTables(t *trial, cut bool) error {
	g := smallGraphs["chain"]
	s, err := g.spectrum(2)
	if err != nil {
		return err
	}
	r := rand.New(rand.NewPCG(5, 12))
	torn := 0
	for range 400 {
		phi := make([]float64, s.Size())
		for i := range phi {
			phi[i] = 6 * r.NormFloat64()
		}
		phi[0] += 10
		tables, err := s.Tables(phi)
		if err != nil {
			return err
		}
		share := map[int]float64{}
		agree := true
		for i, fam := range s.Families() {
			for k, u := range fam {
				sum := 0.0
				for c, x := range tables[i] {
					if cut {
						x = math.Max(x, 0)
					}
					if c>>(len(fam)-1-k)&1 == 0 {
						sum += x
					}
				}
				if was, seen := share[u]; seen {
					agree = agree && math.Abs(was-sum) < 1e-9
				}
				share[u] = sum
			}
		}
		if t.f.Cases++; !agree {
			torn++
		}
	}
	t.printed(torn > 0, 1, "no table disagrees with another")
	for _, eps := range []float64{.1, 1, 5} { // integer noise on one count, cut at 0: every output keeps its ε
		q := math.Exp(-eps)
		at := func(d, z int) float64 {
			if z == 0 {
				return math.Pow(q, float64(d)) / (1 + q) // P(d + Z ≤ 0)
			}
			return (1 - q) / (1 + q) * math.Pow(q, math.Abs(float64(z-d)))
		}
		for d := range 10 {
			for z := range 30 {
				t.printed(math.Abs(math.Log(at(d, z)/at(d+1, z))) <= eps*(1+1e-9), eps, "ε = %v, D = %d, output %d", eps, d, z)
			}
		}
	}
	return nil
}

// inDegrees compares graphs of up to six nodes by the in-degrees of their nodes, each at most its place: where sum, by
// Σ 2^|π_i| in place of the average in-degree.
func inDegrees(t *trial, sum bool) error {
	for k := 2; k <= 5; k++ {
		var all [][]int
		var fill func(d []int)
		fill = func(d []int) {
			if len(d) == k {
				all = append(all, append([]int(nil), d...))
				return
			}
			for v := 0; v <= len(d); v++ {
				fill(append(d, v))
			}
		}
		fill(nil)
		total := func(d []int) (arrows, m float64) {
			for _, v := range d {
				arrows, m = arrows+float64(v), m+math.Exp2(float64(v))
			}
			return arrows, m
		}
		for _, a := range all {
			for _, b := range all {
				fewer, ma := total(a)
				more, mb := total(b)
				if sum {
					fewer, more = ma, mb
				}
				if fewer < more {
					t.printed(ma <= mb, float64(100*k)+more-fewer, "%d nodes: average in-degree %v with m = %v, %v with m = %v", k,
						fewer/float64(k), ma, more/float64(k), mb)
				}
			}
			for i := range a { // an arrow less
				if a[i] > 0 {
					_, before := total(a)
					a[i]--
					_, after := total(a)
					a[i]++
					t.repaired(after < before, "in-degrees %v: an arrow less at %d", a, i)
				}
			}
		}
	}
	return nil
}

// normaliser has factor times the bound of the utility: ∫ e^(εu) dμ ≤ e^(factor·Mε).
func normaliser(t *trial, factor float64) error {
	r := rand.New(rand.NewPCG(5, 13))
	for range 300 {
		n, eps, most := 1+r.IntN(6), math.Exp(2*r.NormFloat64()), 1.0
		u, mu, total := make([]float64, n), make([]float64, n), 0.0
		for i := range u {
			u[i], mu[i] = most*(1-r.ExpFloat64()), r.ExpFloat64()
			total += mu[i]
		}
		sum := 0.0
		for i := range u {
			sum += math.Exp(eps*u[i]) * mu[i] / total
		}
		t.bound(math.Exp(factor*eps*most), sum, eps, "%d points, ε = %v: %v", n, eps, sum)
	}
	t.bound(math.Exp(factor*3), math.Exp(3), 3, "a constant utility of 1, ε = 3")
	t.attained(1e-9)
	return nil
}

// smallSamples has the expected divergence of Algorithm 1's posterior at ε = 1 of one cell of the experiment's 17
// nodes, by the number of records; the scale of the noise grows like n^power.
func smallSamples(t *trial, power float64) error {
	last := math.Inf(1)
	for _, n := range []int{200, 400, 800, 1600, 3200} {
		b := 34 * math.Pow(float64(n)/200, power)
		m, err := utility.ExpectedKL(utility.Cell{Prior: utility.Prior{Alpha: 1, Beta: 1}, A: .75 * float64(n),
			B: .25 * float64(n)}, n, b)
		if err != nil {
			return err
		}
		t.printed(m.Mean < last, float64(n), "n = %d: %v, before %v", n, m.Mean, last)
		last = m.Mean
	}
	return nil
}

// paperDigamma has shift in place of the 1 of ln(x − 1).
func paperDigamma(t *trial, shift float64) error {
	for i := range 400 {
		x := 1 + math.Exp(float64(i-150)/20)
		psi := num.Digamma(x)
		t.printed(math.Log(x-shift) <= psi+1e-12 && psi <= math.Log(x)+1e-12, x, "x = %v: ψ = %v", x, psi)
	}
	return nil
}

// theorem3Steps executes the steps of the proof: the union bound at R = b·ln(|N|/δ), the ℓ₁ norms of the basis vectors
// and of their projections, and what they add up to; the norms are 2^(power·k).
func theorem3Steps(t *trial, power float64) error {
	for name, g := range smallGraphs {
		k := float64(len(g))
		size := float64(len(g.closure()))
		for _, delta := range []float64{.01, .05, .5} {
			none := math.Exp(size * math.Log1p(-delta/size)) // P(no |X_j| above R), R = b·ln(|N|/δ)
			t.printed(none >= 1-delta, k, "%s: P = %v at δ = %v", name, none, delta)
		}
		for i, fam := range g.families() {
			sum := 0.0
			for gamma := range uint(1) << len(g) {
				if gamma&^fam != 0 {
					continue
				}
				f, whole, projected := make([]float64, 1<<len(g)), 0.0, 0.0
				for c := range f {
					f[c] = sign(gamma, uint(c)) * math.Exp2(-k/2)
					whole += math.Abs(f[c])
				}
				for _, v := range margin(f, fam) {
					projected += math.Abs(v)
				}
				t.printed(near(whole, math.Exp2(power*k), 1e-12) && projected <= whole*(1+1e-12), k,
					"%s, γ = %b: ‖f‖ = %v, ‖C(f)‖ = %v", name, gamma, whole, projected)
				sum += projected * math.Exp2(-k/2) // in units of 2|N|/ε·ln(|N|/δ), noise of scale 2|N|/(ε·2^(k/2))
			}
			t.printed(sum <= math.Exp2(float64(len(g[i])+1))*(1+1e-12), k, "%s, node %d: %v", name, i, sum)
		}
	}
	return nil
}

// lastLipschitz compares the two printed forms of L(w); factor stands in front of the second.
func lastLipschitz(t *trial, factor float64) error {
	r := rand.New(rand.NewPCG(5, 14))
	for range 2000 {
		d := 1 + r.IntN(12)
		one, two := 0.0, 0.0
		for range d {
			w := r.NormFloat64() * math.Exp(r.NormFloat64())
			one, two = one+math.Abs(w), two+w*w
		}
		d64 := float64(d)
		t.bound(factor*(1+(d64+2)*one), 1+2*one+d64*math.Sqrt(two), d64, "d = %d, ‖w‖₁ = %v, ‖w‖₂ = %v", d, one,
			math.Sqrt(two))
	}
	t.attained(1e-9)
	return nil
}
