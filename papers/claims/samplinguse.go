package claims

import (
	"math"
	"math/bits"
	"math/rand/v2"
)

// manySamples is the law of n independent draws.
func manySamples(p []float64, n int) []float64 {
	out := []float64{1}
	for range n {
		out = product(out, p)
	}
	return out
}

func corollary101(t *trial, factor float64) error {
	r := rand.New(rand.NewPCG(6, 32))
	for range 800 {
		g := randomFamily(r)
		l := g.uniform()
		for n := 1; n <= 3; n++ {
			g.pairs(func(x, y int) {
				lo, hi := lossRange(g.posterior(x), g.posterior(y))
				loN, hiN := lossRange(manySamples(g.posterior(x), n), manySamples(g.posterior(y), n))
				t.f.require(math.Abs(hiN-float64(n)*hi) < 1e-9 && math.Abs(loN-float64(n)*lo) < 1e-9,
					"N = %d: %v, not %v", n, hiN, float64(n)*hi)
				t.bound(factor*2*float64(n)*l*g.rho(x, y), math.Max(hiN, -loN), float64(n), "N = %d", n)
			})
		}
	}
	for _, a := range []float64{.1, 1} {
		const w = 1e-9
		g := family{prior: []float64{w, 1 - w}, lik: [][]float64{{math.Exp(a), math.Exp(-a)}, {1, 1}}, rho: apart(1)}
		_, hi := lossRange(manySamples(g.posterior(0), 3), manySamples(g.posterior(1), 3))
		t.bound(factor*6*a, hi, 3, "two points ±%v", a)
	}
	t.attained(1e-5)
	return nil
}

func corollary102(t *trial, factor float64) error {
	assumptions(33, 2500, func(g family, l0, c, constant float64) {
		if !(c > 1) {
			return
		}
		g.pairs(func(x, y int) {
			rho, one := g.rho(x, y), totalVariation(g.posterior(x), g.posterior(y))
			for n := 1; n <= 4; n++ {
				v, k := totalVariation(manySamples(g.posterior(x), n), manySamples(g.posterior(y), n)), float64(n)
				t.bound(factor*k*math.Sqrt(constant/2*(1+2*l0+1/c)*rho), v, k, "N = %d", n)
				t.f.require(v <= math.Sqrt(k*constant*(l0+1/c)*rho)/2*(1+1e-9)+1e-14, "N = %d: the better bound", n)
				t.f.require(v <= -math.Expm1(k*math.Log1p(-one))*(1+1e-9)+1e-14, "N = %d: 1 − (1 − TV)^N", n)
			}
		})
	})
	t.f.require(t.least >= 2, "not twice the truth: %v", t.least)
	return nil
}

// lists visits all lists of n outcomes of k.
func lists(n, k int, visit func(x []int)) {
	arities := make([]int, n)
	for i := range arities {
		arities[i] = k
	}
	records(arities, visit)
}

func algorithm1Set(t *trial, factor float64) error {
	value := []float64{0, 1, .3}
	for k := 2; k <= 3; k++ {
		p := []float64{.7, .3}
		if k == 3 {
			p = []float64{.5, .3, .2}
		}
		truth := 0.0
		for i, v := range p {
			truth += v * value[i]
		}
		for n := 1; n <= 5; n++ {
			meanList, meanSet := 0.0, 0.0
			lists(n, k, func(x []int) {
				weight, list, set, distinct := 1.0, 0.0, 0.0, map[int]bool{}
				for _, v := range x {
					weight *= p[v]
					list += value[v] / float64(n)
					distinct[v] = true
				}
				for v := range k {
					if distinct[v] {
						set += value[v] / float64(len(distinct))
					}
				}
				t.outside(near(set, list, 1e-12), float64(10*n+k), "N = %d, sample %v: mean %.3f over the set, %.3f "+
					"over the list", n, x, set, list)
				meanList, meanSet = meanList+weight*list, meanSet+weight*set
			})
			t.printed(near(meanList, factor*truth, 1e-12), float64(n), "N = %d: list %v, posterior mean %v", n, meanList,
				truth)
			t.f.require(n < 3 || !near(meanSet, truth, 1e-6), "N = %d: set %v, posterior mean %v", n, meanSet, truth)
		}
	}
	return nil
}

// algorithm2 answers two queries, the second chosen by the first answer, from lists of N samples, and compares laws of
// the answers.
func algorithm2(t *trial, factor float64) error {
	r := rand.New(rand.NewPCG(6, 35))
	for range 300 {
		g := randomFamily(r)
		k, n := len(g.prior), 1+r.IntN(3)
		utility := make([][]float64, 9) // queries 0, 1, 2 with three responses each
		for i := range utility {
			for range k {
				utility[i] = append(utility[i], r.Float64())
			}
		}
		answer := func(q int, x []int) int {
			best, most := 0, -1.0
			for resp := range 3 {
				sum := 0.0
				for _, v := range x {
					sum += utility[3*q+resp][v]
				}
				if sum > most {
					best, most = resp, sum
				}
			}
			return best
		}
		law := func(p []float64) []float64 {
			out := make([]float64, 27)
			lists(n, k, func(x []int) {
				w := 1.0
				for _, v := range x {
					w *= p[v]
				}
				first := answer(0, x)
				second := answer(first, x)
				out[9*first+3*second+answer(second, x)] += w
			})
			return out
		}
		g.pairs(func(x, y int) {
			p, q := g.posterior(x), g.posterior(y)
			a, b := law(p), law(q)
			_, sampleRange := lossRange(p, q)
			_, answers := lossRange(a, b)
			t.printed(answers <= factor*float64(n)*sampleRange*(1+1e-9)+1e-9, float64(n), "N = %d: answers cost %v of %v", n,
				answers, float64(n)*sampleRange)
			t.printed(totalVariation(a, b) <= totalVariation(manySamples(p, n), manySamples(q, n))+1e-12, float64(n),
				"N = %d: TV", n)
		})
	}
	return nil
}

// binomialTail is P[Bin(n, p) ≤ k].
func binomialTail(n int, p float64, k int) float64 {
	sum, term := 0.0, math.Pow(1-p, float64(n))
	for i := 0; i <= k; i++ {
		sum += term
		term *= float64(n-i) / float64(i+1) * p / (1 - p)
	}
	return sum
}

// subsetRegret is the range of the regret over all samples of n of so many equally likely points, the responses being
// all sets of n points and a sure 0.9.
func subsetRegret(n, points int) (least, most float64) {
	u := [][]float64{make([]float64, points)}
	for i := range u[0] {
		u[0][i] = .9
	}
	for set := range 1 << points {
		if bits.OnesCount(uint(set)) == n {
			row := make([]float64, points)
			for i := range row {
				row[i] = float64(set >> i & 1)
			}
			u = append(u, row)
		}
	}
	truth := make([]float64, points)
	for i := range truth {
		truth[i] = 1 / float64(points)
	}
	least, most = math.Inf(1), math.Inf(-1)
	lists(n, points, func(x []int) {
		sample := make([]float64, points)
		for _, v := range x {
			sample[v] += 1 / float64(n)
		}
		v := regret(u, truth, sample)
		least, most = math.Min(least, v), math.Max(most, v)
	})
	return least, most
}

func lemma11(t *trial, s scale) error {
	const delta = .05
	for _, n := range []int{1, 2, 5, 10, 30, 1000, 1000000} { // the points drawn: empirical utility 1, true at most N/K
		k := 1000 * n
		regret, bound := .9-float64(n)/float64(k), math.Sqrt(2*math.Log(2/delta)/float64(n))
		t.printed(regret <= s.Printed*bound, float64(n), "N = %d, %d points, R = all %d-subsets and a sure 0.9: "+
			"regret %.3f > %.3f always", n, k, n, regret, bound)
	}
	for _, n := range []int{1, 2, 5, 10, 50, 100} { // two responses, one query
		bound := s.Repaired * math.Sqrt(2*math.Log(1/delta)/float64(n))
		for i := 51; i < 100; i++ {
			p := float64(i) / 100
			wrong := binomialTail(n, p, n/2) // ties count as wrong
			t.repaired(2*p-1 <= bound || wrong <= delta, "N = %d, p = %v: regret %v with probability %v", n, p, 2*p-1,
				wrong)
		}
		// R responses: independent events of probability ½ each beside a sure 0.9; the best empirical one may be any
		for _, size := range []float64{10, 1000, 1e6} {
			high := n - int(math.Floor(float64(n)*.9))
			each := binomialTail(n, .5, high-1) // empirical mean above 0.9
			some := -math.Expm1((size - 1) * math.Log1p(-each))
			bar := math.Sqrt(2 * math.Log((size-1)/delta) / float64(n))
			t.repaired(.4 <= bar || some <= delta, "|R| = %v, N = %d: probability %v of regret 0.4 > %v", size, n,
				some, bar)
		}
	}
	for n := 1; n <= 3; n++ { // the same for few points, sample by sample: the regret does not fall with N
		least, most := subsetRegret(n, 4*n)
		t.f.require(near(least, .65, 1e-12) && near(most, .65, 1e-12), "N = %d: regret from %v to %v", n, least, most)
	}
	t.f.number("1000 half sets, N = 10: probability of regret 0.4", -math.Expm1(1000*math.Log1p(-math.Exp2(-10))),
		.6236, 1e-4)
	t.f.number("bound, |R| = 2, N = 10", math.Sqrt(2*math.Log(1/delta)/10), .77404551204099, 1e-12)
	return nil
}
