package eval

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// curve is a comparison with one run at ε = 1, 2, ….
func curve(nonPrivate float64, scores ...float64) *Diagnostic {
	d := &Diagnostic{NonPrivate: Spread{Mean: nonPrivate}, runs: []string{"a run"}}
	for i, s := range scores {
		d.Outcomes = append(d.Outcomes, Outcome{Run: "a run", Epsilon: float64(i + 1), Score: Spread{Mean: s}})
	}
	return d
}

// The number is the least ε from which on all are near, not the first that is.
func TestReaches(t *testing.T) {
	for _, c := range []struct {
		scores []float64
		want   float64
		ok     bool
	}{
		{[]float64{.5, .7, .89, .9}, 3, true}, {[]float64{.5, .9, .7, .9}, 4, true}, {[]float64{.9, .9, .9, .9}, 1, true},
		{[]float64{.9, .9, .9, .5}, 0, false}, {[]float64{.5, .9, 1, .9}, 4, true}, {[]float64{math.NaN(), .9}, 2, true},
	} {
		got, ok, err := curve(.9, c.scores...).Reaches("a run", .02)
		if got != c.want || ok != c.ok || err != nil {
			t.Errorf("%v: %v, %v, %v", c.scores, got, ok, err)
		}
	}
	var refused *dp.ParameterError
	for _, distance := range []float64{-1, math.NaN()} {
		if _, _, err := curve(.9, .9).Reaches("a run", distance); !errors.As(err, &refused) {
			t.Error(distance, err)
		}
	}
	if _, _, err := curve(.9, .9).Reaches("another", .1); !errors.As(err, &refused) {
		t.Error(err)
	}
}

func ExampleDiagnostic_Reaches() {
	epsilon, ok, _ := curve(.91, .74, .90, .91).Reaches("a run", .02)
	fmt.Println(epsilon, ok)
	// Output: 2 true
}
