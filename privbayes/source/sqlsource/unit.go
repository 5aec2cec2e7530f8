package sqlsource

import (
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/source"
)

// between stands between texts in what frame.UnitCap hashes, in SQL.
const between = " || chr(31) || "

// hash is the md5 of a text's bytes in UTF-8, in hexadecimal.
func (d Dialect) hash(expr string) string {
	if d == PostgreSQL {
		return "md5(convert_to(" + expr + ", 'UTF8'))"
	}
	return "md5(" + expr + ")"
}

// key is the text of a value, and another text where there is none: null, or a number that is none.
func (d Dialect) key(expr, typ, none string) string {
	text := "CAST(" + expr + " AS " + d.textType() + ")"
	if d.kind(typ) == asExact {
		text = "NULLIF(" + text + ", 'NaN')"
	}
	return "COALESCE(" + text + ", " + quotedText(none) + ") COLLATE " + d.bytewise()
}

// quotedText writes a text in SQL.
func quotedText(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// bytewise is the collation that compares bytes.
func (d Dialect) bytewise() string {
	if d == SQLite {
		return "BINARY"
	}
	return `"C"`
}

// capped keeps, of select, whose rows have u and i for the key of a unit and its row's texts, the rows that
// frame.UnitCap keeps: it numbers equal rows of a unit, ranks the unit's rows by the hash of number and texts, and
// keeps the first k.
func (l layout) capped(columns []int, selected string) string {
	return fmt.Sprintf("SELECT %s FROM (SELECT x.*, ROW_NUMBER() OVER (PARTITION BY u ORDER BY %s COLLATE \"C\") AS r "+
		"FROM (SELECT w.*, ROW_NUMBER() OVER (PARTITION BY u, i) AS j FROM (%s) AS w) AS x) AS y WHERE r <= %d",
		names(columns), l.dialect.hash("CAST(j AS "+l.dialect.textType()+") || ':' || i"), selected, l.rowsPerUnit)
}

// unitColumns are the key of a row's unit and the hash of its texts.
func (l layout) unitColumns() []string {
	parts := []string{l.dialect.key("q."+l.unit, l.unitType, "")}
	for i, name := range l.all {
		parts = append(parts, l.dialect.key("q."+name, l.allTypes[i], l.nulls[i]))
	}
	return []string{parts[0] + " AS u", l.dialect.hash("("+strings.Join(parts, between)+")") + " AS i"}
}

// units counts the units, and says whether there is a row without one.
func (l layout) units() string {
	return fmt.Sprintf("SELECT COUNT(*), CAST(COALESCE(MAX(CASE WHEN u = '' THEN 1 ELSE 0 END), 0) AS bigint) "+
		"FROM (SELECT DISTINCT %s AS u FROM %s%s) AS g", l.dialect.key("q."+l.unit, l.unitType, ""),
		l.table+" AS q", l.where())
}

// partDigits is how many digits of a hash source.Part compares.
const partDigits = 13

// where keeps the rows of a part; see source.Part for the rule.
func (l layout) where() string {
	if l.part == nil {
		return ""
	}
	p := l.part.Part
	compare := "<"
	if p.IsRest() {
		compare = ">="
	}
	return fmt.Sprintf(` WHERE substr(%s, 1, %d) COLLATE "C" %s %s`,
		l.dialect.hash(quotedText(p.Prefix())+" || "+l.dialect.key("q."+l.part.quoted, l.part.typ, "")), partDigits,
		compare, quotedText(p.Below()))
}

// countUnits is the number of units, each of which is private unless every unit has the same number of rows. Error:
// *frame.OutOfDomainError for a row without one.
func (r *reader) countUnits() (units int64, err error) {
	if r.inGo() {
		return r.countUnitsInGo()
	}
	var keyless int64
	key := r.src.schema.UnitKey
	err = r.query(counting, []string{key}, r.layout.units(), func(rows *sql.Rows) error {
		return r.scan(rows, counting, []string{key}, &units, &keyless)
	})
	if err == nil && keyless != 0 {
		err = r.src.keyless()
	}
	if err == nil && (units < 0 || units > maxRows) {
		err = r.src.failure(r.ctx, counting, []string{key}, nil)
	}
	return units, err
}

func (s *Source) keyless() error {
	return &frame.OutOfDomainError{Source: s.name, Column: s.schema.UnitKey,
		Want: "the unit of every row; a row without one could belong to any"}
}

// countUnitsInGo is countUnits by keys that are read.
func (r *reader) countUnitsInGo() (units int64, err error) {
	limit, err := frame.NewUnitCap(access.Mine(), r.src.schema.RowsPerUnit)
	if err != nil {
		return 0, err
	}
	key := &textCell{cell: r.keyCell(r.src.schema.UnitKey, r.unitType)}
	err = r.query(counting, []string{r.src.schema.UnitKey}, "SELECT "+r.dialect.read("q."+r.unit, r.unitType)+" FROM "+
		r.table+" AS q", func(rows *sql.Rows) error {
		for rows.Next() {
			if err := rows.Scan(key); err != nil {
				return r.src.failure(r.ctx, counting, []string{r.src.schema.UnitKey}, err)
			}
			if len(key.text) == 0 {
				return r.src.keyless()
			}
			limit.Add(key.text)
		}
		return nil
	})
	return int64(limit.Units()), err
}

// keyCell reads a key, which need not be a column of the schema.
func (r *reader) keyCell(name, typ string) *cell {
	c := &cell{kind: r.dialect.kind(typ)}
	if col, _, err := r.src.schema.Column(name); err == nil && col.Date != "" {
		c.date = col
	}
	return c
}

// inGo reports whether units are capped, and parts taken, here: SQLite has no md5, and the texts that databases write
// for numbers in floating point, truth values and times are not those of a file.
func (r *reader) inGo() bool {
	var types []string
	if r.unit != "" {
		types = append(slices.Clone(r.allTypes), r.unitType)
	}
	if r.layout.part != nil {
		types = append(types, r.layout.part.typ)
	}
	return len(types) > 0 && (r.dialect == SQLite || slices.ContainsFunc(types, func(typ string) bool {
		return r.dialect.kind(typ).typed()
	}))
}

// rowsInGo reads every row with the key of its part and its unit, and adds those that are kept.
func (r *reader) rowsInGo(sh *model.Shape, p *plan, tally *model.Tally) error {
	s := r.src
	cells, err := r.cells(p)
	if err != nil {
		return err
	}
	b := newBlock(sh)
	var limit *frame.UnitCap
	if s.schema.UnitKey != "" {
		if limit, err = frame.NewUnitCap(access.Mine(), s.schema.RowsPerUnit); err != nil {
			return err
		}
	}
	var codes []int32
	var values []float64
	key, part := &textCell{}, &textCell{}
	texts := make([]textCell, len(s.schema.Columns))
	into, columns := []any{}, []string{}
	want := func(quoted, typ string, at *textCell, as *cell) {
		at.cell = as
		into, columns = append(into, at), append(columns, r.dialect.read("q."+quoted, typ))
	}
	if r.unit != "" {
		want(r.unit, r.unitType, key, r.keyCell(s.schema.UnitKey, r.unitType))
	}
	if p := r.layout.part; p != nil {
		want(p.quoted, p.typ, part, r.keyCell(p.Column, p.typ))
	}
	for i, name := range r.all {
		c, err := r.cell(i)
		if err != nil {
			return err
		}
		want(name, r.allTypes[i], &texts[i], c)
	}
	raw := make([][]byte, len(texts))
	err = r.query(reading, s.schema.Names(), "SELECT "+strings.Join(columns, ", ")+" FROM "+r.table+" AS q",
		func(rows *sql.Rows) error {
			for rows.Next() {
				if err := rows.Scan(into...); err != nil {
					return s.failure(r.ctx, reading, s.schema.Names(), err)
				}
				if s.part != nil && !s.part.Keeps(part.text) {
					continue
				}
				if limit != nil {
					if len(key.text) == 0 {
						return s.keyless()
					}
					for i := range texts {
						raw[i] = texts[i].text
					}
					if _, isNew := limit.Add(key.text, raw...); !isNew {
						continue
					}
				}
				for i, k := range p.columns {
					if _ = cells[i].Scan(texts[k].value); !cells[i].ok {
						return cells[i].coder.Refusal(s.name)
					}
				}
				if limit != nil {
					for _, c := range cells {
						codes, values = append(codes, c.code), append(values, c.value)
					}
				} else if s.keeps(p, cells) {
					if b.add(cells); b.n == blockRows {
						if err := b.flush(tally); err != nil {
							return err
						}
					}
				}
			}
			return nil
		})
	if err != nil {
		return err
	}
	if limit == nil {
		return b.flush(tally)
	}
	total, n := int64(0), len(sh.Columns())
	for e, copies := range limit.Kept() {
		total += int64(copies)
		for i, c := range cells {
			c.code, c.value = codes[e*len(cells)+i], values[e*len(cells)+i]
		}
		if s.keeps(p, cells) {
			if err := tally.Group(codes[e*len(cells):][:n], values[e*len(cells):][:n], int64(copies)); err != nil {
				return err
			}
		}
	}
	return r.pad(p, tally, int64(limit.Units()), total)
}

// pad adds the rows that fill units up, where the schema pads them, and the filters keep such rows.
func (r *reader) pad(p *plan, tally *model.Tally, units, rows int64) error {
	s := r.src
	if !s.schema.PadUnits {
		return nil
	}
	cells, err := r.cells(p)
	if err != nil {
		return err
	}
	for i, k := range p.columns {
		c := cells[i]
		c.code, c.value, c.ok = c.coder.Text([]byte(s.schema.Columns[k].Pad))
	}
	if !s.keeps(p, cells) {
		return nil
	}
	return source.Pad(access.Mine(), s.schema, tally, int64(s.schema.RowsPerUnit)*units-rows)
}

// textCell takes a value as the text that frame.UnitCap hashes, and keeps the value.
type textCell struct {
	*cell
	value any
	text  []byte
}

// Scan implements sql.Scanner.
func (c *textCell) Scan(src any) error {
	if b, ok := src.([]byte); ok {
		src = slices.Clone(b)
	}
	c.text, c.value = c.file(c.text[:0], src), src
	return nil
}
