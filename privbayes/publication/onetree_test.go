package publication

import (
	"math"
	"testing"
)

// column are the errors of a histogram and of the quantiles of one column, for values that are spread evenly: the root
// mean square error of a rank, with half a leaf, and that of a bin, both as shares of n rows.
type column struct {
	n, bins, leaves float64
}

// tree are those of bins with noise of one variance, below which a tree of so many levels has noise of another. The sum
// of all is known.
func (c column) tree(ofBins, ofNodes float64, levels int) (rank, bin float64) {
	b := math.Pow(c.leaves/c.bins, 1/float64(levels))
	variance, v := 0., math.Inf(1) // of a node, from those below it
	for range levels {
		v = 1 / (1/ofNodes + 1/v)
		variance, v = variance+v*(b-1/b)/6, b*v
	}
	v = 1 / (1/ofBins + 1/v)
	variance += v * (c.bins - 1/c.bins) / 6
	return math.Hypot(math.Sqrt(variance)/c.n, .5/c.leaves), math.Sqrt(v) / c.n
}

// least is the least of the larger of two errors, in units of what half of the rate gives each item by itself: measured
// apart, and read separately; apart, and made to agree; and by one tree whose levels have the same noise.
func (c column) least(variance func(rate float64, levels int) float64) (agreeing, together float64) {
	apart := func(rate float64) float64 { // quantiles by themselves
		best := math.Inf(1)
		for c.leaves = c.bins; c.leaves <= 1<<14; c.leaves *= 2 {
			for levels := 1; levels <= 4; levels++ {
				// the first level is a tree's own: bins that nobody else measures
				root := column{c.n, math.Max(2, math.Pow(c.leaves, 1/float64(levels))), c.leaves}
				v := variance(rate, levels)
				rank := math.Hypot(math.Sqrt(v*c.leaves/6)/c.n, .5/c.leaves)
				if levels > 1 {
					rank, _ = root.tree(v, v, levels-1)
				}
				best = math.Min(best, rank)
			}
		}
		return best
	}
	wishes := [2]float64{apart(.5), math.Sqrt(variance(.5, 1)) / c.n}
	worst := func(rank, bin float64) float64 { return math.Max(rank/wishes[0], bin/wishes[1]) }
	agreeing, together = math.Inf(1), math.Inf(1)
	for c.leaves = 2 * c.bins; c.leaves <= 1<<14; c.leaves *= 2 {
		for levels := 1; levels <= 3; levels++ {
			together = math.Min(together, worst(c.tree(variance(1, levels+1), variance(1, levels+1), levels)))
			for part := .02; part < 1; part += .02 {
				agreeing = math.Min(agreeing, worst(c.tree(variance(1-part, 1), variance(part, levels), levels)))
			}
		}
	}
	return agreeing, together
}

// The table of theory/publication.md §5: a histogram and quantiles of one column that were made to agree would have .67
// to .86 of the errors of both apart. One tree, whose levels have the same noise, is the case of fixed parts: never
// better, and little better than both apart.
func TestOneTreeOfAColumn(t *testing.T) {
	for _, c := range []struct {
		n, bins, pure, pureTree, rho, rhoTree float64
	}{{1000, 16, .68, .89, .80, .89}, {5000, 8, .78, .97, .86, .97}, {5000, 16, .71, .94, .83, .94},
		{5000, 32, .67, .89, .84, .94}, {30_000, 16, .78, .98, .86, 1.02}} {
		all := column{n: c.n, bins: c.bins}
		pure, pureTree := all.least(func(rate float64, levels int) float64 {
			return 8 * math.Pow(float64(levels)/rate, 2)
		})
		rho, rhoTree := all.least(func(rate float64, levels int) float64 { return float64(levels) / (.02 * rate) })
		for i, have := range []float64{pure, pureTree, rho, rhoTree} {
			if want := []float64{c.pure, c.pureTree, c.rho, c.rhoTree}[i]; math.Abs(have-want) > .006 {
				t.Errorf("n = %v, %v bins: %.2f; want %v", c.n, c.bins, have, want)
			}
		}
		if pure > pureTree*(1+1e-3) || rho > rhoTree*(1+1e-3) {
			t.Errorf("one tree is better: %v, %v; %v, %v", pure, pureTree, rho, rhoTree)
		}
	}
}
