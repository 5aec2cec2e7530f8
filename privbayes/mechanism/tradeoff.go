package mechanism

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/figure"
)

// falseAlarm is the share of false alarms at which the figure of a trade-off states a number.
const falseAlarm = .05

// tradeOffPoints is how many points the curves of a trade-off have.
const tradeOffPoints = 41

// asked is what the attacker wants to know of a unit.
var asked = map[dp.Adjacency]string{dp.AddRemove: "Was this unit in the table?",
	dp.ReplaceOne: "Were these the unit's rows, or others?", dp.ReplaceValue: "Had the unit this value, or another?",
	dp.WithinStrata: "Was this the unit's row, or another of its stratum?"}

// TradeOff draws what the best possible attacker finds out about one unit: the power of every test between two
// neighbouring data sets against its share of false alarms (Dong, Roth, Su 2022). One curve is that of this release,
// where its pair is known; one that of any release with the same guarantee; the diagonal is guessing. It reads the plan
// only, and is rounded up: see AttackPower. Errors: those of the context; *figure.FigureError.
func (p *Plan) TradeOff(ctx context.Context) (*figure.Figure, error) {
	level := p.certified.Parameters
	found := p.AttackPower(ctx, falseAlarm)
	f := &figure.Figure{
		Title: fmt.Sprintf("At 5 %% false alarms the best attack finds at most %s",
			figure.Share(math.Min(1, math.Ceil(1000*found)/1000))),
		Subtitle: asked[p.certified.Adjacency] + " Lower is more private; the diagonal is guessing.",
		XLabel:   "false alarms", YLabel: "found out", XPercent: true, YPercent: true,
		Caption: fmt.Sprintf("%s, %s. The attacker knows all rows of all other units, the method and its settings", p.Title(),
			p.certified),
		VLines: []figure.Reference{{Name: "5 %", Y: falseAlarm}},
	}
	own := figure.Series{Name: "as released"}
	others := figure.Series{Name: "any release at " + level.String(), Dashed: true}
	for i := range tradeOffPoints {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		a := float64(i) / (tradeOffPoints - 1)
		others.X, others.Y = append(others.X, a), append(others.Y, loss.AttackPower(level, a))
		if p.spec.Pair != nil {
			own.X, own.Y = append(own.X, a), append(own.Y, p.AttackPower(ctx, a))
		}
	}
	if p.spec.Pair != nil {
		f.Series = append(f.Series, own)
	}
	f.Series = append(f.Series, others, figure.Series{Name: "guessing", X: []float64{0, 1}, Y: []float64{0, 1},
		Guide: true})
	return f, f.Validate()
}
