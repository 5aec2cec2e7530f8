// Package cert holds certificates: trees of checks that state a privacy claim, how it was checked, and the two numbers
// that were compared.
//
// A [Check] names the checker that derives its value and the public parameters it needs, so that a reader, a test or
// the command line can derive it again ([Certificate.Verify]). Checkers stand beside the mathematics they execute, in
// rooms above this one, and are made and made known with [Define].
//
// Place: the lowest room but for tables; whatever certifies something imports it, and release verifies with it.
package cert

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Method says how a check was carried out.
type Method string

// The methods, strongest first.
const (
	ClosedForm  Method = "closed form"  // the exact value of a formula proved for every input in scope
	Enumeration Method = "enumeration"  // every pair and output in scope was visited
	ProvedBound Method = "proved bound" // an inequality proved for every input in scope
	Interval    Method = "interval"     // an outward-rounded enclosure
	MonteCarlo  Method = "Monte Carlo"  // evidence only, with a failure probability
)

// Check is one checked statement: the derived Value must not exceed Bound.
type Check struct {
	Statement string          `json:"statement"`         // the claim in words
	Formula   string          `json:"formula,omitempty"` // the claim as a formula
	Source    string          `json:"source"`            // paper and theorem, or theory section
	Method    Method          `json:"method"`
	Kind      string          `json:"kind"`   // the registered checker
	Params    json.RawMessage `json:"params"` // its public parameters
	Value     Number          `json:"value"`  // what the checker derived
	Bound     Number          `json:"bound"`  // what it must not exceed
	Work      int64           `json:"work,omitempty"`
	Scope     string          `json:"scope"` // what the check covers
	Citation
}

// OK reports whether the value is within its bound; NaN never is.
func (c Check) OK() bool { return c.Value <= c.Bound }

// Margin is Bound − Value, in the unit of both.
func (c Check) Margin() float64 { return float64(c.Bound) - float64(c.Value) }

// Certificate is a tree of checks; the parts of a composite plan are sub-trees.
type Certificate struct {
	Title  string         `json:"title"`
	Checks []Check        `json:"checks"`
	Parts  []*Certificate `json:"parts,omitempty"`
}

// OK reports whether the tree holds at least one check and every check of it passed.
func (c *Certificate) OK() bool {
	n := 0
	for _, k := range c.All() {
		if !k.OK() {
			return false
		}
		n++
	}
	return n > 0
}

// All lists the checks of the tree, depth first.
func (c *Certificate) All() []Check {
	if c == nil {
		return nil
	}
	out := append([]Check(nil), c.Checks...)
	for _, p := range c.Parts {
		out = append(out, p.All()...)
	}
	return out
}

// Table shows the checks, a row each.
func (c *Certificate) Table() *table.Table {
	t := table.New("Certificate: "+c.Title, "statement", "formula", "method", "derived", "at most", "margin", "holds",
		"scope")
	for _, k := range c.All() {
		m := string(k.Method)
		if k.Work > 0 {
			m = fmt.Sprintf("%s of %s", k.Method, table.Count(k.Work, "case"))
		}
		holds := "yes"
		if !k.OK() {
			holds = "NO"
		}
		t.Add(k.Statement, k.Formula, m, float64(k.Value), float64(k.Bound), k.Margin(), holds, k.Scope)
	}
	citations(c.All(), t)
	return t
}

// String shows the certificate as text.
func (c *Certificate) String() string { return table.Text(c) }

// ErrWorkLimit says that a checker would exceed the work limit of its context.
var ErrWorkLimit = errors.New("cert: enumeration exceeds the work limit")

// DefaultWorkLimit is the number of pairs × outputs that an enumeration may visit unless told otherwise.
const DefaultWorkLimit = 50_000_000

type limitKey struct{}

// WithWorkLimit sets the number of cases a checker run under the context may visit.
func WithWorkLimit(ctx context.Context, cases int64) context.Context {
	return context.WithValue(ctx, limitKey{}, cases)
}

// WorkLimit is the number of cases a checker may visit: what WithWorkLimit set, else DefaultWorkLimit.
func WorkLimit(ctx context.Context) int64 {
	if n, ok := ctx.Value(limitKey{}).(int64); ok {
		return n
	}
	return DefaultWorkLimit
}

type progressKey struct{}

// WithProgress passes a callback to the long work done under the context: enumerations, preparations of draws. It gets
// how much is done of how much, and is called from one goroutine at a time.
func WithProgress(ctx context.Context, f func(done, total int64)) context.Context {
	return context.WithValue(ctx, progressKey{}, f)
}

// ProgressOf is the callback that WithProgress set, or nil.
func ProgressOf(ctx context.Context) func(done, total int64) {
	f, _ := ctx.Value(progressKey{}).(func(done, total int64))
	return f
}
