package regression

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
)

// At the ends of what is accepted, radius, prior and level are planned for, drawn and made a posterior of; beyond, the
// error names the limit.
func TestExtremes(t *testing.T) {
	f := simulated(t, 300, 1)
	for _, radius := range []float64{minRadius, .01, 1e6, maxRadius} {
		for _, prior := range []float64{5e-324, 1, maxPrior} {
			if testing.Short() && prior == 1 {
				continue
			}
			st := counted(t, both.WithRadius(radius).WithPrior(prior), f)
			for _, eps := range []float64{1e-6, 1e5} {
				for _, target := range []dp.Request{dp.PureDP(eps), dp.ApproxDP(eps, 1e-6), dp.ZCDP(eps),
					dp.RenyiDP(3, eps).Under(dp.AddRemove)} {
					for _, m := range []mechanism.Mechanism{Sampler(1), Sampler(3), Sampler(3).WithResidual(.3),
						SufficientStatistics().Continuous(), SufficientStatistics().Continuous().Plain(), SufficientStatistics()} {
						p, err := m.Plan(t.Context(), st.Shape(), target)
						var unsupported *mechanism.UnsupportedError
						var unmet *mechanism.UnmetTarget
						if errors.As(err, &unsupported) || errors.As(err, &unmet) && eps < 1 &&
							m == SufficientStatistics() {
							continue
						}
						if err != nil {
							t.Fatalf("%s, B %g, b %g, %v: %v", m.Title(), radius, prior, target, err)
						}
						d, err := p.Draw(t.Context(), st, "0123456789abcdef0123456789abcdef", dp.Seeded(1))
						if err == nil {
							_, err = p.Estimate(t.Context(), d)
						}
						if err != nil {
							t.Errorf("%s, B %g, b %g, %v: %v", m.Title(), radius, prior, target, err)
						}
					}
				}
			}
		}
	}
	var limit *dp.ParameterError
	for _, m := range []mechanism.Mechanism{Sampler(1), SufficientStatistics().Continuous()} {
		for _, radius := range []float64{minRadius / 2, maxRadius * 2} {
			if _, err := m.Plan(t.Context(), shapeOf(t, both.WithRadius(radius), 300, 1),
				dp.ApproxDP(1, 1e-6)); !errors.As(err, &limit) || limit.Parameter != "radius B" {
				t.Errorf("B %g: %v", radius, err)
			}
		}
		if _, err := m.Plan(t.Context(), shapeOf(t, both.WithPrior(2*maxPrior), 300, 1),
			dp.ApproxDP(1, 1e-6)); !errors.As(err, &limit) || limit.Parameter != "prior precision b" {
			t.Errorf("prior: %v", err)
		}
	}
}

// However weak the level, what is certified is near it: a draw's greatest loss, which it has but for probability e^−40,
// stays below its share of ε. A profile that loses the probability of large losses certifies any variance at ε = 1e5.
func TestWeakLevels(t *testing.T) {
	for _, eps := range []float64{30, 300, 1e5, 1e9} {
		for _, m := range []PosteriorSampler{Sampler(1), Sampler(3), Sampler(3).WithResidual(.3), Sampler(100),
			Sampler(maxDraws)} {
			p := plan(t, m, shapeOf(t, both, 300, 1), dp.ApproxDP(eps, 1e-6))
			if pure := p.Pair().(rangePair).PureEpsilon(); pure < eps*(1-1e-6) || m.draws < 100 &&
				pure > (eps+40*float64(m.draws))/(1-m.residual) || m.draws == 100 && eps >= 1e5 && pure > eps+4000 {
				t.Errorf("%s at ε = %g: pure ε of %g", m.Title(), eps, pure)
			}
		}
	}
}

// Long searches and long draws end with their context.
func TestContextEnds(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	<-ctx.Done()
	st := counted(t, both, simulated(t, 300, 1))
	if _, err := Sampler(maxDraws).Plan(ctx, st.Shape(), dp.ApproxDP(1, 1e-6)); !errors.Is(err,
		context.DeadlineExceeded) {
		t.Errorf("plan: %v", err)
	}
	p := plan(t, Sampler(2), st.Shape(), dp.PureDP(1))
	if _, err := p.Draw(ctx, st, "0123456789abcdef0123456789abcdef", dp.Seeded(1)); !errors.Is(err,
		context.DeadlineExceeded) {
		t.Errorf("draw: %v", err)
	}
}
