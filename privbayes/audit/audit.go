// Package audit checks a privacy claim about a mechanism with finitely many outputs against its exact privacy, found by
// visiting every pair of neighbouring count vectors and every output.
//
// The mechanism may be anybody's: what is needed is its output probabilities ([FromFunc]) or log-probabilities (a
// finite.Mechanism). An audit is exact for the space it visits and says nothing about others; it refutes a claim for
// good, and shows the neighbours that do so.
//
// Place: on top of dp/finite; for users, and for the gallery of caught bugs.
package audit

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/finite"
)

// Subject is a mechanism with the claim about it.
type Subject struct {
	Name      string
	Mechanism finite.Mechanism // called from several goroutines at once, unless Workers(1) is given
	Space     finite.Space     // the data sets: with no neighbours there is nothing to audit
	Claim     dp.Parameters    // pure, approximate, Rényi or concentrated
}

// Option changes what an audit computes, or how.
type Option func(*settings)

type settings struct {
	finite.Options
	tolerance float64
}

// DefaultTolerance covers the rounding of log-probabilities: a claimed ε counts as met up to ε + τ(1 + ε).
const DefaultTolerance = 1e-12

// Epsilons asks also for δ at these ε ≥ 0, which may be more or less than the claimed one.
func Epsilons(eps ...float64) Option {
	return func(s *settings) { s.Options.Epsilons = append(s.Options.Epsilons, eps...) }
}

// Deltas asks also for the smallest ε at these δ in [0, 1).
func Deltas(deltas ...float64) Option {
	return func(s *settings) { s.Options.Deltas = append(s.Options.Deltas, deltas...) }
}

// Orders asks also for the Rényi divergence of these orders > 1; a concentrated claim is checked on them besides the
// default grid.
func Orders(orders ...float64) Option {
	return func(s *settings) { s.Options.Orders = append(s.Options.Orders, orders...) }
}

// Progress reports to f as finite.Options does.
func Progress(f func(done, total int64)) Option {
	return func(s *settings) { s.Options.Progress = f }
}

// Workers bounds the number of goroutines; 0 means one per processor. With 1 the mechanism need not be safe for
// concurrent use.
func Workers(n int) Option {
	return func(s *settings) { s.Options.Workers = n }
}

// Tolerance replaces [DefaultTolerance] by τ in [0, 1e-3], for laws that are computed less accurately.
func Tolerance(tau float64) Option {
	return func(s *settings) { s.tolerance = tau }
}

// Run computes the exact privacy of the subject and compares it with its claim:
//
//	ε-DP          max |log p_x(r) − log p_y(r)| ≤ ε
//	(ε, δ)-DP     the smallest ε′ with Σ_r (p_x(r) − e^{ε′} p_y(r))₊ ≤ δ for all neighbours is at most ε
//	(λ, ε)-RDP    D_λ(p_x ‖ p_y) = log Σ_r p_x(r)^λ p_y(r)^{1−λ} / (λ−1) ≤ ε
//	ρ-zCDP        D_λ(p_x ‖ p_y) ≤ ρλ at every order λ of a grid, which refutes for good but confirms on that grid only
//
// The work is ordered pairs of neighbours times outputs; above cert.WorkLimit(ctx) the error is a cert.ErrWorkLimit.
//
// Errors: *dp.ParameterError for a subject, a claim or an option that cannot be audited; *LawError for the first x, in
// the order of totals and then lexicographic, whose law is not a probability distribution; those of finite.AuditWith;
// the error of ctx. A claim that fails is not an error: see [Verdict.Holds].
func Run(ctx context.Context, s Subject, opts ...Option) (*Verdict, error) {
	o := settings{tolerance: DefaultTolerance}
	for _, f := range opts {
		f(&o)
	}
	if err := s.valid(o); err != nil {
		return nil, err
	}
	asked := o.Options
	o.claimed(s.Claim)

	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	m := &checked{Mechanism: s.Mechanism, cancel: cancel}
	res, err := finite.AuditWith(ctx, m, s.Space, o.Options)
	if m.failed.Load() {
		return nil, s.firstBadLaw()
	}
	if err != nil {
		return nil, err
	}
	v := &Verdict{Name: s.Name, Claim: s.Claim, Space: s.Space, Outputs: s.Mechanism.Outputs(), Tolerance: o.tolerance,
		Exact: res}
	v.judge(o.Options, asked)
	return v, nil
}

func (s Subject) valid(o settings) error {
	if s.Mechanism == nil {
		return domain.Refuse("audit: "+s.Name, "mechanism", nil, "a finite.Mechanism; FromFunc makes one from probabilities")
	}
	if err := s.Claim.Valid(); err != nil {
		return err
	}
	if s.Claim.Notion == dp.None {
		return domain.Refuse("audit: "+s.Name, "claim", s.Claim, "a claim to check; finite.AuditWith measures without one")
	}
	if !(o.tolerance >= 0 && o.tolerance <= 1e-3) {
		return domain.Refuse("audit: "+s.Name, "tolerance", o.tolerance, "a number in [0, 1e-3]")
	}
	for _, e := range o.Options.Epsilons {
		if !(e >= 0) || math.IsInf(e, 1) {
			return domain.Refuse("audit: "+s.Name, "epsilon", e, "a finite number ≥ 0")
		}
	}
	for _, l := range o.Options.Orders {
		if !(l > 1) || math.IsInf(l, 1) {
			return domain.Refuse("audit: "+s.Name, "order", l, "a finite number > 1")
		}
	}
	if s.Space.Cells >= 1 && (s.Space.N == 0 || s.Space.Cells == 1 && s.Space.Adjacency == dp.ReplaceOne) {
		return domain.Refuse("audit: "+s.Name, "space", fmt.Sprintf("%d cells, n = %d, %s", s.Space.Cells, s.Space.N,
			s.Space.Adjacency), "a space with neighbours")
	}
	return nil
}

// orders is the grid on which concentrated claims are checked.
var orders = []float64{1.01, 1.05, 1.1, 1.25, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10, 12, 16, 24, 32, 48, 64, 96, 128, 192,
	256, 512, 1024}

// upTo is the part of an increasing grid below a bound.
func upTo(grid []float64, bound float64) []float64 {
	i := 0
	for i < len(grid) && grid[i] < bound {
		i++
	}
	return append([]float64(nil), grid[:i]...)
}

// claimed adds what the claim needs to what is asked for.
func (o *settings) claimed(l dp.Parameters) {
	switch l.Notion {
	case dp.Pure:
		o.Options.Epsilons = append([]float64{float64(l.Epsilon)}, o.Options.Epsilons...)
	case dp.Approximate:
		o.Options.Epsilons = append([]float64{float64(l.Epsilon)}, o.Options.Epsilons...)
		o.Options.Deltas = append([]float64{l.Delta}, o.Options.Deltas...)
	case dp.Renyi:
		o.Options.Orders = append([]float64{l.Order}, o.Options.Orders...)
	case dp.Concentrated, dp.TruncatedConcentrated:
		var grid []float64
		candidates := orders
		if l.Notion == dp.TruncatedConcentrated {
			candidates = append(upTo(orders, l.Order), l.Order)
		}
		for _, order := range candidates {
			// beyond, Σ p^λ q^{1−λ}, which the claim bounds by e^{λ(λ−1)ρ}, may leave the range of float64
			if order*(order-1)*l.Rho <= 700 {
				grid = append(grid, order)
			}
		}
		o.Options.Orders = append(grid, o.Options.Orders...)
	}
}
