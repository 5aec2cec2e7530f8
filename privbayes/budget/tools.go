package budget

import (
	"math"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
)

// LevelOf is the level at which the budget counts a mechanism of which a dominating pair is known, such as that of
// another tool: in the privacy definition of the limit, or under an (ε, δ) limit the Rényi divergence at the order of
// the conversion. Errors: *NotionError where the pair has none, such as that of an infinite loss: state an (ε, δ) of
// it.
func (b *Budget) LevelOf(p loss.Pair) (dp.Parameters, error) {
	want := b.limit.Parameters
	if want.Notion == dp.Approximate {
		want = dp.Parameters{Notion: dp.Renyi, Order: b.account.conversion.Order}
		if want.Order == 0 {
			want = dp.Parameters{Notion: dp.Pure}
		}
	}
	l := loss.LevelOf(p, want)
	if math.IsInf(float64(l.Epsilon), 1) || math.IsInf(l.Rho, 1) {
		return l, &NotionError{Limit: b.limit.Parameters, Charge: l, Err: &dp.ConversionError{From: dp.Approximate,
			To: want.Notion}}
	}
	return l, l.Valid()
}
