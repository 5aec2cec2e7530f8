package posteriorsample

import (
	"errors"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/logratio"
	"github.com/privbayes/privbayes-go/internal/truncatednet"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// problem is what a plan is made for: public facts only.
type problem struct {
	m      Sample
	shape  *model.Shape
	target dp.Request
	size   int // numbers of one draw
	law

	stop    func() bool // of the context of Plan
	last    *Pair
	lastKey string
}

// law is the posterior's public side: what the accounting and its check are made of.
type law struct {
	N      int       `json:"n"`
	Alpha  []float64 `json:"alpha"`           // prior counts of two levels; of every cell; or the prior rate λ
	Naive  bool      `json:"naive,omitempty"` // naive Bayes: the first conditional is the class
	Rate   *rate     `json:"rate,omitempty"`
	AnyN   bool      `json:"any_n,omitempty"` // the bound for data of any size
	binary bool      // one conditional distribution of two levels
	nodes  []node
}

// rate is the statistic of a rate model: power κ, range [t0, t1], and the parameter's range.
type rate struct {
	Kappa float64 `json:"kappa"`
	Low   float64 `json:"t0"`
	High  float64 `json:"t1"`
	C1    float64 `json:"c1"`
	C2    float64 `json:"c2"`
}

// valid refuses ranges that the accounting would not resolve.
func (r *rate) valid() error {
	if osc := (r.C2 - r.C1) * (r.High - r.Low); !(osc <= maxOscillation) {
		return domain.Refuse("posteriorsample", "range", fmt.Sprintf("[%g, %g]", r.C1, r.C2),
			fmt.Sprintf("(c2 − c1)·(t1 − t0) at most %g for a statistic in [%g, %g]", float64(maxOscillation),
				r.Low, r.High))
	}
	return nil
}

// prepare checks everything that does not depend on the calibrated knobs.
func (m Sample) prepare(sh *model.Shape, t dp.Request) (*problem, error) {
	if err := t.Valid(); err != nil {
		return nil, err
	}
	n, err := mechanism.NeedPublicN(sh, t)
	switch {
	case err != nil:
		return nil, err
	case t.ExactOnly:
		return nil, mechanism.Unsupported("exact sampling: its draws are floating-point numbers", "Geometric() or another "+
			"integer mechanism")
	case m.draws < 1:
		return nil, domain.Refuse("posteriorsample", "N", m.draws, "at least one draw")
	case m.rule == byTrim && m.trimmed:
		return nil, domain.Refuse("posteriorsample", "trim", m.trim, "no WithBounds with ByBounds, which finds it")
	case m.powered && !(m.power >= minPower && m.power <= 1):
		return nil, domain.Refuse("posteriorsample", "power", m.power, fmt.Sprintf("η in [%g, 1]", minPower))
	}
	p := &problem{m: m, shape: sh, target: t, law: law{N: n, Alpha: sh.Model().Prior(), AnyN: m.anyN}}
	if r := sh.Rate(); r != nil {
		p.Rate, p.size = &rate{r.Power, r.Least, r.Most, r.From, r.To}, 1
		if m.trimmed || m.rule == byTrim {
			return nil, mechanism.Unsupported("a trim of a rate", "the model's WithRange(c1, c2), which is its trim")
		}
		if m.anyN {
			return nil, mechanism.Unsupported("ForAnyN of a rate", "the accounting at the public n")
		}
		if !(r.Most > r.Least) {
			return nil, domain.Refuse("posteriorsample", "statistic", fmt.Sprintf("[%v, %v]", r.Least, r.Most),
				"a range with t0 < t1")
		}
		if err := p.Rate.valid(); err != nil {
			return nil, err
		}
	} else {
		for _, c := range sh.Conditionals() {
			p.nodes = append(p.nodes, node{Rows: c.Rows, Levels: c.Levels})
			p.size += c.Rows * c.Levels
		}
		p.binary = len(p.nodes) == 1 && p.nodes[0].Levels == 2
		p.Naive = sh.SharesClass()
		if p.binary && len(p.Alpha) == 1 {
			p.Alpha = []float64{p.Alpha[0], p.Alpha[0]}
		}
	}
	if err := p.valid(p.start()); err != nil {
		return nil, err
	}
	if _, _, _, err := p.curve(p.start()); err != nil { // a prior or range that the accounting refuses
		return nil, err
	}
	if p.untrimmed() && m.anyN {
		return nil, mechanism.Unsupported("ForAnyN without a trim", "WithBounds(w) with w > 0")
	}
	if p.untrimmed() && (t.Notion == dp.Pure || t.Notion == dp.Concentrated) {
		return nil, mechanism.Unsupported("pure ε-DP or zCDP without a trim: the log-ratio of two posteriors is unbounded",
			"WithBounds(w) with w > 0, or ApproxDP, RenyiDP or TCDP")
	}
	if t.NominalScale && (m.rule != byPower && m.rule != fixed || m.trimmed || t.Notion != dp.Pure || m.powered &&
		p.networkPaper()) {
		return nil, mechanism.Unsupported("the paper's mode with a trim, ByBounds, ByDraws, a δ, or a power for a network",
			"AsPublished(ε) with New(N), whose trim follows from ε")
	}
	return p, nil
}

// start is the setting before calibration: η = 1 unless given, the default or the given trim, N as asked.
func (p *problem) start() setting {
	s := setting{draws: p.m.draws, power: 1}
	if p.m.powered {
		s.power = p.m.power
	}
	for _, v := range p.nodes {
		w := .1 / float64(v.Levels)
		if p.m.trimmed {
			w = p.m.trim
		}
		s.floors = append(s.floors, w)
	}
	return s
}

func (p *problem) untrimmed() bool { return p.binary && p.m.trimmed && p.m.trim == 0 }

// curve is the accounting of one draw; exact says that its profile is the family's own.
func (l law) curve(s setting) (c curve, name string, exact bool, err error) {
	switch {
	case l.Rate != nil:
		r := l.Rate
		f, err := logratio.NewRate(l.N, r.Kappa*s.power, l.Alpha[0], r.C1, r.C2, r.Low*s.power, r.High*s.power)
		if err != nil {
			return nil, "", false, err
		}
		return family{f}, "the posterior of a rate", true, nil
	case l.binary && !l.AnyN:
		w, u := s.floors[0], 1-s.floors[0]
		f, err := logratio.NewBits(l.N, l.Alpha[1], l.Alpha[0], w, u, s.power)
		if err != nil {
			return nil, "", false, err
		}
		return family{f}, f.String(), true, nil
	}
	c = l.conditionals(s)
	if len(l.nodes) == 1 {
		return c, "a truncated Dirichlet posterior", false, nil
	}
	return c, fmt.Sprintf("%d independent truncated Dirichlet posteriors", len(l.nodes)), false, nil
}

func (l law) conditionals(s setting) conditionals {
	c := conditionals{n: l.N, alpha: l.Alpha[0], power: s.power, naive: l.Naive, anyN: l.AnyN}
	for i, v := range l.nodes {
		v.Floor = s.floors[i]
		c.nodes = append(c.nodes, v)
	}
	return c
}

// pair is law.pair, remembering the last one for the certificate.
func (p *problem) pair(s setting) (*Pair, error) {
	key := fmt.Sprint(s)
	if p.last == nil || p.lastKey != key {
		pair, err := p.law.pair(s, p.stop)
		if err != nil {
			return nil, err
		}
		p.last, p.lastKey = pair, key
	}
	return p.last, nil
}

// pair accounts for all draws.
// Its searches end when stop says so, nil never: see Pair.settle.
func (l law) pair(s setting, stop func() bool) (*Pair, error) {
	c, name, exact, err := l.curve(s)
	if err != nil {
		return nil, err
	}
	interrupt(c, stop)
	p := newPair(name, c, s.draws, exact)
	*p.stop = stop
	return p, nil
}

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

// standardFormula is the paper's claim: (2NL, 0) whatever the notion (Theorem 8.1, Corollary 10.1 of the sampling
// paper), or 2 ln 1/ω once for all draws of a network at its nominal ε.
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
