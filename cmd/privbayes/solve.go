package main

import (
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/privbayes/mechanism"
)

// backwards sets ε or n to the smallest value whose plan expects at most the asked error of one proportion. Expected error falls
// in both, so bisection finds it; the plan that is then made states the error it really expects.
func (p *planFlags) backwards() error {
	if !(p.error > 0 && p.error < 1) {
		return &usageError{fmt.Sprintf("--error %v; want a proportion in (0, 1)", p.error)}
	}
	if p.solve == "n" {
		return p.solveN()
	}
	meets := func(eps float64) (bool, error) {
		q := *p
		q.epsilon = eps
		return q.meets()
	}
	lo, hi := 1e-6, 1e-6
	for {
		ok, err := meets(hi)
		if err != nil {
			return err
		}
		if ok {
			break
		}
		if hi > 1e3 {
			return &mechanism.UnmetTarget{Mechanism: p.mechanism, Reachable: fmt.Sprintf("a larger error than %g at n = %d", p.error, p.n)}
		}
		lo, hi = hi, hi*4
	}
	for hi-lo > 1e-6*hi {
		mid := math.Sqrt(lo * hi)
		ok, err := meets(mid)
		if err != nil {
			return err
		}
		if ok {
			hi = mid
		} else {
			lo = mid
		}
	}
	p.epsilon = hi
	return nil
}

func (p *planFlags) solveN() error {
	meets := func(n int) (bool, error) {
		q := *p
		q.n = n
		return q.meets()
	}
	lo, hi := 0, 1
	for {
		ok, err := meets(hi)
		if err != nil {
			return err
		}
		if ok {
			break
		}
		if hi > 1e14 {
			return &mechanism.UnmetTarget{Mechanism: p.mechanism, Reachable: fmt.Sprintf("a larger error than %g", p.error)}
		}
		lo, hi = hi, hi*2
	}
	for hi-lo > 1 {
		mid := lo + (hi-lo)/2
		ok, err := meets(mid)
		if err != nil {
			return err
		}
		if ok {
			hi = mid
		} else {
			lo = mid
		}
	}
	p.n = hi
	return nil
}

// meets reports whether the plan expects at most the asked error. The error of one proportion needs a public n.
func (p planFlags) meets() (bool, error) {
	m, s, t, err := p.inputs()
	if err != nil {
		return false, err
	}
	list, err := m.Expect(s, t)
	if err != nil {
		return false, err
	}
	e, ok := mechanism.ProportionError(list)
	if !ok {
		return false, &usageError{"--solve needs a public n: use replace-one or replace-value adjacency"}
	}
	return e <= p.error, nil
}
