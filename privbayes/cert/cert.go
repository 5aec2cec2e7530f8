// Package cert holds certificates: trees of checks that state a privacy claim, how it was checked, and the two numbers
// that were compared.
//
// A [Check] names its checker and the public parameters that it needs. A reader, a test or the command line can
// therefore derive its value again ([Certificate.Verify]). Packages define their checkers with [Define], next to the
// mathematics that these execute.
package cert

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/privbayes/privbayes-go/privbayes/table"
	"github.com/privbayes/privbayes-go/proofs"
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
	Program *Citation `json:"program,omitempty"` // of the text that draws or computes it; nil: none
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

// Number is a float64 whose JSON form also covers the infinities and NaN, as the strings "inf", "-inf" and "nan".
// Finite values keep full precision.
type Number float64

// MarshalJSON implements json.Marshaler.
func (x Number) MarshalJSON() ([]byte, error) {
	switch v := float64(x); {
	case math.IsInf(v, 1):
		return []byte(`"inf"`), nil
	case math.IsInf(v, -1):
		return []byte(`"-inf"`), nil
	case math.IsNaN(v):
		return []byte(`"nan"`), nil
	default:
		return json.Marshal(v)
	}
}

// UnmarshalJSON implements json.Unmarshaler.
func (x *Number) UnmarshalJSON(b []byte) error {
	switch string(bytes.TrimSpace(b)) {
	case `"inf"`:
		*x = Number(math.Inf(1))
	case `"-inf"`:
		*x = Number(math.Inf(-1))
	case `"nan"`:
		*x = Number(math.NaN())
	default:
		var v float64
		if err := json.Unmarshal(b, &v); err != nil {
			return fmt.Errorf("cert: number: want a JSON number, \"inf\", \"-inf\" or \"nan\", have %.40s", b)
		}
		*x = Number(v)
	}
	return nil
}

// Citation names the machine-checked theorem that a check rests on, and says in words what its proof assumes. The
// theorem is about the formula; that the number is its value is what the check derives, by its method.
type Citation struct {
	Theorem *proofs.Theorem `json:"theorem,omitempty"` // nil: no machine proof
	Assumes string          `json:"assumes,omitempty"` // empty with a theorem: nothing
}

// Cite is the citation of a theorem of the folder proofs, such as "Counts.replace_one". It panics when no such
// statement is kept, which is a programming error at start-up.
func Cite(name string) Citation {
	theorem, assumes, ok := proofs.Cited(name)
	if !ok {
		panic("cert: proofs/statements keeps no theorem " + name)
	}
	return Citation{&theorem, assumes}
}

// String says it in words; it is empty without a theorem.
func (c Citation) String() string {
	switch {
	case c.Theorem == nil:
		return ""
	case c.Assumes == "":
		return "machine-checked theorem " + c.Theorem.Short() + ", which assumes nothing"
	}
	return "machine-checked theorem " + c.Theorem.Short() + "; assumed: " + c.Assumes
}

// citations adds a note for every theorem that checks cite, with the first of its checks.
func citations(checks []Check, t *table.Table) {
	var seen []proofs.Theorem
	note := func(words string, k Check, c Citation) {
		if c.Theorem != nil && !slices.Contains(seen, *c.Theorem) {
			seen = append(seen, *c.Theorem)
			t.Note(fmt.Sprintf(words, k.Statement, c))
		}
	}
	for _, k := range checks {
		note("“%s” rests on the %s.", k, k.Citation)
		if k.Program != nil {
			note("As programmed, “%s” rests on the %s.", k, *k.Program)
		}
	}
}
