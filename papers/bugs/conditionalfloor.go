package bugs

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/internal/truncatednet"
	"github.com/privbayes/privbayes-go/papers/families"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// recordEpsilon is the exact ε of one posterior sample of naive Bayes with d binary features, n records and Beta(1, 1)
// priors on every conditional probability, truncated to [ω, 1−ω]. Source: theory/networks.md §3.4.
func recordEpsilon(d, n int, omega float64) (float64, error) {
	return truncatednet.Naive{Features: d, Records: n, Alpha: 1}.Epsilon(omega, 1)
}

// kinds are the records of a class and a feature.
var kinds = [][]float64{{0, 0}, {0, 1}, {1, 0}, {1, 1}}

// claimedNetwork is a network of a class and a feature with a claim in place of its own ε. It hands out the data sets
// of two records, and the eight replacements of each, one after the other: a search of that length visits all of them.
type claimedNetwork struct {
	*families.Network
	epsilon    float64
	set, other *int
}

func (c claimedNetwork) Epsilon() float64 { return c.epsilon }

func (c claimedNetwork) Draw(rand.Source) families.Data {
	i := *c.set
	*c.set, *c.other = i+1, 0
	return families.Data{kinds[i/len(kinds)], kinds[i%len(kinds)]}
}

func (c claimedNetwork) Neighbour(_ rand.Source, x families.Data) families.Data {
	j := *c.other
	*c.other = j + 1
	y := append(families.Data(nil), x...)
	y[j/len(kinds)] = kinds[j%len(kinds)]
	return y
}

// newClaimed is the network of a class and a feature at floor ω that claims ε, to be searched from data set first on.
func newClaimed(records, first int, floor, eps float64) (claimedNetwork, error) {
	nodes := []families.NetworkNode{{States: 2}, {States: 2, Parents: []int{0}}}
	f, err := families.NewNetwork(records, nodes, 1, floor, families.OneRecord)
	return claimedNetwork{f, eps, &first, new(int)}, err
}

// lossStatement is the check of families.Check that the claim is about: what the family says about itself otherwise is
// not claimed.
const lossStatement = "privacy loss of one posterior sample"

// checkLoss searches some pairs and returns the check of the privacy loss.
func checkLoss(ctx context.Context, f families.Family, pairs int) (cert.Check, error) {
	c, err := families.Check(ctx, f, dp.Seeded(1), families.Pairs(pairs))
	if err != nil {
		return cert.Check{}, err
	}
	for _, k := range c.Checks {
		if k.Statement == lossStatement {
			return k, nil
		}
	}
	return cert.Check{}, &UnknownError{lossStatement}
}

// conditionalFloor is posterior sampling of a Bayesian network whose conditional probabilities are each kept above ω =
// exp(−ε/2). That is right for one probability of the whole record; a record has a factor for every node, and when its
// class changes it leaves one column of every table and enters another.
func conditionalFloor() Bug {
	const omega, records = 0.1, 2
	eps := 2 * math.Log(1/omega)
	b := Bug{
		ID: "conditional-floor", Mechanism: "posterior sample of naive Bayes, 1 binary feature, 2 records",
		Symptom: "every conditional probability is kept above ω = exp(−ε/2), which bounds the loss of one factor and " +
			"not of a record",
		Claimed: dp.PureDP(eps).Parameters, How: "families.Check: every pair of neighbours, posteriors from the " +
			"likelihood alone",
		Counterexample: "records (class, feature): (0, 0), (0, 0) and (1, 0), (0, 0)",
		Remedy:         "ω = 1/(r − 1 + exp(ε/(2K))) for K nodes of r states",
	}
	b.Spent = level(b.Claimed, 5.021142610264)
	floor := func(features int, defect bool) float64 {
		if defect {
			return omega
		}
		return 1 / (1 + math.Exp(eps/float64(2*(features+1))))
	}
	b.check = func(ctx context.Context, defect bool) (verdict, error) {
		f, err := newClaimed(records, 0, floor(1, defect), eps)
		if err != nil {
			return verdict{}, err
		}
		pairs := len(kinds) * len(kinds) * records * len(kinds)
		k, err := checkLoss(ctx, f, pairs)
		if err != nil {
			return verdict{}, err
		}
		// not a random search: the network hands out every pair, and the loss is monotone in every θ, so greatest at a
		// corner
		k.Method = cert.Enumeration
		k.Scope = fmt.Sprintf("every data set of %d records, every replacement: %d pairs, a grid of θ with its "+
			"corners", records, pairs)
		exact := table.New(fmt.Sprintf("Exact ε of one sample, claimed %.4g", eps), "features", "records", "ω",
			"exact ε")
		for _, s := range [][2]int{{1, 2}, {1, 50}, {2, 1}, {16, 50}} {
			w := floor(s[0], defect)
			epsilon, err := recordEpsilon(s[0], s[1], w)
			if err != nil {
				return verdict{}, err
			}
			exact.Add(s[0], s[1], w, epsilon)
		}
		found := &cert.Certificate{Title: "numeric check of one posterior sample", Checks: []cert.Check{k}}
		return verdict{
			spent: level(b.Claimed, float64(k.Value)), holds: k.OK(), counterexample: b.Counterexample,
			evidence: []*table.Table{found.Table(), exact},
		}, nil
	}
	return b
}
