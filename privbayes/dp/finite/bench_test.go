package finite_test

import (
	"context"
	"testing"

	"github.com/privbayes/privbayes-go/internal/hellinger"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp/finite"
)

// benchmark audits an exponential mechanism with smooth sensitivity; the tables are made beforehand, the laws are part
// of it.
func benchmark(b *testing.B, prior []float64, n int, o finite.Options) {
	s := must.Get(hellinger.New(prior, int64(n)))(b)
	m := newExponential(prior, n, nil)
	m.rate = rates(s, 1, m.Outputs())["smooth |R|"]
	ctx := cert.WithWorkLimit(context.Background(), 1e9)
	b.ReportAllocs()
	for b.Loop() {
		must.Get(finite.AuditWith(ctx, m, finite.Space{Cells: len(prior), N: n}, o))(b)
	}
}

func BenchmarkBeta2000(b *testing.B) { benchmark(b, []float64{7, 4}, 2000, finite.Options{}) }
func BenchmarkBeta2000Epsilon(b *testing.B) {
	benchmark(b, []float64{7, 4}, 2000, finite.Options{Deltas: []float64{1e-6}})
}
func BenchmarkBeta2000All(b *testing.B) {
	benchmark(b, []float64{7, 4}, 2000, finite.Options{Epsilons: []float64{0.5}, Deltas: []float64{1e-6},
		Orders: []float64{2, 8}})
}
func BenchmarkDirichlet100(b *testing.B) { benchmark(b, []float64{7, 4, 5}, 100, finite.Options{}) }
func BenchmarkDirichlet100Epsilon(b *testing.B) {
	benchmark(b, []float64{7, 4, 5}, 100, finite.Options{Deltas: []float64{1e-6}})
}
func BenchmarkDirichlet100Delta(b *testing.B) {
	benchmark(b, []float64{7, 4, 5}, 100, finite.Options{Epsilons: []float64{0.5}})
}
func BenchmarkDirichlet100Renyi(b *testing.B) {
	benchmark(b, []float64{7, 4, 5}, 100, finite.Options{Orders: []float64{8}})
}

// The tables of phi are the caller's; their cost is shown for comparison.
func BenchmarkTables2000(b *testing.B) {
	for b.Loop() {
		newExponential([]float64{7, 4}, 2000, nil)
	}
}
