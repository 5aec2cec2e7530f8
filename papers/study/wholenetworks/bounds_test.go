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

// sdSlack is what a standard deviation that was counted may be below the true one.
const sdSlack = 1.2

// reach is the t that the mean of k independent numbers of a standard deviation is off by, to the side where each is
// off by most at most, with probability alarm at most (Bennett's inequality): k·(sd/most)²·h(most·t/sd²) = −ln alarm
// with h(u) = (1 + u)·ln(1 + u) − u. It needs no normal law, and with small deviations is nearly that one's.
func reach(k int, sd, most, alarm float64) float64 {
	variance := sd * sd * sdSlack * sdSlack
	if !(variance > 0) {
		return 0
	}
	lo, hi := 0.0, most
	for range 60 {
		t := (lo + hi) / 2
		u := most * t / variance
		if float64(k)*variance/(most*most)*((1+u)*math.Log1p(u)-u) < -math.Log(alarm) {
			lo = t
		} else {
			hi = t
		}
	}
	return hi
}

// holdsLevel says whether a mean of k shares may have an expectation between lowest and highest: alarm on both sides
// together.
func holdsLevel(mean float64, k int, sd, alarm float64) bool {
	return mean >= lowest-reach(k, sd, lowest, alarm/2) && mean <= highest+reach(k, sd, 1-highest, alarm/2)
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
	// Bennett's bound holds of binomial shares, is tighter than Hoeffding's, and nearly normal where deviations are small.
	for _, k := range []int{200, 2000} {
		sd := math.Sqrt(.94*.06) / sdSlack
		low, high := .94-reach(k, sd, .94, 1e-6), .94+reach(k, sd, .06, 1e-6)
		if below := 1 - atLeast(int(low*float64(k))+1, k, .94); below > 1e-6 || below == 0 {
			t.Error(k, low, below)
		}
		if above := atLeast(int(high*float64(k))+1, k, .94); above > 1e-6 {
			t.Error(k, high, above)
		}
	}
	if a, b := reach(200, .1, .94, falseAlarm/2), .94-fewest(200, .94, falseAlarm/2); a > .85*b {
		t.Error(a, b)
	}
	if z := reach(1e6, .1/sdSlack, .94, falseAlarm/2) / (.1 / 1e3); z < 6.1 || z > 6.7 { // √(2·ln(2e9)) is 6.55
		t.Error(z)
	}
	if !holdsLevel(.93, 200, .1, falseAlarm) || holdsLevel(.82, 200, .1, falseAlarm) ||
		holdsLevel(.985, 200, .03, falseAlarm) {
		t.Error("not two-sided")
	}
}
