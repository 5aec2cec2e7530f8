package score

import (
	"math"
	"testing"
)

// covered is the exact probability that an interval of the share p of n records holds p, over the Binomial law of the
// count and the noise z on it, and its mean width.
func covered(n int, p float64, z map[int]float64, interval func(y int) (lower, upper float64)) (coverage,
	width float64) {
	for k := range n + 1 {
		log := 0.0
		for i := range k {
			log += math.Log(float64(n-i) / float64(i+1))
		}
		count := math.Exp(log + float64(k)*math.Log(p) + float64(n-k)*math.Log1p(-p))
		for noise, w := range z {
			y := k + noise
			lower, upper := interval(y)
			if width += count * w * (upper - lower); lower <= p && p <= upper {
				coverage += count * w
			}
		}
	}
	return coverage, width
}

// gaussian is the discrete Gaussian law with its variance.
func gaussian(sigma2 float64) (law map[int]float64, variance float64) {
	law, sum := map[int]float64{}, 0.0
	for z := -40; z <= 40; z++ {
		law[z] = math.Exp(-float64(z*z) / 2 / sigma2)
		sum += law[z]
	}
	for z := range law {
		law[z] /= sum
		variance += law[z] * float64(z*z)
	}
	return law, variance
}

// Of few records and little noise the coverage goes up and down with p, as that of Wilson's interval does, since a
// count takes whole numbers: .920 at p = .02 of 50 records is exact. Half a record of room would keep it above .95 at
// every p here, in intervals that are wider everywhere by about 1/n. A test with half the noise is found.
func TestSharesOfFewRecords(t *testing.T) {
	const n = 50
	of := func(own, room float64) func(y int) (float64, float64) {
		ends := map[int][2]float64{}
		return func(y int) (float64, float64) {
			if _, known := ends[y]; !known {
				lower, upper := Share{Count: float64(y), Rest: float64(n - y), Size: n, Own: own, Fixed: true, Normal: true}.
					interval(.95, n, room)
				ends[y] = [2]float64{lower, upper}
			}
			return ends[y][0], ends[y][1]
		}
	}
	none := map[int]float64{0: 1}
	little, v := gaussian(1. / 9)
	large, wide := gaussian(25)
	for _, c := range []struct {
		what       string
		p          float64
		z          map[int]float64
		own, room  float64
		want, wide float64
	}{
		{"Wilson's interval", .02, none, 0, 0, .9216, .0982},
		{"ρ = 4.5", .02, little, math.Sqrt(v), 0, .9202, .0986},
		{"ρ = 4.5, the least", .01, little, math.Sqrt(v), 0, .9081, .0861},
		{"ρ = 4.5 with room", .02, little, math.Sqrt(v), .5, .9817, .1163},
		{"σ = 5", .5, large, math.Sqrt(wide), 0, .959, .4579},
		{"σ = 5, half the noise", .5, large, math.Sqrt(wide) / 2, 0, .8353, .3209},
	} {
		got, width := covered(n, c.p, c.z, of(c.own, c.room))
		if math.Abs(got-c.want) > .001 || math.Abs(width-c.wide) > .001 {
			t.Errorf("%s, p = %v: covers %.4f at width %.4f, want %.4f and %.4f", c.what, c.p, got, width, c.want, c.wide)
		}
	}
	room := of(math.Sqrt(v), .5)
	for p := .005; p < .995; p += .01 {
		if got, _ := covered(n, p, little, room); got < .95 {
			t.Errorf("p = %.3f: with room it covers %.4f", p, got)
		}
	}
}
