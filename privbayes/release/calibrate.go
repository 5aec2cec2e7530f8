package release

import (
	"fmt"

	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Calibrated are estimates of a population that a release has the cells for, the levels of a column, with 95 %
// intervals: those of [Release.Calibrate], [Release.Clustered] and [Release.Totals].
type Calibrated struct {
	Column string     `json:"column,omitempty"` // whose levels are the cells
	List   []Interval `json:"estimates"`

	release     *Release
	title, note string
}

// Calibrate is about the population whose cells, the levels of a column, have the public sizes, such as the people of
// every region by the census. It corrects what respondents of the cells differ from the population in. For a weighted
// Table of two columns or more these are the shares of the other columns' categories, and for weighted GroupMeans the
// mean of all groups together. The size of merged levels is under "a + b". It uses no budget. Errors:
// *dp.ParameterError, which says what is missing, or which cells to merge: see [mechanism.Plan.Calibrated].
func (r *Release) Calibrate(column string, sizes map[string]int64) (*Calibrated, error) {
	found, err := r.plan.Calibrated(r.drawn, column, sizes, shownLevel)
	return r.calibrated(found, err, column, "Calibrated to the sizes of "+safetext.Word(column),
		"The rows are taken as an independent sample. Calibration uses no budget.")
}

// Clustered is about the population of a survey that drew clusters, the levels of a column, such as areas or schools,
// and then people in them. People of one cluster are alike, so that these intervals are wider than those of Intervals
// and hold. strata name the stratum of every cluster. Levels that it does not name are no clusters. Of a weighted Table
// these are the shares of the other columns' categories, and of weighted GroupMeans the mean of all groups together. It
// uses no budget. Errors: *dp.ParameterError, see [mechanism.Plan.Clustered].
func (r *Release) Clustered(column string, strata map[string]string) (*Calibrated, error) {
	found, err := r.plan.Clustered(r.drawn, column, strata, shownLevel)
	return r.calibrated(found, err, column, "Clusters: "+safetext.Word(column),
		fmt.Sprintf("They are of a sample of %d clusters, by what these differ by, and use no budget.", len(strata)))
}

// Totals are how many of the population are in each category of a weighted Table. It uses no budget. Where the
// number of rows was fixed beforehand the intervals are wider than need be. Errors: *dp.ParameterError, see
// [mechanism.Plan.Totals].
func (r *Release) Totals() (*Calibrated, error) {
	found, err := r.plan.Totals(r.drawn, shownLevel)
	return r.calibrated(found, err, "", "Of the population in each category",
		"They are of a sample whose number of rows was not fixed beforehand, and use no budget.")
}

func (r *Release) calibrated(found []mechanism.Calibrated, err error, column, title, note string) (*Calibrated, error) {
	if err != nil {
		return nil, err
	}
	c := &Calibrated{Column: column, release: r, title: title, note: note}
	for _, f := range found {
		c.List = append(c.List, Interval{Of: f.Of, Estimate: f.Estimate, Interval: mechanism.Interval{Population: &f.Range}})
	}
	return c, nil
}

// Table shows them.
func (c *Calibrated) Table() *table.Table {
	sh := c.release.plan.Shape()
	t := intervalTable(fmt.Sprintf("%s: %s", c.title, sh.Model()), c.List,
		alike(decimalsOf(c.List), c.List), func(i Interval) string { return safetext.Word(i.Of) })
	if sh.Schema().Weighted().Computed == frame.FromRespondents {
		t.Note("With " + frame.HeldAsGiven + ".")
	}
	return t.Note("The intervals include the noise of the release. " + c.note)
}

// String shows the table as text.
func (c *Calibrated) String() string { return table.Text(c) }

// points are estimates alone.
func (r *Release) points() *table.Table {
	t := table.New("Estimates of the "+r.plan.Shape().Model().String(), "", "estimate")
	for _, e := range r.dated(estimates(r.fitted)) {
		if e.dates != nil {
			t.Add(safetext.Word(e.Of), e.Text(e.Estimate, 0))
			continue
		}
		t.Add(safetext.Word(e.Of), e.Estimate)
	}
	return t
}
