package arrow_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/sources/arrow"
)

// What is written is read back, nulls as missing values; rows that do not fit are refused by column.
func TestWrite(t *testing.T) {
	names := []string{"name", "x", "k"}
	rows := [][]any{{"a", nil, int64(3)}, {nil, .1, int64(4)}, {"b", 2.5, int64(5)}}
	var b bytes.Buffer
	must.Do(t, arrow.Write(&b, names, rows))
	path := filepath.Join(t.TempDir(), "t.arrow")
	must.Do(t, os.WriteFile(path, b.Bytes(), 0o600))
	x := frame.Real("x", 0, 3)
	x.OnMissing, x.Missing = "category", []string{"-"}
	name := frame.Categorical("name", "a", "b")
	name.OnMissing, name.Missing = "category", []string{"-"}
	k := frame.Column{Name: "k", Kind: frame.KindInteger, Min: 0, Max: 9, Edges: []float64{0, 9}}
	schema := &frame.Schema{Dataset: "t", Columns: []frame.Column{name, x, k}}
	s := must.Get(arrow.Open(t.Context(), schema, []string{path}))(t)
	var text bytes.Buffer
	must.Do(t, s.CSV(t.Context(), &text))
	if text.String() != "name,x,k\na,-,3\n-,0.1,4\nb,2.5,5\n" {
		t.Errorf("%q", text.String())
	}
	var wrong *dp.ParameterError
	for _, rows := range [][][]any{{{"a", 1., int64(1)}, {"a", "b", int64(1)}}, {{"a"}}, {{"a", int32(1), nil}}} {
		if err := arrow.Write(&b, names, rows); !errors.As(err, &wrong) {
			t.Errorf("%v: %v", rows, err)
		}
	}
}
