package budget

import (
	"fmt"
	"math"
	"sync"

	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
)

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
