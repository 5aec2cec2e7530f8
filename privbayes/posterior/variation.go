package posterior

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/num"
)

// TotalVariation is ½∫|p − q| = sup_A |P(A) − Q(A)|, in [0, 1], absolute error about 1e-12; NaN for parameters outside
// the domain.
//
// The log-ratio of the densities, ΔA ln x + ΔB ln(1−x) + const, has at most one stationary point, x* = ΔA/(ΔA + ΔB), so
// the densities cross at most twice. Between the crossings the difference has one sign: its integral is a difference of
// incomplete beta functions.
func TotalVariation(p, q Beta) float64 {
	if !p.valid() || !q.valid() {
		return math.NaN()
	}
	da, db := p.A-q.A, p.B-q.B
	if da == 0 && db == 0 {
		return 0
	}
	constant := num.LogGammaDiff(q.A, da) + num.LogGammaDiff(q.B, db) - num.LogGammaDiff(q.A+q.B, da+db)
	ratio := func(t float64) float64 { // in the logit t, so that crossings near 0 and 1 keep their digits
		// ln x = −ln(1+e^−t), ln(1−x) = −ln(1+e^t)
		return -da*softplus(-t) - db*softplus(t) - constant
	}
	const end = 745
	ends := []float64{-end, end}
	if da*db > 0 { // stationary inside
		ends = []float64{-end, math.Log(da / db), end}
	}
	total, cdf := 0.0, 0.0
	for i := 1; i < len(ends); i++ {
		lo, hi, err := num.RootBracket(ratio, ends[i-1], ends[i], 0)
		if err != nil { // no crossing here
			continue
		}
		here := cdfDifference(p, q, lo+(hi-lo)/2)
		total += math.Abs(here - cdf)
		cdf = here
	}
	return math.Min(1, (total+math.Abs(cdf))/2)
}

// cdfDifference is P(X ≤ x) − Q(X ≤ x) at the logit t, from the upper tails where they are smaller.
func cdfDifference(p, q Beta, t float64) float64 {
	x, y := num.Logistic(t)
	pl, pu := num.BetaTails(p.A, p.B, x, y)
	ql, qu := num.BetaTails(q.A, q.B, x, y)
	if pl+ql > 1 {
		return qu - pu
	}
	return pl - ql
}

// softplus is ln(1 + e^t).
func softplus(t float64) float64 { return math.Max(t, 0) + math.Log1p(math.Exp(-math.Abs(t))) }
