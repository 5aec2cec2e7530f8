package linear

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
)

// grid is the public lattice that moments are rounded to.
type grid struct {
	step  float64 // a power of two
	steps int     // the L2 sensitivity of the rounded moments, in steps
}

// maxRows keeps the rounding of sums small.
const maxRows = 1_000_000_000

// newGrid chooses the step and bounds the sensitivity of the rounded moments. For every one of the m moments |round(a)
// − round(b)| ≤ |a − b| + 1 step, so that in L2 norm rounding adds at most √m steps. A computed moment is the exact sum
// of products of rounded rows, which are rows of the unit ball (regression.Sums), rounded four times: to a float64, by
// two factors 1/√D, by √2. Its error is below 4·n·2^−53; charged is n·(n/256 + 260)·2^−53, the bound for sums in
// floating point that older releases were planned with, twice and times √m. The step is Δ/(4000√m) rounded down to a
// power of two: rounding costs about 0.03 % of the budget.
func newGrid(delta float64, dim, n int) (grid, error) {
	if n < 0 || n > maxRows {
		return grid{}, domain.Refuse("linear", "n", n, "0 to 1e9 rows for a lattice")
	}
	root := math.Sqrt(float64(entries(dim)))
	_, exp := math.Frexp(delta / (4000 * root))
	g := grid{step: math.Ldexp(1, exp-1)}
	computed := math.Ldexp(float64(n)*(float64(n)/256+260), -53)
	steps := math.Ceil((delta/g.step + root*(1+2*computed/g.step)) * (1 + 1e-14))
	if steps > 1e9 {
		return grid{}, domain.Refuse("linear", "n", n, "fewer rows or coordinates: the rounding of sums is above the noise")
	}
	g.steps = int(steps)
	return g, nil
}
