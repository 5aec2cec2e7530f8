package arrow_test

import (
	"bytes"
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	apache "github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/privbayes/privbayes-go/privbayes/source/sourcetest"
)

// kind is the type of a column of the test's table, and the text that stands there as null.
type kind struct {
	of   apache.DataType
	null string
}

// dictionary is the type of an encoded column.
func dictionary(index, of apache.DataType) apache.DataType {
	return &apache.DictionaryType{IndexType: index, ValueType: of}
}

var text = apache.BinaryTypes.String

// tables are the types of the columns that a table is written with, by name; others are text.
var tables = map[string]map[string]kind{
	"texts":       {},
	"large texts": {"id": {of: apache.BinaryTypes.LargeString}, "class": {of: apache.BinaryTypes.LargeString}},
	"views":       {"id": {of: apache.BinaryTypes.StringView}, "colour": {of: apache.BinaryTypes.StringView}},
	"dictionaries": {"id": {of: dictionary(apache.PrimitiveTypes.Uint16, text)},
		"class":  {of: dictionary(apache.PrimitiveTypes.Int8, text)},
		"colour": {of: dictionary(apache.PrimitiveTypes.Uint32, text)},
		"age":    {of: dictionary(apache.PrimitiveTypes.Int32, text)},
		"wage":   {of: dictionary(apache.PrimitiveTypes.Int64, text)}},
	"typed": {"colour": {of: text, null: "?"}, "age": {of: apache.PrimitiveTypes.Int64, null: "-9"},
		"wage": {of: apache.PrimitiveTypes.Float64}, "seen": {of: apache.FixedWidthTypes.Date32}},
	"typed dictionaries": {"class": {of: dictionary(apache.PrimitiveTypes.Uint8, text)},
		"colour": {of: dictionary(apache.PrimitiveTypes.Int16, text), null: "?"},
		"age":    {of: dictionary(apache.PrimitiveTypes.Uint64, apache.PrimitiveTypes.Int16), null: "-9"},
		"wage":   {of: dictionary(apache.PrimitiveTypes.Int32, apache.PrimitiveTypes.Float64)},
		"seen":   {of: dictionary(apache.PrimitiveTypes.Int32, apache.FixedWidthTypes.Date32)}},
	"exact": {"age": {of: apache.PrimitiveTypes.Int8}, "seen": {of: &apache.TimestampType{Unit: apache.Microsecond}},
		"wage": {of: &apache.Decimal128Type{Precision: 9, Scale: 2}}},
	"short":        {"age": {of: apache.PrimitiveTypes.Float32, null: "-9"}, "wage": {of: apache.PrimitiveTypes.Float32}},
	"milliseconds": {"age": {of: apache.PrimitiveTypes.Uint8, null: "-9"}, "seen": {of: apache.FixedWidthTypes.Date64}},
}

// rows are those of the table that all sources are tested with.
func rows(t testing.TB) (head []string, body [][]string) {
	t.Helper()
	all, err := csv.NewReader(strings.NewReader(sourcetest.CSV())).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return all[0], all[1:]
}

// batches are the rows in record batches of so many rows each.
func batches(t testing.TB, head []string, body [][]string, kinds map[string]kind, each int) []apache.RecordBatch {
	t.Helper()
	var fields []apache.Field
	for _, name := range head {
		k := kinds[name]
		if k.of == nil {
			k.of = text
		}
		fields = append(fields, apache.Field{Name: name, Type: k.of, Nullable: true})
	}
	b := array.NewRecordBuilder(memory.DefaultAllocator, apache.NewSchema(fields, nil))
	var out []apache.RecordBatch
	for some := range slices.Chunk(body, each) {
		for _, record := range some {
			for i, name := range head {
				if null := kinds[name].null; null != "" && record[i] == null {
					b.Field(i).AppendNull()
				} else if err := b.Field(i).AppendValueFromString(record[i]); err != nil {
					t.Fatal(err)
				}
			}
		}
		out = append(out, b.NewRecordBatch())
	}
	if len(out) == 0 {
		out = append(out, b.NewRecordBatch())
	}
	return out
}

// file is the batches in a file; stream, in a stream.
func file(t testing.TB, some []apache.RecordBatch, options ...ipc.Option) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := ipc.NewFileWriter(&b, append(options, ipc.WithSchema(some[0].Schema()))...)
	if err != nil {
		t.Fatal(err)
	}
	write(t, w, some)
	return b.Bytes()
}

func stream(t testing.TB, some []apache.RecordBatch, options ...ipc.Option) []byte {
	t.Helper()
	var b bytes.Buffer
	write(t, ipc.NewWriter(&b, append(options, ipc.WithSchema(some[0].Schema()))...), some)
	return b.Bytes()
}

func write(t testing.TB, w interface {
	Write(apache.RecordBatch) error
	Close() error
}, some []apache.RecordBatch) {
	t.Helper()
	for _, b := range some {
		if err := w.Write(b); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// put writes bytes to a file of a folder.
func put(t testing.TB, b []byte, path ...string) string {
	t.Helper()
	name := filepath.Join(path...)
	if err := os.WriteFile(name, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}
