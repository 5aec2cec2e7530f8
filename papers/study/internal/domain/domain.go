// Package domain refuses arguments outside their domain: the typed error of the studies of theorems, and the checks that they share.
package domain

import (
	"fmt"
	"math"
)

// Error is an argument outside its domain.
type Error struct {
	Package, Function, Parameter string
	Value                        any
	Want                         string
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s: %s: %s = %v; want %s", e.Package, e.Function, e.Parameter, e.Value, e.Want)
}

// Argument is one argument of a function and whether it is in its domain.
type Argument struct {
	name  string
	value any
	ok    bool
	want  string
}

// Arg is an argument with a domain of its own.
func Arg(name string, value any, ok bool, want string) Argument {
	return Argument{name, value, ok, want}
}

// Check reports the first argument outside its domain: *Error.
func Check(pkg, function string, args ...Argument) error {
	for _, a := range args {
		if !a.ok {
			return &Error{pkg, function, a.name, a.value, a.want}
		}
	}
	return nil
}

// Finite tells a number from NaN and the infinities.
func Finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// Positive is a finite number > 0.
func Positive(name string, x float64) Argument {
	return Argument{name, x, x > 0 && Finite(x), "a finite number > 0"}
}

// NotNegative is a finite number ≥ 0.
func NotNegative(name string, x float64) Argument {
	return Argument{name, x, x >= 0 && Finite(x), "a finite number ≥ 0"}
}

// Probability is inside (0, 1).
func Probability(name string, x float64) Argument {
	return Argument{name, x, x > 0 && x < 1, "a probability strictly between 0 and 1"}
}

// AtLeast is an integer with a lower end.
func AtLeast(name string, k, least int) Argument {
	return Argument{name, k, k >= least, fmt.Sprintf("at least %d", least)}
}

// Between is an integer with two ends.
func Between(name string, k, least, most int) Argument {
	return Argument{name, k, k >= least && k <= most, fmt.Sprintf("%d to %d", least, most)}
}
