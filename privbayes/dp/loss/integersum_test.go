package loss_test

import (
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
)

// shifted is the profile of discrete Gaussian noise on independent sums that move by so much each, over all outputs.
func shifted(sigma2, epsilon float64, shifts ...int) float64 {
	width := int(math.Ceil(11*math.Sqrt(sigma2))) + 9
	if len(shifts) > 3 {
		width = 16 // 8 standard deviations
	}
	norm := 0.0
	for z := -width; z <= width; z++ {
		norm += math.Exp(-float64(z*z) / (2 * sigma2))
	}
	var sum func(i int, mass, loss float64) float64
	sum = func(i int, mass, loss float64) (total float64) {
		if i == len(shifts) {
			return mass * math.Max(0, -math.Expm1(epsilon-loss))
		}
		k := shifts[i]
		for z := -width; z <= width; z++ {
			total += sum(i+1, mass*math.Exp(-float64(z*z)/(2*sigma2))/norm, loss+float64(k*k+2*k*z)/(2*sigma2))
		}
		return total
	}
	return sum(0, 1, 0)
}

// One sum that moves by at most K is dominated by the shift K: the profile is that of K, and no smaller shift's is
// above it.
func TestIntegerSumAgainstEnumeration(t *testing.T) {
	for _, c := range []struct {
		sigma2 float64
		shift  int
	}{{.2, 1}, {1, 3}, {2, 2}, {9, 3}, {25, 5}, {400, 9}} {
		p := loss.IntegerSumPair{Sigma2: c.sigma2, Shift: c.shift}
		for _, eps := range []float64{0, .1, .7, 1.5, 3.9} {
			want := shifted(c.sigma2, eps, c.shift)
			if got := p.Delta(eps); got < want*(1-1e-12) || got > want*(1+1e-8)+1e-40 {
				t.Errorf("%s at %v: %v, by enumeration %v", p, eps, got, want)
			}
			for k := 1; k < c.shift; k++ {
				for _, sign := range []int{1, -1} {
					if less := shifted(c.sigma2, eps, sign*k); less > want*(1+1e-12) {
						t.Errorf("%s at %v: a shift by %d has %v, above %v", p, eps, sign*k, less, want)
					}
				}
			}
		}
		if one := (loss.DiscreteGaussianPair{Sigma2: c.sigma2, Cells: 1, Shift: 1}); c.shift == 1 &&
			math.Abs(p.Delta(.5)/one.Delta(.5)-1) > 1e-8 {
			t.Errorf("%s: %v, a count %v", p, p.Delta(.5), one.Delta(.5))
		}
	}
	// the profile of a rounded normal number joins that of the sum
	below, above := loss.IntegerSumPair{Sigma2: 1e7, Shift: 900}, loss.IntegerSumPair{Sigma2: 1e7 * (1 + 1e-9), Shift: 900}
	for _, eps := range []float64{0, .5, 1, 1.4} {
		if a, b := below.Delta(eps), above.Delta(eps); b < a*(1-1e-6) || b > a*(1+1e-3) {
			t.Errorf("at %v: %v by summation, %v by rounding", eps, a, b)
		}
	}
}

// A vector of the norm of one sum is not that sum: declared as one it would spend more than is said. By ρ it does not.
func TestAVectorIsNotOneSum(t *testing.T) {
	for _, c := range []struct {
		sigma2, epsilon float64
		sum             int
		vector          []int
		atLeast         float64
	}{{25, 3.9, 5, []int{3, 4}, 1.05}, {9, 3.2, 3, []int{2, 2, 1}, 1.05}, {4, 3.5, 2, []int{1, 1, 1, 1}, 1.1}} {
		truth := shifted(c.sigma2, c.epsilon, c.vector...)
		one := loss.IntegerSumPair{Sigma2: c.sigma2, Shift: c.sum}.Delta(c.epsilon)
		if truth < c.atLeast*one {
			t.Errorf("%v at %v: %v, one sum %v: the mutant is not seen", c.vector, c.epsilon, truth, one)
		}
		vectors := loss.DiscreteGaussianPair{Sigma2: c.sigma2, Cells: 1, Shift: c.sum}
		if all := vectors.Delta(c.epsilon); truth > all {
			t.Errorf("%v at %v: %v above %v by ρ", c.vector, c.epsilon, truth, all)
		}
		if _, err := loss.TransformOf(vectors); err == nil {
			t.Error("a vector has the transform of a sum")
		}
	}
}
