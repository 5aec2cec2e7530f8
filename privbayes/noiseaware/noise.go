package noiseaware

import (
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// noise is the law of the noise on one measured count.
type noise struct{ mechanism.CountNoise }

// noiseOf is the plan's law of noise.
//
// Sum-zero geometric noise (K-norm) has P(Z = z) ∝ ∏ e^{−γ|z_i|} on Σz = 0. Its normaliser is constant, and a table y
// with total n has Σ(y − f) = 0 for every f with total n: under the public total its likelihood is the product of
// geometric ones.
func noiseOf(p *mechanism.Plan) (noise, error) {
	z, ok := p.Noise()
	if p.Shape().Lattice() != nil {
		return noise{}, &UnsupportedError{name(p), "a model of numbers", "its release's own Summary, which knows the noise " +
			"where NoisySums() made it; PopulationMean for the population's mean"}
	}
	if !ok {
		return noise{}, &UnsupportedError{
			name(p), "this mechanism", "integer noise on counts: Geometric(), DiscreteGaussian(), Laplace(), KNorm(), " +
				"BySize() or Fourier()",
		}
	}
	return noise{z}, nil
}

func name(p *mechanism.Plan) string {
	return fmt.Sprintf("%s, %s", p.Title(), p.Shape().Model())
}

// kernel is log P(Z = y − f) − log P(Z = y), f in records. The difference is taken before rounding: in integers, or by
// y² − (y−f)² = f(2y − f).
func (z noise) kernel(y int64, f int) float64 {
	if z.Sigma2 > 0 {
		k := int64(f)
		return float64(k) * (float64(y) + float64(y-k)) / (2 * z.Sigma2)
	}
	return z.Rate * float64(abs(y)-abs(y-z.Unit*int64(f)))
}

func abs(x int64) int64 {
	if x < 0 {
		return -x
	}
	return x
}

// reach is how far above max(y, 0) a count under the prior weight Γ(α+f)/f! and any growth up to f⁴ is followed where
// no public total bounds it; what lies beyond has a share below 1e-25. For f^b·e^{−γf}, b = α + 3, the tail beyond (2b
// + 120)/γ is far below that; for f^b·e^{−f²/(2σ²)} so is the one beyond σ(16 + 2√b).
func (z noise) reach(alpha float64) float64 {
	b := alpha + 3
	if z.Sigma2 > 0 {
		return math.Sqrt(z.Sigma2)*(16+2*math.Sqrt(b)) + 2*b
	}
	return (2*b+120)/(z.Rate*float64(z.Unit)) + 2*b
}

// logWeights is log[Γ(α+f)/(Γ(α)·f!)·P(y | f)], f = 0 … top, up to a constant: what one cell contributes to P(f, y). A
// nil y is a cell that was not measured.
func (z noise) logWeights(alpha float64, y *int64, top int, e *effort) []float64 {
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
		for f := range out {
			if f%often == 0 && !e.spend(perWeight*float64(min(often, len(out)-f))) {
				return out
			}
			out[f] += z.kernel(*y, f)
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
