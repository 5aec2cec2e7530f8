//go:build !browser && !verifier

package privbayes

import (
	"context"

	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// LoadTables reads the two linked tables of a schema, such as households and their persons: CSV or CSV.gz files, in the
// order of the schema's "tables". The frame has one row for every parent, with columns that the schema makes of its
// children, so that the unit of privacy is a parent with all its children. See frame.LoadTables for the rules and the
// errors; of columns in memory, WrapFrame(frame.TablesFromColumns(…)).
func LoadTables(s *Schema, files ...string) *Frame {
	if s == nil {
		return &Frame{err: step("LoadTables", ErrNoSchema)}
	}
	f, err := frame.LoadTables(context.Background(), files, s)
	again := func() (*frame.Violations, error) { return frame.CheckTables(context.Background(), files, s) }
	return &Frame{f: f, again: again, err: step("LoadTables", err)}
}
