package advise

import (
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// Warnings lists, target by target, what the target's level warns of and what the plan of the recommended mechanism
// does, each once; and a size that is shown although the adjacency hides n, unless it is the one that the schema
// declares. Public, like all advice.
func (a *Advice) Warnings() warning.List {
	var out warning.List
	for i, t := range a.targets {
		out = out.And(t.Parameters.Warnings(mechanism.Size(a.shape)))
		best, ok := a.Best(i)
		if !ok {
			continue
		}
		for _, w := range best.warnings {
			// the certified level says again what its target does
			if w.Kind != warning.KindEpsilon && w.Kind != warning.KindDelta {
				out = out.And(warning.List{w})
			}
		}
	}
	if n, _ := a.shape.N(); !a.targets[0].Adjacency.PublicN() && n != a.shape.Schema().ApproximateRows {
		out = append(out, warning.NNotPublic(n,
			"this advice, under "+a.targets[0].Adjacency.String()+", is for and shows"))
	}
	return out
}

// Warnings lists what the plan of the row warns of.
func (r Row) Warnings() warning.List { return r.warnings }
