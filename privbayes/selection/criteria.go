package selection

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// Criteria are what the synthetic rows of a candidate have to meet. Each is a slack, an integer that is 0 or more where
// it is met and that one replaced row moves by at most 1. Numbers are taken as they are written: .01 is 1/100. The
// methods return a changed copy.
type Criteria struct {
	// Cuts replace the bins of columns of numbers where cells are counted: [25, 30] makes three.
	Cuts  map[string][]float64 `json:"cuts,omitempty"`
	Cells *Cells               `json:"cells,omitempty"`
	// Ratio: (N+1)/(M+1) and its inverse are at most this for every value of every column in its own bins; above 1.
	Ratio       float64      `json:"ratio,omitempty"`
	Means       []Mean       `json:"means,omitempty"`
	Regressions []Regression `json:"regressions,omitempty"`
	// Matched: at least this share of the rows have a partner of their own in the same cell of all columns.
	Matched float64 `json:"matched,omitempty"`
}

// Cells is a criterion: of every table of at most Ways columns, each cell is within this share of the rows.
type Cells struct {
	Ways   int     `json:"ways"`
	Within float64 `json:"within"`
}

// Mean is a criterion: the mean of a column of numbers, over all rows or in every group of another column, is within so
// much of the candidate's, in the column's units. Values count as clipped to the column's bounds. A group without a
// candidate's row fails, and so does one with too few rows for the noise.
type Mean struct {
	Of     string  `json:"of"`
	Within float64 `json:"within"`
	By     string  `json:"by,omitempty"`
}

// Regression is a criterion: the least-squares regression of a column of numbers on all others, fitted to the
// candidate's rows, predicts the rows with a mean absolute error at most so much above that of its own.
type Regression struct {
	Of     string  `json:"of"`
	Within float64 `json:"within"`
}

// CellsWithin asks for every cell of every table of at most so many columns to be within a share of the rows.
func (c Criteria) CellsWithin(ways int, share float64) Criteria {
	c.Cells = &Cells{ways, share}
	return c
}

// Cut counts cells and groups of a column of numbers in bins between these numbers.
func (c Criteria) Cut(column string, at ...float64) Criteria {
	c.Cuts = maps.Clone(c.Cuts)
	if c.Cuts == nil {
		c.Cuts = map[string][]float64{}
	}
	c.Cuts[column] = at
	return c
}

// RatioWithin asks for the ratio of every count of one column to the candidate's, and its inverse, to be at most r.
func (c Criteria) RatioWithin(r float64) Criteria { c.Ratio = r; return c }

// MeanWithin asks for a mean, and with columns for those in each of their groups, to be within so much.
func (c Criteria) MeanWithin(of string, within float64, by ...string) Criteria {
	c.Means = slices.Clone(c.Means)
	if len(by) == 0 {
		by = []string{""}
	}
	for _, column := range by {
		c.Means = append(c.Means, Mean{of, within, column})
	}
	return c
}

// RegressionWithin asks for the regression of a column on the others to predict nearly as well as on its own rows.
func (c Criteria) RegressionWithin(of string, within float64) Criteria {
	c.Regressions = append(slices.Clone(c.Regressions), Regression{of, within})
	return c
}

// MatchedShare asks for so many rows to have a partner in the same cell of all columns.
func (c Criteria) MatchedShare(share float64) Criteria { c.Matched = share; return c }

// Names are of the slacks, in their order.
func (c Criteria) Names() (out []string) {
	if w := c.Cells; w != nil {
		out = append(out, fmt.Sprintf("cells of up to %d columns within %s of the rows", w.Ways, percent(w.Within)))
	}
	if c.Ratio > 0 {
		out = append(out, fmt.Sprintf("ratios of counts within %g", c.Ratio))
	}
	for _, m := range c.Means {
		s := fmt.Sprintf("mean of %s within %g", safetext.Quote(m.Of), m.Within)
		if m.By != "" {
			s += " by " + safetext.Quote(m.By)
		}
		out = append(out, s)
	}
	for _, r := range c.Regressions {
		out = append(out, fmt.Sprintf("regression of %s within %g", safetext.Quote(r.Of), r.Within))
	}
	if c.Matched > 0 {
		out = append(out, fmt.Sprintf("%s of the rows matched", percent(c.Matched)))
	}
	return out
}

func percent(x float64) string { return strconv.FormatFloat(100*x, 'g', 6, 64) + " %" }

const maxCells = 1 << 20 // of the table of all columns

// valid refuses criteria that cannot be computed from the schema: *dp.ParameterError, *frame.ColumnError.
func (c Criteria) valid(s *frame.Schema) error {
	refuse := func(field string, have any, want string) error { return domain.Refuse("selection", field, have, want) }
	number := func(field, name string) error {
		k, _, err := s.Column(name)
		switch {
		case err != nil:
			return err
		case k.Kind != frame.KindInteger && k.Kind != frame.KindReal || k.HasMissing():
			return refuse(field, name, "a column of numbers without missing values")
		}
		if _, unit, _ := steps(*k); !domain.Finite(unit) || unit == 0 {
			return refuse(field, name, "a column with a range that a float64 holds, and 2^-20 of it")
		}
		return nil
	}
	for name, at := range c.Cuts {
		if err := number("cuts", name); err != nil {
			return err
		}
		for i, x := range at {
			if !domain.Finite(x) || i > 0 && x <= at[i-1] {
				return refuse("cuts of "+safetext.Quote(name), at, "finite numbers, each above the one before")
			}
		}
	}
	if len(c.Names()) == 0 {
		return refuse("criteria", "none", "one at least, such as cells within .01 of the rows")
	}
	if w := c.Cells; w != nil && (w.Ways < 1 || !(w.Within > 0 && w.Within < 1)) {
		return refuse("cells", *w, "1 column or more, within a share above 0 and below 1")
	}
	if c.Ratio != 0 && !(c.Ratio > 1 && c.Ratio <= 1000) {
		return refuse("ratio", c.Ratio, "a number above 1, to 1,000")
	}
	if c.Matched != 0 && !(c.Matched > 0 && c.Matched <= 1) {
		return refuse("matched", c.Matched, "a share above 0, to 1")
	}
	for _, m := range c.Means {
		if err := number("mean of", m.Of); err != nil {
			return err
		}
		if _, _, err := s.Column(m.By); m.By != "" && err != nil {
			return err
		}
		if !(m.Within > 0 && domain.Finite(m.Within)) {
			return refuse("within", m.Within, "a finite number > 0")
		}
	}
	for _, r := range c.Regressions {
		if err := number("regression of", r.Of); err != nil {
			return err
		}
		if !(r.Within > 0 && domain.Finite(r.Within)) {
			return refuse("within", r.Within, "a finite number > 0")
		}
	}
	cells, sums := 1., 1. // of the table of all columns, and of those with columns summed out
	for _, k := range s.Columns {
		if k.Kind == frame.KindSequence {
			return refuse("column", k.Name, "categories or numbers")
		}
		cells, sums = cells*float64(c.levels(k)), sums*float64(c.levels(k)+1)
	}
	if (c.Cells != nil || c.Matched > 0) && (cells > maxCells || sums > 64*maxCells) {
		return refuse("cells", cells, fmt.Sprintf("at most %d in the table of all columns, and %d in all tables: cut "+
			"columns coarsely, or drop some", maxCells, 64*maxCells))
	}
	return nil
}

// levels is the number of bins of a column where cells are counted.
func (c Criteria) levels(k frame.Column) int {
	if at, cut := c.Cuts[k.Name]; cut {
		return len(at) + 1
	}
	return k.Levels()
}

// rational is the number as it is written in decimals.
func rational(x float64) *big.Rat {
	r, _ := new(big.Rat).SetString(strconv.FormatFloat(x, 'g', -1, 64))
	return r
}

// floor is ⌊r⌋, within ±2^62.
func floor(r *big.Rat) int64 {
	q := new(big.Int).Div(r.Num(), r.Denom()) // rounds towards −∞, as the divisor is positive
	if !q.IsInt64() || q.Int64() > 1<<62 || q.Int64() < -1<<62 {
		return int64(q.Sign()) << 62
	}
	return q.Int64()
}
