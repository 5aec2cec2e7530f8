package claims

import (
	"math"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/internal/num"
)

func networkLemma2(t *trial, factor float64) error {
	graphs := map[string]dag{"Y → X": {{}, {0}}, "one node": {{}}, "three alone": {{}, {}, {}}}
	for _, name := range []string{"alone", "chain", "collider", "naive Bayes, 3 features"} {
		graphs[name] = smallGraphs[name]
	}
	for name, g := range graphs {
		_, arrows := g.indegree()
		for _, w := range []float64{.1, .3} {
			l, worst := math.Log((1-w)/w), 0.0
			g.changes(func(x, y []int, rho, cells int) {
				most := 0.0
				g.corners(w, func(logp func(x []int) float64) { most = math.Max(most, math.Abs(logp(x)-logp(y))) })
				worst = math.Max(worst, most)
				code := 0.0
				for i := range x {
					code = 4*code + float64(2*x[i]+y[i])
				}
				bound, size := l*float64(cells), float64(100000*len(g)*len(g))+1000*w+code
				if arrows == 0 {
					t.bound(factor*bound, most, size, "%s, w = %v, %v to %v", name, w, x, y)
				} else {
					t.outside(most <= bound*(1+1e-12), size, "%s, w = %v, %v to %v: %.3f > %.3f", name, w, x, y, most,
						bound)
				}
				t.f.require(most <= l*float64(g.differ(x, y))*(1+1e-12), "%s, %v to %v: %v", name, x, y, most)
			})
			t.f.require(near(worst, l*float64(len(g)), 1e-12), "%s: one record costs %v", name, worst)
		}
	}
	return nil
}

func exponentialLipschitz(t *trial, factor float64) error {
	for _, most := range []float64{2, 5} {
		for _, theta := range []float64{.1, 1, 2, 4, 5, 50} {
			for i := range 6 {
				for j := range i {
					x, y := float64(j), float64(i)
					gap := math.Abs(theta * (y - x)) // ln θe^(−θx) − ln θe^(−θy)
					if theta <= most {
						t.printed(gap <= factor*most*(y-x)*(1+1e-12), theta, "θ = %v, x = %v, y = %v", theta, x, y)
					} else {
						t.outside(gap <= most*(y-x), theta+10*most+x+y, "θ = %v, x = %v, y = %v, L = %v: %v > %v", theta,
							x, y, most, gap, most*(y-x))
					}
				}
			}
		}
		small := 1 / (1 + math.Exp(most+1)) // a Bernoulli beyond L
		t.f.require(math.Abs(math.Log(small)-math.Log1p(-small)) > most, "L = %v", most)
	}
	return nil
}

// rough is ξ(|logit θ| > L) under Beta(a, b).
func rough(a, b, l float64) float64 {
	below, _ := num.BetaTails(a, b, 1/(1+math.Exp(l)), 1/(1+math.Exp(-l)))
	_, above := num.BetaTails(a, b, 1/(1+math.Exp(-l)), 1/(1+math.Exp(l)))
	return below + above
}

// rateFrom is the greatest c with 1 − e^{−cL} ≤ ξ(Θ_L) for all L ≥ L0, over a grid, for the prior Beta(a, b).
func rateFrom(a, b, l0 float64) float64 {
	c := math.Inf(1)
	for l := l0; l < l0+20; l += .05 {
		c = math.Min(c, -math.Log(rough(a, b, l))/l)
	}
	return c
}

// networkLemma3 visits independent nodes with different and uneven Beta priors, and joint laws of the nodes' Lipschitz
// constants on finitely many values, among them those under which one node at a time is rough.
func networkLemma3(t *trial, factor float64) error {
	betas := [][2]float64{{2, 2}, {1, 1}, {5, 2}, {3, 7}, {1.5, 4}}
	for _, l0 := range []float64{1, 2, 4} {
		least, mass := math.Inf(1), func(k int, l float64) float64 {
			log := 0.0
			for _, p := range betas[:k] {
				log += math.Log1p(-rough(p[0], p[1], l))
			}
			return math.Exp(log)
		}
		for k := 1; k <= len(betas); k++ {
			least = math.Min(least, rateFrom(betas[k-1][0], betas[k-1][1], l0))
			if float64(k) > math.Exp(l0*least) {
				continue
			}
			prime := least - factor*math.Log(float64(k))/l0
			for l := l0; l <= l0+6; l += .5 {
				t.bound(math.Exp(-prime*l), 1-mass(k, l), float64(k), "K = %d, L0 = %v, L = %v", k, l0, l)
				t.f.require(mass(k, l) >= math.Pow(-math.Expm1(-least*l), float64(k))-1e-13, "the sharper form at K = "+
					"%d, L = %v", k, l)
			}
		}
		for k := 1; k <= 8; k++ { // node i alone is rougher than L with probability e^{−cL}
			for _, c := range []float64{2.2 / l0, 4 / l0} {
				for l := l0; l <= l0+3; l += .25 {
					all := float64(k) * math.Exp(-c*l)
					t.bound(math.Exp(-(c-factor*math.Log(float64(k))/l0)*l), all, float64(k), "one of %d nodes rough, "+
						"L0 = %v, L = %v", k, l0, l)
				}
			}
		}
	}
	jointLaws(t, factor)
	t.attained(1e-9)
	return nil
}

// jointLaws visits discrete joint laws of the constants of two to four nodes.
func jointLaws(t *trial, factor float64) {
	r := rand.New(rand.NewPCG(6, 123))
	for range 500 {
		k, atoms, l0 := 2+r.IntN(3), 3+r.IntN(6), 1.0
		constants, weight, sum := make([][]float64, atoms), make([]float64, atoms), 0.0
		for i := range atoms {
			weight[i] = math.Exp(-5 * r.Float64())
			sum += weight[i]
			for range k {
				constants[i] = append(constants[i], math.Exp(2*r.Float64()-1.9+float64(r.IntN(2))))
			}
		}
		beyond := func(l float64, of func(x []float64) float64) (p float64) {
			for i, x := range constants {
				if of(x) > l {
					p += weight[i] / sum
				}
			}
			return p
		}
		least := math.Inf(1)
		for i := range k {
			for l := l0; l < 4; l += .05 { // beyond 4 nothing is rough
				if p := beyond(l, func(x []float64) float64 { return x[i] }); p > 0 {
					least = math.Min(least, -math.Log(p)/l)
				}
			}
		}
		if math.IsInf(least, 1) || float64(k) > math.Exp(l0*least) {
			continue
		}
		prime := least - factor*math.Log(float64(k))/l0
		for l := l0; l < 4; l += .05 {
			p := beyond(l, func(x []float64) float64 {
				most := 0.0
				for _, v := range x {
					most = math.Max(most, v)
				}
				return most
			})
			t.bound(math.Exp(-prime*l), p, float64(k), "a joint law of %d nodes, L = %v", k, l)
		}
	}
}

func networkLemma3Proof(t *trial, factor float64) error {
	for _, a := range []float64{2, 5} {
		for _, l0 := range []float64{1, 2, 3} {
			c := rateFrom(a, a, l0)
			for k := 2; k <= 5; k++ {
				if float64(k) > math.Exp(c*l0) {
					continue
				}
				log := math.Log(float64(k))
				mass := math.Exp(float64(k) * math.Log1p(-rough(a, a, l0)))
				claimed := -math.Expm1(-log * c * l0)
				t.proof(mass >= claimed, float64(k)*100+a*10+l0, "%d nodes, Beta(%v, %v), L = %v: %.3f < %.3f", k, a, a,
					l0, mass, claimed)
				t.printed(mass >= -math.Expm1(-(c-factor*log/l0)*l0), float64(k), "K = %d, L = %v", k, l0)
				t.printed(1-float64(k)*math.Exp(-c*l0) >= -math.Expm1(-(c-factor*log/l0)*l0)-1e-12, float64(k),
					"K = %d, L = %v: one node at a time", k, l0)
			}
		}
	}
	return nil
}

func networkTheorem41(t *trial, factor float64) error {
	variables := func(x, y []int) (n float64) {
		for i := range x {
			if x[i] != y[i] {
				n++
			}
		}
		return n
	}
	l := math.Log(9)
	for _, name := range []string{"alone", "chain", "collider"} {
		g := smallGraphs[name]
		_, arrows := g.indegree()
		for n := 1; n <= 2; n++ {
			e := g.epsilonPer(t, n, .1, variables)
			if arrows == 0 {
				t.bound(factor*l, e, float64(n), "%s, n = %d", name, n)
			} else {
				t.outside(e <= 2*l, float64(10*n+len(g[len(g)-1])), "%s, n = %d, w = 0.1: %.3f for each changed "+
					"variable > %.3f", name, n, e, 2*l)
			}
			families := g.epsilonPer(t, n, .1, func(x, y []int) float64 { return float64(g.differ(x, y)) })
			t.f.require(families <= 2*l && (n > 1 || near(families, l, 1e-10)), "%s, n = %d: %v", name, n, families)
		}
	}
	for _, n := range []float64{10, 1000, 1e5} { // a network without arrows, all records alike but one
		const w, k = .4, 3
		t.bound(factor*k*math.Log(1.5), k*rowLoss(1, n-1, 0, n, w), n, "n = %v", n)
	}
	t.attained(1e-3)
	return nil
}
