package sqlsource

import (
	"database/sql"

	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// blockRows is how many rows are encoded before they are added up.
const blockRows = 1 << 12

// rowByRow reads every row of the columns of a shape.
func (r *reader) rowByRow(sh *model.Shape, p *plan, tally *model.Tally) error {
	cells, err := r.cells(p)
	if err != nil {
		return err
	}
	into, all := make([]any, len(cells)), make([]int, len(cells))
	for i, c := range cells {
		into[i], all[i] = c, i
	}
	b := newBlock(sh)
	encoded := func() error {
		for _, c := range cells {
			if !c.ok {
				return c.coder.Refusal(r.src.name)
			}
		}
		if r.total++; !r.src.keeps(p, cells) {
			return nil
		}
		if b.add(cells); b.n == blockRows {
			return b.flush(tally)
		}
		return nil
	}
	q := r.layout.of(p).rows(all)
	if r.src.copy != nil {
		err = r.copied(q, p.names, cells, encoded)
	} else {
		err = r.query(reading, p.names, q, func(rows *sql.Rows) error {
			for rows.Next() {
				if err := rows.Scan(into...); err != nil {
					return r.src.failure(r.ctx, reading, p.names, err)
				}
				if err := encoded(); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err != nil {
		return err
	}
	return b.flush(tally)
}

// copied reads rows by the source's other way.
func (r *reader) copied(q string, names []string, cells []*cell, encoded func() error) (err error) {
	defer r.src.guard(r.transaction, reading, names, &err)
	var own error
	err = r.src.copy(r.ctx, r.conn, q, len(cells), func(fields [][]byte) error {
		for i, c := range cells {
			if fields[i] == nil {
				c.code, c.value, c.ok = c.coder.Null()
			} else {
				c.text(fields[i])
			}
		}
		own = encoded()
		return own
	})
	if own == nil && err != nil {
		return r.src.failure(r.ctx, reading, names, err)
	}
	return own
}

// block holds encoded rows of the columns of a shape, which come first among the cells.
type block struct {
	n      int
	codes  []frame.Codes
	values [][]float64
}

func newBlock(sh *model.Shape) *block {
	b := &block{}
	for _, c := range sh.Columns() {
		k := frame.Codes{Levels: c.Levels()}
		if k.Levels > 256 {
			k.U16 = make([]uint16, 0, blockRows)
		} else {
			k.U8 = make([]uint8, 0, blockRows)
		}
		b.codes, b.values = append(b.codes, k), append(b.values, make([]float64, 0, blockRows))
	}
	return b
}

func (b *block) add(cells []*cell) {
	b.n++
	for i := range b.codes {
		k := &b.codes[i]
		if k.U16 != nil {
			k.U16 = append(k.U16, uint16(cells[i].code))
		} else {
			k.U8 = append(k.U8, uint8(cells[i].code))
		}
		b.values[i] = append(b.values[i], cells[i].value)
	}
}

func (b *block) flush(tally *model.Tally) error {
	if err := tally.Block(b.n, b.codes, b.values); err != nil {
		return err
	}
	b.n = 0
	for i := range b.codes {
		k := &b.codes[i]
		k.U8, k.U16, b.values[i] = k.U8[:0], k.U16[:0], b.values[i][:0]
	}
	return nil
}
