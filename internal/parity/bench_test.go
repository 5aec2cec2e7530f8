package parity

import (
	"math/rand/v2"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
)

var (
	sinkInts   []int64
	sinkTables [][]float64
	sinkFloat  float64
)

func BenchmarkNetworks(b *testing.B) {
	for _, name := range []string{"alarm", "win95pts", "hepar2"} {
		n := structure(b, name).binary()
		s := n.spectrum(b)
		counts := tablesOf(n, randomRows(rand.New(rand.NewPCG(1, 1)), n, 1000))
		noisy := toReal(counts)
		b.Run("NewSpectrum/"+name, func(b *testing.B) {
			fams := n.families()
			for b.Loop() {
				must.Get(NewSpectrum(n.arities, fams))(b)
			}
		})
		b.Run("Coefficients/"+name, func(b *testing.B) {
			for b.Loop() {
				sinkInts, _ = s.Coefficients(counts)
			}
		})
		b.Run("Project/"+name, func(b *testing.B) {
			for b.Loop() {
				sinkTables, _ = s.Project(noisy, nil, 1000)
			}
		})
		b.Run("OddSensitivity/"+name, func(b *testing.B) {
			for b.Loop() {
				odd, _, _, _ := s.OddSensitivity(0)
				sinkFloat = float64(odd)
			}
		})
	}
	for _, name := range []string{"alarm", "insurance", "child"} {
		s := structure(b, name).spectrum(b)
		b.Run("HelmertSensitivity/"+name, func(b *testing.B) {
			exact := false
			for b.Loop() {
				sinkFloat, exact, _, _, _ = s.HelmertSensitivity(0)
			}
			b.Logf("|N| = %d, S = %.6g, exact %v", s.Size(), sinkFloat, exact)
		})
	}
}
