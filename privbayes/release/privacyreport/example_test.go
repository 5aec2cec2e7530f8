package privacyreport_test

import (
	"context"
	"fmt"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/release/privacyreport"
)

// The page about a release for a data-protection officer. It reads the release file alone; what only people know is
// open until they answer.
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
	page, err := privacyreport.Draft(context.Background(), file, privacyreport.Options{
		Answers: privacyreport.Answers{"controller": "The clerk of the House"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(page.Title)
	fmt.Println(page.Protected.Text[0])
	fmt.Printf("%.3f\n", page.Numbers.AttackPower)
	// Output:
	// Privacy report: naive Bayes of "Class" (14 answers open)
	// One "member of Congress" is protected, with everything in the row.
	// 0.136
}
