package nb_test

import (
	"errors"
	"fmt"

	"github.com/privbayes/privbayes-go/privbayes/nb"
)

// table shows itself as HTML in a notebook and as text elsewhere.
type table map[string]int

func (t table) String() string { return fmt.Sprintf("good %d\nbad  %d", t["good"], t["bad"]) }

func (t table) HTML() string {
	return fmt.Sprintf("<table><tr><td>good</td><td>%d</td></tr><tr><td>bad</td><td>%d</td></tr></table>", t["good"], t["bad"])
}

func ExampleShow() {
	nb.Show(table{"good": 700, "bad": 300}, 2.0/3)
	// Output:
	// good 700
	// bad  300
	// 0.6667
}

// A function's two results go to Show as they are.
func ExampleShow_error() {
	release := func() (*table, error) { return nil, errors.New("the budget is spent") }
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

type curve []float64

func ExampleRegisterRenderer() {
	nb.RegisterRenderer(func(v any) (png []byte, ok bool, err error) {
		c, ok := v.(curve)
		if ok && len(c) == 0 {
			return nil, true, errors.New("the curve has no points")
		}
		return []byte("…"), ok, nil // a plotting package would draw c here
	})
	nb.Show(curve{1, 2})
	nb.Show(curve{})
	// Output:
	// [1 2]
	// error: nb_test.curve cannot be drawn: the curve has no points
}
