package budget

import (
	"math"

	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// step is a charge together with a mechanism that has its level: the laws of its output on two neighbouring data sets.
type step struct {
	level dp.Parameters
	p, q  []float64
}

// rule says whether a ledger takes the last of these steps, having taken the ones before it.
type rule func(path []step) bool

// production is the rule of a budget: its own admit, with every charge.
func production(b *Budget) rule {
	return func(path []step) bool {
		var have []Charge
		for i, s := range path {
			next, err := b.admit(have, Charge{ID: string(rune('a' + i)), Level: s.level, State: Adaptive})
			if err != nil {
				return false
			}
			have = next
		}
		return true
	}
}

// family is a set of mechanisms that spend more the larger t in (0, 1) is; loss is the loss so far, ln p/q, which some
// of them use to aim at a threshold.
type family func(t, loss float64) step

// adversary chooses mechanism after mechanism, each after seeing the outputs of those before it, and stops when it
// likes.
type adversary struct {
	epsilon   float64
	admits    rule
	families  []family
	finals    []family  // tried as a last step only
	shares    []float64 // of the most that the rule takes, tried at every step
	lastShare []float64 // tried at the last step; shares if nil
}

// worst is the largest H_ε = Σ (P − e^ε Q)₊ over the transcripts that at most so many further steps can reach: the sum
// over the outputs of each step of the best that can be made of that output, so every choosing and every stopping rule
// over the families is in it.
func (a *adversary) worst(path []step, p, q float64, steps int) float64 {
	best := math.Max(0, p-math.Exp(a.epsilon)*q)
	if steps == 0 || p == 0 || q == 0 {
		return best
	}
	shares := a.shares
	if steps == 1 && a.lastShare != nil {
		shares = a.lastShare
	}
	for i, f := range append(append([]family(nil), a.families...), a.finals...) {
		left := steps - 1
		if i >= len(a.families) {
			left = 0
		}
		most := a.most(path, f, math.Log(p/q))
		for _, share := range shares {
			s := f(most*share, math.Log(p/q))
			next := append(append([]step(nil), path...), s)
			if most == 0 || !a.admits(next) {
				continue
			}
			sum := 0.0
			for o := range s.p {
				sum += a.worst(next, p*s.p[o], q*s.q[o], left)
			}
			best = math.Max(best, sum)
		}
	}
	return best
}

// most is the largest t that the rule takes, to a relative 1e-12, or 0.
func (a *adversary) most(path []step, f family, loss float64) float64 {
	takes := func(t float64) bool { return a.admits(append(append([]step(nil), path...), f(t, loss))) }
	const least = 1e-12
	if !takes(least) {
		return 0
	}
	lo, hi := math.Log(least), math.Log(1-1e-9)
	if takes(math.Exp(hi)) {
		return math.Exp(hi)
	}
	for range 48 {
		if mid := (lo + hi) / 2; takes(math.Exp(mid)) {
			lo = mid
		} else {
			hi = mid
		}
	}
	return math.Exp(lo)
}

// response is binary randomised response at ε = top·t: pure.
func response(top float64) family {
	return func(t, _ float64) step {
		e := math.Exp(-top * t)
		return step{dp.PureDP(top * t).Parameters, []float64{1 / (1 + e), e / (1 + e)}, []float64{e / (1 + e), 1 / (1 + e)}}
	}
}

// geometric is geometric noise at ε = top·t on a count of 0 or 1, clamped to 0, 1, 2: pure.
func geometric(top float64) family {
	return func(t, _ float64) step {
		a := math.Exp(-top * t)
		q := []float64{1 / (1 + a), a * (1 - a) / (1 + a), a * a / (1 + a)}
		p := []float64{a / (1 + a), (1 - a) / (1 + a), a / (1 + a)}
		return step{dp.PureDP(top * t).Parameters, p, q}
	}
}

// leak publishes everything with probability δ = top·t, and else nothing.
func leak(top float64) family {
	return func(t, _ float64) step {
		d := top * t
		return step{dp.ApproxDP(1e-13, d).Parameters, []float64{d, 0, 1 - d}, []float64{0, d, 1 - d}}
	}
}

// leakingResponse leaks with probability δ, and else is randomised response at ε = top·t.
func leakingResponse(top, delta float64) family {
	return func(t, _ float64) step {
		e := math.Exp(-top * t)
		yes, no := (1-delta)/(1+e), (1-delta)*e/(1+e)
		return step{dp.ApproxDP(top*t, delta).Parameters, []float64{delta, 0, yes, no}, []float64{0, delta, no, yes}}
	}
}

// gaussian is Gaussian noise with ρ = top·t, of which only the loss is shown, and only between which of some thresholds
// it lies: ρ-zCDP, as it processes what is.
func gaussian(top, epsilon float64, beyond ...float64) family {
	return func(t, loss float64) step {
		rho := top * t
		mu := math.Sqrt(2 * rho)
		s := step{level: dp.ZCDP(rho).Parameters}
		lastP, lastQ := 0.0, 0.0
		add := func(p, q float64) {
			s.p, s.q = append(s.p, math.Max(0, p-lastP)), append(s.q, math.Max(0, q-lastQ))
			lastP, lastQ = p, q
		}
		for _, b := range beyond { // the loss of z is μz − μ²/2, under P ~ N(μ, 1) and Q ~ N(0, 1)
			z := (epsilon-loss+b)/mu + mu/2
			add(math.Erfc((mu-z)/math.Sqrt2)/2, math.Erfc(-z/math.Sqrt2)/2)
		}
		add(1, 1)
		return s
	}
}

// twoPoint has one output of probability t under P whose loss carries the transcript past ε by beyond, and one other;
// its level is what level makes of its law.
func twoPoint(epsilon, beyond float64, level func(p, q []float64) dp.Parameters) family {
	return func(t, loss float64) step {
		b := t * math.Exp(-math.Max(1e-3, epsilon-loss+beyond))
		s := step{p: []float64{t, 1 - t}, q: []float64{b, 1 - b}}
		s.level = level(s.p, s.q)
		return s
	}
}

// fixed is one mechanism, whatever t is.
func fixed(s step) family { return func(float64, float64) step { return s } }

// divergence is the larger Rényi divergence of an order of a finite law, in either direction.
func divergence(order float64, p, q []float64) float64 {
	one := func(p, q []float64) float64 {
		sum, large, most := 0.0, 0.0, 0.0
		for i := range p {
			most = math.Max(most, (order-1)*math.Log(p[i]/q[i]))
		}
		for i := range p {
			if x := (order - 1) * math.Log(p[i]/q[i]); p[i] > 0 {
				sum, large = sum+p[i]*math.Expm1(x), large+p[i]*math.Exp(x-most)
			}
		}
		if most > 30 { // the sum may overflow, and has nothing to lose
			return (most + math.Log(large)) / (order - 1)
		}
		return math.Log1p(sum) / (order - 1)
	}
	return math.Max(one(p, q), one(q, p))
}

// renyiLevel is the Rényi level of a law at an order.
func renyiLevel(order float64) func(p, q []float64) dp.Parameters {
	return func(p, q []float64) dp.Parameters {
		return dp.RenyiDP(order, math.Max(math.SmallestNonzeroFloat64, divergence(order, p, q))).Parameters
	}
}

// zcdpLevel is the zCDP level of a law: the largest divergence per order, over orders 6 % apart and refined around the
// worst, and a relative 1e-6 more.
func zcdpLevel(p, q []float64) dp.Parameters {
	per := func(t float64) float64 {
		order := 1 + math.Exp(t)
		return divergence(order, p, q) / order
	}
	worst, at := 0.0, 0.0
	for t := -6.0; t < 7; t += .06 {
		if v := per(t); v > worst {
			worst, at = v, t
		}
	}
	for d := .03; d > 1e-4; d /= 2 {
		for _, t := range []float64{at - d, at + d} {
			if v := per(t); v > worst {
				worst, at = v, t
			}
		}
	}
	return dp.ZCDP(math.Max(math.SmallestNonzeroFloat64, worst*(1+1e-6))).Parameters
}
