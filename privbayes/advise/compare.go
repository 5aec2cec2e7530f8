package advise

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// comparison is the making of an Advice: what it may still take.
type comparison struct {
	*Advice
	ctx      context.Context // of the caller
	clock    context.Context // ends with the time
	end      time.Time
	left     float64 // steps, for all rows to come
	reports  *reporter
	reserved int // data sets whose simulation is paid
}

// forFamilies compares, with everything checked and every default taken.
func forFamilies(ctx context.Context, sh *model.Shape, targets []dp.Request, families []Family,
	o Options) (*Advice, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	families, err := placed(sh, families)
	if err != nil {
		return nil, err
	}
	end, allowed := deadline(ctx, o)
	clock, cancel := context.WithDeadline(ctx, end)
	defer cancel()
	a := &Advice{shape: sh, targets: targets, families: families, options: o, allowed: allowed, arena: sh}
	if l := sh.Learning(); l != nil {
		a.arena = l.AllPairs()
	}
	if o.steps > 0 {
		o.steps = math.Min(o.steps, 1e15)
	} else {
		o.steps = allowed.Seconds() * stepsPerSecond
	}
	c := &comparison{Advice: a, ctx: ctx, clock: clock, end: end, left: o.steps}
	a.sets = newDataSets(clock, a.arena, len(families), o, c.left)
	c.reports = newReporter(ctx, o.Progress, c.left)
	defer c.reports.close()
	if !a.stratifies() {
		c.reserved = min(typical, a.sets.most)
		c.left -= float64(c.reserved) * a.sets.steps
	}
	for i, t := range targets {
		rows, err := c.at(i, t, c.left/float64(len(targets)-i))
		if err != nil {
			return nil, err
		}
		a.rows = append(a.rows, rows)
	}
	return a, nil
}

// at works out every family at the target i with a share of the steps, and tells of each row.
func (c *comparison) at(i int, t dp.Request, share float64) (rows []Row, err error) {
	least := math.Inf(1)
	costs, known := make([][]mechanism.Cost, len(c.families)), make([]bool, len(c.families))
	for f := range c.families {
		costs[f], known[f] = c.families[f].known(t)
	}
	for f := range c.families {
		lists := make([][]setting, 0, len(c.families)-f)
		for g := f; g < len(c.families); g++ {
			list := []setting{c.whole(c.families[g], share/float64(len(c.families)))}
			if known[g] {
				list = c.settings(costs[g])
			}
			lists = append(lists, list)
		}
		row, used, err := c.attempt(c.families[f], t, least, costs[f], lists, share)
		if err != nil {
			return nil, err
		}
		if row.Refused == "" {
			least = math.Min(least, row.Error)
		}
		share -= used
		c.left -= used
		rows = append(rows, row)
		if c.options.Row != nil {
			c.options.Row(i, row)
		}
	}
	return rows, nil
}

// supports is the first choice's refusal of the shape, where every choice refuses it.
func (f Family) supports() (refusal error) {
	for _, c := range f.Choices {
		err := c.Mechanism.Supports(f.shape)
		if err == nil {
			return nil
		}
		refusal = cmp.Or(refusal, err)
	}
	return refusal
}

// whole is the setting of a family that does not say what it costs: everything, under the clock alone.
func (c *comparison) whole(f Family, steps float64) setting {
	s := setting{sets: c.sets.most, steps: steps}
	for i := range f.Choices {
		s.choices = append(s.choices, i)
	}
	return s
}

// attempt works out one row as far as it can be afforded. lists are the settings of this family and of those that come
// after it.
func (c *comparison) attempt(f Family, t dp.Request, least float64, costs []mechanism.Cost, lists [][]setting,
	share float64) (row Row, used float64, err error) {
	out := func(reason string) (Row, float64, error) {
		return Row{Mechanism: f.Title, Target: t, Error: math.NaN(), KL: math.NaN(), Expected: math.NaN(),
			Refused: reason, LeftOut: true}, 0, nil
	}
	if err := f.supports(); err != nil {
		row, _, _ = out(err.Error())
		row.LeftOut = false
		return row, 0, nil
	}
	if reason := c.tooLarge(costs); reason != "" {
		return out(reason)
	}
	taken, spare := afford(lists, share)
	if taken[0] == nil {
		return out(tooMuch(lists[0], spare, c.allowed))
	}
	s := *taken[0]
	c.reports.begin(share / float64(len(lists)))
	defer c.reports.finish()
	limit := time.Until(c.end) / 2
	if costs == nil {
		limit = time.Until(c.end) / time.Duration(len(lists)+1)
	} else if needed := time.Duration(4 * s.steps / stepsPerSecond * float64(time.Second)); needed > limit {
		limit = needed
	}
	ctx, cancel := context.WithTimeout(c.clock, limit)
	defer cancel()
	w := &work{Advice: c.Advice, costs: costs, on: f.shape, setting: s, most: s.sets}
	if draw := w.dearest(); costs != nil && !c.stratifies() && s.sets > typical {
		w.most = typical + int(math.Min(math.Max(0, spare)/(draw+c.sets.steps+1), float64(s.sets-typical)))
	}
	if reduced := f.without(s, w.most, c.options.Data); reduced != "" {
		w.reduced = reduced
	}
	row, err = await(ctx, func() (Row, error) {
		return w.row(cert.WithProgress(cert.WithWorkLimit(ctx, c.options.Work), nil), f, t, least)
	})
	switch {
	case c.ctx.Err() != nil:
		return row, 0, c.ctx.Err()
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		row, used, err = out(fmt.Sprintf("it was not done when its share of %v was over, by the clock: another "+
			"machine may get further", c.allowed))
		return row, s.steps, err
	case err != nil:
		return row, 0, err
	}
	used = s.steps
	if costs != nil {
		used = row.steps
	}
	if made := row.Sets; !c.stratifies() && made > c.reserved {
		used += float64(made-c.reserved) * c.sets.steps
		c.reserved = made
	}
	return row, used, nil
}

// tooLarge refuses a row whose every choice needs more memory than the options allow.
func (c *comparison) tooLarge(costs []mechanism.Cost) string {
	least := math.Inf(1)
	for _, k := range costs {
		least = math.Min(least, k.Bytes)
	}
	if len(costs) == 0 {
		return ""
	}
	if err := cert.Within("the least of its choices", least, "bytes", float64(c.options.Memory), ""); err != nil {
		return trimmed(err)
	}
	return ""
}

// trimmed is an error without its package.
func trimmed(err error) string { return strings.TrimPrefix(err.Error(), "cert: ") }
