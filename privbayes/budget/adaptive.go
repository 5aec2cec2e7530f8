package budget

import (
	"fmt"
	"math"
	"strconv"
	"sync"

	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
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

// RenyiFilter lets an analyst choose each mechanism, and its privacy loss, after seeing all earlier outputs, and keeps
// the whole sequence (λ, B)-RDP: at one order λ, fixed beforehand, the spent divergences may not add up to more than B.
// It is safe for concurrent use.
//
// Theorem (Feldman and Zrnic 2021; Lécuyer 2021). If the t-th mechanism, given any outputs y_{<t}, has Rényi
// divergence of order λ at most ρ_t(y_{<t}), and Σ_t ρ_t ≤ B always, then the joint output is (λ, B)-RDP.
//
// Proof. Let P and Q be the laws of the outputs on two neighbouring data sets, and M_t = Π_{s≤t} (p_s/q_s)^λ
// e^{−(λ−1)ρ_s}, with p_s, q_s the conditional densities of y_s given y_{<s}. Under Q, E[M_t | y_{<t}] = M_{t−1}
// e^{−(λ−1)ρ_t} E_Q[(p_t/q_t)^λ | y_{<t}] ≤ M_{t−1}: ρ_t is a function of y_{<t}, and the last factor is at most
// e^{(λ−1)ρ_t}. So E_Q M_T ≤ 1 for every number of steps T, and E_Q(p/q)^λ = E_Q[M_T e^{(λ−1)Σρ_s}] ≤ e^{(λ−1)B}, as
// Σρ_s ≤ B on every path. A sequence that stops early is one whose further ρ_t are 0. ∎
//
// The proof needs the order to be fixed: a claim at the order that turned out best, or the running total read as a
// guarantee (an odometer), does not follow, and this type offers neither.
type RenyiFilter struct {
	order, limit float64
	mu           sync.Mutex
	spent        float64
}

// NewRenyiFilter is a filter of order λ > 1 with budget B > 0, both finite; otherwise it fails with *ParameterError.
func NewRenyiFilter(order, budget float64) (*RenyiFilter, error) {
	if err := dp.RenyiDP(order, budget).Valid(); err != nil {
		return nil, err
	}
	return &RenyiFilter{order: order, limit: budget}, nil
}

// FilterExceededError says what a mechanism would have cost and what is left at the filter's order. Nothing was spent.
type FilterExceededError struct{ Order, Limit, Spent, Request float64 }

func (e *FilterExceededError) Error() string {
	return fmt.Sprintf("budget: Rényi filter of order %g: %.6g asked for, %.6g spent of %.6g; nothing was spent",
		e.Order, e.Request, e.Spent, e.Limit)
}

// Spend reserves the divergence of the filter's order that curve gives, before the mechanism draws. It fails with
// *FilterExceededError where the total would exceed the budget, and with *ParameterError where the curve gives a
// negative number or none; then nothing is spent. The sum is rounded up; a total above the budget by a relative 1e-9,
// the inflation of reported divergences, passes, and [RenyiFilter.Guarantee] includes that.
func (f *RenyiFilter) Spend(curve loss.Curve) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	cost := curve(f.order)
	if !(cost >= 0) {
		return &dp.ParameterError{Of: "budget", Parameter: "divergence", Value: cost, Want: "a number ≥ 0"}
	}
	total := num.Up(f.spent + cost)
	if cost == 0 {
		total = f.spent
	}
	if !(total <= num.InflateGamma(f.limit)) {
		return &FilterExceededError{f.order, f.limit, f.spent, cost}
	}
	f.spent = total
	return nil
}

// Left is what may still be spent at the filter's order. It is for planning; the guarantee is the whole budget however
// little was spent.
func (f *RenyiFilter) Left() float64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return math.Max(0, f.limit-f.spent)
}

// Guarantee is the level of everything released under the filter: (λ, B)-RDP.
func (f *RenyiFilter) Guarantee() dp.Parameters {
	return dp.RenyiDP(f.order, num.InflateGamma(f.limit)).Parameters
}

// String describes the filter.
func (f *RenyiFilter) String() string {
	return fmt.Sprintf("Rényi filter: %s, %.6g left", f.Guarantee(), f.Left())
}
