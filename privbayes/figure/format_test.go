package figure_test

import (
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/figure"
)

// Values are as precise as their standard deviation lets them be, in a way that reads well.
func TestNumbers(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{figure.Estimate(603.73, 1.005), "603.7 ± 1.0"},
		{figure.Estimate(604, 1.005), "604.0 ± 1.0"},
		{figure.Estimate(654.9, 8.455), "654.9 ± 8.5"},
		{figure.Estimate(.617773, .0462), "0.618 ± 0.046"},
		{figure.Estimate(-15.33, 14.8), "−15 ± 15"},
		{figure.Share(5.338e-16), "< 0.1 %"},
		{figure.Share(.99959), "> 99.9 %"},
		{figure.Share(.03161), "3.2 %"},
		{figure.Number(1126200), "1\u202f126\u202f200"},
		{figure.Number(576.64), "577"},
		{figure.Number(1e-6), "1 × 10⁻⁶"},
		{figure.Digits(.2657, 2), "0.27"},
		{figure.Digits(2e9, 2), "2.0 × 10⁹"},
		{figure.Number(.5), "0.5"},
		{figure.Number(math.Inf(1)), "∞"},
		{figure.Between(654.9, 637.3, 672.1), "655"},
		{figure.Between(.6178, .547, .689), "0.62"},
		{figure.Between(-15.33, -44.1, 12.2), "−15"},
		{figure.Between(.3, .3, .3), "0.300"},
		{figure.Share(0), "0 %"},
		{figure.Share(1), "100 %"},
		{figure.Rounded(16_234, 410), "16\u202f230"},
		{figure.Rounded(16_234, 4100), "16\u202f200"},
		{figure.Rounded(-.0004, .1), "0.00"},
		{figure.Rounded(math.NaN(), 1), "–"},
		{figure.Estimate(2, 0), "2.00"},
		{figure.Number(9999), "9999"},
		{figure.Digits(99.96, 3), "100"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}
