package figure

import (
	"math"
	"time"
)

// An axis of dates has whole days since 1970-01-01 for values, and a layout of package time, in which they are written.

// secondsPerDay are those of package time, to which all days are as long.
const secondsPerDay = 24 * 60 * 60

// latest is the last day that is written as a date, and −latest the first: some 27,000 years.
const latest = 1e7

func onDay(x float64) time.Time { return time.Unix(int64(x)*secondsPerDay, 0).UTC() }

// date is the nearest day to x in a layout.
func date(x float64, layout string) string {
	if !finite(x) || math.Abs(x) > latest {
		return Number(x)
	}
	return onDay(math.Round(x)).Format(layout)
}

// partOfDay is what rounding may have made.
const partOfDay = 1e-6

// ends are the days with which an interval begins and ends: it is never shorter than that of the numbers.
func (m Mark) ends(layout string) (from, to string) {
	return date(math.Floor(m.From+partOfDay), layout), date(math.Ceil(m.To-partOfDay), layout)
}

// onDates is a mark in words, on dates.
func (m Mark) onDates(layout string) string {
	if m.From == m.To {
		return date(m.At, layout)
	}
	from, to := m.ends(layout)
	return date(m.At, layout) + " (" + from + " to " + to + ")"
}

// days are the whole days of a range, at least two of them from its first to its last.
func (s span) days() span {
	s = span{math.Floor(s.min + partOfDay), math.Ceil(s.max - partOfDay)}
	if s.max-s.min < 2 {
		s.min, s.max = s.min-1, s.max+1
	}
	return s
}

// dateStep is the distance of ticks: some months from a January on, or some days, of weeks from a Monday on.
type dateStep struct{ months, days int }

// dateSteps are those of axes, from the longest to the shortest.
var dateSteps = func() (out []dateStep) {
	for _, years := range []int{5000, 2000, 1000, 500, 200, 100, 50, 20, 10, 5, 2, 1} {
		out = append(out, dateStep{months: 12 * years})
	}
	return append(out, dateStep{months: 6}, dateStep{months: 3}, dateStep{months: 2}, dateStep{months: 1},
		dateStep{days: 14}, dateStep{days: 7}, dateStep{days: 4}, dateStep{days: 2}, dateStep{days: 1})
}()

// length is how many days lie between two ticks, about.
func (d dateStep) length() float64 { return 30.44*float64(d.months) + float64(d.days) }

// days marks days, months or years: about want of them in the range, and three at least, as nice does of numbers.
func days(s span, want float64, layout string) (out []tick) {
	if math.Max(math.Abs(s.min), math.Abs(s.max)) > latest {
		return nice(s, want, false)
	}
	for _, step := range dateSteps {
		if step.length() < .75*(s.max-s.min)/want && len(out) >= fewestTicks {
			break
		}
		out = step.marks(s, layout)
	}
	return out
}

// monday is the day of the first Monday.
const monday = 4

// marks are the ticks of a step in a range: a year, a month of one, or a date in the layout.
func (d dateStep) marks(s span, layout string) (out []tick) {
	if d.days > 0 {
		step := float64(d.days)
		for x := monday + step*math.Ceil((s.min-monday)/step); x <= s.max; x += step {
			out = append(out, tick{x, date(x, layout)})
		}
		return out
	}
	if layout = "2006"; d.months%12 > 0 {
		layout = "Jan 2006"
	}
	at := onDay(math.Ceil(s.min))
	month := 12*at.Year() + int(at.Month()) - 1 // since the year 0, to a whole step
	for month -= mod(month, d.months); ; month += d.months {
		first := time.Date(0, time.Month(month+1), 1, 0, 0, 0, 0, time.UTC)
		x := float64(first.Unix() / secondsPerDay)
		if x > s.max {
			return out
		}
		if x >= s.min {
			out = append(out, tick{x, first.Format(layout)})
		}
	}
}

// mod is the remainder that is not negative.
func mod(a, b int) int { return ((a % b) + b) % b }
