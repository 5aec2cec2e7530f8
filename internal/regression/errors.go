package regression

import (
	"fmt"
	"math"
)

// ParameterError is a public input outside its domain.
type ParameterError struct {
	Name  string
	Value float64
	Want  string
}

// Error names the input, its value and its domain.
func (e *ParameterError) Error() string {
	return fmt.Sprintf("regression: %s = %g; want %s", e.Name, e.Value, e.Want)
}

// checkPositive refuses all but positive finite numbers.
func checkPositive(name string, v float64) error {
	if !(v > 0) || math.IsInf(v, 1) {
		return &ParameterError{name, v, "a positive finite number"}
	}
	return nil
}

func checkDim(d int) error {
	if d < 1 {
		return &ParameterError{"dimension", float64(d), "at least 1"}
	}
	return nil
}
