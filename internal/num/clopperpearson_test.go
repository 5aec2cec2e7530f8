package num_test

import (
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/internal/num"
)

// The ends have closed forms where no draw, or every draw, came true.
func TestClopperPearsonEnds(t *testing.T) {
	const n, alpha = 1000, 1e-9
	end := math.Exp(math.Log(alpha) / n)
	if lower, upper, err := num.ClopperPearson(0, n, alpha); err != nil || lower != 0 || math.Abs(upper-(1-end)) > 1e-10 {
		t.Errorf("none of %d: %v, %v, %v; want an upper end of %v", n, lower, upper, err, 1-end)
	}
	if lower, upper, err := num.ClopperPearson(n, n, alpha); err != nil || upper != 1 || math.Abs(lower-end) > 1e-10 {
		t.Errorf("all of %d: %v, %v, %v; want a lower end of %v", n, lower, upper, err, end)
	}
}

// Each end is wrong with probability at most α, for every p: summed over the binomial law.
func TestClopperPearsonCovers(t *testing.T) {
	const n, alpha = 40, .02
	var lower, upper [n + 1]float64
	for k := range lower {
		var err error
		if lower[k], upper[k], err = num.ClopperPearson(k, n, alpha); err != nil {
			t.Fatal(err)
		}
	}
	greatest := 0.0
	for i := 1; i < 200; i++ {
		p := float64(i) / 200
		above, below, weight := 0.0, 0.0, math.Pow(1-p, n)
		for k := range lower {
			if lower[k] > p {
				above += weight
			}
			if upper[k] < p {
				below += weight
			}
			weight *= float64(n-k) / float64(k+1) * p / (1 - p)
		}
		if above > alpha*(1+1e-9) || below > alpha*(1+1e-9) {
			t.Errorf("p = %v: wrong with probability %v and %v", p, above, below)
		}
		greatest = max(greatest, above, below)
	}
	if greatest < .8*alpha {
		t.Errorf("never wrong with more than %v of %v: the interval is too wide", greatest, alpha)
	}
}
