package bugs

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/privbayes/privbayes-go/privbayes/audit"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/finite"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// byEnumeration is how the enumerated bugs are checked.
const byEnumeration = "audit.Run: every pair of neighbours, every output"

// joint writes the number of an output that is k values from 0 to base−1, the last one fastest, as these values.
func joint(output, base, k int) string {
	values := make([]string, k)
	for i := k - 1; i >= 0; i-- {
		values[i] = fmt.Sprint(output % base)
		output /= base
	}
	return "(" + strings.Join(values, ", ") + ")"
}

// enumerated audits a law on a space against a claim. What is spent is the audit's exact value of what is claimed: pure
// ε, or the least ρ that covers the Rényi divergences of its grid of orders.
func enumerated(ctx context.Context, s audit.Subject) (verdict, error) {
	return enumeratedJoint(ctx, s, s.Mechanism.Outputs(), 1)
}

// audited is the audit of all enumerated bugs. A test has them audited as programs instead.
var audited = func(ctx context.Context, s audit.Subject) (*audit.Verdict, error) { return audit.Run(ctx, s) }

// enumeratedJoint is enumerated for outputs of k values from 0 to base−1.
func enumeratedJoint(ctx context.Context, s audit.Subject, base, k int) (verdict, error) {
	v, err := audited(ctx, s)
	if err != nil {
		return verdict{}, err
	}
	out := verdict{spent: s.Claim, holds: v.Holds(), evidence: []*table.Table{v.Table()}}
	for _, f := range v.Findings {
		if !f.Claimed {
			continue
		}
		out.spent = level(s.Claim, f.Value)
		out.counterexample = fmt.Sprintf("counts %v and %v", f.At.X, f.At.Y)
		if f.At.Output >= 0 {
			shown := fmt.Sprint(f.At.Output)
			if k > 1 {
				shown = joint(f.At.Output, base, k)
			}
			out.counterexample += ", output " + shown
		}
	}
	return out, nil
}

// level is l with another ε, or another ρ where l is concentrated.
func level(l dp.Parameters, spent float64) dp.Parameters {
	if l.Notion == dp.Concentrated {
		l.Rho = spent
		return l
	}
	l.Epsilon = cert.Number(spent)
	return l
}

// value is the number that level sets.
func value(l dp.Parameters) float64 {
	if l.Notion == dp.Concentrated {
		return l.Rho
	}
	return float64(l.Epsilon)
}

// amount shows a level that was spent, which may be infinite and so not private at all.
func amount(l dp.Parameters) string {
	if math.IsInf(value(l), 1) {
		return "∞ (not private)"
	}
	return l.String()
}

// softmax is the law ∝ exp(rate·score).
func softmax(score []float64, rate float64) []float64 {
	top := math.Inf(-1)
	for _, u := range score {
		top = math.Max(top, u)
	}
	p := make([]float64, len(score))
	for i, u := range score {
		p[i] = math.Exp(rate * (u - top))
	}
	return normalised(p)
}

// normalised divides weights by their sum.
func normalised(p []float64) []float64 {
	sum := 0.0
	for _, v := range p {
		sum += v
	}
	for i := range p {
		p[i] /= sum
	}
	return p
}

// geometric is the law of count + Z clamped to 0 … top, P(Z = z) ∝ e^{−rate·|z|}: what falls outside is added to the
// ends.
func geometric(count, top int, rate float64) []float64 {
	q := math.Exp(-rate)
	p := make([]float64, top+1)
	for y := range p {
		p[y] = (1 - q) / (1 + q) * math.Pow(q, math.Abs(float64(y-count)))
	}
	p[0] = math.Pow(q, float64(count)) / (1 + q)
	p[top] = math.Pow(q, float64(top-count)) / (1 + q)
	return p
}

// product is the joint law of k independent draws from p.
func product(p []float64, k int) []float64 {
	law := []float64{1}
	for range k {
		next := make([]float64, 0, len(law)*len(p))
		for _, a := range law {
			for _, b := range p {
				next = append(next, a*b)
			}
		}
		law = next
	}
	return law
}

// space is counts of n records over cells kinds.
func space(cells, n int, a dp.Adjacency) finite.Space {
	return finite.Space{Cells: cells, N: n, Adjacency: a}
}
