package model

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// Statistics are the private counts, or sums, of a model on a frame. They are sealed: they print nothing, do not
// marshal, and only code of this module can open them.
type Statistics struct {
	shape    *Shape
	tables   [][]int64
	sums     []float64
	whole    []int64        // integer sums, of models with a lattice
	within   [][]int64      // sums within bins, of learned structures
	units    func() []int64 // moments of units: see OpenUnits
	moments  []num.Int128   // exact, of regressions that were counted
	rows     int            // of models of sums
	atBounds []int          // of models of sums
	chosen   frame.Selection
	public   string       // why the rows are public; empty: they are private
	frame    *frame.Frame // of learned structures, for tables that are counted when they are chosen
	drawn    *drawnRows   // in its place where they are simulated
	again    again        // of rows in memory: see OpenPass
}

// Count makes the statistics of a shape's model on a frame. The frame must have the shape's schema columns:
// *MismatchError.
func Count(sh *Shape, f *frame.Frame) (*Statistics, error) {
	if err := sh.Accepts(f); err != nil {
		return nil, err
	}
	_, most := sh.Unit()
	if k := max(f.Schema().RowsPerUnit, 1); k > most {
		return nil, &MismatchError{"rows_per_unit", fmt.Sprint(k), fmt.Sprintf("at most %d, as the plan has it", most)}
	}
	t, err := newTally(sh)
	if err != nil {
		return nil, err
	}
	codes, values, err := t.take(f)
	if err != nil {
		return nil, err
	}
	st, err := t.Statistics(f.Selection())
	if err != nil {
		return nil, err
	}
	st.public, _ = f.Public()
	if _, learns := sh.model.(LearnedModel); learns {
		st.frame = f
	}
	st.again = func(ctx context.Context, sh *Shape) (*Statistics, error) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		return Count(sh, f)
	}
	if sh.CountsUnits() && f.Schema().UnitKey == sh.schema.UnitKey {
		if units := f.Units(access.Mine()); units != nil {
			st.units = func() []int64 { return sh.unitSums(units, codes, values) }
		}
	}
	return st, err
}

// FromCounts makes statistics from count tables laid out as sh.Tables: for data that never was a frame, and for tests.
// Every table must have its number of cells, no negative count, and, where n is public, the total n.
func FromCounts(sh *Shape, tables [][]int64) (*Statistics, error) {
	if len(tables) != len(sh.tables) {
		return nil, wrong(sh.model, "", fmt.Sprintf("%d tables", len(tables)), fmt.Sprintf("%d", len(sh.tables)))
	}
	st := &Statistics{shape: sh}
	for i, t := range sh.tables {
		if len(tables[i]) != t.Cells() {
			return nil, wrong(sh.model, t.Name, fmt.Sprintf("%d cells", len(tables[i])), fmt.Sprintf("%d", t.Cells()))
		}
		var total int64
		for _, c := range tables[i] {
			if c < 0 {
				return nil, wrong(sh.model, t.Name, "a negative count", "counts ≥ 0")
			}
			total += c
		}
		if sh.publicN && total != int64(sh.n) {
			return nil,
				wrong(sh.model, t.Name, "counts that do not add up to n", fmt.Sprintf("the public total n = %d", sh.n))
		}
		st.tables = append(st.tables, append([]int64(nil), tables[i]...))
	}
	for _, b := range sh.binSums() { // as of values that are spread evenly: counts do not tell them
		st.within = append(st.within, b.sums)
	}
	return st, nil
}

// Open reads the counts; the key keeps it inside this module, and without it there are none.
func (s *Statistics) Open(key access.Key) [][]int64 {
	if !key.Opens() {
		return nil
	}
	return s.tables
}

// OpenMargin counts the table of some columns of the rows that were counted, the last running fastest; the key keeps it
// inside this module. Errors: ErrSealed without it, *Error where there are no rows in memory.
func (s *Statistics) OpenMargin(key access.Key, columns ...string) ([]int64, error) {
	if !key.Opens() {
		return nil, ErrSealed
	}
	if !s.HasRows() {
		return nil, wrong(s.shape.model, strings.Join(columns, " × "), "no rows to count", "rows in memory")
	}
	if s.drawn != nil {
		return s.drawn.count(context.Background(), columns...)
	}
	return s.frame.CountPrivate(columns...)
}

// HasRows reports whether OpenMargin can count: statistics of a source, or made of counts, have no rows.
func (s *Statistics) HasRows() bool { return s.frame != nil || s.drawn != nil }

// FromSums makes statistics of a model without count tables from sums laid out as sh.Sums, over the given number of
// rows: for data that never was a frame, and for tests.
func FromSums(sh *Shape, rows int, sums []float64) (*Statistics, error) {
	if len(sums) != len(sh.sums) || len(sums) == 0 {
		return nil, wrong(sh.model, "", fmt.Sprintf("%d sums", len(sums)), fmt.Sprintf("%d", len(sh.sums)))
	}
	if sh.publicN && rows != sh.n {
		return nil, wrong(sh.model, "", "another number of rows", fmt.Sprintf("the public n = %d", sh.n))
	}
	return &Statistics{shape: sh, sums: append([]float64(nil), sums...), rows: rows}, nil
}

// Rows is the number of rows summed; the key keeps it inside this module, since n may be private: 0 without it.
func (s *Statistics) Rows(key access.Key) int {
	if !key.Opens() {
		return 0
	}
	return s.rows
}

// Public is why the rows that were counted are public, as frame.Frame.AsPublic was told; empty where they are private.
func (s *Statistics) Public() string { return s.public }

// Selection says which rows were counted, as far as that is public; of statistics that never were a frame it is a
// source of its own.
func (s *Statistics) Selection() frame.Selection { return s.chosen }

// OpenSums reads the sums, in the order of the shape's; the key keeps it inside this module, and without it there are
// none.
func (s *Statistics) OpenSums(key access.Key) []float64 {
	if !key.Opens() {
		return nil
	}
	return s.sums
}

// Shape is the public shape of the statistics.
func (s *Statistics) Shape() *Shape { return s.shape }

// String names the statistics and shows no number.
func (s *Statistics) String() string {
	return "private statistics of " + s.shape.model.String() + " (sealed)"
}

// GoString shows no number either, so that %#v leaks nothing.
func (s *Statistics) GoString() string { return s.String() }

// ErrSealed says that private statistics can be neither written out nor opened from outside.
var ErrSealed = errors.New("model: private statistics are sealed; publish a release instead")

// MarshalJSON refuses.
func (s *Statistics) MarshalJSON() ([]byte, error) { return nil, ErrSealed }

// MismatchError says that a frame's schema is not the one a model was shaped with.
type MismatchError struct{ Column, Have, Want string }

func (e *MismatchError) Error() string {
	return fmt.Sprintf("model: column %s of the frame is %s; want %s, as in the schema of the model",
		safetext.Short(e.Column), e.Have, e.Want)
}

// Accepts checks that every column of the shape is declared the same way in the frame's schema. Errors: *Error without
// a frame, *MismatchError.
func (s *Shape) Accepts(f *frame.Frame) error {
	if f == nil {
		return wrong(s.model, "", "no data", "a frame with the columns of the model")
	}
	return s.acceptsAll(f.Schema(), s.columns)
}

// AcceptsSchema is Accepts for a schema: that of a table which is not a frame.
func (s *Shape) AcceptsSchema(schema *frame.Schema) error {
	if schema == nil {
		return wrong(s.model, "", "no schema", "a schema with the columns of the model")
	}
	return s.acceptsAll(schema, s.columns)
}

// acceptsFeatures is Accepts for predictions: the target may be absent, since its values are not used.
func (s *Shape) acceptsFeatures(f *frame.Frame) error {
	if f != nil {
		if _, _, err := f.Schema().Column(s.columns[0].Name); err != nil {
			return s.acceptsAll(f.Schema(), s.columns[1:])
		}
	}
	return s.Accepts(f)
}

func (s *Shape) acceptsAll(schema *frame.Schema, columns []frame.Column) error {
	for _, want := range columns {
		have, _, err := schema.Column(want.Name)
		if err != nil {
			return &MismatchError{want.Name, "missing", describe(want)}
		}
		if !sameLevels(*have, want) || !s.Tabulated() && (have.Min != want.Min || have.Max != want.Max) {
			return &MismatchError{want.Name, describe(*have), describe(want)}
		}
	}
	return nil
}

func describe(c frame.Column) string { return fmt.Sprintf("%s with levels %.12q", c.Kind, c.Labels()) }

func sameLevels(a, b frame.Column) bool {
	la, lb := a.Labels(), b.Labels()
	if a.Kind != b.Kind || len(la) != len(lb) {
		return false
	}
	for i := range la {
		if la[i] != lb[i] {
			return false
		}
	}
	return true
}

// Tally accumulates the statistics of a shape from encoded rows, or from groups of equal rows, in any order and in any
// number of parts: counts are integers, and so are sums, to which every row adds a public rounding of its own, so that
// equal rows give equal bits wherever they come from. What it holds is private. Not safe for concurrent use: have a
// tally for each goroutine, and Merge them.
type Tally struct {
	shape    *Shape
	rows     int64
	counts   *frame.Counter // of models of counts
	within   []*binSums     // the same: of learned structures
	sums     summer         // of models of sums
	atBounds []int64        // of models of sums
}

// summer adds what rows contribute to the sums of a model, in integers.
type summer interface {
	add(codes []frame.Codes, values [][]float64) error // a block: one of both for every column of the shape
	addRow(codes []int32, values []float64, count int64) error
	numbers() []num.Int128 // its own memory, which may be added to
	sums() []float64
}

// NewTally is empty. The key keeps it inside this module. Errors: ErrSealed without it, *Error.
func NewTally(key access.Key, sh *Shape) (*Tally, error) {
	if !key.Opens() {
		return nil, ErrSealed
	}
	return newTally(sh)
}

func newTally(sh *Shape) (t *Tally, err error) {
	t = &Tally{shape: sh}
	if !sh.Tabulated() {
		t.atBounds = make([]int64, len(sh.columns))
		t.sums, err = sh.model.summer(sh)
		return t, err
	}
	levels, sets := make([]int, len(sh.columns)), make([][]int, len(sh.tables))
	for i, c := range sh.columns {
		levels[i] = c.Levels()
	}
	for i, table := range sh.tables {
		for _, name := range table.Columns {
			sets[i] = append(sets[i], sh.place(name))
		}
	}
	t.within = sh.binSums()
	t.counts, err = frame.NewCounter(levels, sets)
	return t, err
}

// place is the place of a column among those of the shape.
func (s *Shape) place(name string) int {
	for i, c := range s.columns {
		if c.Name == name {
			return i
		}
	}
	return -1
}

// Columns are the columns that blocks and groups have, in this order: those of the shape.
func (t *Tally) Columns() []frame.Column { return t.shape.Columns() }

// Values reports whether blocks and groups need the values of column i, which is numeric: groups of a model of counts
// with its codes, which blocks may leave out. Else they need its codes and no values.
func (t *Tally) Values(i int) bool {
	return t.sums != nil && !t.shape.grouping(i) || slices.Contains(t.shape.within, i)
}

// Frame adds the rows of a frame of the shape's columns, such as those of some units on a worker of a cluster. The key
// keeps it inside this module. Errors: ErrSealed, *MismatchError, those of Block.
func (t *Tally) Frame(key access.Key, f *frame.Frame) error {
	if !key.Opens() {
		return ErrSealed
	}
	if err := t.shape.AcceptsSchema(f.Schema()); err != nil {
		return err
	}
	_, _, err := t.take(f)
	return err
}

func (t *Tally) take(f *frame.Frame) (codes []frame.Codes, values [][]float64, err error) {
	codes, values = make([]frame.Codes, len(t.shape.columns)), make([][]float64, len(t.shape.columns))
	for i, c := range t.shape.columns {
		if t.Values(i) {
			values[i], err = f.Values(c.Name)
		}
		if err == nil && (t.sums == nil || !t.Values(i)) {
			codes[i], err = f.Codes(c.Name)
		}
		if err != nil {
			return nil, nil, err
		}
	}
	return codes, values, t.Block(f.Len(), codes, values)
}

// Block adds rows: of every column the codes or the values, as Values says; the other may be nil. Codes must be below
// their column's levels. Errors: *Error and argument errors for another shape of block, which depend on public inputs
// only.
func (t *Tally) Block(rows int, codes []frame.Codes, values [][]float64) error {
	if t.sums == nil {
		codes, err := t.withCodes(rows, codes, values)
		if err != nil {
			return err
		}
		if err := t.counts.Add(codes, rows); err != nil {
			return err
		}
		t.rows += int64(rows)
		return nil
	}
	if len(values) != len(t.shape.columns) {
		return t.misfit(fmt.Sprintf("a block of %d columns", len(values)))
	}
	for i, v := range values {
		if t.Values(i) && len(v) != rows || !t.Values(i) && (len(codes) <= i || codes[i].Len() != rows) {
			return t.misfit("a block with a column of another length")
		}
	}
	if err := t.sums.add(codes, values); err != nil {
		return err
	}
	for i, v := range values {
		if !t.Values(i) {
			continue
		}
		lo, hi := t.shape.bounds(i)
		for _, x := range v {
			if x <= lo || x >= hi {
				t.atBounds[i]++
			}
		}
	}
	t.rows += int64(rows)
	return nil
}

// Group adds a group of count equal rows: one code, or one value, for every column. Errors are those of Block.
func (t *Tally) Group(codes []int32, values []float64, count int64) error {
	if count < 0 || t.rows+count > maxRows {
		return t.misfit("a group of another number of rows")
	}
	if t.sums == nil {
		if len(t.within) > 0 && len(values) != len(t.shape.columns) {
			return t.misfit(fmt.Sprintf("a group of %d values", len(values)))
		}
		if err := t.counts.AddGroup(codes, count); err != nil {
			return err
		}
		for _, b := range t.within {
			b.add(int(codes[b.place]), values[b.place], count)
		}
		t.rows += count
		return nil
	}
	if len(values) != len(t.shape.columns) {
		return t.misfit(fmt.Sprintf("a group of %d columns", len(values)))
	}
	for i := range values {
		if !t.Values(i) && len(codes) <= i {
			return t.misfit("a group without the code of a column")
		}
	}
	if err := t.sums.addRow(codes, values, count); err != nil {
		return err
	}
	for i, x := range values {
		if lo, hi := t.shape.bounds(i); t.Values(i) && (x <= lo || x >= hi) {
			t.atBounds[i] += count
		}
	}
	t.rows += count
	return nil
}

// maxRows is the most rows of a table: sums of them fit 128 bits.
const maxRows = 1e15

func (t *Tally) misfit(what string) *Error {
	return wrong(t.shape.model, "", what, fmt.Sprintf("%d columns of equal length, and at most 1e15 rows",
		len(t.shape.columns)))
}

// Merge adds what another tally of the same shape holds. Error: *Error for another shape.
func (t *Tally) Merge(o *Tally) error {
	if o == nil || o.shape != t.shape && !o.shape.Equal(t.shape) {
		return wrong(t.shape.model, "", "a tally of another shape", "one made from the same shape")
	}
	return t.AddNumbers(access.Mine(), o.Numbers(access.Mine()))
}

// Numbers are all that the tally holds, as one array: numbers of tallies of one shape may be added one by one, up to
// 2^30 of them, and AddNumbers takes their sum. It is how parts travel between processes. The numbers are private; nil
// without the key.
func (t *Tally) Numbers(key access.Key) []int64 {
	if !key.Opens() {
		return nil
	}
	out := []int64{t.rows}
	if t.sums == nil {
		for _, counts := range t.counts.Tables() {
			out = append(out, counts...)
		}
		for _, b := range t.within {
			out = append(out, b.sums...)
		}
		return out
	}
	out = append(out, t.atBounds...)
	for _, n := range t.sums.numbers() {
		l := n.Limbs()
		out = append(out, l[:]...)
	}
	return out
}

// AddNumbers adds what Numbers gave, or a sum of such arrays. Errors: ErrSealed without the key, *Error for an array
// that cannot be one.
func (t *Tally) AddNumbers(key access.Key, numbers []int64) error {
	if !key.Opens() {
		return ErrSealed
	}
	want := 1 + t.shape.Cells()
	for _, b := range t.within {
		want += len(b.sums)
	}
	if t.sums != nil {
		want = 1 + len(t.atBounds) + 4*len(t.sums.numbers())
	}
	if len(numbers) != want || numbers[0] < 0 || t.rows+numbers[0] > maxRows {
		return wrong(t.shape.model, "", "numbers that are no tally's",
			fmt.Sprintf("%d numbers of a tally of the shape", want))
	}
	t.rows += numbers[0]
	numbers = numbers[1:]
	if t.sums == nil {
		for _, counts := range t.counts.Tables() {
			for i := range counts {
				counts[i] += numbers[i]
			}
			numbers = numbers[len(counts):]
		}
		for _, b := range t.within {
			for i := range b.sums {
				b.sums[i] += numbers[i]
			}
			numbers = numbers[len(b.sums):]
		}
		return nil
	}
	for i := range t.atBounds {
		t.atBounds[i] += numbers[i]
	}
	numbers = numbers[len(t.atBounds):]
	own := t.sums.numbers()
	for i := range own {
		own[i] = own[i].Plus(num.FromLimbs([4]int64(numbers[4*i : 4*i+4])))
	}
	return nil
}

// Statistics seals what was added. chosen says publicly which rows these were: see frame.Frame.Selection and
// frame.Chosen. Every table must add up to the number of rows, and this to the shape's where it is public:
// *ChangedError otherwise; *Error for strata of other sizes than the schema's. The tally must not be used afterwards.
func (t *Tally) Statistics(chosen frame.Selection) (*Statistics, error) {
	if n, public := t.shape.N(); public && t.rows != int64(n) {
		return nil, &ChangedError{}
	}
	st := &Statistics{shape: t.shape, rows: int(t.rows), chosen: chosen}
	if t.sums != nil {
		st.sums = t.sums.sums()
		if t.shape.linear != nil {
			st.moments = t.sums.numbers()
		}
		if l, ok := t.sums.(interface{ whole() []int64 }); ok {
			st.whole = l.whole()
		}
		if err := t.shape.sampledAsStated(st.whole); err != nil {
			return nil, err
		}
		for _, k := range t.atBounds {
			st.atBounds = append(st.atBounds, int(k))
		}
		return st, nil
	}
	st.tables = t.counts.Tables()
	for _, b := range t.within {
		st.within = append(st.within, b.sums)
	}
	for _, counts := range st.tables {
		var total int64
		for _, c := range counts {
			if c < 0 {
				return nil, &ChangedError{}
			}
			total += c
		}
		if total != t.rows {
			return nil, &ChangedError{}
		}
	}
	return st, nil
}

// ChangedError says that what was counted does not add up: the table changed between the reading of its size and the
// counting, or a part was lost or counted twice. Nothing is released.
type ChangedError struct{}

func (*ChangedError) Error() string {
	return "model: the rows that were counted do not add up to the table's size; want a table that does not change " +
		"while it is read: one snapshot, pinned files, every part once"
}
