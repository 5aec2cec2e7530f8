package audit

import (
	"context"
	"fmt"
	"math"
	"sync/atomic"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/dp/finite"
)

// sumTolerance is how far from 1 the probabilities of a law may sum to.
const sumTolerance = 1e-9

// LawError says that the law of a mechanism at x is not a probability distribution on its outputs.
type LawError struct {
	X     []int
	What  string // such as "sum of the probabilities"
	Value any
	Want  string
}

func (e *LawError) Error() string {
	return fmt.Sprintf("audit: law at x = %v: %s = %v; want %s", e.X, e.What, e.Value, e.Want)
}

// FromFunc makes a mechanism from a function that gives the probabilities of all outputs at counts x. The function is
// called from several goroutines at once; it may keep and change its x. [Run] reports a result of another length, a
// probability that is negative or NaN, or a sum that is off 1 by more than 1e-9 as a *LawError. A mechanism whose
// probabilities fall below 1e-308 should give log-probabilities instead: implement finite.Mechanism.
func FromFunc(outputs int, law func(x []int) []float64) finite.Mechanism {
	return function{outputs, law}
}

type function struct {
	outputs int
	law     func(x []int) []float64
}

// Outputs is the number of outputs.
func (f function) Outputs() int { return f.outputs }

// LogLaw fills out with logarithms of the probabilities, and with NaN where they are not probabilities.
func (f function) LogLaw(x []int, out []float64) {
	if f.fill(x, out) != nil {
		for o := range out {
			out[o] = math.NaN()
		}
	}
}

func (f function) fill(x []int, out []float64) *LawError {
	if f.law == nil {
		return badLaw(x, "function", nil, "a function of x")
	}
	p := f.law(append([]int(nil), x...))
	if len(p) != len(out) {
		return badLaw(x, "number of probabilities", len(p), fmt.Sprint(len(out)))
	}
	for o, v := range p {
		if !(v >= 0) {
			return badLaw(x, fmt.Sprintf("probability of output %d", o), v, "a number ≥ 0")
		}
		out[o] = math.Log(v)
	}
	return nil
}

func badLaw(x []int, what string, value any, want string) *LawError {
	return &LawError{append([]int(nil), x...), what, value, want}
}

// fillLaw is the law of m at x, or what is wrong with it; a panic of the mechanism counts as such.
func fillLaw(m finite.Mechanism, x []int, out []float64) (bad *LawError) {
	defer func() {
		if r := recover(); r != nil {
			bad = badLaw(x, "panic", r, "a law for every x")
		}
	}()
	if f, ok := m.(function); ok {
		if bad := f.fill(x, out); bad != nil {
			return bad
		}
	} else {
		m.LogLaw(x, out)
	}
	sum := 0.0
	for o, lp := range out {
		if !(lp <= sumTolerance) {
			return badLaw(x, fmt.Sprintf("log-probability of output %d", o), lp, "a number ≤ 0, or −Inf")
		}
		sum += math.Exp(lp)
	}
	if !(math.Abs(sum-1) <= sumTolerance) {
		return badLaw(x, "sum of the probabilities", sum, "1, within 1e-9")
	}
	return nil
}

// checked ends the audit at a bad law: NaN would hide a loss, and a missing output too.
type checked struct {
	finite.Mechanism
	cancel context.CancelCauseFunc
	failed atomic.Bool
}

// LogLaw is that of the mechanism.
func (c *checked) LogLaw(x []int, out []float64) {
	if bad := fillLaw(c.Mechanism, x, out); bad != nil {
		c.failed.Store(true)
		c.cancel(bad)
	}
}

// firstBadLaw goes through the laws in order: which worker met a bad one first is chance.
func (s Subject) firstBadLaw() error {
	out := make([]float64, s.Mechanism.Outputs())
	for x := range s.Space.Inputs() {
		if bad := fillLaw(s.Mechanism, append([]int(nil), x...), out); bad != nil {
			return bad
		}
	}
	return domain.Refuse("audit: "+s.Name, "mechanism", "another law at the same x",
		"a law that depends on x only, and safe concurrent use")
}
