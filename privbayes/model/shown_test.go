package model

import (
	"fmt"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// wide is a schema of many columns of two levels.
func wide(columns int) *frame.Schema {
	s := &frame.Schema{Dataset: "wide"}
	for i := range columns {
		s.Columns = append(s.Columns, frame.Categorical(fmt.Sprint("c", i), "a", "b"))
	}
	return s
}

// A fitted model shows its conditional distributions: all levels of few features in one table, the first of many, and
// says how many there are more.
func TestConditionalsAreShown(t *testing.T) {
	chain := []Family{Node("c0")}
	for i := 1; i < 9; i++ {
		chain = append(chain, Node(fmt.Sprint("c", i), fmt.Sprint("c", i-1)))
	}
	for _, c := range []struct {
		columns      int
		model        Model
		parts, rows  int
		want, wanted string // in the last part, and in Table
	}{
		{1, Categorical("c0"), 0, 0, "", "Posterior of c0"},
		{3, NaiveBayes("c0"), 1, 4, "c2", "Posterior of c0"},
		{30, NaiveBayes("c0"), 1, shownRows, "38 rows more", "Posterior of c0"},
		{9, Network("c0", chain...), shownNodes, 2, "3 nodes more", "Posterior of c0"},
	} {
		sh, err := NewShape(wide(c.columns), c.model, 100, true, "")
		if err != nil {
			t.Fatal(err)
		}
		st, err := sh.Simulate(t.Context(), 1, dp.Seeded(1))
		if err != nil {
			t.Fatal(err)
		}
		f, err := sh.model.fitPlain(st)
		if err != nil {
			t.Fatal(err)
		}
		parts := f.Parts()
		if len(parts) != c.parts || !strings.Contains(f.Table().Title, c.wanted) {
			t.Fatalf("%s: %d parts below %q", c.model, len(parts), f.Table().Title)
		}
		if c.parts > 0 {
			if last := parts[c.parts-1]; len(last.Rows) != c.rows || !strings.Contains(last.String(), c.want) {
				t.Errorf("%s:\n%s", c.model, last)
			}
		}
		if !strings.Contains(f.String(), c.wanted) || strings.Contains(sh.String(), "NaN") {
			t.Error(f, sh)
		}
	}
}

// A regression shows coefficients in the units of the data.
func TestRegressionIsShownInTheUnitsOfTheData(t *testing.T) {
	f := fitted(t, LinearRegression("y", "x"), 300)
	if s := f.String(); !strings.Contains(s, "intercept") || !strings.Contains(s, "In the units of the data") ||
		len(f.Parts()) != 0 {
		t.Error(s)
	}
}
