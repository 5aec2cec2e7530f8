package noiseaware

import (
	"fmt"
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
