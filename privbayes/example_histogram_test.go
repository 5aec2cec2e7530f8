package privbayes_test

import (
	"fmt"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/privbayes"
)

func ExampleHistogram() {
	wages := privbayes.ReadFrame(data.CPS1988()) // the schema's edges are the bins
	r, err := wages.Model(privbayes.Histogram("wage")).
		Privatize(privbayes.Geometric(), privbayes.PureDP(.1), privbayes.Seeded(1)).Release()
	if err != nil {
		fmt.Println(err)
	}
	shares, err := r.Model().Shares()
	fmt.Printf("%v to %v: %.3f (%v)\n", shares[4].From, shares[4].To, shares[4].Mean(), err)
	median, err := r.Model().BinnedQuantile(.5)
	fmt.Printf("median, by interpolation: %.0f (%v)\n", median, err)
	mean, err := r.Model().BinnedMean() // the last bin, 2000 to 20000, counts as 11000
	fmt.Printf("mean, by interpolation: %.0f (%v)\n", mean, err)
	// Output:
	// 400 to 500: 0.129 (<nil>)
	// median, by interpolation: 516 (<nil>)
	// mean, by interpolation: 717 (<nil>)
}

func ExampleCDF() {
	wages := privbayes.ReadFrame(data.CPS1988())
	p, err := wages.Model(privbayes.CDF("wage")).
		Privatize(privbayes.Geometric(), privbayes.PureDP(.05), privbayes.Seeded(1)).NoiseAware()
	if err != nil {
		fmt.Println(err)
	}
	for _, q := range p.Parameters()[3:6] {
		law := q.Law()
		fmt.Printf("%s: %.3f, 95 %% from %.3f to %.3f\n", q.Label, law.Mean(), law.Quantile(.025), law.Quantile(.975))
	}
	// Output:
	// below 400: 0.353, 95 % from 0.344 to 0.361
	// below 500: 0.483, 95 % from 0.474 to 0.492
	// below 600: 0.591, 95 % from 0.583 to 0.600
}
