package privbayes

import (
	"errors"
)

// StepError is the first error of a chain, with the step it happened in. Its cause is a typed error of the room that refused.
type StepError struct {
	Step string // "LoadFrame", "Split", "Model", "Privatize", "Evaluate", …
	Err  error
}

func (e *StepError) Error() string { return "privbayes: " + e.Step + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *StepError) Unwrap() error { return e.Err }

// ErrNoFrame says that a step was called on a nil or zero value.
var ErrNoFrame = errors.New("no data; want a frame from LoadFrame or ReadFrame")

func step(name string, err error) error {
	var s *StepError
	if err == nil || errors.As(err, &s) {
		return err
	}
	return &StepError{name, err}
}
