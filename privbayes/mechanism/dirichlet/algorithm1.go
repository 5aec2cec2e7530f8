package dirichlet

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
)

// paperTarget is the order and the Rényi ε per table that the paper's formulas are used at: the target's own, or, for
// (ε, δ), the order at which the conversion of the Rényi bound (Lemma 3) leaves the largest r.
func (p *problem) paperTarget(c Calibration) (order, share float64, err error) {
	tables := float64(p.touched)
	switch l := p.target.Parameters; l.Notion {
	case dp.Renyi:
		return l.Order, float64(l.Epsilon) / tables, nil
	case dp.TruncatedConcentrated:
		return l.Order, l.Rho * l.Order / tables, nil
	default:
		rate := p.algorithm1
		if c == Remark1 {
			rate = p.remark1
		}
		// ε − log(1−1/λ) + log(λδ)/(λ−1): positive from some order on; its r rises, then falls
		budget := func(t float64) (order, share float64) {
			order = 1 + math.Exp(t)
			e := float64(l.Epsilon) - math.Log1p(-1/order) + math.Log(order*l.Delta)/(order-1)
			return order, e * (1 - 1e-9) / tables
		}
		best, bestRate := math.NaN(), 0.0
		for t := -5.0; t < 25; t += 0.05 {
			if o, e := budget(t); e > 0 {
				if r := rate(o, e); r > bestRate {
					best, bestRate = t, r
				}
			}
		}
		if math.IsNaN(best) {
			return 0, 0, &mechanism.UnmetTarget{Target: l, Reachable: "a larger ε or δ"}
		}
		order, share = budget(best)
		return order, share, nil
	}
}

// deltas are the paper's Δ₂² and Δ∞ of one table.
func (p *problem) deltas() (two, inf float64) {
	inf = float64(p.rows)
	if two = inf * inf; p.replaced {
		two *= 2
	}
	return two, inf
}

// algorithm1 solves ½λr²Δ₂²ψ′(1 + (3(λ−1)Δ∞ + b)r) = ε, b the promised count of every cell. The left side increases in
// r (Lemma 2), and for b = 0 it does so from 0 to infinity.
func (p *problem) algorithm1(order, epsilon float64) float64 {
	two, inf := p.deltas()
	claim := func(r float64) float64 {
		return 0.5 * order * r * r * two * num.Trigamma(1+(3*(order-1)*inf+float64(p.m.minCount))*r)
	}
	return rateAt(claim, epsilon)
}

// remark1 solves ½λr²Δ₂²ψ′(1) = ε.
func (p *problem) remark1(order, epsilon float64) float64 {
	two, _ := p.deltas()
	return rateAt(func(r float64) float64 { return 0.5 * order * r * r * two * num.Trigamma(1) }, epsilon)
}

// rateAt is the largest r with claim(r) ≤ ε, for an increasing claim.
func rateAt(claim func(r float64) float64, epsilon float64) float64 {
	lo, hi := minRate, maxRate
	for range 200 {
		mid := math.Sqrt(lo * hi)
		if mid <= lo || mid >= hi {
			break
		}
		if claim(mid) <= epsilon {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// standardFormula is what the paper's Theorem 1 claims for r and α, at the order of the target: the smallest ε of the form
// above, over all tables.
func (p *problem) standardFormula(r, alpha float64) mechanism.StandardFormula {
	source := "½λr²Δ₂²ψ′(α − (λ−1)rΔ∞) per table, Theorem 1 of the Dirichlet paper"
	two, inf := p.deltas()
	claim := func(order float64) float64 {
		sum := 0.0
		for _, b := range p.blocks {
			gap := alpha*b.weight + r*float64(p.m.minCount) - (order-1)*r*inf
			if gap <= 0 {
				return math.Inf(1)
			}
			sum += 0.5 * order * r * r * two * num.Trigamma(gap)
		}
		return sum * float64(p.touched) / float64(len(p.blocks))
	}
	l := p.target.Parameters
	out := dp.Parameters{Notion: l.Notion, Order: l.Order, Delta: l.Delta}
	switch l.Notion {
	case dp.Renyi:
		out.Epsilon = number(claim(l.Order))
	case dp.TruncatedConcentrated:
		out.Rho = claim(l.Order) / l.Order
	default:
		e, _ := loss.EpsilonFromRDP(claim, l.Delta)
		out.Epsilon = number(e)
		source += " and Lemma 3 at the best order"
	}
	return mechanism.StandardFormula{Level: out, Source: source}
}
