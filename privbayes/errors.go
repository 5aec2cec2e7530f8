package privbayes

import (
	"errors"
	"fmt"

	"github.com/privbayes/privbayes-go/internal/label"
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

// KeptError says that a kept release is not the one asked for. Nothing was drawn or charged.
type KeptError struct {
	Path, Field string
	Have, Want  string
}

func (e *KeptError) Error() string {
	return fmt.Sprintf("kept release %s: %s is %s; want %s. To draw another release, keep it in another file", label.File(e.Path), e.Field, label.Clip(label.Line(e.Have), 2000), label.Clip(label.Line(e.Want), 2000))
}

func step(name string, err error) error {
	var s *StepError
	if err == nil || errors.As(err, &s) {
		return err
	}
	return &StepError{name, err}
}
