package weighted

import (
	"math"
	"slices"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// The golden sensitivities, by the check that the certificate runs, of every kind of boxes and both kinds of noise.
func TestTokensOfAllRows(t *testing.T) {
	for _, boxes := range []model.Boxes{model.BoxesShare, model.BoxesMean, model.BoxesTotal} {
		for _, adj := range []dp.Adjacency{dp.AddRemove, dp.ReplaceOne} {
			for _, groups := range []int{1, 2, 3} {
				for w := range int64(8) {
					for k := range int64(4) {
						q := tokensParams{boxes, w + 1, k + 1, groups, 1 << 20, w%2 > 0, adj}
						if boxes == model.BoxesShare {
							q.Steps = 1
						}
						c := must.Get(tokensChecker.Check(t.Context(), cert.Check{}, q))(t)
						want := float64(changed(adj, boxes, groups))
						lone := boxes == model.BoxesShare && groups == 1
						if float64(c.Value) > want || float64(c.Value) < want-1e-4 && !lone {
							t.Errorf("%+v: %v, want %v", q, c.Value, want)
						}
					}
				}
			}
		}
	}
}

// scaled is a gauge with a scale for every box.
func scaled(scales ...float64) func(z []int64) float64 {
	return func(z []int64) (sum float64) {
		for i, v := range z {
			if v != 0 {
				sum += math.Abs(float64(v)) / scales[i]
			}
		}
		return sum
	}
}

// vectors are what rows with weights 1 to 4 and places 0 to 3 release by a rule.
func vectors(rule func(w, k int64) []int64) (out [][]int64) {
	for w := range int64(4) {
		for k := range int64(4) {
			out = append(out, rule(w+1, k))
		}
	}
	return out
}

// The usual mistakes, each with the ε that it has at a stated ε of 1, by the enumeration that the certificate runs.
func TestMutantsAreRejected(t *testing.T) {
	const wide, steps = 4, 3
	six := vectors(func(w, k int64) []int64 {
		out := make([]int64, 6)
		for j, b := range []int64{(steps - k) * (steps - k), 2 * k * (steps - k), k * k} {
			out[j], out[3+j] = w*b, w*(wide-w)*b
		}
		return out
	})
	weights := vectors(func(w, _ int64) []int64 { return []int64{w} })
	pair := vectors(func(w, k int64) []int64 { return []int64{w * k, w * (steps - k)} })
	var twoRows [][]int64
	for _, a := range pair {
		for _, b := range pair {
			twoRows = append(twoRows, []int64{a[0] + b[0], a[1] + b[1]})
		}
	}
	production := func(boxes model.Boxes, groups int) [][]int64 {
		return rowsOf(model.Tokens{Boxes: boxes, W: wide, K: steps, T: 1 << 20}, groups)
	}
	tokens := slices.Repeat([]float64{1 << 20}, 12)
	for name, c := range map[string]struct {
		rows  [][]int64
		adj   dp.Adjacency
		gauge func(z []int64) float64
		want  float64
	}{
		"none":                          {production(model.BoxesMean, 2), dp.AddRemove, scaled(tokens...), 1},
		"range of the weight forgotten": {six, dp.AddRemove, scaled(9, 9, 9, 36, 36, 36), 4},
		"w_max - w_min, add-remove":     {weights, dp.AddRemove, scaled(wide - 1), 4. / 3},
		"squares uncharged": {vectors(func(w, _ int64) []int64 { return []int64{w, w * w} }), dp.AddRemove,
			scaled(wide, wide*wide), 2},
		"squares at the counts' scale": {vectors(func(w, _ int64) []int64 { return []int64{w, w * (wide - w)} }),
			dp.AddRemove, scaled(wide, wide), 1.5},
		"replaced as added: table":        {production(model.BoxesShare, 2), dp.ReplaceOne, scaled(tokens...), 2},
		"replaced as added: mean":         {production(model.BoxesMean, 1), dp.ReplaceOne, scaled(tokens...), 2},
		"replaced as added: totals":       {production(model.BoxesTotal, 2), dp.ReplaceOne, scaled(tokens...), 2},
		"one total, replaced (no mutant)": {production(model.BoxesTotal, 1), dp.ReplaceOne, scaled(tokens...), 1},
		"numerator at 0 called centred": {vectors(func(w, k int64) []int64 { return []int64{w * 2 * k, w} }), dp.ReplaceOne,
			scaled(2*wide*steps, 2*wide), 11. / 8},
		"units of two rows, cap of one":  {twoRows, dp.AddRemove, scaled(wide*steps, wide*steps), 2},
		"scale from the largest weight":  {weights, dp.AddRemove, scaled(2), 2},
		"rate by the row's own weight":   {weights, dp.AddRemove, scaled(1), 4},
		"sum of weights without a noise": {weights, dp.ReplaceOne, scaled(0), math.Inf(1)},
	} {
		if got, _ := farthest(c.rows, c.adj, c.gauge); math.Abs(got-c.want) > 1e-4 && got != c.want {
			t.Errorf("%s: ε = %v for %v", name, got, c.want)
		}
	}
	nearest, most := model.Tokens{Boxes: model.BoxesMean}, 0.0
	for _, s := range [][2]int64{{3, 3}, {1, 2}, {1, 4}} {
		for _, nearest.T = range []int64{6, 7, 10} {
			nearest.W, nearest.K = s[0], s[1]
			fine := nearest
			fine.T *= 1 << 16
			rows := rowsOf(fine, 1)
			for _, row := range rows {
				for j, v := range row {
					row[j] = (v + 1<<15 + 1<<3) >> 16 // the fine one is rounded down
				}
			}
			far, _ := farthest(rows, dp.AddRemove, scaled(slices.Repeat([]float64{float64(nearest.T)}, 6)...))
			most = math.Max(most, far)
		}
	}
	if math.Abs(most-7./6) > 1e-12 {
		t.Errorf("nearest in place of floor: %v", most)
	}
}

// Rules that look at the weights of all rows: rows are then scaled by those of others, and the certificate's row has no
// such rule.
func TestWeightsOfTheDataAreRejected(t *testing.T) {
	normalised := func(a, b, c, x, y, z int64) float64 {
		s := float64(a + b + c)
		one := func(w, x int64) float64 { return math.Min(3*float64(w)/s, 1.5) * float64(x) }
		return one(a, x) + one(b, y) + one(c, z)
	}
	trimmed := func(w ...int64) (sum, middle float64) {
		order := slices.Sorted(slices.Values(w))
		for _, v := range w {
			sum += float64(min(v, order[1]))
		}
		return sum, float64(order[1])
	}
	far, median := 0.0, 0.0
	for a := range int64(8) {
		for b := range int64(8) {
			for u := range int64(8) {
				for v := range int64(8) {
					x, scale := trimmed(a+1, b+1, u+1)
					y, _ := trimmed(a+1, b+1, v+1)
					median = math.Max(median, math.Abs(x-y)/scale)
					for bits := range int64(16) {
						if max(a, b, u, v) < 4 {
							far = math.Max(far, math.Abs(normalised(a+1, b+1, u+1, bits&1, bits>>1&1, bits>>2&1)-
								normalised(a+1, b+1, v+1, bits&1, bits>>1&1, bits>>3))/1.5)
						}
					}
				}
			}
		}
	}
	if math.Abs(far-4./3) > 1e-12 || median != 14 {
		t.Errorf("normalised %v, trimmed at the median %v", far, median)
	}
}

// Squares ride free at 1/11 of the variance, and would not at 1/12.
func TestSquaresRideFree(t *testing.T) {
	for _, gaussian := range []bool{false, true} {
		c := must.Get(squaresChecker.Check(t.Context(), cert.Check{Bound: 1}, squaresParams{gaussian}))(t)
		if !c.OK() || c.Value != 1 {
			t.Errorf("Gaussian %v: %v", gaussian, c.Value)
		}
	}
	most := 0.0
	for a := range 1001 {
		x := float64(a) / 1000
		most = math.Max(most, x*x*(1+12*(1-x)*(1-x)))
	}
	if math.Abs(most-1.0513) > 1e-4 {
		t.Errorf("at 1/12: %v", most)
	}
	for _, sigma2 := range []uint64{1, 10, 11, 12, 1 << 40} {
		q := params{Tokens: 1 << 20, Sigma2: &noise.Rational{Num: sigma2, Den: 1}}
		one, rest, err := q.noise()
		if err != nil || gaussianFree*rest.Variance() < one.Variance()*(1-1e-9) && sigma2 > 1000 {
			t.Errorf("σ² = %d: %v and %v, %v", sigma2, one, rest, err)
		}
	}
}

// The least variance that lists take the noise on tokens to have is that of the boxes of t(1 − t).
func TestLeastVarianceOfTokens(t *testing.T) {
	for _, sigma2 := range []noise.Rational{{Num: 3 << 30, Den: 1}, {Num: 12345, Den: 4}} {
		q := params{Tokens: model.LeastTokens, Sigma2: &sigma2}
		one, rest, err := q.noise()
		least := q.pair(2, 2).(loss.LatticePair).Least
		if a, b := noise.FormOf(one).Sigma2, noise.FormOf(rest).Sigma2; err != nil || a < b || least > b || least < .99*b {
			t.Errorf("σ² = %v: least %v of %v and %v, %v", sigma2, least, a, b, err)
		}
	}
}
