package claims

import (
	"errors"
	"math"

	"github.com/privbayes/privbayes-go/internal/truncatednet"
)

// epsilon is the exact record-level ε of one draw for a binary network with uniform priors on [w, 1−w], over all tables
// of n records.
func (g dag) epsilon(t *trial, n int, w float64) float64 {
	return g.epsilonPer(t, n, w, func(_, _ []int) float64 { return 1 })
}

// epsilonPer is the greatest loss over the weight of a replacement: the conditionals are independent, so that the loss
// is a sum over rows.
func (g dag) epsilonPer(t *trial, n int, w float64, weight func(x, y []int) float64) float64 {
	var cells [][]int
	records(g.arities(2), func(x []int) { cells = append(cells, append([]int(nil), x...)) })
	row := func(i int, x []int) (r int) {
		for _, p := range g[i] {
			r = 2*r + x[p]
		}
		return r
	}
	seen, most := map[[4]float64]float64{}, 0.0
	histograms(len(cells), n, func(h []int) {
		moves(h, func(from, to int) {
			sum := 0.0
			t.f.Cases++
			for i := range g {
				for r := range 1 << len(g[i]) {
					var now, next [2]float64 // counts of 0 and 1
					for c, v := range h {
						if row(i, cells[c]) == r {
							now[cells[c][i]] += float64(v)
						}
					}
					next = now
					if row(i, cells[from]) == r {
						next[cells[from][i]]--
					}
					if row(i, cells[to]) == r {
						next[cells[to][i]]++
					}
					if now == next {
						continue
					}
					key := [4]float64{now[1], now[0], next[1], next[0]}
					v, ok := seen[key]
					if !ok {
						v = rowLoss(now[1], now[0], next[1], next[0], w)
						seen[key] = v
					}
					sum += v
				}
			}
			most = math.Max(most, sum/weight(cells[from], cells[to]))
		})
	})
	return most
}

func naiveGraph(d int) dag {
	g := dag{{}}
	for range d {
		g = append(g, []int{0})
	}
	return g
}

func samplerNominal(t *trial, factor float64) error {
	for _, w := range []float64{.1, .3} {
		for d := 1; d <= 2; d++ {
			for n := 1; n <= 5-d; n++ {
				e := naiveGraph(d).epsilon(t, n, w)
				paper, k := factor*2*math.Log(1/w), float64(d+1)
				t.printed(e <= paper, float64(10*d+n)+w, "%d feature, w = %v, n = %d: %.3f > %.3f", d, w, n, e, paper)
				t.repaired(e <= 2*k*math.Log((1-w)/w), "d = %d, n = %d", d, n)
				v, err := truncatednet.Naive{Features: d, Records: n, Alpha: 1}.Epsilon(w, 1)
				t.repaired(err == nil && near(v, e, 1e-8) && v >= e*(1-1e-12), "closed form at d = %d, n = %d: %v, "+
					"not %v (%v)", d, n, v, e, err)
			}
		}
	}
	for _, c := range [][2]float64{{2, 16.475}, {5, 73.77}, {10, 137.7}} {
		v, err := truncatednet.Naive{Features: 16, Records: 50, Alpha: 1}.Epsilon(math.Exp(-c[0]/2), 1)
		if err != nil {
			return err
		}
		t.f.number("16 features, n = 50: true ε", v, c[1], 5e-4*c[1])
	}
	_, err := truncatednet.Nominal(1, 2)
	var empty *truncatednet.EmptyBoxError
	t.f.require(errors.As(err, &empty), "nominal ε = 1 has a box: %v", err)
	return nil
}

func samplerJoint(t *trial, factor float64) error {
	for d := 1; d <= 3; d++ {
		floor := math.Exp2(-float64(d + 1))
		for _, share := range []float64{.9, .4, .1} {
			w := share * floor
			p1 := 1 - math.Exp2(float64(d))*w
			r := p1 / w * math.Pow(1-math.Pow(w/p1, 1/float64(d)), float64(d))
			t.bound(factor*2*math.Log(1/w), 2*math.Log(r), float64(d), "d = %d, w = %v", d, w)
			v, err := truncatednet.JointSup(d, w)
			t.f.require(err == nil && near(v, 2*math.Log(r), 1e-8), "library at d = %d, w = %v: %v", d, w, v)
			// no table with equal features beats R: class prior q, feature probabilities a given the better class
			for i := 1; i < 200; i++ {
				for j := 1; j < 200; j++ {
					q, a := float64(i)/200, .5+float64(j)/400
					least := math.Min(q*math.Pow(1-a, float64(d)), (1-q)*math.Exp2(-float64(d)))
					if least >= w {
						t.f.require(q*math.Pow(a, float64(d))/least <= r*(1+1e-9), "q = %v, a = %v", q, a)
					}
				}
			}
		}
	}
	return nil
}

func samplerDraws(t *trial, factor float64) error {
	for n := 1; n <= 4; n++ {
		for k := 1; k <= 5; k++ {
			one := bitsEpsilon(1, n, .1)
			// the loss of k draws at θ₁ … θ_k is the sum of those at each: a grid of two ends and the middle
			loss := func(p float64) float64 {
				return betaDensity(1, n, .1, p) - betaDensity(0, n, .1, p)
			}
			most := 0.0
			ends := []float64{.1, .5, .9}
			lists(k, 3, func(x []int) {
				sum := 0.0
				for _, v := range x {
					sum += loss(ends[v])
				}
				most = math.Max(most, math.Abs(sum))
			})
			t.printed(most <= factor*one*(1+1e-12), float64(10*k+n), "one bit, w = 0.1, n = %d, %d samples: %.3f > %.3f", n,
				k, most, one)
			t.repaired(near(most, float64(k)*one, 1e-9), "n = %d, %d samples: %v, not %v", n, k, most, float64(k)*one)
		}
	}
	return nil
}
