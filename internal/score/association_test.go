package score_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/privbayes/privbayes-go/internal/score"
)

// drawn is a table of n independent records with noise on every cell, normal or Laplace, and its margins as records and
// noise give them.
func drawn(src *rand.Rand, rows, columns []float64, n int, variance float64, laplace bool) score.Association {
	a := score.Association{Cells: make([]float64, len(rows)*len(columns)), Rows: make([]float64, len(rows)),
		Columns: make([]float64, len(columns)), N: float64(n), Variance: variance, Alike: 1}
	level := func(p []float64) int {
		u := src.Float64()
		for i, v := range p {
			if u -= v; u < 0 {
				return i
			}
		}
		return len(p) - 1
	}
	for range n {
		a.Cells[level(rows)*len(columns)+level(columns)]++
	}
	for i, y := range a.Cells {
		a.Rows[i/len(columns)] += y / float64(n)
		a.Columns[i%len(columns)] += y / float64(n)
	}
	if laplace {
		a.Kurtosis = 3
	}
	for i := range a.Cells {
		z := src.NormFloat64()
		if laplace {
			z = (src.ExpFloat64() - src.ExpFloat64()) / math.Sqrt2
		}
		a.Cells[i] += math.Sqrt(variance) * z
	}
	return a
}

// Without noise and with the table's own margins the statistic is Pearson's, whatever the number of rows.
func TestChiSquareWithoutNoiseIsPearsons(t *testing.T) {
	src := rand.New(rand.NewPCG(1, 1))
	for _, rows := range [][]float64{{.4, .6}, {.2, .3, .5}, {.25, .25, .25, .25}} {
		a := drawn(src, rows, []float64{.1, .2, .3, .4}, 400, 0, false)
		pearson := 0.0
		for i, y := range a.Cells {
			e := a.N * a.Rows[i/4] * a.Columns[i%4]
			pearson += (y - e) * (y - e) / e
		}
		q, df, p, ok := a.ChiSquare()
		tail := distuv.ChiSquared{K: float64(df)}.Survival(pearson)
		if !ok || df != 3*(len(rows)-1) || math.Abs(q-pearson) > 1e-9*pearson || math.Abs(p-tail) > 1e-9 {
			t.Errorf("%d rows: %v on %d, %t; want %v", len(rows), q, df, ok, pearson)
		}
		if len(rows) == 2 { // the trend of two levels is the same test
			two := score.Association{Cells: []float64{a.Cells[0], a.N*a.Rows[0] - a.Cells[0], a.Cells[4],
				a.N*a.Rows[1] - a.Cells[4]}, Rows: a.Rows, Columns: []float64{a.Columns[0], 1 - a.Columns[0]}, N: a.N, Alike: 1}
			q, _, _, _ := two.ChiSquare()
			u, v, noise := two.Trend([]float64{3, 5})
			if math.Abs(u*u/v-q) > 1e-9*q || noise != 0 {
				t.Errorf("%v, %v", u*u/v, q)
			}
		}
	}
}

// The tests reject at their level under independence, at n = 500 with noise four times the sampling and without; those
// that take the noisy table for counts do not (false alarm below 1e-9 for 6000 tables: 6.2 standard errors).
func TestAssociationHoldsItsLevel(t *testing.T) {
	const times, level = 6000, .05
	src := rand.New(rand.NewPCG(2, 3))
	off := 6.2*math.Sqrt(level*(1-level)/times) + .01 // the normal law at n = 500
	for _, c := range []struct {
		rows     []float64
		variance float64
		laplace  bool
	}{{[]float64{.3, .7}, 400, false}, {[]float64{.3, .7}, 0, false}, {[]float64{.2, .3, .5}, 100, false},
		{[]float64{.3, .7}, 400, true}, {[]float64{.2, .3, .5}, 400, true}} {
		columns := []float64{.1, .3, .25, .2, .15}
		var rejected [4]float64 // χ², trend by midpoints, by midranks, by the median
		mutant := 0.0
		for range times {
			a := drawn(src, c.rows, columns, 500, c.variance, c.laplace)
			if _, _, p, _ := a.ChiSquare(); p < level {
				rejected[0] += 1. / times
			}
			counts := a
			counts.Variance = 1e-9
			if _, _, p, _ := counts.ChiSquare(); p < level {
				mutant += 1. / times
			}
			for i, scores := range [][]float64{{1, 3, 4, 7, 12}, score.Midranks(a.Columns), score.AboveMedian(a.Columns)} {
				if len(c.rows) > 2 {
					rejected[i+1] = level
					continue
				}
				if u, v, noise := a.Trend(scores); 2*distuv.UnitNormal.Survival(math.Abs(u)/math.Sqrt(v+noise)) < level {
					rejected[i+1] += 1. / times
				}
			}
		}
		for i, r := range rejected {
			if math.Abs(r-level) > off {
				t.Errorf("%v, noise %v: test %d rejects %.4f", c.rows, c.variance, i, r)
			}
		}
		if c.variance > 0 && mutant < level+2*off {
			t.Errorf("%v, noise %v: the noisy table as counts rejects %.4f", c.rows, c.variance, mutant)
		}
	}
}

// A rule that chooses among 15 pairs, 14 with little noise and one with much, the one that is likeliest to be rejected
// given what sampling did, rejects too often by the p that is adjusted for 15 pairs of the same noise, and not by
// AnyNoise (false alarm below 1e-9). At one pair or a fixed share there is nothing to adjust.
func TestAnyNoiseHoldsForAnyRule(t *testing.T) {
	const times, level, pairs = 200_000, .05, 15
	src := rand.New(rand.NewPCG(4, 5))
	least := func(adjust func(p float64) float64) float64 { // the z at which p becomes the level
		lo, hi := 0.0, 8.0
		for range 60 {
			if mid := (lo + hi) / 2; adjust(2*distuv.UnitNormal.Survival(mid)) > level {
				lo = mid
			} else {
				hi = mid
			}
		}
		return hi
	}
	sidak := least(func(p float64) float64 { return -math.Expm1(pairs * math.Log1p(-p)) })
	ours := least(func(p float64) float64 { return score.AnyNoise(p, pairs) })
	power := func(x, w, z float64) float64 {
		return distuv.UnitNormal.CDF((math.Sqrt(w)*x-z)/math.Sqrt(1-w)) +
			distuv.UnitNormal.CDF((-math.Sqrt(w)*x-z)/math.Sqrt(1-w))
	}
	rejected := func(z float64) (sum float64) {
		for range times {
			most := 0.0
			for range pairs {
				most = math.Max(most, math.Abs(src.NormFloat64()))
			}
			best := 0.0 // the noise follows from what is chosen
			for w := .01; w < 1; w += .07 {
				best = math.Max(best, power(most, w, z))
			}
			sum += best / times
		}
		return sum
	}
	if r := rejected(ours); r > level+6.2*math.Sqrt(level/times) {
		t.Errorf("rejects %.4f of %v", r, level)
	}
	if r := rejected(sidak); r <= level+6.2*math.Sqrt(level/times) {
		t.Errorf("fixed noise: rejects %.4f", r)
	}
	a, b := score.AnyNoise(1e-12, 10), score.AnyNoise(1, 3)
	if a > 1e-9 || a < 1e-11 || b != 1 || score.AnyNoise(0, 3) != 0 {
		t.Error(a, b)
	}
}
