package study

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/figure"
)

// lines says which mechanisms a sweep draws. For two cells the geometric mechanism on one count is K-norm noise: one
// line has both.
func lines(d int, exponential ...string) []string {
	if d == 2 {
		return append(exponential, KNorm)
	}
	return append(exponential, KNorm, DiscreteLaplace)
}

// lineName is how a sweep calls a mechanism.
func lineName(name string, d int) string {
	switch {
	case name == KNorm && d == 2:
		return "geometric = K-norm"
	case name == KNorm:
		return "K-norm"
	case name == DiscreteLaplace:
		return "geometric per cell"
	}
	for _, m := range mechanisms() {
		if m.name == name {
			return m.short
		}
	}
	return name
}

// sweep is E[H] of some mechanisms over a list of settings, at the abscissas xs.
func sweep(ctx context.Context, f *figure.Figure, names []string, xs []float64,
	settings []Setting) (*figure.Figure, error) {
	only := map[string]bool{}
	for _, name := range names {
		only[name] = true
	}
	at := map[string][]float64{}
	for _, s := range settings {
		outcomes, err := accuracy(ctx, s, only)
		if err != nil {
			return nil, err
		}
		for _, o := range outcomes {
			at[o.Name] = append(at[o.Name], o.MeanH)
		}
	}
	for i, name := range names {
		f.Series = append(f.Series, figure.Series{Name: lineName(name, len(settings[0].X)), X: slices.Clone(xs),
			Y: at[name], Dashed: i >= 3})
	}
	return f, nil
}

// ascending checks the abscissas of a sweep.
func ascending(field string, v []float64) error {
	if len(v) < 2 {
		return &SettingError{"len(" + field + ")", len(v), "at least 2 values"}
	}
	for i, a := range v {
		if !(a > 0) || math.IsInf(a, 1) || i > 0 && a <= v[i-1] {
			return &SettingError{fmt.Sprintf("%s[%d]", field, i), a, "finite positive numbers in ascending order"}
		}
	}
	return nil
}

// AgainstPrior draws E[H] at x against the parameter α of the symmetric prior (α, …, α), on a logarithmic axis: the
// exponential mechanism with Δ_g, S_γ (γ = 0.25) and LS⁺, all at the rates ε/(ρS) that make them ε-DP, and K-norm and
// geometric noise. Its table twin has the numbers.
//
// A strong prior moves every posterior toward its own mean, so that all errors fall; Δ_g falls fastest, as the smallest
// α sets it. Errors: *SettingError, ctx.Err().
func AgainstPrior(ctx context.Context, alphas []float64, x []int64, epsilon float64) (*figure.Figure, error) {
	if err := ascending("alphas", alphas); err != nil {
		return nil, err
	}
	var settings []Setting
	for _, a := range alphas {
		s := Setting{X: x, Epsilon: epsilon, Delta: 0.5}
		for range x {
			s.Prior = append(s.Prior, a)
		}
		if _, err := s.check(); err != nil {
			return nil, err
		}
		settings = append(settings, s)
	}
	f := &figure.Figure{
		Title: "Mean Hellinger distance of the released posterior against the prior", XLabel: "α of the symmetric " +
			"prior", YLabel: "E[H]", LogX: true, LogY: true,
		Caption: fmt.Sprintf("Exact means at x = %v, n = %d; ε = %v, pure; %s. Rates ε/(ρS) of Theorem 1.", x,
			settings[0].N(), epsilon, dp.ReplaceOne),
	}
	return sweep(ctx, f, lines(len(x), EMGlobal, EMReciprocal025, EMLocalPlus), alphas, settings)
}

// AgainstEpsilon draws E[H] at x against ε, on a logarithmic axis: the exponential mechanism with Δ_g, S_γ (γ = 0.25)
// and LS⁺, all at their ε-DP rates, K-norm, geometric and Laplace noise. Its table twin has the numbers. Errors:
// *SettingError, ctx.Err().
func AgainstEpsilon(ctx context.Context, prior []float64, x []int64, epsilons []float64) (*figure.Figure, error) {
	if err := ascending("epsilons", epsilons); err != nil {
		return nil, err
	}
	var settings []Setting
	for _, e := range epsilons {
		s := Setting{Prior: prior, X: x, Epsilon: e, Delta: 0.5}
		if _, err := s.check(); err != nil {
			return nil, err
		}
		settings = append(settings, s)
	}
	f := &figure.Figure{
		Title: "Mean Hellinger distance of the released posterior against ε", XLabel: "ε", YLabel: "E[H]", LogX: true,
		LogY: true,
		Caption: fmt.Sprintf("Exact means at x = %v, prior %v, n = %d; pure ε-DP; %s. Rates ε/(ρS) of Theorem 1.", x,
			prior, settings[0].N(), dp.ReplaceOne),
	}
	return sweep(ctx, f, append(lines(len(x), EMGlobal, EMReciprocal025, EMLocalPlus), LaplacePerCell), epsilons,
		settings)
}
