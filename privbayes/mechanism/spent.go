package mechanism

import (
	"fmt"

	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
)

// Spent is the number that a pair spends in the notion of want: ε, δ at want's ε, Rényi ε at want's order, or ρ.
func Spent(p loss.Pair, want dp.Level) float64 {
	switch want.Notion {
	case dp.Approximate:
		return p.Delta(float64(want.Epsilon))
	case dp.Concentrated:
		return p.ZCDP()
	case dp.TruncatedConcentrated:
		return loss.TruncatedRho(p, want.Order)
	default:
		return float64(loss.LevelOf(p, want).Epsilon)
	}
}

// Allowed is the bound on Spent.
func Allowed(want dp.Level) cert.Number {
	switch want.Notion {
	case dp.Approximate:
		return cert.Number(want.Delta)
	case dp.Concentrated, dp.TruncatedConcentrated:
		return cert.Number(want.Rho)
	default:
		return want.Epsilon
	}
}

// NotionWords names the number that Spent returns.
func NotionWords(l dp.Level) string {
	switch l.Notion {
	case dp.Approximate:
		return fmt.Sprintf("δ at ε = %.4g", float64(l.Epsilon))
	case dp.Renyi:
		return fmt.Sprintf("Rényi ε at order %.4g", l.Order)
	case dp.Concentrated:
		return "zCDP ρ"
	case dp.TruncatedConcentrated:
		return fmt.Sprintf("tCDP ρ up to order %.4g", l.Order)
	default:
		return "pure ε"
	}
}
