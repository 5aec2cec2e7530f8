package claims

import (
	"context"
	"fmt"
	"math"
)

// DirichletPaper is the paper on the Dirichlet mechanism, by its title.
const DirichletPaper = "Dirichlet Mechanism for Differentially Private KL Divergence Minimization"

// tightWithin is the least bound ÷ truth from which a bound counts as not tight. Suprema that are approached, not
// attained, are visited to within it.
const tightWithin = 1.001

// trial gathers the evidence about one statement and derives the verdict from it.
type trial struct {
	f              *Finding
	asked, refuted int64   // cases of the statement as printed, and how many of them fail
	repairs        int64   // cases of the corrected statement
	size           float64 // of the smallest counterexample
	counterexample string
	least, most    float64 // bound ÷ truth
}

func newTrial(f *Finding) *trial {
	return &trial{f: f, size: math.Inf(1), least: math.Inf(1), most: math.Inf(-1)}
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
	case t.asked == 0:
		return ""
	case t.refuted > 0 && t.repairs > 0:
		return Corrected
	case t.refuted > 0:
		return False
	case t.least > tightWithin && !math.IsInf(t.least, 1):
		return Loose
	default:
		return Holds
	}
}

// conclude compares the evidence with the words of the claim.
func (t *trial) conclude(c Claim) {
	t.f.require(t.verdict() == c.Verdict, "stated %q, the evidence says %q", c.Verdict, t.verdict())
	t.f.require(t.counterexample == c.Counterexample, "stated counterexample %q, found %q", c.Counterexample,
		t.counterexample)
}

// trials are the executions behind the claims made by executed.
var trials = map[string]func(t *trial) error{}

// executed is a claim whose verdict and counterexample must be those that run finds.
func executed(c Claim, run func(t *trial) error) Claim {
	c.Document = DirichletPaper
	trials[c.ID] = run
	c.check = func(_ context.Context, f *Finding) error {
		return run(f.trial())
	}
	return c
}

// near reports whether a and b agree to a relative tolerance, or are the same infinity.
func near(a, b, relative float64) bool {
	return a == b || math.Abs(a-b) <= relative*math.Max(math.Abs(a), math.Abs(b))
}
