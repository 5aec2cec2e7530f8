package noiseaware

import (
	"errors"
	"fmt"
	"strings"

	"github.com/privbayes/privbayes-go/internal/junction"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
)

// UnsupportedError is a release whose noise-aware posterior is not computed: what it is, and what is supported.
type UnsupportedError struct {
	Release string // the mechanism and the model
	What    string // what stands in the way
	Want    string
}

func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("noiseaware: %s: %s is not supported; want %s", e.Release, e.What, e.Want)
}

// WorkError is a release whose exact posterior would take too long: the products or numbers kept that it needs, and the
// limit.
type WorkError struct {
	What        string
	Work, Limit float64
}

func (e *WorkError) Error() string {
	return fmt.Sprintf("noiseaware: %s takes %.3g, more than %.3g; want fewer records or cells, or less noise", e.What,
		e.Work, e.Limit)
}

// EvidenceError is a noisy number, or a sum of a table's numbers over a margin, that no data set explains, by itself or
// beside another table's: the noise reaches so far with probability below 1e-30. Either the numbers are not of this
// plan, or n or the law of the noise is not what was stated.
type EvidenceError struct {
	Table string // the table, or the parities
	Value string
	Want  string
}

func (e *EvidenceError) Error() string {
	return fmt.Sprintf("noiseaware: %s: %s; want %s", e.Table, e.Value, e.Want)
}

// widthError is a WorkError of cliques, which neither fewer records nor less noise makes smaller.
type widthError struct{ *WorkError }

func (e *widthError) Error() string {
	return fmt.Sprintf("noiseaware: %s has %.3g cells, more than %.3g; want fewer parents, or columns with fewer levels",
		e.What, e.Work, e.Limit)
}

func (e *widthError) Unwrap() error { return e.WorkError }

// PanicError is a question whose function panicked, with what it panicked with.
type PanicError struct{ Question, Panic string }

func (e *PanicError) Error() string {
	return fmt.Sprintf("noiseaware: %s: the function panicked: %s; want one that gives a number for every network",
		safetext.Line(e.Question), safetext.Line(e.Panic))
}

// recovered makes a panic an error.
func recovered(question string, err *error) {
	if x := recover(); x != nil {
		*err = &PanicError{question, fmt.Sprint(x)}
	}
}

// tooWide says in this package's words that cliques are too large: a *WorkError.
func tooWide(err error, d *bayesnet.DAG) error {
	var wide *junction.WidthError
	if !errors.As(err, &wide) {
		return err
	}
	what := "the widest clique of the network"
	if len(wide.Vars) > 0 {
		var names []string
		for i, v := range wide.Vars {
			if i == 6 {
				names = append(names, fmt.Sprintf("and %d more", len(wide.Vars)-6))
				break
			}
			names = append(names, safetext.Short(d.Node(v).Name))
		}
		what = fmt.Sprintf("the clique of %d nodes that the network's loops join (%s)", wide.Width,
			strings.Join(names, ", "))
	}
	return &widthError{&WorkError{what, float64(wide.Cells), float64(wide.Limit)}}
}
