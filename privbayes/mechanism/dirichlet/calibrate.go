package dirichlet

import (
	"context"
	"encoding/json"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/klrisk"
	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
)

// Calibration chooses r; α is then the smallest that meets the target, except in the paper's own modes.
type Calibration struct {
	rule  string
	value float64
}

// The calibrations without a parameter.
var (
	// Algorithm1 is the paper's, verbatim: r solves λr²ψ′(1+3(λ−1)r) = ε (for one moved record) and α = 1 + 4(λ−1)r. It
	// meets the target and leaves about a quarter of it unspent.
	Algorithm1 = Calibration{rule: "Algorithm 1"}
	// Remark1 is the paper's simpler choice: λr²ψ′(1) = ε, α = 1 + (λ−1)r.
	Remark1 = Calibration{rule: "Remark 1"}
	// AlphaStar takes r of Algorithm 1 and the smallest α that meets the target: never much worse than Algorithm 1 on
	// any data.
	AlphaStar = Calibration{rule: "α* at Algorithm 1's r"}
)

// AtRate fixes r > 0.
func AtRate(r float64) Calibration { return Calibration{"r =", r} }

// Average minimises the expected Kullback–Leibler divergence KL(p‖y) of the raw draw over r, averaged over p ~
// Dirichlet(a0, …, a0): a public prior, 1 for dense histograms, 0.3 for sparse or skewed tables. The real histogram
// never enters. Source: theory/dirichlet.md §2.2.
func Average(a0 float64) Calibration { return Calibration{"average over Dirichlet prior a₀ =", a0} }

// String names the calibration.
func (c Calibration) String() string {
	if c.value == 0 {
		return c.rule
	}
	return fmt.Sprintf("%s %.4g", c.rule, c.value)
}

func (c Calibration) valid() error {
	switch c {
	case Algorithm1, Remark1, AlphaStar:
		return nil
	}
	known := c.rule == AtRate(1).rule || c.rule == Average(1).rule
	if !known || !(c.value >= 1e-9 && c.value <= 1e9) {
		return domain.Refuse("dirichlet", "calibration", c.String(), "Algorithm1, Remark1, "+
			"AlphaStar, or AtRate or Average of a number in [1e-9, 1e9]")
	}
	return nil
}

type calibrationJSON struct {
	Rule  string  `json:"rule"`
	Value float64 `json:"value,omitempty"`
}

// MarshalJSON writes rule and value.
func (c Calibration) MarshalJSON() ([]byte, error) {
	return json.Marshal(calibrationJSON{c.rule, c.value})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (c *Calibration) UnmarshalJSON(b []byte) error {
	var j calibrationJSON
	err := json.Unmarshal(b, &j)
	*c = Calibration{j.Rule, j.Value}
	return err
}

// Limits of r and α: within, sampler and pair keep their accuracy.
const (
	minRate, maxRate   = 1e-9, 1e9
	minShape, maxShape = 1e-9, 1e18
)

func validPair(r, alpha float64) error {
	if !(r >= minRate && r <= maxRate) {
		return domain.Refuse("dirichlet", "rate", r, fmt.Sprintf("r in [%g, %g]", minRate, maxRate))
	}
	if !(alpha >= minShape && alpha <= maxShape) {
		return domain.Refuse("dirichlet", "shape", alpha, fmt.Sprintf("α in [%g, %g]", minShape, maxShape))
	}
	return nil
}

// calibrate finds r and α.
func (p *problem) calibrate() (r, alpha float64, err error) {
	c := p.m.calibration
	if err := c.valid(); err != nil {
		return 0, 0, err
	}
	switch c.rule {
	case Algorithm1.rule, Remark1.rule, AlphaStar.rule:
		order, share, err := p.paperTarget(c)
		if err != nil {
			return 0, 0, err
		}
		if c == Remark1 {
			r = p.remark1(order, share)
			alpha = 1 + (order-1)*r*float64(p.rows)
		} else {
			r = p.algorithm1(order, share)
			alpha = 1 + 4*(order-1)*r*float64(p.rows)
		}
		if c != AlphaStar {
			return r, alpha, validPair(r, alpha)
		}
	case Average(1).rule:
		r, err = p.bestRate(c.value)
		if err != nil {
			return 0, 0, err
		}
	default:
		r = c.value
	}
	alpha, err = p.leastShape(r)
	return r, alpha, err
}

// leastShape is the smallest α at which the release meets the target.
func (p *problem) leastShape(r float64) (float64, error) {
	ctx := p.ctx
	if ctx == nil {
		ctx = context.Background()
	}
	excess := func(alpha float64) float64 {
		return loss.Excess(loss.Until(ctx, p.pair(r, alpha)), p.target.Parameters)
	}
	meets := func(alpha float64) bool { return ctx.Err() != nil || excess(alpha) <= 0 }
	hi := math.Max(1, r)
	for !meets(hi) {
		if hi *= 4; hi > maxShape {
			return 0, mechanism.Unmet(ctx, p.target.Parameters, p.pair(r, maxShape), "a weaker target, or a "+
				"smaller r")
		}
	}
	lo := hi / 4
	for lo > minShape && meets(lo) {
		hi, lo = lo, lo/4
	}
	return math.Max(minShape, noise.Least(lo, hi, num.Threshold(lo, hi, excess))), ctx.Err()
}

// bestRate minimises the average objective over ln r by golden section, each r with its smallest α.
func (p *problem) bestRate(a0 float64) (float64, error) {
	if _, public := p.shape.N(); !public {
		return 0, mechanism.Unsupported("an average over histograms with private n", "AtRate(r)")
	}
	loss := func(logR float64) float64 {
		r := math.Exp(logR)
		alpha, err := p.leastShape(r)
		if err != nil {
			return math.Inf(1)
		}
		return p.averageKL(r, alpha, a0)
	}
	least := math.Inf(1)
	lo, hi := num.GoldenSection(func(logR float64) float64 {
		v := loss(logR)
		least = math.Min(least, v)
		return v
	}, math.Log(1e-3), math.Log(1e3), 1e-2) // the objective is flat: a hundredth in ln r costs nothing
	if p.ctx != nil && p.ctx.Err() != nil {
		return 0, p.ctx.Err()
	}
	if math.IsInf(least, 1) {
		_, err := p.leastShape(1)
		return 0, err
	}
	return math.Exp((lo + hi) / 2), nil
}

// averageKL is the expected KL divergence of one raw conditional distribution, averaged over the tables' and their
// rows' uniform shares of the records and over p ~ Dirichlet(a0).
func (p *problem) averageKL(r, alpha, a0 float64) float64 {
	sum, known := 0.0, map[block]float64{} // tables of one form have one divergence
	for _, b := range p.blocks {
		kl, ok := known[b]
		if !ok {
			kl = klrisk.Average(math.Max(p.n, 1)/float64(b.rows), b.levels, r, alpha*b.weight, a0)
			known[b] = kl
		}
		sum += kl
	}
	return sum / float64(len(p.blocks))
}

// sizeWeight is C^−0.8 for C cells in units of the mean: α_k ∝ 1/ε_k at a fixed r.
func sizeWeight(c float64) float64 { return math.Pow(c, -0.8) }

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

// standardFormula is what the paper's Theorem 1 claims for r and α, at the order of the target: the smallest ε of the
// form above, over all tables.
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
