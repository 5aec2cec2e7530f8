package claims

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/papers/families"
)

// corners visits every choice of each conditional of a network of nodes with some states: one state of each row has the
// probability 1 − (states − 1)ε₀, all others ε₀.
func (g dag) corners(states int, floor float64, visit func(logp func(x []int) float64)) {
	offset, size, codes := make([]int, len(g)), 0, 1
	for i, ps := range g {
		offset[i] = size
		rows := int(math.Pow(float64(states), float64(len(ps))))
		size += rows
		for range rows {
			codes *= states
		}
	}
	large := make([]int, size) // the likely state of every row
	for code := range codes {
		for k, rest := 0, code; k < size; k, rest = k+1, rest/states {
			large[k] = rest % states
		}
		visit(func(x []int) float64 {
			sum := 0.0
			for i, ps := range g {
				row := 0
				for _, p := range ps {
					row = states*row + x[p]
				}
				if large[offset[i]+row] == x[i] {
					sum += math.Log1p(-float64(states-1) * floor)
				} else {
					sum += math.Log(floor)
				}
			}
			return sum
		})
	}
}

// weights is v: one more than the number of children.
func (g dag) weights() []int {
	v := make([]int, len(g))
	for i, ps := range g {
		v[i]++
		for _, p := range ps {
			v[p]++
		}
	}
	return v
}

// changes visits all ordered pairs of records of some states with their ρ = v′δ and the number of cells that differ.
func (g dag) changes(states int, visit func(x, y []int, rho, cells int)) {
	v := g.weights()
	records(g.arities(states), func(a []int) {
		x := append([]int(nil), a...)
		records(g.arities(states), func(y []int) {
			rho, cells := 0, 0
			for i := range x {
				if x[i] != y[i] {
					rho, cells = rho+v[i], cells+1
				}
			}
			if cells > 0 {
				visit(x, y, rho, cells)
			}
		})
	})
}

// networksOfStates are the small networks on which Lemma 24 is executed, by the number of states.
var networksOfStates = map[int][]string{
	2: {"alone", "chain", "collider", "naive Bayes, 3 features"}, 3: {"alone", "chain"},
}

func lemma24(t *trial, k float64) error {
	for states, names := range networksOfStates {
		for _, floor := range []float64{.05, .1, .2, .3} {
			l := math.Log((1 - float64(states-1)*floor) / floor)
			for _, name := range names {
				g := smallGraphs[name]
				logs := g.cornerLogs(states, floor)
				g.changes(states, func(x, y []int, rho, cells int) {
					_, most := logs(x, y)
					t.bound(-k*math.Log(floor)*float64(rho), most, floor, "%s, %d states, %v to %v", name, states, x, y)
					t.f.require(cells > 1 || near(most, l*float64(rho), 1e-12), "%s, %d states, one cell, %v to %v: %v", name,
						states, x, y, most)
					t.f.require(most <= l*float64(g.differ(x, y))*(1+1e-12), "%s, %d states, %v to %v: %v", name, states, x, y,
						most)
				})
			}
		}
	}
	return nil
}

// cornerLogs gives the least and the greatest of ln p(x)/p(y) over the corners of a network.
func (g dag) cornerLogs(states int, floor float64) func(x, y []int) (least, most float64) {
	place := func(x []int) (at int) {
		for _, v := range x {
			at = at*states + v
		}
		return at
	}
	var table [][]float64 // corner, then record
	g.corners(states, floor, func(logp func(x []int) float64) {
		var row []float64
		records(g.arities(states), func(x []int) { row = append(row, logp(x)) })
		table = append(table, row)
	})
	return func(x, y []int) (least, most float64) {
		i, j := place(x), place(y)
		least, most = math.Inf(1), math.Inf(-1)
		for _, row := range table {
			v := row[i] - row[j]
			least, most = math.Min(least, v), math.Max(most, v)
		}
		return least, most
	}
}

// independentNodes visits independent nodes of two and three states at the corners.
func independentNodes(t *trial, k float64) error {
	for states, g := range map[int]dag{2: {{}, {}, {}}, 3: {{}, {}}} {
		for _, floor := range []float64{.05, .2, .3} {
			l := math.Log((1 - float64(states-1)*floor) / floor)
			t.f.require(l <= -math.Log(floor), "L at ε₀ = %v", floor)
			logs := g.cornerLogs(states, floor)
			g.changes(states, func(x, y []int, rho, _ int) {
				least, most := logs(x, y)
				t.bound(k*l*float64(rho), math.Max(most, -least), floor, "ε₀ = %v, %v to %v", floor, x, y)
			})
		}
	}
	t.attained(1e-9)
	return nil
}

// lemma24Metric takes priors on two corners of the family, the first of vanishing weight: the ε of one record.
func lemma24Metric(t *trial, k float64) error {
	for states, names := range map[int][]string{2: {"alone", "chain", "collider"}, 3: {"alone", "chain"}} {
		for _, floor := range []float64{.05, .2} {
			for _, name := range names {
				g := smallGraphs[name]
				logs := g.cornerLogs(states, floor)
				g.changes(states, func(x, y []int, rho, _ int) {
					least, most := logs(x, y)
					const w = 1e-12
					two := family{prior: []float64{w, 1 - w}, lik: [][]float64{{math.Exp(most), math.Exp(least)}, {1, 1}},
						rho: apart(1)}
					_, exact := lossRange(two.posterior(0), two.posterior(1))
					t.bound(-k*2*math.Log(floor)*float64(rho), exact, floor, "%s, %d states, ε₀ = %v, %v to %v", name, states,
						floor, x, y)
				})
			}
		}
	}
	return nil
}

// betaEvidence is ln ∫ θ^a (1−θ)^b over [ε₀, 1 − ε₀].
func betaEvidence(a, b, floor float64) float64 {
	top := math.Max(a*math.Log(1-floor)+b*math.Log(floor),
		math.Max(a*math.Log(floor)+b*math.Log(1-floor), -(a+b)*math.Ln2))
	v := num.Integrate24(func(p float64) float64 {
		return math.Exp(a*math.Log(p) + b*math.Log1p(-p) - top)
	}, floor, 1-floor, 2+int((a+b)/40))
	return top + math.Log(v)
}

// rowLoss is the greatest of ln of the ratio of the posteriors of one conditional with counts (a, b) and (c, d),
// uniform prior: the ratio is θ^{a−c}(1−θ)^{b−d} times a constant, extreme at the ends or at its critical point.
func rowLoss(a, b, c, d, floor float64) float64 {
	at := func(p float64) float64 { return (a-c)*math.Log(p) + (b-d)*math.Log1p(-p) }
	most := math.Max(at(floor), at(1-floor))
	if s := (a - c) + (b - d); s != 0 {
		if p := (a - c) / s; p > floor && p < 1-floor {
			most = math.Max(most, at(p))
		}
	}
	return most - betaEvidence(a, b, floor) + betaEvidence(c, d, floor)
}

// bitsEpsilon is the exact ε of one record of k independent bits: the worst of each node, over all sums of n bits.
func bitsEpsilon(k, n int, floor float64) float64 {
	most := 0.0
	for s := range n {
		a, b := float64(s), float64(n-s)
		most = math.Max(most, math.Max(rowLoss(a+1, b-1, a, b, floor), rowLoss(a, b, a+1, b-1, floor)))
	}
	return float64(k) * most
}

func lemma24Record(t *trial, factor float64) error {
	for _, floor := range []float64{.1, .2} {
		for k := 1; k <= 4; k++ {
			for n := 1; n <= 6; n++ {
				exact, claimed := bitsEpsilon(k, n, floor), 2*math.Log(1/floor)
				t.printed(exact <= claimed, float64(10*k+n)+floor, "K = %d independent bits, ε₀ = %v, n = %d: "+
					"exactly %.3f > %.3f", k, floor, n, exact, claimed)
				t.repaired(exact <= factor*2*float64(k)*math.Log((1-floor)/floor), "K = %d, n = %d", k, n)
				t.repaired(bitsEpsilon(1, n, floor) <= claimed, "one cell, n = %d", n)
			}
		}
	}
	// Three states and one record: under the uniform prior the means are equal, and the ratio is that of two parameters.
	for _, floor := range []float64{.05, .1, .2} {
		one := math.Log((1 - 2*floor) / floor)
		for k := 1.0; k <= 4; k++ {
			t.printed(k*one <= 2*math.Log(1/floor), 100+k, "three states, K = %v, ε₀ = %v", k, floor)
			t.repaired(k*one <= factor*2*k*one, "three states, K = %v", k)
		}
	}
	t.f.number("K = 3, n = 1, ε₀ = 0.1", bitsEpsilon(3, 1, .1), 6.59167373200866, 1e-10)
	t.f.number("K = 3, n = 5, ε₀ = 0.2", bitsEpsilon(3, 5, .2), 6.24492528776832, 1e-10)
	f, err := families.NewNetwork(2, []families.NetworkNode{{States: 2}, {States: 2}}, 1, .1, families.OneRecord)
	if err != nil {
		return err
	}
	t.f.require(f.Epsilon() >= bitsEpsilon(2, 2, .1), "the library's ε %v is below %v", f.Epsilon(),
		bitsEpsilon(2, 2, .1))
	return nil
}

// chainEpsilon is the exact ε of one changed step of a chain of length t over two states, uniform priors on [ε₀, 1 −
// ε₀], by all sequences; the first state is given.
func chainEpsilon(t *trial, length int, floor float64) float64 {
	count := func(x int) (n [4]int) {
		for i := range length - 1 {
			n[x>>i&1*2+x>>(i+1)&1]++
		}
		return n
	}
	seen, most := map[[8]int]float64{}, 0.0
	row := func(a, b, c, d int) float64 {
		if a == c && b == d {
			return 0
		}
		return rowLoss(float64(a), float64(b), float64(c), float64(d), floor)
	}
	for x := range 1 << length {
		for i := range length {
			n, m := count(x), count(x^1<<i)
			key := [8]int{n[0], n[1], n[2], n[3], m[0], m[1], m[2], m[3]}
			if t.f.Cases++; seen[key] == 0 {
				seen[key] = row(n[0], n[1], m[0], m[1]) + row(n[2], n[3], m[2], m[3])
			}
			most = math.Max(most, seen[key])
		}
	}
	return most
}

// stepLogs is the range of ln p(x)/p(y) of two paths of a chain with three states over the corners of its transition
// probabilities, the first state given: every row of the transitions has one likely state, and the rows are
// independent.
func stepLogs(x, y []int, floor float64) (least, most float64) {
	likely, rare := math.Log1p(-2*floor), math.Log(floor)
	for row := range 3 {
		lo, hi := math.Inf(1), math.Inf(-1)
		for large := range 3 {
			sum := 0.0
			for i := range len(x) - 1 {
				for _, path := range []struct {
					p    []int
					sign float64
				}{{x, 1}, {y, -1}} {
					switch {
					case path.p[i] != row:
					case path.p[i+1] == large:
						sum += path.sign * likely
					default:
						sum += path.sign * rare
					}
				}
			}
			lo, hi = math.Min(lo, sum), math.Max(hi, sum)
		}
		least, most = least+lo, most+hi
	}
	return least, most
}

func lemma24Markov(t *trial, k float64) error {
	for _, c := range []struct {
		floor  float64
		length int
		exact  float64
	}{{.1, 2, 2.197224577}, {.1, 3, 4.587820548}, {.1, 4, 5.129096066}, {.1, 6, 5.74487491}, {.1, 8, 6.065107255},
		{.2, 3, 2.885917408}, {.2, 6, 3.644547144}, {.2, 8, 3.889848108}} {
		e := chainEpsilon(t, c.length, c.floor)
		t.f.number("exact ε of one changed step", e, c.exact, 2e-9)
		t.bound(k*4*math.Log(1/c.floor), e, c.floor, "ε₀ = %v, %d steps", c.floor, c.length)
		t.f.require(e <= 4*math.Log((1-c.floor)/c.floor), "above the supremum: %v", e)
	}
	for _, floor := range []float64{.1, .2} { // what any data can reach
		t.bound(k*4*math.Log(1/floor), 4*math.Log((1-floor)/floor), floor, "supremum at ε₀ = %v", floor)
		// three states: the range of the log-ratio over the corners of the transitions, which a prior on two corners reaches
		most := 0.0
		records([]int{3, 3, 3, 3, 3}, func(a []int) {
			x := append([]int(nil), a...)
			for at := range x {
				for state := range 3 {
					y := append([]int(nil), x...)
					y[at] = state
					least, greatest := stepLogs(x, y, floor)
					most = math.Max(most, greatest-least)
				}
			}
		})
		t.bound(k*4*math.Log(1/floor), most, floor, "three states, five steps, ε₀ = %v", floor)
		t.f.require(near(most, 4*math.Log((1-2*floor)/floor), 1e-12), "three states, ε₀ = %v: %v", floor, most)
	}
	t.margin(1.0480, 4.1918, 1e-3)
	return nil
}

func oneRecord(t *trial, k float64) error {
	for _, name := range []string{"alone", "chain", "collider", "diamond", "naive Bayes, 3 features"} {
		g, label, total := smallGraphs[name], name, 0
		if name == "alone" {
			label = "two independent nodes"
		}
		for _, v := range g.weights() {
			total += v
		}
		g.changes(2, func(x, y []int, rho, cells int) {
			t.printed(rho == 1, float64(len(g)*100+rho), "%s, %v to %v: ρ = %d", label, x, y, rho)
			t.repaired(rho >= 1 && float64(rho) <= k*float64(total) && (rho > 1 || cells == 1), "%s, %v to %v: ρ = "+
				"%d", name, x, y, rho)
		})
	}
	return nil
}

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
	t.f.number("10^6 of them, N = 20, beside a sure 0.95", -math.Expm1(1e6*math.Log1p(-math.Exp2(-20))), .6147, 1e-4)
	t.f.number("bound, |R| = 2, N = 10", math.Sqrt(2*math.Log(1/delta)/10), .77404551204099, 1e-12)
	return leastBars(t, delta)
}

// leastBars are the regrets that the better of two responses, of values ±1, is missed by with probability δ.
func leastBars(t *trial, delta float64) error {
	for _, c := range []struct {
		n            int
		exact, paper float64
	}{{10, .5551, .8589}, {100, .1728, .2716}, {1000, .0530, .0859}} {
		lo, hi, err := num.RootBracket(func(regret float64) float64 {
			half := float64(c.n) / 2 // P[Bin(n, (1 + regret)/2) ≤ n/2]
			return num.RegIncBeta(half, half+1, (1-regret)/2) - delta
		}, 1e-3, .9, 1e-10)
		if err != nil {
			return err
		}
		name := fmt.Sprintf(", |R| = 2, N = %d", c.n)
		t.f.number("exact bar"+name, (lo+hi)/2, c.exact, 6e-5)
		t.f.number("constant of the paper"+name, math.Sqrt(2*math.Log(2/delta)/float64(c.n)), c.paper, 6e-5)
	}
	return nil
}
