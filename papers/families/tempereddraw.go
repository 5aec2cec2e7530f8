package families

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
)

// Draw is one draw of a share from the posterior of a power of the likelihood, Beta(α + η·ones, α + η(n − ones)).
type Draw struct {
	Alpha, Power float64 // of the prior Beta(α, α); of the likelihood
	Bias, SD     float64 // of the draw as an estimate of the share ones/n
	Error        float64 // root mean square
}

// draw has the exact moments of the Beta law.
func draw(n int, ones, alpha, power float64) Draw {
	a, b := alpha+power*ones, alpha+power*(float64(n)-ones)
	mean, d := a/(a+b), Draw{Alpha: alpha, Power: power}
	d.Bias, d.SD = mean-ones/float64(n), math.Sqrt(mean*(1-mean)/(a+b+1))
	d.Error = math.Hypot(d.Bias, d.SD)
	return d
}

// TemperedDraw is section 6.2 of the JMLR paper made precise: under the prior Beta(α, α), untrimmed, the power of the
// likelihood is the largest one up to 1, to within 1e-4 of itself, at which one draw is (ε, δ)-differentially private
// for every data set of n bits. The error is that for data with this many ones, which may be a fraction. Domain: n from
// 1 to 5000, 0 ≤ ones ≤ n, α > 0, ε > 0, 0 < δ < 1; otherwise a *ParameterError. Source: theory/sampling.md §24.
func TemperedDraw(n int, ones, alpha, epsilon, delta float64) (Draw, error) {
	if err := checkDraw("TemperedDraw", n, ones, alpha, epsilon, delta); err != nil {
		return Draw{}, err
	}
	if ok, err := private(n, alpha, 1, epsilon, delta); err != nil || ok {
		return draw(n, ones, alpha, 1), err
	}
	power, err := geometric(1, 1e-9, func(power float64) (bool, error) {
		return private(n, alpha, power, epsilon, delta)
	})
	return draw(n, ones, alpha, power), err
}

// StrongestPrior is the other way: the whole likelihood, under the least α at which one draw is (ε, δ)-differentially
// private. Domain and errors as [TemperedDraw].
func StrongestPrior(n int, ones, epsilon, delta float64) (Draw, error) {
	if err := checkDraw("StrongestPrior", n, ones, 1, epsilon, delta); err != nil {
		return Draw{}, err
	}
	least, err := geometric(1e-3, 1e9, func(alpha float64) (bool, error) {
		return private(n, alpha, 1, epsilon, delta)
	})
	return draw(n, ones, least, 1), err
}

func checkDraw(function string, n int, ones, alpha, epsilon, delta float64) error {
	return domain.Check("families", function, domain.Between("n", n, 1, 5000),
		domain.Arg("ones", ones, ones >= 0 && ones <= float64(n), "from 0 to n"),
		domain.Positive("alpha", alpha), domain.Positive("epsilon", epsilon), domain.Probability("delta", delta))
}

// private tells whether the exact profile of the worst neighbours meets (ε, δ).
func private(n int, alpha, power, epsilon, delta float64) (bool, error) {
	f, err := NewTemperedBeta(n, alpha, alpha, 0, 1, power)
	if err != nil {
		return false, err
	}
	return Profile(f, epsilon) <= delta, nil
}

// geometric bisects between a point that is not private and one that is: the private end, to within 1e-4 of itself.
func geometric(public, private float64, ok func(x float64) (bool, error)) (float64, error) {
	for math.Abs(public-private) > 1e-4*private {
		mid := math.Sqrt(public * private)
		good, err := ok(mid)
		if err != nil {
			return 0, err
		}
		if good {
			private = mid
		} else {
			public = mid
		}
	}
	return private, nil
}
