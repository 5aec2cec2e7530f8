package frame

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/label"
	"github.com/privbayes/privbayes-go/internal/seal"
)

// unitRows caps the rows of every unit while a table is read.
type unitRows struct {
	cap     *UnitCap
	key     string
	columns []string // of the schema
	k       int
	entries []int32 // of every row
	units   []int32 // of every row
	// of the current file: places of the key and of the columns
	keyAt int
	at    []int
	texts [][]byte
}

// newUnitRows is nil where the schema names no key.
func newUnitRows(s *Schema) (*unitRows, error) {
	if s.UnitKey == "" {
		return nil, nil
	}
	if e := s.checkPads(); e != nil {
		return nil, e
	}
	c, err := NewUnitCap(seal.Mine(), s.RowsPerUnit)
	return &unitRows{cap: c, key: s.UnitKey, k: s.RowsPerUnit, columns: s.Names()}, err
}

// header finds the key and the columns in a file.
func (u *unitRows) header(names []string, file string) error {
	u.keyAt, u.at = place(names, u.key), u.at[:0]
	if u.keyAt < 0 {
		return &ColumnError{Step: "header of " + file, Column: u.key, Have: names,
			Want: `the column of the schema's "unit_key", by which the rows of a unit are counted`}
	}
	if place(names[u.keyAt+1:], u.key) >= 0 {
		return &ColumnError{Step: "header of " + file, Column: u.key, Have: names, Want: "it once; the header names it twice"}
	}
	for _, name := range u.columns {
		u.at = append(u.at, place(names, name))
	}
	u.texts = make([][]byte, len(u.at))
	return nil
}

// add takes the current record; false if it has no key.
func (u *unitRows) add(sc *scanner) bool {
	for i, at := range u.at {
		u.texts[i] = sc.field(at)
	}
	return u.row(sc.field(u.keyAt), u.texts)
}

func (u *unitRows) row(key []byte, texts [][]byte) bool {
	if len(key) == 0 {
		return false
	}
	e, _ := u.cap.Add(key, texts...)
	u.entries = append(u.entries, int32(e))
	u.units = append(u.units, u.cap.list[e].unit)
	return true
}

// wantKey is what a key column should hold.
const wantKey = "the unit of every row; a row without one could belong to any"

// stay lists the rows that are kept, in their order.
func (u *unitRows) stay() (idx []int) {
	kept := u.cap.Kept()
	for i, e := range u.entries {
		if kept[e] > 0 {
			kept[e]--
			idx = append(idx, i)
		}
	}
	return idx
}

// capped keeps at most k rows of every unit. Where then every unit has exactly k rows, since k is 1 or since units are
// padded, n is public, k times the number of units, and the units are in the order of their IDs, which is no order of
// the file's: a unit moves no other but by one place. Else n is private.
func (f *Frame) capped(u *unitRows) (*Frame, error) {
	if u == nil {
		return f, nil
	}
	idx, names := u.stay(), u.cap.names()
	if _, public := f.schema.CapsRows(); !public {
		g := f.pick(idx)
		g.privateBy, g.who = RowsPerUnit, &identity{}
		for _, i := range idx {
			g.who.ids = append(g.who.ids, names[u.units[i]])
		}
		return g, nil
	}
	of, order := make([][]int, len(names)), make([]int, len(names))
	for _, i := range idx {
		of[u.units[i]] = append(of[u.units[i]], i)
	}
	for unit := range order {
		order[unit] = unit
	}
	slices.SortFunc(order, func(a, b int) int { return slices.Compare(names[a][:], names[b][:]) })
	idx, who := idx[:0], &identity{}
	for _, unit := range order {
		idx = append(idx, of[unit]...)
		for range u.k - len(of[unit]) {
			idx = append(idx, f.n)
		}
		who.ids = append(who.ids, slices.Repeat([]unitID{names[unit]}, u.k)...)
	}
	if f.schema.PadUnits {
		pads := make([]part, len(f.cols))
		for i, c := range f.schema.Columns {
			e := f.schema.encoder(c)
			e.add([]byte(c.Pad))
			pads[i] = e.out
		}
		(&store{schema: f.schema, cols: f.cols}).add(pads, f.n+1, f.n+1)
	}
	g := f.pick(idx)
	g.who, g.block = who, u.k
	return g, nil
}

// RowsPerUnit is the step that makes n private where a schema's rows per unit are enforced: see Frame.PrivateNStep.
const RowsPerUnit = "rows_per_unit"

// CapsRows reports whether the rows of a unit are capped while a table is read under the schema, and whether their
// number is public all the same, since every unit then has equally many.
func (s *Schema) CapsRows() (capped, publicN bool) {
	return s.UnitKey != "", s.UnitKey == "" || s.RowsPerUnit <= 1 || s.PadUnits
}

// checkUnits checks what a schema says about the rows of a unit.
func (s *Schema) checkUnits() *SchemaError {
	switch {
	case s.UnitKey == "" && s.PadUnits:
		return bad("pad_units", "true", `a "unit_key", the column that says whose row a row is`)
	case s.UnitKey == "":
		return nil
	case s.PadUnits && s.RowsPerUnit > maxPadded:
		return bad("rows_per_unit", strconv.Itoa(s.RowsPerUnit), "at most 2^16 where units are padded to that many rows")
	}
	return checkName("unit_key", s.UnitKey)
}

// maxPadded bounds the rows that are made up for every unit.
const maxPadded = 1 << 16

// checkPads checks that every column of a table to be read has a value for the rows that pad units.
func (s *Schema) checkPads() *SchemaError {
	if !s.PadUnits {
		return nil
	}
	for _, c := range s.Columns {
		if e := s.encoder(c); !e.add([]byte(c.Pad)) {
			return &SchemaError{Column: c.Name, Field: "pad", Value: label.Short(c.Pad), Want: e.why(c.Pad) +
				`: what the column holds in rows that pad a unit to "rows_per_unit" rows`}
		}
	}
	return nil
}

// cappedColumns is capped for columns made in code, among them the key's.
func (f *Frame) cappedColumns(cols map[string]any) (*Frame, error) {
	u, err := newUnitRows(f.schema)
	if u == nil || err != nil {
		return f, err
	}
	keyed := newEncoder(Column{Name: u.key, Kind: KindCategorical}) // a key is a text, and empty where it is not there
	key, err := keyed.memory(u.key, cols[u.key])
	if err != nil {
		return nil, err
	}
	if key.n != f.n {
		return nil, domain.Refuse("FromColumns", fmt.Sprintf("column %q, the unit's key", u.key), count(key.n, "row"),
			count(f.n, "row")+", as the columns of the schema")
	}
	texts := make([]memory, len(u.columns))
	for i, c := range f.schema.Columns {
		if texts[i], err = f.schema.encoder(c).memory(c.Name, cols[c.Name]); err != nil {
			return nil, err
		}
	}
	row := make([][]byte, len(texts))
	for i := range f.n {
		for c := range texts {
			row[c] = []byte(texts[c].text(i))
		}
		if !u.row([]byte(key.text(i)), row) {
			return nil, &ValueError{Line: i + 1, Column: u.key, Want: wantKey}
		}
	}
	return f.capped(u)
}
