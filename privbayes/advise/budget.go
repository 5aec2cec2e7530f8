package advise

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// stepsPerSecond is what a machine is assumed to do: a step is 4 ns of one core. Simulations use all cores, so that two
// take about half of the time, which is room for a machine that is slower. What a comparison can afford follows from
// estimated steps and this number, not from a clock, so that the same question has the same answer on every machine
// that is fast enough.
const stepsPerSecond = 2.5e8

// setting is how far a row is worked out: which of the choices are tried, on how many data sets at most.
type setting struct {
	choices []int
	sets    int
	steps   float64 // expected
}

// typical is the number of data sets at which most simulations end by themselves; leastSets is what a row needs.
const (
	typical   = 64
	leastSets = 4
)

// settings lists how a row may be worked out, the most thorough first. Choices are given up the dearest first.
func (a *Advice) settings(costs []mechanism.Cost) []setting {
	var order []int
	for i, c := range costs {
		if c.Bytes <= float64(a.options.Memory) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int {
		return cmp.Compare(costs[i].Plan+leastSets*costs[i].Draw, costs[j].Plan+leastSets*costs[j].Draw)
	})
	var out []setting
	for k := len(order); k > 0; k-- {
		kept := slices.Clone(order[:k])
		slices.Sort(kept)
		if a.sets.refused != nil { // by theory
			out = append(out, setting{kept, 0, a.steps(costs, kept, 0)})
			continue
		}
		last := 0
		for _, sets := range []int{a.options.Data, 128, fewest, pilot, leastSets} {
			if sets = min(sets, a.sets.most); sets == last {
				continue
			}
			last = sets
			out = append(out, setting{kept, sets, a.steps(costs, kept, sets)})
		}
	}
	if len(out) == 0 { // too large, whatever the time
		out = append(out, setting{steps: math.Inf(1)})
	}
	return out
}

// without says what a setting does not try.
func (f Family) without(s setting, sets, all int) string {
	var parts []string
	for i, c := range f.Choices {
		if !slices.Contains(s.choices, i) {
			parts = append(parts, c.Name+" not tried")
		}
	}
	switch {
	case sets == 0:
		parts = append(parts, "by theory: no data set could be afforded")
	case sets < min(all, typical):
		parts = append(parts, "at most "+table.Count(sets, "data set"))
	}
	return strings.Join(parts, ", ")
}

// steps is what a row is expected to take.
func (a *Advice) steps(costs []mechanism.Cost, choices []int, sets int) float64 {
	sum, draw := 0.0, 0.0
	for _, c := range choices {
		sum += costs[c].Plan + enumerationSteps
		draw = math.Max(draw, costs[c].Draw)
		if len(choices) > 1 {
			sum += float64(a.draws(min(pilot, sets))) * costs[c].Draw
		}
	}
	return sum + float64(a.draws(min(typical, sets)))*draw
}

// enumerationSteps is what summing over a short list of outputs takes in place of a simulation.
const enumerationSteps = 5e6

// draws is the number of draws for so many data sets: one each or, stratified, at least a few of each.
func (a *Advice) draws(sets int) int {
	if a.stratifies() {
		n, _ := a.shape.N()
		strata := min(n+1, strataAtMost)
		return max(strataDraws*strata, sets)
	}
	return sets
}

// strataAtMost is about the number of data sets of a stratified simulation.
const strataAtMost = 110

// known reports whether every choice of a family says what it costs, and what.
func (f Family) known(t dp.Request) (costs []mechanism.Cost, ok bool) {
	for _, c := range f.Choices {
		m, says := c.Mechanism.(mechanism.Costed)
		switch {
		case !says:
			return nil, false
		case c.Mechanism.Supports(f.shape) != nil: // refused at once
			costs = append(costs, mechanism.Cost{})
		default:
			costs = append(costs, m.Cost(f.shape, t))
		}
	}
	return costs, true
}

// afford finds how each of several families can be worked out with the steps that are left for all of them. As many as
// can be are worked out at least in their cheapest setting, the cheapest families first; what is then left is shared
// equally, and what one does not need goes to those that need more. nil: not at all. rest is what nobody needs.
func afford(families [][]setting, left float64) (out []*setting, rest float64) {
	out = make([]*setting, len(families))
	cheapest, order := make([]*setting, len(families)), make([]int, len(families))
	for f, list := range families {
		order[f] = f
		for s := range list {
			if cheapest[f] == nil || list[s].steps <= cheapest[f].steps {
				cheapest[f] = &list[s]
			}
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(cheapest[i].steps, cheapest[j].steps) })
	var kept []int
	for _, f := range order {
		if cheapest[f].steps > left {
			break
		}
		left -= cheapest[f].steps
		out[f] = cheapest[f]
		kept = append(kept, f)
	}
	slices.SortStableFunc(kept, func(i, j int) int { return cmp.Compare(families[i][0].steps, families[j][0].steps) })
	for k, f := range kept {
		share := out[f].steps + left/float64(len(kept)-k)
		for s := range families[f] {
			if better := &families[f][s]; better.steps <= share {
				left -= better.steps - out[f].steps
				out[f] = better
				break
			}
		}
	}
	return out, left
}

// tooMuch says why a row is left out, in steps.
func tooMuch(list []setting, share float64, allowed time.Duration) string {
	least := math.Inf(1)
	for _, s := range list {
		least = math.Min(least, s.steps)
	}
	return fmt.Sprintf("it would take about %s; of the %v for all, %s are left for it", steps(least), allowed,
		steps(share))
}

// steps is a number of steps with the time it stands for.
func steps(x float64) string {
	d := time.Duration(math.Min(x/stepsPerSecond, 1e9) * float64(time.Second))
	switch {
	case d > time.Minute:
		d = d.Round(time.Second)
	case d > time.Second:
		d = d.Round(100 * time.Millisecond)
	default:
		d = d.Round(time.Millisecond)
	}
	return fmt.Sprintf("%s steps (%v)", table.Number(x), d)
}

// limited reports whether a plan was refused for its size rather than for its terms.
func limited(err error) bool {
	var l *cert.LimitError
	return errors.As(err, &l)
}

// deadline is when the time is over: Options.Time from now, or a little before the caller's deadline, so that the rows
// so far can be given.
func deadline(ctx context.Context, o Options) (end time.Time, allowed time.Duration) {
	now := time.Now()
	patience := clockFactor * min(o.Time, math.MaxInt64/clockFactor)
	end, allowed = now.Add(patience), o.Time
	if d, ok := ctx.Deadline(); ok {
		left := d.Sub(now)
		left -= min(left/20, 200*time.Millisecond)
		if left < patience {
			end = now.Add(left)
		}
		if left < allowed {
			allowed = roundedDown(left)
		}
	}
	return end, allowed
}

// clockFactor is how many times its time a comparison may take by the clock: a busy machine then shows the same rows.
const clockFactor = 3

// roundedDown keeps the first digit of a time, in halves below 5, so that what is left out under a context's deadline
// does not depend on the microseconds that went by since it was set.
func roundedDown(d time.Duration) time.Duration {
	if d <= 0 {
		return 0
	}
	unit := time.Duration(math.Pow(10, math.Floor(math.Log10(float64(d)))))
	half := unit / 2
	if half == 0 {
		return d
	}
	return d / half * half
}
