package publication

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Needs is what the wishes of a publication cost: the smallest level at which every error of the rows is what was asked
// for. It is public.
type Needs struct {
	Level  dp.Parameters `json:"level"`  // in the notion of the target, at its δ
	Prices []Price       `json:"prices"` // of the items with a wish, in their order
}

// Price is what one wish costs: the ε or ρ of the item, and the level of all the others.
type Price struct {
	Name    string        `json:"name"`
	Rate    float64       `json:"rate"`    // ε under pure ε, else ρ
	Without dp.Parameters `json:"without"` // the smallest level for the other wishes
}

// NeedsOf finds the smallest level that meets the wishes of the items. Those that have a share keep the ε or ρ that it
// is of the target, and slots their level. Arguments and errors are those of [New];
// *dp.ParameterError where no item has a wish.
func NeedsOf(ctx context.Context, target dp.Request, items []Item, shape func(model.Model) (*model.Shape, error)) (
	*Needs, error) {
	if err := check("needs", target, items); err != nil {
		return nil, err
	}
	p, err := prepare(ctx, target, items, shape)
	if err != nil {
		return nil, err
	}
	for k := range p.groups {
		if err := p.needed(ctx, &p.groups[k]); err != nil {
			return nil, err
		}
	}
	out := &Needs{}
	if out.Level, err = levelOf(ctx, target, p.plans(), p.slots); err != nil {
		return nil, err
	}
	for k := range p.items {
		if i := p.items[k]; i.fixed || i.wish.Within.Value == 0 {
			continue
		}
		price := Price{Name: p.items[k].wish.Name, Rate: p.items[k].rate}
		if price.Without, err = p.without(ctx, k); err != nil {
			return nil, err
		}
		out.Prices = append(out.Prices, price)
	}
	if len(out.Prices) == 0 {
		return nil, domain.Refuse("publication", "wishes", "none", "an item with an error that is asked for: Within(…)")
	}
	return out, nil
}

// needed plans a group of items with wishes at the rate that meets them.
func (p *planner) needed(ctx context.Context, g *group) error {
	if p.items[g.members[0]].wish.Within.Value == 0 {
		return nil
	}
	for range rounds {
		if err := p.meet(ctx, g, g.curve.rate(1)); err != nil {
			return err
		}
		if math.Abs(g.error-1) < .001 {
			break
		}
	}
	return nil
}

// without is the smallest level for all wishes but that of an item. The tables that were measured together with it are
// planned anew.
func (p *planner) without(ctx context.Context, item int) (dp.Parameters, error) {
	q := p.clone()
	for _, g := range p.groups {
		if slices.Contains(g.members, item) && len(g.members) > 1 {
			rest := q.group(slices.DeleteFunc(slices.Clone(g.members), func(k int) bool { return k == item }))
			rate := 0.
			for _, k := range rest.members {
				rate += q.items[k].rate
			}
			if err := q.meet(ctx, &rest, rate); err != nil {
				return dp.Parameters{}, err
			}
			if err := q.needed(ctx, &rest); err != nil {
				return dp.Parameters{}, err
			}
		}
	}
	plans := q.plans()
	return levelOf(ctx, p.target, slices.Delete(plans, item, item+1), p.slots)
}

// levelOf is the level of a list in the notion of the target: under (ε, δ) the least ε at its δ.
func levelOf(ctx context.Context, target dp.Request, plans []*mechanism.Plan, slots []dp.Slot) (level dp.Parameters,
	err error) {
	level = target.Parameters
	pair, err := list(plans, slots)
	if err != nil {
		return level, err
	}
	switch target.Notion {
	case dp.Pure:
		level.Epsilon = cert.Number(pair.PureEpsilon())
	case dp.Concentrated:
		level.Rho = pair.ZCDP()
	default:
		level.Epsilon = 0
		if len(plans)+len(slots) > 0 {
			level.Epsilon = cert.Number(leastEpsilon(ctx, pair, target.Delta))
		}
	}
	return level, ctx.Err()
}

// leastEpsilon is the least ε of a list at δ, to a thousandth.
func leastEpsilon(ctx context.Context, pair loss.Pair, delta float64) float64 {
	held := loss.Until(ctx, pair)
	high := 1.
	for held.Delta(high) > delta && high < 1e6 && ctx.Err() == nil {
		high *= 2
	}
	low := high / 2
	for held.Delta(low) <= delta && low > 1e-6 && ctx.Err() == nil {
		low, high = low/2, low
	}
	for high/low > 1.001 && ctx.Err() == nil {
		middle := math.Sqrt(low * high)
		if held.Delta(middle) > delta {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

// Table shows the smallest level, and for every wish its price and the level without it.
func (n *Needs) Table() *table.Table {
	rate := "ρ"
	if n.Level.Notion == dp.Pure {
		rate = "ε"
	}
	t := table.New("What the wishes need", "item", rate, "level without it")
	for _, p := range n.Prices {
		without := p.Without.String()
		if p.Without.Epsilon == 0 && p.Without.Rho == 0 {
			without = "nothing else"
		}
		t.Add(safetext.Prose(p.Name), p.Rate, without)
	}
	return t.Note(fmt.Sprintf("The smallest level that meets all of them: %s. No row is read.", n.Level))
}

// String shows the table as text.
func (n *Needs) String() string { return table.Text(n) }
