package posteriorsample

import (
	"fmt"
	"testing"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

var key = access.Mine()

// schema has categorical columns c0, c1, … with the given numbers of levels, and a real column x in [0, 2].
func schema(levels ...int) *frame.Schema {
	s := &frame.Schema{Dataset: "hypothetical"}
	for i, l := range levels {
		names := make([]string, l)
		for j := range names {
			names[j] = fmt.Sprint("v", j)
		}
		s.Columns = append(s.Columns, frame.Categorical(fmt.Sprint("c", i), names...))
	}
	s.Columns = append(s.Columns, frame.Real("x", 0, 2))
	return s
}

func shape(t testing.TB, m model.Model, n int, levels ...int) *model.Shape {
	t.Helper()
	return must.Get(model.NewShape(schema(levels...), m, n, true, ""))(t)
}

func planOf(t testing.TB, m mechanism.Mechanism, sh *model.Shape, target dp.Request) *mechanism.Plan {
	t.Helper()
	return must.Get(m.Plan(t.Context(), sh, target))(t)
}

// features names c1 … ck.
func features(k int) []string {
	var out []string
	for i := range k {
		out = append(out, fmt.Sprint("c", i+1))
	}
	return out
}

var chain = model.Network("c0", model.Node("c0"), model.Node("c1", "c0"), model.Node("c2", "c1"))
