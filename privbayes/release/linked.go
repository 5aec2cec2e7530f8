//go:build !browser && !verifier

package release

import (
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// SynthesizeTables draws n units from a release of two linked tables whose children have places, and gives both tables:
// n parents with keys from 1 on, and the children of each. It reads no data and costs no budget. Each child has a
// parent, and each parent as many children as were drawn for it. Read again under the release's schema, the tables are
// the rows that Synthesize draws, with children in the schema's order.
//
// Errors: those of Synthesize and of frame.SplitTables, such as for a model that does not have all columns.
func (r *Release) SynthesizeTables(n int, src rand.Source) (parents, children *frame.Frame, err error) {
	f, err := r.Synthesize(n, src)
	if err != nil {
		return nil, nil, err
	}
	return frame.SplitTables(f, r.plan.Shape().Schema())
}
