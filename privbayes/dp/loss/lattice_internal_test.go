package loss

import (
	"math"
	"testing"
)

// moved is the profile of discrete Gaussian noises of variances σ_c² on sums that move by v_c, by enumeration of their
// loss in steps of 1/(2·Πσ_c²).
func moved(sigma2, v []int, epsilon float64) (sum float64) {
	all := 1
	for _, s := range sigma2 {
		all *= s
	}
	dist := map[int]float64{0: 1}
	for c, s := range sigma2 {
		width, norm := int(10*math.Sqrt(float64(s)))+4, 0.0
		for z := -width; z <= width; z++ {
			norm += math.Exp(-float64(z*z) / float64(2*s))
		}
		next := map[int]float64{}
		for at, p := range dist {
			for z := -width; z <= width; z++ {
				next[at+all/s*(v[c]*v[c]+2*v[c]*z)] += p * math.Exp(-float64(z*z)/float64(2*s)) / norm
			}
		}
		dist = next
	}
	for at, p := range dist {
		sum += p * math.Max(0, -math.Expm1(epsilon-float64(at)/float64(2*all)))
	}
	return sum
}

// The profile in a list is above that of all patterns of one norm, and not above what ρ proves; that of continuous
// noise of the same variance, and of one sum, is below some.
func TestLatticeNoiseAgainstEnumeration(t *testing.T) {
	smaller, better := 0, 0
	for _, c := range []struct {
		sigma2, v []int
	}{{[]int{9}, []int{3}}, {[]int{9, 9, 9}, []int{2, 2, 1}}, {[]int{25, 25}, []int{3, 4}}, {[]int{400}, []int{20}},
		{[]int{7, 7, 7, 7}, []int{1, 1, 1, 1}}, {[]int{8, 32}, []int{2, -3}}, {[]int{100, 100}, []int{5, 12}}} {
		least, mu2 := c.sigma2[0], 0.0
		for i, s := range c.sigma2 {
			mu2 += float64(c.v[i]*c.v[i]) / float64(s)
		}
		p := LatticePair{DiscreteGaussianPair{4 / mu2, 1, 2}, float64(least), true}
		for _, epsilon := range []float64{0, .3, 1, 2, 4, 6} {
			truth, near, byRho := moved(c.sigma2, c.v, epsilon), p.near(epsilon), p.Delta(epsilon)
			if near < truth || near > byRho {
				t.Errorf("%v moved by %v at ε = %v: %v, by enumeration %v, by ρ %v", c.sigma2, c.v, epsilon, near, truth, byRho)
			}
			if (GaussianPair{math.Sqrt(mu2)}).Delta(epsilon) < truth*(1-1e-6) {
				smaller++
			}
			if near < .9*byRho {
				better++
			}
		}
	}
	if smaller == 0 || better == 0 {
		t.Errorf("continuous noise is below in %d, ρ above in %d cells", smaller, better)
	}
	// of noise that is hardly wider than a step nothing is known but ρ, and by ρ changes of 1 are no better
	for _, p := range []LatticePair{{DiscreteGaussianPair{6, 1, 2}, 6, true},
		{DiscreteGaussianPair{1.5, 1, 1}, 6, false}} {
		if byRho := zcdpDelta(1./3, 1); math.Abs(p.near(1)/byRho-1) > 1e-6 || p.Delta(1) != p.near(1) {
			t.Error(p, p.near(1), byRho)
		}
	}
}

// The factors that are charged are those of the noise that rounds: the sums of its masses about any y are within η of
// one another, and more than 3η·2^40 is charged.
func TestRoundingIsCharged(t *testing.T) {
	x := math.Exp(-2 * math.Pi * math.Pi * rounded)
	if eta := 2 * x / (1 - x); 3*eta*(1<<40) > factors {
		t.Errorf("η = %v", eta)
	}
	low, high := math.Inf(1), 0.0
	for _, y := range []float64{0, .25, .5, .81} {
		sum := 0.0
		for z := -40.; z <= 40; z++ {
			sum += math.Exp(-(z - y) * (z - y) / (2 * rounded))
		}
		low, high = math.Min(low, sum), math.Max(high, sum)
	}
	if high/low > 1+1e-13 || math.Abs(low/math.Sqrt(2*math.Pi*rounded)-1) > 1e-13 {
		t.Error(low, high)
	}
}

// In a list, vectors of sums compose as Gaussians do, one or many, and next to others.
func TestLatticeNoiseInLists(t *testing.T) {
	vector := LatticePair{DiscreteGaussianPair{3e16, 2, 1 << 24}, 3e16, true}
	mu := math.Sqrt(2 * vector.ZCDP())
	for _, c := range []struct {
		parts []Repeat
		want  Pair
	}{
		{[]Repeat{{vector, 3}}, GaussianPair{mu * math.Sqrt(3)}},
		{[]Repeat{{vector, 1}, {GaussianPair{.1}, 1}}, GaussianPair{math.Hypot(mu, .1)}},
		{[]Repeat{{vector, 2}, {DiscreteGaussianPair{720, 2, 1}, 5}}, GaussianPair{math.Sqrt(2*mu*mu + 10./720)}},
	} {
		d, err := Declare(c.parts...)
		if err != nil {
			t.Fatal(err)
		}
		for _, epsilon := range []float64{.5, 1} {
			if got, want := d.Delta(epsilon), c.want.Delta(epsilon); got < want*(1-1e-3) || got > want*1.005 {
				t.Errorf("%v at %v: %v, of Gaussians %v", d, epsilon, got, want)
			}
		}
		byCurve, _ := DeclareByCurve(c.parts...)
		if byCurve.Delta(1) < 1.1*d.Delta(1) {
			t.Errorf("%v: by its curve %v, on the grid %v", d, byCurve.Delta(1), d.Delta(1))
		}
	}
}
