package release

import (
	"math"
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
