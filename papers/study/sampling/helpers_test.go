package sampling

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"strconv"
	"testing"
)

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*math.Max(math.Abs(want), 1e-300)) {
		t.Errorf("%s = %.16g, want %.16g within %g", what, got, want, tol)
	}
}

// must fails the test on an error; use as must(t)(f(x)).
func must[T any](t testing.TB) func(T, error) T {
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

// golden reads the reference values: 34-digit arithmetic, independent of this code.
func golden(t *testing.T, row string, into any) {
	t.Helper()
	data, err := os.ReadFile("testdata/sampling.json")
	if err != nil {
		t.Fatal(err)
	}
	var rows map[string]json.RawMessage
	if err := json.Unmarshal(data, &rows); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(rows[row], into); err != nil {
		t.Fatal(row, err)
	}
}

func number(t *testing.T, s string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
