package posteriorsample

import (
	"fmt"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/logratio"
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
		return nil, mechanism.Unsupported("exact arithmetic: its draws are floating-point numbers", "Geometric() or another "+
			"integer mechanism")
	case m.draws < 1:
		return nil, domain.Refuse("posteriorsample", "N", m.draws, "at least one draw")
	case m.rule == byTrim && m.trimmed:
		return nil, domain.Refuse("posteriorsample", "trim", m.trim, "no WithBounds beside ByBounds, which finds it")
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
			return nil, domain.Refuse("posteriorsample", "statistic", fmt.Sprintf("[%v, %v]", r.Least, r.Most), "a range with t0 < t1")
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
