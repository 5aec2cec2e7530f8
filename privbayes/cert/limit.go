package cert

import (
	"context"
	"fmt"

	"github.com/privbayes/privbayes-go/privbayes/table"
)

// LimitError refuses a computation before it begins, as it would take more than a limit. Figure and limit are functions
// of public inputs.
type LimitError struct {
	What   string  // what was to be computed: "the audit of parities"
	Figure float64 // what it would take
	Unit   string  // of both: "bytes", "cells", "steps"
	Limit  float64
	Use    string // what to do instead; may be empty
}

func (e *LimitError) Error() string {
	s := fmt.Sprintf("cert: %s takes %s %s; the limit is %s", e.What, table.Apart(e.Figure, e.Limit),
		e.Unit, table.Apart(e.Limit, e.Figure))
	if e.Use != "" {
		s += "; " + e.Use
	}
	return s
}

// Within returns a *LimitError when the figure is above the limit or not a number, and nil otherwise.
func Within(what string, figure float64, unit string, limit float64, use string) error {
	if figure <= limit {
		return nil
	}
	return &LimitError{what, figure, unit, limit, use}
}

// DefaultMemoryLimit is the number of bytes that one computation may hold at once unless told otherwise: half a GiB.
const DefaultMemoryLimit = 1 << 29

type memoryKey struct{}

// WithMemoryLimit sets how many bytes a plan, certificate, draw or verification under the context may hold at once. It
// raises the default for a model that is known to be large, and lowers it where files of strangers are read.
func WithMemoryLimit(ctx context.Context, bytes int64) context.Context {
	return context.WithValue(ctx, memoryKey{}, bytes)
}

// MemoryLimit is the number of bytes that WithMemoryLimit set, else DefaultMemoryLimit.
func MemoryLimit(ctx context.Context) int64 {
	if n, ok := ctx.Value(memoryKey{}).(int64); ok {
		return n
	}
	return DefaultMemoryLimit
}

// Memory refuses what would hold more bytes than [MemoryLimit], by an estimate made before anything is allocated:
// *LimitError.
func Memory(ctx context.Context, what string, bytes float64) error {
	return Within(what, bytes, "bytes", float64(MemoryLimit(ctx)), "raise it with cert.WithMemoryLimit, or make the "+
		"model smaller")
}
