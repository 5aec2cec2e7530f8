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
	fmt.Println(release.Summary())
	noise, _ := release.Plan().ExpectedValue("noise of the mean of wage (sd)")
	fmt.Printf("expected beforehand: noise of %.2f dollars (sd)\n", noise)
	// Output:
	// Estimates of the mean of "wage"
	//       estimate  population: 95 %     rows: 95 %
	// ----  --------  ----------------  -------------
	// mean     603.7     598.1 – 609.4  601.6 – 605.9
	// The intervals include the noise of the release: score intervals of means, which assume no distribution of the values; these are moved to the bounds.
	// Of the population: the rows are taken as an independent sample of it.
	//
	// expected beforehand: noise of 1.00 dollars (sd)
}

// The mean mass of penguins, of which some were not weighed: how many is private, so the mean is released with the
// noisy number of those that were. Models that need the number take the rows that have a value.
func ExampleFrame_Present() {
	penguins := privbayes.ReadFrame(data.Penguins())
	release, err := penguins.Model(privbayes.Mean("body_mass_g")).
		Privatize(privbayes.NoisySums(), privbayes.PureDP(1), privbayes.Seeded(1)).Release()
	if err != nil {
		fmt.Println(err)
		return
	}
	mean := release.Model().Draws().Mean()[0]
	fmt.Printf("%.0f g of %s\n", mean, release.Plan().Setting("released"))

	_, err = penguins.Model(privbayes.MeanSD("body_mass_g")).Shape()
	fmt.Println(err)
	release, err = penguins.Present("body_mass_g").Model(privbayes.Quantiles("body_mass_g", .5)).
		Privatize(privbayes.QuantileEM(), privbayes.PureDP(1).Under(privbayes.AddRemove), privbayes.Seeded(1)).Release()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.0f g is the median\n", release.Model().Draws().Mean()[0])
	// Output:
	// 4205 g of Bernstein sums of the records with a value
	// privbayes: Model: model: mean and standard deviation of "body_mass_g": column "body_mass_g": missing values by "on_missing": "category"; want a column without missing values: declare "on_missing": "impute" with a public "impute", or keep the rows that have a value by Present
	// 4050 g is the median
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
	fmt.Println(release.Summary())
	// Output:
	// Estimates of the means of "wage" by "region"
	//            estimate  population: 95 %  rows: 95 %
	// ---------  --------  ----------------  ----------
	// northeast       655         630 – 681   633 – 678
	// midwest         617         592 – 642   596 – 638
	// south           561         540 – 581   543 – 578
	// west            614         587 – 641   590 – 637
	// The intervals include the noise of the release: score intervals of means, which assume no distribution of the values; these are moved to the bounds.
	// Of the population: the rows are taken as an independent sample of it.
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
	// 1.62 dollars against 2.01
}

// Mean and standard deviation of the values of a column, whatever their distribution.
func ExampleMeanSD() {
	release, err := privbayes.ReadFrame(data.CPS1988()).Model(privbayes.MeanSD("education")).
		Privatize(privbayes.NoisySums(), privbayes.PureDP(1), privbayes.Seeded(1)).Release()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(release.Summary())
	// Output:
	// Estimates of the mean and standard deviation of "education"
	//       estimate  population: 95 %       rows: 95 %
	// ----  --------  ----------------  ---------------
	// mean    13.068   13.034 – 13.102  13.066 – 13.070
	// sd       2.900                      2.896 – 2.903
	// The intervals include the noise of the release: score intervals of means, which assume no distribution of the values; these are moved to the bounds.
	// Of the population: the rows are taken as an independent sample of it.
	// The standard deviation is that of the rows: no interval of the population's follows from what was released.
}

// Years of school end at 18, where one in twelve is: a normal that goes on beyond says something else than the values.
func ExampleMeanSD_latent() {
	release, err := privbayes.ReadFrame(data.CPS1988()).Model(privbayes.MeanSD("education").Latent()).
		Privatize(privbayes.NoisySums(), privbayes.PureDP(1), privbayes.Seeded(1)).Release()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(release.Summary())
	fmt.Println(release.Warnings()[0].Kind)
	// Output:
	// Posterior of the latent normal of "education"
	// parameter      mean     sd   2.5 %  97.5 %
	// -----------  ------  -----  ------  ------
	// latent mean  13.135  0.018  13.099  13.171
	// latent sd     3.025  0.014   2.997   3.054
	// 95 % credible intervals. The privacy noise is included.
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
	fmt.Println(release.Summary())
	// Output:
	// Posterior of the Poisson mean of "visits"
	// parameter   mean     sd  2.5 %  97.5 %
	// ---------  -----  -----  -----  ------
	// mean       2.503  0.090  2.330   2.680
	// 95 % credible intervals. The privacy noise is included.
}
