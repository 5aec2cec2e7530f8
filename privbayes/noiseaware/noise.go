package noiseaware

import (
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// noiseOf is the plan's noise distribution.
//
// Sum-zero geometric noise (K-norm) has P(Z = z) ∝ ∏ e^{−γ|z_i|} on Σz = 0. Its normaliser is constant, and a table y
// with total n has Σ(y − f) = 0 for every f with total n: under the public total its likelihood is the product of
// geometric ones.
func noiseOf(p *mechanism.Plan) (noise.Distribution, error) {
	z, ok := p.Noise()
	if p.Shape().Lattice() != nil {
		return nil, &UnsupportedError{name(p), "a model of numbers", "its release's own Summary, which knows the noise " +
			"where NoisySums() made it; PopulationMean for the population's mean"}
	}
	if !ok {
		return nil, &UnsupportedError{
			name(p), "this mechanism", "integer noise on counts: Geometric(), DiscreteGaussian(), Laplace(), KNorm(), " +
				"BySize() or Fourier()",
		}
	}
	return z, nil
}

func name(p *mechanism.Plan) string {
	return fmt.Sprintf("%s, %s", p.Title(), p.Shape().Model())
}

// logWeights is log[Γ(α+f)/(Γ(α)·f!)·P(y | f)], f = 0 … top, up to a constant: what one cell contributes to P(f, y). A
// nil y is a cell that was not measured.
func logWeights(z noise.Probabilities, alpha float64, y *int64, top int, e *effort) []float64 {
	out := make([]float64, top+1)
	if alpha != 1 {
		sum := 0.0
		for f := range top {
			if f%often == 0 && !e.spend(perWeight*float64(min(often, top-f))) {
				return out
			}
			sum += math.Log1p((alpha - 1) / float64(f+1)) // (α+f)/(f+1)
			out[f+1] = sum
		}
	}
	if y != nil {
		ratio := noise.LogRatio(z, *y)
		for f := range out {
			if f%often == 0 && !e.spend(perWeight*float64(min(often, len(out)-f))) {
				return out
			}
			out[f] += ratio(int64(f))
		}
	}
	return out
}

// measuredOf checks that a release holds noisy integers for the tables of its shape.
func measuredOf(r *release.Release) ([][]int64, error) {
	raw, tables := r.Raw(), r.Plan().Shape().Tables()
	if len(raw) != len(tables) {
		return nil, &UnsupportedError{name(r.Plan()),
			fmt.Sprintf("a release of %d lists of integers for %d tables", len(raw), len(tables)),
			"a noisy integer for every measured cell"}
	}
	return raw, nil
}
