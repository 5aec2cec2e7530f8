package publication

import (
	"context"
	"math"
	"slices"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
)

// group is one item, or several tables with columns in common, which are measured together: each gets a fixed part of
// the group's rate, so that its largest error in units of the wishes is that of an item with one rate.
type group struct {
	members []int // places of items
	parts   []float64
	curve   *curve
	error   float64 // at the rate of the plans
}

// maxGroup is how many tables are measured together at most: every set of them is tried.
const maxGroup = 10

// grouped are the groups of the items that have no share and whose errors are predicted. Tables are measured together
// that have columns in common, wishes or none, and one priority.
func (p *planner) grouped() []group {
	var items []int
	for k := range p.items {
		if !p.items[k].fixed {
			items = append(items, k)
		}
	}
	w := pooled(p.plans())
	table := func(k int) int { // the only one of an item, −1 for others
		t := slices.IndexFunc(w.from, func(f source) bool { return f.item == k })
		if d := p.items[k].shape.Conditionals(); t < 0 || len(d) != 1 || d[0].Rows != 1 ||
			p.items[k].predicted.Unit != mechanism.InShares {
			return -1
		}
		return t
	}
	together := func(a, b int) bool {
		s, t, u, v := table(a), table(b), p.items[a].wish, p.items[b].wish
		return s >= 0 && t >= 0 && u.Priority == v.Priority && (u.Within.Value > 0) == (v.Within.Value > 0) &&
			slices.ContainsFunc(w.tables[s].axes, func(x int) bool { return slices.Contains(w.tables[t].axes, x) })
	}
	var out []group
	for len(items) > 0 {
		members := items[:1:1]
		items = items[1:]
		for at := 0; at < len(members); at++ {
			items = slices.DeleteFunc(items, func(k int) bool {
				joins := together(members[at], k)
				if joins {
					members = append(members, k)
				}
				return joins
			})
		}
		if slices.Sort(members); len(members) > maxGroup {
			for _, k := range members {
				out = append(out, p.group([]int{k}))
			}
			continue
		}
		out = append(out, p.group(members))
	}
	return out
}

// group plans the parts of some items, from their plans.
func (p *planner) group(members []int) group {
	g := group{members: members, parts: []float64{1}, curve: &curve{slope: -.5}}
	power := 1. // of the variance by the rate, −1
	if p.target.Notion == dp.Pure {
		power, g.curve.slope = 2, -1
	}
	for _, k := range members {
		g.curve.least += leastPart * p.items[k].share * p.total
	}
	if len(members) > 1 {
		w := pooled(p.plansOf(members))
		wishes := make([]float64, len(members))
		for i, k := range members { // variances at the rate 1
			w.tables[i].variance *= math.Pow(p.items[k].rate, power)
			wishes[i] = p.items[k].within
		}
		g.parts = divided(w.tables, wishes, power, !math.IsNaN(w.total))
	}
	return g
}

// plansOf are the plans of some items.
func (p *planner) plansOf(members []int) (out []*mechanism.Plan) {
	for _, k := range members {
		out = append(out, p.items[k].plan)
	}
	return out
}

// meet plans a group at a rate, and learns its error.
func (p *planner) meet(ctx context.Context, g *group, rate float64) error {
	for i, k := range g.members {
		if err := p.at(ctx, &p.items[k], g.parts[i]*rate); err != nil {
			return err
		}
	}
	var w *pool
	if len(g.members) > 1 {
		w = pooled(p.plansOf(g.members))
	}
	g.error = 0
	for i, k := range g.members {
		half := p.items[k].predicted.Rows
		if w != nil {
			if both, ok := w.predicted(i, p.items[k].wish.Guess); ok {
				half = both.Rows
			}
		}
		g.error = math.Max(g.error, half/p.items[k].within)
	}
	g.curve.learn(rate, g.error)
	return ctx.Err()
}

// leastTogether is what a table keeps of its equal part of a group, however well the others measure it: it stays an
// item that can be drawn.
const leastTogether = .02

// divided are the parts of a rate at which the largest error of reconciled tables, in units of their wishes, is about
// the least. The variances of the tables are those at the rate 1, and fall with a power of it. Every set of tables is
// tried at the rates that follow from the wishes alone, the others with the least there is; from the best the parts are
// moved one by one, for a power mean in place of the largest that comes nearer to it. Source: theory/publication.md §5.
func divided(tables []measured, wishes []float64, power float64, public bool) []float64 {
	floor := leastTogether / float64(len(tables))
	at := slices.Clone(tables)
	normal := func(parts []float64) []float64 { // sum 1, none below the floor
		sum, out := 0., slices.Clone(parts)
		for _, x := range out {
			sum += x
		}
		rest := 1 - floor*float64(len(out))
		for i, x := range out {
			out[i] = floor + float64(rest*x)/sum
		}
		return out
	}
	worst := func(parts []float64, q float64) float64 { // (Σ (V/wish²)^q)^(1/q)
		for i, x := range normal(parts) {
			at[i].variance = tables[i].variance / math.Pow(x, power)
		}
		p := precisions(at, public)
		most, ratios := 0., make([]float64, len(at))
		for i, m := range at {
			apart, _ := spread(m.axes, m.levels, p) // of an equal share the noise of the total is none
			ratios[i] = math.Max(apart, 1e-300) / (wishes[i] * wishes[i])
			most = math.Max(most, ratios[i])
		}
		sum := 0.
		for _, r := range ratios {
			sum += math.Pow(r/most, q)
		}
		return most * math.Pow(sum, 1/q)
	}
	var best []float64
	least := math.Inf(1)
	for set := 1; set < 1<<len(tables); set++ {
		parts := make([]float64, len(tables))
		for i, m := range tables {
			if set>>i&1 == 1 {
				parts[i] = math.Pow(m.variance/(wishes[i]*wishes[i]), 1/power)
			}
		}
		if e := worst(parts, 256); e < least*(1-1e-9) {
			best, least = parts, e
		}
	}
	best = normal(best)
	for _, q := range []float64{4, 32, 256} {
		least = worst(best, q)
		for step := .5; step > .004; {
			moved := false
			for i := range best {
				for _, by := range []float64{step, -step} {
					parts := slices.Clone(best)
					parts[i] *= math.Exp(by)
					if e := worst(parts, q); e < least*(1-1e-9) {
						best, least, moved = parts, e, true
					}
				}
			}
			if !moved {
				step /= 2
			}
		}
	}
	return normal(best)
}
