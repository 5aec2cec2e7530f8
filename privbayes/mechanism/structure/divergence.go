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

// tableParams: one noisy table of two cells.
type tableParams struct {
	Noise     string         `json:"noise"`
	Rate      noise.Rational `json:"rate"`
	Adjacency dp.Adjacency   `json:"adjacency"`
}

// tableChecker derives what a table of two cells spends, from records up by the shipped law: its exact ε over outputs
// near the counts under geometric noise, its divergence of order 2 under Gaussian noise.
var tableChecker = cert.Define("structure/table", func(ctx context.Context, p tableParams) (cert.Outcome, error) {
	family, err := familyOf(p.Noise)
	if err != nil {
		return cert.Outcome{}, err
	}
	if err := p.Rate.Valid(); err != nil {
		return cert.Outcome{}, err
	}
	l, err := family.Of(p.Rate)
	if err != nil {
		return cert.Outcome{}, err
	}
	reach := int64(12)
	if family.unbounded {
		reach = int64(14*math.Sqrt(p.Rate.Float())) + 14
	}
	if err := within(ctx, 100*float64(reach)); err != nil {
		return cert.Outcome{}, err
	}
	worst, work := 0.0, int64(0)
	cell := func(a, b int64) (apart float64) { // of one count, a and b
		of, than := noiseLaw(l, a), noiseLaw(l, b)
		if !family.unbounded {
			for y := -reach; y <= reach; y++ {
				if lp, lq := of.LogProb(y-a), than.LogProb(y-b); !math.IsInf(lp, -1) {
					apart = math.Max(apart, lp-lq)
				}
			}
			return apart
		}
		sum := 0.0
		for y := -reach; y <= reach; y++ {
			sum += math.Exp(2*of.LogProb(y-a) - than.LogProb(y-b))
		}
		return math.Log(sum)
	}
	for n := int64(1); n <= 3; n++ {
		for a := int64(0); a <= n; a++ {
			moves := [][2]int64{{a + 1, n - a - 1}, {a - 1, n - a + 1}}
			if p.Adjacency == dp.AddRemove {
				moves = [][2]int64{{a - 1, n - a}, {a, n - a - 1}, {a + 1, n - a}, {a, n - a + 1}}
			}
			for _, m := range moves {
				if m[0] >= 0 && m[1] >= 0 {
					worst = math.Max(worst, cell(a, m[0])+cell(n-a, m[1]))
					work++
				}
			}
		}
	}
	return cert.Outcome{Value: worst, Method: cert.Enumeration, Work: work * reach}, ctx.Err()
})

func familyOf(name string) (*added, error) {
	for _, n := range []*added{geometric, gaussian} {
		if n.name == name {
			return n, nil
		}
	}
	return nil, domain.Refuse("structure", "noise", name, fmt.Sprintf("%q or %q", geometric.name, gaussian.name))
}

// divergenceParams: a release of a tree over two binary columns, of which not pure ε is wanted.
type divergenceParams struct {
	Noise     string         `json:"noise"`
	Column    noise.Rational `json:"column"`
	Choose    noise.Rational `json:"choose"`
	Table     noise.Rational `json:"table"`
	N         int            `json:"n"`
	Adjacency dp.Adjacency   `json:"adjacency"`
	Order     float64        `json:"order"`          // 1: Kullback–Leibler
	Kept      bool           `json:"kept,omitempty"` // corrections by kept noise
}

// smallInstance is the release, whose one-way counts are listed as far as they have a probability to speak of.
func (p divergenceParams) smallInstance() (*smallInstance, error) {
	family, err := familyOf(p.Noise)
	if err != nil {
		return nil, err
	}
	for _, r := range []noise.Rational{p.Column, p.Choose, p.Table} {
		if err := r.Valid(); err != nil {
			return nil, err
		}
	}
	if p.N < 1 || p.N > 3 || !(p.Order >= 1 && p.Order <= 4) {
		return nil, domain.Refuse("structure", "n, order", fmt.Sprint(p.N, p.Order), "n of 1 to 3, an order of 1 to 4")
	}
	q := &problem{noise: family, target: dp.ZCDP(1).Under(p.Adjacency), levels: []int{2, 2}, pairs: [][2]int{{0, 1}},
		set: model.Tree().Settings(), rows: 1}
	if q.publicN = p.Adjacency.PublicN(); q.publicN {
		q.n = p.N
	}
	l, err := family.Of(p.Column)
	if err != nil {
		return nil, err
	}
	window := 1
	for l.LogTail(int64(window)) > math.Log(1e-13) {
		if window++; window > 64 {
			return nil, domain.Refuse("structure", "column", p.Column.String(), "noise within 64 of a count, but for 1e-13")
		}
	}
	return newSmallInstance(q, params{Columns: []noise.Rational{p.Column, p.Column},
		Phases: []phase{{Rounds: 1, Choose: &p.Choose, Noise: p.Table}}, Kept: p.Kept}, p.N, window)
}

// divergenceChecker derives the Rényi divergence of the whole release, from records up, by the learner and the laws of
// production: the sum over all one-way tables and choices; the divergence of a measured table is that of its noise.
var divergenceChecker = cert.Define("structure/divergence", func(ctx context.Context, p divergenceParams) (cert.Outcome,
	error) {
	t, err := p.smallInstance()
	if err != nil {
		return cert.Outcome{}, err
	}
	counts := 2 * len(t.levels)
	if t.publicN {
		counts = len(t.levels)
	}
	listed := math.Pow(float64(p.N+1+2*t.window), float64(counts))
	if err := within(ctx, 500*listed*math.Pow(float64(p.N+1), 3)); err != nil {
		return cert.Outcome{}, err
	}
	worst, pairs, err := t.divergence(ctx, p.Order, p.Table)
	return cert.Outcome{Value: worst, Method: cert.Enumeration, Work: pairs}, err
})

// divergence is the largest divergence of an order between the releases of neighbouring data sets.
func (t *smallInstance) divergence(ctx context.Context, order float64, table noise.Rational) (worst float64,
	pairs int64,
	err error) {
	one := t.noise.pair(table, 1, 1) // of a count that moves by one
	each := one.RDP(order)
	if order == 1 {
		each = one.ZCDP()
	}
	pairs, err = t.neighbours(ctx, func(a, b []path) {
		if len(a) != len(b) {
			worst = math.Inf(1)
			return
		}
		sum := 0.0
		for i, p := range a {
			moved := 0.0
			for k, m := range p.measured {
				if len(m) != len(b[i].measured[k]) {
					worst = math.Inf(1)
					return
				}
				moved += each * float64(distance(m, b[i].measured[k]))
			}
			switch apart := p.logP - b[i].logP; {
			case math.IsInf(p.logP, -1):
			case order == 1:
				sum += math.Exp(p.logP) * (apart + moved)
			default:
				sum += math.Exp(p.logP + (order-1)*(apart+moved))
			}
		}
		if order > 1 {
			sum = math.Log(sum) / (order - 1)
		}
		worst = math.Max(worst, sum)
	})
	return worst, pairs, err
}

// allowed is what the composition says of the release.
func (p divergenceParams) allowed() (float64, error) {
	t, err := p.smallInstance()
	if err != nil {
		return 0, err
	}
	d, err := loss.DeclareByCurve(t.parts(params{Columns: []noise.Rational{p.Column, p.Column},
		Phases: []phase{{Rounds: 1, Choose: &p.Choose, Noise: p.Table}}})...)
	if err != nil {
		return 0, err
	}
	if p.Order == 1 {
		return d.ZCDP(), nil
	}
	return d.RDP(p.Order), nil
}

// wholeChecks execute one table by its shipped law, and whole releases, from records up: at the rates of the plan,
// and at large ones, where slack hides nothing.
func (q *problem) wholeChecks(ctx context.Context, p params) ([]cert.Check, error) {
	f := p.Phases[0]
	one, err := q.tableCheck(ctx, f.Noise)
	if err != nil {
		return nil, err
	}
	out := []cert.Check{one}
	if q.set.Algorithm == model.Pairs {
		pairs, err := q.pairsCheck(ctx, p)
		if err != nil {
			return nil, err
		}
		out = append(out, pairs)
	}
	if q.noise.unbounded {
		more, err := q.divergenceChecks(ctx, *f.Choose, p.Kept)
		return append(out, more...), err
	}
	remove, grows := q.target.Adjacency == dp.AddRemove, q.set.Algorithm == model.Grown
	for _, r := range []releaseParams{
		{Column: p.Columns[0], Choose: *f.Choose, Noise: f.Noise, Flip: p.Flip, N: 2, AddRemove: remove},
		{Column: tenth, Choose: largeRate, Noise: tenth, Flip: p.Flip, N: 2, AddRemove: remove},
		{Column: tenth, Choose: largeRate, Noise: tenth, Flip: p.Flip, N: 1, Cliques: true},
	} {
		if r.Cliques && (remove || !grows) {
			continue
		}
		if r.Weights, r.Kept = q.someWeights(3), p.Kept; remove {
			r.Weights = q.someWeights(1)
		}
		k := cert.Check{
			Statement: "exact pure ε of a whole release of a small tree, by enumeration",
			Formula:   fmt.Sprintf("3γ₁ + 2·%gx + 2·2γ₂: one-way counts, two choices, two tables", q.span()),
			Source:    releaseSource, Bound: cert.Number(r.allowed(q.span())*(1+1e-12) + 1e-12),
			Scope: "every data set of 2 records of three binary columns, every neighbour, every output of the learner",
		}
		switch {
		case remove:
			k.Statement = "pure ε of a whole release of a small tree whose size is private, by enumeration"
			k.Formula = fmt.Sprintf("2γ₁ + %gx + γ₂: one-way tables, a choice where the noisy size lets learning pay, a table",
				q.span())
			k.Scope = "every data set of at most 2 records of two binary columns, every neighbour, one-way counts from −1 to 3"
		case r.Cliques:
			k.Statement = "pure ε of a whole release of small cliques, by enumeration"
			k.Formula = fmt.Sprintf("3γ₁ + 4·%gx + 4·2γ₂: one-way counts, four choices, four tables", q.span())
			k.Scope = "every record of three binary columns, every neighbour, two outputs of every chosen table"
		}
		c, err := releaseChecker.Check(ctx, k, r)
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

// pairsCheck is that of a whole release of rounds of pairs, with their fits, choices of a measured pair and a cap
// that binds. Tables have geometric noise there, whose loss is bounded, whatever the plan's have.
func (q *problem) pairsCheck(ctx context.Context, p params) (cert.Check, error) {
	r := releaseParams{Column: tenth, Choose: largeRate, Noise: tenth, Flip: p.Flip, N: 2, Pairs: true,
		AddRemove: q.target.Adjacency == dp.AddRemove, Weights: q.someWeights(3), Kept: p.Kept}
	return releaseChecker.Check(ctx, cert.Check{
		Statement: "pure ε of a whole release of three rounds of pairs, by enumeration",
		Formula:   fmt.Sprintf("one-way tables at γ = 13/128, 3·%gx, x = 3, three tables at γ = 13/128", q.span()),
		Source:    releaseSource, Bound: cert.Number(r.allowed(q.span())*(1+1e-12) + 1e-12),
		Scope: "every data set of 2 records of three binary columns, or of 1 under add-remove too, every neighbour, every " +
			"choice, one output of every table",
	}, r)
}

// tableCheck is that of a table with the plan's noise.
func (q *problem) tableCheck(ctx context.Context, r noise.Rational) (cert.Check, error) {
	pair := q.noise.pair(r, q.changed(2), 1)
	k := cert.Check{Statement: "exact ε of one noisy table by the shipped law, by enumeration",
		Formula: fmt.Sprintf("%dγ, γ = %s", q.changed(2), r), Source: releaseSource,
		Bound: cert.Number(pair.PureEpsilon()*(1+1e-12) + 1e-12),
		Scope: "every table of up to 3 records in two cells, every neighbour, outputs from −12 to 12"}
	if q.noise.unbounded {
		k.Statement = "divergence of order 2 of one noisy table by the shipped law, by enumeration"
		k.Formula = fmt.Sprintf("2·%d/(2σ²), σ² = %s", q.changed(2), r)
		k.Scope = "every table of up to 3 records in two cells, every neighbour, outputs within 14 deviations"
		k.Bound = cert.Number(pair.RDP(2)*(1+1e-9) + 1e-12)
	}
	return tableChecker.Check(ctx, k, tableParams{q.noise.name, r, q.target.Adjacency})
}

// sixteenth is the σ² of whole releases whose counts are listed: so small that few are likely. Under add-remove, where
// every cell of a one-way table is a count of its own, n is one less.
var sixteenth = noise.Rational{Num: 1, Den: 16}

// divergenceChecks are those of whole releases with Gaussian noise, whose loss is not bounded.
func (q *problem) divergenceChecks(ctx context.Context, choose noise.Rational, kept bool) (out []cert.Check, err error) {
	p := divergenceParams{Noise: q.noise.name, Column: sixteenth, Table: sixteenth, N: 2, Adjacency: q.target.Adjacency,
		Kept: kept}
	scope := "every data set of 2 records"
	if p.Adjacency == dp.AddRemove {
		p.N, scope = 1, "every data set of at most 1 record"
	}
	for _, p.Choose = range []noise.Rational{choose, largeRate} {
		for _, p.Order = range []float64{1, 2} {
			if p.Order == 2 && p.Choose != largeRate {
				continue
			}
			bound, err := p.allowed()
			if err != nil {
				return nil, err
			}
			name := fmt.Sprintf("divergence of order %g", p.Order)
			if p.Order == 1 {
				name = "Kullback–Leibler divergence"
			}
			c, err := divergenceChecker.Check(ctx, cert.Check{
				Statement: name + " of a whole release of a small tree, by enumeration",
				Formula:   fmt.Sprintf("the sum of its parts: one-way tables, a choice at x = %s, a table", p.Choose),
				Source:    releaseSource, Bound: cert.Number(bound*(1+1e-9) + math.SmallestNonzeroFloat64),
				Scope: scope + " of two binary columns, every neighbour, every one-way count but for 1e-13 of their law",
			}, p)
			if err != nil {
				return nil, err
			}
			out = append(out, c)
		}
	}
	return out, nil
}
