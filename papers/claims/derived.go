package claims

import (
	"context"
	"fmt"
	"math"
)

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

// mutated gives a claim the check that is shown to disagree: run tests another statement by the same means.
func mutated(c Claim, run func(t *trial) error) Claim {
	c.mutant = func(_ context.Context, f *Finding) error {
		return run(f.trial())
	}
	return c
}

// constant is a claim whose check depends on one constant: honest gives the statement as printed, changed a statement
// about which the same check disagrees.
func constant(c Claim, honest, changed float64, run func(t *trial, constant float64) error) Claim {
	c = executedIn(c.Document, c, func(t *trial) error { return run(t, honest) })
	return mutated(c, func(t *trial) error { return run(t, changed) })
}

// tested is a claim whose check has a parameter: honest gives the statement as printed, changed another statement,
// about which the same check disagrees.
func tested[P any](c Claim, honest, changed P, run func(ctx context.Context, f *Finding, p P) error) Claim {
	c.check = func(ctx context.Context, f *Finding) error { return run(ctx, f, honest) }
	c.mutant = func(ctx context.Context, f *Finding) error { return run(ctx, f, changed) }
	return c
}

// weakened gives a claim that does not hold as printed a weaker statement by the same check, which it must leave
// standing: the counterexample is the printed statement's, not the check's.
func weakened[P any](c Claim, p P, run func(ctx context.Context, f *Finding, p P) error) Claim {
	c.weakened = func(ctx context.Context, f *Finding) error { return run(ctx, f, p) }
	return c
}

// executedIn is executed for a statement of another document.
func executedIn(document string, c Claim, run func(t *trial) error) Claim {
	c = executed(c, run)
	c.Document = document
	return c
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
