package wholenetworks

import (
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/internal/num"
)

// falseAlarm is how often a test may fail of what is right.
const falseAlarm = 1e-9

// fewest is the x with k·KL(x ‖ p) = −ln alarm below p: the mean of k independent shares in [0, 1] of expectation p or
// more is at most x with probability alarm at most (Hoeffding's bound).
func fewest(k int, p, alarm float64) float64 {
	lo, hi := 0.0, p
	for range 60 {
		x := (lo + hi) / 2
		kl := (1 - x) * math.Log((1-x)/(1-p))
		if x > 0 {
			kl += x * math.Log(x/p)
		}
		if float64(k)*kl > -math.Log(alarm) {
			lo = x
		} else {
			hi = x
		}
	}
	return lo
}

// atLeast is P(X ≥ x) of X ~ Binomial(n, p).
func atLeast(x, n int, p float64) float64 {
	if x <= 0 {
		return 1
	}
	if x > n {
		return 0
	}
	lower, _ := num.BetaTails(float64(x), float64(n-x+1), p, 1-p)
	return lower
}

// misses reports whether x of n misses may come from a rate between lo and hi: exact binomial tails, half of the false
// alarm on each side.
func misses(x, n int, lo, hi float64) bool {
	return atLeast(x, n, hi) > falseAlarm/2 && 1-atLeast(x+1, n, lo) > falseAlarm/2
}

func TestBounds(t *testing.T) {
	// P(Bin(4, ½) ≥ 3) = 5/16, and all of 20 at ½ is 2^−20.
	if math.Abs(atLeast(3, 4, .5)-5./16) > 1e-12 || math.Abs(atLeast(20, 20, .5)*(1<<20)-1) > 1e-9 {
		t.Error(atLeast(3, 4, .5), atLeast(20, 20, .5))
	}
	if !misses(50, 1000, .045, .055) || misses(120, 1000, .045, .055) || misses(9, 1000, .045, .055) {
		t.Error("not the tails of a binomial")
	}
	x := fewest(100, .94, falseAlarm)
	for k := range 101 { // the bound holds of the binomial law itself
		if float64(k)/100 <= x && 1-atLeast(k+1, 100, .94) > falseAlarm {
			t.Error(k, x)
		}
	}
	if x < .7 || x > .75 {
		t.Error(x)
	}
}
