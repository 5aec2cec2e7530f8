// Package audit checks a privacy claim about a mechanism with finitely many outputs. It finds the exact privacy by
// visiting every pair of neighbouring count vectors and every output.
//
// You give the output probabilities ([FromFunc]) or log-probabilities (a finite.Mechanism) of any mechanism. An audit
// is exact for the space it visits and says nothing about others. If it refutes a claim, it shows the neighbours that
// do so.
package audit

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/finite"
	"github.com/privbayes/privbayes-go/privbayes/table"
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

// Finding is one exact quantity, with the claim about it where there is one.
type Finding struct {
	Quantity string  // such as "δ at ε = 1"
	Value    float64 // maximum over ordered pairs of neighbours
	Claimed  bool    // the claim bounds it
	Bound    float64 // by this
	Holds    bool    // whether it is within the bound, up to rounding; true where nothing is claimed
	At       finite.Worst
}

// Verdict is what an audit found. It concerns the mechanism and the space, not anybody's data, and may be published.
type Verdict struct {
	Name      string
	Claim     dp.Parameters
	Space     finite.Space
	Outputs   int
	Tolerance float64 // a claimed ε is met up to ε + Tolerance·(1 + ε)
	Findings  []Finding
	Exact     *finite.Result // in full precision; its lists begin with what the claim needs
}

// Holds reports whether the claim is true on the space, up to rounding; for a concentrated claim, on the grid of
// orders.
func (v *Verdict) Holds() bool {
	for _, f := range v.Findings {
		if !f.Holds {
			return false
		}
	}
	return len(v.Findings) > 0
}

// within reports x ≤ bound up to rounding, which is amplified by 1/(λ−1) in a Rényi divergence.
func (v *Verdict) within(x, bound, amplified float64) bool {
	return x <= bound+v.Tolerance*(1+bound+amplified)
}

// judge fills the findings from the exact result: o is what was computed, asked is what the user asked for beyond the
// claim.
func (v *Verdict) judge(o, asked finite.Options) {
	r, claim := v.Exact, v.Claim
	add := func(f Finding) {
		f.Holds = f.Holds || !f.Claimed
		v.Findings = append(v.Findings, f)
	}
	eps := float64(claim.Epsilon)

	pure := Finding{Quantity: "pure ε", Value: r.Epsilon, At: r.At}
	if claim.Notion == dp.Pure {
		pure.Claimed, pure.Bound, pure.Holds = true, eps, v.within(r.Epsilon, eps, 0)
	}
	add(pure)
	add(Finding{Quantity: "range of the loss", Value: r.Range, At: r.RangeAt})

	approximate := claim.Notion == dp.Approximate
	for i, d := range o.Deltas {
		f := Finding{Quantity: "ε at δ = " + table.Number(d), Value: math.Min(r.EpsilonAt[i], r.Epsilon),
			At: r.EpsilonOf[i]}
		if approximate && i == 0 {
			f.Claimed, f.Bound, f.Holds = true, eps, v.within(f.Value, eps, 0)
		}
		add(f)
	}
	for i, e := range o.Epsilons {
		f := Finding{Quantity: "δ at ε = " + table.Number(e), Value: r.Delta[i], At: r.DeltaAt[i]}
		if approximate && i == 0 {
			// the same claim seen from the other side, so the same answer: δ is met where ε is
			f.Claimed, f.Bound, f.Holds = true, claim.Delta, v.Findings[2].Holds
		}
		add(f)
	}
	if claim.Notion == dp.Concentrated || claim.Notion == dp.TruncatedConcentrated {
		add(v.concentrated(o.Orders))
		v.renyi(o.Orders, len(o.Orders)-len(asked.Orders), add)
		return
	}
	v.renyi(o.Orders, 0, add)
}

// renyi adds the divergences from the given one on. Each is at most pure ε, which also holds where the sum overflowed.
func (v *Verdict) renyi(orders []float64, from int, add func(Finding)) {
	for i := from; i < len(orders); i++ {
		f := Finding{
			Quantity: "Rényi divergence of order " + table.Number(orders[i]),
			Value:    math.Min(v.Exact.RDP[i], v.Exact.Epsilon), At: v.Exact.RDPAt[i],
		}
		if v.Claim.Notion == dp.Renyi && i == 0 {
			eps := float64(v.Claim.Epsilon)
			f.Claimed, f.Bound, f.Holds = true, eps, v.within(f.Value, eps, 1/(orders[i]-1))
		}
		add(f)
	}
}

// concentrated is the order of the grid with the greatest D_λ/λ, the least ρ that the grid allows.
func (v *Verdict) concentrated(orders []float64) Finding {
	f := Finding{Claimed: true, Bound: v.Claim.Rho, Holds: true, At: finite.Worst{Output: -1}}
	at := 0.0
	for i, order := range orders {
		d := math.Min(v.Exact.RDP[i], v.Exact.Epsilon)
		if rho := d / order; rho > f.Value {
			f.Value, f.At, at = rho, v.Exact.RDPAt[i], order
		}
		f.Holds = f.Holds && v.within(d, v.Claim.Rho*order, 1/(order-1))
	}
	f.Quantity = fmt.Sprintf("ρ on %d orders, greatest at λ = %s", len(orders), table.Number(at))
	return f
}

// Table lists the findings, a row each.
func (v *Verdict) Table() *table.Table {
	answer := "the claim holds"
	if !v.Holds() {
		answer = "the claim is FALSE"
	}
	t := table.New(fmt.Sprintf("Audit of %s: %s? %s", v.Name, v.Claim, answer),
		"quantity", "exact", "claimed", "holds", "worst neighbours", "output")
	for _, f := range v.Findings {
		var claimed, holds, pair, output any
		if f.Claimed {
			claimed, holds = f.Bound, "yes"
			if !f.Holds {
				holds = "NO"
			}
		}
		if f.At.X != nil {
			pair = fmt.Sprintf("%v, %v", f.At.X, f.At.Y)
			if f.At.Output >= 0 {
				output = f.At.Output
			}
		}
		t.Add(f.Quantity, f.Value, claimed, holds, pair, output)
	}
	t.Note(fmt.Sprintf("every neighbour of every data set over %d cells, %s, and every output: %d ordered pairs × %d "+
		"outputs = %d cases",
		v.Space.Cells, records(v.Space), v.Exact.Pairs, v.Outputs, v.Exact.Work))
	if v.Claim.Notion == dp.TruncatedConcentrated && v.Holds() {
		t.Note("a truncated-concentrated claim is about all orders 1 < λ ≤ ω: this is evidence on the orders " +
			"visited, not a proof")
	}
	if v.Claim.Notion == dp.Concentrated && v.Holds() {
		t.Note("a concentrated claim is about all orders λ > 1: this is evidence on the orders visited, not a proof")
	}
	return t
}

// records says which data sets a space has.
func records(s finite.Space) string {
	if s.Adjacency == dp.AddRemove {
		return fmt.Sprintf("n ≤ %d, %s", s.N, s.Adjacency)
	}
	return fmt.Sprintf("n = %d, %s", s.N, s.Adjacency)
}

// String shows the verdict as text.
func (v *Verdict) String() string { return table.Text(v) }

// Test is one event at one pair of neighbours, counted in fresh draws.
type Test struct {
	X, Y    []int
	Event   string  // in words
	Hits    [2]int  // draws in the event at X and at Y
	AtLeast float64 // the probability of the event at X
	AtMost  float64 // the probability of the event at Y
	Spent   float64 // what the claim bounds is at least this: see [Sample]
}

// Evidence is what draws say against a claim. It concerns the mechanism and the space, not anybody's data, and may be
// published.
type Evidence struct {
	Name       string
	Claim      dp.Parameters
	Space      finite.Space
	Draws      int     // of each data set, and on either side of each test
	Total      int64   // draws in all
	FalseAlarm float64 // the probability of refuting a true claim, at most
	Tests      []Test  // the worst first
}

// Refuted reports whether a test shows more than the claim allows. False means that nothing was shown: not that the
// claim holds.
func (e *Evidence) Refuted() bool {
	for _, t := range e.Tests {
		if t.Spent > bound(e.Claim)*(1+DefaultTolerance) {
			return true
		}
	}
	return false
}

// quantity names what the claim bounds.
func (e *Evidence) quantity() string {
	switch e.Claim.Notion {
	case dp.Approximate:
		return "δ at ε = " + table.Number(float64(e.Claim.Epsilon))
	case dp.Renyi:
		return "divergence of order " + table.Number(e.Claim.Order)
	case dp.Concentrated, dp.TruncatedConcentrated:
		return "ρ"
	}
	return "pure ε"
}

// Table lists the tests, a row each.
func (e *Evidence) Table() *table.Table {
	answer := "not refuted"
	if e.Refuted() {
		answer = "the claim is FALSE"
	}
	t := table.New(fmt.Sprintf("Audit of %s by draws: %s? %s", e.Name, e.Claim, answer),
		"neighbours", "event", "share at the first", "at the second", e.quantity()+" is at least", "claimed")
	for _, k := range e.Tests {
		t.Add(fmt.Sprintf("%v, %v", k.X, k.Y), k.Event, float64(k.Hits[0])/float64(e.Draws),
			float64(k.Hits[1])/float64(e.Draws), k.Spent, bound(e.Claim))
	}
	t.Note(fmt.Sprintf("%d draws: %d from each data set over %d cells, %s, to choose the events, then %d fresh ones "+
		"on either side of each", e.Total, e.Draws, e.Space.Cells, records(e.Space), e.Draws))
	t.Note(fmt.Sprintf("a claim that holds is refuted with probability at most %s, if the draws are independent",
		table.Number(e.FalseAlarm)))
	if !e.Refuted() {
		t.Note("that a claim is not refuted is no proof of it")
	}
	return t
}

// String shows the evidence as text.
func (e *Evidence) String() string { return table.Text(e) }
