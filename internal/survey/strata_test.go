package survey

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Intervals from strata cover under Gaussian noise, at ρ = .02 and .5. One that takes a quarter of the noise does
// not at .02. Of 1000 tables one that covers .945 is below .895 with a probability under 1e-9.
func TestStrataCoverUnderGaussianNoise(t *testing.T) {
	const size, strata, runs = 100, 12, 1000
	src := rand.New(rand.NewPCG(11, 17))
	list, share, truth := make([]Stratum, strata), make([]float64, strata), 0.
	all := 0.
	for h := range list {
		list[h] = Stratum{Size: size, Weight: float64(h+1) / strata}
		share[h] = .05 + .3*float64(h)/(strata-1)
		truth, all = truth+list[h].Weight*share[h], all+list[h].Weight
	}
	truth /= all
	covered := func(mean bool, sd, taken float64) float64 {
		in := 0
		for range runs {
			first, second := make([]float64, strata), make([]float64, strata)
			for h := range list {
				for range size {
					switch x := 0.; {
					case !mean && src.Float64() < share[h]:
						first[h]++
					case mean: // Beta(1, b), of mean 1/(1 + b)
						x = 1 - math.Pow(src.Float64(), share[h]/(1-share[h]))
						first[h], second[h] = first[h]+2*x-1, second[h]+(2*x-1)*(2*x-1)
					}
				}
				if first[h] += sd * src.NormFloat64(); mean {
					first[h] += math.Sqrt(3) * sd * src.NormFloat64() // 2·sd in all
					second[h] += 4 * sd / math.Sqrt(11) * src.NormFloat64()
				}
			}
			i := StrataShare(first, list, Gaussian(taken), .95)
			if mean {
				i = StrataMean(first, second, list, Gaussian(taken), .95)
			}
			if i.Lower <= truth && truth <= i.Upper {
				in++
			}
		}
		return float64(in) / runs
	}
	for _, rho := range []float64{.02, .5} {
		sd := 1 / math.Sqrt(2*rho)
		for _, mean := range []bool{false, true} {
			right, wrong := covered(mean, sd, sd), 0.
			if !mean && rho < .1 {
				wrong = covered(mean, sd, sd/4)
			}
			if right < .895 || wrong > .895 {
				t.Errorf("ρ = %v, mean %v: covers %v, and %v with a quarter of the noise", rho, mean, right, wrong)
			}
		}
	}
}
