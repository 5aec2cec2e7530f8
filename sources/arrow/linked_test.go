package arrow_test

import (
	"bytes"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/source"
	"github.com/privbayes/privbayes-go/privbayes/source/sourcetest"
	"github.com/privbayes/privbayes-go/sources/arrow"
)

// Two Arrow tables are the frame of the two CSV files that mean the same, whatever their types.
func TestLinkedTables(t *testing.T) {
	for _, typed := range []bool{false, true} {
		sourcetest.Linked(t, sourcetest.Joined(t, func(own *frame.Schema, table string, rows [][]string) (source.Written,
			error) {
			var b bytes.Buffer
			if err := arrow.Write(&b, rows[0], sourcetest.Cells(typed, rows)); err != nil {
				return nil, err
			}
			return arrow.Bytes(t.Context(), own, table, b.Bytes())
		}))
	}
}
