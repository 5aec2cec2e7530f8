package counts

import (
	"context"
	"fmt"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
)

// pairParams are the public inputs of a check on a dominating pair: the noise, the counts that one row changes, the
// rows of one unit, and the level asked for.
type pairParams struct {
	Noise noise.Rational `json:"noise"`
	Cells int            `json:"cells"`
	Rows  int            `json:"rows"`
	Want  dp.Parameters  `json:"want"`
}

// valid checks parameters read from a file.
func (p pairParams) valid() error {
	if p.Cells < 1 || p.Cells > 1<<20 || p.Rows < 1 {
		return domain.Refuse("counts", "cells, rows", fmt.Sprint(p.Cells, p.Rows), "1 ≤ cells ≤ 2^20, rows ≥ 1")
	}
	if err := p.Want.Valid(); err != nil {
		return err
	}
	return p.Noise.Valid()
}

// The machine proofs that checks of this room rest on.
var (
	geometricTheorem = cert.Cite("Geometric.noise_private")
	pairTheorem      = cert.Cite("Dominated.law_dominated")
	exchangeTheorem  = cert.Cite("Exchange.gathered")
	knormTheorem     = cert.Cite("Geometric.k_norm")
	oddTheorem       = cert.Cite("Families.odd_sound")
)

// forPure is the citation of a theorem about pure privacy, where that is what a check is about.
func forPure(l dp.Parameters, c cert.Citation) cert.Citation {
	if l.Notion != dp.Pure {
		return cert.Citation{}
	}
	return c
}

// forGeometric is the citation of noise on counts that are drawn independently: pure privacy, or the profile of the
// pair. That the profile bounds Rényi divergences is on paper.
func forGeometric(l dp.Parameters) cert.Citation {
	if l.Notion == dp.Approximate {
		return pairTheorem
	}
	return forPure(l, geometricTheorem)
}

// definePair makes the checker that derives what the pair of a parameter spends in the notion asked for.
func definePair(kind string, pairAt func(x float64, cells, rows int) loss.Pair,
	method cert.Method) cert.Checker[pairParams] {
	return cert.Define(kind, func(ctx context.Context, p pairParams) (cert.Outcome, error) {
		if err := p.valid(); err != nil {
			return cert.Outcome{}, err
		}
		value := loss.Spent(loss.Until(ctx, pairAt(p.Noise.Float(), p.Cells, p.Rows)), p.Want)
		return cert.Outcome{Value: value, Method: method}, ctx.Err()
	})
}
