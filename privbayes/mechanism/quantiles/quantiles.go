package quantiles

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// The registered names.
const (
	kindEM    = "quantile-em"
	kindJoint = "joint-quantiles"
)

// Exponential draws quantiles by the exponential mechanism. Arithmetic: exact.
type Exponential struct {
	mechanism.Front
	joint bool
	cells int // of a lattice point, 0: by the lattice
}

// EM draws every quantile on its own, each for an equal share of the budget: the best for one quantile.
func EM() Exponential { return Exponential{}.made() }

// Joint draws all quantiles at once: the best for two to some twenty, from n·ε ≈ 300 on.
func Joint() Exponential { return Exponential{joint: true}.made() }

func (m Exponential) made() Exponential {
	m.Front = mechanism.FrontOf(func() mechanism.Family[*problem, params] { return m.mathematics() })
	return m
}

// named is the registered kind, and the name for people.
func (m Exponential) named() (kind, title string) {
	if m.joint {
		return kindJoint, "Joint exponential mechanism for quantiles"
	}
	return kindEM, "Exponential mechanism for quantiles"
}

// maxJoint bounds the quantiles of one joint draw.
const maxJoint = 20

// supports accepts Quantiles; at most twenty of them at once.
func (m Exponential) supports(sh *model.Shape) error {
	a := ranksOf(sh).a
	switch {
	case len(a) == 0:
		return mechanism.Unsupported(sh.Model().String(), "Quantiles(column, p…); Geometric() for counts, NoisySums() for means")
	case m.joint && len(a) > maxJoint:
		return mechanism.Unsupported(fmt.Sprintf("%d quantiles at once", len(a)), fmt.Sprintf("at most %d", maxJoint))
	}
	return nil
}

// problem is what a plan is made for.
type problem struct {
	ranks
	m      Exponential
	shape  *model.Shape
	target dp.Request
	rows   int // of a unit
	n      int // 0 where private
	points int64
	cells  int // of every point
}

// maxRows bounds the rows of a unit.
const maxRows = 1 << 12

func (m Exponential) prepare(_ context.Context, sh *model.Shape, t dp.Request) (*problem, error) {
	sh, err := shapeUnder(sh, t.Adjacency)
	if err != nil {
		return nil, err
	}
	p := &problem{m: m, shape: sh, target: t, points: sh.Lattice().Steps + 1}
	p.ranks = ranksOf(sh)
	_, p.rows = sh.Unit()
	p.n, _ = sh.N()
	if p.rows > maxRows {
		return nil, mechanism.Unsupported(fmt.Sprintf("units of %d rows", p.rows), fmt.Sprintf("at most %d", maxRows))
	}
	if p.cells = m.cells; p.cells == 0 {
		p.cells = cellsOf(p.points)
	}
	if candidates := p.points * int64(p.cells+1); m.joint &&
		(candidates > maxCandidates || candidates*int64(len(p.a)) > maxSums) {
		return nil, mechanism.Unsupported(fmt.Sprintf("a lattice of %d points for %d quantiles at once", p.points, len(p.a)),
			"a coarser one, WithResolution(K)")
	}
	return p, nil
}

// Limits of a joint draw: candidates, and the sums over them that are kept.
const (
	maxCandidates = 1 << 21
	maxSums       = 1 << 23
)

// cellsOf is into how many cells a point is divided: the more, the better ties are told apart; some 2^16 candidates
// in all, and at least four.
func cellsOf(points int64) int { return int(min(max(1<<16/points, 4), 256)) }

// params are what a release file keeps.
type params struct {
	Rate  float64 `json:"rate"` // x·s: nats by which one row moves log P at most
	Cells int     `json:"cells,omitempty"`
}

// Valid checks parameters from a file: *dp.ParameterError.
func (q params) Valid() error {
	if !(q.Rate > 0) || q.Rate > maxRate {
		return domain.Refuse("quantiles", "rate", q.Rate, "a number in (0, 1024]")
	}
	if q.Cells < 0 || q.Cells > 256 {
		return domain.Refuse("quantiles", "cells", q.Cells, "0 to 256")
	}
	return nil
}

const maxRate = 1024

func (m Exponential) mathematics() mechanism.Family[*problem, params] {
	kind, title := m.named()
	return mechanism.Family[*problem, params]{
		Kind: kind, Title: title, Supports: m.supports,
		Prepare: m.prepare, Calibrate: calibrate, Certify: certify, NoNominal: true,
		Of: func(q params) (f mechanism.Family[*problem, params], err error) {
			if (q.Cells > 0) != m.joint {
				return f, domain.Refuse("quantiles", "cells", q.Cells, "those of a joint draw, and none of others")
			}
			own := m
			own.cells = q.Cells
			return own.mathematics(), nil
		},
		Expect: func(_ context.Context, p *problem, q params) ([]mechanism.Expectation, error) {
			return p.expected(q), nil
		},
	}
}

// missed is the probability with which a quantile is further off than expected says.
const missed = .05

// expected is a bound on how far the rank of a drawn quantile is from the one asked for, as a share of n: with
// probability 1 − p the cost is at most ln(N/p)/x above the least, N the number of outcomes, and a rank is off by at
// most its cost over b.
func (p *problem) expected(q params) []mechanism.Expectation {
	if p.n == 0 {
		return nil
	}
	outcomes, x := math.Log(float64(p.points)), q.Rate/float64(p.largest())
	if p.m.joint {
		candidates, m := float64(p.points)*float64(p.cells+1), float64(len(p.a))
		top, _ := math.Lgamma(candidates + m)
		less, _ := math.Lgamma(candidates)
		each, _ := math.Lgamma(m + 1)
		outcomes = top - less - each
	}
	records := (outcomes - math.Log(missed)) / x / float64(p.b)
	return []mechanism.Expectation{{
		Name: rankErrorName, Value: math.Min(1, records/float64(p.n)),
		How: "closed form: ln(N/0.05)/(x·b·n), N outcomes",
	}}
}

// rankErrorName names how far a released quantile's rank is off.
const rankErrorName = "rank error, share of n, 95 % bound"

// largest is the largest sensitivity of a cost.
func (p *problem) largest() int64 {
	if p.m.joint {
		return p.jointSensitivity(p.target.Adjacency)
	}
	s := int64(0)
	for i := range p.a {
		s = max(s, p.sensitivity(i, p.target.Adjacency))
	}
	return s
}
