package loss

import (
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/logratio"
)

// RangePair is the dominating pair of a draw whose neighbours' log-probabilities differ by amounts that lie within
// Range of one another over all outputs, and by at most Pure in absolute value: the privacy loss of the exponential
// mechanism, of which a score of sensitivity s at rate x has Range = 2xs. Every such pair of laws is dominated by a
// two-point pair (logratio.BoundedRange; theory/sampling.md §22 D). Both are ≥ 0.
type RangePair struct{ Range, Pure float64 }

func (p RangePair) String() string { return fmt.Sprintf("bounded range %.6g", p.Range) }

// PureEpsilon is Pure.
func (p RangePair) PureEpsilon() float64 { return p.Pure }

// Delta is (e^{w/2} − e^{ε/2})²/(e^w − 1), w the range, and 0 from ε = Pure on.
func (p RangePair) Delta(epsilon float64) float64 {
	if epsilon >= p.Pure {
		return 0
	}
	return math.Min(1, (1+1e-9)*logratio.BoundedRange(p.Range).Delta(epsilon))
}

// RDP is λ·range²/8 or Pure, close to the exact supremum for the small ranges that many draws share.
func (p RangePair) RDP(order float64) float64 { return math.Min(p.Pure, order*p.ZCDP()) }

// ZCDP is range²/8.
func (p RangePair) ZCDP() float64 { return (1 + 1e-9) * logratio.BoundedRange(p.Range).ZCDP() }
