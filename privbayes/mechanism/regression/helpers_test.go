package regression

import (
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// schema has a response and two features with public bounds, and a column of words.
func schema(rows int) *frame.Schema {
	y, a, b := frame.Real("y", -10, 0, 10), frame.Real("a", -1, 1), frame.Real("b", 0, 5, 10)
	return &frame.Schema{Dataset: "test", RowsPerUnit: rows,
		Columns: []frame.Column{y, a, b, frame.Categorical("word", "u", "v")}}
}

func shapeOf(t testing.TB, m model.Model, n, rows int) *model.Shape {
	t.Helper()
	return must.Get(model.NewShape(schema(rows), m, n, true, ""))(t)
}

// both is a regression on two features and an intercept, in three coordinates.
var both = model.LinearRegression("y", "a", "b")

// alone is a regression on one feature through the middle: one coordinate, and x̃ = a.
var alone = model.LinearRegression("y", "a").WithoutIntercept().WithRadius(1)

// simulated draws rows y = intercept + slopes + noise; the same every time.
func simulated(t testing.TB, n int, noise float64) *frame.Frame {
	t.Helper()
	src := dp.Seeded(7)
	var y, a, b []float64
	var word []string
	for range n {
		a = append(a, 2*sample.Float64(src)-1)
		b = append(b, 10*sample.Float64(src))
		v := 1 + 2*a[len(a)-1] - .5*(b[len(b)-1]-5) + noise*sample.Normal(src)
		y = append(y, min(max(v, -10), 10))
		word = append(word, "u")
	}
	return must.Get(frame.FromColumns(schema(1), map[string]any{"y": y, "a": a, "b": b, "word": word}))(t)
}

func counted(t testing.TB, m model.Model, f *frame.Frame) *model.Statistics {
	t.Helper()
	n, _ := f.PublicN()
	sh := must.Get(model.NewShape(f.Schema(), m, n, true, ""))(t)
	return must.Get(model.Count(sh, f))(t)
}

func plan(t testing.TB, m mechanism.Mechanism, sh *model.Shape, target dp.Request) *mechanism.Plan {
	t.Helper()
	return must.Get(m.Plan(t.Context(), sh, target))(t)
}
