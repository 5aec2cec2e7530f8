package selection

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/sample"
)

// Stop is the distribution of how many candidates count. G is geometric: after each candidate it stops with probability
// γ = 1/OneIn. It is drawn anew until it is at most Most. Exactly Most candidates are drawn whatever it is, and the
// first accepted one of the first G is released.
type Stop struct {
	OneIn int `json:"one_in"` // 1/γ, from 1 to 1,000
	Most  int `json:"most"`   // N, from 1 to 1,000
	// Best releases the one with the greatest noisy least slack of the first G, accepted or not: P(G = k) is then
	// proportional to (1 − γ)^k/k. It is for pure ε.
	Best bool `json:"best,omitempty"`
}

// valid refuses numbers outside their domain: *dp.ParameterError.
func (s Stop) valid() error {
	if s.Best && s.OneIn == 0 {
		return domain.Refuse("selection", "one in", 0, "a number from 1 to 1,000, so that how many count is drawn: "+
			"the best of a fixed number k of candidates has k times the ε of one in the worst ranking")
	}
	return domain.Check("selection", "stop", domain.Between("one in", s.OneIn, 1, 1000),
		domain.Between("most candidates", s.Most, 1, 1000))
}

func (s Stop) String() string {
	if s.Best {
		return fmt.Sprintf("the best of at most %d candidates, γ = 1/%d", s.Most, s.OneIn)
	}
	return fmt.Sprintf("%d candidates, stopping after each with probability 1/%d", s.Most, s.OneIn)
}

// draw is G, exactly.
func (s Stop) draw(src rand.Source) int {
	for {
		g := 1
		for g <= s.Most && sample.Uniform(src, uint64(s.OneIn)) != 0 {
			g++
		}
		if g <= s.Most && (!s.Best || sample.Uniform(src, uint64(g)) == 0) {
			return g
		}
	}
}

// distribution is that of G.
type distribution struct{ at, beyond []float64 } // P(G = j+1), P(G > j) for j = 0, …, N−1

func (s Stop) distribution() distribution {
	q, sum := 1-1/float64(s.OneIn), 0.
	l := distribution{make([]float64, s.Most), make([]float64, s.Most)}
	for j := range l.at {
		l.at[j] = math.Pow(q, float64(j))
		sum += l.at[j]
	}
	beyond := 0.
	for j := s.Most - 1; j >= 0; j-- {
		l.at[j] /= sum
		beyond += l.at[j]
		l.beyond[j] = beyond
	}
	return l
}

// generating is f(b) = E b^G, the probability of none where each candidate is refused with probability b; and h(b) = Σ
// P(G > j)·b^j, the density of what is accepted over that of a candidate. a·h(b) + f(b) = 1 for a = 1 − b.
func (l distribution) generating(b float64) (none, density float64) {
	for j := len(l.at) - 1; j >= 0; j-- {
		density = density*b + l.beyond[j]
		none = (none + l.at[j]) * b
	}
	return none, density
}

// Chance is the probability that a candidate is released where each is accepted with probability a, in [0, 1].
func (s Stop) Chance(a float64) float64 {
	none, _ := s.distribution().generating(1 - a)
	return 1 - none
}

// rounded covers the rounding of a level: sums of at most 1,000 positive terms, and their logarithms.
const rounded = 1e-11

// pure is the ε of the selection among candidates that are ε-DP, with what decides about them:
//
//	max{ln f(b)/f(b′), ε + ln h(b)/h(b′)},  b = e^ε/(1 + e^ε),  b′ = 1/(1 + e^ε),
//
// and at most ε + ln((e^ε + γ)/(1 + γe^ε)); of the best one ε + ln r(b)/r(b′), r as rank has it. Source:
// theory/selection.md §2.
func (s Stop) pure(epsilon float64) float64 {
	b := 1 / (1 + math.Exp(-epsilon))
	if s.Best {
		return epsilon + math.Log(s.rank(b)/s.rank(1/(1+math.Exp(epsilon)))) + rounded
	}
	l := s.distribution()
	none, density := l.generating(b)
	otherNone, otherDensity := l.generating(1 / (1 + math.Exp(epsilon)))
	return math.Max(math.Log(none/otherNone), epsilon+math.Log(density/otherDensity)) + rounded
}

// rank is Σ_{j<N} (1−γ)^j b^j, up to a factor the density of the best of G candidates over that of one, where another
// is better with probability 1 − b.
func (s Stop) rank(b float64) (sum float64) {
	for range s.Most {
		sum = 1 + (1-1/float64(s.OneIn))*b*sum
	}
	return sum
}

// base is the greatest ε of candidates under which the selection has at most the total: to 1e-12, from below.
func (s Stop) base(total float64) float64 {
	lo, hi := 0., total
	for range 60 {
		if mid := (lo + hi) / 2; s.pure(mid) <= total {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}
