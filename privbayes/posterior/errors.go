package posterior

import (
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
)

// positive reports whether v is a usable hyperparameter.
func positive(v float64) bool { return v > 0 && !math.IsInf(v, 1) }

// updated is alpha + counts, each sum checked. A count may be fractional, and negative as long as the sum stays
// positive: counts released with noise are.
func updated(distribution string, alpha, counts []float64) ([]float64, error) {
	if len(counts) != len(alpha) {
		return nil, domain.Refuse("posterior: "+distribution, "number of counts", len(counts), fmt.Sprint(len(alpha)))
	}
	out := make([]float64, len(alpha))
	for i, c := range counts {
		if out[i] = alpha[i] + c; !positive(out[i]) {
			return nil, domain.Refuse("posterior: "+distribution, fmt.Sprintf("counts[%d]", i), c,
				fmt.Sprintf("a finite number > %g", -alpha[i]))
		}
	}
	return out, nil
}
