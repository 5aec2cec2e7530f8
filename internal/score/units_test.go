package score

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// Without noise the test of units reads Σ(x − μ) over the rows and Σ(Σ(x − μ))² over the units, whatever the units are,
// and the noise's standard deviations are those of these sums; the second is at most what Cauchy and Schwarz give.
func TestUnitsAreLinear(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		k := rapid.IntRange(1, 5).Draw(r, "k")
		mu := rapid.Float64Range(.01, .99).Draw(r, "mu")
		u := Units{Cross: rapid.SampledFrom([]float64{.5, 1}).Draw(r, "cross"), K: k}
		sum, square, rows := 0.0, 0.0, 0
		for range rapid.IntRange(0, 6).Draw(r, "units") {
			a, n := 0.0, rapid.IntRange(0, k).Draw(r, "rows")
			for range n {
				a += rapid.Float64Range(0, 1).Draw(r, "x")
			}
			c := float64(n) - a
			e := float64(k) - a - c
			for i, v := range []float64{a * a, c * c, 2 * a * c, a * e / u.Cross, c * e / u.Cross} {
				u.Moments[i] += v
			}
			own := a*(1-mu) - c*mu
			sum, square, rows = sum+own, square+own*own, rows+n
		}
		m := u.Mean(3, false)
		s, sdS := m.sum(mu)
		v, sdV := m.square(mu)
		if math.Abs(s-sum) > 1e-9 || math.Abs(v-square) > 1e-9 || math.Abs(m.most-float64(k*rows)-margin*3) > 1e-9 {
			r.Fatalf("T %v for %v, V %v for %v, most %v of %d rows", s, sum, v, square, m.most, rows)
		}
		wantS, wantV := 0.0, 0.0 // moved by one of each moment, which keep all totals above 0
		for i := range u.Moments {
			up := u
			up.Moments[i]++
			more := up.Mean(3, false)
			s2, _ := more.sum(mu)
			v2, _ := more.square(mu)
			wantS, wantV = math.Hypot(wantS, 3*(s2-s)), math.Hypot(wantV, 3*(v2-v))
		}
		if math.Abs(sdS-wantS) > 1e-9 || math.Abs(sdV-wantV) > 1e-9 {
			r.Fatalf("noise of T %v for %v, of V %v for %v", sdS, wantS, sdV, wantV)
		}
	})
}
