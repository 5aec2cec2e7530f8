package divergence

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/num"
)

// logUniform is 10^x, x uniform in [lo, hi].
func logUniform(t *rapid.T, name string, lo, hi float64) float64 {
	return math.Pow(10, rapid.Float64Range(lo, hi).Draw(t, name))
}

func drawShares(t *rapid.T) []float64 {
	d := rapid.IntRange(2, 12).Draw(t, "d")
	p := make([]float64, d)
	for i := range p {
		p[i] = math.Trunc(math.Pow(10, rapid.Float64Range(-1, 4).Draw(t, "count"))) // some are 0
	}
	p[0]++
	return shares(p)
}

// exact ≤ Chernoff ≤ Theorem 2* ≤ Theorem 2 with W ≤ Theorem 2, wherever each applies.
func TestBoundsAreInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawShares(t)
		beta, alpha := logUniform(t, "β", 0, 4), half+logUniform(t, "α", -3, 2)
		eta := math.Log1p(float64(len(p))*alpha/beta) * logUniform(t, "η", -1, .8)
		const slack = 1 + 1e-9
		chernoff, err := Chernoff(p, beta, alpha, eta)
		if err != nil {
			t.Fatal(err)
		}
		tail, err := ExactTail(p, beta, alpha, eta)
		if err != nil {
			t.Fatal(err)
		}
		if tail.Log > chernoff.LogBound+1e-7 {
			t.Errorf("exact %v above Chernoff %v", tail, chernoff)
		}
		star, _ := TheoremStar(len(p), beta, alpha, eta)
		simple, _ := TheoremStarSimple(len(p), beta, alpha, eta)
		w, err := Theorem2W(len(p), beta, alpha, eta)
		if err != nil || chernoff.Bound > star*slack || star > w*slack || star > simple*slack {
			t.Errorf("out of order: Chernoff %v, 2* %v, simple %v, W %v, %v", chernoff.Bound, star, simple, w, err)
		}
		if two, err := Theorem2(len(p), beta, alpha, eta); err == nil && w > two*slack {
			t.Errorf("W %v above Theorem 2 %v", w, two)
		}
	})
}

// At a corner the contour integral is a beta probability, to the error it states, over a wide range of parameters.
func TestStatedErrorOfTheTailIsHonest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.IntRange(2, 50).Draw(t, "d")
		p := make([]float64, d)
		p[0] = 1
		beta, alpha, eta := logUniform(t, "β", -1, 7), logUniform(t, "α", -3, 3), logUniform(t, "η", -5, 1)
		tail, err := ExactTail(p, beta, alpha, eta)
		if err != nil && oneHot(d, beta, alpha, eta) < 1e-300 { // too far out for float64 exponents
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		want, rest := num.BetaTails(beta+alpha, float64(d-1)*alpha, math.Exp(-eta), -math.Expm1(-eta))
		if want < 1e-280 || want > 1-1e-12 {
			return
		}
		got, truth := tail.Probability, want
		if want > .5 {
			got, truth = tail.Complement, rest
		}
		// the beta law itself is known to 1e-13 absolutely
		if off := math.Abs(got/truth - 1); off > 3*tail.RelativeError+1e-11+2e-13/truth ||
			tail.RelativeError > 1e-10*(20-math.Log(truth)) {
			t.Errorf("%+v, beta law %v: off by %g", tail, want, off)
		}
	})
}

func TestTailFallsInEta(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawShares(t)
		beta, alpha := logUniform(t, "β", 0, 3), logUniform(t, "α", -2, 2)
		last := Tail{Probability: 1}
		for _, eta := range []float64{1e-4, 1e-3, .01, .05, .2, .5, 1, 3} {
			tail, err := ExactTail(p, beta, alpha, eta)
			if err != nil {
				t.Fatal(err)
			}
			if tail.Probability > last.Probability*(1+1e-7) || math.Abs(tail.Probability+tail.Complement-1) > 1e-12 ||
				math.IsNaN(tail.Log) {
				t.Errorf("η = %v: %+v after %+v", eta, tail, last)
			}
			last = tail
		}
	})
}

func BenchmarkExactTail(b *testing.B) {
	p := shares([]float64{11, 8, 65, 25, 38, 0})
	for b.Loop() {
		if _, err := ExactTail(p, 73.5, 3, .23); err != nil {
			b.Fatal(err)
		}
	}
}
