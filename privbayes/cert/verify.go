package cert

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

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

// Include adds the results and notes of a part, each with the name of the part before it.
func (v *Verification) Include(name string, part *Verification) {
	for _, r := range part.Results {
		r.Check.Statement = name + ": " + r.Check.Statement
		v.Results = append(v.Results, r)
	}
	for _, note := range part.Notes {
		v.Notes = append(v.Notes, name+": "+note)
	}
}

// NoGuarantee says why a draw has no guarantee although its plan has one.
func (v *Verification) NoGuarantee(why string) {
	v.Draw = why
	v.Title += " (this draw: " + why + ")"
}

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

// Unchecked counts the checks that were not derived again, as the work limit was too small for them.
func (v *Verification) Unchecked() int {
	n := 0
	for _, r := range v.Results {
		if r.Status == NotRederived {
			n++
		}
	}
	return n
}

// Verdict says in one line whether the plan has its guarantee: it begins with VERIFIED, VERIFIED IN PART or NOT
// VERIFIED, and names what fails first, with the figures that differ, or what was not checked.
func (v *Verification) Verdict() string {
	var failed, left []Result
	for _, r := range v.Results {
		switch r.Status {
		case Failed:
			failed = append(failed, r)
		case NotRederived:
			left = append(left, r)
		}
	}
	all := len(v.Results)
	switch {
	case len(failed) > 0:
		r := failed[0]
		s := fmt.Sprintf("NOT VERIFIED: %d of %d checks fails: %s", len(failed), all, r.Check.Plain())
		if len(failed) > 1 {
			s = fmt.Sprintf("NOT VERIFIED: %d of %d checks fail, the first: %s", len(failed), all, r.Check.Plain())
		}
		if r.measured() {
			value, derived, bound := r.figures()
			s += fmt.Sprintf(" (stated %s, derived %s, at most %s)", value, derived, bound)
		}
		return s + ": " + r.Reason
	case !v.OK() && len(left) == 0:
		return "NOT VERIFIED: there is no check that proves anything"
	case !v.OK():
		return fmt.Sprintf("NOT VERIFIED: nothing was checked, as the work limit is too small for %s", listed(left))
	case len(left) > 0:
		return fmt.Sprintf("VERIFIED IN PART: %d of %d checks were derived again; not checked, as the work limit is too "+
			"small: %s", all-len(left), all, listed(left))
	}
	return "VERIFIED: " + v.Title
}

// listed are the statements of checks, in plain words.
func listed(of []Result) string {
	words := make([]string, len(of))
	for i, r := range of {
		words[i] = r.Check.Plain()
	}
	return strings.Join(words, "; ")
}

// measured reports whether a result has figures: a check of a certificate that was derived.
func (r Result) measured() bool { return r.Check.Kind != "" && !math.IsNaN(r.Derived) }

// figures are the numbers of a result, with the digits in which they differ.
func (r Result) figures() (value, derived, bound any) {
	v, d, b := float64(r.Check.Value), r.Derived, float64(r.Check.Bound)
	return table.Apart(v, d, b), table.Apart(d, v, b), table.Apart(b, d, v)
}

// Table shows the verdicts, a row each. Its title and its last note are the verdict on all.
func (v *Verification) Table() *table.Table {
	t := table.New(v.Verdict(), "statement", "stated", "now", "at most", "status", "reason")
	var holding []Check
	for _, r := range v.Results {
		value, derived, bound := any(float64(r.Check.Value)), any(r.Derived), any(float64(r.Check.Bound))
		if r.Status == Failed {
			value, derived, bound = r.figures()
		}
		if !r.measured() {
			derived = none
		}
		if r.Check.Kind == "" { // of the file as a whole, or in its own words
			value, bound = none, none
		}
		t.Add(r.Check.Statement, value, derived, bound, string(r.Status), r.Reason)
		if r.Status != Failed {
			holding = append(holding, r.Check)
		}
	}
	citations(holding, t)
	t.Notes = append(t.Notes, v.Notes...)
	if v.OK() {
		t.Note("Verification shows that this plan has this guarantee. It cannot show that the numbers were drawn by it.")
	}
	return t.Note(v.Verdict())
}

// none stands in a cell that has no figure.
const none = "–"

// String shows the verdicts and the warnings as text; the verdict on all is the first and the last line.
func (v *Verification) String() string {
	s := table.Text(v)
	if len(v.warnings) > 0 {
		s += v.Verdict() + "\n"
	}
	return s
}

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
	case out.Work != k.Work && (out.Method != MonteCarlo || out.Work/2 > k.Work || k.Work/2 > out.Work):
		// a search goes on in floating point, so that machines differ in how many cases it visits
		r.Status, r.Reason = Failed, fmt.Sprintf("the stated work, %d cases, is not the %d that were visited", k.Work, out.Work)
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
