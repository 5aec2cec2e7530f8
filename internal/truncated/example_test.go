package truncated_test

import (
	"fmt"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/internal/truncated"
)

// The posterior of 3 successes in 10 trials with the probability kept in [0.1, 0.9].
func ExampleNewBeta() {
	law, err := truncated.NewBeta(1+3, 1+7, .1, .9)
	if err != nil {
		fmt.Println(err)
		return
	}
	s := law.Sampler()
	fmt.Printf("ln I = %.6f, quartiles %.4f %.4f %.4f\n", law.LogMass(), s.Quantile(.25), s.Quantile(.5),
		s.Quantile(.75))
	fmt.Printf("one draw: %.4f\n", s.Draw(rand.NewPCG(1, 2)))
	// Output:
	// ln I = -7.204097, quartiles 0.2416 0.3270 0.4226
	// one draw: 0.4441
}

// A box that the untruncated law would visit once in e^1100 draws.
func ExampleGamma_Sampler() {
	law, err := truncated.NewGamma(2, 500, 3, 9)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("median %.6f\n", law.Sampler().Quantile(.5))
	// Output:
	// median 3.001387
}

func ExampleNewDirichlet() {
	law, err := truncated.NewDirichlet([]float64{4, 1, 2}, .1)
	if err != nil {
		fmt.Println(err)
		return
	}
	theta := make([]float64, 3)
	if _, err := law.Draw(rand.NewPCG(1, 2), theta); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.3f\n", theta)

	_, err = truncated.NewDirichlet([]float64{1, 1, 1}, .4)
	fmt.Println(err)
	// Output:
	// [0.203 0.255 0.542]
	// truncated: no point of the simplex has all 3 coordinates ≥ 0.4; want 0 < floor < 0.3333333333333333
}
