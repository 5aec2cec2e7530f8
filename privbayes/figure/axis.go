package figure

import (
	"math"
	"slices"
	"strconv"

	"github.com/privbayes/privbayes-go/privbayes/table"
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

// ranges finds the ranges of both axes: all of the data and references, a margin, and 0 where it is near or bars stand
// on it.
func ranges(f *Figure) (x, y span) {
	x, y = span{math.Inf(1), math.Inf(-1)}, span{math.Inf(1), math.Inf(-1)}
	bars := false
	for _, s := range f.Series {
		x.add(s.X...)
		y.add(s.Y...)
		y.add(s.Lo...)
		y.add(s.Hi...)
		bars = bars || s.Kind == Bars
	}
	for _, h := range f.HLines {
		y.add(h.Y)
	}
	switch {
	case len(f.XTicks) > 0:
		x = span{-0.5, float64(len(f.XTicks)) - 0.5}
	case bars:
		half := slot(f) / 2
		x.add(x.min-half, x.max+half)
	default:
		x = x.widen(0.025, 0.025, f.LogX)
	}
	below, above := 0.05, 0.05
	if bars {
		above = 0.1 // room for the values on them
		if y.min < 0 {
			below = 0.1 // and under those that hang down
		}
	}
	switch {
	case f.LogY:
		y = y.widen(below, above, true)
	case bars || y.min >= 0 && y.min < 0.15*y.max:
		y.add(0)
		zero := y.min == 0
		y = y.widen(below, above, false)
		if zero {
			y.min = 0
		}
	default:
		y = y.widen(below, above, false)
	}
	return x, y
}

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

// nice marks multiples of 1, 2 or 5 times a power of ten: about want of them in the range.
func nice(s span, want float64) []tick {
	raw := (s.max - s.min) / want
	power := math.Pow(10, math.Floor(math.Log10(raw)))
	step := 10 * power
	for _, m := range []float64{1, 2, 5} {
		if m*power >= raw*0.999 {
			step = m * power
			break
		}
	}
	digits := max(0, int(-math.Floor(math.Log10(step*1.0001))))
	var out []tick
	slack := 1e-9 * step
	for k := math.Ceil((s.min - slack) / step); k*step <= s.max+slack && len(out) < 100; k++ {
		v := k * step
		label := strconv.FormatFloat(v+0, 'f', digits, 64)
		if digits > 4 || math.Abs(s.max) >= 1e6 || math.Abs(s.min) >= 1e6 {
			label = table.Number(v)
		}
		out = append(out, tick{v, label})
	}
	return out
}

// decades marks 1, 2 and 5 times powers of ten over up to two decades, powers of ten beyond.
func decades(s span) []tick {
	lo, hi := math.Floor(math.Log10(s.min)), math.Ceil(math.Log10(s.max))
	steps, every := []float64{1, 2, 5}, 1.0
	if n := math.Log10(s.max) - math.Log10(s.min); n > 2 {
		steps, every = []float64{1}, math.Ceil(n/8)
	}
	var out []tick
	for e := lo; e <= hi; e += every {
		for _, m := range steps {
			if v := m * math.Pow(10, e); v >= s.min && v <= s.max {
				out = append(out, tick{v, table.Number(v)})
			}
		}
	}
	if len(out) < 2 {
		// less than a factor of two or so
		out = slices.DeleteFunc(nice(s, 4), func(t tick) bool { return t.value <= 0 })
	}
	return out
}

// atValues marks the x values that were computed: for a handful of ε these say more than powers of ten. Ticks too close
// for their words have none; with many values there is nothing to mark.
func atValues(f *Figure, s span) []tick {
	seen := map[float64]bool{}
	var values []float64
	for _, se := range f.Series {
		for _, x := range se.X {
			if !seen[x] {
				seen[x] = true
				values = append(values, x)
			}
		}
	}
	if len(values) > 12 {
		return decades(s)
	}
	slices.Sort(values)
	var out []tick
	last, gap := math.Inf(-1), 0.06*(math.Log(s.max)-math.Log(s.min))
	for _, v := range values {
		t := tick{value: v}
		if math.Log(v)-last >= gap {
			t.label, last = table.Number(v), math.Log(v)
		}
		out = append(out, t)
	}
	return out
}
