package frame

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// maxChildren is the largest number of children of a unit, maxPlaces that of the columns of their places.
const (
	maxChildren = 64
	maxPlaces   = 256
)

// Place is a column of a wide row: a column of one of the children, of the first, the second and so on. A child is at
// the place where there are more children than come before it.
type Place struct {
	Column string // its name, such as age_2 of the second
	// By is the column that says whether there is a child: the number of children, or one of the same place.
	By     string
	At     int // how many children come before
	Before int // the same with the number of children; else −1, and a missing value of By is no child
	// Missing says that the child's column has missing values of its own: their code is that of no child, too.
	Missing bool
}

// absentChild is the category of places without a child, where the column has no missing values of its own.
const absentChild = "absent"

// Places are the columns of wide rows that a schema has: of linked tables whose children have places, those that stand
// as LoadTables makes them. A column is missing at a place where there is no child, so that some combinations are
// impossible by definition: learned structures keep to them. At each place one column goes with the number of children,
// that of the order if it is never missing, or else the first such; the others go with that one.
func (s *Schema) Places() (out []Place) {
	_, l, _, e := s.linked()
	if e != nil || l.placed() == 0 || l.number() == nil {
		return nil
	}
	has := func(c Column) bool {
		i := slices.IndexFunc(s.Columns, func(o Column) bool { return o.Name == c.Name })
		return i >= 0 && s.Columns[i].Kind == c.Kind && slices.Equal(s.Columns[i].Labels(), c.Labels())
	}
	n := l.number()
	if !has(n.Column) {
		return nil
	}
	link := -1
	by, _ := l.order()
	for k, c := range l.Columns {
		if !c.HasMissing() && (link < 0 || c.Name == by) {
			link = k
		}
	}
	for i := range min(l.placed(), maxChildren) { // a file that is only verified may say more
		for k, c := range l.Columns {
			p := Place{Column: c.place(i).Name, By: n.Name, At: i, Before: i, Missing: c.HasMissing()}
			if link >= 0 && k != link {
				if p.By, p.Before = l.Columns[link].place(i).Name, -1; !has(l.Columns[link].place(i)) {
					continue
				}
			}
			if has(c.place(i)) {
				out = append(out, p)
			}
		}
	}
	return out
}

// placed is how many children have places: 0 without places, and where Places is neither a truth value nor a number
// from 1 to AtMost.
func (l *Linked) placed() int {
	switch n := l.Places.(type) {
	case bool:
		if n {
			return l.AtMost
		}
	case int:
		if n >= 1 && n <= l.AtMost {
			return n
		}
	case float64: // of JSON
		if n >= 1 && n <= float64(l.AtMost) && n == math.Trunc(n) {
			return int(n)
		}
	}
	return 0
}

// number is the column of units that has the number of children, each in a bin of its own; nil where there is none.
func (l *Linked) number() *UnitColumn {
	for i, u := range l.PerUnit {
		own := len(u.Edges) == l.AtMost+2
		for k, x := range u.Edges {
			own = own && x == float64(k)
		}
		if u.Is == "count" && u.Of == "" && (own || len(u.Edges) == 0 && u.Min == 0 && u.Max == 0) {
			return &l.PerUnit[i]
		}
	}
	return nil
}

// place is the column of the children with so many before them.
func (c Column) place(before int) Column {
	c = c.clone()
	c.fill()
	c.Name, c.Impute, c.Pad = fmt.Sprintf("%s_%d", c.Name, before+1), nil, ""
	if !c.HasMissing() {
		c.MissingCategory, c.Missing, c.QuotedMissing = absentChild, []string{absentChild}, ""
	}
	if c.OnMissing = MissingAsCategory; len(c.Missing) == 0 {
		c.Missing = []string{""}
	}
	return c
}

// order is the column by which children stand in their places, and whether the greatest comes first; "" where a hash
// decides.
func (l *Linked) order() (column string, falls bool) {
	column, falls = strings.CutPrefix(l.Order, "-")
	return column, falls
}
