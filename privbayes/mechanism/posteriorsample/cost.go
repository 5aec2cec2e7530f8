package posteriorsample

import (
	"math"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Steps of a plan, by what its profile is made of.
const (
	pureSteps  = 2e6   // closed form
	pureCount  = 1e7   // the same of one probability
	rateSteps  = 2.5e8 // integrals over a range, at every order
	countSteps = 3e7   // sums over all counts, at every order
	levelSteps = 1.5e7 // one distribution of more levels
	composed   = 2.5e7 // several distributions
)

// Cost estimates a plan by the profiles it composes, and a draw by the levels of every row: the trim couples them. A
// smaller ε takes more terms of a profile, and one count of more records more orders of its divergence.
func (m Sample) Cost(sh *model.Shape, t dp.Request) mechanism.Cost {
	conds := sh.Conditionals()
	n, _ := sh.N()
	pure, approximate := t.Notion == dp.Pure, t.Notion == dp.Approximate
	c := mechanism.Cost{Plan: pureSteps, Draw: 1e5, Bytes: 1 << 22}
	if len(conds) == 0 {
		if !pure {
			c.Plan = rateSteps
		}
		return c
	}
	more := 1.0
	if approximate {
		more = math.Min(math.Max(1/float64(t.Epsilon), 1), 10)
	}
	switch one := len(conds) == 1; {
	case one && conds[0].Levels == 2 && pure:
		c.Plan = pureCount * math.Min(1, float64(n+50)/1000)
	case one && conds[0].Levels == 2 && approximate:
		c.Plan = countSteps * more * math.Min(1, float64(n+50)/500) * math.Max(1, math.Pow(float64(n)/1e5, .15))
	case one && conds[0].Levels == 2:
		c.Plan = 1.5e6 * math.Pow(float64(n+1), .34)
	case pure:
	case one:
		c.Plan = levelSteps
	case approximate:
		c.Plan = composed * math.Sqrt(more)
	default:
		c.Plan = composed / 3
	}
	c.Plan += 5e3 * float64(len(conds))
	parameters, draw := 0.0, 0.0
	for _, k := range conds {
		size, levels := float64(k.Rows)*float64(k.Levels), float64(k.Levels)
		draw += size * math.Min(8e4, 7e3*levels)
		parameters += size
	}
	c.Draw, c.Bytes = draw, 1<<22+512*parameters
	return c
}
