package counts

import (
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/posterior"
)

// The estimates of a group add up to its total, and a tilt moves mass from empty cells to full ones.
func TestGroupsAddUp(t *testing.T) {
	for _, mech := range []Noise{Geometric(), DiscreteGaussian()} {
		p := must.Get(mech.Plan(t.Context(), smallShape(t, model.Categorical("c0"), 500, 6), dp.ApproxDP(0.3, 1e-6)))(t)
		for _, raw := range [][]int64{{490, 3, -20, 14, 0, -8}, {83, 84, 90, 60, 100, 83}, {-50, -60, -3, -20, -5, -1},
			{900, 800, 700, 1000, 500, 600}} {
			e := must.Get(p.Estimate(t.Context(), &mechanism.Drawn{ID: "x", Output: mechanism.Output{Raw: [][]int64{raw}}}))(t)
			sum := 0.0
			for _, v := range e.Tables[0] {
				sum += v
			}
			if math.Abs(sum-500) > 0.5 {
				t.Errorf("%s: %v estimated as %v, which add up to %v", mech.Name(), raw, e.Tables[0], sum)
			}
		}
	}
}

// The exact expected Hellinger distance between the posterior and the one made of a released coin, from the shipped
// law, against the golden values of theory/hellinger.md §11 (row "geometric = K-norm", Beta(7,4), ε = 0.5).
func TestGoldenExpectedHellinger(t *testing.T) {
	for _, c := range []struct {
		n, x int
		want float64
	}{{500, 250, .059736258644}, {500, 318, .062057647526}, {300, 150, .076342238736}, {300, 191, .079323632177}} {
		p := must.Get(Geometric().Plan(t.Context(), smallShape(t, model.Binary("c0"), c.n, 2), dp.PureDP(0.5)))(t)
		law := clampedCounts{law: p.Sampler(access.Mine()).(*countSampler).laws[0], n: c.n}
		truth := must.Get(posterior.NewBeta(7+float64(c.x), 4+float64(c.n-c.x)))(t)
		sum := 0.0
		for y := range c.n + 1 {
			b := must.Get(posterior.NewBeta(7+float64(y), 4+float64(c.n-y)))(t)
			sum += math.Exp(law.one(y, c.x)) * posterior.Hellinger(truth, b)
		}
		if math.Abs(sum-c.want) > 1e-11 {
			t.Errorf("n = %d, x = %d: E[H] = %.12f, want %.12f", c.n, c.x, sum, c.want)
		}
	}
}

// Laplace noise on the two counts that one moved record changes meets a Rényi target at the scale of
// theory/dirichlet.md §4.
func TestLaplaceRenyiScale(t *testing.T) {
	for _, c := range []struct{ order, epsilon, scale float64 }{{1.5, 0.1, 3.6908746024}, {2, 10, 0.18499795825},
		{5, 1, 1.5471441823}, {20, 1, 1.8686387532}} {
		p := must.Get(Laplace().Plan(t.Context(), smallShape(t, model.Categorical("c0"), 50, 6),
			dp.RenyiDP(c.order, c.epsilon)))(t)
		d := p.Sampler(access.Mine()).(*countSampler)
		got := 1 / d.laws[0].(noise.Laplace).Rate() / noise.LaplaceSteps
		if !(got >= c.scale*(1-1e-9) && got <= c.scale*(1+1e-6)) {
			t.Errorf("λ = %v, ε = %v: scale %.10g, want %.10g", c.order, c.epsilon, got, c.scale)
		}
	}
}
