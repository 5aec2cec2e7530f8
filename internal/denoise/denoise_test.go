package denoise_test

import (
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/internal/denoise"
)

// The means are those of direct sums over all counts, for both laws, with and without a tilted prior.
func TestMeansAreThoseOfDirectSums(t *testing.T) {
	direct := func(y, top, tau float64, logWeight func(d float64) float64) float64 {
		best, s0, s1 := math.Inf(-1), 0.0, 0.0
		for f := 0.0; f <= top; f++ {
			best = math.Max(best, logWeight(y-f)-tau*f)
		}
		for f := 0.0; f <= top; f++ {
			w := math.Exp(logWeight(y-f) - tau*f - best)
			s0, s1 = s0+w, s1+w*f
		}
		return s1 / s0
	}
	for _, top := range []float64{1, 7, 100, 3000} {
		for _, y := range []float64{-200, -3, 0, 1, 5, 50, 99, 101, 500, 4000} {
			for _, gamma := range []float64{1e-6, 0.01, 0.5, 3, 60} {
				for _, tau := range []float64{0, 0.3 * gamma, -0.3 * gamma, 2 * gamma, -2 * gamma} {
					got := denoise.Geometric(y, top, gamma, tau)
					want := direct(y, top, tau, func(d float64) float64 { return -gamma * math.Abs(d) })
					if !(math.Abs(got-want) <= 1e-6*math.Max(1, want)) {
						t.Errorf("geometric: E[f | y = %v], γ = %v, τ = %v, n = %v: %v, sum %v", y, gamma, tau, top,
							got, want)
					}
				}
			}
			for _, sigma2 := range []float64{0.01, 0.5, 1, 30, 1e4, 1e8} {
				for _, tau := range []float64{0, 0.5 / math.Sqrt(sigma2), -0.5 / math.Sqrt(sigma2)} {
					got := math.Min(math.Max(denoise.Gaussian(y, top, sigma2, tau), 0), top)
					want := direct(y, top, tau, func(d float64) float64 { return -d * d / (2 * sigma2) })
					if !(math.Abs(got-want) <= 0.03*math.Max(1, want)) {
						t.Errorf("Gaussian: E[f | y = %v], σ² = %v, τ = %v, n = %v: %v, sum %v", y, sigma2, tau, top,
							got, want)
					}
				}
			}
		}
	}
	if got, want := denoise.Geometric(4, math.Inf(1), 0.5, 0),
		direct(4, 500, 0, func(d float64) float64 { return -0.5 * math.Abs(d) }); math.Abs(got-want) > 1e-9 {
		t.Errorf("no bound: %v, sum %v", got, want)
	}
}

// A tilted group adds up to its total, from above and from below.
func TestFitTotal(t *testing.T) {
	noisy := []float64{490, 3, -20, 14, 0, -8}
	for _, total := range []float64{60, 500, 900} {
		est := make([]float64, len(noisy))
		denoise.FitTotal(total, 12, func(tau float64) (sum float64) {
			for i, y := range noisy {
				est[i] = denoise.Gaussian(y, 1000, 144, tau)
				sum += est[i]
			}
			return sum
		})
		sum := 0.0
		for _, v := range est {
			sum += v
		}
		if math.Abs(sum-total) > 1e-6*(1+total) {
			t.Errorf("estimates %v add up to %v, not %v", est, sum, total)
		}
	}
}
