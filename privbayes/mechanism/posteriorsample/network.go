package posteriorsample

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/logratio"
	"github.com/privbayes/privbayes-go/internal/truncated"
	"github.com/privbayes/privbayes-go/internal/truncatednet"
)

// conditionals is a discrete network, or a single table, as the accounting sees it: independent truncated Dirichlet
// posteriors, one for every row of every conditional distribution, with the likelihood to a power η. A replaced record
// changes every conditional once: it stays in its row and changes value, or leaves one row and enters another. Both
// ways the log-ratio of the laws that it touches has a range of at most 2ηℓ, ℓ = ln((1−(r−1)w)/w); a record that moves
// between two rows changes two independent laws of range ηℓ each, whose product is again a pair of range 2ηℓ. Laws of
// different conditionals are independent given the data, so that
//
//	osc = 2ηΣℓ_i,  D_λ ≤ Σ_i R_λ(2ηℓ_i),  R_λ(w) the supremum over all pairs of range w.
//
// ε is the sum of each conditional's own, which is exact for two levels. Source: theory/sampling.md §16, §22 D;
// theory/networks.md §3.
type conditionals struct {
	n     int
	alpha float64 // prior count of every cell
	power float64
	nodes []node
	anyN  bool // for data of any size
	naive bool // the first node is the parent of all others, and of them only
}

// node is one conditional distribution.
type node struct {
	Rows   int     `json:"rows"` // configurations of the parents
	Levels int     `json:"levels"`
	Floor  float64 `json:"floor"`
}

// logRange is ηℓ.
func (c conditionals) logRange(v node) float64 {
	return c.power * (math.Log1p(-float64(v.Levels-1)*v.Floor) - math.Log(v.Floor))
}

// Oscillation is 2ηΣℓ.
func (c conditionals) Oscillation() float64 {
	sum := 0.0
	for _, v := range c.nodes {
		sum += 2 * c.logRange(v)
	}
	return sum * inflation
}

// Epsilon is the pure ε of one draw.
func (c conditionals) Epsilon() float64 {
	if c.anyN {
		return c.Oscillation()
	}
	seen := map[node]float64{}
	sum := 0.0
	for _, v := range c.nodes {
		key := node{min(v.Rows, 2), v.Levels, v.Floor}
		e, ok := seen[key]
		if !ok {
			e = c.nodeEpsilon(v)
			seen[key] = e
		}
		sum += e
	}
	sum = math.Min(sum*inflation, c.Oscillation())
	if w := c.nodes[0].Floor; c.naive && len(c.nodes) > 1 {
		for _, v := range c.nodes {
			if v.Levels != 2 || v.Floor != w {
				return sum
			}
		}
		// the class and the features cannot all be at their own worst at once: exact
		if e, err := (truncatednet.Naive{Features: len(c.nodes) - 1, Records: c.n, Alpha: c.alpha}).Epsilon(w,
			c.power); err == nil {
			return math.Min(sum, e*inflation)
		}
	}
	return sum
}

// nodeEpsilon is the ε of one conditional: exact for two levels, the range otherwise.
func (c conditionals) nodeEpsilon(v node) float64 {
	bound := 2 * c.logRange(v)
	if v.Levels != 2 {
		return bound
	}
	own, err := logratio.NewBits(c.n, c.alpha, c.alpha, v.Floor, 1-v.Floor, c.power)
	if err != nil {
		return bound
	}
	e := own.Epsilon()
	if v.Rows > 1 {
		e = math.Max(e, c.moved(v.Floor))
	}
	return math.Min(e, bound)
}

// moved is the ε of a record that leaves one row of two levels for another. With m and m′ other records in the two
// rows, adding a one has log-ratio at most up(m) = η ln u − ln E[θ^η | 0 of m ones], and removing one at most down(m′)
// = ln E[θ^η | m′ of m′ ones] − η ln l. Both grow with their argument, and m + m′ ≤ n − 1.
func (c conditionals) moved(w float64) float64 {
	u := 1 - w
	term := func(ones, zeros float64) float64 { // ln E θ^η
		law, err := truncated.NewBeta(c.alpha+c.power*ones, c.alpha+c.power*zeros, w, u)
		if err != nil {
			return math.NaN()
		}
		return law.LogMoment(c.power, 0)
	}
	up := func(m int) float64 { return c.power*math.Log1p(-w) - term(0, float64(m)) }
	down := func(m int) float64 { return term(float64(m), 0) - c.power*math.Log(w) }
	rest := c.n - 1
	if rest > 128 { // the monotone bound, which the exact value approaches
		return (up(rest) + down(rest)) * inflation
	}
	most := 0.0
	for m := range rest + 1 {
		most = math.Max(most, up(m)+down(rest-m))
	}
	if math.IsNaN(most) {
		return math.Inf(1)
	}
	return most * inflation
}

// Renyi is the sum of the conditionals' bounds.
func (c conditionals) Renyi(order float64) float64 {
	seen := map[float64]float64{}
	sum := 0.0
	for _, v := range c.nodes {
		w := 2 * c.logRange(v) * inflation
		r, ok := seen[w]
		if !ok {
			r = logratio.BoundedRange(w).Renyi(order)
			seen[w] = r
		}
		sum += r
	}
	return sum * inflation
}

// Quick is Renyi.
func (c conditionals) Quick(order float64) float64 { return c.Renyi(order) }

// Rate is ZCDP, for every order.
func (c conditionals) Rate(float64) float64 { return c.ZCDP() }

// ZCDP is Σ (2ηℓ_i)²/8.
func (c conditionals) ZCDP() float64 {
	sum := 0.0
	for _, v := range c.nodes {
		sum += logratio.BoundedRange(2 * c.logRange(v)).ZCDP()
	}
	return sum * inflation * inflation
}

// Delta is the profile of one draw that the range of the whole log-ratio implies.
func (c conditionals) Delta(epsilon float64) float64 {
	if epsilon >= c.Epsilon() {
		return 0
	}
	return logratio.BoundedRange(c.Oscillation()).Delta(epsilon)
}
