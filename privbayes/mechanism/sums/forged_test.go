package sums_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	_ "github.com/privbayes/privbayes-go/privbayes/mechanism/catalog" // makes the kind known
	"github.com/privbayes/privbayes-go/privbayes/mechanism/sums"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// A file that says other parameters than it should is refused: less noise than the target needs, another law, a lattice
// that the plan does not have.
func TestForgedParametersAreRefused(t *testing.T) {
	schema := &frame.Schema{Dataset: "test", Columns: []frame.Column{frame.Integer("age", 18, 90)}}
	sh := must.Get(model.NewShape(schema, model.Mean("age"), 200, true, ""))(t)
	p := must.Get(sums.New().Plan(t.Context(), sh, dp.PureDP(1)))(t)
	b := must.Get(json.Marshal(p))(t)
	text := string(b)
	must.Get(mechanism.ParsePlan(t.Context(), []byte(text)))(t)
	for name, edit := range map[string][2]string{
		"twice ε":            {`"num":1,"den":1`, `"num":2,"den":1`},
		"a hair more ε":      {`"num":1,"den":1`, `"num":1048577,"den":1048576`},
		"a denominator of 3": {`"num":1,"den":1`, `"num":1,"den":3`},
		"no ε":               {`"epsilon":{"num":1,"den":1}`, `"sigma2":{"num":1,"den":1}`},
		"another law":        {`"law":"geometric"`, `"law":"cube"`},
		"a parabola":         {`"law":"geometric"`, `"law":"parabola"`},
		"no staircase":       {`"law":"geometric"`, `"law":"staircase"`},
		"an unknown law":     {`"law":"geometric"`, `"law":"none"`},
	} {
		forged := strings.Replace(text, edit[0], edit[1], 1)
		if forged == text {
			t.Fatalf("%s: nothing to forge in %s", name, text)
		}
		if _, err := mechanism.ParsePlan(t.Context(), []byte(forged)); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}
