package counts

import (
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/sensitivity"
)

// However small δ is, a discrete Gaussian that meets it passes the enumeration of its certificate, in one table and in
// two, and is no wider than what its zero-concentrated privacy asks for: σ² = m/(2ρ) with ρ + 2√(ρ ln 1/δ) = ε.
func TestSmallDeltaPassesItsCheck(t *testing.T) {
	s := &frame.Schema{Dataset: "small", Columns: []frame.Column{frame.Categorical("x", "a", "b", "c"),
		frame.Categorical("y", "a", "b")}}
	for _, delta := range []float64{1e-9, 1e-14, 1e-20, 1e-30, 1e-42, 1e-44, 1e-100, 1e-200, 1e-289, 1e-300} {
		for _, m := range []model.Model{model.Categorical("y"), model.NaiveBayes("y")} {
			sh := must.Get(model.NewShape(s, m, 1000, true, ""))(t)
			for _, epsilon := range []float64{.1, 5} {
				p, err := DiscreteGaussian().Plan(t.Context(), sh, dp.ApproxDP(epsilon, delta))
				if err != nil {
					t.Errorf("δ = %g, ε = %g, %s: %v", delta, epsilon, m, err)
					continue
				}
				root := math.Sqrt(math.Log(1/delta)+epsilon) - math.Sqrt(math.Log(1/delta))
				s := must.Get(sensitivity.OfMeasured(sh, dp.ReplaceOne, sensitivity.Measured(sh, dp.ReplaceOne)))(t)
				most := float64(s.Cells) / (2 * root * root)
				z, _ := p.Noise()
				if z := noise.FormOf(z); !(z.Sigma2 > 0 && z.Sigma2 <= most*(1+1e-6)) {
					t.Errorf("δ = %g, ε = %g, %s: σ² = %.6g, and %.6g is enough", delta, epsilon, m, z.Sigma2, most)
				}
				if v := p.Certificate().Verify(t.Context()); !v.OK() {
					t.Errorf("δ = %g, ε = %g, %s: %s", delta, epsilon, m, v)
				}
			}
		}
	}
}

// The enumeration keeps its power at a small δ: noise that is a little too small fails it.
func TestSmallDeltaEnumerationHasPower(t *testing.T) {
	const delta, sigma2 = 1e-30, 400
	pair := loss.DiscreteGaussianPair{Sigma2: sigma2, Cells: 1, Shift: 1}
	want := dp.Parameters{Notion: dp.Approximate, Delta: delta, Epsilon: cert.Number(loss.EpsilonFor(pair, delta))}
	for _, c := range []struct {
		num  uint64
		over bool
	}{{sigma2, false}, {sigma2 - 1, true}} {
		out := must.Get(enumerateGaussian(t.Context(), pairParams{noise.Rational{Num: c.num, Den: 1}, 1, 1, want}))(t)
		if over := out.Value > delta*(1+1e-6); over != c.over {
			t.Errorf("σ² = %d: δ = %g, above %g: %t", c.num, out.Value, delta, over)
		}
	}
}
