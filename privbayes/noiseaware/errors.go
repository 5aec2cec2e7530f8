package noiseaware

import (
	"errors"
	"fmt"
	"strings"
)

// ErrNoRelease says that there is no release to read.
var ErrNoRelease = errors.New("noiseaware: no release; want one from Privatize or release.Load")

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

// LevelError is a level of credible intervals outside (0, 1).
type LevelError struct{ Level float64 }

func (e *LevelError) Error() string {
	return fmt.Sprintf("noiseaware: level %g of credible intervals; want one above 0 and below 1", e.Level)
}

// ParameterError is a distribution, or a level of one, that the model does not have.
type ParameterError struct {
	Of, Label string   // Label is empty where there is no such distribution
	Want      []string // the levels, or the distributions
}

func (e *ParameterError) Error() string {
	what := fmt.Sprintf("no distribution %q", e.Of)
	if e.Label != "" {
		what = fmt.Sprintf("no level %q of %q", e.Label, e.Of)
	}
	return "noiseaware: " + what + `; want one of "` + strings.Join(e.Want, `", "`) + `"`
}
