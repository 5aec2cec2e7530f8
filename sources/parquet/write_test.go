package parquet_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	pq "github.com/parquet-go/parquet-go"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/source"
	"github.com/privbayes/privbayes-go/sources/parquet"
)

// What is written is read back in the order of its columns, nulls as nulls; rows that do not fit are refused by column.
func TestWrite(t *testing.T) {
	names := []string{"name", "x", "k", "empty"}
	rows := [][]any{{"a", nil, int64(3), nil}, {nil, .1, int64(4), nil}, {"b", 2.5, int64(5), nil}}
	var b bytes.Buffer
	must.Do(t, parquet.Write(&b, names, rows))
	f := must.Get(pq.OpenFile(bytes.NewReader(b.Bytes()), int64(b.Len())))(t)
	var order []string
	for _, c := range f.Schema().Columns() {
		order = append(order, c[0])
	}
	if !reflect.DeepEqual(order, names) {
		t.Errorf("%q", order)
	}
	r, have := pq.NewReader(f), [][]any{}
	buffer := make([]pq.Row, 1)
	for {
		n, err := r.ReadRows(buffer)
		if n == 1 {
			row := make([]any, len(names))
			for j, v := range buffer[0] {
				switch {
				case v.IsNull():
				case v.Kind() == pq.Double:
					row[j] = v.Double()
				case v.Kind() == pq.Int64:
					row[j] = v.Int64()
				default:
					row[j] = v.String()
				}
			}
			have = append(have, row)
		}
		if err == io.EOF {
			break
		}
		must.Do(t, err)
	}
	if !reflect.DeepEqual(have, rows) {
		t.Errorf("%v", have)
	}
	path := filepath.Join(t.TempDir(), "t.parquet")
	must.Do(t, os.WriteFile(path, b.Bytes(), 0o600))
	k := frame.Column{Name: "k", Kind: frame.KindInteger, Min: 0, Max: 9, Edges: []float64{0, 4, 9}}
	s := must.Get(parquet.Open(t.Context(), &frame.Schema{Dataset: "t", Columns: []frame.Column{k}, ExtraColumns: true},
		[]string{path}))(t)
	sh := must.Get(source.Shape(s, must.Get(s.Size(t.Context()))(t), model.Histogram("k")))(t)
	if _, err := s.Statistics(t.Context(), sh); err != nil {
		t.Error(err)
	}
	var wrong *dp.ParameterError
	for _, rows := range [][][]any{{{"a", 1., int64(1), nil}, {"a", "b", int64(1), nil}}, {{"a"}},
		{{"a", int32(1), nil, nil}}} {
		if err := parquet.Write(&b, names, rows); !errors.As(err, &wrong) {
			t.Errorf("%v: %v", rows, err)
		}
	}
	if err := parquet.Write(&b, []string{"a", "a"}, nil); !errors.As(err, &wrong) {
		t.Error(err)
	}
}
