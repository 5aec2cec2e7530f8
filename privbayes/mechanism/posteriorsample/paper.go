package posteriorsample

import (
	"errors"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/truncatednet"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
)

// Two papers have a mode of their own, which AsPublished(ε) asks for. Posterior sampling (JMLR 2017) trims a single
// posterior, or scales a rate, so that its 2L per draw, N of them, is ε. The network paper (AAAI 2016, Appendix C.2)
// keeps every conditional probability at least ω = e^{−ε/2} and takes as many samples as it likes at the price of none.
// Plans state what both really spend.

// networkPaper says that the paper is the second.
func (p *problem) networkPaper() bool { return len(p.nodes) > 1 }

// paperSetting is the paper's own.
func (p *problem) paperSetting(s setting) (setting, error) {
	if p.networkPaper() {
		return p.omega(s)
	}
	share := float64(p.target.Epsilon) / float64(s.draws)
	if p.Rate != nil {
		if !p.m.powered {
			s.power = math.Min(1, share/p.paperEpsilon(s))
		}
		return s, p.valid(s)
	}
	levels := p.nodes[0].Levels
	w := math.Exp(-share / (2 * s.power))
	if p.binary {
		w = 1 / (1 + math.Exp(share/(2*s.power)))
	}
	if w*float64(levels) >= 1 {
		return s, p.emptyBox(2*s.power*float64(s.draws)*math.Log(float64(levels)), fmt.Sprintf("2N·ln %d", levels),
			"e^{−ε/2N}")
	}
	s.floors[0] = math.Max(w, minFloor)
	return s, p.valid(s)
}

// omega is the network paper's trim, ω = e^{−ε/2} for every conditional and any N.
func (p *problem) omega(s setting) (setting, error) {
	levels := 0
	for _, v := range p.nodes {
		levels = max(levels, v.Levels)
	}
	w, err := truncatednet.Nominal(float64(p.target.Epsilon), levels)
	var empty *truncatednet.EmptyBoxError
	if errors.As(err, &empty) {
		return s, p.emptyBox(2*math.Log(float64(levels)), fmt.Sprintf("2 ln %d", levels), "ω = e^{−ε/2}")
	}
	if w < minFloor || math.IsNaN(w) {
		return s, domain.Refuse("posteriorsample",
			"epsilon", fmt.Sprintf("nominal %v", p.target.Epsilon),
			fmt.Sprintf("at most %.4g = 2 ln 10⁹: the paper's ω = e^{−ε/2} would be below %g",
				-2*math.Log(minFloor), minFloor),
		)
	}
	for i := range s.floors {
		s.floors[i] = w
	}
	return s, p.valid(s)
}

// emptyBox is the error of a nominal ε whose box holds no distribution.
func (p *problem) emptyBox(floor float64, formula, trim string) error {
	return &mechanism.UnmetTarget{
		Target: p.target.Parameters, Certified: dp.NotPrivate("the paper's box is empty"),
		Reachable: fmt.Sprintf("a nominal ε above %.6g = %s, up to which the paper's trim %s leaves no distribution",
			floor, formula, trim),
	}
}

// degree is ‖v‖_∞ of Lemma 24: one more than the most children of a node.
func (p *problem) degree() int {
	if d := p.shape.Graph(); d != nil {
		most, children := 0, make([]int, d.Len())
		for i := range d.Len() {
			for _, q := range d.Parents(i) {
				children[q]++
				most = max(most, children[q])
			}
		}
		return 1 + most
	}
	return len(p.nodes) // naive Bayes: the class has all others as children
}

// paperEpsilon is what the sampling paper claims for one draw: 2L, L = ln((1−w)/w) for a binary parameter, ‖v‖_∞·ln 1/w
// for conditionals (Lemma 24), c2·(t1 − t0) for rates; +Inf without a trim.
func (p *problem) paperEpsilon(s setting) float64 {
	switch {
	case p.Rate != nil:
		return 2 * s.power * p.Rate.C2 * (p.Rate.High - p.Rate.Low)
	case p.binary:
		return 2 * s.power * (math.Log1p(-s.floors[0]) - math.Log(s.floors[0]))
	}
	return 2 * s.power * float64(p.degree()) * p.leastLog(s)
}

// leastLog is ln 1/w of the smallest floor.
func (p *problem) leastLog(s setting) float64 {
	least := 1.0
	for _, w := range s.floors {
		least = math.Min(least, w)
	}
	return -math.Log(least)
}

// standardFormula is the paper's claim: (2NL, 0) whatever the notion (Theorem 8.1, Corollary 10.1 of the sampling paper), or 2
// ln 1/ω once for all draws of a network at its nominal ε.
func (p *problem) standardFormula(s setting) mechanism.StandardFormula {
	if p.untrimmed() {
		return mechanism.StandardFormula{Level: dp.NotPrivate("its δ exceeds 1 for every n"), Source: "Lemma 21 of the " +
			"posterior sampling paper, (0, δ)"}
	}
	if p.target.NominalScale && p.networkPaper() {
		return mechanism.StandardFormula{
			Level: dp.Parameters{Notion: dp.Pure, Epsilon: cert.Number(2 * p.leastLog(s))},
			Source: "2 ln 1/ω of Appendix C.2 of the network paper, for the whole record and any number of draws: " +
				"below the truth",
		}
	}
	claim := float64(s.draws) * p.paperEpsilon(s)
	source := "2NL of Theorem 8.1 and Corollary 10, L = ln((1−w)/w)"
	switch {
	case p.Rate != nil:
		source = "2NLρ of Theorem 8.1 and Corollary 10, L = c2"
	case !p.binary:
		source = "2N‖v‖_∞ ln 1/w of Lemma 24, proved for one cell; a record of K columns needs K for ‖v‖_∞"
	}
	return mechanism.StandardFormula{Level: dp.Parameters{Notion: dp.Pure, Epsilon: cert.Number(claim)}, Source: source}
}
