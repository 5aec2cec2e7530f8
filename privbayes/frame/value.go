package frame

import (
	"math"
	"slices"
	"strconv"
	"time"
)

// What values that are no texts mean, wherever they come from: columns in memory, Parquet, Arrow, databases.

// number encodes a number: NaN is a value that is not there, an infinite one fits no column, −0 is 0, and a number
// that is a missing mark is missing.
func (e *encoder) number(x float64) bool {
	x += 0
	switch {
	case math.IsNaN(x):
		return e.null()
	case math.IsInf(x, 0):
		return false
	case !e.numeric:
		return e.add([]byte(formatFloat(x)))
	case e.markOf(x, nil) >= 0:
		return e.addMissing(e.missing)
	}
	return e.addNumber(x)
}

// single is number for one of 32 bits.
func (e *encoder) single(x float32) bool {
	y, err := strconv.ParseFloat(formatSingle(x), 64)
	return err == nil && e.number(y)
}

// formatSingle is the shortest decimal text that gives the number of 32 bits back.
func formatSingle(x float32) string { return strconv.FormatFloat(float64(x)+0, 'f', -1, 32) }

// whole64 encodes a whole number, by its text where float64 has not all of its digits.
func (e *encoder) whole64(v int64) bool {
	if e.numeric && (e.col.Date != "" || -1<<53 <= v && v <= 1<<53) {
		return e.number(float64(v))
	}
	return e.add(strconv.AppendInt(nil, v, 10))
}

// null encodes a value that is not there: the missing category, where there is one, else as an empty field is.
func (e *encoder) null() bool {
	switch {
	case e.missing < 0:
		return e.add(nil)
	case e.numeric:
		return e.addMissing(e.missing)
	}
	e.push(e.missing)
	return true
}

// truths are the texts of truth values.
var truths = map[bool][]string{false: {"false", "False", "FALSE", "0"}, true: {"true", "True", "TRUE", "1"}}

// truth is the first of the texts of a truth value that the column reads, or else the first.
func (e *encoder) truth(v bool) string {
	if e.truths == nil {
		e.truths = map[bool]string{}
		for v, texts := range truths {
			at := max(0, slices.IndexFunc(texts, func(text string) bool { return e.probe().add([]byte(text)) }))
			e.truths[v] = texts[at]
		}
	}
	return e.truths[v]
}

// probe is another encoder of the same column that has encoded nothing.
func (e *encoder) probe() *encoder {
	p := newEncoder(e.col).written(e.format)
	p.values, p.special = e.values, e.special
	return p
}

// dayOf is the day of a time in a column of dates.
func (e *encoder) dayOf(t time.Time) (days float64, ok bool) {
	y, m, d := t.Date()
	midnight := time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
	if e.col.Date == "" || !e.clock && !t.Equal(midnight) {
		return 0, false
	}
	return math.Floor(float64(midnight.Unix()) / secondsPerDay), true
}

// hasClock reports whether a layout writes the time of day.
func hasClock(layout string) bool {
	day := time.Date(2001, 11, 23, 0, 0, 0, 0, time.UTC)
	return layout != "" && day.Format(layout) != day.Add(13*time.Hour+14*time.Minute+15*time.Second).Format(layout)
}
