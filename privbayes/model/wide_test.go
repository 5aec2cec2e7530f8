package model_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// A schema of very many columns is answered in a time in proportion to them: looking each of them up along the list
// takes minutes.
func TestWideSchemas(t *testing.T) {
	const columns = 200_000
	s := &frame.Schema{Dataset: "wide"}
	names := make([]string, columns)
	for i := range names {
		names[i] = fmt.Sprintf("column %d", i)
		s.Columns = append(s.Columns, frame.Categorical(names[i], "a", "b"))
	}
	for name, m := range map[string]model.Model{
		"naive Bayes of all":    model.NaiveBayes(names[0]),
		"naive Bayes of a list": model.NaiveBayes(names[0], names[1:]...),
	} {
		start := time.Now()
		sh, err := model.NewShape(s, m, 100, true, "")
		if err != nil || len(sh.Columns()) != columns {
			t.Errorf("%s: %v", name, err)
		}
		if took := time.Since(start); took > time.Minute {
			t.Errorf("%s: %v", name, took)
		}
	}
}
