package arrow

import (
	"fmt"
	"io"

	apache "github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/privbayes/privbayes-go/internal/domain"
)

// Write writes rows as a stream of Arrow's IPC format, which Open reads. A column holds float64, int64 or text, by its
// first value that is not nil; nil is null, and a column of nothing else is text. Errors: *dp.ParameterError for a row
// of another length or a value of another type; those of out.
func Write(out io.Writer, names []string, rows [][]any) error {
	fields := make([]apache.Field, len(names))
	for j, name := range names {
		fields[j] = apache.Field{Name: name, Nullable: true}
	}
	for _, row := range rows {
		if len(row) != len(names) {
			return domain.Refuse("arrow", "row", len(row), fmt.Sprintf("%d values", len(names)))
		}
		for j, v := range row {
			if fields[j].Type == nil && v != nil {
				fields[j].Type = typeOf(v)
			}
		}
	}
	for j := range fields {
		if fields[j].Type == nil {
			fields[j].Type = apache.BinaryTypes.String
		}
	}
	schema := apache.NewSchema(fields, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	for _, row := range rows {
		for j, v := range row {
			if !appended(b.Field(j), v) {
				return domain.Refuse("arrow", names[j], fmt.Sprintf("%T", v), fmt.Sprintf("%v, or nil", fields[j].Type))
			}
		}
	}
	batch := b.NewRecordBatch()
	defer batch.Release()
	w := ipc.NewWriter(out, ipc.WithSchema(schema))
	if err := w.Write(batch); err != nil {
		return err
	}
	return w.Close()
}

// typeOf is the type of a column that begins with a value.
func typeOf(v any) apache.DataType {
	switch v.(type) {
	case float64:
		return apache.PrimitiveTypes.Float64
	case int64:
		return apache.PrimitiveTypes.Int64
	}
	return apache.BinaryTypes.String
}

// appended adds a value to a column of its type.
func appended(to array.Builder, v any) bool {
	if v == nil {
		to.AppendNull()
		return true
	}
	switch to := to.(type) {
	case *array.Float64Builder:
		if x, ok := v.(float64); ok {
			to.Append(x)
			return true
		}
	case *array.Int64Builder:
		if x, ok := v.(int64); ok {
			to.Append(x)
			return true
		}
	case *array.StringBuilder:
		if x, ok := v.(string); ok {
			to.Append(x)
			return true
		}
	}
	return false
}
