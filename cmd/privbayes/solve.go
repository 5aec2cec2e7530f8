package main

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/privbayes/mechanism"
)

// backwards sets ε or n to the smallest value whose plan expects at most the asked error of one proportion. Expected
// error falls in both, so bisection finds it; the plan that is then made states the error it really expects.
func (p *planFlags) backwards(ctx context.Context) error {
	p.flags.reads("solve", "error")
	for _, given := range []string{p.solve, "rho"} { // what is found is not given; ρ has no ε
		if p.flags.given(given) && (given != "rho" || p.solve == "epsilon") {
			return &usageError{fmt.Sprintf("plan: --solve %s and --%s; want one of them", p.solve, given)}
		}
	}
	if !(p.error > 0 && p.error < 1) {
		return &usageError{fmt.Sprintf("--error %v; want a proportion in (0, 1)", p.error)}
	}
	if p.solve == "n" {
		n, err := p.search(ctx, 1, 1e14, 1, func(q *planFlags, x float64) { q.n = int(x) })
		p.n = int(n)
		return err
	}
	eps, err := p.search(ctx, 1e-6, 1e4, 0, func(q *planFlags, x float64) { q.epsilon = x })
	p.epsilon = eps
	return err
}

// search finds the smallest x in [lo, most], to six digits or to the given step, that meets the error once set.
func (p *planFlags) search(ctx context.Context, lo, most, step float64,
	set func(*planFlags, float64)) (float64, error) {
	meets := func(x float64) (bool, error) {
		q := *p
		set(&q, x)
		return q.meets(ctx)
	}
	hi := lo
	for {
		ok, err := meets(hi)
		if err != nil {
			return 0, err
		}
		if ok {
			break
		}
		if hi >= most {
			return 0, &unreachableError{p.solve, most, p.error}
		}
		lo, hi = hi, 4*hi
	}
	for hi-lo > math.Max(step, 1e-6*hi) {
		mid := lo + (hi-lo)/2
		if step > 0 {
			mid = math.Floor(mid)
		}
		ok, err := meets(mid)
		if err != nil {
			return 0, err
		}
		if ok {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi, nil
}

// meets reports whether the plan expects at most the asked error. The error of one proportion needs a public n.
func (p planFlags) meets(ctx context.Context) (bool, error) {
	m, s, t, err := p.inputs()
	if err != nil {
		return false, err
	}
	x, ok := m.(mechanism.Expecter)
	if !ok {
		return false, &usageError{"--solve works for noise on counts: geometric, discrete-gaussian, laplace and k-norm"}
	}
	list, err := x.Expect(ctx, s, t)
	if err != nil {
		return false, err
	}
	e, ok := mechanism.ProportionError(list)
	if !ok {
		return false, &usageError{"--solve needs a public n: use replace-one or replace-value adjacency"}
	}
	return e <= p.error, nil
}

// unreachableError says that no ε or n in reach meets the error asked for.
type unreachableError struct {
	what  string
	most  float64
	error float64
}

func (e *unreachableError) Error() string {
	return fmt.Sprintf("--solve %s: no value up to %g meets an error of %g; ask for a larger error", e.what, e.most,
		e.error)
}
