package regression

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/privbayes/privbayes-go/internal/leastsquares"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// chainSampler runs a few Metropolis steps from the centre of the ball in place of the exact draw.
type chainSampler struct {
	*posteriorSampler
	steps int
}

func (d chainSampler) Draw(_ context.Context, data mechanism.Private, src *dp.Stream) (mechanism.Output, error) {
	xx, xy, _ := d.shape.Linear().Moments(data.Sums())
	p, h := law(xx, xy, d.sigma2, d.prior)
	out := make([][]float64, d.m.draws)
	for k := range out {
		w := make([]float64, d.dim)
		for range d.steps {
			next := make([]float64, d.dim)
			for i := range next {
				next[i] = w[i] + .3*sample.Normal(src)
			}
			if norm(next) <= d.radius && math.Log(sample.Float64(src)) <= logWeight(p, h, next)-logWeight(p, h, w) {
				w = next
			}
		}
		out[k] = w
	}
	return mechanism.Output{Real: out}, nil
}

// A plan whose sampler is a Markov chain passes its certificate, which is about the law, and is told apart by its
// draws: the same plan with the exact sampler agrees with quadrature.
func TestChainSoldAsExactIsRejected(t *testing.T) {
	const draws = 10000
	sh := shapeOf(t, alone, 60, 1)
	sums := []float64{30, 25, 32}
	st := must.Get(model.FromSums(sh, 60, sums))(t)
	p := plan(t, Sampler(draws), sh, dp.PureDP(20*draws))
	exact := p.Sampler(key).(*posteriorSampler)
	with := func(d mechanism.Sampler) float64 {
		p := must.Get(mechanism.New(mechanism.Spec{
			Mechanism: SamplerKind, Title: p.Title(), Shape: sh, Target: p.Target(), Params: p.Params(),
			Level: p.Certified().Parameters, Arithmetic: dp.Ideal,
			Pair: p.Pair(), Certificate: &cert.Certificate{Title: p.Title(), Checks: p.Certificate().Checks},
			Sampler: d, Draws: mechanism.Reals,
		}))(t)
		drawn := must.Get(p.Draw(t.Context(), st, "id", dp.Seeded(5)))(t)
		var flat []float64
		for _, w := range drawn.Real {
			flat = append(flat, w[0])
		}
		return deviation(flat, sums[0]/exact.sigma2+1, sums[1]/exact.sigma2, 1)
	}
	if z := with(exact); z > 6.5 {
		t.Errorf("exact draws are %.1f standard errors off", z)
	}
	for _, steps := range []int{3, 10} {
		if z := with(chainSampler{exact, steps}); z < 6.5 {
			t.Errorf("%d steps of a chain pass: %.1f standard errors", steps, z)
		}
	}
}

// With the intercept outside the budget, ‖x̃‖ reaches √2, and the laws that the sampler samples exceed the certified ε
// of one draw; rows of the design that ships stay below it.
func TestInterceptOutsideExceedsTheCertificate(t *testing.T) {
	y := leastsquares.Range{Lo: -10, Hi: 10}
	x := []leastsquares.Range{{Lo: -1, Hi: 1}}
	inside := must.Get(leastsquares.NewDesign(x, y, true))(t)
	bare := must.Get(leastsquares.NewDesign(x, y, false))(t)
	p := plan(t, Sampler(1), shapeOf(t, model.LinearRegression("y", "a").WithRadius(1), 40, 1), dp.PureDP(1))
	d := p.Sampler(key).(*posteriorSampler)
	// of the last record, after 39 others alike; every corner of the data, weights on the circle
	worst := func(s scaler) float64 {
		corners, most := [][2]float64{{-1, -10}, {-1, 10}, {1, -10}, {1, 10}}, 0.0
		scaled := func(c [2]float64) []float64 {
			out := make([]float64, 3)
			if _, err := s.Row([]float64{c[0]}, c[1], out); err != nil {
				t.Fatal(err)
			}
			return out
		}
		moments := func(last [2]float64) (*mat.SymDense, []float64) {
			m := must.Get(leastsquares.NewMoments(2))(t)
			for range 39 {
				if err := m.AddRows(scaled(corners[3])); err != nil {
					t.Fatal(err)
				}
			}
			if err := m.AddRows(scaled(last)); err != nil {
				t.Fatal(err)
			}
			return m.XX(), m.XY()
		}
		for _, a := range corners {
			for _, b := range corners {
				axx, axy := moments(a)
				bxx, bxy := moments(b)
				pa, ha := law(axx, axy, d.sigma2, d.prior)
				pb, hb := law(bxx, bxy, d.sigma2, d.prior)
				lo, hi := math.Inf(1), math.Inf(-1)
				for k := range 720 {
					w := []float64{d.radius * math.Cos(math.Pi*float64(k)/360),
						d.radius * math.Sin(math.Pi*float64(k)/360)}
					v := logWeight(pa, ha, w) - logWeight(pb, hb, w)
					lo, hi = math.Min(lo, v), math.Max(hi, v)
				}
				most = math.Max(most, hi-lo)
			}
		}
		return most
	}
	certified := float64(p.Certified().Epsilon)
	if v := worst(inside); v > certified || v < .7*certified {
		t.Errorf("the design that ships spends %v of %v", v, certified)
	}
	if v := worst(outside{bare}); v <= certified {
		t.Errorf("an intercept outside the budget passes: %v of %v", v, certified)
	}
}
