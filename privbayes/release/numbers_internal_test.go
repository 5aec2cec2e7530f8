package release

import (
	"math"
	"slices"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
)

// An interval of dates is never shorter than that of its numbers, and one of whole days is that of the same days.
func TestEndsOfDates(t *testing.T) {
	dates := Interval{dates: &frame.Column{Date: "2006-01-02"}}
	for want, r := range map[string]mechanism.Range{
		"2024-06-18 – 2024-06-20": {Lower: 19892.6, Upper: 19893.4},
		"2024-06-19 – 2024-06-20": {Lower: 19893.4, Upper: 19893.6},
		"2024-06-19 – 2024-06-19": {Lower: 19893 - 1e-9, Upper: 19893 + 1e-9},
		"1969-12-30 – 1970-01-01": {Lower: -1.5, Upper: 0},
		"-∞ – ∞":                  {Lower: math.Inf(-1), Upper: math.Inf(1)},
	} {
		if have := dates.Ends(r, 3); have != want {
			t.Errorf("%v: %q; want %q", r, have, want)
		}
	}
	if have := (Interval{}).Ends(mechanism.Range{Lower: 1.26, Upper: 1.44}, 1); have != "1.3 – 1.4" {
		t.Error(have)
	}
	if have := dates.Text(19893.4, 2); have != "2024-06-19" {
		t.Error(have)
	}
}

// Rows of one unit have the decimals of the median width, and more where an interval would not be seen; those with
// units of their own have the decimals of their own widths, so that no slope is read as 0.
func TestDecimalsFollowWidths(t *testing.T) {
	var list []Interval
	for _, sd := range []float64{170, .0021, .21, 0} {
		r := mechanism.Range{Lower: -1.96 * sd, Upper: 1.96 * sd}
		list = append(list, Interval{Estimate: 0, Interval: mechanism.Interval{Population: &r}})
	}
	if have, want := unlike(list), []int{0, 4, 2, 0}; !slices.Equal(have, want) {
		t.Errorf("unlike rows: %d, want %d", have, want)
	}
	if have, want := alike(1, list), []int{1, 3, 1, 1}; !slices.Equal(have, want) {
		t.Errorf("like rows: %d, want %d", have, want)
	}
	if have, want := list[1].Ends(*list[1].Population, alike(1, list)[1]), "-0.004 – 0.004"; have != want {
		t.Errorf("%q, want %q", have, want)
	}
}
