// Package domain refuses arguments outside their domain: one typed error for every package, and the checks that they
// share.
package domain

import (
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/safetext"
)

// Error is an argument outside its domain. It holds public inputs only: parameters are what the caller chose.
type Error struct {
	Of        string // where it was refused: package, and function, law or family
	Parameter string // its name
	Value     any    // what was given
	Want      string // the domain
}

// Error is one line: where, parameter, value and domain.
func (e *Error) Error() string {
	return fmt.Sprintf("%s: %s = %s; want %s", e.Of, e.Parameter, safetext.Clip(safetext.Line(fmt.Sprint(e.Value)), 200),
		e.Want)
}

// Refuse is the error of one argument.
func Refuse(of, parameter string, value any, want string) error {
	return &Error{of, parameter, value, want}
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
func Check(pkg, of string, args ...Argument) error {
	for _, a := range args {
		if !a.ok {
			return &Error{pkg + ": " + of, a.name, a.value, a.want}
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

// Number is any finite number.
func Number(name string, x float64) Argument {
	return Argument{name, x, Finite(x), "a finite number"}
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
