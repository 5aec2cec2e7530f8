package model

import (
	"fmt"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// Tally accumulates the statistics of a shape from encoded rows, or from groups of equal rows, in any order and in any
// number of parts: counts are integers, and so are sums, to which every row adds a public rounding of its own, so that
// equal rows give equal bits wherever they come from. What it holds is private. Not safe for concurrent use: have a
// tally for each goroutine, and Merge them.
type Tally struct {
	shape    *Shape
	rows     int64
	counts   *frame.Counter // of models of counts
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

// Values reports whether blocks and groups need the values of column i, which is numeric, and no codes; else they need
// its codes and no values.
func (t *Tally) Values(i int) bool { return t.sums != nil && !t.shape.grouping(i) }

// Block adds rows: of every column the codes or the values, as Values says; the other may be nil. Codes must be below
// their column's levels. Errors: *Error and argument errors for another shape of block, which depend on public inputs
// only.
func (t *Tally) Block(rows int, codes []frame.Codes, values [][]float64) error {
	if t.sums == nil {
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
		if err := t.counts.AddGroup(codes, count); err != nil {
			return err
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
// *ChangedError otherwise. The tally must not be used afterwards.
func (t *Tally) Statistics(chosen frame.Selection) (*Statistics, error) {
	if n, public := t.shape.N(); public && t.rows != int64(n) {
		return nil, &ChangedError{}
	}
	st := &Statistics{shape: t.shape, rows: int(t.rows), chosen: chosen}
	if t.sums != nil {
		st.sums = t.sums.sums()
		if m, ok := t.sums.(*regressionSums); ok {
			st.moments = m.Numbers()
		}
		if l, ok := t.sums.(interface{ whole() []int64 }); ok {
			st.whole = l.whole()
		}
		for _, k := range t.atBounds {
			st.atBounds = append(st.atBounds, int(k))
		}
		return st, nil
	}
	st.tables = t.counts.Tables()
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
