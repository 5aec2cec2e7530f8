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

// The lines say the ε that Reaches finds and the score there, and the score at the largest ε where there is none.
func TestHeadlinesOfAComparison(t *testing.T) {
	for want, scores := range map[string][]float64{
		"ε from which the accuracy stays within 0.02 of the line without privacy = 3\n" +
			"headline: accuracy there, mean of 20 releases, where the line without privacy is at 0.9 = 0.89\n": {.5, .7, .89, .9},
		"ε from which the accuracy stays within 0.02 of the line without privacy = none tried\n" +
			"headline: accuracy at the largest, mean of 20 releases, where the line without privacy is at 0.9 = 0.8\n": {.9, .9,
			.9, .8},
	} {
		d := curve(.9, scores...)
		d.words.Measures, d.Draws = []string{"accuracy"}, 80
		if got, err := d.Headlines("a run", .02); err != nil || got != "headline: "+want {
			t.Errorf("%v\n%s\nwant\n%s", err, got, want)
		}
	}
	var refused *dp.ParameterError
	if _, err := curve(.9, .9).Headlines("another", .1); !errors.As(err, &refused) {
		t.Error(err)
	}
}

func ExampleDiagnostic_Reaches() {
	epsilon, ok, _ := curve(.91, .74, .90, .91).Reaches("a run", .02)
	fmt.Println(epsilon, ok)
	// Output: 2 true
}
