package model_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// The public choices of a file are refused by a typed error, or make a shape that is the same when it is written and
// read.
func FuzzLearnedSettings(f *testing.F) {
	s := &frame.Schema{Dataset: "fuzzed", Columns: []frame.Column{frame.Categorical("a", "x", "y"),
		frame.Categorical("b", "x", "y", "z"), frame.Integer("c", 0, 5, 10, 20), frame.Categorical("d", "x", "y")}}
	for _, m := range []model.LearnedModel{model.Tree().Star("b"), model.Cliques(3).MaxCells(40).Size(9),
		model.MaxEntropy().Workload(3, "a", "c").Workload(1, "d"),
		model.MaxEntropy().StructuralZeros(map[string]string{"a": "x", "c": "[0, 5)"}, map[string]string{"d": "y"})} {
		sh := must.Get(model.NewShape(s, m.Classifying("d"), 10, true, ""))(f)
		b := must.Get(json.Marshal(sh))(f)
		var parts struct{ Model json.RawMessage }
		must.Do(f, json.Unmarshal(b, &parts))
		f.Add([]byte(parts.Model))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var d model.Description
		if json.Unmarshal(b, &d) != nil {
			return
		}
		m, err := d.Model()
		if err != nil {
			return
		}
		sh, err := model.NewShape(s, m, 10, true, "")
		if err != nil {
			var wrong *model.Error
			var column *frame.ColumnError
			if !errors.As(err, &wrong) && !errors.As(err, &column) {
				t.Fatalf("%T: %v", err, err)
			}
			return
		}
		written := must.Get(json.Marshal(sh))(t)
		var again model.Shape
		if err := json.Unmarshal(written, &again); err != nil || again.Digest() != sh.Digest() {
			t.Fatalf("%s: %v", written, err)
		}
	})
}

// A cap above what a fit can compute with is refused before anything is counted: the fit would fail after the charge.
func TestCapsBeyondTheFit(t *testing.T) {
	labels := make([]string, 5000)
	for i := range labels {
		labels[i] = fmt.Sprint(i)
	}
	s := &frame.Schema{Dataset: "wide", Columns: []frame.Column{frame.Categorical("a", labels...),
		frame.Categorical("b", labels...)}}
	for _, m := range []model.LearnedModel{model.Tree(), model.MaxEntropy(), model.Cliques(3)} {
		var refused *model.Error
		if _, err := model.NewShape(s, m.MaxCells(1<<26), 100, true, ""); !errors.As(err, &refused) {
			t.Errorf("%s: %v", m, err)
		}
		if _, err := model.NewShape(s, m.MaxCells(1<<24), 100, true, ""); !errors.As(err, &refused) {
			t.Errorf("%s, 25 million cells: %v", m, err)
		}
	}
}
