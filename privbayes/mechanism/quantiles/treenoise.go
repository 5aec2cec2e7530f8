package quantiles

import (
	"context"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
)

// changed is how many counts of a tree one row changes by one: it is counted once on every level, and a row that is
// replaced may leave one node of every level and enter another.
func (t tree) changed(adj dp.Adjacency) int {
	if adj == dp.AddRemove {
		return t.levels()
	}
	return 2 * t.levels()
}

// families are the noise to choose from.
var families = []noise.Family{noise.GeometricFamily, noise.GaussianFamily}

// leastNoise is the least noise of a family at which changed counts meet the level.
func leastNoise(ctx context.Context, f noise.Family, changed, rows int, want dp.Parameters) (noise.Distribution, error) {
	d, met, err := f.Least(ctx, changed, rows, want)
	if err == nil && !met {
		err = mechanism.Unmet(ctx, want, d.Pair(changed, rows), "a weaker target")
	}
	return d, err
}

// inRecords reads noise of a file: of the families, whose pairs are proved, and of no other that somebody registered.
// Errors: *dp.ParameterError.
func inRecords(n noise.Named) (noise.Distribution, error) {
	for _, f := range families {
		if f.Name() == n.Family {
			return f.Parse(n.Params)
		}
	}
	return nil, domain.Refuse("quantiles", "law", safetext.Short(n.Family), families[0].Name()+" or "+families[1].Name())
}
