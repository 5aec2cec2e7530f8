package source

import "github.com/privbayes/privbayes-go/internal/safetext"

// Failure says that a source could not be read, in public words: what it is, what it was doing. The text of a driver or
// an engine may quote rows; it is kept out, and Unwrap does not give it.
type Failure struct {
	Source string // its public name
	Doing  string // "connecting", "counting", "reading row groups"
	Want   string // what to look at
}

func (e *Failure) Error() string {
	s := "source " + safetext.File(e.Source) + ": " + e.Doing + " failed"
	if e.Want != "" {
		s += "; want " + e.Want
	}
	return s
}

// NeedsRowsError says that a step needs the rows themselves, which a source does not hand out.
type NeedsRowsError struct {
	Step string
	Want string // what to do instead
}

func (e *NeedsRowsError) Error() string {
	return e.Step + " needs the rows, and a source gives statistics only; want " + e.Want
}
