package mechanism

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/sensitivity"
)

// pairParams are the public inputs of a check on a dominating pair: the noise, the counts that one row changes, the rows of one
// unit, and the level asked for.
type pairParams struct {
	Noise Rational `json:"noise"`
	Cells int      `json:"cells"`
	Rows  int      `json:"rows"`
	Want  dp.Level `json:"want"`
}

// valid checks parameters read from a file.
func (p pairParams) valid() error {
	if p.Cells < 1 || p.Cells > 1<<20 || p.Rows < 1 {
		return &ParamsError{"cells, rows", fmt.Sprint(p.Cells, p.Rows), "1 ≤ cells ≤ 2^20, rows ≥ 1"}
	}
	if err := p.Want.Valid(); err != nil {
		return err
	}
	return p.Noise.valid()
}

// registerPair makes the checker known that derives what a family's pair spends in the notion asked for.
func registerPair(kind string, f noiseFamily, method cert.Method) {
	cert.Register(kind, func(_ context.Context, raw json.RawMessage) (cert.Outcome, error) {
		var p pairParams
		if err := json.Unmarshal(raw, &p); err != nil {
			return cert.Outcome{}, err
		}
		if err := p.valid(); err != nil {
			return cert.Outcome{}, err
		}
		pair := f.pair(p.Noise, sensitivity.CountTables{Cells: p.Cells, Rows: p.Rows})
		return cert.Outcome{Value: spent(pair, p.Want), Method: method}, nil
	})
}

// spent is the number that a pair spends in the notion of want: ε, δ at want's ε, Rényi ε at want's order, or ρ.
func spent(p dp.Pair, want dp.Level) float64 {
	switch want.Notion {
	case dp.Approximate:
		return p.Delta(float64(want.Epsilon))
	case dp.Concentrated:
		return p.ZCDP()
	default:
		return float64(dp.LevelOf(p, want).Epsilon)
	}
}

// allowed is the bound on spent.
func allowed(want dp.Level) cert.Number {
	switch want.Notion {
	case dp.Approximate:
		return cert.Number(want.Delta)
	case dp.Concentrated:
		return cert.Number(want.Rho)
	default:
		return want.Epsilon
	}
}

func notionWords(l dp.Level) string {
	switch l.Notion {
	case dp.Approximate:
		return fmt.Sprintf("δ at ε = %.4g", float64(l.Epsilon))
	case dp.Renyi:
		return fmt.Sprintf("Rényi ε at order %.4g", l.Order)
	case dp.Concentrated:
		return "zCDP ρ"
	default:
		return "pure ε"
	}
}
