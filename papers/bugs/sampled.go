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
	lower, _, err := num.ClopperPearson(hits[0], sampledDraws, falseAlarm/2)
	if err != nil {
		return 0, nil, err
	}
	_, upper, err := num.ClopperPearson(hits[1], sampledDraws, falseAlarm/2)
	if err != nil {
		return 0, nil, err
	}
	bound := math.Max(0, math.Log(lower/upper))
	t := table.New("From draws of the running code", "event", "share at x", "share at y", "ε is at least",
		"false alarm")
	t.Add(what, float64(hits[0])/sampledDraws, float64(hits[1])/sampledDraws, bound, falseAlarm)
	return bound, t, nil
}
