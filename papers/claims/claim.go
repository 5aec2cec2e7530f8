// Package claims holds the numbered statements of the papers behind this library, each with an executed check, its
// verdict, its true form, and the smallest counterexample where it fails.
//
// The statements are rows of text in the folder rows, one file for each document; a row names its check by a name in
// rows.go, with the parameter of the statement and that of a changed one. A new row is a few lines of text.
//
// A check computes: it enumerates, searches the counterexample itself, and confirms the corrected form on a stated
// range. A finding that disagrees with the verdict is a failing test. Files begin with the document whose statements
// they check: hellinger (the two notes, and what this library adds to them), network, dirichlet and sampling (the
// papers).
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
	Slip       Verdict = "slip of notation" // false as printed, true in the form that the text around it uses
	Corrected  Verdict = "corrected"        // false as printed, true in the stated form
	False      Verdict = "false"            // a counterexample meets every printed assumption
	NotAClaim  Verdict = "definition or remark, not a claim"
)

// Verdicts lists them, from true to false.
func Verdicts() []Verdict {
	return []Verdict{Holds, Loose, Outside, ProofWrong, Vacuous, Slip, Corrected, False, NotAClaim}
}

// executed is the verdict that execution can derive. A slip of notation is a corrected statement to it; that the text
// means the right form is read, and the remark of the row says where.
func (v Verdict) executed() Verdict {
	if v == Slip {
		return Corrected
	}
	return v
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

// Table shows the numbers of a finding, or how many cases it visited where it has none.
func (f *Finding) Table() *table.Table {
	if len(f.Numbers) == 0 && len(f.Failed) == 0 {
		return table.New("Computed", "cases").Add(f.Cases)
	}
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

// trial is the evidence of a finding. A check that asks for it has its verdict and its counterexample derived from it;
// Claim.Run compares both with the words of the claim.
func (f *Finding) trial() *trial {
	if f.evidence == nil {
		f.evidence = newTrial(f)
	}
	return f.evidence
}

// Derived is the verdict that the evidence gives: "" for a check that only records numbers, NotAClaim for a row without
// a check.
func (f *Finding) Derived() Verdict {
	if f.nothing {
		return NotAClaim
	}
	if f.evidence == nil {
		return ""
	}
	return f.evidence.verdict()
}

// Counterexample is the smallest one found; "" when the statement as printed did not fail.
func (f *Finding) Counterexample() string {
	if f.evidence == nil {
		return ""
	}
	return f.evidence.smallest()
}

// Margin is the range of bound ÷ truth over what was visited, ok when the statement is a bound.
func (f *Finding) Margin() (least, most float64, ok bool) {
	if t := f.evidence; t != nil && !math.IsInf(t.least, 1) {
		return t.least, t.most, true
	}
	return 0, 0, false
}

// margin is the range in words, "attained" when it begins at 1; "" when there is none.
func (f *Finding) margin() string {
	least, most, ok := f.Margin()
	switch {
	case !ok:
		return ""
	case digits(least) == "1":
		return "attained"
	case most > 1000*least:
		return fmt.Sprintf("bound ÷ truth from %s on", digits(least))
	case digits(least) == digits(most):
		return "bound ÷ truth " + digits(least)
	}
	return fmt.Sprintf("bound ÷ truth %s to %s", digits(least), digits(most))
}

// digits is a ratio to three significant digits, four next to 1: few enough for every platform to agree.
func digits(x float64) string {
	switch {
	case math.Abs(x-1) < tightWithin-1:
		return "1"
	case x < 1.1:
		return fmt.Sprintf("%.4g", x)
	}
	return fmt.Sprintf("%.3g", x)
}

// tightWithin is the least bound ÷ truth from which a bound counts as not tight. Suprema that are approached, not
// attained, are visited to within it.
const tightWithin = 1.001

// trial gathers the evidence about one statement and derives the verdict from it.
type trial struct {
	f              *Finding
	asked, refuted int64   // cases of the statement as printed, and how many of them fail
	repairs        int64   // cases of the corrected statement
	sought         int64   // candidates that were asked whether they meet the assumptions
	admitted       int64   // and how many of them do
	astray         int64   // cases outside of the assumptions that fail
	missteps       int64   // cases of a step of the printed proof that fail
	size           float64 // of the smallest counterexample
	counterexample string
	outer, step    example // the smallest case astray, the smallest misstep
	least, most    float64 // bound ÷ truth
}

// example is the smallest case of its kind.
type example struct {
	words string
	size  float64
}

func (e *example) offer(size float64, format string, args ...any) {
	if e.words == "" || size < e.size {
		e.words, e.size = fmt.Sprintf(format, args...), size
	}
}

func newTrial(f *Finding) *trial {
	return &trial{f: f, size: math.Inf(1), least: math.Inf(1), most: math.Inf(-1)}
}

// meets asks one candidate whether it meets the assumptions of the statement, and reports the answer: a statement whose
// assumptions nothing meets is vacuous. Its counterexample stays "".
func (t *trial) meets(ok bool) bool {
	t.f.Cases++
	t.sought++
	if ok {
		t.admitted++
	}
	return ok
}

// outside is one case that does not meet the assumptions. The smallest that fails is the counterexample of a statement
// that holds under its assumptions only.
func (t *trial) outside(ok bool, size float64, format string, args ...any) {
	t.f.Cases++
	if !ok {
		t.astray++
		t.outer.offer(size, format, args...)
	}
}

// proof is one case of a step of the printed proof. The smallest that fails is the counterexample of a proof that is
// wrong where the statement is true.
func (t *trial) proof(ok bool, size float64, format string, args ...any) {
	t.f.Cases++
	if !ok {
		t.missteps++
		t.step.offer(size, format, args...)
	}
}

// printed is one case of the statement as printed. Counterexamples are ordered by size; the first of the smallest is
// kept.
func (t *trial) printed(ok bool, size float64, format string, args ...any) {
	t.f.Cases++
	t.asked++
	if ok {
		return
	}
	t.refuted++
	if size < t.size {
		t.size, t.counterexample = size, fmt.Sprintf(format, args...)
	}
}

// bound is one case of a statement "truth ≤ bound", up to the rounding of truth.
func (t *trial) bound(bound, truth, size float64, format string, args ...any) {
	t.printed(truth <= bound*(1+1e-8)+1e-13, size, format, args...)
	if truth > 1e-12 {
		t.least, t.most = math.Min(t.least, bound/truth), math.Max(t.most, bound/truth)
	}
}

// repaired is one case of the corrected statement, which must hold.
func (t *trial) repaired(ok bool, format string, args ...any) {
	t.repairs++
	t.f.require(ok, format, args...)
}

// margin records the extremes of bound ÷ truth over what was visited.
func (t *trial) margin(least, most, relative float64) {
	t.f.number("least bound ÷ truth", t.least, least, relative*least)
	t.f.number("greatest bound ÷ truth", t.most, most, relative*most)
}

// attained records that the bound is reached, or as a supremum approached, to a relative tolerance.
func (t *trial) attained(relative float64) { t.f.number("least bound ÷ truth", t.least, 1, relative) }

// verdict is what the evidence says; "" when there is none.
func (t *trial) verdict() Verdict {
	switch {
	case t.asked == 0 && t.sought > 0 && t.admitted == 0:
		return Vacuous
	case t.asked == 0:
		return ""
	case t.refuted > 0 && t.repairs > 0:
		return Corrected
	case t.refuted > 0:
		return False
	case t.missteps > 0:
		return ProofWrong
	case t.astray > 0:
		return Outside
	case t.least > tightWithin && !math.IsInf(t.least, 1):
		return Loose
	default:
		return Holds
	}
}

// smallest is the counterexample that belongs to the verdict.
func (t *trial) smallest() string {
	switch t.verdict() {
	case ProofWrong:
		return t.step.words
	case Outside:
		return t.outer.words
	}
	return t.counterexample
}

// conclude compares the evidence with the words of the claim.
func (t *trial) conclude(c Claim) {
	t.f.require(t.verdict() == c.Verdict.executed(), "stated %q, the evidence says %q", c.Verdict, t.verdict())
	t.f.require(t.smallest() == c.Counterexample, "stated counterexample %q, found %q", c.Counterexample,
		t.smallest())
}
