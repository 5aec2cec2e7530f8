package program

import (
	"fmt"

	"github.com/privbayes/privbayes-go/internal/safetext"
)

// Kind says what a program did wrong.
type Kind string

// The kinds of errors of a program.
const (
	NotStarted  Kind = "it could not be started"
	BadGreeting Kind = "its first line is not the greeting"
	BadLine     Kind = "it answered with a wrong line"
	LongLine    Kind = "it wrote a line that is too long"
	ExtraLine   Kind = "it wrote more lines than it was asked for"
	Silent      Kind = "it did not answer in time"
	Ended       Kind = "it ended before it had answered"
	FailedAtEnd Kind = "it ended with a failure"
	CannotDo    Kind = "it does not offer that"
)

// Error is a program that does not keep the protocol. What it wrote stands in the text escaped and cut.
type Error struct {
	Program string
	Kind    Kind
	Request string // the line that was to be answered; empty for the greeting and the end
	Line    string // what it wrote, cut
	Stderr  string // the last line that it wrote to standard error
	Err     error  // what was wanted, or the system's error; may be nil
}

func (e *Error) Error() string {
	s := "audit: program " + safetext.Short(e.Program) + ": " + string(e.Kind)
	if e.Request != "" {
		s += fmt.Sprintf(", asked for %s", safetext.Short(e.Request))
	}
	if e.Line != "" {
		s += ": " + safetext.Short(e.Line)
	}
	if e.Err != nil {
		s += ": " + safetext.Cause(e.Err, 300)
	}
	if e.Stderr != "" {
		s += "; standard error: " + safetext.Short(e.Stderr)
	}
	return s
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }
