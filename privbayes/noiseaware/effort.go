package noiseaware

import (
	"context"
	"math"
)

// effort is the work of one exact posterior, all rows and repetitions together: products formed, and terms looked at by
// what they cost. It does not depend on how fast the machine is. The first limit that is met, or the context's end,
// stays in err; what was computed since then is of no use. A nil effort bounds nothing.
type effort struct {
	ctx         context.Context
	done, limit float64
	since       float64
	err         error
}

const (
	// exactWork bounds an exact posterior where draws can take its place: about a second. Of a CDF, where they cannot,
	// stepsWork does.
	exactWork = 1e9
	stepsWork = 6e9
	// look is the work between two looks at the context: some milliseconds.
	look = 4e6
	// What a term costs beside a product: an exponential and five passes, a logarithm, two of them and a ratio of
	// gamma functions, and what is kept of a mixture.
	perTilted, perWeight, perTotal, perPart = 8, 8, 80, 8
)

func newEffort(ctx context.Context, limit float64) *effort { return &effort{ctx: ctx, limit: limit} }

// spend adds work, and is false where there is to be no more.
func (e *effort) spend(work float64) bool {
	if e == nil || e.err != nil {
		return e == nil
	}
	if e.done, e.since = e.done+work, e.since+work; e.done > e.limit {
		e.err = &WorkError{"the exact law of the counts, in products,", e.done, e.limit}
	} else if e.since >= look {
		e.since, e.err = 0, e.ctx.Err()
	}
	return e.err == nil
}

// needs is spend for work that is sure to be done, before any of it is.
func (e *effort) needs(work float64) error {
	if e != nil && e.err == nil && e.done+work > e.limit {
		e.err = &WorkError{"the exact law of the counts, in products,", e.done + work, e.limit}
	}
	return e.failed()
}

// reserved is for work that was counted before: it looks at the context only.
func (e *effort) reserved() *effort { return newEffort(e.ctx, math.Inf(1)) }

func (e *effort) failed() error {
	if e == nil {
		return nil
	}
	return e.err
}

// often is how many terms are taken between two calls of spend.
const often = 1 << 16
