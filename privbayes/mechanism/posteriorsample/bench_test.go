package posteriorsample

import (
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

func BenchmarkTruncatedBetaDraws(b *testing.B) {
	sh := shape(b, model.Binary("c0"), 435, 2)
	st := must.Get(model.FromCounts(sh, [][]int64{{267, 168}}))(b)
	p := planOf(b, New(100_000), sh, dp.PureDP(1e6))
	for b.Loop() {
		must.Get(p.Draw(b.Context(), st, "id", dp.Seeded(1)))(b)
	}
}

func BenchmarkPlan(b *testing.B) {
	for _, c := range []struct {
		name   string
		sh     *model.Shape
		target dp.Request
	}{
		{"binary, pure", shape(b, model.Binary("c0"), 435, 2), dp.PureDP(1)},
		{"binary, approximate", shape(b, model.Binary("c0"), 435, 2), dp.ApproxDP(1, 1e-6)},
		{"naive Bayes, approximate", shape(b, model.NaiveBayes("c0", features(8)...), 435, 2, 3, 3, 3, 3, 3, 3, 3, 3),
			dp.ApproxDP(1, 1e-6)},
		{"rate of 28,155, approximate", shape(b, model.Exponential("x").WithRange(.2, 3), 28155, 2),
			dp.ApproxDP(1, 1e-6)},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				must.Get(New(20).Plan(b.Context(), c.sh, c.target))(b)
			}
		})
	}
}
