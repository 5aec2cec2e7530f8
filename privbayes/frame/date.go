package frame

import (
	"math"
	"slices"
	"time"

	"github.com/privbayes/privbayes-go/internal/label"
)

const secondsPerDay = 24 * 60 * 60

// Date describes a column of dates, written in a layout of package time such as "2006-01-02" or "02.01.2006". Its
// values are the whole numbers of days since 1970-01-01; its bins are [e0, e1), [e1, e2), …, the last one closed, with
// edges written in the same layout. Where three edges or more follow one another day by day, the last is a bound
// that no value reaches, as with [Integer]. Time of day and zone may stand in the layout and are dropped: the day is
// the one written.
func Date(name, layout string, edges ...string) Column {
	c := Column{Name: name, Kind: KindInteger, Date: layout, DateEdges: slices.Clone(edges)}
	c.fillDates()
	return c
}

// day is the number of the day of a date in a layout.
func day(layout, text string) (float64, bool) {
	t, err := time.Parse(layout, text)
	if err != nil {
		return 0, false
	}
	y, m, d := t.Date()
	return float64(time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Unix() / secondsPerDay), true
}

// Text is a value of a numeric column as it stands in a file: a number in decimal, or a date in the column's layout.
func (c Column) Text(x float64) string {
	if c.Date == "" || x != math.Trunc(x) || math.Abs(x) > 1e7 {
		return formatFloat(x)
	}
	return time.Unix(int64(x)*secondsPerDay, 0).UTC().Format(c.Date)
}

// edge is an edge as labels show it.
func (c *Column) edge(x float64) string {
	if c.Date != "" {
		return c.Text(x)
	}
	return number(x)
}

// fillDates writes edges in days from edges that are dates, or the other way.
func (c *Column) fillDates() {
	if len(c.DateEdges) == 0 {
		for _, x := range c.Edges {
			c.DateEdges = append(c.DateEdges, c.Text(x))
		}
		return
	}
	if len(c.Edges) > 0 {
		return
	}
	days := make([]float64, len(c.DateEdges))
	for i, text := range c.DateEdges {
		x, ok := day(c.Date, text)
		if !ok {
			return // check says what is wrong
		}
		days[i] = x
	}
	if c.Edges = days; c.Min == 0 && c.Max == 0 {
		c.Min, c.Max = days[0], c.greatest()
	}
}

// checkDates validates layout and edges of a filled column.
func (c *Column) checkDates() *SchemaError {
	if c.Date == "" {
		if len(c.DateEdges) > 0 {
			return bad("date_edges", "set", `none without "date", the layout of the dates`)
		}
		return nil
	}
	if c.Kind != KindInteger {
		return bad("date", "set", `none for kind `+string(c.Kind)+`: a date is a whole number of days, kind "integer"`)
	}
	if e := checkName("date", c.Date); e != nil {
		return e
	}
	const want = `the layout of package time, which writes 2 January 2006: "2006-01-02", "02.01.2006", "1/2/2006"`
	probe := time.Date(2001, 11, 23, 0, 0, 0, 0, time.UTC)
	if x, ok := day(c.Date, probe.Format(c.Date)); !ok || x != float64(probe.Unix()/secondsPerDay) {
		return bad("date", label.Short(c.Date), want)
	}
	if len(c.DateEdges) < 2 {
		return bad("date_edges", label.Short(fmtList(c.DateEdges)), "at least two dates: public bounds, such as "+
			label.Quote(probe.Format(c.Date))+"; they are not taken from the data")
	}
	for i, text := range c.DateEdges {
		x, ok := day(c.Date, text)
		if !ok || c.Text(x) != text {
			return bad("date_edges", label.Short(text), "dates like "+label.Quote(probe.Format(c.Date)))
		}
		if len(c.Edges) != len(c.DateEdges) || c.Edges[i] != x {
			return bad("edges", "other than date_edges", "one of the two, or the same days in both")
		}
	}
	return nil
}

func fmtList(texts []string) string {
	if len(texts) == 0 {
		return "empty"
	}
	return texts[0]
}
