package utility

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*math.Max(math.Abs(want), 1e-300)) {
		t.Errorf("%s = %.16g, want %.16g within %g", what, got, want, tol)
	}
}

// must fails the test on an error; use as must(t)(f(x)).
func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func wantParameterError(t *testing.T, err error, parameter string) {
	t.Helper()
	var p *ParameterError
	if !errors.As(err, &p) || p.Parameter != parameter || p.Error() == "" {
		t.Errorf("error %v, want a *ParameterError about %s", err, parameter)
	}
}

func laplace(r *rand.Rand, b float64) float64 {
	x := b * r.ExpFloat64()
	if r.Uint64()&1 == 0 {
		return -x
	}
	return x
}

func clamp(x float64, n int) float64 { return min(max(x, 0), float64(n)) }

// sigmas is the allowed distance of a Monte Carlo mean in standard errors: false alarms below 1e-10 per comparison.
const sigmas = 6.5

// average is the mean of f and its standard error.
func average(draws int, f func() float64) (mean, se float64) {
	var s, q float64
	for range draws {
		v := f()
		s += v
		q += v * v
	}
	n := float64(draws)
	mean = s / n
	return mean, math.Sqrt(max(q/n-mean*mean, 1/n) / n)
}
