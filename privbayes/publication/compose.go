package publication

import (
	"context"
	"encoding/json"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// list is the fixed list of the plans' dominating pairs, those of declared lists one by one. A plan without a pair has
// that of its level: randomised response at ε, or what is known of ρ; so has a slot. Errors: *dp.ParameterError for
// another level.
func list(plans []*mechanism.Plan, slots []dp.Slot) (loss.Pair, error) {
	var parts []loss.Repeat
	for _, p := range plans {
		switch pair := p.Pair().(type) {
		case loss.Declared:
			parts = append(parts, pair.Parts()...)
		case nil:
			switch l := p.Certified().Parameters; l.Notion {
			case dp.Pure:
				parts = append(parts, loss.Repeat{Pair: loss.PurePair{Epsilon: float64(l.Epsilon)}, Times: 1})
			case dp.Concentrated:
				parts = append(parts, loss.Repeat{Pair: loss.ConcentratedPair{Rho: l.Rho}, Times: 1})
			default:
				return nil, domain.Refuse("publication", "level of "+p.Title(), l,
					"a dominating pair, pure ε or ρ, which compose")
			}
		default:
			parts = append(parts, loss.Repeat{Pair: pair, Times: 1})
		}
	}
	delta := 0.
	for _, s := range slots {
		parts, delta = append(parts, loss.Repeat{Pair: pairOf(s), Times: 1}), delta+s.Level.Delta
	}
	all, err := loss.Declare(parts...)
	if err == nil && delta > 0 {
		return leaking{all, num.Inflate(delta)}, nil
	}
	return all, err
}

// sameRows refuses an item of other rows than the first: the number of rows that a choice left is public of none of
// them. *ItemError.
func sameRows(lines []Line) error {
	for _, l := range lines[1:] {
		if have, want := rowsOf(l.Plan.Shape()), rowsOf(lines[0].Plan.Shape()); have != want {
			return &ItemError{l.Name, domain.Refuse("publication", "rows", have, "those of the first item: "+want)}
		}
	}
	return nil
}

// rowsOf says how many rows a shape has, if that is public, and how they were chosen.
func rowsOf(sh *model.Shape) string {
	n, public := sh.N()
	return fmt.Sprintf("n = %d, public: %v; %s", n, public, sh.RowsText())
}

// oneClass refuses, under replace-value, a column that an item protects and another has as its class, which is not
// protected there: together they protect it no more. *ItemError.
func oneClass(adj dp.Adjacency, lines []Line) error {
	if adj != dp.ReplaceValue {
		return nil
	}
	of := map[string]string{}
	for _, l := range lines {
		of[l.Plan.Shape().Unprotected()] = l.Name
	}
	for _, l := range lines {
		own := l.Plan.Shape().Unprotected()
		for _, c := range l.Plan.Shape().Columns() {
			if other, is := of[c.Name]; is && c.Name != own {
				return &ItemError{l.Name, domain.Refuse("publication", "adjacency", adj, fmt.Sprintf("replace-one: %s is the "+
					"class of item %s, which replace-value does not protect", safetext.Quote(c.Name), safetext.Quote(other)))}
			}
		}
	}
	return nil
}

// listParams are the public inputs of the composition: the plans, from which their pairs follow, and the target.
type listParams struct {
	Plans  []json.RawMessage `json:"plans"`
	Target dp.Request        `json:"target"`
	Slots  []dp.Slot         `json:"slots,omitempty"`
}

// listChecker composes a list that was fixed before the first draw.
var listChecker = cert.Define("publication/list", composed)

func composed(ctx context.Context, p listParams) (out cert.Outcome, err error) {
	if err := p.Target.Valid(); err != nil {
		return out, err
	}
	plans := make([]*mechanism.Plan, len(p.Plans))
	for i, b := range p.Plans {
		if plans[i], err = mechanism.ParsePlan(ctx, b); err != nil {
			return out, err
		}
		if plans[i].Certified().Adjacency != p.Target.Adjacency {
			return out, domain.Refuse("publication", "adjacency", plans[i].Certified().Adjacency, p.Target.Adjacency.String())
		}
	}
	for _, s := range p.Slots {
		if err := s.Valid(); err != nil {
			return out, err
		}
	}
	if err := reservable(p.Target, p.Slots); err != nil {
		return out, err
	}
	pair, err := list(plans, p.Slots)
	if err != nil {
		return out, err
	}
	spent := loss.Spent(loss.Until(ctx, pair), p.Target.Parameters)
	if err := ctx.Err(); err != nil {
		return out, err
	}
	return cert.Outcome{Value: spent, Method: method(p.Target.Notion), Work: int64(len(plans))}, nil
}

// method is how a composition is checked: sums of ε and ρ are exact, a profile is bounded from above.
func method(n dp.Notion) cert.Method {
	if n == dp.Approximate {
		return cert.ProvedBound
	}
	return cert.ClosedForm
}

// certify is the level of the list in the notion of the target, and the check that shows it.
func certify(ctx context.Context, target dp.Request, plans []*mechanism.Plan, slots []dp.Slot) (level dp.Parameters,
	check cert.Check, err error) {
	params := listParams{Target: target, Slots: slots}
	for _, p := range plans {
		b, err := json.Marshal(p)
		if err != nil {
			return level, check, err
		}
		params.Plans = append(params.Plans, b)
	}
	what := map[dp.Notion][2]string{dp.Pure: {"ε adds up to", "ε = Σ ε_i"}, dp.Concentrated: {"ρ adds up to", "ρ = Σ ρ_i"},
		dp.Approximate: {"the privacy profile of the product of dominating pairs is", "δ(ε) of (⊗ P_i, ⊗ Q_i)"}}
	words, of := what[target.Notion], fmt.Sprintf("%d items", len(plans))
	if len(slots) > 0 {
		of += " and " + table.Count(len(slots), "reserved slot")
	}
	check, err = listChecker.Check(ctx, cert.Check{
		Statement: fmt.Sprintf("of a list of %s that was fixed before the first draw, %s at most the target",
			of, words[0]),
		Formula: words[1], Source: "theory/publication.md §1", Bound: loss.Allowed(target.Parameters),
		Scope: "all data sets and neighbours, all items together",
	}, params)
	if err != nil {
		return level, check, err
	}
	spent := float64(check.Value)
	switch level = target.Parameters; target.Notion {
	case dp.Pure:
		level.Epsilon = cert.Number(spent)
	case dp.Concentrated:
		level.Rho = spent
	default:
		level.Delta = math.Min(math.Max(spent, math.SmallestNonzeroFloat64), target.Delta)
	}
	return level, check, nil
}
