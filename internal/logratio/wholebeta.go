package logratio

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/num"
)

// wholeBeta is the law of the untrimmed family: Beta(α + rs, β + r(n − s)), natural parameter r·ln θ/(1−θ) on the whole
// line.
type wholeBeta struct{ alpha, beta, r, n float64 }

func (w wholeBeta) at(s float64) (a, b float64) { return w.alpha + w.r*s, w.beta + w.r*(w.n-s) }

func (w wholeBeta) support() (a, b float64) { return math.Inf(-1), math.Inf(1) }

func (w wholeBeta) ratios(s float64, shifts, out []float64) float64 {
	a, b := w.at(s)
	for j, d := range shifts {
		if h := w.r * d; a+h <= 0 || b-h <= 0 {
			out[j] = math.Inf(1)
		} else {
			out[j] = num.LogGammaDiff(a, h) + num.LogGammaDiff(b, -h)
		}
	}
	return 0
}

func (w wholeBeta) excess(s, d, epsilon float64) (up, down float64) {
	var r [1]float64
	w.ratios(s, []float64{d}, r[:])
	a, b := w.at(s)
	e, h := math.Exp(epsilon), w.r*d
	x, y := num.Logistic((epsilon + r[0]) / h)
	_, p := num.BetaTails(a+h, b-h, x, y)
	_, q := num.BetaTails(a, b, x, y)
	up = math.Max(0, p-e*q)
	x, y = num.Logistic((r[0] - epsilon) / h)
	p, _ = num.BetaTails(a, b, x, y)
	q, _ = num.BetaTails(a+h, b-h, x, y)
	return up, math.Max(0, p-e*q)
}
