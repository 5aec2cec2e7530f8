package claims

import (
	"math"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/internal/num"
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
