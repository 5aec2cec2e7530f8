package model_test

import (
	"errors"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// A frame whose unit may have more rows than the shape's is not counted: a unit would move what is released by more than
// its noise is for. As many rows, or fewer, are.
func TestCountsKeepToTheRowsOfAUnit(t *testing.T) {
	schema := func(rows int) *frame.Schema {
		return &frame.Schema{Dataset: "d", RowsPerUnit: rows,
			Columns: []frame.Column{frame.Categorical("a", "x", "y")}}
	}
	sh := must.Get(model.NewShape(schema(2), model.Categorical("a"), 2, true, ""))(t)
	for rows, fits := range map[int]bool{1: true, 2: true, 3: false} {
		f := must.Get(frame.FromColumns(schema(rows), map[string]any{"a": []string{"x", "y"}}))(t)
		var mismatch *model.MismatchError
		if _, err := model.Count(sh, f); (err == nil) != fits || err != nil && !errors.As(err, &mismatch) {
			t.Errorf("%d rows a unit: %v", rows, err)
		}
	}
}
