package bugs

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// falseAlarm is the probability with which a sampled check may reject a mechanism that keeps its claim: two
// Clopper–Pearson bounds of half of it each.
const falseAlarm = 1e-9

// sampledDraws is the number of draws on each of two neighbours.
const sampledDraws = 20_000

// bySampling is how bugs in the use of randomness are checked besides the law that follows from them.
var bySampling = fmt.Sprintf("%d draws of the running code, false alarm below %.0e", 2*sampledDraws, falseAlarm)

// clopperPearson is the exact confidence interval of a probability of which k of n draws came true: each end is wrong
// with probability at most α. Lower: I_p(k, n−k+1) = α; upper: 1 − I_p(k+1, n−k) = α (Clopper and Pearson 1934).
func clopperPearson(k, n int, alpha float64) (lower, upper float64, err error) {
	lower, upper = 0, 1
	if k > 0 {
		excess := func(p float64) float64 {
			l,
				_ := num.BetaTails(float64(k), float64(n-k+1), p, 1-p)
			return l - alpha
		}
		if lower, _, err = num.RootBracket(excess, 0, 1, 0); err != nil {
			return 0, 0, err
		}
	}
	if k < n {
		excess := func(p float64) float64 {
			_,
				u := num.BetaTails(float64(k+1), float64(n-k), p, 1-p)
			return u - alpha
		}
		if _, upper, err = num.RootBracket(excess, 0, 1, 0); err != nil {
			return 0, 0, err
		}
	}
	return lower, upper, nil
}

// sampled runs a mechanism on two neighbours and counts an event that is fixed beforehand. An ε-DP mechanism has
// P(event | x) ≤ e^ε·P(event | y), so
//
//	ε ≥ ln(lower bound of P(event | x) / upper bound of P(event | y))
//
// except with probability falseAlarm. The result is a lower bound: it refutes, and never proves.
func sampled(ctx context.Context, what string, event func(neighbour bool, src *dp.Stream) (bool, error),
	seed uint64) (float64, *table.Table, error) {
	var hits [2]int
	src := dp.Seeded(seed)
	for side := range hits {
		for range sampledDraws {
			if err := ctx.Err(); err != nil {
				return 0, nil, err
			}
			hit, err := event(side == 1, src)
			if err != nil {
				return 0, nil, err
			}
			if hit {
				hits[side]++
			}
		}
	}
	lower, _, err := clopperPearson(hits[0], sampledDraws, falseAlarm/2)
	if err != nil {
		return 0, nil, err
	}
	_, upper, err := clopperPearson(hits[1], sampledDraws, falseAlarm/2)
	if err != nil {
		return 0, nil, err
	}
	bound := math.Max(0, math.Log(lower/upper))
	t := table.New("From draws of the running code", "event", "share at x", "share at y", "ε is at least",
		"false alarm")
	t.Add(what, float64(hits[0])/sampledDraws, float64(hits[1])/sampledDraws, bound, falseAlarm)
	return bound, t, nil
}
