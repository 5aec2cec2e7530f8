package budget

import (
	"fmt"
	"math"
	"math/big"

	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// account is the rule by which charges add up under a limit. Each charge is chosen after seeing the outputs of those
// before it, so only sums that are fixed beforehand may be held against the limit (theory/ledger.md):
//
//   - under pure ε, ε adds; under zCDP and tCDP, ρ adds; under (λ, ε)-RDP, Rényi ε adds at the order λ of the limit;
//   - under (ε, δ), pure and (ε, δ) charges add ε and δ, and stay there; zCDP, tCDP and Rényi charges add their
//     divergence at the order of the conversion to the same ε; the first of them also pays the conversion's cost in ε
//     and its share in δ.
type account struct {
	limit      dp.Parameters
	conversion Conversion
	cost       float64 // Conversion.Cost, rounded up
}

func newAccount(limit dp.Parameters, c Conversion) account { return account{limit, c, c.Cost()} }

// leeway is by how much a sum may exceed a limit, relatively: numbers such as 0.1 are not exact in binary, and ten
// charges of 0.1 fit 1. So a limit x stands for x·(1 + 2^-50), under one part in 10^15 more; sums are exact, so that
// nothing else adds to it.
const leeway = 0x1p-50

// spending is what charges add up to, exactly.
type spending struct {
	epsilon, delta, rho *big.Float
	converted           bool // cost and share of the conversion are in it
}

// exact is a number with room for every sum and product of two float64: none of them rounds.
func exact(x float64) *big.Float {
	if math.IsNaN(x) {
		x = math.Inf(1)
	}
	return new(big.Float).SetPrec(4400).SetFloat64(x)
}

// product is x·y, exactly.
func product(x, y float64) *big.Float { return exact(x).Mul(exact(x), exact(y)) }

// spend adds the charges. It fails with *ConversionOrderError or *NotionError for a charge that the limit cannot count.
func (a account) spend(charges []Charge) (spending, error) {
	s := spending{epsilon: exact(0), delta: exact(0), rho: exact(0)}
	for _, c := range charges {
		if err := a.add(&s, c.Level); err != nil {
			return s, err
		}
	}
	return s, nil
}

func (a account) add(s *spending, l dp.Parameters) error {
	if a.limit.Notion == dp.Approximate {
		return a.addApproximate(s, l)
	}
	if a.limit.Notion == dp.Renyi && (l.Notion == dp.Concentrated || l.Notion == dp.TruncatedConcentrated &&
		a.limit.Order <= l.Order) {
		s.epsilon.Add(s.epsilon, product(l.Rho, a.limit.Order)) // as At, without its inflation
		return nil
	}
	w, err := l.At(a.limit)
	if err != nil {
		return &NotionError{Limit: a.limit, Charge: l, Err: err}
	}
	s.epsilon.Add(s.epsilon, exact(float64(w.Epsilon)))
	s.rho.Add(s.rho, exact(w.Rho))
	return nil
}

func (a account) addApproximate(s *spending, l dp.Parameters) error {
	divergence, order := exact(float64(l.Epsilon)), l.Order
	switch l.Notion {
	case dp.Pure, dp.Approximate:
		s.epsilon.Add(s.epsilon, divergence)
		s.delta.Add(s.delta, exact(l.Delta))
		return nil
	case dp.Renyi:
	case dp.Concentrated, dp.TruncatedConcentrated:
		divergence = product(l.Rho, a.conversion.Order)
		if l.Notion == dp.Concentrated {
			order = math.Inf(1)
		}
	default:
		return &NotionError{Limit: a.limit, Charge: l, Err: &dp.ConversionError{From: l.Notion, To: dp.Approximate}}
	}
	if a.conversion.Order == 0 || order < a.conversion.Order {
		return &ConversionOrderError{l, a.conversion.Order}
	}
	s.epsilon.Add(s.epsilon, divergence)
	if !s.converted {
		s.converted = true
		s.epsilon.Add(s.epsilon, exact(a.cost))
		s.delta.Add(s.delta, exact(a.conversion.Delta))
	}
	return nil
}

// fits reports whether the sums are within the limit, up to leeway.
func (a account) fits(s spending) bool {
	within := func(x *big.Float, limit float64) bool { return x.Cmp(product(limit, 1+leeway)) <= 0 }
	return within(s.epsilon, float64(a.limit.Epsilon)) && within(s.delta, a.limit.Delta) && within(s.rho, a.limit.Rho)
}

// level is the spending in the notion of the limit, rounded up. What cannot be counted at all is infinite.
func (a account) level(s spending, err error) dp.Parameters {
	up := func(x *big.Float) float64 {
		v, _ := new(big.Float).SetPrec(53).SetMode(big.ToPositiveInf).Set(x).Float64()
		return v
	}
	l := dp.Parameters{Notion: a.limit.Notion, Order: a.limit.Order, Epsilon: cert.Number(up(s.epsilon)),
		Delta: up(s.delta), Rho: up(s.rho)}
	if err != nil && l.Rho == 0 {
		l.Epsilon = cert.Number(math.Inf(1))
	}
	return l
}

// Remainder is what a budget may still be charged. It is for planning: what is guaranteed is the limit, however little
// was spent.
type Remainder struct {
	Notion dp.Notion // of the limit

	Epsilon float64 // for charges that add ε: pure and, under that limit, (ε, δ); under a Rényi limit, ε at its order
	Delta   float64 // for (ε, δ) charges
	Rho     float64 // for one zCDP charge; also for tCDP up to the order
	Renyi   float64 // for one Rényi charge of at least Order under an (ε, δ) limit, after the cost of the conversion
	Order   float64 // of the conversion, or of a Rényi limit

	Converted bool // the conversion has been paid, under an (ε, δ) limit
}

// left is what the limit leaves after s, rounded down.
func (a account) left(s spending, err error) Remainder {
	r := Remainder{Notion: a.limit.Notion, Order: a.limit.Order, Converted: s.converted}
	if err != nil {
		return r
	}
	rest := func(limit float64, x *big.Float) *big.Float {
		if d := exact(limit).Sub(exact(limit), x); d.Sign() > 0 {
			return d
		}
		return exact(0)
	}
	down := func(x *big.Float) float64 {
		v, _ := new(big.Float).SetPrec(53).SetMode(big.ToNegativeInf).Set(x).Float64()
		return v
	}
	over := func(x *big.Float, order float64) float64 {
		return down(new(big.Float).SetPrec(200).Quo(x, exact(order)))
	}
	epsilon, delta := rest(float64(a.limit.Epsilon), s.epsilon), rest(a.limit.Delta, s.delta)
	switch a.limit.Notion {
	case dp.Pure:
		r.Epsilon = down(epsilon)
	case dp.Renyi:
		r.Epsilon, r.Rho = down(epsilon), over(epsilon, a.limit.Order)
	case dp.Concentrated, dp.TruncatedConcentrated:
		r.Rho = down(rest(a.limit.Rho, s.rho))
	case dp.Approximate:
		r.Epsilon, r.Delta, r.Order = down(epsilon), down(delta), a.conversion.Order
		if !s.converted {
			if a.conversion.Order == 0 || delta.Cmp(exact(a.conversion.Delta)) < 0 {
				break
			}
			epsilon.Sub(epsilon, exact(a.cost))
			if epsilon.Sign() < 0 {
				break
			}
		}
		r.Renyi, r.Rho = down(epsilon), over(epsilon, a.conversion.Order)
	}
	return r
}

// String says what is left, such as "ε = 0.4 and δ = 5e-07, or ρ = 0.01 of zCDP".
func (r Remainder) String() string {
	n := table.Number
	switch r.Notion {
	case dp.Pure:
		return "ε = " + n(r.Epsilon)
	case dp.Renyi:
		return fmt.Sprintf("ε = %s at order %s, or ρ = %s of zCDP", n(r.Epsilon), n(r.Order), n(r.Rho))
	case dp.Concentrated, dp.TruncatedConcentrated:
		return "ρ = " + n(r.Rho)
	case dp.Approximate:
		s := fmt.Sprintf("ε = %s and δ = %s", n(r.Epsilon), n(r.Delta))
		switch {
		case r.Rho > 0 && r.Converted:
			return s + fmt.Sprintf(", or ρ = %s of zCDP (the conversion is paid)", n(r.Rho))
		case r.Rho > 0:
			return s + fmt.Sprintf(", or ρ = %s of zCDP after paying the conversion", n(r.Rho))
		}
		return s + ", nothing for zCDP, tCDP or Rényi charges"
	}
	return "nothing"
}
