package frame

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/privbayes/privbayes-go/internal/safetext"
)

// Kind says how the values of a column are read and coded.
type Kind string

// The kinds of columns.
const (
	KindCategorical Kind = "categorical" // one of Categories
	KindInteger     Kind = "integer"     // a whole number in [Min, Max], binned by Edges
	KindReal        Kind = "real"        // a number in [Min, Max], binned by Edges
	KindSequence    Kind = "sequence"    // at most MaxLength of Categories, joined by Separator
	// KindOpen has categories that nobody listed. A schema with such a column reads no table: the categories are released
	// first, and the column is a categorical one then.
	KindOpen Kind = "open"
)

// OutOfDomain says what happens to a value outside the column's domain while it is read.
type OutOfDomain string

// What happens to values outside the domain.
const (
	DomainError OutOfDomain = "error" // refuse the table, naming line and value; the default
	DomainOther OutOfDomain = "other" // categorical: code it as the category named by Other
	DomainClamp OutOfDomain = "clamp" // numeric: move it to the nearest bound
)

// What happens to missing values.
const (
	MissingError      = "error"    // refuse the table; the default
	MissingAsCategory = "category" // a category of its own, the last code
	MissingOmitted    = "omit"     // numeric: the row is left out of what is made of the column; the last code
	MissingImputed    = "impute"   // numeric: read as the public number Impute
)

// What a missing mark between quotes means.
const (
	quotedIsMissing = "missing" // missing, as without quotes; the default
	QuotedIsValue   = "value"   // a value like any other
)

// maxLevels is the largest number of codes of a column.
const maxLevels = 65536

// Column is the public description of one column.
type Column struct {
	Name       string   `json:"name"`
	Kind       Kind     `json:"kind"`
	Categories []string `json:"categories,omitempty"` // order = code
	// Numeric columns: bounds, and public bin edges. Edges has one value more than there are bins, strictly increasing,
	// from Min to Max; bin i is [Edges[i], Edges[i+1]), the last one closed. No edges: one bin. Edges without bounds:
	// their ends. Of whole numbers Max may be the last number below the last edge, and no bin is closed then: so it is
	// where edges without bounds give every number a bin of its own, as 1990, 1991, 1992, 1993 do with three years, and
	// days that follow one another.
	Min   float64   `json:"min,omitempty"`
	Max   float64   `json:"max,omitempty"`
	Edges []float64 `json:"edges,omitempty"`
	// Bounds is "unknown" where nobody knows bounds of a column of numbers: see [BoundsUnknown].
	Bounds string `json:"bounds,omitempty"`

	// Dates: Date is the layout of the texts, and DateEdges are the edges written in it; the values, Min, Max and Edges
	// are days since 1970-01-01 and follow from DateEdges. See [Date].
	Date      string   `json:"date,omitempty"`
	DateEdges []string `json:"date_edges,omitempty"`

	Separator string `json:"separator,omitempty"`  // sequence: between items, not empty
	MaxLength int    `json:"max_length,omitempty"` // sequence: most items

	Missing         []string `json:"missing,omitempty"`          // marks of missing values in the file: "?", "NA", ""
	OnMissing       string   `json:"on_missing,omitempty"`       // "error" (default), "category", "omit" or "impute"
	MissingCategory string   `json:"missing_category,omitempty"` // the last code's name; "missing" if empty
	// Impute is the public number, of dates the days since 1970-01-01, that missing values are read as where OnMissing is
	// "impute": within the bounds, and chosen without looking at the rows.
	Impute *float64 `json:"impute,omitempty"`
	// QuotedMissing says what a mark between quotes means, as in "NA" beside NA: "missing" (default), or "value", one
	// like any other, which may be an alias.
	QuotedMissing string `json:"quoted_missing,omitempty"`

	Aliases []Alias `json:"aliases,omitempty"` // categorical: other spellings of categories, as written in the file

	OnOutOfDomain OutOfDomain `json:"on_out_of_domain,omitempty"`
	Other         string      `json:"other,omitempty"`
	Pad           string      `json:"pad,omitempty"` // the text of rows that pad a unit: see Schema.PadUnits
	Description   string      `json:"description,omitempty"`

	// Within is a public superset of the categories of an open column.
	Within *Within `json:"within,omitempty"`

	// Found says by which release Categories, or bounds, were found in the data, nil where they were known beforehand.
	Found *Found `json:"found,omitempty"`

	weight bool // the schema's weight: what is declared of it stands in "weight"
}

// Alias lists other spellings of one category, such as "male" and "M" of "m". They are fixed beforehand and public.
type Alias struct {
	Category string   `json:"category"`
	Texts    []string `json:"texts"`
}

// Categorical describes a column of categories; their order gives the codes 0, 1, ….
func Categorical(name string, categories ...string) Column {
	return Column{Name: name, Kind: KindCategorical, Categories: slices.Clone(categories)}
}

// Integer describes a column of whole numbers from the first edge to the last, with bins [e0, e1), [e1, e2), …, the
// last one closed. Where three edges or more are each one above the one before, every number has a bin of its own, and
// the last edge is a bound that no value reaches: 1990, 1991, 1992, 1993 are three years. Set Max to have it reached.
func Integer(name string, edges ...float64) Column { return numeric(name, KindInteger, edges) }

// Real describes a column of numbers from the first edge to the last, with bins [e0, e1), [e1, e2), …, the last one
// closed.
func Real(name string, edges ...float64) Column { return numeric(name, KindReal, edges) }

func numeric(name string, kind Kind, edges []float64) Column {
	c := Column{Name: name, Kind: kind, Edges: slices.Clone(edges)}
	if len(edges) > 0 {
		c.Min, c.Max = edges[0], c.greatest()
	}
	return c
}

// greatest is the greatest value by the edges alone: the last edge, or, of whole numbers that have a bin each, the
// number before it: a last bin of two numbers would be nobody's wish.
func (c *Column) greatest() float64 {
	n := len(c.Edges)
	last := c.Edges[n-1]
	if c.Kind != KindInteger || n < 3 || last != math.Trunc(last) {
		return last
	}
	for i, x := range c.Edges {
		if x != last-float64(n-1-i) {
			return last
		}
	}
	return last - 1
}

// openEnd reports whether the last edge is a bound that no value reaches.
func (c *Column) openEnd() bool { return len(c.Edges) > 1 && c.Max < c.Edges[len(c.Edges)-1] }

// Numeric reports whether the column holds numbers.
func (c Column) Numeric() bool { return c.Kind == KindInteger || c.Kind == KindReal }

// longUnit is the most characters of a unit.
const longUnit = 32

// Quantity is the name of a column for an axis: of numbers with the unit, which the description begins with, up to a
// semicolon, colon or comma, such as "wage, US dollars a week". A longer beginning is no unit. Dates have none.
func (c Column) Quantity() string {
	name := safetext.Word(c.Name)
	i := strings.IndexAny(c.Description, ";:,")
	if !c.Numeric() || c.Date != "" || i < 0 || utf8.RuneCountInString(c.Description[:i]) > longUnit {
		return name
	}
	if unit := safetext.Prose(c.Description[:i]); !strings.Contains(strings.ReplaceAll(c.Name, "_", " "), unit) {
		name += ", " + unit
	}
	return name
}

// Difference is Quantity for differences, errors and spreads, which of dates are in days.
func (c Column) Difference() string {
	if c.Date != "" {
		return c.Quantity() + ", days"
	}
	return c.Quantity()
}

// HasMissing reports whether missing values have a code of their own, the last one: as a category, or to be omitted.
func (c Column) HasMissing() bool {
	return c.OnMissing == MissingAsCategory || c.OnMissing == MissingOmitted
}

// ImputedAs is the column with its missing values read as a public number v within the bounds.
func (c Column) ImputedAs(v float64) Column {
	c.OnMissing, c.MissingCategory, c.Impute = MissingImputed, "", &v
	return c
}

// Levels is the number of codes: categories or bins, plus one for the missing category. For a sequence, the codes of an
// item.
func (c Column) Levels() int {
	n := len(c.Categories)
	if c.Numeric() {
		n = max(len(c.Edges)-1, 1)
	}
	if c.HasMissing() {
		n++
	}
	return n
}

// Labels names the codes in order: the categories, or the bins such as "[0, 10)" and, last, "[90, 100]"; then the
// missing category.
func (c Column) Labels() []string {
	c = c.clone()
	c.fill()
	labels := c.Categories
	if c.Numeric() {
		labels = make([]string, 0, c.Levels())
		for i := 0; i+1 < len(c.Edges); i++ {
			end := ")"
			if i+2 == len(c.Edges) && !c.openEnd() {
				end = "]"
			}
			labels = append(labels, fmt.Sprintf("[%s, %s%s", c.edge(c.Edges[i]), c.edge(c.Edges[i+1]), end))
		}
	}
	if c.HasMissing() {
		labels = append(labels, c.MissingCategory)
	}
	return labels
}

func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

func (c Column) clone() Column {
	c.Categories = slices.Clone(c.Categories)
	c.Edges = slices.Clone(c.Edges)
	c.Missing = slices.Clone(c.Missing)
	c.DateEdges = slices.Clone(c.DateEdges)
	if c.Impute != nil {
		v := *c.Impute + 0 // no negative zero
		c.Impute = &v
	}
	if c.Found != nil {
		f := *c.Found
		c.Found = &f
	}
	c.Within = c.Within.clone()
	c.Aliases = slices.Clone(c.Aliases)
	for i := range c.Aliases {
		c.Aliases[i].Texts = slices.Clone(c.Aliases[i].Texts)
	}
	return c
}

// fill writes out defaults and drops spellings of the default, see Schema.filled.
func (c *Column) fill() {
	if c.OnMissing == MissingError {
		c.OnMissing = ""
	}
	if c.HasMissing() && c.MissingCategory == "" {
		c.MissingCategory = "missing"
	}
	if c.OnOutOfDomain == DomainError {
		c.OnOutOfDomain = ""
	}
	if len(c.Categories) == 0 {
		c.Categories = nil
	}
	if len(c.Missing) == 0 {
		c.Missing = nil
	}
	if len(c.Edges) == 0 {
		c.Edges = nil
	}
	if c.QuotedMissing == quotedIsMissing {
		c.QuotedMissing = ""
	}
	if len(c.Aliases) == 0 {
		c.Aliases = nil
	}
	c.Within.sort()
	if c.Date != "" {
		c.fillDates()
	}
	if len(c.DateEdges) == 0 {
		c.DateEdges = nil
	}
	if !c.Numeric() {
		return
	}
	if c.Edges == nil && c.Min < c.Max {
		c.Edges = []float64{c.Min, c.Max}
	}
	if len(c.Edges) >= 2 && c.Min == 0 && c.Max == 0 {
		c.Min, c.Max = c.Edges[0], c.greatest()
	}
	c.Min, c.Max = c.Min+0, c.Max+0 // no negative zero
	for i := range c.Edges {
		c.Edges[i] += 0
	}
}

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
		return bad("date", safetext.Short(c.Date), want)
	}
	if len(c.DateEdges) < 2 {
		return bad("date_edges", safetext.Short(fmtList(c.DateEdges)), "at least two dates: public bounds, such as "+
			safetext.Quote(probe.Format(c.Date))+"; they are not taken from the data")
	}
	for i, text := range c.DateEdges {
		x, ok := day(c.Date, text)
		if !ok || c.Text(x) != text {
			return bad("date_edges", safetext.Short(text), "dates like "+safetext.Quote(probe.Format(c.Date)))
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
