package partition

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
)

// levelFacts are the public facts from which the guarantee follows.
type levelFacts struct {
	Levels
	Change
	Want dp.Parameters `json:"want"`
}

func (f levelFacts) valid() error { return cmp.Or(f.Levels.valid(), f.Change.valid(), f.Want.Valid()) }

// The checks: of all counts that a unit moves, of one by enumeration, and of the codes that nobody holds.
var (
	supersetChecker = cert.Define("partition/superset", func(_ context.Context, f levelFacts) (out cert.Outcome,
		err error) {
		if err := f.valid(); err != nil {
			return out, err
		}
		return cert.Outcome{Value: loss.Spent(f.pair(f.Rule.parameter(), f.Change), f.Want), Method: cert.ClosedForm}, nil
	})
	emptyChecker = cert.Define("partition/empty", func(_ context.Context, l Levels) (out cert.Outcome, err error) {
		if err := l.valid(); err != nil {
			return out, err
		}
		return cert.Outcome{Value: l.False(), Method: cert.ClosedForm}, nil
	})
	ratioChecker = cert.Define("partition/ratio", func(_ context.Context, r Rule) (out cert.Outcome, err error) {
		if err := (Superset{r, 1, .5}).valid(); err != nil || r.Cut > enumeratedCut {
			return out, cmp.Or(err, domain.Refuse("partition", "cut", r.Cut, "a small one"))
		}
		value, work := r.ratio()
		return cert.Outcome{Value: value, Method: cert.Enumeration, Work: work}, nil
	})
)

// ratio is the largest |log P(y)/P′(y)| between the outputs of n and n+1 units, n from 0 on, by the sampler's own
// probabilities. Released counts from a reach beyond the cut on are one output; more of n only moves the others.
func (r Rule) ratio() (most float64, work int64) {
	g := sample.TwoSidedGeometric{Num: r.Num, Den: r.Den}
	top := r.Cut + 8
	apart := func(a, b float64) { most, work = math.Max(most, math.Abs(a-b)), work+1 }
	for n := int64(0); n <= top; n++ {
		apart(g.LogTail(n-r.Cut), g.LogTail(n+1-r.Cut)) // nothing: Z ≤ cut − n, and Z is symmetric
		apart(g.LogTail(top-n), g.LogTail(top-n-1))
		for y := r.Cut + 1; y < top; y++ {
			apart(g.LogProb(y-n), g.LogProb(y-n-1))
		}
	}
	return most, work
}

// The machine proofs of noise on counts: of pure ε, and of the profile of its pair.
var noisyCounts, noisyProfile = cert.Cite("Geometric.noise_private"), cert.Cite("Dominated.law_dominated")

// Certify makes the checks at a level.
func (l Levels) Certify(ctx context.Context, c Change, level dp.Parameters) (*cert.Certificate, error) {
	small := l.Rule
	small.Cut = min(small.Cut, enumeratedCut)
	if l.Shares != nil {
		small.Num *= slices.Max(l.Shares)
	}
	one, err := ratioChecker.Check(ctx, cert.Check{
		Statement: "ε of one code that a unit joins or leaves", Formula: "max |log p(y)/p′(y)| = γ, of n and n + 1 units",
		Source: "theory/categories.md §4", Bound: cert.Number(small.parameter()*(1+1e-9) + 1e-9),
		Scope: fmt.Sprintf("numbers of units from 0 on, with the cut %d: the largest of this form that is enumerated",
			small.Cut),
	}, small)
	if err != nil {
		return nil, err
	}
	citation := noisyCounts
	if level.Notion != dp.Pure {
		citation = noisyProfile
	}
	formula := fmt.Sprintf("%d counts shifted by one, geometric noise at γ = %.6g", c.Moved, l.Rule.parameter())
	scope := fmt.Sprintf("all %d codes get noise", l.Nodes[0])
	nobody := "U·q^{cut+1}/(1+q), q = e^{−γ}"
	if m := len(l.Nodes); m > 1 {
		formula = fmt.Sprintf("%d counts shifted by one at each of %d levels, geometric noise at γ = %.6g times the share",
			c.Moved, m, l.Rule.parameter())
		scope = fmt.Sprintf("what is released of %d levels is a function of noisy counts of all their nodes", m)
		nobody = "Σ U·q^{cut+1}/(1+q) over levels, q = e^{−γ}"
	}
	all, err := supersetChecker.Check(ctx, cert.Check{
		Statement: "loss of the dominating pair of all codes together, " + loss.NotionWords(level), Formula: formula,
		Source: "loss.GeometricPair; theory/categories.md §4", Bound: loss.Allowed(level), Citation: citation,
		Scope: fmt.Sprintf("all data: units of at most %d codes, of which one unit moves %d counts; %s", c.Most, c.Moved,
			scope),
	}, levelFacts{l, c, level})
	if err != nil {
		return nil, err
	}
	empty, err := emptyChecker.Check(ctx, cert.Check{
		Statement: "probability that any code is listed which nobody holds, at most", Formula: nobody,
		Source: "theory/categories.md §4", Bound: cert.Number(l.Beta),
		Scope: fmt.Sprintf("all data; U = %d codes", l.Nodes[len(l.Nodes)-1]),
	}, l)
	if err != nil {
		return nil, err
	}
	return &cert.Certificate{Title: "categories of a public superset", Checks: []cert.Check{one, all, empty}}, nil
}
