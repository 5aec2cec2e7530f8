package beam

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/source"
)

func init() {
	register.DoFn4x1[context.Context, string, func([]byte, []byte), func([]byte), error](&readRows{})
	register.Emitter2[[]byte, []byte]()
	register.DoFn3x1[[]byte, func(*[]byte) bool, func([]byte), error](&capUnits{})
	register.Iter1[[]byte]()
}

// readRows is a worker's work where rows of units are capped: it reads parts and gives every row to the runner, by its
// unit. Its own result says which parts it read, and after them how many rows.
type readRows struct {
	Shape  []byte // JSON
	Schema []byte // JSON
	Parts  int    // of the run
}

// ProcessElement reads a batch. The only error is that of a context that ended, or of a runner that takes no rows.
func (r *readRows) ProcessElement(ctx context.Context, batch string, row func(unit, texts []byte),
	emit func([]byte)) error {
	out, err := r.read(ctx, batch, row)
	if ctx.Err() != nil || err != nil {
		return errStopped
	}
	emit(out.bytes())
	signs.Add(1)
	return nil
}

// read reads the parts one after another, up to the first that is refused: a runner takes rows from one goroutine.
func (r *readRows) read(ctx context.Context, batch string, row func([]byte, []byte)) (out result, err error) {
	var parts []part
	if err := json.Unmarshal([]byte(batch), &parts); err != nil {
		return out, err
	}
	sh, s, err := parsed(r.Shape, r.Schema)
	if err != nil {
		return out, err
	}
	none, err := model.NewTally(access.Mine(), sh)
	if err != nil {
		return out, err
	}
	w := &rowReader{}
	tables, err := tablesOf(s)
	if err != nil {
		return out, err
	}
	for _, t := range tables {
		var columns []string
		for _, c := range sh.Columns() {
			columns = append(columns, c.Name)
		}
		if len(tables) > 1 { // the shape's are made of all of them
			columns = t.Names()
		}
		one := tableReader{schema: t}
		for _, name := range columns {
			_, at, err := t.Column(name)
			if err != nil {
				return out, err
			}
			coder, err := frame.NewCoder(access.Mine(), t, name)
			if err != nil {
				return out, err
			}
			one.at, one.coders = append(one.at, at), append(one.coders, coder)
		}
		w.tables = append(w.tables, one)
	}
	w.give = func(unit, texts []byte) (err error) {
		defer func() {
			if recover() != nil { // the runner's own failures are panics
				w.stopped, err = true, errStopped
			}
		}()
		row(bytes.Clone(unit), texts)
		if w.rows++; w.rows%4096 == 0 {
			signs.Add(1)
		}
		return nil
	}
	out.counted, out.numbers = make([]int64, r.Parts+1), none.Numbers(access.Mine())
	for _, p := range parts {
		why := w.part(ctx, p)
		if w.stopped {
			return out, errStopped
		}
		out.counted[p.Place]++
		signs.Add(1)
		if why != nil {
			why.Place, why.Shown = p.Place, p.shown()
			out.refused = why
			break
		}
	}
	out.counted[r.Parts] = w.rows
	return out, nil
}

// rowReader reads rows and refuses those with a value that does not fit a column of the shape.
type rowReader struct {
	tables  []tableReader // one, or two that are linked
	give    func(unit, texts []byte) error
	rows    int64
	stopped bool // by the runner
}

// tableReader reads the rows of a table.
type tableReader struct {
	schema *frame.Schema
	at     []int // places in the schema of the columns that are checked
	coders []*frame.Coder
}

func (w *rowReader) part(ctx context.Context, p part) (why *refusal) {
	defer func() {
		if recover() != nil {
			why = &refusal{Want: "a file that can be read to its end"}
		}
	}()
	if !p.same() {
		return public(&model.ChangedError{})
	}
	beforePart()
	t := w.tables[p.Table]
	pass, err := source.UnitPass(access.Mine(), t.schema, p.CSV, func(unit []byte, texts [][]byte) error {
		for i, c := range t.coders {
			if _, _, ok := c.Text(texts[t.at[i]]); !ok {
				return c.Refusal(p.shown())
			}
		}
		if len(w.tables) > 1 {
			return w.give(unit, tagged(p.Table, texts))
		}
		return w.give(unit, packed(texts))
	})
	if err == nil {
		_, err = pass.Run(ctx, access.Mine())
	}
	if err == nil && !p.same() {
		err = &model.ChangedError{}
	}
	if err != nil {
		return public(err)
	}
	return nil
}

// capUnits is a worker's work on units with all their rows: it caps and pads them into one tally for a bundle. Its
// result takes the rows off that readRows has counted, so that none is lost or doubled on the way.
type capUnits struct {
	Shape  []byte // JSON
	Schema []byte // JSON
	Parts  int    // of the run

	schema *frame.Schema
	shape  *model.Shape
	tally  *model.Tally
	units  *source.Units // not in the tally yet, or
	linked *linked       // of two tables
	held   int           // rows in units
	rows   int64
	why    *refusal
}

// heldRows is how many rows wait for the tally, so that memory does not grow with the bundle.
const heldRows = 1 << 16

// StartBundle begins a tally.
func (c *capUnits) StartBundle(func([]byte)) error {
	c.tally, c.units, c.held, c.rows, c.why = nil, nil, 0, 0, nil
	if c.shape == nil {
		sh, s, err := parsed(c.Shape, c.Schema)
		if err != nil {
			return errStopped
		}
		c.shape, c.schema = sh, s
	}
	var err error
	if c.tally, err = model.NewTally(access.Mine(), c.shape); err != nil {
		return errStopped
	}
	if c.fresh() != nil {
		return errStopped
	}
	return nil
}

// fresh begins to gather units.
func (c *capUnits) fresh() (err error) {
	if len(c.schema.Tables) > 0 {
		c.linked, err = newLinked(c.schema)
		return err
	}
	c.units, err = source.NewUnits(access.Mine(), c.schema, c.shape)
	return err
}

// addTo adds the units that were gathered to the tally.
func (c *capUnits) addTo() error {
	if c.linked != nil {
		return c.linked.addTo(c.tally)
	}
	return c.units.AddTo(c.tally)
}

// ProcessElement takes a unit with all its rows.
func (c *capUnits) ProcessElement(unit []byte, rows func(*[]byte) bool, _ func([]byte)) error {
	signs.Add(1)
	texts := make([][]byte, 0, len(c.schema.Columns))
	var row []byte
	for rows(&row) {
		c.rows++
		c.held++
		if c.why != nil {
			continue
		}
		var ok bool
		if c.linked != nil {
			if !c.linked.row(unit, row) {
				c.refuse(&refusal{Want: "rows as they were read"})
			}
			continue
		}
		if texts, ok = unpacked(row, texts[:0]); !ok || len(texts) != len(c.schema.Columns) {
			c.refuse(&refusal{Want: "rows as they were read"})
		} else if err := c.units.Row("", unit, texts...); err != nil {
			c.refuse(public(err))
		}
	}
	if c.held >= heldRows {
		c.add()
	}
	return nil
}

// refuse keeps the first refusal. It comes after those of parts, where values are checked.
func (c *capUnits) refuse(why *refusal) {
	if c.why == nil {
		why.Place, why.Shown = c.Parts, "the rows of units"
		c.why = why
	}
}

// add moves the units to the tally: all their rows are here.
func (c *capUnits) add() {
	err := c.addTo()
	if err == nil {
		err = c.fresh()
	}
	if err != nil {
		c.refuse(public(err))
	}
	c.held = 0
}

// FinishBundle emits the bundle's result.
func (c *capUnits) FinishBundle(emit func([]byte)) error {
	c.add()
	out := result{counted: make([]int64, c.Parts+1), numbers: c.tally.Numbers(access.Mine()), refused: c.why}
	out.counted[c.Parts] = -c.rows
	emit(out.bytes())
	return nil
}

// packed is a row as one text: every field after its length.
func packed(texts [][]byte) []byte {
	size := 0
	for _, t := range texts {
		size += len(t) + 2
	}
	out := make([]byte, 0, size)
	for _, t := range texts {
		out = append(binary.AppendUvarint(out, uint64(len(t))), t...)
	}
	return out
}

// unpacked appends the fields that packed wrote; ok is false for anything else.
func unpacked(row []byte, texts [][]byte) (_ [][]byte, ok bool) {
	for len(row) > 0 {
		n, w := binary.Uvarint(row)
		if w <= 0 || n > uint64(len(row)-w) {
			return texts, false
		}
		texts, row = append(texts, row[w:w+int(n)]), row[w+int(n):]
	}
	return texts, true
}
