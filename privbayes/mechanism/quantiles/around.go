package quantiles

import (
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// aroundDenominator makes ranks multiples of 1/1000.
const aroundDenominator = 1000

// Around are two ranks low < p < high, multiples of 1/1000, whose quantiles are an interval: drawn by [EM] as
// Quantiles(column, low, high) at ε-DP in all, the p-quantile of the n rows, rounded to the lattice, lies from the one
// to the other with probability at least 1 − missed, whatever the data.
//
// Each draw has ε/2. With L points its rank is off by t = 4·ln(2L/missed)/ε records or more with probability at most
// missed/2 (theory/numbers.md §4, referee's correction 8), and low ≤ p − (t + 1)/n, high ≥ p + (t + 1)/n. It is about
// the rows that are there; that they are a sample of others is not in it.
//
// Errors: *dp.ParameterError for p or missed outside (0, 1), for an ε that is not positive and finite, for a private n,
// and where n·ε is so small that the ranks would leave (0, 1).
func Around(sh *model.Shape, p, epsilon, missed float64) (low, high float64, err error) {
	n, public := sh.N()
	switch {
	case sh.Ranks() == nil:
		return 0, 0, domain.Refuse("quantiles", "model", sh.Model().String(), "Quantiles(column, p)")
	case !public:
		return 0, 0, domain.Refuse("quantiles", "n", "private", "a public n: ranks are counted in records")
	case !(p > 0 && p < 1):
		return 0, 0, domain.Refuse("quantiles", "p", p, "0 < p < 1")
	case !(missed > 0 && missed < 1):
		return 0, 0, domain.Refuse("quantiles", "missed", missed, "a probability in (0, 1)")
	case !(epsilon > 0) || math.IsInf(epsilon, 1):
		return 0, 0, domain.Refuse("quantiles", "ε", epsilon, "a finite number > 0")
	}
	_, rows := sh.Unit()
	points := float64(sh.Lattice().Steps + 1)
	t := 4*math.Log(2*points/missed)/epsilon*float64(rows) + 1
	low = math.Floor((p-t/float64(n))*aroundDenominator) / aroundDenominator
	high = math.Ceil((p+t/float64(n))*aroundDenominator) / aroundDenominator
	if !(low > 0 && high < 1) {
		return 0, 0, domain.Refuse("quantiles", "n·ε", fmt.Sprintf("%.3g", float64(n)*epsilon),
			fmt.Sprintf("more than %.3g for p = %v", t*epsilon/math.Min(p, 1-p), p))
	}
	return low, high, nil
}
