package entry_test

import (
	"context"
	"fmt"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/release/entry"
)

// The record of a release for a registry, and whether the two belong together.
func Example() {
	release, err := privbayes.ReadFrame(data.Votes()).
		Model(privbayes.NaiveBayes("Class", "V3")).
		Privatize(privbayes.Geometric(), privbayes.PureDP(1)).
		Release()
	if err != nil {
		fmt.Println(err)
		return
	}
	file, err := release.JSON()
	if err != nil {
		fmt.Println(err)
		return
	}
	e, err := entry.Draft(context.Background(), file, entry.Tier(2))
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := entry.Match(context.Background(), file, e.YAML())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(e.Questions()) == m.Open, "questions; belongs together:", m.OK())
	// Output: true questions; belongs together: true
}
