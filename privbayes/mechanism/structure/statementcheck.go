package structure

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// statementParams: the distances of all pairs of some binary columns from the fit to their one-way tables.
type statementParams struct {
	Noise     string          `json:"noise"`
	Columns   int             `json:"columns"`
	N         int             `json:"n"`
	Adjacency dp.Adjacency    `json:"adjacency"`
	Column    noise.Rational  `json:"column"`           // noise of one-way tables
	Distance  noise.Rational  `json:"distance"`         // noise of a distance
	Choose    *noise.Rational `json:"choose,omitempty"` // of the worst pair; none: all are released
}

// params are those of the release.
func (p statementParams) params() params {
	out := params{Statements: &statements{Distances: p.Columns * (p.Columns - 1) / 2, Choose: p.Choose, Noise: p.Distance}}
	for range p.Columns {
		out.Columns = append(out.Columns, p.Column)
	}
	return out
}

// smallInstance is the release, without rounds. One output of every one-way table is listed, and all distances and
// choices but for 1e-13 of the distribution of Gaussian noise. The loss of geometric noise has its largest value near
// the distances.
func (p statementParams) smallInstance() (*smallInstance, error) {
	family, err := familyOf(p.Noise)
	if err != nil {
		return nil, err
	}
	if p.Columns < 2 || p.Columns > 3 || p.N < 1 || p.N > 3 || p.Choose != nil && family.unbounded {
		return nil, domain.Refuse("structure", "columns, n", fmt.Sprint(p.Columns, p.N),
			"2 or 3 columns, n of 1 to 3, and a choice under geometric noise only")
	}
	q := &problem{noise: family, target: dp.PureDP(1).Under(p.Adjacency), rows: 1, declined: "no rounds",
		set: model.MaxEntropy().Always().Statements().Settings()}
	if family.unbounded {
		q.target = dp.ZCDP(1).Under(p.Adjacency)
	}
	if q.publicN = p.Adjacency.PublicN(); q.publicN {
		q.n = p.N
	}
	for i := range p.Columns {
		q.levels = append(q.levels, 2)
		for j := range i {
			q.pairs = append(q.pairs, [2]int{j, i})
		}
	}
	of := p.params()
	if err := of.Valid(); err != nil {
		return nil, err
	}
	l, err := q.laws(of)
	if err != nil {
		return nil, err
	}
	t := &smallInstance{sampler: sampler{q, l}, n: p.N, window: 1, single: !family.unbounded, batched: family.unbounded}
	for z := t.laws.statements.noise; family.unbounded && z.LogTail(int64(t.window)) > math.Log(1e-13); {
		if t.window++; t.window > 8 {
			return nil, domain.Refuse("structure", "distance", p.Distance.String(), "noise within 8 of a distance, but for "+
				"1e-13")
		}
	}
	t.laws.statements.noise = remember(t.laws.statements.noise)
	return t, nil
}

// allowed is what the composition says of the release: a pure ε, or a ρ.
func (p statementParams) allowed() (float64, error) {
	t, err := p.smallInstance()
	if err != nil {
		return 0, err
	}
	parts, sum := t.parts(p.params()), 0.0
	if !t.noise.unbounded {
		for _, r := range parts {
			sum += float64(r.Times) * r.Pair.PureEpsilon()
		}
		return sum, nil
	}
	d, err := loss.DeclareByCurve(parts...)
	return d.ZCDP(), err
}

// statementChecker derives what the whole release spends, from records up, by the learner and the distributions of
// production: its exact pure ε under geometric noise, its Kullback–Leibler divergence under Gaussian noise.
var statementChecker = cert.Define("structure/statements", func(ctx context.Context, p statementParams) (cert.Outcome,
	error) {
	t, err := p.smallInstance()
	if err != nil {
		return cert.Outcome{}, err
	}
	listed := math.Pow(float64(2*(p.N+1+t.window)+1), float64(len(t.pairs)))
	if p.Choose != nil {
		listed = float64(len(t.pairs) * (2*(p.N+1+t.window) + 1))
	}
	if err := within(ctx, 2000*listed*math.Pow(2, float64(p.Columns*p.N))); err != nil {
		return cert.Outcome{}, err
	}
	worst := 0.0
	pairs, err := t.neighbours(ctx, func(a, b []path) {
		if t.noise.unbounded {
			worst = math.Max(worst, batchDivergence(a, b, 1))
		} else {
			worst = math.Max(worst, ratio(a, b, 0))
		}
	})
	return cert.Outcome{Value: worst, Method: cert.Enumeration, Work: pairs}, err
})

const statementSource = "docs/structure.md, theory/structure.md §13"

// statementChecks are those of a release with statements.
func (q *problem) statementChecks(ctx context.Context, s *statements) (out []cert.Check, err error) {
	if s == nil {
		return nil, nil
	}
	if out, err = q.reportChecks(ctx); err != nil {
		return nil, err
	}
	for _, columns := range []int{2, 3} {
		p := statementParams{Noise: q.noise.name, Columns: columns, N: 4 - columns, Adjacency: q.target.Adjacency,
			Column: tenth, Distance: tenth}
		k := cert.Check{Statement: fmt.Sprintf("exact pure ε of one-way tables of %d columns and of statements, by "+
			"enumeration", columns), Formula: "the sum of its parts: one-way tables, and m distances, each of which moves by " +
			"1 or 2",
			Source: statementSource, Scope: fmt.Sprintf("every data set of %d records, every neighbour, one output of every "+
				"one-way table, every choice and distance near the records", p.N)}
		switch {
		case q.noise.unbounded:
			p.Column, p.Distance = largeRate, sixteenth
			k.Statement = fmt.Sprintf("Kullback–Leibler divergence of one-way tables of %d columns and of statements, by "+
				"enumeration", columns)
			k.Formula = "the sum of its parts: one-way tables, and m·(move)²/(2σ²) for m distances"
			k.Scope = fmt.Sprintf("every data set of %d records, every neighbour, one output of every one-way table, all "+
				"distances but for 1e-13 of their distribution", p.N)
		case s.Choose != nil:
			p.Choose = &largeRate
			k.Formula = "the sum of its parts: one-way tables, the choice of the worst pair, and one distance"
		}
		bound, err := p.allowed()
		if err != nil {
			return nil, err
		}
		k.Bound = cert.Number(bound*(1+1e-9) + 1e-12)
		c, err := statementChecker.Check(ctx, k, p)
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}
