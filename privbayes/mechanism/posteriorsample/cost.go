package posteriorsample

import (
	"math"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Cost estimates a plan by the profiles it composes, which are summed over data sets where there are few records, and a draw by the levels of
// every row: the trim couples them.
func (m Mechanism) Cost(sh *model.Shape, t dp.Target) mechanism.Cost {
	conds := sh.Conditionals()
	if len(conds) == 0 {
		return mechanism.Cost{Plan: 4e7, Draw: 1e5, Bytes: 1 << 22}
	}
	n, _ := sh.N()
	parameters := 0.0
	c := mechanism.Cost{Plan: 3e7 + 5e4*float64(len(conds))}
	if t.Notion == dp.Approximate && n <= fewRecords {
		c.Plan += 4e5 * float64(min(n, 1000)) * math.Min(1, float64(len(conds)-1)/4)
	}
	for _, k := range conds {
		size, levels := float64(k.Rows)*float64(k.Levels), float64(k.Levels)
		c.Draw += size * math.Min(1.2e5, 8e3*levels)
		parameters += size
	}
	c.Bytes = 1<<22 + 512*parameters
	return c
}

// fewRecords is the n up to which the profile of several distributions is worked out at every split of the records.
const fewRecords = 3000
