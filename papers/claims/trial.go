package claims

import (
	"fmt"
	"math"
)

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
	t.f.require(t.verdict() == c.Verdict, "stated %q, the evidence says %q", c.Verdict, t.verdict())
	t.f.require(t.smallest() == c.Counterexample, "stated counterexample %q, found %q", c.Counterexample,
		t.smallest())
}
