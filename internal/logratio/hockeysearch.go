package logratio

import "math"

// deltaRegion bounds the hockey-stick divergence at ε of the posteriors at S and S + d, in either direction, by the
// least of three bounds.
//
// From one order λ > 1. The law f_{S+d}^λ f_S^{1−λ}, normalised, is the posterior T at S + λd, and with L the log-ratio
//
//	δ = e^{(λ−1)(D_λ − ε)} · E_T ψ(L − ε),  ψ(x) = e^{−(λ−1)x}(1 − e^{−x}) for x > 0, else 0.
//
// ψ ≤ (1/λ)(1 − 1/λ)^{λ−1} gives Canonne, Kamath and Steinke's Proposition 12; ∫ψ = 1/(λ(λ−1)) and the greatest density
// of L, which is that of η over d, a bound that is within 7 % of the truth three standard deviations out. ln of that
// density has the slope mode − mean in S, at most √3σ for a unimodal law (Johnson and Rogers 1951).
//
// From the total variation, at most ½√J with J = d(E_{S+d}η − E_Sη) ≤ d² sup σ².
//
// From the ends of the cell. δ is the maximum over events A, tails of η, of P_{S+d}(A) − e^ε·P_S(A). With X = (η −
// Eη)/σ,
//
//	P_S(A)‴ = σ³·E[1_A(X³ − 3X − EX³)],  P_S(A)″ = σ²·E[1_A(X² − 1)],
//
// both halves of a mean zero, so that |P‴| ≤ σ³(E|X|³ + 3 + 2)/2 ≤ 4.25σ³ and |P″| ≤ σ². (E|X|³ ≤ 3.5: for a
// log-concave density p ↦ E X₊^p/Γ(p+1) is log-concave, by Borell, so E X₊³ ≤ 6(E X₊²/2)^{3/2}/P(X > 0)^{1/2}, where
// P(X > 0) ≥ 1/e by Grünbaum; the same holds for X₋, and the two second moments add up to 1.) The second derivative in
// S of P_{S+d}(A) − e^ε·P_S(A) is ∫P‴ − (e^ε − 1)P″, at least −B for B = 4.25·d·sup σ³ + (e^ε − 1)·sup σ², for every A:
// adding BS²/2 makes each convex in S, hence their maximum too, and δ lies below the greater of its ends by all but
// Bh²/8.
func (o Posteriors) deltaRegion(epsilon float64) region {
	at := func(s float64) float64 {
		up, down := o.law.excess(s, o.d, epsilon)
		return math.Max(up, down)
	}
	top := o.spreads.sup(o.first, math.Max(o.first, o.last)+o.d)
	whole := o.d * o.spreads.whole()
	order := o.orderFor(epsilon, whole/o.d)
	everywhere := math.Exp((order-1)*(order/2*whole*whole-epsilon) + logChernoff(order)) // for every S
	return region{
		tail: true, at: at,
		cheap: func(a, b float64) float64 {
			near := o.spreads.sup(a, b+o.d)
			best := math.Min(1, o.d*near/2)
			if everywhere <= negligible {
				return math.Min(best, everywhere)
			}
			order := o.orderFor(epsilon, math.Max(near, top/3))
			far := o.d * o.spreads.sup(a-(order-1)*o.d, b+order*o.d)
			return math.Min(best, math.Exp((order-1)*(order/2*far*far-epsilon)+logChernoff(order)))
		},
		fine: func(a, b, goal float64) float64 {
			h, near := b-a, o.spreads.sup(a, b+o.d)
			chord := (4.25*o.d*near*near*near + math.Expm1(epsilon)*near*near) * h * h / 8
			best := math.Max(at(a), at(b)) + chord
			order := o.orderFor(epsilon, math.Max(near, top/3)) // where σ is less, δ is far below the worst
			// the divergence found tells a better order; an infinite one, to take a smaller
			for range 8 {
				if best <= goal {
					return best
				}
				v, rho := o.fromOrder(epsilon, order, a, b)
				best = math.Min(best, v)
				next := 1 + (order-1)/2
				if !math.IsInf(rho, 1) {
					next = o.orderFor(epsilon, math.Sqrt(2*rho)/o.d)
				}
				if next < order*1.2 && next > order/1.2 || next > 8*order {
					break
				}
				order = next
			}
			// [S, S+d] lies inside [a, b+d]: the posteriors are ordered by likelihood ratio
			if !o.lattice && h < o.d/4 {
				up, down := o.law.excess(a, o.d+h, epsilon)
				best = math.Min(best, math.Max(up, down))
			}
			return best
		},
	}
}

// logChernoff is (λ−1)·ln(1 − 1/λ) − ln λ, the logarithm of sup ψ.
func logChernoff(order float64) float64 { return (order-1)*math.Log1p(-1/order) - math.Log(order) }

// orderFor is about the best order for a standard deviation of η: it minimises (λ−1)(λρ − ε) − ln λ(λ−1), ρ = d²σ²/2.
func (o Posteriors) orderFor(epsilon, sigma float64) float64 {
	rho := o.d * sigma * o.d * sigma / 2
	if !(rho > 0) || math.IsInf(rho, 1) {
		return 2
	}
	order := math.Max(1.05, .5+(epsilon+math.Sqrt(epsilon*epsilon+16*rho))/(4*rho))
	if w, ok := o.law.(wholeBeta); ok { // infinite from 1 + min(α, β)/r on
		order = math.Min(order, 1+.9*math.Min(w.alpha, w.beta)/w.r)
	}
	return order
}

// fromOrder is the bound from one order over S in [a, b], with the greatest D_λ/λ there; +Inf where that is infinite.
func (o Posteriors) fromOrder(epsilon, order, a, b float64) (delta, rho float64) {
	h := b - a
	upA, downA := o.renyiAt(order, a)
	upB, downB := o.renyiAt(order, b)
	up, down := math.Max(upA, upB), math.Max(downA, downB)
	slack := o.bend(order, a, b) * h * h / 8
	if most := math.Max(up, down) + slack; math.IsInf(most, 1) || math.IsNaN(most) {
		return math.Inf(1), math.Inf(1)
	}
	side := func(divergence, shift float64) float64 {
		steep := math.Sqrt(3) * o.spreads.sup(a+shift, b+shift) * h / 2
		density := o.spreads.peak(a+h/2+shift) + steep - math.Log(o.d*order*(order-1))
		if most := logChernoff(order); !(density < most) {
			density = most
		}
		return math.Exp((order-1)*(divergence+slack-epsilon) + density)
	}
	return math.Max(side(up, order*o.d), side(down, (1-order)*o.d)), math.Max(up, down) / order
}
