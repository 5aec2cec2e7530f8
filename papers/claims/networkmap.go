package claims

import (
	"errors"
	"math"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/internal/truncatednet"
)

// densityEpsilon is the exact ε of the density score at nominal ε = 1 between k and k+1 ones of n, all nodes alike,
// uniform prior on [0.1, 0.9] for each of one or two independent bits.
func densityEpsilon(nodes, n, k int) float64 {
	const w = .1
	delta := math.Sqrt(float64(nodes) * math.Log((1-w)/w))
	points, weights := num.GaussLegendre24()
	z := [2]float64{betaEvidence(float64(k), float64(n-k), w), betaEvidence(float64(k+1), float64(n-k-1), w)}
	density := func(ones int, p float64) float64 {
		return math.Exp(float64(ones)*math.Log(p) + float64(n-ones)*math.Log1p(-p) - z[ones-k])
	}
	score := func(ones int, p []float64) float64 {
		v := 1.0
		for _, x := range p {
			v *= density(ones, x)
		}
		return v / (2 * delta)
	}
	normaliser := func(ones int) float64 {
		sum := 0.0
		for i, u := range points {
			x := .5 + u*(.5-w)
			if nodes == 1 {
				sum += weights[i] / 2 * math.Exp(score(ones, []float64{x}))
				continue
			}
			for j, v := range points {
				sum += weights[i] * weights[j] / 4 * math.Exp(score(ones, []float64{x, .5 + v*(.5-w)}))
			}
		}
		return math.Log(sum)
	}
	most, zs := 0.0, normaliser(k+1)-normaliser(k)
	for i := range 41 {
		x := w + (1-2*w)*float64(i)/40
		if nodes == 1 {
			most = math.Max(most, math.Abs(score(k+1, []float64{x})-score(k, []float64{x})-zs))
			continue
		}
		for j := range 41 {
			y := w + (1-2*w)*float64(j)/40
			most = math.Max(most, math.Abs(score(k+1, []float64{x, y})-score(k, []float64{x, y})-zs))
		}
	}
	return most
}

func densityScore(t *trial, allowed float64) error {
	golden := map[[2]int]float64{{1, 1}: .675, {1, 2}: .882, {1, 5}: 1.340, {2, 1}: 1.193, {2, 2}: 2.44, {2, 5}: 6.69}
	for nodes := 1; nodes <= 2; nodes++ {
		for n := 1; n <= 5; n++ {
			most := 0.0
			for k := range n {
				most = math.Max(most, densityEpsilon(nodes, n, k))
			}
			t.printed(most <= allowed, float64(10*n+nodes), "%d nodes on [0.1, 0.9], uniform prior, n = %d, ε = 1: "+
				"exactly %.3f", nodes, n, most)
			if v := golden[[2]int{nodes, n}]; v > 0 {
				t.f.number("exact ε at nominal 1", most, v, 6e-3*v)
			}
		}
	}
	return nil
}

func gridScore(t *trial, factor float64) error {
	for _, lr := range []float64{.1, 1, math.Log(9), 4} {
		most := 0.0
		for i := range 2001 { // two points with ln-ratio ±Lr
			v := 1 / (1 + math.Exp(6-12*float64(i)/2000))
			z := v*math.Exp(lr) + (1-v)*math.Exp(-lr)
			most = math.Max(most, math.Abs(v*math.Exp(lr)/z-v))
		}
		t.bound(factor*math.Sqrt(lr), most, lr, "Lr = %v", lr)
		t.f.require(near(most, math.Tanh(lr/2), 1e-5) && most <= math.Tanh(lr/2)*(1+1e-12), "Lr = %v: %v", lr, most)
	}
	r := rand.New(rand.NewPCG(6, 120))
	for range 3000 {
		g := randomFamily(r)
		eps := .1 + 4*r.Float64()
		g.pairs(func(x, y int) {
			p, q := g.posterior(x), g.posterior(y)
			delta := math.Tanh(g.uniform() * g.rho(x, y) / 2)
			for i := range p {
				t.f.require(math.Abs(p[i]-q[i]) <= delta*(1+1e-9)+1e-14, "score moves by %v, Δ = %v",
					math.Abs(p[i]-q[i]), delta)
			}
			draw := func(p []float64) []float64 {
				out, sum := make([]float64, len(p)), 0.0
				for i := range p {
					out[i] = g.prior[i] * math.Exp(eps*p[i]/(2*delta))
					sum += out[i]
				}
				for i := range out {
					out[i] /= sum
				}
				return out
			}
			_, hi := lossRange(draw(p), draw(q))
			t.f.require(hi <= eps*(1+1e-9), "the algorithm costs %v of %v", hi, eps)
		})
	}
	t.margin(1.853, 6.33, 1.2e-2)
	return nil
}

func networkLemma4(t *trial, factor float64) error {
	delta := math.Sqrt(math.Log(9))
	for eps := 1; eps <= 12; eps++ {
		for ones := 1; ones <= 6; ones++ {
			a, b := math.Pow(.9, float64(ones)), math.Pow(.1, float64(ones))
			gap := (a - b) / (a + b) // of the two posterior probabilities; 2t is just that
			level := gap / 2
			far := 1 / (1 + math.Exp(float64(eps)*gap/(2*delta)))
			printed, corrected := math.Exp(-factor*float64(eps)*level)/.5, math.Exp(-float64(eps)*level/(2*delta))/.5
			t.printed(far <= printed, float64(10*eps+ones), "grid {0.1, 0.9}, %d ones, Δ = %.3f, t = %.3f, ε = %d: "+
				"%.3f > %.3f", ones, delta, level, eps, far, printed)
			t.repaired(far <= corrected, "ε = %d, %d ones", eps, ones)
		}
	}
	r := rand.New(rand.NewPCG(6, 121))
	for range 20000 {
		k := 2 + r.IntN(6)
		prior, u, sum := make([]float64, k), make([]float64, k), 0.0
		for i := range prior {
			prior[i], u[i] = r.ExpFloat64(), r.Float64()
			sum += prior[i]
		}
		eps, delta, level := 10*r.Float64(), .05+r.Float64(), r.Float64()/2
		top, z, far, close := 0.0, 0.0, 0.0, 0.0
		for _, v := range u {
			top = math.Max(top, v)
		}
		for i, v := range u {
			w := prior[i] / sum * math.Exp(eps*(v-top)/(2*delta))
			z += w
			if v <= top-2*level {
				far += w
			}
			if v > top-level {
				close += prior[i] / sum
			}
		}
		t.repaired(far/z <= math.Exp(-eps*level/(2*delta))/close*(1+1e-12), "random scores: %v", far/z)
	}
	return nil
}

// logScore compares tables of n records of two independent bits on a grid, under base measures from uniform to nearly
// all on one point.
func logScore(t *trial, factor float64) error {
	r := rand.New(rand.NewPCG(6, 122))
	grid := []float64{.1, .3, .5, .9}
	const eps, bits = 1.0, 2
	l := bits * math.Log(9) // max |ln p_θ(x) − ln p_θ(y)|
	for trial := range 200 {
		var base []float64
		for range len(grid) * len(grid) {
			base = append(base, math.Exp(4*r.NormFloat64()))
		}
		if trial == 0 { // nearly all on (0.1, 0.1), next to nothing on (0.9, 0.9)
			for i := range base {
				base[i] = 0
			}
			base[0], base[len(base)-1] = 1, 1e-9
		}
		for n := 1; n <= 3; n++ {
			law := func(a, b int) []float64 {
				out, sum := make([]float64, len(base)), 0.0
				for i := range base {
					p, q := grid[i/len(grid)], grid[i%len(grid)]
					u := float64(a)*math.Log(p) + float64(n-a)*math.Log1p(-p) + float64(b)*math.Log(q) +
						float64(n-b)*math.Log1p(-q)
					out[i] = base[i] * math.Exp(eps*u/(2*l))
					sum += out[i]
				}
				for i := range out {
					out[i] /= sum
				}
				return out
			}
			for a := range n {
				for b := range n {
					for _, way := range [][4]int{{a, b, a + 1, b + 1}, {a, b + 1, a + 1, b}, {a, b, a + 1, b}} {
						lo, hi := lossRange(law(way[0], way[1]), law(way[2], way[3]))
						t.bound(factor*eps, math.Max(hi, -lo), float64(n), "n = %d", n)
					}
				}
			}
		}
	}
	t.attained(1e-6)
	return nil
}

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
