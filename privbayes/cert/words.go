package cert

import (
	"fmt"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/privbayes/table"
)

// plain are statements of checks in words for readers who are no specialists, by how the statement begins. The terms of
// the statement itself stand in certificates and files.
var plain = [][2]string{
	{"one row changes at most this many counts", "One row changes at most this many counts, each by 1"},
	{"replacing one record changes at most this many parity counts",
		"Replacing one row changes at most this many parity counts, each by 1"},
	{"one record moves the sums by at most 1", "One row changes the sums by at most one noise unit"},
	{"range of what one row moves a score by", "One row changes a selection score by at most this much"},
	{"most that replacing a record moves the score", "Replacing one row changes a selection score by at most this much"},
	{"no row leaves the unit ball", "Every row, scaled by public bounds, has a length of 1 at most"},
	{"one record moves the moments", sumsMove}, {"one record moves the integer moments", sumsMove},
	{"one record moves the products", sumsMove}, {"one record moves a step", sumsMove},
	{"loss of the dominating pair", "The noise keeps the privacy loss within the guarantee, for all tables"},
	{"loss of the draws", "The noise keeps the privacy loss within the guarantee, for all tables"},
	{"loss of all tables and choices", "All choices and tables together keep within the guarantee"},
	{"loss of all choices and tables", "All choices and tables together keep within the guarantee"},
	{"composition of the tables' dominating pairs", "All tables together keep within the guarantee"},
	{"exact pure ε of the shipped law", "The implemented sampler has the stated privacy loss, on small tables"},
	{"δ of the shipped law", "The implemented sampler has the stated privacy loss, on small tables"},
	{"exact ε of one choice by the shipped law", "One choice has the stated privacy loss, on small tables"},
	{"exact ε of one noisy table by the shipped law", "One noisy table has the stated privacy loss, for small counts"},
	{"squared change of three reported distances",
		"One row changes three reported distances by at most this much, squared and added"},
	{"range of the log-ratio of two shipped posteriors",
		"One posterior draw has the stated privacy loss, on small tables"},
	{"pure ε of a whole release", "Whole releases of small tables have the stated privacy loss"},
	{"exact pure ε of whole releases", "Whole releases of small tables have the stated privacy loss"},
	{"exact pure ε of a whole release", "Whole releases of small tables have the stated privacy loss"},
	{"Rényi divergence of order", "Whole releases of small tables have the stated privacy loss"},
	{"exact ε of the noisy sums within two bins", "Noisy sums within two bins have the stated privacy loss"},
	{"Σ|change| of all counts by one row", "One row changes all counts by at most this much, added up"},
	{"shifts that add up to the same", "Rows of one unit cannot do more than the change that is checked"},
	{"privacy loss of the noisy counts of all", "The noisy counts of all octaves keep within the guarantee"},
	{"privacy loss of one count that moves by one", "One unit changes one count at the stated privacy loss"},
	{"ε of one code that a unit joins or leaves", "One unit changes one count at the stated privacy loss"},
	{"δ of one category that a unit joins or leaves", "One unit changes one category at the stated privacy loss"},
	{"δ of all categories together", "All categories together keep within the guarantee"},
	{"probability that an end of the range", "An end of the range is false with at most this probability"},
	{"probability that any code is listed", "A code that nobody holds is listed with at most this probability"},
	{"ρ of all periods together", "All periods together keep within the guarantee"},
	{"of a list of", "All items together keep within the guarantee"},
	{"of what is released of", "All candidates and the report together keep within the guarantee"},
}

const sumsMove = "One row changes the noisy sums by at most this much, for all pairs of rows of a few columns"

// Plain is the statement in words for readers who are no specialists; the statement itself where it has no others.
func (c Check) Plain() string {
	if name, rest, of := strings.Cut(c.Statement, `": `); of && strings.HasPrefix(name, `"`) { // of an item
		return name + `": ` + Check{Statement: rest}.Plain()
	}
	for _, p := range plain {
		if strings.HasPrefix(c.Statement, p[0]) {
			if _, scope, cut := strings.Cut(c.Statement, ", checked on "); cut {
				return p[1] + ", checked on " + scope
			}
			return p[1]
		}
	}
	return c.Statement
}

// Summary shows the checks in plain words, with the two numbers that each compares. Table has formulas and scope.
func (c *Certificate) Summary() *table.Table {
	t := table.New("Checks", "what is checked", "value", "at most", "how")
	holds := 0
	for _, k := range c.All() {
		if k.OK() {
			holds++
		}
		how := string(k.Method)
		if k.Work > 0 {
			how += " of " + table.Count(k.Work, "case")
		}
		t.Add(k.Plain(), float64(k.Value), float64(k.Bound), how)
	}
	return t.Note(fmt.Sprintf("%d of %d hold.", holds, len(t.Rows)))
}

// Summary shows the verdict, and every check in plain words with what was found. Table has all figures.
func (v *Verification) Summary() *table.Table {
	t := table.New(v.Verdict(), "what was checked", "result")
	for _, r := range v.Results {
		found := string(r.Status)
		switch {
		case r.Status == Rederived:
			found = "holds, computed again"
		case r.Status == NotRederived:
			found = "not computed: more work than the limit allows"
		case r.Reason != "":
			found += ": " + r.Reason
		}
		t.Add(r.Check.Plain(), found)
	}
	t.Notes = slices.Clone(v.Notes)
	if v.OK() {
		t.Note("This does not show that the numbers were drawn in this way, that these rows were used, or that " +
			"model, bounds and strength were chosen without looking at the data.")
	}
	return t
}
