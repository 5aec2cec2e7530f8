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
			g.changes(2, func(x, y []int, rho, cells int) {
				most := 0.0
				g.corners(2, w, func(logp func(x []int) float64) { most = math.Max(most, math.Abs(logp(x)-logp(y))) })
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

// The constants of Theorem 4.2.
const (
	paperKappa = 4.91081
	paperOmega = 1.25643
)

// theorem42M is the M of Theorem 4.2.
func theorem42M(c, l0, delta, ratio float64) float64 {
	e := math.Exp(-paperOmega)
	last := math.Log(math.Exp(-l0*delta*c)/(math.Exp(-paperOmega*(1-delta))-e) + math.Exp(l0*(1-delta)*c))
	return (paperKappa/c + l0*(1/(1-e)+1) + math.Log(ratio) + last) * ratio
}

// boxTV is the total variation between the posteriors of bits under the uniform prior on [w, 1 − w], one record each,
// which differ in all of them: ½∫|Π 2θ − Π 2(1 − θ)|.
func boxTV(bits int, w float64) float64 {
	const steps = 60
	sum := 0.0
	var add func(left int, p, q float64)
	add = func(left int, p, q float64) {
		if left == 0 {
			sum += math.Abs(p-q) / 2
			return
		}
		for i := range steps {
			x := w + (1-2*w)*(float64(i)+.5)/steps
			add(left-1, p*2*x/steps, q*2*(1-x)/steps)
		}
	}
	add(bits, 1, 1)
	return sum
}

// networkTheorem42 takes, for one bit with prior Beta(a, a), the best L0, c and δ that meet the theorem's assumptions,
// and for trimmed bits L0 = ln((1−w)/w), from which every c will do.
func networkTheorem42(t *trial, factor float64) error {
	starts := []float64{.02, .05, .1, .2, .5, 1, 2, 4}
	for _, a := range []float64{2, 5, 20, 100, 1000} {
		best := math.Inf(1)
		for _, l0 := range starts {
			c := rateFrom(a, a, l0)
			if delta := 1 - 1/c; delta > 0 && c < 1e6 { // ρ = 1 ≤ (1 − δ)c
				best = math.Min(best, theorem42M(c, l0, delta, 2))
			}
		}
		t.f.require(!math.IsInf(best, 1) && best > 2*math.Ln2, "α = %v: M = %v", a, best)
		t.bound(math.Sqrt(factor*best/2), neighbourTV(a, a+1), a, "Beta(%v, %v)", a, a)
	}
	rates := []float64{1.5, 2, 5, 10, 100, 1000, 1e4}
	for bits := 1; bits <= 3; bits++ {
		k := float64(bits)
		for _, w := range []float64{.1, .3, .45, .49} {
			best, l := math.Inf(1), math.Log((1-w)/w)
			for _, c := range rates {
				if c > k { // ρ ≤ K = (1 − δ)c
					best = math.Min(best, theorem42M(c, l, 1-k/c, math.Pow(2*(1-w), k)))
				}
			}
			for differ := 1; differ <= bits; differ++ { // the others tilt both posteriors alike
				bound, truth := math.Sqrt(factor*best/2*float64(differ)), boxTV(differ, w)
				t.bound(bound, truth, 10*k, "%d bits trimmed at %v, %d differ", bits, w, differ)
				t.f.require(differ > 1 || near(truth, .5-w, 1e-9), "trimmed at %v: %v", w, truth)
			}
			if w == .49 && bits == 1 {
				one := math.Sqrt(factor * best / 2)
				t.f.number("bound for a bit trimmed at 0.49", one, .282*math.Sqrt(factor), .002)
				bound41 := math.Tanh(l / 2) // of a density ratio within e^{±L}, one draw
				t.f.require(bound41 < one || factor < 1, "w = %v: %v and %v", w, bound41, one)
			}
		}
	}
	t.f.number("TV of one bit, α = 2", neighbourTV(2, 3), .375, 1e-12)
	for k := 2.; k <= 6; k++ { // untrimmed bits
		for _, c := range rates {
			for _, l0 := range starts {
				if c > k {
					m := theorem42M(c, l0, 1-k/c, math.Exp2(k))
					t.f.require(math.Sqrt(m/2) > 1, "K = %v, c = %v, L0 = %v: M = %v", k, c, l0, m)
				}
			}
		}
	}
	t.f.number("e^ω − 1 − 2ω", math.Expm1(paperOmega)-2*paperOmega, 0, 1e-5)
	t.f.number("2ω/(1 − e^−ω)²", 2*paperOmega/math.Pow(-math.Expm1(-paperOmega), 2), paperKappa, 1e-5)
	return nil
}

// orderOfM divides M by the printed order and by the corrected one.
func orderOfM(t *trial, constant float64) error {
	for _, l0 := range []float64{.1, 1, 2} {
		for _, delta := range []float64{.1, .5, .9} {
			for _, ratio := range []float64{2, 4, 64} {
				for _, c := range []float64{2, 5, 10, 100, 300} {
					m := theorem42M(c, l0, delta, ratio)
					order := (1/c + math.Log(ratio) + l0) * ratio
					size := c + 10*math.Abs(l0-1) + 10*math.Abs(delta-.5) + ratio
					t.printed(m <= constant*order, size, "L0 = %v, δ = %v, C = %v, c = %v: %.1f times the order", l0,
						delta, ratio, c, m/order)
					t.repaired(m <= 5*(1/c+math.Log(ratio)+l0*(1+(1-delta)*c)+1-math.Log(delta))*ratio,
						"L0 = %v, δ = %v, C = %v, c = %v: %v", l0, delta, ratio, c, m)
				}
			}
		}
	}
	at := func(c float64) float64 { return theorem42M(c, 1, .5, 2) / ((1/c + math.Ln2 + 1) * 2) }
	t.f.number("M ÷ order at c = 10, L0 = 1, δ = ½, C = 2", at(10), 4.79, .02)
	t.f.number("M ÷ order at c = 700", at(700), 208, .5)
	t.f.number("growth from c = 600 to 1200", at(1200)/at(600), 2, .03)
	return nil
}

// densityScore2 takes one or two bits, uniform on a box, the first of which changes. The normalisers of the two laws
// are the same, as θ₁ → 1 − θ₁ exchanges them, so that the loss is that of the scores, at a corner.
func densityScore2(t *trial, allowed float64) error {
	for nodes := 1; nodes <= 2; nodes++ {
		for _, w := range []float64{.1, .2, .3, .4, .45} {
			m, k := math.Inf(1), float64(nodes)
			for _, c := range []float64{2.5, 5, 10, 100, 1e4} { // every c will do
				m = math.Min(m, theorem42M(c, math.Log((1-w)/w), 1-k/c, math.Pow(2*(1-w), k)))
			}
			delta := math.Sqrt(m / 2)
			score := func(bit, x, other float64) float64 {
				v := (bit*x + (1-bit)*(1-x)) * 2 / (1 - 2*w)
				if nodes == 2 {
					v *= 2 * other / (1 - 2*w)
				}
				return v / (2 * delta)
			}
			normaliser := func(bit float64) float64 {
				return num.Integrate24(func(x float64) float64 {
					return num.Integrate24(func(y float64) float64 { return math.Exp(score(bit, x, y)) }, w, 1-w, 1)
				}, w, 1-w, 1)
			}
			t.f.require(near(normaliser(1), normaliser(0), 1e-10), "w = %v: the normalisers differ", w)
			loss := score(1, 1-w, 1-w) - score(0, 1-w, 1-w)
			t.printed(loss <= allowed, 10*k-w, "|I| = %d, θ in [%v, %v], uniform prior, n = 1, ε = 1: exactly %.3f", nodes,
				w, 1-w, loss)
		}
	}
	return nil
}

// gridScore2 visits {w, 1 − w} with prior ½ each, and beside it {v, 1 − v} with prior mass rough in all, for which
// c = −ln(rough)/ln((1−v)/v).
func gridScore2(t *trial, factor float64) error {
	logit := func(w float64) float64 { return math.Log((1 - w) / w) }
	visit := func(w, v, rough, c float64) {
		theta, prior := []float64{w, 1 - w}, []float64{(1 - rough) / 2, (1 - rough) / 2}
		ratio := 2 * (1 - w)
		if rough > 0 {
			theta, prior, ratio = append(theta, v, 1-v), append(prior, rough/2, rough/2), 2*(1-v)
		}
		delta := math.Sqrt(theorem42M(c, logit(w), 1-1/c, ratio) / 2)
		most := 0.0
		var law [2][]float64
		const eps = 1.0
		for bit := range 2 {
			sum := 0.0
			for i, x := range theta {
				if bit == 0 {
					x = 1 - x
				}
				p := 2 * x * prior[i] // the marginal of a bit is ½
				most = math.Max(most, math.Abs(p-2*(1-x)*prior[i]))
				law[bit] = append(law[bit], prior[i]*math.Exp(eps*p/(2*delta)))
				sum += law[bit][i]
			}
			for i := range theta {
				law[bit][i] /= sum
			}
		}
		t.bound(factor*delta, most, 1, "w = %v, rough %v", w, rough)
		lo, hi := lossRange(law[0], law[1])
		t.f.require(math.Max(hi, -lo) <= eps, "w = %v, rough %v: the algorithm costs %v", w, rough, hi)
		t.f.require(delta > 1 || w > .3, "w = %v: Δ = %v", w, delta)
	}
	for _, w := range []float64{.1, .2, .3, .4, .45, .49} {
		for _, c := range []float64{1.5, 5, 100, 1e4} {
			visit(w, 0, 0, c)
		}
		for _, rough := range []float64{1e-3, 1e-5} {
			for _, v := range []float64{.02, .05} {
				visit(w, v, rough, -math.Log(rough)/logit(v))
			}
		}
	}
	return nil
}
