package frame

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/seal"
)

// Columns of every type give the codes of the texts that a file has for their values.
func TestColumnsOfEveryType(t *testing.T) {
	real, whole := Real("v", 0, .1, .2, 1), Integer("v", 0, 1, 2, 10)
	text := Categorical("v", "0", "0.1", "7", "True", "False")
	day := Date("v", "02.01.2006", "01.01.1970", "02.01.1970", "31.12.1970")
	numbers := Categorical("v", "1", "0")
	real.Missing, real.OnMissing = []string{"NA", "0.5"}, MissingAsCategory
	for _, c := range []struct {
		column Column
		values any
		texts  string // "" for a refusal
	}{
		{real, []float32{.1, .2, .099, .5, float32(math.NaN())}, "0.1 0.2 0.099 NA NA"},
		{real, []float64{.1, .2, .5, math.NaN(), math.Copysign(0, -1)}, "0.1 0.2 0.5 NA 0"},
		{real, []bool{true, false}, "1 0"},
		{real, []float32{float32(math.Inf(1))}, ""},
		{whole, []int64{0, 9, 10}, "0 9 10"}, {whole, []int32{0, 9, 10}, "0 9 10"}, {whole, []int{1, 2}, "1 2"},
		{whole, []float32{0, 9}, "0 9"}, {whole, []float32{.5}, ""}, {whole, []float64{math.NaN()}, ""},
		{text, []float32{.1, 7, float32(math.Copysign(0, -1))}, "0.1 7 0"}, {text, []int64{7}, "7"},
		{text, []int32{0}, "0"},
		{text, []bool{true, false}, "True False"}, {numbers, []bool{true, false}, "1 0"}, {text, []float64{math.Inf(-1)}, ""},
		{day, []int64{0, 364}, "01.01.1970 31.12.1970"}, {day, []int32{1}, "02.01.1970"}, {day, []float64{1}, "02.01.1970"},
		{day, []int64{365}, ""}, {day, []float64{.5}, ""}, {day, []bool{true}, ""},
	} {
		s := &Schema{Dataset: "t", Columns: []Column{c.column}}
		f, err := FromColumns(s, map[string]any{"v": c.values})
		var refused *ValueError
		if c.texts == "" {
			if !errors.As(err, &refused) {
				t.Errorf("%v: %v, want a *ValueError", c.values, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%v: %v", c.values, err)
			continue
		}
		g, err := Read(t.Context(), strings.NewReader("v\n"+strings.ReplaceAll(c.texts, " ", "\n")+"\n"), "v.csv", s)
		if err != nil || !sameFrame(f, g) {
			t.Errorf("%v: %v, or another frame than of %s", c.values, err, c.texts)
		}
	}
	s := &Schema{Dataset: "t", Columns: []Column{whole}}
	for _, values := range []any{nil, []uint8{1}, []any{1}, [3]int{}, []time.Time{{}}, 7} {
		var refused *domain.Error
		if _, err := FromColumns(s, map[string]any{"v": values}); !errors.As(err, &refused) ||
			!strings.Contains(err.Error(), "[]float32") {
			t.Errorf("%T: %v, want an error that lists the types", values, err)
		}
	}
}

// Keys are compared by what they are: −0 is 0, a number of 32 bits is the number that it is written as, and what is not
// a number names no unit.
func TestKeysOfEveryType(t *testing.T) {
	s := &Schema{Dataset: "t", UnitKey: "k", RowsPerUnit: 1, Columns: []Column{Categorical("v", "a", "b")}}
	values := []string{"a", "b", "a", "b"}
	nan := math.NaN()
	for _, c := range []struct {
		keys  any
		units int // 0 for a refusal
	}{
		{[]string{"x", "y", "x", "z"}, 3}, {[]float64{0, math.Copysign(0, -1), 1, 1000}, 3},
		{[]float32{.1, .1, .2, 0}, 3},
		{[]int64{1<<53 + 1, 1 << 53, 1, 1}, 3}, {[]int32{1, 1, 1, 1}, 1}, {[]int{1, 2, 3, 4}, 4},
		{[]bool{true, false, true, true}, 2},
		{[]string{"x", "", "x", "z"}, 0}, {[]float64{1, nan, nan, 2}, 0}, {[]float32{1, float32(nan), 1, 1}, 0},
		{[]string{"x", "NaN", "NaN", "z"}, 3}, // a text like any other
	} {
		f, err := FromColumns(s, map[string]any{"v": values, "k": c.keys})
		var refused *ValueError
		switch {
		case c.units == 0 && (!errors.As(err, &refused) || refused.Column != "k"):
			t.Errorf("%v: %v, want a *ValueError of the key", c.keys, err)
		case c.units > 0 && (err != nil || f.n != c.units):
			t.Errorf("%v: %v, %+v, want %d units", c.keys, err, f, c.units)
		}
	}
}

// The day of a time is that of a layout with a time of day, or of midnight.
func TestTimes(t *testing.T) {
	midnight := time.Date(2024, 1, 2, 0, 0, 0, 0, time.UTC)
	for layout, takes := range map[string]string{"2006-01-02": "0", "2006-01-02 15:04:05": "01", "2006-01-02T15h": "01",
		"": ""} {
		column := Date("v", layout, midnight.Format(layout), midnight.AddDate(0, 0, 9).Format(layout))
		if layout == "" {
			column = Integer("v", 0, 100000)
		}
		c, err := NewCoder(seal.Mine(), &Schema{Dataset: "t", Columns: []Column{column}}, "v")
		if err != nil {
			t.Fatal(err)
		}
		for i, at := range []time.Time{midnight, midnight.Add(time.Hour + 1)} {
			_, day, ok := c.Time(at)
			if ok != strings.Contains(takes, fmt.Sprint(i)) || ok && day != float64(midnight.Unix()/secondsPerDay) {
				t.Errorf("%q: %v is day %v, %v", layout, at, day, ok)
			}
		}
	}
	s := &Schema{Dataset: "t", Columns: []Column{Date("v", "2006-01-02", "1900-01-01", "2000-01-01")}}
	c, err := NewCoder(seal.Mine(), s, "v")
	if err != nil {
		t.Fatal(err)
	}
	if _, day, ok := c.Time(time.Date(1969, 12, 31, 0, 0, 0, 0, time.UTC)); !ok || day != -1 {
		t.Errorf("the last day of 1969 is %v, %v", day, ok)
	}
}

// A header without rows is a table of no rows.
func TestNoRows(t *testing.T) {
	s := &Schema{Dataset: "t", Columns: []Column{Integer("v", 0, 5)}}
	f, err := Read(t.Context(), strings.NewReader("v\n"), "v.csv", s)
	if err != nil || f.n != 0 {
		t.Errorf("%v, %+v", err, f)
	}
}
