package dirichlet

import (
	"math"

	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
)

func number(x float64) cert.Number { return cert.Number(x) }

// pair is the dominating pair of the whole release: the composition of one pair for every table that a unit's change
// reaches. Under replace-value that is a number of tables, all with the same parameters; otherwise every table.
func (p *problem) pair(r, alpha float64) loss.Pair {
	if len(p.blocks) == 1 || !p.weighted && p.touched == 1 {
		return p.tablePair(r, alpha*p.blocks[0].weight)
	}
	if !p.weighted { // with equal parameters only the number of tables matters; with weights, all of them are composed
		return declare(loss.Repeat{Pair: p.tablePair(r, alpha*p.blocks[0].weight), Times: p.touched})
	}
	var parts []loss.Repeat
	for _, b := range p.blocks {
		parts = append(parts, loss.Repeat{Pair: p.tablePair(r, alpha*b.weight), Times: 1})
	}
	return declare(parts...)
}

// declare composes pairs; parameters at which no composition is known have no claim.
func declare(parts ...loss.Repeat) loss.Pair {
	d, err := loss.Declare(parts...)
	if err != nil {
		return unbounded{}
	}
	return d
}

// unbounded is the pair of a release without any guarantee.
type unbounded struct{}

func (unbounded) String() string        { return "no bound" }
func (unbounded) PureEpsilon() float64  { return math.Inf(1) }
func (unbounded) Delta(float64) float64 { return 1 }
func (unbounded) RDP(float64) float64   { return math.Inf(1) }
func (unbounded) ZCDP() float64         { return math.Inf(1) }

// tablePair is the pair of one table: Theorems A and C, Corollaries A2 to A5.
func (p *problem) tablePair(r, alpha float64) loss.Pair {
	alpha += r * float64(p.m.minCount)
	switch {
	case p.rows > 1:
		two, inf := p.deltas()
		return loss.VectorPair{Rate: r, Shape: alpha, Delta2: math.Sqrt(two), DeltaInf: inf}
	case !p.replaced:
		return loss.GammaPair{Rate: r, Shape: alpha}
	case p.binary:
		return loss.BinaryDirichletPair{Rate: r, Shape: alpha, N: int(p.n)}
	}
	return loss.DirichletPair{Rate: r, Shape: alpha}
}
