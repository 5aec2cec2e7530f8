package gridmap

import (
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/privbayes/mechanism"
)

// ShortfallName names how far below the best score one row's draw may be.
const ShortfallName = "shortfall of a row's score, 95 % bound"

// missed is the probability with which a draw falls below the bound of ShortfallName.
const missed = .05

// expectWork bounds the exact expected error.
const expectWork = 2e6

// expect predicts, without data, the shortfall and, where it is cheap, the error of a proportion.
func (p *problem) expect(rate float64) []mechanism.Expectation {
	out := []mechanism.Expectation{p.shortfall(rate)}
	if e, ok := p.proportion(rate); ok {
		out = append(out, e)
	}
	return out
}

// shortfall is Lemma 4 of the paper with its missing factor, for a score drawn by e^{ηu}, here with t → s, over the
// counting measure of G candidates: P(u ≤ u* − s) ≤ (G − 1)·e^{−ηs}, hence s = ln((G − 1)/0.05)/η. A posterior
// probability is short by 1 at most.
func (p *problem) shortfall(rate float64) mechanism.Expectation {
	candidates := 0
	for _, g := range p.grids {
		candidates = max(candidates, len(g.points))
	}
	e := mechanism.Expectation{
		Name: ShortfallName, Value: math.Max(0, math.Log(math.Max(float64(candidates-1), missed)/missed)/rate),
		Unit: "nats",
		How:  fmt.Sprintf("Lemma 4 corrected, ln((G−1)/0.05)/η, G = %d candidates", candidates),
	}
	if p.m.posterior {
		e.Value, e.Unit = math.Min(e.Value, 1), ""
	}
	return e
}

// proportion is the mean absolute error of the first probability of a single posterior with two levels, over uniform k
// in 0 … n, which is what uniform p gives.
func (p *problem) proportion(rate float64) (e mechanism.Expectation, ok bool) {
	if len(p.grids) != 1 || p.grids[0].levels != 2 || p.n == 0 ||
		float64(p.n)*float64(len(p.grids[0].points)) > expectWork {
		return e, false
	}
	g := p.grids[0]
	out, sum := make([]float64, len(g.points)), 0.0
	for k := 0; k <= p.n; k++ {
		gridLaw{p, rate}.LogLaw([]int{k, p.n - k}, out)
		for i, l := range out {
			sum += math.Exp(l) * math.Abs(float64(g.points[i][0])/float64(g.steps)-float64(k)/float64(p.n))
		}
	}
	return mechanism.Expectation{Name: mechanism.ProportionErrorName, Value: sum / float64(p.n+1),
		How: "sum over the law, uniform p"}, true
}
