package model_test

import (
	"reflect"
	"testing"

	"github.com/privbayes/privbayes-go/internal/gram"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

func TestColumnsOfARegression(t *testing.T) {
	s := &frame.Schema{Dataset: "d", Columns: []frame.Column{frame.Real("y", 0, 1), frame.Real("a", 0, 1),
		frame.Categorical("f", "p", "q", "r"), frame.Categorical("g", "p", "q"), frame.Real("b", 0, 1)}}
	number := func(j int) gram.Column { return gram.Column{Powers: []gram.Power{{Of: j, Degree: 1}}} }
	level := func(of, level, levels int) gram.Column {
		return gram.Column{Levels: []gram.Level{{Of: of, Level: level, Levels: levels}}}
	}
	want := []gram.Column{{}, number(0), level(0, 1, 3), level(0, 2, 3), level(1, 1, 2), number(4)}
	m := model.LinearRegression("y", "a", "f", "g", "b")
	for _, intercept := range []bool{true, false} {
		if !intercept {
			m, want = m.WithoutIntercept(), want[1:]
		}
		sh, err := model.NewShape(s, m, 10, true, "")
		if err != nil {
			t.Fatal(err)
		}
		if got := sh.Linear().Columns(); !reflect.DeepEqual(got, want) {
			t.Errorf("intercept %v: %v, want %v", intercept, got, want)
		}
	}
}
