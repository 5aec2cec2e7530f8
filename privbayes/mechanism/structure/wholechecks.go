package structure

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

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
		more, err := q.divergenceChecks(ctx, *f.Choose)
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
		if r.Weights = q.someWeights(3); remove {
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
		AddRemove: q.target.Adjacency == dp.AddRemove, Weights: q.someWeights(3)}
	return releaseChecker.Check(ctx, cert.Check{
		Statement: "pure ε of a whole release of three rounds of pairs, by enumeration",
		Formula:   fmt.Sprintf("one-way tables at γ = 13/128, 3·%gx, x = 3, three tables at γ = 13/128", q.span()),
		Source:    releaseSource, Bound: cert.Number(r.allowed(q.span())*(1+1e-12) + 1e-12),
		Scope: "every data set of 2 records of three binary columns, or of 1 under add-remove too, every neighbour, every choice, " +
			"one output of every table",
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
func (q *problem) divergenceChecks(ctx context.Context, choose noise.Rational) (out []cert.Check, err error) {
	p := divergenceParams{Noise: q.noise.name, Column: sixteenth, Table: sixteenth, N: 2, Adjacency: q.target.Adjacency}
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
