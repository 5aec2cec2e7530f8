package audit

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/finite"
)

// Sampler is a mechanism that can only be run.
type Sampler interface {
	// Draw gives k independent outputs at counts x. An output is a text; where there are many different ones, those
	// that are numbers are compared as numbers.
	Draw(ctx context.Context, x []int, k int) ([]string, error)
}

// Sampled is a mechanism that can only be run, with the claim about it.
type Sampled struct {
	Name       string
	Sampler    Sampler
	Space      finite.Space  // the data sets: all are drawn from, so keep it small
	Claim      dp.Parameters // pure, approximate, Rényi, concentrated or truncated concentrated
	Draws      int           // from each data set, and again for each test on either side; 0: 20 000
	FalseAlarm float64       // the probability of refuting a true claim, at most; 0: 1e-9
}

// tests is how many of the worst events are tested with fresh draws.
const tests = 3

// textBytes is about what an output of a draw takes until it is counted.
const textBytes = 300

// Sample draws from every data set of the space, picks the neighbours and events that look worst, and tests these with
// fresh draws. Of k and l of m draws in the event S at neighbours x and y, the Clopper–Pearson bounds p of P(S | x)
// from below and q of P(S | y) from above are both right except with probability FalseAlarm/3, and where they are
//
//	ε-DP          ε ≥ log(p/q)
//	(ε, δ)-DP     δ ≥ p − e^ε·q at the claimed ε
//	(λ, ε)-RDP    ε ≥ D_λ(Bernoulli(p) ‖ Bernoulli(q)) for p > q, as an event is a function of the output
//	ρ-zCDP        ρ ≥ the same divided by λ, for the best λ of a grid (up to ω for tCDP)
//
// So a claim that holds is refuted with probability at most FalseAlarm, if the draws are independent. A claim that is
// not refuted is not proved: the evidence says how much was shown to be spent.
//
// Errors: *dp.ParameterError for a subject that cannot be audited; *cert.LimitError where the draws would not fit the
// memory limit, or would be more than cert.WorkLimit(ctx); those of the Sampler and of ctx.
func Sample(ctx context.Context, s Sampled) (*Evidence, error) {
	if s.Draws == 0 {
		s.Draws = 20_000
	}
	if s.FalseAlarm == 0 {
		s.FalseAlarm = 1e-9
	}
	sets, err := s.sets(ctx)
	if err != nil {
		return nil, err
	}
	e := &Evidence{Name: s.Name, Claim: s.Claim, Space: s.Space, Draws: s.Draws, FalseAlarm: s.FalseAlarm}
	total := int64(s.Draws) * int64(len(sets)+2*tests)
	report := func() {
		if f := cert.ProgressOf(ctx); f != nil {
			f(e.Total, total)
		}
	}
	seen := make([]map[string]int, len(sets))
	for i, x := range sets {
		if seen[i], err = s.count(ctx, x); err != nil {
			return nil, err
		}
		e.Total += int64(s.Draws)
		report()
	}
	kinds := newOutcomes(seen)
	for _, c := range s.worst(sets, seen, kinds) {
		t := Test{X: c.x, Y: c.y, Event: kinds.describe(c.event)}
		for side, x := range [][]int{c.x, c.y} {
			fresh, err := s.count(ctx, x)
			if err != nil {
				return nil, err
			}
			e.Total += int64(s.Draws)
			report()
			t.Hits[side] = kinds.hits(fresh, c.event)
		}
		if t.AtLeast, _, err = num.ClopperPearson(t.Hits[0], s.Draws, s.FalseAlarm/(2*tests)); err != nil {
			return nil, err
		}
		if _, t.AtMost, err = num.ClopperPearson(t.Hits[1], s.Draws, s.FalseAlarm/(2*tests)); err != nil {
			return nil, err
		}
		t.Spent = spent(s.Claim, t.AtLeast, t.AtMost)
		e.Tests = append(e.Tests, t)
	}
	slices.SortStableFunc(e.Tests, func(a, b Test) int { return -compare(a.Spent, b.Spent) })
	return e, nil
}

// sets lists the data sets of the space, or says why they cannot be drawn from.
func (s Sampled) sets(ctx context.Context) ([][]int, error) {
	of := "audit: " + s.Name
	switch {
	case s.Sampler == nil:
		return nil, domain.Refuse(of, "sampler", nil, "something to draw from")
	case s.Draws < 100:
		return nil, domain.Refuse(of, "draws", s.Draws, "at least 100")
	case !(s.FalseAlarm > 0 && s.FalseAlarm <= 0.05):
		return nil, domain.Refuse(of, "false alarm", s.FalseAlarm, "a probability in (0, 0.05]")
	}
	if err := (Subject{Name: s.Name, Mechanism: FromFunc(1, nil), Space: s.Space, Claim: s.Claim}).valid(
		settings{}); err != nil {
		return nil, err
	}
	if a := s.Space.Adjacency; s.Space.Cells < 1 || s.Space.N < 0 || a != dp.ReplaceOne && a != dp.AddRemove {
		return nil, domain.Refuse(of, "space", fmt.Sprintf("%d cells, n = %d, %s", s.Space.Cells, s.Space.N, a),
			"at least one cell, n ≥ 1, and replace-one or add-remove")
	}
	sets, err := listed(ctx, s.Space, float64(s.Draws)*textBytes)
	if err != nil {
		return nil, err
	}
	draws := float64(s.Draws) * float64(len(sets)+2*tests)
	return sets, cert.Within("the audit of "+s.Name+" by draws", draws, "draws", float64(cert.WorkLimit(ctx)),
		"take fewer records, or fewer draws")
}

// listed is every data set of a space, in the order of totals and then lexicographic, where each holds so many bytes.
func listed(ctx context.Context, s finite.Space, bytes float64) ([][]int, error) {
	// the pairs of neighbours are at least as many as the data sets, and cheap to count
	if err := cert.Within("listing the data sets", s.Pairs(), "pairs", float64(cert.WorkLimit(ctx)),
		"take fewer cells or records"); err != nil {
		return nil, err
	}
	var out [][]int
	held := bytes + 8*float64(s.Cells)
	for x := range s.Inputs() {
		if err := cert.Memory(ctx, "the audit of all data sets", held*float64(len(out)+1)); err != nil {
			return nil, err
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		out = append(out, slices.Clone(x))
	}
	return out, nil
}

// count draws at one data set and counts the outputs.
func (s Sampled) count(ctx context.Context, x []int) (map[string]int, error) {
	out, err := s.Sampler.Draw(ctx, slices.Clone(x), s.Draws)
	if err != nil {
		return nil, err
	}
	if len(out) != s.Draws {
		return nil, domain.Refuse("audit: "+s.Name, "outputs of a draw", len(out), fmt.Sprint(s.Draws))
	}
	counts := map[string]int{}
	for _, o := range out {
		counts[o]++
	}
	return counts, ctx.Err()
}

// spent is the least value of what the claim bounds when an event has probability at least p at x and at most q at y.
func spent(claim dp.Parameters, p, q float64) float64 {
	if !(p > q) {
		return 0
	}
	switch claim.Notion {
	case dp.Approximate:
		return math.Max(0, p-math.Exp(float64(claim.Epsilon))*q)
	case dp.Renyi:
		return bernoulliRenyi(p, q, claim.Order)
	case dp.Concentrated, dp.TruncatedConcentrated:
		best := 0.0
		for _, order := range orders {
			if claim.Notion == dp.TruncatedConcentrated && order > claim.Order {
				break
			}
			best = math.Max(best, bernoulliRenyi(p, q, order)/order)
		}
		return best
	}
	return math.Log(p / q)
}

// bernoulliRenyi is D_λ(Bernoulli(p) ‖ Bernoulli(q)), 0 < q < p ≤ 1.
func bernoulliRenyi(p, q, order float64) float64 {
	a := order*math.Log(p) + (1-order)*math.Log(q)
	b := order*math.Log1p(-p) + (1-order)*math.Log1p(-q)
	top := math.Max(a, b)
	return (top + math.Log(math.Exp(a-top)+math.Exp(b-top))) / (order - 1)
}

// bound is the number that the claim puts on what spent measures.
func bound(claim dp.Parameters) float64 {
	switch claim.Notion {
	case dp.Approximate:
		return claim.Delta
	case dp.Concentrated, dp.TruncatedConcentrated:
		return claim.Rho
	}
	return float64(claim.Epsilon)
}

func compare(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
