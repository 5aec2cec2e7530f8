package privbayes_test

import (
	"fmt"
	"strings"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// The mean wage of 28,155 men, to a dollar at ε = 1: the bounds are public and the error is known beforehand.
func ExampleMean() {
	release, err := privbayes.ReadFrame(data.CPS1988()).Model(privbayes.Mean("wage")).
		Privatize(privbayes.NoisySums(), privbayes.PureDP(1), privbayes.Seeded(1)).Release()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(release.Model().Summary())
	noise, _ := release.Plan().ExpectedValue("noise of the mean of wage (sd)")
	fmt.Printf("expected beforehand: noise of %.2f dollars (sd)\n", noise)
	// Output:
	// Posterior of the mean of "wage"
	// parameter   mean  sd  2.5 %  97.5 %
	// ---------  -----  --  -----  ------
	// mean       603.7   1  601.6   605.8
	// Intervals hold 95 % of the posterior given the noisy sums: they know the noise.
	//
	// expected beforehand: noise of 1.00 dollars (sd)
}

// Where to cut off waiting times of which two minutes is the guess for a mean, before anything is spent: 500 of them,
// at ε = 1.
func ExampleBestBound() {
	b, err := privbayes.BestBound(1.0/2, 500, 1)
	fmt.Printf("[0, %.0f] minutes: the rate to %.1f %%, of which sampling makes %.1f %% (%v)\n", b.Upper, 100*b.Relative,
		100*b.Sampling, err)
	_, err = privbayes.BestBound(0, 500, 1)
	fmt.Println(err)
	// Output:
	// [0, 8] minutes: the rate to 4.7 %, of which sampling makes 4.5 % (<nil>)
	// advise: a rate of 0, 500 records, ε = 1; want positive numbers
}

// Wages by region in one release: every group's mean and its noise.
func ExampleGroupMeans() {
	release, err := privbayes.ReadFrame(data.CPS1988()).Model(privbayes.GroupMeans("wage", "region")).
		Privatize(privbayes.NoisySums(), privbayes.PureDP(1), privbayes.Seeded(1)).Release()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(release.Model().Summary())
	// Output:
	// Posterior of the means of "wage" by "region"
	// parameter   mean     sd  2.5 %  97.5 %
	// ---------  -----  -----  -----  ------
	// northeast  654.1  8.452  636.5   671.5
	// midwest    605.8   7.95  589.3   622.3
	// south      567.1  6.238  554.1     580
	// west       617.6  8.954  598.9   636.1
	// Intervals hold 95 % of the posterior given the noisy sums: they know the noise.
}

// Two means in one release have less noise than in two of half the budget each.
func ExampleMeans() {
	f := privbayes.ReadFrame(data.CPS1988())
	together, err := f.Model(privbayes.Means("wage", "education")).Plan(privbayes.NoisySums(), privbayes.PureDP(1))
	if err != nil {
		fmt.Println(err)
		return
	}
	alone, err := f.Model(privbayes.Mean("wage")).Plan(privbayes.NoisySums(), privbayes.PureDP(.5))
	if err != nil {
		fmt.Println(err)
		return
	}
	a, _ := together.ExpectedValue("noise of the mean of wage (sd)")
	b, _ := alone.ExpectedValue("noise of the mean of wage (sd)")
	fmt.Printf("%.2f dollars against %.2f\n", a, b)
	// Output:
	// 1.42 dollars against 2.01
}

// Mean and standard deviation of the values of a column, whatever their distribution.
func ExampleMeanSD() {
	release, err := privbayes.ReadFrame(data.CPS1988()).Model(privbayes.MeanSD("education")).
		Privatize(privbayes.NoisySums(), privbayes.PureDP(1), privbayes.Seeded(1)).Release()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(release.Model().Summary())
	// Output:
	// Mean and standard deviation of education
	// parameter  estimate
	// ---------  --------
	// mean          13.07
	// sd              2.9
	// Of the rows' values, moved to the bounds [0, 18].
	// As released, with no interval: how large the noise is stands among the plan's expected errors; noiseaware.PopulationMean has an interval for the mean.
}

// Years of school end at 18, where one in twelve is: a normal that goes on beyond says something else than the values.
func ExampleMeanSD_latent() {
	release, err := privbayes.ReadFrame(data.CPS1988()).Model(privbayes.MeanSD("education").Latent()).
		Privatize(privbayes.NoisySums(), privbayes.PureDP(1), privbayes.Seeded(1)).Release()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(release.Model().Summary())
	fmt.Println(release.Warnings()[0].Kind)
	// Output:
	// Posterior of the latent normal of "education"
	// parameter     mean       sd  2.5 %  97.5 %
	// -----------  -----  -------  -----  ------
	// latent mean  13.14  0.01836   13.1   13.17
	// latent sd    3.025  0.01405  2.997   3.054
	// Intervals hold 95 % of the posterior given the noisy sums: they know the noise.
	// The parameters describe a normal distribution of values before they are moved to the bounds [0, 18]; 5.39 % of it lies outside. MeanSD describes the values of the column.
	// outside-bounds
}

// Counts of a week, at most 12 by the public bound: what lies at the bound is part of the model.
func ExamplePoisson() {
	schema := &privbayes.Schema{Dataset: "visits", Columns: []privbayes.Column{frame.Integer("visits", 0, 12)}}
	var csv strings.Builder
	csv.WriteString("visits\n")
	for i := range 400 {
		fmt.Fprintln(&csv, []int{0, 1, 1, 2, 2, 3, 4, 7}[i%8])
	}
	release, err := privbayes.ReadFrame(strings.NewReader(csv.String()), schema).Model(privbayes.Poisson("visits")).
		Privatize(privbayes.NoisySums(), privbayes.PureDP(1), privbayes.Seeded(1)).Release()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(release.Model().Summary())
	// Output:
	// Posterior of the Poisson mean of "visits"
	// parameter   mean       sd  2.5 %  97.5 %
	// ---------  -----  -------  -----  ------
	// mean       2.503  0.08968   2.33    2.68
	// Intervals hold 95 % of the posterior given the noisy sums: they know the noise.
}
