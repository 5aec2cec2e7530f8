package budget

import (
	"fmt"
	"math"
	"strconv"

	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// Conversion says how a budget with an (ε, δ) limit takes charges that bound a Rényi divergence (zCDP, tCDP, Rényi):
// all at one order λ, and for one share δ_c of δ. Both are fixed when the budget is made, as functions of the limit or
// by [ConvertAtOrder] and [ConvertWithDelta], and never again: an order or a share chosen after seeing charges or
// outputs is covered by no theorem, and fails. See theory/ledger.md §1 and §3.
type Conversion struct {
	Order float64 `json:"order"` // λ
	Delta float64 `json:"delta"` // δ_c
}

// Cost is what the first converting charge pays in ε beside its own divergence,
//
//	c = ln(k(λ)/δ_c)/(λ−1), at least 0, with k(λ) = (1/λ)(1 − 1/λ)^(λ−1),
//
// rounded up by 2^-48 of its terms, which covers the few units in the last place that four elementary operations lose.
// It is infinite for the zero Conversion, which converts nothing.
func (c Conversion) Cost() float64 {
	if !(c.Order > 1) || !(c.Delta > 0) {
		return math.Inf(1)
	}
	last := math.Log1p(-1 / c.Order) // ln(1 − 1/λ)
	if c.Order < 2 {                 // 1/λ near 1 would cancel; λ − 1 is exact
		last = math.Log(c.Order-1) - math.Log(c.Order)
	}
	tail, order := -math.Log(c.Delta)/(c.Order-1), math.Log(c.Order)/(c.Order-1)
	margin := 0x1p-48 * (math.Abs(last) + math.Abs(tail) + order)
	return math.Max(0, last+tail-order+margin)
}

// valid returns a *ParameterError unless the conversion leaves something of the limit (ε, δ).
func (c Conversion) valid(limit dp.Parameters) error {
	switch cost := c.Cost(); {
	case !(c.Order > 1) || math.IsInf(c.Order, 1):
		return &dp.ParameterError{Of: "budget", Parameter: "order of the conversion", Value: c.Order,
			Want: "a finite order > 1"}
	case !(c.Delta > 0 && c.Delta <= limit.Delta):
		return &dp.ParameterError{Of: "budget", Parameter: "δ of the conversion", Value: c.Delta,
			Want: fmt.Sprintf("a number in (0, %v], at most the limit's δ", limit.Delta)}
	case !(cost < float64(limit.Epsilon)):
		return &dp.ParameterError{Of: "budget", Parameter: "order of the conversion", Value: c.Order,
			Want: fmt.Sprintf("one whose conversion at δ = %v costs less than ε = %v; at this order it costs %.4g",
				c.Delta, float64(limit.Epsilon), cost)}
	}
	return nil
}

// Option refines how a budget is made: see [ConvertAtOrder] and [ConvertWithDelta]. Options are for (ε, δ) limits.
type Option func(*Conversion)

// ConvertAtOrder fixes the order λ > 1 at which zCDP, tCDP and Rényi charges are added and converted. Without it the
// order is the one at which most zCDP fits the limit, argmax (ε − c(λ))/λ, to three digits of λ − 1. Ask for a lower
// order where the Rényi or tCDP charges to come hold only up to one, as an order above the ledger's is taken and one
// below it is not.
func ConvertAtOrder(lambda float64) Option { return func(c *Conversion) { c.Order = lambda } }

// ConvertWithDelta fixes the share δ_c ≤ δ that converting takes of the limit's δ, once, at the first charge that needs
// it. Without it the share is δ/2. The whole of δ gives converting charges 4 to 8 percent more; then such a charge
// leaves no δ to (ε, δ) charges, nor they to it.
func ConvertWithDelta(delta float64) Option { return func(c *Conversion) { c.Delta = delta } }

// newConversion is the conversion of a limit: a function of limit and options alone. It is zero for a limit that is not
// (ε, δ), and for one of which no order leaves anything.
func newConversion(limit dp.Parameters, options []Option) (Conversion, error) {
	asked := Conversion{}
	for _, o := range options {
		o(&asked)
	}
	if limit.Notion != dp.Approximate {
		if len(options) > 0 {
			return Conversion{}, &dp.ParameterError{Of: "budget", Parameter: "limit", Value: limit.String(),
				Want: "an (ε, δ) limit for a conversion; other limits do not convert"}
		}
		return Conversion{}, nil
	}
	c := asked
	if c.Delta == 0 {
		c.Delta = limit.Delta / 2
	}
	if c.Order == 0 {
		c.Order = conversionOrder(float64(limit.Epsilon), c.Delta)
	}
	if c.Order == 0 && len(options) == 0 {
		return Conversion{}, nil
	}
	return c, c.valid(limit)
}

// conversionOrder is the λ of the grid λ − 1 = m·10^e, 100 ≤ m < 1000, at which (ε − c(λ))/λ is largest, 0 if it is
// nowhere positive. The grid makes it a short decimal number, the same on every machine. It costs under 5e-4 of the
// best capacity of all orders.
func conversionOrder(epsilon, delta float64) float64 {
	best, capacity := 0.0, 0.0
	at := func(m, e int) bool {
		order := gridOrder(m, e)
		v := (epsilon - Conversion{order, delta}.Cost()) / order
		if v > capacity {
			best, capacity = order, v
			return true
		}
		return false
	}
	m0, e0 := 0, 0
	for e := -14; e <= 15; e++ {
		for m := 100; m < 1000; m += 50 {
			if at(m, e) {
				m0, e0 = m, e
			}
		}
	}
	if best == 0 {
		return 0
	}
	// below 100 and above 999 the grid is finer or coarser than needed, and still decimal
	for m := m0 - 50; m <= m0+50; m++ {
		at(m, e0)
	}
	return best
}

// gridOrder is 1 + m·10^e as the float64 nearest to that decimal number.
func gridOrder(m, e int) float64 {
	s := strconv.Itoa(m) + "e" + strconv.Itoa(e)
	if e < 0 { // one division of integers rounds once
		ten, _ := strconv.ParseFloat("1e"+strconv.Itoa(-e), 64)
		return (ten + float64(m)) / ten
	}
	x, _ := strconv.ParseFloat(s, 64)
	return 1 + x
}

// ConversionOrderError is a charge that an (ε, δ) limit cannot convert at its order. Nothing was charged.
type ConversionOrderError struct {
	Charge dp.Parameters
	Order  float64 // of the budget's conversion; 0 if no order leaves anything of the limit
}

func (e *ConversionOrderError) Error() string {
	if e.Order == 0 {
		return fmt.Sprintf("budget: %s cannot be charged: converting it would take more than the whole limit at "+
			"every order; want pure or (ε, δ) charges, or a larger limit", e.Charge)
	}
	return fmt.Sprintf("budget: %s says nothing about order %v, at which this budget adds and converts; want a Rényi "+
		"order or ω of at least that, or a budget made with ConvertAtOrder(%v)",
		e.Charge, e.Order, e.Charge.Order)
}
