// Package claims holds the numbered statements of the papers behind this library, each with an executed check, its
// verdict, its true form, and the smallest counterexample where it fails.
//
// The statements are rows of text in the folder rows, one file for each document; a row names its check by a name in
// engines.go, with the parameter of the statement and that of a changed one. A new row is a few lines of text.
//
// A check computes: it enumerates, searches the counterexample itself, and confirms the corrected form on a stated
// range. A finding that disagrees with the verdict is a failing test. Files begin with the document of their claims:
// hellinger (the two notes), network, dirichlet and sampling (the papers), library (what stands in none of them).
//
// Place: above the mathematics that it executes, below the mechanisms; the command privbayes-papers and
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
	Holds      Verdict = "holds"
	Loose      Verdict = "holds, not tight"
	Outside    Verdict = "holds under its assumptions only" // and fails where they are not met
	Vacuous    Verdict = "vacuous"                          // no case meets its assumptions
	ProofWrong Verdict = "proof wrong, statement true"
	Corrected  Verdict = "corrected" // false as printed, true in the stated form
	False      Verdict = "false"     // a counterexample meets every printed assumption
	NotAClaim  Verdict = "definition or remark, not a claim"
)

// Verdicts lists them, from true to false.
func Verdicts() []Verdict {
	return []Verdict{Holds, Loose, Outside, ProofWrong, Vacuous, Corrected, False, NotAClaim}
}

// Claim is one statement.
type Claim struct {
	ID             string // stable, such as "hellinger/04"
	Document       string
	Place          string   // where in the document
	Items          []string // the numbered items of the document that it is about, as its list in items names them
	Assumes        string   // assumptions and quantifiers as printed, in our words; "" for what is not a claim
	Statement      string   // what it says, in our words
	Verdict        Verdict
	True           string // the corrected or tight form
	Counterexample string // the smallest one: it meets the assumptions, or for Outside it does not
	Remark         string // commentary beside the verdict: a fair comparison, what we recommend
	Source         string
	notebook       string
	Reason         string // why it is not a claim
	Ours           bool   // this project's own, not counted for the document

	check    check // tests the statement as printed
	mutant   check // the same check of another statement, which disagrees
	weakened check // the same check of a weaker statement
}

// check records what it finds.
type check func(ctx context.Context, f *Finding) error

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

	nothing  bool   // of what is not a claim: there is nothing to execute
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
	return (f.Cases > 0 || f.nothing) && len(f.Failed) == 0
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

// Run executes the check; what is not a claim has none. Errors: the context's.
func (c Claim) Run(ctx context.Context) (*Finding, error) {
	f := &Finding{}
	if c.Verdict == NotAClaim && c.check == nil {
		f.nothing = true
		return f, ctx.Err()
	}
	if err := c.check(ctx, f); err != nil {
		return nil, fmt.Errorf("claims: %s: %w", c.ID, err)
	}
	if f.evidence != nil {
		f.evidence.conclude(c)
	}
	return f, ctx.Err()
}

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
	t := table.New("Statements, executed", "place", "assumes", "statement", "verdict", "true form", "counterexample",
		"cases", "agrees")
	for _, c := range list {
		f, err := c.Run(ctx)
		if err != nil {
			return nil, err
		}
		agrees := "yes"
		if !f.Agrees() {
			agrees = "NO"
		}
		t.Add(c.Place, c.Assumes, c.Statement, string(c.Verdict), c.True, c.Counterexample, f.Cases, agrees)
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
