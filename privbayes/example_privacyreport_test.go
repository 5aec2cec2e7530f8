package privbayes_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/release/privacyreport"
)

// The page about a release for a data-protection officer needs no table. It is saved as .html, .md or .json.
func ExamplePrivacyReport() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "votes.release.json")
	if err := privbayes.ReadFrame(data.Votes()).Model(privbayes.Categorical("Class")).
		Privatize(privbayes.Geometric(), privbayes.PureDP(1), privbayes.KeepIn(path)).Err(); err != nil {
		fmt.Println(err)
		return
	}
	page, err := privbayes.PrivacyReport(path, privacyreport.Options{})
	if err == nil {
		err = page.Save(filepath.Join(dir, "report.html"))
	}
	fmt.Println(err, page.Protected.Text[0])
	// Output:
	// <nil> One "member of Congress" is protected, with everything in the row.
}
