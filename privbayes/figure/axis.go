package figure

import (
	"math"
	"slices"
	"strconv"
)

// span is the range of one axis.
type span struct{ min, max float64 }

func (s *span) add(values ...float64) {
	for _, v := range values {
		s.min, s.max = math.Min(s.min, v), math.Max(s.max, v)
	}
}

// widen adds the share by on both sides, measured on the scale of the axis; a single value gets a neighbourhood.
func (s span) widen(below, above float64, log bool) span {
	if log {
		lo, hi := math.Log(s.min), math.Log(s.max)
		if lo == hi {
			return span{s.min / 2, s.max * 2}
		}
		return span{math.Exp(lo - below*(hi-lo)), math.Exp(hi + above*(hi-lo))}
	}
	d := s.max - s.min
	if d == 0 {
		d = math.Max(math.Abs(s.min), 1) / 2
		return span{s.min - d, s.max + d}
	}
	return span{s.min - below*d, s.max + above*d}
}

// drawable says whether floating point can put ticks on the range.
func (s span) drawable(log bool) bool {
	d := s.max - s.min
	if log && (s.min < 1e-250 || s.max > 1e250) {
		return false
	}
	return s.max > s.min && !math.IsInf(d, 0) && d > 1e-12*math.Max(math.Abs(s.min), math.Abs(s.max)) && d > 1e-290
}

// ranges finds the ranges of x and y: all of the data and references, a margin, and 0 where it is near or bars stand on
// it. Below a density there is room for its interval, and at the ends of x for marks that stand abreast, on a plane so
// many points across.
func ranges(f *Figure, across float64) (x, y span) {
	x, y = span{math.Inf(1), math.Inf(-1)}, span{math.Inf(1), math.Inf(-1)}
	bars, dense := false, 0.0
	for _, s := range f.Series {
		x.add(s.X...)
		y.add(s.Y...)
		y.add(s.Lo...)
		y.add(s.Hi...)
		bars = bars || s.bar()
		if s.Kind == Density {
			if dense += .02; s.Interval != nil {
				x.add(s.Interval.From, s.Interval.To)
				dense += .12
			}
		}
	}
	for _, h := range f.HLines {
		y.add(h.Y)
	}
	for _, v := range f.VLines {
		x.add(v.Y)
	}
	if f.XDates != "" && x.min == x.max {
		x = x.days()
	}
	if f.layout(0) != "" && y.min == y.max {
		y = y.days()
	}
	switch {
	case len(f.XTicks) > 0:
		x = span{-0.5, float64(len(f.XTicks)) - 0.5}
	case bars:
		half := slot(f) / 2
		x.add(x.min-half, x.max+half)
	default:
		room := max(.025, (float64(f.abreast()-1)*2.5+2)/across) // of series abreast, as looks sets them
		x = x.widen(room, room, f.LogX)
	}
	switch {
	case dense > 0:
		y.add(0)
		y = y.widen(dense, .03, false)
	case f.LogY:
		y = y.widen(.05, .05, true)
	case bars || f.layout(0) == "" && y.min >= 0 && y.min < 0.15*y.max:
		y.add(0)
		zero := y.min == 0
		y = y.widen(.05, .05, false)
		if zero {
			y.min = 0
		}
	default:
		y = y.widen(.05, .05, false)
	}
	if f.XDates != "" {
		x = x.days()
	}
	if f.layout(0) != "" {
		y = y.days()
	}
	return x, y
}

// bar is whether a series is drawn from 0: with an interval it is dots, since ink from 0 says nothing of an estimate.
func (s Series) bar() bool { return s.Kind == Bars && len(s.Lo) == 0 }

// slot is the width of the place of one bar, or of one group of bars: the least distance between two x.
func slot(f *Figure) float64 {
	d := math.Inf(1)
	for _, s := range f.Series {
		for i := 1; i < len(s.X); i++ {
			if g := math.Abs(s.X[i] - s.X[i-1]); g > 0 {
				d = math.Min(d, g)
			}
		}
	}
	if math.IsInf(d, 0) || len(f.XTicks) > 0 {
		return 1
	}
	return d
}

// tick is a marked value of an axis; without a label it is a minor one.
type tick struct {
	value float64
	label string
}

// fewestTicks are needed to read a scale.
const fewestTicks = 3

// nice marks multiples of 1, 2 or 5 times a power of ten: about want of them in the range, and three at least.
func nice(s span, want float64, percent bool) []tick {
	raw := (s.max - s.min) / want
	ten := math.Pow(10, math.Floor(math.Log10(raw)))
	out := multiples(s, 10*ten, percent)
	for _, m := range []float64{5, 2, 1, .5, .2} {
		if m*ten < raw*.75 && len(out) >= fewestTicks {
			break
		}
		out = multiples(s, m*ten, percent)
	}
	return out
}

// multiples marks those of a step in the range.
func multiples(s span, step float64, percent bool) []tick {
	digits := int(-math.Floor(math.Log10(step * 1.0001)))
	scaled := !percent && (digits > 4 || math.Max(math.Abs(s.max), math.Abs(s.min)) >= 1e9)
	var out []tick
	slack := 1e-9 * step
	for k := math.Ceil((s.min - slack) / step); k*step <= s.max+slack && len(out) < 100; k++ {
		v := k*step + 0 // no negative zero
		switch label := fixed(v, max(0, digits)); {
		case percent:
			out = append(out, tick{v, fixed(100*v, max(0, digits-2))})
		case scaled && v != 0:
			out = append(out, tick{v, power(v, max(1, 1+magnitude(v, 15)+digits))})
		default:
			out = append(out, tick{v, label})
		}
	}
	if n := len(out); percent && n > 0 {
		out[n-1].label += " %"
	}
	return out
}

// decades marks 1, 2 and 5 times powers of ten over up to two decades, powers of ten beyond, all in one notation.
func decades(s span, percent bool) []tick {
	n := math.Log10(s.max) - math.Log10(s.min)
	steps, every := []float64{1, 2, 5}, math.Max(1, math.Ceil(n/6))
	out := powers(s, every, 1)
	if n <= 2 || len(out) < fewestTicks {
		out = powers(s, every, steps...)
	} else {
		steps = steps[:1]
	}
	if len(out) < fewestTicks { // less than a factor of five or so
		return slices.DeleteFunc(nice(s, 4, percent), func(t tick) bool { return t.value <= 0 })
	}
	raise := len(steps) == 1 && (out[0].value < 1e-3 || out[len(out)-1].value > 1e5)
	for i, t := range out {
		switch {
		case percent:
			out[i].label = Number(100 * t.value)
		case raise && t.value != 1:
			out[i].label = "10" + raised(int(math.Round(math.Log10(t.value))))
		default:
			out[i].label = Number(t.value)
		}
	}
	if percent {
		out[len(out)-1].label += " %"
	}
	return out
}

// powers marks such multiples of a power of ten in the range.
func powers(s span, every float64, multiples ...float64) (out []tick) {
	lo, hi := math.Floor(math.Log10(s.min)), math.Ceil(math.Log10(s.max))
	for e := math.Ceil(lo/every) * every; e <= hi; e += every {
		for _, m := range multiples {
			v, err := strconv.ParseFloat(strconv.FormatFloat(m, 'f', -1, 64)+"e"+strconv.Itoa(int(e)), 64)
			if err == nil && v >= s.min && v <= s.max {
				out = append(out, tick{v, ""})
			}
		}
	}
	return out
}

// mostValues is the most values that are marked as they are.
const mostValues = 7

// atValues marks the x values that were computed: for a handful of ε these say more than powers of ten.
func atValues(f *Figure, s span) []tick {
	var values []float64
	for _, se := range f.Series {
		values = append(values, se.X...)
	}
	slices.Sort(values)
	values = slices.Compact(values)
	if len(values) > mostValues || len(values) > 0 && (values[0] < 1e-4 || values[len(values)-1] >= 1e7) {
		return decades(s, f.XPercent)
	}
	out := make([]tick, len(values))
	for i, v := range values {
		out[i] = tick{v, Number(v)}
		if f.XPercent {
			out[i].label = Number(100*v) + " %"
		}
	}
	return out
}

// axis is one axis with its ticks.
type axis struct {
	span
	log   bool
	ticks []tick
	name  string
}

// norm is where a value lies, from 0 to 1.
func (a axis) norm(v float64) float64 {
	if a.log {
		low := math.Log(a.min)
		return (math.Log(v) - low) / (math.Log(a.max) - low)
	}
	return (v - a.min) / (a.max - a.min)
}

// axes are the two of a figure in ranges that can be divided: horizontal and vertical on the sheet. Names of x stand at
// the left, the first at the top. across is the room for the horizontal one, up that for the vertical one.
func (f *Figure) axes(x, y span, across, up float64) (horizontal, vertical axis) {
	few := func(length, each float64) float64 { return math.Max(2, math.Min(5, length/each)) }
	values := func(length, each float64) axis {
		a := axis{span: y, log: f.LogY, name: printable(f.YLabel)}
		if a.ticks = nice(y, few(length, each), f.YPercent); f.LogY {
			a.ticks = decades(y, f.YPercent)
		} else if layout := f.layout(0); layout != "" {
			a.ticks = days(y, few(length, each), layout)
		}
		return a
	}
	if len(f.XTicks) > 0 {
		rows := axis{span: span{-x.max, -x.min}}
		for k, name := range f.XTicks {
			rows.ticks = append(rows.ticks, tick{-float64(k), printable(name)})
		}
		return values(across, 90), rows
	}
	h := axis{span: x, log: f.LogX, name: printable(f.XLabel)}
	if h.ticks = nice(x, few(across, 75), f.XPercent); f.LogX {
		h.ticks = atValues(f, x)
	} else if f.XDates != "" {
		h.ticks = days(x, few(across, 75), f.XDates)
	}
	return h, values(up, 36)
}
