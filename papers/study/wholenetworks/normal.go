package wholenetworks

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
)

// normal is Gibbs sampling with a normal law of the counts, in the manner of Bernstein and Sheldon, "Differentially
// private Bayesian inference for exponential families" (2018): given the network, the counts of all tables are normal
// with the multinomial's mean and covariance, continuous and possibly negative; the noise is Laplace, a scale mixture
// of normals, so given the scales the counts are normal; and given the counts the rows are Dirichlet, negative counts
// taken as 0. The cost does not depend on n. What it takes for normal is wrong where counts are small.
type normal struct {
	*noisy
	rng    *rand.Rand
	src    rand.Source
	theta  tables
	cells  [][]int   // of every configuration of all nodes: its cell of each table, all tables one after the other
	codes  [][]uint8 // and its levels
	y      []float64
	scale  []float64 // b of every cell
	spread []float64 // σ² of every cell's noise now
	place  []int     // of each family's cells: the table that holds it
	family [][]float64
}

func newNormal(s *noisy, theta tables, src rand.Source) *normal {
	g := &normal{noisy: s, rng: rand.New(src), src: src, theta: theta}
	first := []int{}
	for t, y := range s.y {
		first = append(first, len(g.y))
		for _, c := range y {
			b := 1 / s.rate[t]
			g.y, g.scale, g.spread = append(g.y, float64(c)), append(g.scale, b), append(g.spread, 2*b*b)
		}
	}
	total := 1
	for v := range s.dag.Len() {
		total *= s.dag.Arity(v)
		g.family = append(g.family, make([]float64, s.dag.FamilyCells(v)))
		for t, vars := range s.vars {
			if holds(vars, s.dag.Family(v)) {
				g.place = append(g.place, t)
				break
			}
		}
	}
	for i := range total {
		x, rest := make([]uint8, s.dag.Len()), i
		for v := range x {
			x[v] = uint8(rest % s.dag.Arity(v))
			rest /= s.dag.Arity(v)
		}
		var at []int
		for t, vars := range s.vars {
			at = append(at, first[t]+cell(s.dag, vars, x))
		}
		g.cells, g.codes = append(g.cells, at), append(g.codes, x)
	}
	return g
}

func holds(vars, family []int) bool {
	in := map[int]bool{}
	for _, v := range vars {
		in[v] = true
	}
	for _, v := range family {
		if !in[v] {
			return false
		}
	}
	return true
}

func (g *normal) sweep() tables {
	k, n := len(g.y), float64(g.n)
	mean, free, total := make([]float64, k), make([]float64, k), 0.0
	cov := mat.NewSymDense(k, nil)
	draws, p := make([]float64, len(g.cells)), make([]float64, len(g.cells))
	for i, x := range g.codes {
		p[i] = 1
		for v := range g.theta {
			p[i] *= g.theta[v][cell(g.dag, g.dag.Family(v), x)]
		}
		draws[i] = math.Sqrt(n*p[i]) * g.rng.NormFloat64()
		total += draws[i]
		for _, c := range g.cells[i] {
			mean[c] += n * p[i]
			for _, e := range g.cells[i] {
				if e >= c {
					cov.SetSym(c, e, cov.At(c, e)+n*p[i])
				}
			}
		}
	}
	for i, at := range g.cells { // counts as if unmeasured: normal with the multinomial's covariance
		for _, c := range at {
			free[c] += n*p[i] + draws[i] - p[i]*total
		}
	}
	prior := mat.NewSymDense(k, nil)
	for c := range k {
		for e := c; e < k; e++ {
			prior.SetSym(c, e, cov.At(c, e)-mean[c]*mean[e]/n)
		}
	}
	sum := mat.NewSymDense(k, nil)
	sum.CopySym(prior)
	off := mat.NewVecDense(k, nil)
	for c := range k {
		sum.SetSym(c, c, sum.At(c, c)+g.spread[c])
		off.SetVec(c, g.y[c]-free[c]-math.Sqrt(g.spread[c])*g.rng.NormFloat64())
	}
	var root mat.Cholesky
	counts := free
	if root.Factorize(sum) {
		var w, by mat.VecDense
		if root.SolveVecTo(&w, off) == nil {
			by.MulVec(prior, &w)
			for c := range k {
				counts[c] += by.AtVec(c)
			}
		}
	}
	for c := range k { // 1/σ² is inverse Gaussian with mean 1/(b·|e|) and shape 1/b²
		e, b := math.Max(math.Abs(g.y[c]-counts[c]), 1e-9), g.scale[c]
		g.spread[c] = 1 / math.Max(inverseGaussian(g.rng, 1/(b*e), 1/(b*b)), 1e-12)
	}
	for v := range g.family {
		clear(g.family[v])
	}
	first := 0
	for t, vars := range g.vars {
		g.margins(t, vars, counts[first:first+len(g.noisy.y[t])])
		first += len(g.noisy.y[t])
	}
	for v := range g.family {
		for i := range g.family[v] {
			g.family[v][i] = math.Max(g.family[v][i], 0)
		}
	}
	g.theta = dirichlets(g.dag, g.family, g.src)
	return g.theta
}

// margins adds the cells of table t to the families that are read from it.
func (g *normal) margins(t int, vars []int, counts []float64) {
	x := make([]uint8, g.dag.Len())
	for i, c := range counts {
		rest := i
		for j := len(vars) - 1; j >= 0; j-- {
			x[vars[j]] = uint8(rest % g.dag.Arity(vars[j]))
			rest /= g.dag.Arity(vars[j])
		}
		for v, from := range g.place {
			if from == t {
				g.family[v][cell(g.dag, g.dag.Family(v), x)] += c
			}
		}
	}
}

// inverseGaussian draws by the transformation of Michael, Schucany and Haas (1976), in the form without cancellation.
func inverseGaussian(r *rand.Rand, mu, shape float64) float64 {
	z := r.NormFloat64()
	w := mu * z * z / (2 * shape) // x = µ·(1 + w − √(w² + 2w)) = µ/(1 + w + √(w² + 2w))
	x := mu / (1 + w + math.Sqrt(w*w+2*w))
	if r.Float64() <= mu/(mu+x) {
		return x
	}
	return mu * (mu / x)
}
