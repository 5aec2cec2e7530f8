package structure

import (
	"testing"
)

// Numbers of rounds are those of another program, and those on both sides of a threshold.
func TestRoundsAt(t *testing.T) {
	for _, c := range []struct {
		columns, pairs int
		nu             float64
		want           int
	}{
		{10, 45, .009, 20}, {10, 45, .0034, 43}, {6, 15, .0009, 15}, {15, 105, .048, 30}, {15, 105, .001, 105},
		{4, 6, .0049, 8}, {4, 6, .0051, 8}, {10, 45, .0035, 40}, {40, 780, .0001, 320}, {40, 780, 0, 320}, {2, 1, 1e-9, 4},
	} {
		if got := roundsAt(c.columns, c.pairs, c.nu); got != c.want {
			t.Errorf("%d columns, %d pairs, ν = %v: %d rounds; want %d", c.columns, c.pairs, c.nu, got, c.want)
		}
	}
}
