package bugs

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/internal/truncatednet"
	"github.com/privbayes/privbayes-go/papers/families"
	"github.com/privbayes/privbayes-go/privbayes/audit"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// gaussianMu is the greatest μ = Δ₂/σ at which Gaussian noise is (ε, δ)-DP, by its exact profile, rounded toward
// privacy.
func gaussianMu(eps, delta float64) (float64, error) {
	mu, _, err := num.RootBracket(func(mu float64) float64 { return loss.GaussianPair{Mu: mu}.Delta(eps) - delta },
		1e-3*eps, 10*eps, 0)
	return mu, err
}

// shrunkNoise is Gaussian noise at the smallest σ that the exact profile allows, times √(ln(.5/δ)/ln(1/δ)). The factor
// comes from the tail bound P(Z > t) ≤ ½exp(−t²/2), which is half of the cruder exp(−t²/2): it sharpens a σ that was
// derived from the cruder bound. The exact σ has nothing left to sharpen.
func shrunkNoise() Bug {
	const eps, delta = 1.0, 1e-2
	b := Bug{
		ID: "shrunk-noise", Mechanism: "Gaussian noise on a count, calibrated exactly",
		Symptom: "σ multiplied by √(ln(.5/δ)/ln(1/δ)), the gain of a sharper tail bound that the exact σ already has",
		Claimed: dp.ApproxDP(eps, delta).Parameters, How: "dp.GaussianPair.Delta: the exact profile",
		Counterexample: "counts 1 and 0, outputs above 3.496: P − eP′ = 0.01565, claimed 0.01",
		Remedy:         "the exact σ, unchanged",
	}
	b.Spent = level(b.Claimed, 1.11471198886)
	b.check = func(_ context.Context, defect bool) (verdict, error) {
		mu, err := gaussianMu(eps, delta)
		if err != nil {
			return verdict{}, err
		}
		if defect {
			mu /= math.Sqrt(math.Log(.5/delta) / math.Log(1/delta))
		}
		pair := loss.GaussianPair{Mu: mu}
		// the likelihood-ratio test that attains the profile at ε: the output is above t, the counts are 1 and 0
		t, reached := eps/mu/mu+0.5, pair.Delta(eps)
		tab := table.New("Gaussian noise on a count, exact", "σ", "δ at ε = 1", "claimed δ", "ε at the claimed δ")
		tab.Add(1/mu, reached, delta, loss.EpsilonFor(pair, delta))
		return verdict{
			spent: level(b.Claimed, loss.EpsilonFor(pair, delta)), holds: reached <= delta,
			evidence: []*table.Table{tab},
			counterexample: fmt.Sprintf("counts 1 and 0, outputs above %.4g: P − eP′ = %.4g, claimed %v", t, reached,
				delta),
		}, nil
	}
	return b
}

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

// positiveGeometric is the law of count + Z, drawn again until it is not negative, clamped to top.
func positiveGeometric(count, top int, rate float64) []float64 {
	p := geometric(count, top, rate)
	q := math.Exp(-rate)
	p[0] *= 1 - q // of Z = −count alone, not of all that is below
	return normalised(p)
}

// untilPositive is a noisy table of two cells in which a negative count is drawn again. The chance of a redraw depends
// on the count, so the law is no shift of one law any more. Clamping to 0 is a function of the output and costs
// nothing. Counts above the number of records are clamped too, in both versions: beyond it the ratio of two laws is
// constant.
func untilPositive() Bug {
	const gamma, n = 0.5, 8
	b := Bug{
		ID: "until-positive", Mechanism: "geometric noise on a table of 2 cells, 8 records",
		Symptom: "noise is drawn again until no count is negative: how often depends on the counts",
		Claimed: dp.PureDP(2 * gamma).Parameters, How: byEnumeration,
		Counterexample: "counts [0 8] and [1 7], output (0, 8)",
		Remedy:         "draw once; negative counts are set to 0 afterwards",
	}
	b.Spent = level(b.Claimed, 1.209495750905)
	b.check = func(ctx context.Context, defect bool) (verdict, error) {
		cell := geometric
		if defect {
			cell = positiveGeometric
		}
		const base = n + 1
		return enumeratedJoint(ctx, audit.Subject{
			Name: b.Mechanism, Space: space(2, n, dp.ReplaceOne), Claim: b.Claimed,
			Mechanism: audit.FromFunc(base*base, func(x []int) []float64 {
				var law []float64
				for _, a := range cell(x[0], n, gamma) {
					for _, p := range cell(x[1], n, gamma) {
						law = append(law, a*p)
					}
				}
				return law
			}),
		}, base, 2)
	}
	return b
}

// classSum adds up a feature with values from 8 to 10 over the records of a class, under add-remove. A record that
// comes or goes changes the sum by its value, up to max(|lower|, |upper|) = 10. The width upper − lower = 2 is how much
// one replaced value changes it, which is another adjacency.
func classSum() Bug {
	const eps, lower, upper, n = 1.0, 8, 10, 3
	b := Bug{
		ID: "class-sum", Mechanism: "geometric noise on a class's sum of a feature in [8, 10]", Adjacency: dp.AddRemove,
		Symptom: "sensitivity upper − lower under add-remove: a record that comes or goes changes the sum by its " +
			"whole value",
		Claimed: dp.PureDP(eps).Parameters, How: byEnumeration, Counterexample: "counts [0 0 0] and [0 0 1], output 0",
		Remedy: "max(|lower|, |upper|), or sums of values less a public centre with a noisy class count",
	}
	b.Spent = level(b.Claimed, 5)
	b.check = func(ctx context.Context, defect bool) (verdict, error) {
		sensitivity := float64(max(-lower, upper))
		if defect {
			sensitivity = upper - lower
		}
		return enumerated(ctx, audit.Subject{
			Name: b.Mechanism, Space: space(upper-lower+1, n, b.Adjacency), Claim: b.Claimed,
			Mechanism: audit.FromFunc(n*upper+1, func(x []int) []float64 {
				sum := 0
				for i, count := range x {
					sum += (lower + i) * count
				}
				return geometric(sum, n*upper, eps/sensitivity)
			}),
		})
	}
	return b
}

// algorithm1 is the calibration of the Dirichlet mechanism's paper for (λ, ε)-RDP of one histogram: r solves
// λr²ψ′(1 + 3(λ−1)r) = ε, and α = 1 + 4(λ−1)r. Source: theory/dirichlet.md §1.4.
func algorithm1(order, eps float64) (r, alpha float64, err error) {
	lo, hi := 0.0, 1.0
	excess := func(r float64) float64 { return order*r*r*num.Trigamma(1+3*(order-1)*r) - eps }
	for excess(hi) < 0 { // x²ψ′(1+x) grows without bound
		hi *= 2
	}
	if _, r, err = num.RootBracket(excess, lo, hi, 0); err != nil {
		return 0, 0, err
	}
	return r, 1 + 4*(order-1)*r, nil
}

// byPair is how the Dirichlet mechanism is checked.
const byPair = "dp.DirichletPair.RDP: exact, attained by one record and 3 cells"

// dirichletVerdict compares the exact Rényi divergence of the worst pair with a claim, for one record that weighs rate.
func dirichletVerdict(name string, claim dp.Parameters, rate, alpha float64) verdict {
	spent := loss.DirichletPair{Rate: rate, Shape: alpha}.RDP(claim.Order)
	// the same from the two laws of one record in the first, or in the second, of three cells
	neighbours := loss.DirichletRenyi([]float64{alpha + rate, alpha, alpha}, []float64{-rate, rate, 0}, claim.Order)
	t := table.New(fmt.Sprintf("Rényi divergence of order %v of %s", claim.Order, name), "one record weighs", "α",
		"claimed", "worst pair", "one record in cell 1 or 2")
	t.Add(rate, alpha, float64(claim.Epsilon), spent, neighbours)
	return verdict{
		spent: level(claim, spent), holds: spent <= float64(claim.Epsilon), evidence: []*table.Table{t},
		counterexample: fmt.Sprintf("f = (1, 0, 0) and f′ = (0, 1, 0): Dir(%.4g, %.4g, %.4g) and its mirror image",
			alpha+rate, alpha, alpha),
	}
}

// dirichletShape keeps the r of the paper's calibration and takes α = 1 + (λ−1)r in place of 1 + 4(λ−1)r: only that
// much more than the α = (λ−1)r at which the divergence of order λ becomes infinite.
func dirichletShape() Bug { return dirichletShapeAt(1) }

func dirichletShapeAt(eps float64) Bug {
	const order = 5
	b := Bug{
		ID: "dirichlet-shape", Mechanism: "Dirichlet mechanism on a histogram, calibrated for (5, ε)-RDP",
		Symptom: "α = 1 + (λ−1)r with the r that belongs to α = 1 + 4(λ−1)r",
		Claimed: dp.RenyiDP(order, eps).Parameters, How: byPair,
		Counterexample: "f = (1, 0, 0) and f′ = (0, 1, 0): Dir(13.21, 10.76, 10.76) and its mirror image",
		Remedy:         "α = 1 + 4(λ−1)r",
	}
	b.Spent = level(b.Claimed, 3.329262528645)
	b.check = func(_ context.Context, defect bool) (verdict, error) {
		r, alpha, err := algorithm1(order, eps)
		if err != nil {
			return verdict{}, err
		}
		if defect {
			alpha = 1 + (order-1)*r
		}
		return dirichletVerdict("Dir(r·f + α)", b.Claimed, r, alpha), nil
	}
	return b
}

// classCounts releases the class prior of naive Bayes with K features. The class counts are found by adding up a
// feature table, over all K features: every record counts K times.
func classCounts() Bug { return classCountsAt(13, 0.01) }

// classCountsAt is classCounts for K features and a total of (5, ε)-RDP, of which the class counts get the share
// 1/(K+1).
func classCountsAt(features int, total float64) Bug {
	const order = 5
	k := float64(features)
	b := Bug{
		ID: "class-counts", Mechanism: fmt.Sprintf("Dirichlet mechanism on the class counts of naive Bayes, %d "+
			"features", features),
		Symptom: "class counts are summed over all features' tables: one record counts K times",
		Claimed: dp.RenyiDP(order, total/(k+1)).Parameters, How: byPair,
		Counterexample: "f = (1, 0, 0) and f′ = (0, 1, 0): Dir(1.294, 1.162, 1.162) and its mirror image",
		Remedy:         "one table's total, or no release at all: the feature tables determine the class counts",
	}
	b.Spent = level(b.Claimed, 0.1152083737509)
	b.check = func(_ context.Context, defect bool) (verdict, error) {
		r, alpha, err := algorithm1(order, float64(b.Claimed.Epsilon))
		if err != nil {
			return verdict{}, err
		}
		if defect {
			r *= k
		}
		return dirichletVerdict("Dir(r·f + α) on the class counts", b.Claimed, r, alpha), nil
	}
	return b
}
