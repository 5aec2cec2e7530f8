package keep

import (
	"encoding/json"
	"errors"

	"github.com/privbayes/privbayes-go/privbayes/mechanism"
)

// Room bounds the size of a release's file from public facts: the numbers that its plan may draw, each raw and as what
// is made of it, the names and labels around them, and the checks.
func Room(plan *mechanism.Plan) (int64, error) {
	const number, word = 40, 16 // bytes of a number on a line of its own, and around a word
	checks, errA := json.Marshal(plan.Certificate())
	described, errB := json.Marshal(plan)
	if err := errors.Join(errA, errB); err != nil {
		return 0, err
	}
	bytes := 1<<16 + 3*int64(len(checks)) + 3*int64(len(described))
	bytes += number * int64(plan.Numbers())
	real := plan.Draws() != mechanism.Integers
	if real { // they come again as what is made of them
		bytes += number * int64(plan.Numbers())
	}
	longest := 0
	for _, t := range plan.Shape().Tables() {
		bytes += number * int64(t.Cells())
		for i, c := range t.Columns {
			bytes += int64(2*len(c) + 2*word)
			for _, l := range t.Labels[i] {
				longest = max(longest, len(l), len(c))
				bytes += int64(len(l) + word)
			}
		}
	}
	if l := plan.Shape().Learning(); l != nil { // at most a clique for every column
		bytes += number * int64(l.MaxCells) * int64(len(plan.Shape().Columns()))
	}
	words := 4 // of a name: column, level, and those that are given
	if plan.Shape().Joint() {
		words = 2 * len(plan.Shape().Columns())
	}
	for _, c := range plan.Shape().Conditionals() {
		if real {
			bytes += int64(c.Rows*c.Levels) * int64(number+words*longest+words/2*word) // with a name, in a list of draws
		}
	}
	return bytes, nil
}
