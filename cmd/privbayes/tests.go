package main

import (
	"context"
	"io"
	"strings"

	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// testsJSON are tests of terms for programs.
type testsJSON struct {
	Release string        `json:"release"`
	Tests   []table.Shown `json:"tests"`
	HTML    string        `json:"html"`
}

// writeTests tests one by one terms of a regression, after its chains ran, or pairs of columns of a learned structure.
func writeTests(ctx context.Context, r *release.Release, asked []string, asJSON bool, out io.Writer) error {
	list := testsJSON{Release: r.ID()}
	test := func(text string) (table.Shown, error) { return r.Test(model.Term(text)) }
	if r.Structure() != nil {
		test = func(text string) (table.Shown, error) { return testPair(ctx, r, text) }
	} else if err := r.Model().Sample(ctx); err != nil {
		return err
	}
	for _, text := range asked {
		t, err := test(text)
		if err != nil {
			return err
		}
		list.Tests = append(list.Tests, t)
		list.HTML += table.HTML(t)
	}
	if asJSON {
		return writeJSON(out, list)
	}
	for _, t := range list.Tests {
		if err := display(out, t); err != nil {
			return err
		}
	}
	return nil
}

// testPair tests whether two columns of a learned structure are independent: "sex,income", or "median:sex,income".
func testPair(ctx context.Context, r *release.Release, text string) (*release.PairTest, error) {
	test, columns := release.ChiSquare, text
	for _, t := range release.Associations() {
		if of, ok := strings.CutPrefix(text, string(t)+":"); ok {
			test, columns = t, of
		}
	}
	pair, err := partsOf(columns)
	if err != nil || len(pair) != 2 {
		return nil, wrongFlag("test", text, "two columns such as sex,income, or mann-whitney:sex,income with one of the "+
			"tests t, mann-whitney and median")
	}
	return r.TestPair(ctx, test, pair[0], pair[1])
}
