package loss

import (
	"context"
	"fmt"

	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// Spent is the number that a pair spends in the notion of want: ε, δ at want's ε, Rényi ε at want's order, or ρ.
func Spent(p Pair, want dp.Parameters) float64 {
	switch want.Notion {
	case dp.Approximate:
		return p.Delta(float64(want.Epsilon))
	case dp.Concentrated:
		return p.ZCDP()
	case dp.TruncatedConcentrated:
		return TruncatedRho(p, want.Order)
	default:
		return float64(LevelOf(p, want).Epsilon)
	}
}

// Allowed is the bound on Spent.
func Allowed(want dp.Parameters) cert.Number {
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
func NotionWords(l dp.Parameters) string {
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

// Spend is what a release with the pair has, in the notion of the target, and whether that meets it. For a calibrated
// (ε, δ) target it is the asked ε with the δ spent there, which is what the calibration was made on, and not the ε that
// the asked δ would give: the δ left over is worth more than a hair of ε. A nominal target asks for nothing, and is
// told the ε of its δ. ctx ends a long profile.
func Spend(ctx context.Context, p Pair, t dp.Request) (level dp.Parameters, meets bool, err error) {
	p = Until(ctx, p)
	want := t.Parameters
	meets = Meets(p, want)
	if want.Notion == dp.Approximate && meets && !t.NominalScale {
		level = dp.Parameters{Notion: dp.Approximate, Epsilon: want.Epsilon, Delta: p.Delta(float64(want.Epsilon))}
	} else {
		level = LevelOf(p, want)
	}
	return level, meets, ctx.Err()
}
