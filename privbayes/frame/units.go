package frame

import (
	"crypto/md5"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"sync"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/safetext"
)

// unitRows caps the rows of every unit while a table is read.
type unitRows struct {
	cap     *UnitCap
	key     string
	columns []string // of the schema
	k       int
	entries []int32 // of every row; −1 of an orphan that is left out
	units   []int32 // of every row
	once    bool    // a second row of a key is refused
	keyed   bool    // keys are wanted
	keys    []string
	among   map[unitID]int
	orphans string // what happens to rows whose key is not among these, unless there are none
	// of the current file: places of the key and of the columns
	keyAt int
	at    []int
	texts [][]byte
	// of every column, if any: whether a text between quotes may be another value than without, see QuotedMissing
	quotes []bool
}

// newUnitRows is nil where the schema names no key.
func newUnitRows(s *Schema) (*unitRows, error) {
	if s.UnitKey == "" {
		return nil, nil
	}
	if e := s.checkPads(); e != nil {
		return nil, e
	}
	c, err := NewUnitCap(access.Mine(), s.RowsPerUnit)
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

// add takes the current record; the error, without its place, says what is wrong with its key.
func (u *unitRows) add(sc *scanner) *ValueError {
	for i, at := range u.at {
		if u.texts[i] = nil; at >= 0 { // Check goes on where the file has no such column
			u.texts[i] = sc.field(at)
		}
		if u.quotes != nil && u.quotes[i] && sc.marks && at >= 0 && sc.quotes[at] {
			u.texts[i] = slices.Concat([]byte{'"'}, u.texts[i], []byte{'"'})
		}
	}
	return u.row(sc.field(u.keyAt), u.texts)
}

func (u *unitRows) row(key []byte, texts [][]byte) *ValueError {
	if len(key) == 0 {
		return &ValueError{Column: u.key, Want: wantKey}
	}
	if u.among != nil {
		if _, known := u.among[unitOf(key)]; !known && u.orphans == linkDrop {
			u.entries, u.units = append(u.entries, -1), append(u.units, -1)
			return nil
		} else if !known {
			return &ValueError{Column: u.key, Value: string(key), Want: wantParent}
		}
	}
	units := len(u.cap.rows)
	e, _ := u.cap.Add(key, texts...)
	if u.keyed && len(u.cap.rows) > units {
		u.keys = append(u.keys, string(key))
	}
	if u.once && len(u.cap.rows) == units {
		return &ValueError{Column: u.key, Value: string(key), Want: wantOnce}
	}
	u.entries = append(u.entries, int32(e))
	u.units = append(u.units, u.cap.list[e].unit)
	return nil
}

// What key columns should hold.
const (
	wantKey    = "the unit of every row; a row without one could belong to any"
	wantParent = `the key of a parent, or "orphans": "drop" in the schema to leave such rows out`
	wantOnce   = `a key that no parent before has, or "duplicates": "drop" in the schema to keep one row of each`
)

// stay lists the rows that are kept, in their order.
func (u *unitRows) stay() (idx []int) {
	kept := u.cap.Kept()
	for i, e := range u.entries {
		if e >= 0 && kept[e] > 0 {
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
			want, hint := e.why(c.Pad)
			if c.Pad == "" { // none is given
				hint = ""
			}
			return &SchemaError{Column: c.Name, Field: "pad", Value: safetext.Short(c.Pad), Want: want + hint +
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
	if err := f.unitsOf(u, cols); err != nil {
		return nil, err
	}
	return f.capped(u)
}

// unitsOf gives the rows of columns made in code to their units.
func (f *Frame) unitsOf(u *unitRows, cols map[string]any) error {
	keyed := newEncoder(Column{Name: u.key, Kind: KindCategorical}) // a key is a text, and empty where it is not there
	key, err := keyed.memory(u.key, cols[u.key])
	if err != nil {
		return err
	}
	if key.n != f.n {
		return domain.Refuse("FromColumns", fmt.Sprintf("column %q, the unit's key", u.key), count(key.n, "row"),
			count(f.n, "row")+", as the columns of the schema")
	}
	texts := make([]memory, len(u.columns))
	for i, c := range f.schema.Columns {
		if texts[i], err = f.schema.encoder(c).memory(c.Name, cols[c.Name]); err != nil {
			return err
		}
	}
	row := make([][]byte, len(texts))
	for i := range f.n {
		for c := range texts {
			row[c] = []byte(texts[c].text(i))
		}
		if e := u.row([]byte(key.text(i)), row); e != nil {
			e.Line = i + 1
			return e
		}
	}
	return nil
}

// UnitCap keeps at most k rows of every unit, and says which. It is given the rows in any order; rows of one unit that
// agree in the texts of all columns of the schema are one entry with a number of copies. Which rows stay is a public
// function of the unit's own rows, so that no unit decides about another's: with
//
//	inner = md5(key ␟ text_1 ␟ … ␟ text_m),   rank_j = md5("j:" ‖ inner),
//
// digests in lower-case hexadecimal, ␟ the byte 0x1F, the columns in the order of the schema, and j = 1, 2, … the
// number of a copy, the k rows of the unit with the least ranks in bytewise order stay. A database can follow the rule:
//
//	copy = ROW_NUMBER() OVER (PARTITION BY key, all columns)
//	ROW_NUMBER() OVER (PARTITION BY key ORDER BY md5(copy || ':' || inner) COLLATE "C") <= k
//
// so that every source keeps the same rows where it writes values alike. A text that is null is empty. The choice is as
// good as random, but not secret. Not safe for concurrent use: have one for every goroutine, and Merge.
type UnitCap struct {
	k       int
	units   map[unitID]int32
	entries map[entryKey]int32
	list    []entry
	rows    []int // of every unit
}

type entryKey struct {
	unit  int32
	inner [md5.Size]byte
}

type entry struct {
	entryKey
	copies int
}

// NewUnitCap is empty. The key of package access keeps it inside this module. Errors: ErrSealed, *dp.ParameterError
// for k below 1.
func NewUnitCap(key access.Key, k int) (*UnitCap, error) {
	if !key.Opens() {
		return nil, ErrSealed
	}
	if k < 1 {
		return nil, domain.Refuse("NewUnitCap", "rows per unit", k, "at least 1")
	}
	c := &UnitCap{k: k}
	c.Reset()
	return c, nil
}

// Reset forgets all rows: for tables in which the rows of a unit stand together, where memory need not hold more than
// one.
func (c *UnitCap) Reset() {
	c.units, c.entries, c.list, c.rows = map[unitID]int32{}, map[entryKey]int32{}, c.list[:0], c.rows[:0]
}

// unitBetween stands between texts.
const unitBetween = 0x1f

// Add adds a row of a unit, by the texts of its columns in the order of the schema. It returns the row's entry, and
// whether that is new: entries are numbered from 0.
func (c *UnitCap) Add(key []byte, texts ...[]byte) (entry int, isNew bool) {
	buf := append(make([]byte, 0, 128), key...)
	for _, t := range texts {
		buf = append(append(buf, unitBetween), t...)
	}
	return c.add(unitOf(key), md5.Sum(buf), 1)
}

func (c *UnitCap) add(unit unitID, inner [md5.Size]byte, copies int) (int, bool) {
	u, known := c.units[unit]
	if !known {
		u = int32(len(c.rows))
		c.units[unit], c.rows = u, append(c.rows, 0)
	}
	c.rows[u] += copies
	key := entryKey{u, inner}
	at, known := c.entries[key]
	if !known {
		at = int32(len(c.list))
		c.entries[key], c.list = at, append(c.list, entry{entryKey: key})
	}
	c.list[at].copies += copies
	return int(at), !known
}

// Merge adds the rows of another: entries[i] is the entry here of its entry i.
func (c *UnitCap) Merge(o *UnitCap) (entries []int) {
	names := o.names()
	for _, e := range o.list {
		at, _ := c.add(names[e.unit], e.inner, e.copies)
		entries = append(entries, at)
	}
	return entries
}

// names are the units by their numbers.
func (c *UnitCap) names() []unitID {
	names := make([]unitID, len(c.rows))
	for name, u := range c.units {
		names[u] = name
	}
	return names
}

// Units is the number of units so far. It is private, but where every unit has exactly k rows in the end.
func (c *UnitCap) Units() int { return len(c.rows) }

// Kept is how many copies of every entry stay.
func (c *UnitCap) Kept() []int {
	kept, of := make([]int, len(c.list)), make([][]int32, len(c.rows))
	for i, e := range c.list {
		if c.rows[e.unit] <= c.k {
			kept[i] = e.copies
		} else {
			of[e.unit] = append(of[e.unit], int32(i))
		}
	}
	type ranked struct {
		rank  [md5.Size]byte
		entry int32
	}
	var all []ranked
	for _, entries := range of {
		if entries == nil {
			continue
		}
		all = all[:0]
		for _, i := range entries {
			for j := range c.list[i].copies {
				all = append(all, ranked{rankOf(j+1, c.list[i].inner), i})
			}
		}
		slices.SortFunc(all, func(a, b ranked) int { return slices.Compare(a.rank[:], b.rank[:]) })
		for _, r := range all[:c.k] {
			kept[r.entry]++
		}
	}
	return kept
}

// rankOf is the rank of a copy: its bytes are in the order of their hexadecimal digits.
func rankOf(number int, inner [md5.Size]byte) [md5.Size]byte {
	text := append(strconv.AppendInt(make([]byte, 0, 64), int64(number), 10), ':')
	return md5.Sum(hex.AppendEncode(text, inner[:]))
}

// unitID stands for a unit: the first 16 bytes of the SHA-256 of its key. Two keys share it with no chance worth
// counting, also where someone tries. Where no key is declared it stands for a row: see rowIDs.
type unitID [16]byte

func unitOf(key []byte) unitID {
	sum := sha256.Sum256(key)
	return unitID(sum[:16])
}

// at is where a seed puts a unit, as good as a random number for each of both:
//
//	SHA-256("privbayes split" ‖ seed, 8 bytes, least first ‖ the unit's 16 bytes ‖ nth, 8 bytes, of a later split)
//
// where nth is 0 for the first split of a table, 1 for one of its parts: else a part that is split by the same seed
// would go to one side. It depends on the unit and on what is public alone. Units are ordered by these bytes, and those
// that are decided about one by one go to the first part where share is below the fraction.
func (u unitID) at(seed, nth uint64) [sha256.Size]byte {
	b := append(binary.LittleEndian.AppendUint64([]byte("privbayes split"), seed), u[:]...)
	if nth > 0 {
		b = binary.LittleEndian.AppendUint64(b, nth)
	}
	return sha256.Sum256(b)
}

// share is a number in [0, 1): the first 53 bits.
func (u unitID) share(seed, nth uint64) float64 {
	sum := u.at(seed, nth)
	return float64(binary.BigEndian.Uint64(sum[:8])>>11) / (1 << 53)
}

// identity says whose the rows of a table are: by their keys, known when it was read, or by their contents, found when
// somebody asks.
type identity struct {
	once    sync.Once
	ids     []unitID
	find    func() []unitID
	columns string // whose contents say it, as columnsID; "" for keys
}

func (w *identity) of() []unitID {
	if w.find != nil {
		w.once.Do(func() { w.ids = w.find() })
	}
	return w.ids
}

// byContents tells the rows of a frame apart by what they hold now. Columns that are dropped later still count.
func (f *Frame) byContents() *identity {
	n, s, cols := f.n, f.schema, f.cols
	return &identity{find: func() []unitID { return rowIDs(n, s, cols) }, columns: columnsID(s)}
}

// columnsID stands for the columns of a schema, public as they are: eight hexadecimal digits of a SHA-256. The same
// rows with other columns are divided in another way, and the steps of a release say so.
func columnsID(s *Schema) string {
	text, _ := json.Marshal(s.Columns) // of numbers and texts
	return shortID(string(text))
}

func shortID(text string) string {
	id := unitOf([]byte(text))
	return hex.EncodeToString(id[:4])
}

// columnsOf are those by whose contents rows are told apart, "" where keys do.
func (f *Frame) columnsOf() string {
	if f.who == nil {
		return columnsID(f.schema)
	}
	return f.who.columns
}

// oneNaN is every missing number.
const oneNaN = 0x7ff8000000000001

// rowIDs are the rows of a table by contents and number of the copy: the first 16 bytes of SHA-256(contents ‖ number,
// 8 bytes), where contents are the first 16 bytes of the SHA-256 of the row's values in the order of the columns:
//
//	a category    its code, 4 bytes
//	a number      its IEEE 754 bits, 8 bytes, after clamping; −0 is 0, and a missing one 0x7ff8000000000001
//	a sequence    the number of its items, 4 bytes, and their codes, 4 bytes each
//
// all least first, and the number of a copy is how many equal rows stand before it. So it does not matter where a row
// stands or how its file wrote it, and without one of several equal rows the others stay the same set.
func rowIDs(n int, s *Schema, cols []column) []unitID {
	values := make([][]float64, len(cols))
	for i, c := range s.Columns {
		if c.Numeric() {
			values[i] = cols[i].values.all()
		}
	}
	copies, out, b := map[unitID]uint64{}, make([]unitID, n), []byte(nil)
	for i := range n {
		b = b[:0]
		for k, c := range cols {
			switch {
			case values[k] != nil:
				bits := math.Float64bits(values[k][i] + 0)
				if math.IsNaN(values[k][i]) {
					bits = oneNaN
				}
				b = binary.LittleEndian.AppendUint64(b, bits)
			case c.seqs != nil:
				b = binary.LittleEndian.AppendUint32(b, uint32(len(c.seqs[i])))
				for _, code := range c.seqs[i] {
					b = binary.LittleEndian.AppendUint32(b, uint32(code))
				}
			default:
				b = binary.LittleEndian.AppendUint32(b, uint32(c.codes.At(i)))
			}
		}
		contents := unitOf(b)
		out[i] = unitOf(binary.LittleEndian.AppendUint64(contents[:], copies[contents]))
		copies[contents]++
	}
	return out
}

// Units numbers the unit of every row, from 0 in the order in which they come; nil where no key says whose rows these
// are. The key keeps it inside this module.
func (f *Frame) Units(key access.Key) []int32 {
	if !key.Opens() || f.schema.UnitKey == "" || f.columnsOf() != "" {
		return nil
	}
	numbers, out := map[unitID]int32{}, make([]int32, 0, f.n)
	for _, u := range f.whose() {
		i, known := numbers[u]
		if !known {
			i = int32(len(numbers))
			numbers[u] = i
		}
		out = append(out, i)
	}
	return out
}

// whose is the unit of every row: by key, or by the contents that it had when n became private, or has now.
func (f *Frame) whose() []unitID {
	if f.who == nil {
		return f.byContents().of()
	}
	ids := f.who.of()
	if f.slots == nil {
		return ids
	}
	return pick(ids, f.slots)
}
