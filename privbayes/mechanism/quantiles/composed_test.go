package quantiles

import (
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// Several draws compose on a grid. Files that were written before that state the δ of Rényi curves, and are verified by
// it: these are the numbers that they had.
func TestOlderFilesKeepTheirDelta(t *testing.T) {
	for draws, before := range map[int]float64{2: 3.2689129181286217e-12, 3: 9.768917734500194e-4,
		9: .015444736048243321} {
		of := func(gridded bool) cert.Number {
			c, err := lossChecker.Check(t.Context(), cert.Check{Bound: 1},
				lossParams{.05, 1, draws, false, dp.ApproxDP(.2, .1).Parameters, gridded})
			must.Do(t, err)
			return c.Value
		}
		if have := float64(of(false)); math.Abs(have/before-1) > 1e-9 {
			t.Errorf("%d draws: δ = %v, in files %v", draws, have, before)
		}
		if have := float64(of(true)); have > .8*before {
			t.Errorf("%d draws: δ = %v on a grid, %v by Rényi curves", draws, have, before)
		}
	}
}
