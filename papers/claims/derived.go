package claims

import (
	"fmt"
	"math"
)

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
