package mechanism

import (
	"context"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
)

// Unmet is the *UnmetTarget of a search whose best is the pair: that takes the profile at one more place, which ctx
// ends.
func Unmet(ctx context.Context, title string, want dp.Level, best loss.Pair, reachable string) error {
	certified := loss.LevelOf(loss.Until(ctx, best), want)
	if err := ctx.Err(); err != nil {
		return err
	}
	return &UnmetTarget{Mechanism: title, Target: want, Certified: certified, Reachable: reachable}
}
