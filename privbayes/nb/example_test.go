package nb_test

import (
	"errors"

	"github.com/privbayes/privbayes-go/privbayes/nb"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// credit shows itself as a table: HTML in a notebook and text elsewhere.
type credit struct{ good, bad int }

func (c credit) Table() *table.Table {
	return table.New("", "credit", "loans").Add("good", c.good).Add("bad", c.bad)
}

func ExampleShow() {
	nb.Show(credit{700, 300}, 2.0/3)
	// Output:
	// credit  loans
	// ------  -----
	// good      700
	// bad       300
	// 0.6667
}

// A function's two results go to Show as they are.
func ExampleShow_error() {
	release := func() (*credit, error) { return nil, errors.New("the budget is spent") }
	nb.Show(release())
	// Output: error: the budget is spent
}

func ExamplePrintf() {
	nb.Printf("headline: %s = %.4g\n", "epsilon", 1.0)
	// Output: headline: epsilon = 1
}

func ExampleMarkdown() {
	nb.Markdown("The release is $\\varepsilon$-differentially private.")
	// Output: The release is $\varepsilon$-differentially private.
}

// Warnings go to standard error, outside a notebook.
func ExampleWarn() {
	nb.Warn("this release is not kept: the next cell would draw it again")
	// Output:
}

// The callback suits every function that reports progress; it shows a bar in a
// notebook and nothing here, where standard error is no terminal.
func ExampleProgress() {
	step := nb.Progress("sweep")
	for i := range int64(100) {
		step(i+1, 100)
	}
	// Output:
}
