package cert

import (
	"context"
	"errors"
	"math"

	"github.com/privbayes/privbayes-go/privbayes/table"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// Status is what verification says of one check.
type Status string

// The statuses of a verified check.
const (
	Rederived Status = "re-derived" // computed again, agrees, and is within its bound
	// a proof stands in its source; the computation exceeds the work limit
	NotRederived Status = "proved, not re-derived"
	Evidence     Status = "evidence only" // Monte Carlo: supports the claim, proves nothing
	// disagrees with the derivation, exceeds its bound, or cannot be derived
	Failed Status = "FAILED"
)

// Result is the verdict on one check.
type Result struct {
	Check   Check
	Derived float64
	Status  Status
	Reason  string
}

// Verification is the verdict on a certificate, one result a check.
type Verification struct {
	Title    string
	Results  []Result
	Notes    []string // what else was looked at, and what cannot be
	Draw     string   // why a draw has no guarantee although its plan has one, "not private: seeded"; else empty
	warnings warning.List
}

// Warnings are what is dangerous about a plan that verifies: a weak guarantee may be proved as well as a strong one.
func (v *Verification) Warnings() warning.List { return v.warnings }

// Warn adds to the warnings.
func (v *Verification) Warn(list ...warning.Warning) { v.warnings = append(v.warnings, list...) }

// OK reports whether no check failed and at least one was derived again.
func (v *Verification) OK() bool {
	derived := false
	for _, r := range v.Results {
		if r.Status == Failed {
			return false
		}
		derived = derived || r.Status == Rederived
	}
	return derived
}

// Table shows the verdicts, a row each.
func (v *Verification) Table() *table.Table {
	t := table.New("Verification: "+v.Title, "statement", "stated", "derived now", "at most", "status", "reason")
	var holding []Check
	for _, r := range v.Results {
		t.Add(r.Check.Statement, float64(r.Check.Value), r.Derived, float64(r.Check.Bound), string(r.Status), r.Reason)
		if r.Status != Failed {
			holding = append(holding, r.Check)
		}
	}
	citations(holding, t)
	t.Notes = append(t.Notes, v.Notes...)
	return t.Note("Verification shows that this plan has this guarantee. It cannot show that the numbers were drawn " +
		"by it.")
}

// String shows the verdicts and the warnings as text.
func (v *Verification) String() string { return table.Text(v) }

// agreement is the relative difference allowed between a stated and a re-derived value: the same program gives the same
// bits, and another machine's mathematics library may differ in the last places.
const agreement = 1e-9

// Verify derives every check of the tree again from its kind and parameters, within the work limit of the context, and
// trusts none of its numbers.
func (c *Certificate) Verify(ctx context.Context) *Verification {
	v := &Verification{Title: c.Title}
	for _, k := range c.All() {
		v.Results = append(v.Results, verifyOne(ctx, k))
	}
	return v
}

func verifyOne(ctx context.Context, k Check) Result {
	r := Result{Check: k, Derived: math.NaN()}
	out, err := Run(ctx, k.Kind, k.Params)
	switch {
	case errors.Is(err, ErrWorkLimit):
		r.Status, r.Reason = NotRederived, err.Error()
		return r
	case err != nil:
		r.Status, r.Reason = Failed, err.Error()
		return r
	}
	r.Derived = out.Value
	switch {
	case out.Method != k.Method:
		r.Status, r.Reason = Failed, "the stated method is not the one the checker uses: "+string(out.Method)
	case !agree(out.Value, float64(k.Value)):
		r.Status, r.Reason = Failed, "the stated value differs from the derived one"
	case !(out.Value <= float64(k.Bound)):
		r.Status, r.Reason = Failed, "the derived value exceeds the bound"
	case out.Method == MonteCarlo:
		r.Status = Evidence
	default:
		r.Status = Rederived
	}
	return r
}

func agree(a, b float64) bool {
	return a == b || math.Abs(a-b) <= agreement*math.Max(math.Abs(a), math.Abs(b))
}
