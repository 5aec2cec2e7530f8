package claims

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/papers/families"
)

// corners visits every choice of each conditional of a binary network at ε₀ or 1 − ε₀ of the value 1.
func (g dag) corners(floor float64, visit func(logp func(x []int) float64)) {
	offset, size := make([]int, len(g)), 0
	for i, ps := range g {
		offset[i] = size
		size += 1 << len(ps)
	}
	for code := range 1 << size {
		visit(func(x []int) float64 {
			sum := 0.0
			for i, ps := range g {
				row := 0
				for _, p := range ps {
					row = 2*row + x[p]
				}
				if (code>>(offset[i]+row)&1 == 1) == (x[i] == 1) {
					sum += math.Log1p(-floor)
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

// changes visits all ordered pairs of binary records with their ρ = v′δ and the number of cells that differ.
func (g dag) changes(visit func(x, y []int, rho, cells int)) {
	v := g.weights()
	records(g.arities(2), func(a []int) {
		x := append([]int(nil), a...)
		records(g.arities(2), func(y []int) {
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

func lemma24(t *trial, k float64) error {
	for _, floor := range []float64{.05, .1, .2, .4} {
		l := math.Log((1 - floor) / floor)
		for _, name := range []string{"alone", "chain", "collider", "naive Bayes, 3 features"} {
			g := smallGraphs[name]
			g.changes(func(x, y []int, rho, cells int) {
				most := 0.0
				g.corners(floor, func(logp func(x []int) float64) { most = math.Max(most, logp(x)-logp(y)) })
				t.bound(-k*math.Log(floor)*float64(rho), most, floor, "%s, %v to %v", name, x, y)
				t.f.require(cells > 1 || near(most, l*float64(rho), 1e-12), "%s, one cell, %v to %v: %v", name, x, y,
					most)
				t.f.require(near(most, l*float64(g.differ(x, y)), 1e-12), "%s, %v to %v: %v", name, x, y, most)
			})
		}
	}
	return nil
}

// independentNodes visits independent bits at the corners ε₀ and 1 − ε₀.
func independentNodes(t *trial, k float64) error {
	g := dag{{}, {}, {}}
	for _, floor := range []float64{.05, .2, .4} {
		l := math.Log((1 - floor) / floor)
		t.f.require(l <= -math.Log(floor), "L at ε₀ = %v", floor)
		g.changes(func(x, y []int, rho, _ int) {
			g.corners(floor, func(logp func(x []int) float64) {
				t.bound(k*l*float64(rho), math.Abs(logp(x)-logp(y)), floor, "ε₀ = %v, %v to %v", floor, x, y)
			})
		})
	}
	t.attained(1e-9)
	return nil
}

// lemma24Metric takes priors on two corners of the family, the first of vanishing weight: the ε of one record.
func lemma24Metric(t *trial, k float64) error {
	for _, floor := range []float64{.05, .2} {
		for _, name := range []string{"alone", "chain", "collider"} {
			g := smallGraphs[name]
			g.changes(func(x, y []int, rho, _ int) {
				least, most := math.Inf(1), math.Inf(-1)
				g.corners(floor, func(logp func(x []int) float64) {
					v := logp(x) - logp(y)
					least, most = math.Min(least, v), math.Max(most, v)
				})
				const w = 1e-12
				two := family{prior: []float64{w, 1 - w}, lik: [][]float64{{math.Exp(most), math.Exp(least)}, {1, 1}},
					rho: apart(1)}
				_, exact := lossRange(two.posterior(0), two.posterior(1))
				t.bound(-k*2*math.Log(floor)*float64(rho), exact, floor, "%s, ε₀ = %v, %v to %v", name, floor, x, y)
			})
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
		g.changes(func(x, y []int, rho, cells int) {
			t.printed(rho == 1, float64(len(g)*100+rho), "%s, %v to %v: ρ = %d", label, x, y, rho)
			t.repaired(rho >= 1 && float64(rho) <= k*float64(total) && (rho > 1 || cells == 1), "%s, %v to %v: ρ = "+
				"%d", name, x, y, rho)
		})
	}
	return nil
}
