//go:build !browser && !verifier

package frame

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/safetext"
)

// LoadTables reads the two linked tables of a schema, in the order of its "tables": CSV or CSV.gz, as Load does. The
// frame has one row for every key of the parents' table: the parent, and what the schema makes of its children. Each
// row is a function of the parent's and the children's rows with that key alone:
//
//   - of several parents with one key, the first by the hash of UnitCap stays, or the table is refused;
//   - of a parent's children the AtMost that this hash puts first stay; their order in the file does not matter. Where
//     QuotedMissing makes quotes tell values apart, they are part of the text that is hashed;
//   - of the children that stay, so many as have places are those that the hash puts first among them;
//   - children whose key no parent has are left out, or the table is refused.
//
// So a unit that comes, goes or is replaced moves one row of the frame and no other, and every model and mechanism
// takes the frame as a table of one row a unit. The number of rows is public where that of the parents is. Keys are
// compared as texts.
//
// Errors: those of Load, *SchemaError also for a schema without linked tables or with columns that were changed since,
// and *ValueError also for orphans and duplicates that the schema refuses: like any value that does not fit they are
// told to the data holder, and a refusal depends on private rows.
func LoadTables(ctx context.Context, paths []string, s *Schema, opts ...ReadOption) (*Frame, error) {
	if err := pairOf("LoadTables", paths); err != nil {
		return nil, err
	}
	return readTables(ctx, s, files(paths...), opts)
}

// TableSchema is the schema of one of two linked tables by itself, under which a source opens it for source.Tables: its
// columns, and its key as the key of units. *SchemaError for a schema without a table of that name, or with columns
// that were changed since.
func (s *Schema) TableSchema(name string) (*Schema, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	s = s.filled()
	parents, children, _, e := s.linked()
	if e == nil {
		e = s.isUnits()
	}
	switch {
	case e != nil:
		return nil, e
	case name == parents.Name:
		return s.table(parents, 1).filled(), nil
	case name == children.Name:
		return s.table(children, children.AtMost).filled(), nil
	}
	return nil, bad("tables", safetext.Short(name), safetext.Short(s.Tables[0].Name)+" or "+
		safetext.Short(s.Tables[1].Name)+", the names of the tables")
}

// pairOf refuses what are not two files.
func pairOf(step string, paths []string) error {
	if len(paths) != 2 {
		return domain.Refuse(step, "files", count(len(paths), "file"), "two, in the order of \"tables\"")
	}
	return eachOnce(step, paths)
}

// ReadTables is LoadTables for readers.
func ReadTables(ctx context.Context, tables []Shard, s *Schema, opts ...ReadOption) (*Frame, error) {
	in, err := readersOf("ReadTables", tables)
	if err != nil {
		return nil, err
	}
	return readTables(ctx, s, in, opts)
}

// readersOf refuses what are not two readers.
func readersOf(step string, tables []Shard) (in []shard, err error) {
	if len(tables) != 2 {
		return nil, domain.Refuse(step, "tables", len(tables), "two, in the order of \"tables\"")
	}
	for _, t := range tables {
		if absent(t.Reader) {
			return nil, &FileError{File: t.Name, Want: "a reader of a table; this one is nil"}
		}
		in = append(in, reader(t.Reader, t.Name)...)
	}
	return in, nil
}

func readTables(ctx context.Context, s *Schema, shards []shard, opts []ReadOption) (*Frame, error) {
	var parents *reading
	f, err := joined(s, func(i int, t *Schema, link func(*unitRows)) (*Frame, *unitRows, error) {
		r, err := newReading(t, opts)
		if err != nil {
			return nil, nil, err
		}
		if parents == nil {
			parents, r.units.keyed = r, r.keys != nil
		}
		for _, c := range r.schema.Columns {
			r.units.quotes = append(r.units.quotes, c.QuotedMissing != "")
		}
		link(r.units)
		if _, err := r.all(ctx, shards[i:i+1]); err != nil {
			return nil, nil, err
		}
		return r.frame(sourceOf(shards, nil)), r.units, nil
	})
	if err == nil && parents.keys != nil {
		rows := f.rowsOf()
		for _, key := range parents.units.keys {
			parents.keys(key, rows[unitOf([]byte(key))])
		}
	}
	return f, err
}

// rowsOf are the rows of units, each of which has one.
func (f *Frame) rowsOf() map[unitID]int {
	rows := make(map[unitID]int, f.n)
	for i, id := range f.whose() {
		rows[id] = i
	}
	return rows
}

// TablesFromColumns is LoadTables for columns in memory: those of both tables, in the order of the schema's, with their
// keys. Errors: those of FromColumns and LoadTables.
func TablesFromColumns(s *Schema, tables ...map[string]any) (*Frame, error) {
	if len(tables) != 2 {
		return nil, domain.Refuse("TablesFromColumns", "tables", len(tables), "two, in the order of \"tables\"")
	}
	return joined(s, func(i int, t *Schema, link func(*unitRows)) (*Frame, *unitRows, error) {
		f, err := fromColumns(t, tables[i])
		if err != nil {
			return nil, nil, err
		}
		u, err := newUnitRows(f.schema)
		if err != nil {
			return nil, nil, err
		}
		link(u)
		return f, u, f.unitsOf(u, tables[i])
	})
}

// joined reads parents, then children, and makes one row of every unit. read has all rows of a table, and whose they
// are; link says beforehand what its keys may be.
func joined(s *Schema, read func(i int, t *Schema, link func(*unitRows)) (*Frame, *unitRows, error)) (*Frame, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	s = s.filled()
	if e := s.isUnits(); e != nil {
		return nil, e
	}
	parents, children, at, _ := s.linked()
	f, u, err := read(at[0], s.table(parents, 1), func(u *unitRows) { u.once = parents.Duplicates != linkDrop })
	if err != nil {
		return nil, err
	}
	if f, err = f.capped(u); err != nil {
		return nil, err
	}
	rows := f.rowsOf()
	g, u, err := read(at[1], s.table(children, children.AtMost), func(u *unitRows) {
		u.among, u.orphans = rows, children.Orphans
	})
	if err != nil {
		return nil, err
	}
	names := u.cap.names()
	stay := func() [][]int {
		of := make([][]int, f.n)
		for _, i := range u.stay() {
			row := rows[names[u.units[i]]]
			of[row] = append(of[row], i)
		}
		return of
	}
	of := stay()
	f.schema = s
	for _, c := range children.PerUnit {
		f.cols = append(f.cols, g.perUnit(c, of))
	}
	n := children.placed()
	if n > 0 && n < u.cap.k { // of those that stay, the first have places
		u.cap.k = n
		of = stay()
	}
	if n > 0 {
		g.inOrder(children, u, of)
	}
	for i := range n {
		for k, c := range children.Columns {
			f.cols = append(f.cols, g.place(k, c.place(i), of, i))
		}
	}
	return f, nil
}

// inOrder puts the children of every unit in the order of their places: by a column, and by hash among equals. Children
// that agree in all columns are alike.
func (f *Frame) inOrder(l *Linked, u *unitRows, of [][]int) {
	name, falls := l.order()
	key := func(int) float64 { return 0 }
	if _, k, err := f.schema.Column(name); err == nil {
		c, col := f.schema.Columns[k], f.cols[k]
		key = func(i int) float64 {
			x := float64(col.codes.At(i))
			if c.HasMissing() && int(x) == c.Levels()-1 {
				return math.Inf(1)
			}
			if col.values != nil {
				x = col.values.at(i)
			}
			if falls {
				return -x
			}
			return x
		}
	}
	for _, rows := range of {
		slices.SortFunc(rows, func(a, b int) int {
			if by := cmp.Compare(key(a), key(b)); by != 0 {
				return by
			}
			x, y := rankOf(1, u.cap.list[u.entries[a]].inner), rankOf(1, u.cap.list[u.entries[b]].inner)
			return slices.Compare(x[:], y[:])
		})
	}
}

// place makes the column at a place of units from column k of their children, which are rows of f in order.
func (f *Frame) place(k int, c Column, of [][]int, at int) column {
	e := newEncoder(c)
	for _, rows := range of {
		if at < len(rows) {
			e.take(&f.schema.Columns[k], &f.cols[k], rows[at])
		} else {
			e.null()
		}
	}
	return e.out.column(c)
}

// take encodes a value of another column with the same categories or bins, whose last code is that of missing values.
func (e *encoder) take(c *Column, from *column, row int) {
	code := from.codes.At(row)
	switch {
	case c.HasMissing() && code == c.Levels()-1:
		e.null()
	case from.values != nil:
		e.addNumber(from.values.at(row))
	default:
		e.push(int32(code))
	}
}

// CheckTables is CheckFiles for the two linked tables of a schema, in the order of its "tables". Orphans and duplicates
// that the schema refuses are listed, too.
func CheckTables(ctx context.Context, paths []string, s *Schema, opts ...ReadOption) (*Violations, error) {
	if err := pairOf("CheckTables", paths); err != nil {
		return nil, err
	}
	return checkTables(ctx, files(paths...), s, opts)
}

// CheckShards is CheckTables for readers.
func CheckShards(ctx context.Context, tables []Shard, s *Schema, opts ...ReadOption) (*Violations, error) {
	in, err := readersOf("CheckShards", tables)
	if err != nil {
		return nil, err
	}
	return checkTables(ctx, in, s, opts)
}

func checkTables(ctx context.Context, tables []shard, s *Schema, opts []ReadOption) (*Violations, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	parents, children, at, e := s.filled().linked()
	if e != nil {
		return nil, e
	}
	v, keys := newViolations(), map[unitID]int{}
	for i, l := range []*Linked{parents, children} {
		r, err := newReading(s.table(l, max(1, l.AtMost)), opts)
		if err != nil {
			return nil, err
		}
		if r.units.once = i == 0 && l.Duplicates != linkDrop; i == 1 {
			r.units.among, r.units.orphans = keys, l.Orphans
		}
		if err := v.read(ctx, r, tables[at[i]:at[i]+1]); err != nil {
			return nil, err
		}
		for id := range r.units.cap.units {
			keys[id] = 0
		}
	}
	return v, nil
}

// isUnits refuses a schema whose columns are not those that LoadTables makes.
func (s *Schema) isUnits() *SchemaError {
	if len(s.Tables) == 0 {
		return bad("tables", "none", `two linked tables, of which one has "of", the name of the other`)
	}
	fresh := s.Clone()
	fresh.Columns, fresh.UnitKey, fresh.RowsPerUnit, fresh.PadUnits, fresh.Steps = nil, "", 0, false, nil
	if !fresh.Equal(s) {
		return bad("columns, unit_key, rows_per_unit or steps", `other than "tables" make them`, `"tables" alone: the rest `+
			`follows`)
	}
	return nil
}

// perUnit makes a column of units of the children of each, which are rows of f: at most AtMost.
func (f *Frame) perUnit(u UnitColumn, of [][]int) column {
	e := newEncoder(u.Column)
	if e.wide {
		e.out.codes.U16 = make([]uint16, 0, len(of))
	} else {
		e.out.codes.U8 = make([]uint8, 0, len(of))
	}
	var from column
	var pass []bool
	for i, c := range f.schema.Columns {
		if c.Name != u.Of {
			continue
		}
		from = f.cols[i]
		for _, label := range c.Labels() {
			pass = append(pass, slices.Contains(u.Where, label))
		}
	}
	for _, rows := range of {
		switch u.Is {
		case unitCount, unitAny:
			n := 0
			for _, i := range rows {
				if pass == nil || pass[from.codes.At(i)] {
					n++
				}
			}
			if u.Is == unitAny {
				e.push(int32(min(n, 1)))
			} else {
				e.addNumber(float64(n))
			}
		default:
			e.addExtreme(u.Is, from.values, rows)
		}
	}
	return e.out.column(u.Column)
}

// addExtreme adds the greatest or least of some values, or their sum. Values are added from the least on, so that the
// sum does not depend on their order.
func (e *encoder) addExtreme(is string, from *packed, rows []int) {
	var values []float64
	for _, i := range rows {
		if x := from.at(i); !math.IsNaN(x) {
			values = append(values, x)
		}
	}
	slices.Sort(values)
	switch {
	case is == unitSum:
		sum := 0.0
		for _, x := range values {
			sum += x
		}
		e.addNumber(sum)
	case len(values) == 0:
		e.addMissing(e.missing)
	case is == unitMax:
		e.addNumber(values[len(values)-1])
	default:
		e.addNumber(values[0])
	}
}

// SplitTables makes the two linked tables of wide rows that are public, such as synthetic ones: LoadTables the other
// way round, under the schema of the tables. Every row is a parent, with a key from 1 on, and as many children as its
// column of their number says, in the order of their places. So keys are unique, and each child has a parent. The key
// is the first column of each table; columns of units that are made of children are left out.
//
// Children without a place, of a row with more children than places, are drawn after the others. Each is the child at
// some place of another such row, whose child before that place is alike in the column of the order. If no row is, any
// other will do, and a row without others repeats its own. A hash of the wide rows is the seed of these draws, which
// are a function of the rows alone.
//
// Errors: *PrivateRowsError for private rows; *SchemaError for a schema whose children have no places; *ColumnError
// where a column of parents or of a place is not among those of the rows, or has other categories; *ValueError for a
// row with a value where there is no child, or the other way: learned structures have none.
func SplitTables(wide *Frame, s *Schema) (parents, children *Frame, err error) {
	if wide == nil || wide.public == "" {
		return nil, nil, &PrivateRowsError{"SplitTables"}
	}
	if err := s.Validate(); err != nil {
		return nil, nil, err
	}
	s = s.filled()
	p, c, _, e := s.linked()
	if e == nil && c.placed() == 0 {
		e = bad("places", "none", `"places": true in the children's table, so that rows hold all that is known of a unit`)
	}
	if e != nil {
		return nil, nil, e
	}
	number, err := wide.like(c.number().Column)
	if err != nil {
		return nil, nil, err
	}
	parents = wide.keyed(s.table(p, 1))
	for _, col := range p.Columns {
		from, err := wide.like(col)
		if err != nil {
			return nil, nil, err
		}
		parents.cols = append(parents.cols, *from)
	}
	keys := make([]float64, 0, wide.n)
	for i := range wide.n {
		keys = append(keys, float64(i+1))
	}
	parents.key(keys)
	children, err = wide.children(c, s.table(c, c.AtMost), number.codes)
	return parents, children, err
}

// keyed is a frame of no columns yet under a schema whose first column is the key of as many units as there are rows.
func (f *Frame) keyed(s *Schema) *Frame {
	g := &Frame{n: f.n, public: f.public, warned: f.warned}
	g.schema = &Schema{Dataset: f.schema.Dataset, Unit: f.schema.Unit, Format: s.Format,
		Columns: slices.Concat([]Column{Integer(s.UnitKey, 1, float64(max(f.n, 1))+1)}, s.Columns)}
	g.schema = g.schema.filled()
	return g
}

// key puts the key before the columns.
func (f *Frame) key(values []float64) {
	e := newEncoder(f.schema.Columns[0])
	for _, x := range values {
		e.addNumber(x)
	}
	f.n, f.cols = len(values), slices.Insert(f.cols, 0, e.out.column(f.schema.Columns[0]))
}

// like is the column that has the name, the kind and the labels of another.
func (f *Frame) like(c Column) (*column, error) {
	col, has, err := f.column("SplitTables", c.Name)
	if err != nil {
		return nil, &ColumnError{Step: "SplitTables", Column: c.Name, Have: f.schema.Names(),
			Want: "rows with all columns of both tables, as Learn releases them"}
	}
	if has.Kind != c.Kind || !slices.Equal(has.Labels(), c.Labels()) {
		err = &ColumnError{Step: "SplitTables", Column: c.Name, Have: f.schema.Names(),
			Want: "it with the categories or bins that the tables of the schema give it"}
	}
	return col, err
}

// children are the rows of the children's table, unit by unit.
func (f *Frame) children(l *Linked, s *Schema, number Codes) (*Frame, error) {
	out, places := f.keyed(s), make([][]*column, len(s.Columns))
	for j, c := range s.Columns {
		for k := range l.placed() {
			from, err := f.like(c.place(k))
			if err != nil {
				return nil, err
			}
			if err := from.agree(c, k, number); err != nil {
				return nil, err
			}
			places[j] = append(places[j], from)
		}
	}
	var keys []float64
	further := l.further(number, f.n, places)
	for i := range f.n {
		keys = append(keys, slices.Repeat([]float64{float64(i + 1)}, number.At(i))...)
	}
	for j, c := range s.Columns {
		e, wide := newEncoder(c), c.place(0)
		for i := range f.n {
			for k := range min(number.At(i), l.placed()) {
				e.take(&wide, places[j][k], i)
			}
			for _, child := range further[i] {
				e.take(&wide, places[j][child.place], child.row)
			}
		}
		out.cols = append(out.cols, e.out.column(c))
	}
	out.key(keys)
	return out, nil
}

// agree refuses a column of place k where it has a value and there is no child, or the other way.
func (from *column) agree(c Column, k int, number Codes) error {
	wide := c.place(k)
	for i := range from.codes.Len() {
		none, here := from.codes.At(i) == wide.Levels()-1, k < number.At(i)
		if none == here && !(none && c.HasMissing()) {
			return &ValueError{Line: i + 1, Column: wide.Name, Value: wide.Labels()[from.codes.At(i)],
				Want: fmt.Sprintf("%s in a row of %s: a learned structure keeps to it",
					map[bool]string{true: "a child's value", false: safetext.Quote(wide.MissingCategory)}[here],
					count(number.At(i), "child"))}
		}
	}
	return nil
}

// childAt is a child of wide rows.
type childAt struct{ row, place int }

// further draws the children of n rows that have no places, as SplitTables says. places are by column and place.
func (l *Linked) further(number Codes, n int, places [][]*column) [][]childAt {
	out, digest, most := make([][]childAt, n), sha256.New(), l.placed()
	name, _ := l.order()
	by := slices.IndexFunc(l.Columns, func(c Column) bool { return c.Name == name })
	after := func(row, place int) [2]int {
		if by < 0 || place == 0 {
			return [2]int{place, -1}
		}
		return [2]int{place, places[by][place-1].codes.At(row)}
	}
	var large []int
	like := map[[2]int][]int{} // rows by a place and the child before
	for i := range n {
		text := binary.LittleEndian.AppendUint16(nil, uint16(number.At(i)))
		for _, of := range places {
			for _, c := range of {
				text = binary.LittleEndian.AppendUint16(text, uint16(c.codes.At(i)))
			}
		}
		digest.Write(text)
		if number.At(i) > most {
			large = append(large, i)
			for k := range most {
				like[after(i, k)] = append(like[after(i, k)], i)
			}
		}
	}
	r := rand.New(rand.NewChaCha8([32]byte(digest.Sum(nil))))
	for _, i := range large {
		for range number.At(i) - most {
			child := childAt{i, r.IntN(most)}
			from := like[after(i, child.place)]
			if len(from) == 1 {
				from = large
			}
			for child.row == i && len(from) > 1 {
				child.row = from[r.IntN(len(from))]
			}
			out[i] = append(out[i], child)
		}
	}
	return out
}
