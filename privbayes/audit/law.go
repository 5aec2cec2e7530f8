package audit

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"sync/atomic"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp/finite"
	"github.com/privbayes/privbayes-go/privbayes/table"
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
	return fmt.Sprintf("audit: distribution at x = %v: %s = %v; want %s", e.X, e.What, e.Value, e.Want)
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
			bad = badLaw(x, "panic", r, "a distribution for every x")
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
	return domain.Refuse("audit: "+s.Name, "mechanism", "another distribution at the same x",
		"a distribution that depends on x only, and safe concurrent use")
}

// Agreement is what draws say about a stated law: the law is what an exact audit is about, the draws are what the
// program does.
type Agreement struct {
	Name       string
	Draws      int // of each data set
	Sets       int
	Outputs    int
	FalseAlarm float64 // the probability of denying a law that is the program's own, at most

	X             []int // the data set and the output at which they are furthest apart
	Output        int
	Stated, Share float64
	Tail          float64 // the probability, by the stated law, of as few or as many draws, whichever is less
}

// Agrees reports that no output came so often, or so seldom, that the stated law is denied: with Sets·Outputs counts,
// each looked at from both sides, no Tail is below FalseAlarm/(2·Sets·Outputs).
func (a *Agreement) Agrees() bool { return a.Tail >= a.FalseAlarm/float64(2*a.Sets*a.Outputs) }

// Agree draws from every data set of the space and compares the counts of outputs with a stated law, whose outputs
// the draws name by number, 0 to Outputs−1. A law that is the sampler's own is denied with probability at most
// FalseAlarm. Agreement is no proof: a difference of the order of 1/√Draws is not seen. The claim plays no part.
//
// Errors: *LawError for a law that is none or a draw that names no output, and those of [Sample].
func Agree(ctx context.Context, law finite.Mechanism, s Sampled) (*Agreement, error) {
	if s.Draws == 0 {
		s.Draws = 20_000
	}
	if s.FalseAlarm == 0 {
		s.FalseAlarm = 1e-9
	}
	if law == nil || law.Outputs() < 1 {
		return nil, domain.Refuse("audit: "+s.Name, "law", law, "the distribution of a mechanism with outputs")
	}
	sets, err := s.sets(ctx)
	if err != nil {
		return nil, err
	}
	a := &Agreement{Name: s.Name, Draws: s.Draws, Sets: len(sets), Outputs: law.Outputs(), FalseAlarm: s.FalseAlarm,
		Tail: math.Inf(1)}
	logs := make([]float64, law.Outputs())
	for i, x := range sets {
		if bad := fillLaw(law, slices.Clone(x), logs); bad != nil {
			return nil, bad
		}
		texts, err := s.count(ctx, x)
		if err != nil {
			return nil, err
		}
		counts := make([]int, len(logs))
		for text, k := range texts {
			o, err := strconv.Atoi(text)
			if err != nil || o < 0 || o >= len(logs) {
				return nil, badLaw(x, "output of a draw", safetext.Short(text), fmt.Sprintf("a number from 0 to %d, of an "+
					"output of the stated distribution", len(logs)-1))
			}
			counts[o] += k
		}
		for o, k := range counts {
			if t := tail(k, s.Draws, math.Exp(logs[o])); t < a.Tail {
				a.X, a.Output, a.Tail = x, o, t
				a.Stated, a.Share = math.Exp(logs[o]), float64(k)/float64(s.Draws)
			}
		}
		if f := cert.ProgressOf(ctx); f != nil {
			f(int64(i+1), int64(len(sets)))
		}
	}
	return a, nil
}

// tail is the less of the probabilities that n draws have at least, or at most, k of an event of probability p. It is
// the level at which one end of the Clopper–Pearson interval meets p. p is taken up to a relative 1e-9, by which the
// sum of a law may be off 1.
func tail(k, n int, p float64) float64 {
	least, most := 1.0, 1.0 // P(≥ k), P(≤ k)
	if k > 0 {
		q := math.Min(1, p*(1+1e-9))
		least, _ = num.BetaTails(float64(k), float64(n-k+1), q, 1-q)
		if q == 0 {
			least = 0
		}
	}
	if k < n {
		q := p * (1 - 1e-9)
		_, most = num.BetaTails(float64(k+1), float64(n-k), q, 1-q)
	}
	return math.Min(least, most)
}

// Table is one row: where law and draws are furthest apart.
func (a *Agreement) Table() *table.Table {
	answer := "they agree"
	if !a.Agrees() {
		answer = "the stated distribution is NOT the program's"
	}
	t := table.New(fmt.Sprintf("Draws of %s against its stated distribution: %s", a.Name, answer),
		"furthest apart at", "output", "stated", "share of draws", "tail", "denied below")
	t.Add(fmt.Sprint(a.X), a.Output, a.Stated, a.Share, a.Tail, a.FalseAlarm/float64(2*a.Sets*a.Outputs))
	t.Note(fmt.Sprintf("%d draws of each of %d data sets; a distribution that is the program's own is denied with "+
		"probability at most %s", a.Draws, a.Sets, table.Number(a.FalseAlarm)))
	return t
}

// String shows the agreement as text.
func (a *Agreement) String() string { return table.Text(a) }
