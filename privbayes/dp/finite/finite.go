// Package finite computes the exact privacy of mechanisms with finitely many outputs: pure ε, bounded range, the
// privacy profile in both directions (δ at ε, ε at δ), Rényi divergences and the worst pairs, by visiting every pair of
// neighbouring count vectors and every output.
//
// Place: above dp; mechanisms certify their own output laws with it, and package audit offers it for any other.
package finite

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// Mechanism is a randomised algorithm on count vectors with finitely many outputs.
type Mechanism interface {
	// Outputs is the number of outputs, the same for every input.
	Outputs() int
	// LogLaw fills out with the log-probability of every output at counts x; −Inf means impossible. It is called from
	// several goroutines at once and must not keep x.
	LogLaw(x []int, out []float64)
}

// Worst is the pair and output at which a supremum is attained.
type Worst struct {
	X, Y   []int
	Output int // −1 where the value is a sum over outputs
}

// Result is the exact privacy of a mechanism on a space. Where several pairs attain a value, the first in lexicographic
// order is named, whatever the number of workers.
type Result struct {
	Epsilon   float64   // pure ε: the greatest |log-ratio|, maybe +Inf
	At        Worst     // where it is attained
	Range     float64   // greatest difference of two log-ratios of one pair: the bounded range
	RangeAt   Worst     // Output −1
	Delta     []float64 // hockey-stick divergence at each asked ε, over ordered pairs
	DeltaAt   []Worst
	EpsilonAt []float64 // least ε ≥ 0 at each asked δ, over ordered pairs, maybe +Inf
	EpsilonOf []Worst   // the pairs of EpsilonAt
	RDP       []float64 // Rényi divergence at each asked order
	RDPAt     []Worst
	Pairs     int64 // ordered pairs visited
	Work      int64 // pairs × outputs
}

// Options says what an audit computes besides pure ε and range.
type Options struct {
	Epsilons []float64               // δ is asked for at these ε
	Deltas   []float64               // ε is asked for at these δ in [0, 1)
	Orders   []float64               // Rényi divergences of these orders > 1
	Workers  int                     // goroutines; 0: one per processor
	Progress func(done, total int64) // inputs visited; called from one goroutine at a time
}

// LawError is a log-probability that is NaN or +Inf. It would compare as no loss at all, and so must not pass.
type LawError struct {
	X      []int
	Output int
	Value  float64
}

func (e *LawError) Error() string {
	return fmt.Sprintf("finite: law at x = %v: log-probability of output %d = %v; want a number below +Inf", e.X,
		e.Output, e.Value)
}

// Audit is AuditWith for δ at some ε and Rényi divergences of some orders; both may be empty.
func Audit(ctx context.Context, m Mechanism, s Space, epsilons, orders []float64) (*Result, error) {
	return AuditWith(ctx, m, s, Options{Epsilons: epsilons, Orders: orders})
}

// AuditWith visits every pair of neighbours and every output, in parallel, with bounded memory. Above the work limit of
// ctx (cert.WorkLimit) it returns an error that is cert.ErrWorkLimit before any work; when ctx ends, its error. A law
// with a NaN or +Inf is a *LawError for the first such x that is met.
func AuditWith(ctx context.Context, m Mechanism, s Space, o Options) (*Result, error) {
	if s.Cells < 1 || s.N < 0 {
		return nil, domain.Refuse("finite", "cells, n", [2]int{s.Cells, s.N}, "cells ≥ 1 and n ≥ 0")
	}
	if s.Adjacency != dp.ReplaceOne && s.Adjacency != dp.AddRemove {
		return nil, domain.Refuse("finite", "adjacency", s.Adjacency, "replace-one or add-remove")
	}
	if m.Outputs() < 1 {
		return nil, domain.Refuse("finite", "outputs", m.Outputs(), "at least one")
	}
	for _, d := range o.Deltas {
		if !(d >= 0 && d < 1) {
			return nil, domain.Refuse("finite", "delta", d, "a number in [0, 1)")
		}
	}
	for _, e := range o.Epsilons {
		if !(e >= 0) || math.IsInf(e, 1) {
			return nil, domain.Refuse("finite", "epsilon", e, "a finite number ≥ 0")
		}
	}
	for _, l := range o.Orders {
		if !(l > 1) || math.IsInf(l, 1) {
			return nil, domain.Refuse("finite", "order", l, "a finite number > 1")
		}
	}
	if w := s.Pairs() * float64(m.Outputs()); w > float64(cert.WorkLimit(ctx)) {
		return nil, fmt.Errorf("%w: %.3g pairs × outputs, limit %d; want fewer cells or records, or a higher limit "+
			"(cert.WithWorkLimit)", cert.ErrWorkLimit, w, cert.WorkLimit(ctx))
	}
	if o.Progress == nil {
		o.Progress = cert.ProgressOf(ctx)
	}
	return newStream(m, s, o).run(ctx)
}
