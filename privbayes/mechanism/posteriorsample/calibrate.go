package posteriorsample

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/truncatednet"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// calibrate finds the setting: from public inputs only.
func (p *problem) calibrate(ctx context.Context) (setting, error) {
	s := p.start()
	switch {
	case p.target.NominalScale:
		return p.paperSetting(s)
	case p.m.rule == byTrim && p.AnyN && p.target.Notion == dp.Pure:
		return p.closedTrim(ctx, s)
	case p.m.rule == byTrim:
		return p.largest(ctx, s, p.logRanges())
	case p.m.rule == byDraws:
		return p.mostDraws(ctx, s)
	case p.m.rule == fixed:
		return s, p.meets(s)
	}
	return p.largest(ctx, s, knob{minPower, 1, func(s setting, eta float64) setting { s.power = eta; return s }})
}

// spent is what a setting spends, in units of what the target allows.
func (p *problem) spent(s setting) (float64, error) {
	pair, err := p.pair(s)
	if err != nil {
		return 0, err
	}
	return loss.Spent(pair, p.target.Parameters) / float64(loss.Allowed(p.target.Parameters)), nil
}

// meets is nil if the setting meets the target, and else says what it spends and what would meet it.
func (p *problem) meets(s setting) error {
	pair, err := p.pair(s)
	if err != nil {
		return err
	}
	if loss.Meets(pair, p.target.Parameters) {
		return nil
	}
	return p.unmet(pair, fmt.Sprintf("this target as a floor of %s at power %.4g; New(N) without WithPower, which "+
		"finds the power", table.Count(s.draws, "draw"), s.power))
}

// unmet is the error of a target below the floor, which it states.
func (p *problem) unmet(pair *Pair, reachable string) error {
	floor := loss.LevelOf(pair, p.target.Parameters)
	return &mechanism.UnmetTarget{
		Target: p.target.Parameters, Certified: floor,
		Reachable: fmt.Sprintf("%s, the floor of this setting; or %s", floor, reachable),
	}
}

// knob is a continuous parameter of which more costs more.
type knob struct {
	least, most float64
	set         func(s setting, x float64) setting
}

// logRanges is the log-range ℓ = ln((1−(r−1)w)/w) shared by all conditionals: w = 1/(r − 1 + e^ℓ).
func (p *problem) logRanges() knob {
	most := math.Inf(1)
	for _, v := range p.nodes {
		r := float64(v.Levels)
		most = math.Min(most, math.Log1p(-(r-1)*minFloor)-math.Log(minFloor))
	}
	return knob{1e-9, most * (1 - 1e-12), func(s setting, x float64) setting {
		s.floors = make([]float64, len(p.nodes))
		for i, v := range p.nodes {
			s.floors[i] = 1 / (float64(v.Levels-1) + math.Exp(x))
		}
		return s
	}}
}

// closedTrim is the box of calibration A: the log-range ε/(2KNη) for every conditional.
func (p *problem) closedTrim(ctx context.Context, s setting) (setting, error) {
	states := make([]int, len(p.nodes))
	for i, v := range p.nodes {
		states[i] = v.Levels
	}
	floors, err := truncatednet.Floors(float64(p.target.Epsilon)/s.power, states, s.draws)
	if err != nil { // a target beyond the formula's range
		return p.largest(ctx, s, p.logRanges())
	}
	s.floors = floors
	for i := range s.floors {
		s.floors[i] = math.Max(s.floors[i], minFloor)
	}
	return s, p.meets(s)
}

const (
	// tight is the share of the target that calibration leaves unspent at most, where the spending is continuous in the
	// knob.
	tight = 1e-5
	// narrow is the relative width at which it stops across a jump, as of a bound that searches over data sets to
	// within a tolerance.
	narrow = 1e-5
)

// largest is the largest value of a knob at which the target is met: a bracket in ln x, narrowed by regula falsi
// (Illinois) on the logarithm of what is spent, with bisection where that stalls.
func (p *problem) largest(ctx context.Context, s setting, k knob) (setting, error) {
	excess := func(u float64) (float64, error) { // > 0: too much
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		x := math.Min(math.Max(math.Exp(u), k.least), k.most)
		v, err := p.spent(k.set(s, x))
		return math.Log(v), err
	}
	hi := math.Log(k.most)
	above, err := excess(hi)
	if err != nil || above <= 0 {
		return k.set(s, k.most), err
	}
	least := math.Log(k.least)
	lo, below := hi, above
	for step := 1.0; below > 0; step *= 2 { // down to a point that meets the target
		if lo == least {
			pair, err := p.pair(k.set(s, k.least))
			if err != nil {
				return s, err
			}
			return s, p.unmet(pair, "fewer draws, or a weaker target")
		}
		hi, above = lo, below
		drop := step
		if !math.IsInf(below, 1) && step > 1 {
			drop = math.Max(step, below)
		}
		lo = math.Max(least, lo-drop)
		if below, err = excess(lo); err != nil {
			return s, err
		}
	}
	low, high := below, above // weights of the false position
	for iter := 0; below < -tight && hi-lo > narrow; iter++ {
		mid := lo + (hi-lo)*low/(low-high)
		if bad := math.IsNaN(mid) || math.IsInf(low, 0) || math.IsInf(high, 0); bad || iter%4 == 3 || mid <= lo ||
			mid >= hi {
			mid = (lo + hi) / 2
		}
		v, err := excess(mid)
		switch {
		case err != nil:
			return s, err
		case v > 0:
			hi, above, high = mid, v, v
			low /= 2
		default:
			lo, below, low = mid, v, math.Min(v, -tight/4) // aim a little below the target
			high /= 2
		}
	}
	x := math.Min(math.Max(math.Exp(lo), k.least), k.most)
	s = k.set(s, x)
	return s, p.meets(s)
}

// mostDraws is the largest N that meets the target; the Rényi divergences of one draw are computed once.
func (p *problem) mostDraws(ctx context.Context, s setting) (setting, error) {
	one, err := p.pair(s)
	if err != nil {
		return s, err
	}
	meets := func(n int) bool { return loss.Meets(one.with(n), p.target.Parameters) }
	if one = one.with(1); !meets(1) {
		why := "New(1), which tempers the likelihood until one draw meets the target"
		if p.Rate == nil {
			why += "; or New(1).ByBounds(), which narrows the box"
		}
		return s, p.unmet(one, why)
	}
	lo, hi := 1, 2
	most := min(maxDraws, maxNumbers/p.size)
	for hi <= most && meets(hi) {
		lo, hi = hi, 2*hi
		if err := ctx.Err(); err != nil {
			return s, err
		}
	}
	hi = min(hi, most+1)
	for hi-lo > 1 {
		if err := ctx.Err(); err != nil {
			return s, err
		}
		if mid := (lo + hi) / 2; meets(mid) {
			lo = mid
		} else {
			hi = mid
		}
	}
	s.draws = lo
	return s, nil
}
