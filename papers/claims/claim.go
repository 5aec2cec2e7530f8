// Package claims holds the numbered statements of the papers behind this library, each with an executed check, its
// verdict, its true form, and the smallest counterexample where it fails.
//
// A check computes: it enumerates, searches the counterexample itself, and confirms the corrected form on a stated
// range. A finding that disagrees with the verdict is a failing test. Files begin with the document of their claims:
// hellinger (the two notes), network, dirichlet and sampling (the papers), library (what stands in none of them).
//
// Place: above the mathematics that it executes, below the mechanisms; the command "privbayes claims" and
// docs/claims.md show it.
package claims

import (
	"context"
	"fmt"
	"math"
	"sort"

	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Verdict says what execution shows of a statement.
type Verdict string

// The verdicts.
const (
	Holds     Verdict = "holds"
	Loose     Verdict = "holds, not tight"
	Corrected Verdict = "corrected" // false as printed, true in the stated form
	False     Verdict = "false"
)

// Claim is one statement.
type Claim struct {
	ID             string // stable, such as "hellinger/04"
	Document       string
	Place          string // where in the document
	Statement      string // what it says, in our words
	Verdict        Verdict
	True           string // the corrected or tight form
	Counterexample string // the smallest one
	Source         string
	check          func(ctx context.Context, f *Finding) error
}

// Number is one computed value beside what it should be.
type Number struct {
	Name            string
	Value, Expected float64
	Tolerance       float64 // absolute
}

// OK reports whether the value is as expected; NaN never is.
func (n Number) OK() bool { return math.Abs(n.Value-n.Expected) <= n.Tolerance }

// Finding is what a check computed.
type Finding struct {
	Cases   int64 // how many cases were visited
	Numbers []Number
	Failed  []string // what disagrees with the verdict

	evidence *trial // what the verdict is derived from
}

// Agrees reports whether execution agrees with the verdict: something was visited, every number is as expected, nothing
// failed.
func (f *Finding) Agrees() bool {
	for _, n := range f.Numbers {
		if !n.OK() {
			return false
		}
	}
	return f.Cases > 0 && len(f.Failed) == 0
}

// number records a value and what it should be.
func (f *Finding) number(name string, value, expected, tolerance float64) {
	f.Numbers = append(f.Numbers, Number{name, value, expected, tolerance})
}

// require records a case that must hold.
func (f *Finding) require(ok bool, format string, args ...any) {
	f.Cases++
	if !ok && len(f.Failed) < 5 {
		f.Failed = append(f.Failed, fmt.Sprintf(format, args...))
	}
}

// Run executes the check. Errors: the context's.
func (c Claim) Run(ctx context.Context) (*Finding, error) {
	f := &Finding{}
	if err := c.check(ctx, f); err != nil {
		return nil, fmt.Errorf("claims: %s: %w", c.ID, err)
	}
	if f.evidence != nil {
		f.evidence.conclude(c)
	}
	return f, ctx.Err()
}

var registry []Claim

func register(claims ...Claim) { registry = append(registry, claims...) }

// All lists every claim, by ID.
func All() []Claim {
	out := append([]Claim(nil), registry...)
	sort.Slice(out, func(i, j int) bool { return out[i].ID < out[j].ID })
	return out
}

// Of lists the claims of one document.
func Of(document string) []Claim {
	var out []Claim
	for _, c := range All() {
		if c.Document == document {
			out = append(out, c)
		}
	}
	return out
}

// RunAll executes claims and shows them as a table: statement, verdict, true form, counterexample and what was
// computed.
func RunAll(ctx context.Context, list []Claim) (*table.Table, error) {
	t := table.New("Statements, executed", "place", "statement", "verdict", "true form", "counterexample", "cases",
		"agrees")
	for _, c := range list {
		f, err := c.Run(ctx)
		if err != nil {
			return nil, err
		}
		agrees := "yes"
		if !f.Agrees() {
			agrees = "NO"
		}
		t.Add(c.Place, c.Statement, string(c.Verdict), c.True, c.Counterexample, f.Cases, agrees)
	}
	return t, nil
}

// Table shows the numbers of a finding.
func (f *Finding) Table() *table.Table {
	t := table.New("Computed", "number", "value", "expected", "tolerance", "agrees")
	for _, n := range f.Numbers {
		ok := "yes"
		if !n.OK() {
			ok = "NO"
		}
		t.Add(n.Name, n.Value, n.Expected, n.Tolerance, ok)
	}
	for _, s := range f.Failed {
		t.Note("fails: " + s)
	}
	return t.Note(table.Count(f.Cases, "case"))
}
