package partition

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// certified are the public facts from which δ follows.
type certified struct {
	Rule
	Change
	Epsilon float64 `json:"epsilon"`
}

func (c certified) valid() error {
	if err := c.Rule.Valid(); err != nil {
		return err
	}
	if c.Noise == Plain {
		return domain.Refuse("partition", "noise", string(c.Noise), "one for categories without a public superset")
	}
	if !(c.Epsilon > 0) || c.Epsilon > 1e6 {
		return domain.Refuse("partition", "ε", c.Epsilon, "above 0")
	}
	return c.Change.valid()
}

// deltaChecker derives δ of the whole release.
var deltaChecker = cert.Define("partition/delta", func(_ context.Context, c certified) (out cert.Outcome, err error) {
	if err := c.valid(); err != nil {
		return out, err
	}
	method := cert.ClosedForm
	if c.Noise == Gaussian {
		method = cert.ProvedBound
	}
	return cert.Outcome{Value: c.Delta(c.Epsilon, c.Change), Method: method, Work: int64(c.Moved)}, nil
})

// The largest rule that is enumerated.
const (
	enumeratedCut    = 24
	enumeratedSigma2 = 16
)

// small is the rule of the same form, no larger than what is enumerated.
func (r Rule) small() Rule {
	r.Cut = min(r.Cut, enumeratedCut)
	if r.Noise == Gaussian && r.parameter() > enumeratedSigma2 {
		r.Num, r.Den = enumeratedSigma2, 1
	}
	return r
}

// oneChecker finds δ of one category that a unit joins or leaves, over all counts at which anything differs.
var oneChecker = cert.Define("partition/one", func(_ context.Context, c certified) (out cert.Outcome, err error) {
	if err := c.valid(); err != nil {
		return out, err
	}
	if c.Rule != c.small() || c.Most != 1 || c.Moved != 1 {
		return out, domain.Refuse("partition", "rule", fmt.Sprint(c.Rule), "a small one, of one category")
	}
	value, work := enumerate(c.Rule, c.Epsilon, c.Released)
	return cert.Outcome{Value: value, Method: cert.Enumeration, Work: work}, nil
})

// hidden stands for no output.
const hidden = math.MinInt64

// enumerate is the largest δ at ε between the outputs of n and n+1 units, in both directions, for n from 0 on. From
// 2·cut + 1 units on a category is always released, or nearly, and the outputs only move with n.
func enumerate(r Rule, epsilon float64, release func(n, z int64) (int64, bool)) (most float64, work int64) {
	reach := r.Cut
	if r.Noise == Gaussian {
		reach += int64(12 * r.SD())
	}
	dist := func(n int64) map[int64]float64 {
		out := map[int64]float64{}
		for z := -reach; z <= reach; z++ {
			p := math.Exp(r.logTail(z)) - math.Exp(r.logTail(z+1))
			if z > 0 { // of two small numbers
				p = math.Exp(r.logTail(z)) * -math.Expm1(r.logTail(z+1)-r.logTail(z))
			}
			y, shown := release(n, z)
			if !shown {
				y = hidden
			}
			out[y] += p
		}
		return out
	}
	e := math.Exp(epsilon)
	apart := func(p, q map[int64]float64) (sum float64) {
		for y, a := range p {
			sum += math.Max(0, a-e*q[y])
		}
		work += int64(len(p))
		return sum
	}
	before := dist(0)
	for n := int64(1); n <= 2*reach+2; n++ {
		now := dist(n)
		most = math.Max(most, math.Max(apart(before, now), apart(now, before)))
		before = now
	}
	return most, work
}

// The machine proofs of δ: of the truncated geometric noise, and of discrete Gaussian noise from that of noisy counts.
var truncated, gaussianUnits = cert.Cite("Partition.units_private"), cert.Cite("Categories.gaussian_units")

// Certify makes the checks of a rule at a level. The bound of the first is what the second rests on, in small.
func Certify(ctx context.Context, r Rule, c Change, level dp.Parameters) (*cert.Certificate, error) {
	epsilon, one := float64(level.Epsilon), Change{1, 1}
	of := r.small()
	a, err := oneChecker.Check(ctx, cert.Check{
		Statement: "δ of one category that a unit joins or leaves",
		Formula:   "max Σ_y (p − e^ε·p′)₊, p and p′ of n and n ± 1 units",
		Source:    "theory/categories.md §2", Bound: cert.Number(of.Delta(epsilon, one)*(1+1e-6) + 1e-14),
		Scope: fmt.Sprintf("every number of units n, with the cut %d: the largest of this form that is enumerated", of.Cut),
	}, certified{of, one, epsilon})
	if err != nil {
		return nil, err
	}
	formula := "δ∞ + (1 − δ∞)·Σ_j C(r,j) p^j (1−p)^{r−j} (1 − e^{ε−γ(2j−r)})₊, δ∞ = 1 − (1 − P(Z = cut))^r"
	source, citation := "theory/categories.md §2; Desfontaines, Voss, Gipson, Mandayam 2022", truncated
	if r.Noise == Gaussian {
		formula, source = "1 − (1−δ₁)^k + δ_r(ε + k·ln(1−δ₁)), δ₁ = P(Z ≥ cut)", "theory/categories.md §3"
		citation = gaussianUnits
	}
	b, err := deltaChecker.Check(ctx, cert.Check{
		Statement: fmt.Sprintf("δ of all categories together at ε = %.6g", epsilon), Formula: formula, Source: source,
		Bound: cert.Number(level.Delta), Citation: citation,
		Scope: fmt.Sprintf("all data: units of at most %d categories, of which one unit moves %d counts", c.Most, c.Moved),
	}, certified{r, c, epsilon})
	if err != nil {
		return nil, err
	}
	return &cert.Certificate{Title: "categories", Checks: []cert.Check{a, b}}, nil
}
