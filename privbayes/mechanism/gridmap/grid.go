package gridmap

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/cert"
)

// grid is the candidates for one conditional distribution: the points θ = r/m of the simplex with whole r_i ≥ floor.
type grid struct {
	levels, steps, floor int     // d, m, floor
	points               [][]int // r of every candidate
}

// maxCandidates bounds the candidates of one conditional distribution.
const maxCandidates = 200_000

// newGrid is the finest grid with at most the given steps and [maxCandidates] points: at least two.
func newGrid(ctx context.Context, levels, steps, floor int) (*grid, error) {
	for m := steps; m > levels*floor; m-- {
		if size := binomial(m-levels*floor+levels-1, levels-1); size <= maxCandidates {
			if err := cert.Memory(ctx, "a grid of candidates", size*float64(24+8*levels)); err != nil {
				return nil, err
			}
			g := &grid{levels: levels, steps: m, floor: floor}
			g.fill(make([]int, 0, levels), m)
			return g, nil
		}
	}
	return nil, domain.Refuse("gridmap",
		"resolution", fmt.Sprintf("%d steps, floor %d, %d levels", steps, floor, levels),
		fmt.Sprintf("more steps than levels × floor, and at most %d candidates", maxCandidates),
	)
}

func binomial(n, k int) float64 {
	out := 1.0
	for i := 1; i <= k; i++ {
		if out *= float64(n-k+i) / float64(i); out > 4*maxCandidates {
			break // it only grows
		}
	}
	return math.Round(out)
}

func (g *grid) fill(head []int, rest int) {
	left := g.levels - len(head)
	if left == 1 {
		g.points = append(g.points, append(append([]int(nil), head...), rest))
		return
	}
	for r := g.floor; rest-r >= (left-1)*g.floor; r++ {
		g.fill(append(head, r), rest-r)
	}
}

// logRange is ln of the largest ratio of two probabilities on the grid: what one record can change the log-likelihood
// by, from candidate to candidate.
func (g *grid) logRange() float64 {
	return math.Log(float64(g.steps-(g.levels-1)*g.floor) / float64(g.floor))
}

// score fills out with Σ_l (c_l + α_l − 1) ln θ_l of every candidate: the log posterior up to a constant.
func (g *grid) score(counts []int64, prior func(level int) float64, out []float64) {
	logs := make([]float64, g.steps+1)
	for r := 1; r <= g.steps; r++ {
		logs[r] = math.Log(float64(r) / float64(g.steps))
	}
	weights := make([]float64, g.levels)
	for l := range weights {
		weights[l] = float64(counts[l]) + prior(l) - 1
	}
	for i, p := range g.points {
		sum := 0.0
		for l, r := range p {
			sum += weights[l] * logs[r]
		}
		out[i] = sum
	}
}

// exponents turns scores into the exponents of the draw, P ∝ e^{−E}: E = rate·(max − score), cut at the sampler's
// limit. Both steps are 1-Lipschitz, and differences of neighbours' exponents take both signs or 0, so that neither
// widens their range.
func exponents(scores []float64, rate float64) {
	top := math.Inf(-1)
	for _, s := range scores {
		top = math.Max(top, s)
	}
	for i, s := range scores {
		scores[i] = math.Min(rate*(top-s), sample.MaxExponent)
	}
}

// posteriorScores turns log posteriors into probabilities on the grid.
func posteriorScores(scores []float64) {
	top, sum := math.Inf(-1), 0.0
	for _, s := range scores {
		top = math.Max(top, s)
	}
	for i, s := range scores {
		scores[i] = math.Exp(s - top)
		sum += scores[i]
	}
	for i := range scores {
		scores[i] /= sum
	}
}

// rounding bounds what floating point adds to the range of neighbours' exponents, for a rate and n records: every score
// errs by at most (d+2)·2^−52 of Σ c|ln θ|, and the sampler's weights by a fixed relative error.
func (g *grid) rounding(rate, n, extra float64) float64 {
	largest := (n + extra) * math.Log(float64(g.steps)/float64(g.floor))
	return 2 * (rate*float64(g.levels+4)*0x1p-52*largest + 2*sample.RelativeError(sample.MaxExponent))
}

// newGrids makes the grid of every conditional distribution; those of the same number of levels share one.
func newGrids(ctx context.Context, levels []int, steps, floor int) ([]*grid, error) {
	known, bytes := map[int]*grid{}, 0.0
	out := make([]*grid, len(levels))
	for i, l := range levels {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		g, ok := known[l]
		if !ok {
			var err error
			if g, err = newGrid(ctx, l, steps, floor); err != nil {
				return nil, err
			}
			known[l] = g
			bytes += float64(len(g.points)) * float64(24+8*l)
			if err := cert.Memory(ctx, "the grids of candidates", bytes); err != nil {
				return nil, err
			}
		}
		out[i] = g
	}
	return out, nil
}
