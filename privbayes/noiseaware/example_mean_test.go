package noiseaware_test

import (
	"fmt"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/noiseaware"
)

// The mean of the rows is in the summary of a release; the mean of the population behind them is less certain.
func ExamplePopulationMean() {
	release, err := privbayes.ReadFrame(data.CPS1988()).Model(privbayes.MeanSD("experience")).
		Privatize(privbayes.NoisySums(), privbayes.PureDP(1), privbayes.Seeded(1)).Release()
	if err != nil {
		fmt.Println(err)
		return
	}
	lower, upper, err := noiseaware.PopulationMean(release, .95)
	fmt.Printf("%.2f to %.2f years %v\n", lower, upper, err)
	// Output: 18.05 to 18.35 years <nil>
}
