//go:build !browser && !verifier

package sqlsource

import (
	"context"
	"database/sql"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/source"
)

// CSV writes the rows as the plain CSV file that means the same under the schema: its columns and its unit key, null as
// the first mark of missing values, or as an empty field where the column has none. Memory is that of one row, besides
// what the driver holds.
//
// Errors: *dp.ParameterError for rows that were chosen; *frame.OutOfDomainError for a value that does not fit; those of
// Statistics and of w.
func (s *Source) CSV(ctx context.Context, w io.Writer) error {
	if len(s.filters) > 0 || s.part != nil {
		return domain.Refuse("sqlsource: CSV", "rows", "a choice of them", "all rows of the table")
	}
	return s.within(ctx, func(r *reader) error { return r.csv(w) })
}

// csv writes all rows as texts.
func (r *reader) csv(w io.Writer) error {
	names, into, columns := r.src.schema.Names(), []any{}, []string{}
	var cells []*textCell
	for i, name := range r.all {
		c, err := r.cell(i)
		if err != nil {
			return err
		}
		cells, columns = append(cells, &textCell{cell: c}), append(columns, r.dialect.read("q."+name, r.allTypes[i]))
	}
	if key := r.src.schema.UnitKey; key != "" && !slices.Contains(names, key) {
		names = append(names, key)
		cells = append(cells, &textCell{cell: r.keyCell(key, r.unitType)})
		columns = append(columns, r.dialect.read("q."+r.unit, r.unitType))
	}
	for _, c := range cells {
		into = append(into, c)
	}
	out, record := csv.NewWriter(w), make([]string, len(cells))
	if err := out.Write(names); err != nil {
		return err
	}
	err := r.query(reading, names, "SELECT "+strings.Join(columns, ", ")+" FROM "+r.table+" AS q",
		func(rows *sql.Rows) error {
			for rows.Next() {
				if err := rows.Scan(into...); err != nil {
					return r.src.failure(r.ctx, reading, names, err)
				}
				for i, c := range cells {
					if c.coder != nil {
						if _ = c.cell.Scan(c.value); !c.ok {
							return c.coder.Refusal(r.src.name)
						}
					}
					record[i] = string(c.text)
				}
				if err := out.Write(record); err != nil {
					return err
				}
			}
			return nil
		})
	out.Flush()
	return errors.Join(err, out.Error())
}

// Tables reads two linked tables, or views, of one database, in one transaction: see source.Tables. They are named by
// the parts of their names, in the order of the schema's "tables". Errors: those of New and of source.Tables.
func Tables(ctx context.Context, db *sql.DB, d Dialect, s *frame.Schema, first, second []string) (f *frame.Frame,
	err error) {
	if s == nil || len(s.Tables) != 2 {
		return nil, &frame.SchemaError{Field: "tables", Value: "none", Want: "a schema of two linked tables"}
	}
	var of [2]*Source
	for i, name := range [][]string{first, second} {
		own, err := s.TableSchema(s.Tables[i].Name)
		if err != nil {
			return nil, err
		}
		if of[i] = New(db, d, own, name...); of[i].err != nil {
			return nil, of[i].err
		}
	}
	one, end, err := of[0].Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, end()) }()
	of[1].held = one.held
	return source.Tables(ctx, s, []source.Written{one, of[1]})
}
