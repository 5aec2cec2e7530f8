package noiseaware

import (
	"github.com/privbayes/privbayes-go/internal/domain"
	noisysums "github.com/privbayes/privbayes-go/privbayes/mechanism/sums"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// PopulationMean is an interval of the given level in (0, 1) for the mean of the population that the rows are a sample
// of, from a release of Mean or MeanSD by NoisySums with public n; no model of the values is assumed. It is wider than
// the interval of the rows' own mean, which is what the release itself shows. See sums.PopulationMean. Errors:
// *mechanism.UnsupportedError, *dp.ParameterError.
func PopulationMean(r *release.Release, level float64) (lower, upper float64, err error) {
	if r == nil || r.Plan() == nil || len(r.Raw()) != 1 {
		return 0, 0, domain.Refuse("noiseaware", "release", "of another kind", "one of Mean or MeanSD by NoisySums")
	}
	return noisysums.PopulationMean(r.Plan(), r.Raw()[0], level)
}
