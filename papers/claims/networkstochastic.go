package claims

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/num"
)

// densityScore2 takes one or two bits, uniform on a box, the first of which changes. The normalisers of the two laws
// are the same, as θ₁ → 1 − θ₁ exchanges them, so that the loss is that of the scores, at a corner.
func densityScore2(t *trial, allowed float64) error {
	for nodes := 1; nodes <= 2; nodes++ {
		for _, w := range []float64{.1, .2, .3, .4, .45} {
			m, k := math.Inf(1), float64(nodes)
			for _, c := range []float64{2.5, 5, 10, 100, 1e4} { // every c will do
				m = math.Min(m, theorem42M(c, math.Log((1-w)/w), 1-k/c, math.Pow(2*(1-w), k)))
			}
			delta := math.Sqrt(m / 2)
			score := func(bit, x, other float64) float64 {
				v := (bit*x + (1-bit)*(1-x)) * 2 / (1 - 2*w)
				if nodes == 2 {
					v *= 2 * other / (1 - 2*w)
				}
				return v / (2 * delta)
			}
			normaliser := func(bit float64) float64 {
				return num.Integrate24(func(x float64) float64 {
					return num.Integrate24(func(y float64) float64 { return math.Exp(score(bit, x, y)) }, w, 1-w, 1)
				}, w, 1-w, 1)
			}
			t.f.require(near(normaliser(1), normaliser(0), 1e-10), "w = %v: the normalisers differ", w)
			loss := score(1, 1-w, 1-w) - score(0, 1-w, 1-w)
			t.printed(loss <= allowed, 10*k-w, "|I| = %d, θ in [%v, %v], uniform prior, n = 1, ε = 1: exactly %.3f", nodes,
				w, 1-w, loss)
		}
	}
	return nil
}

// gridScore2 visits {w, 1 − w} with prior ½ each, and beside it {v, 1 − v} with prior mass rough in all, for which
// c = −ln(rough)/ln((1−v)/v).
func gridScore2(t *trial, factor float64) error {
	logit := func(w float64) float64 { return math.Log((1 - w) / w) }
	visit := func(w, v, rough, c float64) {
		theta, prior := []float64{w, 1 - w}, []float64{(1 - rough) / 2, (1 - rough) / 2}
		ratio := 2 * (1 - w)
		if rough > 0 {
			theta, prior, ratio = append(theta, v, 1-v), append(prior, rough/2, rough/2), 2*(1-v)
		}
		delta := math.Sqrt(theorem42M(c, logit(w), 1-1/c, ratio) / 2)
		most := 0.0
		var law [2][]float64
		const eps = 1.0
		for bit := range 2 {
			sum := 0.0
			for i, x := range theta {
				if bit == 0 {
					x = 1 - x
				}
				p := 2 * x * prior[i] // the marginal of a bit is ½
				most = math.Max(most, math.Abs(p-2*(1-x)*prior[i]))
				law[bit] = append(law[bit], prior[i]*math.Exp(eps*p/(2*delta)))
				sum += law[bit][i]
			}
			for i := range theta {
				law[bit][i] /= sum
			}
		}
		t.bound(factor*delta, most, 1, "w = %v, rough %v", w, rough)
		lo, hi := lossRange(law[0], law[1])
		t.f.require(math.Max(hi, -lo) <= eps, "w = %v, rough %v: the algorithm costs %v", w, rough, hi)
		t.f.require(delta > 1 || w > .3, "w = %v: Δ = %v", w, delta)
	}
	for _, w := range []float64{.1, .2, .3, .4, .45, .49} {
		for _, c := range []float64{1.5, 5, 100, 1e4} {
			visit(w, 0, 0, c)
		}
		for _, rough := range []float64{1e-3, 1e-5} {
			for _, v := range []float64{.02, .05} {
				visit(w, v, rough, -math.Log(rough)/logit(v))
			}
		}
	}
	return nil
}
