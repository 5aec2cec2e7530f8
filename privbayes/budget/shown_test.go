package budget

import (
	"math"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// The bar shows a little that is spent, and a little that is left.
func TestBar(t *testing.T) {
	for _, c := range []struct {
		share float64
		full  int
		text  string
	}{
		{0, 0, " 0 %,"}, {1e-9, 1, " 0 %,"}, {.05, 1, " 5 %,"}, {.5, 10, " 50 %,"}, {.9999, 19, " 100 %,"},
		{1, 20, " 100 %,"}, {1.5, 20, " 150 %,"}, {math.Inf(1), 20, " +Inf %,"},
	} {
		if got := bar(c.share); strings.Count(got, "█") != c.full || !strings.HasSuffix(got, c.text) ||
			strings.Count(got, "░") != 20-c.full {
			t.Errorf("%v: %s", c.share, got)
		}
	}
}

// The share is of what is nearest to its limit.
func TestShare(t *testing.T) {
	b := &Budget{limit: dp.Guarantee{Parameters: dp.ApproxDP(2, 1e-6).Parameters}}
	for _, c := range []struct {
		spent dp.Parameters
		want  float64
	}{{dp.Parameters{}, 0}, {dp.ApproxDP(1, 1e-7).Parameters, .5}, {dp.ApproxDP(1, 9e-7).Parameters, .9}} {
		if got := b.share(c.spent); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s: %v, want %v", c.spent, got, c.want)
		}
	}
}
