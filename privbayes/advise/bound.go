package advise

import (
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Bound is a public bound for a column whose law has one parameter, with what it costs.
type Bound struct {
	Upper    float64 // upper bound of the column
	Relative float64 // expected relative error of the parameter, sd: sampling, clipping and noise
	Sampling float64 // the same without privacy or bounds
}

// String says it in the column's words.
func (b Bound) String() string {
	return fmt.Sprintf("upper bound %.3g: relative error %.3g, of which sampling alone makes %.3g", b.Upper, b.Relative,
		b.Sampling)
}

// boundCells are the steps of the lattice that a bound is tried on, as those of a rate are by default.
const boundCells = 256

// BestBound finds the upper bound c of a column of exponential values at which a noisy sum at ε-DP, one record
// replaced, tells the rate θ best, from a guess of θ that is public knowledge: a narrow bound cuts off what tells of θ,
// a wide one costs noise. By the information of one clipped value, rounded to a lattice of 256 steps, with m its mean,
// v its variance and σ² = 2K²/ε² the variance of the noise,
//
//	relative error² = (v + σ²/n)/n / (dm/d log θ)²,
//
// minimised over c; for nε² = 10, 10², …, 10⁵ at c·θ = 2.1, 3.0, 4.7, 6.6 and 8.7. From nε² = 1000 on the optimum is
// flat: err on the wide side then. Errors: *Error for a guess or ε that is not positive, or no records. Source:
// theory/numbers.md §2.
func BestBound(guess float64, n int, epsilon float64) (Bound, error) {
	if !(guess > 0) || math.IsInf(guess, 1) || n < 1 || !(epsilon > 0) || math.IsInf(epsilon, 1) {
		return Bound{}, &Error{fmt.Sprintf("a rate of %v, %d records, ε = %v", guess, n, epsilon), "positive numbers"}
	}
	at := func(cTheta float64) float64 { return relativeError(cTheta, float64(n), epsilon) }
	best, least := 0.0, math.Inf(1)
	for c := .5; c < 40; c *= 1.01 {
		if e := at(c); e < least {
			best, least = c, e
		}
	}
	return Bound{Upper: best / guess, Relative: least, Sampling: 1 / math.Sqrt(float64(n))}, nil
}

// relativeError is that of BestBound at c·θ = u, by the law of the model itself at θ = 1.
func relativeError(u, n, epsilon float64) float64 {
	s := &frame.Schema{Dataset: "guess", Columns: []frame.Column{frame.Real("x", 0, u)}}
	sh, err := model.NewShape(s, model.Exponential("x").WithRange(.5, 2).WithResolution(boundCells), int(n), true, "")
	if err != nil {
		return math.Inf(1)
	}
	law := sh.OneParameter().Record
	p := make([]float64, boundCells+1)
	moments := func(theta float64) (m, v float64) {
		law(theta, p)
		for k, w := range p {
			m += float64(k) * w
		}
		for k, w := range p {
			v += (float64(k) - m) * (float64(k) - m) * w
		}
		return m, v
	}
	const h = 1e-3
	_, v := moments(1)
	low, _ := moments(1 - h)
	high, _ := moments(1 + h)
	rate := epsilon / boundCells
	noise := 1 / (2 * math.Pow(math.Sinh(rate/2), 2)) // of two-sided geometric noise
	return math.Sqrt((v+noise/n)/n) / math.Abs((high-low)/(2*h))
}
