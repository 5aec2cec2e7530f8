//go:build !browser && !verifier

package frame

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/privbayes/privbayes-go/internal/safetext"
)

// What columns of units are of their children.
const (
	unitCount = "count"
	unitAny   = "any"
	unitMax   = "max"
	unitMin   = "min"
	unitSum   = "sum"
)

// table is the schema that a table is read under, with at most k rows of a unit.
func (s *Schema) table(l *Linked, k int) *Schema {
	t := &Schema{Dataset: s.Dataset, Unit: s.Unit, UnitKey: l.Key, RowsPerUnit: k, Columns: l.Columns,
		ExtraColumns: l.ExtraColumns || s.ExtraColumns, Format: l.Format}
	if t.Format == nil {
		t.Format = s.Format
	}
	return t
}

// checkTables validates what the schema says about linked tables.
func (s *Schema) checkTables() *SchemaError {
	parents, children, _, e := s.linked()
	if e != nil {
		return e
	}
	if s.Unit == "" {
		return bad("unit", "empty", `what a parent with all its children is, such as "household"`)
	}
	if e := s.checkKey(parents.Key); e != nil {
		return e
	}
	tables, columns := distinct{}, distinct{}
	for _, l := range []*Linked{parents, children} {
		if e := checkTitle("name", l.Name); e != nil {
			return e
		}
		if e := tables.add("name", l.Name); e != nil {
			return e
		}
		if e := s.checkTable(l, columns); e != nil {
			return e
		}
	}
	if e := parents.checkParents(); e != nil {
		return e
	}
	if e := children.checkChildren(); e != nil {
		return e
	}
	for _, u := range children.PerUnit {
		e := checkName("per_unit", u.Name)
		if e == nil {
			e = columns.add("name", u.Name)
		}
		if e == nil {
			e = children.checkUnit(u)
		}
		if e != nil {
			e.Column = u.Name
			return e
		}
	}
	return children.checkPlaces(columns)
}

// checkPlaces validates what the children's table says about places.
func (l *Linked) checkPlaces(columns distinct) *SchemaError {
	name, _ := l.order()
	by, _, err := (&Schema{Columns: l.Columns}).Column(name)
	switch {
	case l.placed() == 0 && l.hasPlaces():
		return l.badPlaces()
	case l.placed() == 0 && l.Order != "":
		return bad("order", safetext.Short(l.Order), `none without "places": true, the places that it orders`)
	case l.placed() == 0:
		return nil
	case l.placed()*len(l.Columns) > maxPlaces:
		return bad("places", fmt.Sprintf("%d children of %s", l.placed(), count(len(l.Columns), "column")),
			fmt.Sprintf("at most %d columns of places: a smaller number of \"places\", or fewer columns of children",
				maxPlaces))
	case l.number() == nil:
		return bad("places", "without the number of children", `a column of "per_unit" that is {"is": "count"} of all `+
			`children, with the edges that follow`)
	case l.Order != "" && (err != nil || by.Kind == KindSequence):
		return bad("order", safetext.Short(l.Order), "a column of table "+safetext.Short(l.Name)+` with one value a row, `+
			`maybe with "-" before it: `+safetext.List((&Schema{Columns: l.Columns}).Names(), 12))
	}
	for i := range l.placed() {
		for _, c := range l.Columns {
			p := c.place(i)
			e := cmp.Or(columns.add("name", p.Name), c.checkAbsent())
			if e == nil {
				e = p.check()
			}
			if e != nil {
				e.Column = p.Name
				return e
			}
		}
	}
	return nil
}

// hasPlaces reports whether places are asked for.
func (l *Linked) hasPlaces() bool { return l.Places != nil && l.Places != false }

// badPlaces refuses places that cannot be so many.
func (l *Linked) badPlaces() *SchemaError {
	value, want := "neither true nor a number", `a whole number from 1 on, and "at_most", which is no smaller`
	switch n := l.Places.(type) {
	case string:
		value = safetext.Short(n)
	case int, float64:
		value = fmt.Sprint(n)
	}
	if l.AtMost > 0 {
		want = fmt.Sprintf(`true, or a whole number from 1 to %d, which is "at_most"`, l.AtMost)
	}
	return bad("places", value+" in table "+safetext.Short(l.Name), want)
}

// checkAbsent refuses columns of children that have no room for a place without a child.
func (c Column) checkAbsent() *SchemaError {
	if c.Kind == KindSequence {
		return bad("places", "of a sequence", "columns of children with one value a row")
	}
	if c.HasMissing() {
		return nil
	}
	texts := slices.Clone(c.Categories)
	for _, a := range c.Aliases {
		texts = append(texts, a.Texts...)
	}
	if i := slices.IndexFunc(texts, func(t string) bool { return safetext.Same(t) == absentChild }); i >= 0 {
		return bad("categories", safetext.Short(texts[i]), `another name or alias: a place without a child is "`+absentChild+
			`"; or missing values of its own, "on_missing": "category"`)
	}
	return nil
}

// checkKey checks that the schema names no unit but the parents with their children. A canonical form says the key and
// the columns, which steps may have changed; columns without the key would be those of another table, whose rows
// nobody caps.
func (s *Schema) checkKey(key string) *SchemaError {
	switch {
	case s.UnitKey != key && (s.UnitKey != "" || len(s.Columns) > 0):
		return bad("unit_key", safetext.Short(cmp.Or(s.UnitKey, "unset")), safetext.Short(key)+", the parents' key, or "+
			`neither "unit_key" nor "columns": both follow from "tables"`)
	case s.RowsPerUnit > 1 && len(s.Columns) == 0, s.PadUnits: // Append adds rows up
		return bad("rows_per_unit or pad_units", "set", `neither: a unit of "tables" is one row`)
	}
	return nil
}

// checkTable validates one table as a schema of its own, whose columns are named like no others of the two.
func (s *Schema) checkTable(l *Linked, columns distinct) *SchemaError {
	if l.Key == "" {
		return bad("key", "empty in table "+safetext.Short(l.Name), "the column that links the tables")
	}
	if i := slices.IndexFunc(l.Columns, func(c Column) bool { return c.Kind == KindOpen || c.Bounds != "" }); i >= 0 {
		one := "discover reads one table, here that of " + safetext.Short(l.Name) + ` by itself, with "unit_key": ` +
			safetext.Short(l.Key)
		e := bad("kind", string(KindOpen), `"categorical" with its "categories": `+one)
		if l.Columns[i].Kind != KindOpen {
			e = bad("bounds", safetext.Short(l.Columns[i].Bounds), `"edges", or "min" and "max": `+one)
		}
		e.Column = l.Columns[i].Name
		return e
	}
	t := s.table(l, 1)
	if t.Dataset == "" {
		t.Dataset = l.Name // Validate says so of the whole
	}
	if err := t.Validate(); err != nil {
		e, _ := err.(*SchemaError)
		return e
	}
	for _, c := range l.Columns {
		e := columns.add("name", c.Name)
		if e == nil && c.Name == l.Key {
			e = bad("key", safetext.Short(l.Key)+", a column of the table", `a column that is not among "columns": keys are `+
				`read and never counted`)
		}
		if e != nil {
			e.Column = c.Name
			return e
		}
	}
	return nil
}

func (l *Linked) checkParents() *SchemaError {
	if l.AtMost != 0 || l.Orphans != "" || len(l.PerUnit) > 0 || l.hasPlaces() || l.Order != "" {
		return bad("at_most, orphans or per_unit", "set in table "+safetext.Short(l.Name), `none in the parents' table; `+
			`they are the children's, whose table has "of"`)
	}
	return checkLink("duplicates", l.Duplicates)
}

func (l *Linked) checkChildren() *SchemaError {
	switch {
	case l.AtMost == 0 && l.hasPlaces() && l.Places != true:
		return l.badPlaces()
	case l.AtMost < 1 || l.AtMost > maxChildren:
		return bad("at_most", strconv.Itoa(l.AtMost), "1 to 64 children of a parent that are kept")
	case l.Duplicates != "":
		return bad("duplicates", "set in table "+safetext.Short(l.Name), "none in the children's table: they share keys")
	}
	return checkLink("orphans", l.Orphans)
}

func checkLink(field, value string) *SchemaError {
	switch value {
	case "", linkRefuse, linkDrop:
		return nil
	}
	return bad(field, safetext.Short(value), `"refuse" or "drop"`)
}

// checkUnit validates one column of units.
func (l *Linked) checkUnit(u UnitColumn) *SchemaError {
	of, _, err := (&Schema{Columns: l.Columns}).Column(u.Of)
	numbers := u.Is == unitMax || u.Is == unitMin || u.Is == unitSum
	switch {
	case !numbers && u.Is != unitCount && u.Is != unitAny:
		return bad("is", safetext.Short(u.Is), `"count", "any", "max", "min" or "sum"`)
	case u.Is == unitCount && u.Of == "" && len(u.Where) == 0:
	case err != nil:
		return bad("of", safetext.Short(u.Of), "a column of table "+safetext.Short(l.Name)+": "+
			safetext.List((&Schema{Columns: l.Columns}).Names(), 12))
	case numbers && !of.Numeric(), u.Is == unitSum && of.Date != "":
		return bad("of", safetext.Short(u.Of), `a column of numbers for "`+u.Is+`"`)
	case numbers && len(u.Where) > 0:
		return bad("where", "set", `none for "`+u.Is+`"`)
	case !numbers && (len(u.Where) == 0 || of.Kind == KindSequence):
		return bad("where", "empty, or of a sequence", "labels of a column with one value a row: those that count")
	}
	if u.OnMissing == MissingError {
		return bad("on_missing", `"error"`, `"category", "omit" or "impute": a unit may have no child`)
	}
	for i, label := range u.Where {
		if labels := of.Labels(); !slices.Contains(labels, label) || slices.Contains(u.Where[:i], label) {
			return bad("where", safetext.Short(label), "each once, labels of "+safetext.Short(u.Of)+": "+
				safetext.List(labels, 12))
		}
	}
	c := l.column(u)
	switch e := c.check(); {
	case e != nil:
		return e
	case u.Kind != "" && u.Kind != c.Kind:
		return bad("kind", safetext.Short(string(u.Kind)), fmt.Sprintf("none, or %q, which follows from \"is\"", c.Kind))
	case u.Is == unitAny && len(c.Categories) != 2:
		return bad("categories", strconv.Itoa(len(c.Categories)), "two, for none and for some")
	case u.Is != unitMax && u.Is != unitMin && c.OnMissing != "":
		return bad("on_missing", safetext.Short(c.OnMissing), `none for "`+u.Is+`": it is never missing`)
	}
	return nil
}

// column is a column of units with all that follows written out. What it is of exists.
func (l *Linked) column(u UnitColumn) Column {
	c := u.clone()
	if of, _, err := (&Schema{Columns: l.Columns}).Column(u.Of); err == nil {
		c.Found = of.clone().Found // "where" names categories of it
	}
	if u.Is == unitAny {
		c.Kind = KindCategorical
		if len(c.Categories) == 0 {
			c.Categories = []string{"no", "yes"}
		}
		return c
	}
	c.Kind, c.OnOutOfDomain = KindInteger, DomainClamp
	bounds := c.Min != 0 || c.Max != 0 || len(c.Edges) > 0 || len(c.DateEdges) > 0
	if u.Is == unitCount {
		if !bounds {
			c.Max = float64(l.AtMost)
			for i := range min(l.AtMost, maxChildren) + 2 {
				c.Edges = append(c.Edges, float64(i))
			}
		}
		c.fill()
		return c
	}
	var of Column
	if found, _, err := (&Schema{Columns: l.Columns}).Column(u.Of); err == nil {
		of = found.clone()
		of.fill()
	}
	c.Kind = of.Kind
	if u.Is == unitSum {
		if !bounds {
			m := float64(l.AtMost)
			lo, hi := math.Min(0, m*of.Min), math.Max(0, m*of.Max)
			if c.Edges = []float64{lo, hi}; of.Kind == KindInteger {
				c.Edges = []float64{math.Ceil(lo), math.Floor(hi)}
			}
		}
		c.fill()
		return c
	}
	if c.Date = of.Date; !bounds {
		c.Min, c.Max, c.Edges, c.DateEdges = of.Min, of.Max, of.Edges, of.DateEdges
	}
	if c.OnMissing == "" {
		c.OnMissing = MissingAsCategory
	}
	if c.HasMissing() && c.MissingCategory == "" {
		c.MissingCategory = "none"
	}
	if len(c.Missing) == 0 {
		c.Missing = []string{""}
	}
	c.fill()
	return c
}

// fillTables writes out defaults, and makes the columns of units where there are none yet.
func (s *Schema) fillTables() {
	for i := range s.Tables {
		l := &s.Tables[i]
		l.Format = l.Format.plain()
		switch n := l.placed(); {
		case n > 0 && n == l.AtMost:
			l.Places = true
		case n > 0:
			l.Places = n
		case l.Places == false:
			l.Places = nil
		}
		for k := range l.Columns {
			l.Columns[k].fill()
		}
		for k, u := range l.PerUnit {
			l.PerUnit[k].Column = l.column(u)
		}
	}
	parents, children, _, e := s.linked()
	if e != nil || len(s.Columns) > 0 {
		return
	}
	s.UnitKey = parents.Key
	for _, c := range parents.Columns {
		s.Columns = append(s.Columns, c.clone())
	}
	for _, u := range children.PerUnit {
		s.Columns = append(s.Columns, u.clone())
	}
	for i := range children.placed() {
		for _, c := range children.Columns {
			s.Columns = append(s.Columns, c.place(i))
		}
	}
}

// cloneTables is a deep copy.
func cloneTables(tables []Linked) []Linked {
	out := slices.Clone(tables)
	for i := range out {
		l := &out[i]
		if l.Format != nil {
			format := *l.Format
			l.Format = &format
		}
		l.Columns, l.PerUnit = slices.Clone(l.Columns), slices.Clone(l.PerUnit)
		for k, c := range l.Columns {
			l.Columns[k] = c.clone()
		}
		for k, u := range l.PerUnit {
			l.PerUnit[k].Column, l.PerUnit[k].Where = u.clone(), slices.Clone(u.Where)
		}
	}
	return out
}
