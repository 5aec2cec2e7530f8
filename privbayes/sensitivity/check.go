package sensitivity

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// enumerationPairs keeps the enumeration inside a plan around a millisecond per feature.
const enumerationPairs = 1 << 20

// CellsCheck is the check that one row changes at most the given number of counts of a shape's tables, by one each:
// enumerated over every pair of rows of the structure, or of the largest structure of the same form that a plan can
// afford. The statement then says on how much it was checked, and value and bound are those of the smaller structure.
func CellsCheck(ctx context.Context, sh *model.Shape, adj dp.Adjacency, cells int) (cert.Check, error) {
	return cellsCheck(ctx, sh, adj, cells, structure.reducedTo)
}

// The proofs that the distance of two releases is the number of counts that change.
var replacing, adding = cert.Cite("Counts.replace_one_measured"), cert.Cite("Counts.add_one")

func cellsCheck(ctx context.Context, sh *model.Shape, adj dp.Adjacency, cells int,
	reduce func(structure, float64) structure) (cert.Check, error) {
	full := structureOf(sh, adj)
	small := reduce(full, enumerationPairs)
	scope, bound := "every pair of rows of this structure", float64(cells)
	statement, formula := "one row changes at most this many counts, each by one",
		fmt.Sprintf("%d counts per row", cells)
	if small.records() < full.records() {
		scope = fmt.Sprintf("every pair of rows with %d features of %v levels and %d classes; the full structure by "+
			"the closed form", len(small.Features), small.Features, small.Target)
		bound = math.Min(bound, float64(small.changed()))
		if len(small.Features) < len(full.Features) {
			statement += fmt.Sprintf(", checked on %d of %d features", len(small.Features), len(full.Features))
			formula = fmt.Sprintf("%.0f counts per row of those features, %d of all by the closed form", bound, cells)
		} else {
			statement += ", checked on fewer levels"
		}
	}
	citation := replacing
	if adj == dp.AddRemove {
		citation = adding
	}
	return enumeration.Check(cert.WithWorkLimit(ctx, max(cert.WorkLimit(ctx), cert.DefaultWorkLimit)), cert.Check{
		Statement: statement,
		Formula:   formula,
		Source:    "theory/dirichlet.md §4; sensitivity.OfCounts",
		Bound:     cert.Number(bound), Scope: scope,
		Citation: citation,
	}, small)
}
