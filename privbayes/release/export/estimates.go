package export

import (
	"context"
	_ "embed"
	"strconv"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Estimates are the numbers of a release with their intervals, as a table for other programs. Its JSON is a form of it.
// Numbers are as precise as they are, so that sums of shares stay what they are; round what you print.
type Estimates struct {
	Release   string       `json:"release"`
	Of        string       `json:"of"`        // the model
	Guarantee dp.Guarantee `json:"guarantee"` // to quote: see release.Release.Stated
	Level     float64      `json:"level"`
	How       string       `json:"how,omitempty"` // in which way the intervals were found; empty where there are none
	Columns   []string     `json:"columns"`
	Rows      [][]any      `json:"rows"` // of each number texts, numbers, and nil where it has no such interval
}

// EstimatesOf are those of any release, with intervals at a level in (0, 1) where it has them: those of
// release.Release.Numbers. The columns are "of", "label" and "estimate", then the ends of the intervals that a number
// of the list has: of the population, of the rows, and of bands that contain all numbers together. Means of columns of
// numbers of a learned structure have the label "mean"; of dates they are days since 1970-01-01. Errors:
// *dp.ParameterError, those of release.Release.Intervals.
func EstimatesOf(ctx context.Context, r *release.Release, level float64) (*Estimates, error) {
	if r == nil || r.Plan() == nil {
		return nil, domain.Refuse("export", "release", nil, "one from Privatize or release.Load")
	}
	list, how, err := r.Numbers(ctx, level)
	if err != nil {
		return nil, err
	}
	e := &Estimates{Release: r.ID(), Of: r.Plan().Shape().Model().String(), Guarantee: r.Stated(), Level: level, How: how,
		Columns: []string{"of", "label", "estimate"}}
	for _, i := range list {
		e.Rows = append(e.Rows, []any{i.Of, i.Label, i.Estimate})
	}
	band := func(of func(*mechanism.Interval) *mechanism.Range) func(*mechanism.Interval) *mechanism.Range {
		return func(i *mechanism.Interval) *mechanism.Range {
			if i.AtOnce == nil {
				return nil
			}
			return of(i.AtOnce)
		}
	}
	population := func(i *mechanism.Interval) *mechanism.Range { return i.Population }
	rows := func(i *mechanism.Interval) *mechanism.Range { return i.Rows }
	e.add(list, "population", population)
	e.add(list, "rows", rows)
	e.add(list, "population_band", band(population))
	e.add(list, "rows_band", band(rows))
	return e, nil
}

// add adds two columns, if a number has such an interval.
func (e *Estimates) add(list []release.Interval, name string, of func(*mechanism.Interval) *mechanism.Range) {
	var ends [][]any
	some := false
	for k := range list {
		lower, upper := any(nil), any(nil)
		if r := of(&list[k].Interval); r != nil {
			lower, upper, some = r.Lower, r.Upper, true
		}
		ends = append(ends, []any{lower, upper})
	}
	if !some {
		return
	}
	e.Columns = append(e.Columns, name+"_lower", name+"_upper")
	for k := range ends {
		e.Rows[k] = append(e.Rows[k], ends[k]...)
	}
}

// CSV is the header and the rows as RFC 4180 text; what a number does not have is empty.
func (e *Estimates) CSV() string {
	t := table.New("", e.Columns...)
	for _, row := range e.Rows {
		cells := make([]any, len(row))
		for i, v := range row {
			if cells[i] = v; v == nil {
				cells[i] = ""
			} else if x, ok := v.(float64); ok {
				cells[i] = strconv.FormatFloat(x, 'g', -1, 64)
			}
		}
		t.Add(cells...)
	}
	return t.CSV()
}
