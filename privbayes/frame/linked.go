package frame

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/privbayes/privbayes-go/internal/safetext"
)

// Linked describes one of two linked tables: parents, such as households, or their children, such as persons, which
// bear the key of their parent. A unit is a parent with all its children: all rows of both tables with one key. The key
// column stands in the table and not among Columns. The fields from Of on are of the children's table.
type Linked struct {
	Name    string   `json:"name"`
	Key     string   `json:"key"`
	Columns []Column `json:"columns"`
	// Duplicates says what happens where two parents have one key: "refuse" (the default) refuses the table, "drop" keeps
	// the parent that UnitCap puts first.
	Duplicates   string  `json:"duplicates,omitempty"`
	ExtraColumns bool    `json:"extra_columns,omitempty"` // as Schema.ExtraColumns
	Format       *Format `json:"format,omitempty"`        // that of the schema if nil

	Of     string `json:"of,omitempty"`      // the name of the parents' table
	AtMost int    `json:"at_most,omitempty"` // children of a parent that are kept: those that UnitCap puts first
	// Orphans says what happens to children whose key no parent has: "refuse" (the default) refuses the table, "drop"
	// leaves them out. They belong to no unit and are never counted.
	Orphans string       `json:"orphans,omitempty"`
	PerUnit []UnitColumn `json:"per_unit,omitempty"`
	// Places gives every column a place for each of the AtMost children, where it is true, or for so many of them, where
	// it is a whole number: age_1, age_2, …, missing where there is no child. The rows are then wide, and hold all that
	// is known of these children. One of PerUnit is the number of children, of all that are kept. UnitCap's hash says
	// which of them have places.
	Places any `json:"places,omitempty"`
	// Order is the column by which children stand in their places, the least first, or with "-" before it the greatest, as
	// "-age"; missing values stand last. UnitCap's hash decides among equals, and without Order among all.
	Order string `json:"order,omitempty"`
}

// UnitColumn is a column of units that is made of the children of each, at most AtMost of them:
//
//   - "count" is how many there are, or how many have one of the labels Where in the column Of;
//   - "any" is "yes" where that number is not 0, else "no";
//   - "max" and "min" are the greatest and the least value of a column of numbers, and missing where no child has one;
//   - "sum" is the sum of its values, 0 where there are none.
//
// The kind follows, and so do edges that are not given: of a count those of 0, …, AtMost; of a greatest or least value
// those of the column; of a sum one bin with all that AtMost values can come to. Values outside given edges are moved
// to the nearest bound. Missing values are a category of their own, "none", unless OnMissing says otherwise.
type UnitColumn struct {
	Column
	Is    string   `json:"is"`
	Of    string   `json:"of,omitempty"`
	Where []string `json:"where,omitempty"`
}

// What happens to duplicates and orphans.
const (
	linkRefuse = "refuse"
	linkDrop   = "drop"
)

// linked are the two tables, parents first, and where they stand in the schema; the error says why there are none.
func (s *Schema) linked() (parents, children *Linked, at [2]int, e *SchemaError) {
	if len(s.Tables) != 2 {
		return nil, nil, at, bad("tables", count(len(s.Tables), "table"), `two: one of parents, and one of their children `+
			`with "of", the name of the other; a second level of children is not read`)
	}
	a, b := &s.Tables[0], &s.Tables[1]
	switch {
	case a.Of != "" && b.Of != "":
		return nil, nil, at, bad("of", fmt.Sprintf("%s of %s and %s of %s", safetext.Short(a.Name), safetext.Short(a.Of),
			safetext.Short(b.Name), safetext.Short(b.Of)), "links without a cycle: no \"of\" in the parents' table")
	case a.Of == "" && b.Of == "":
		return nil, nil, at, bad("of", "in none of the tables", "the name of the parents' table, in that of their children")
	case a.Of != "":
		a, b, at = b, a, [2]int{1, 0}
	default:
		at = [2]int{0, 1}
	}
	if b.Of != a.Name {
		return nil, nil, at, bad("of", safetext.Short(b.Of), safetext.Short(a.Name)+", the other table")
	}
	return a, b, at, nil
}

// Links says of which linked tables the rows are made, and how; "" of one table.
func (s *Schema) Links() string {
	parents, children, _, e := s.linked()
	if e != nil {
		return ""
	}
	facts := []string{fmt.Sprintf("one row for each of %s", safetext.Quote(parents.Name)),
		fmt.Sprintf("with at most %d of %s by %s", children.AtMost, safetext.Quote(children.Name),
			safetext.Quote(children.Key))}
	by := " by " + safetext.Quote(cmp.Or(children.Order, "a hash"))
	switch n := children.placed(); {
	case n == children.AtMost:
		facts = append(facts, "each at a place of its own"+by)
	case n > 0:
		facts = append(facts, fmt.Sprintf("all of them counted and %d at places of their own", n)+by)
	}
	if children.Orphans == linkDrop {
		facts = append(facts, "orphans left out")
	}
	if parents.Duplicates == linkDrop {
		facts = append(facts, "duplicates left out")
	}
	return strings.Join(facts, ", ")
}
