package posterior

import (
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/num"
)

// logDensity is the Dirichlet log-density at x on the simplex. With u_i = x_iα₀/α_i − 1, for which Σα_iu_i = 0, and S
// the Stirling tail, the large terms of Σα_i ln x_i − ln B(α) combine to
//
//	Σ α_i[ln(1+u_i) − u_i] + ½[Σ ln α_i − ln α₀ − (d−1) ln 2π] + S(α₀) − ΣS(α_i),
//
// whose terms are of the size of the answer; −Σ ln x_i completes it.
func logDensity(alpha []float64, total float64, x []float64) float64 {
	out := 0.0
	logs := -math.Log(total) - float64(len(alpha)-1)*math.Log(2*math.Pi)
	for i, a := range alpha {
		logs += math.Log(a)
		switch {
		case x[i] == 0 && a == 1: // the limit of a[ln(1+u) − u] − ln x, u → −1
			out += 1 + math.Log(total)
		case x[i] == 0:
			out += math.Inf(1) * (1 - a)
		case x[i]*total < 0.5*a: // 1 + u would lose the digits of x
			out += a*(math.Log(total/a)+1) - x[i]*total + (a-1)*math.Log(x[i])
		default:
			out += a*num.Log1pMinus(math.FMA(x[i], total, -a)/a) - math.Log(x[i])
		}
		out -= num.StirlingTail(a)
	}
	return out + logs/2 + num.StirlingTail(total)
}

// logMarginal is the log evidence of counts under alpha.
func logMarginal(distribution string, alpha, counts []float64) (float64, error) {
	if len(counts) != len(alpha) {
		return 0, domain.Refuse("posterior: "+distribution, "number of counts", len(counts), fmt.Sprint(len(alpha)))
	}
	sum, total, n := 0.0, 0.0, 0.0
	for i, c := range counts {
		if !positive(alpha[i]) {
			return 0, domain.Refuse("posterior: "+distribution, fmt.Sprintf("α[%d]", i), alpha[i], "a finite number "+
				"> 0")
		}
		if !(c >= 0) || math.IsInf(c, 1) {
			return 0, domain.Refuse("posterior: "+distribution, fmt.Sprintf("counts[%d]", i), c, "a finite number ≥ 0")
		}
		sum += num.LogGammaDiff(alpha[i], c)
		total, n = total+alpha[i], n+c
	}
	return sum - num.LogGammaDiff(total, n), nil
}
