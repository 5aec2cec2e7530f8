package networks

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/privbayes/privbayes-go/internal/truncated"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
)

// record is one example of the experiment: the class, and its features of two levels.
type record struct {
	y int
	x []int
}

// naive holds, for naive Bayes with uniform priors, the updates (Δα, Δβ) of the class and of every feature under either
// class: what the paper's Algorithms 1 and 2 release.
type naive struct {
	n     float64
	class [2]float64      // β, α: by value
	x     [][2][2]float64 // [feature][class][value]
}

func countNaive(rows []record, features int) naive {
	c := naive{n: float64(len(rows)), x: make([][2][2]float64, features)}
	for _, r := range rows {
		c.class[r.y]++
		for i, v := range r.x {
			c.x[i][r.y][v]++
		}
	}
	return c
}

// logOdds is ln P(y = 1 | x) − ln P(y = 0 | x) of the predictive posterior of Appendix C.1: α^y β^{1−y}/(α+β) over the
// nodes, with the uniform prior's 1 in both parameters.
func (c naive) logOdds(x []int) float64 {
	v := math.Log(1+c.class[1]) - math.Log(1+c.class[0])
	for i, s := range x {
		for y, sign := range [2]float64{-1, 1} {
			t := c.x[i][y]
			v += sign * math.Log((1+t[s])/(2+t[0]+t[1]))
		}
	}
	return v
}

func laplaceNoise(r *rand.Rand, scale float64) float64 {
	if r.IntN(2) == 0 {
		scale = -scale
	}
	return scale * r.ExpFloat64()
}

// algorithm1 is the paper's Algorithm 1: Laplace noise of scale 2|I|/ε on every count, cut to [0, n].
func algorithm1(c naive, eps float64, r *rand.Rand) naive {
	scale := 2 * float64(len(c.x)+1) / eps
	noisy := func(v float64) float64 { return math.Min(math.Max(v+laplaceNoise(r, scale), 0), c.n) }
	out := naive{n: c.n, x: make([][2][2]float64, len(c.x))}
	out.class = [2]float64{noisy(c.class[0]), noisy(c.class[1])}
	for i := range c.x {
		for y := range 2 {
			out.x[i][y] = [2]float64{noisy(c.x[i][y][0]), noisy(c.x[i][y][1])}
		}
	}
	return out
}

// sizeOfN is |N| = 2d + 2, the parities of naive Bayes with d features.
func sizeOfN(features int) float64 { return float64(2*features + 2) }

// algorithm2 is the paper's Algorithm 2 in unnormalised parities (2^{|I|/2} times its coefficients): Laplace noise of
// scale 2|N|/ε on all of them, 4t|N|²/ε added to the first; ok says that no cell of a released table is negative.
func algorithm2(c naive, eps, t float64, r *rand.Rand) (out naive, ok bool) {
	size := sizeOfN(len(c.x))
	scale := 2 * size / eps
	total := c.n + laplaceNoise(r, scale) + 4*t*size*size/eps
	y := c.class[0] - c.class[1] + laplaceNoise(r, scale)
	out = naive{n: c.n, class: [2]float64{(total + y) / 2, (total - y) / 2}, x: make([][2][2]float64, len(c.x))}
	least := math.Min(out.class[0], out.class[1])
	for i, h := range c.x {
		x := h[0][0] - h[0][1] + h[1][0] - h[1][1] + laplaceNoise(r, scale)
		xy := h[0][0] - h[0][1] - h[1][0] + h[1][1] + laplaceNoise(r, scale)
		out.x[i] = [2][2]float64{
			{(total + y + x + xy) / 4, (total + y - x - xy) / 4}, {(total - y + x - xy) / 4, (total - y - x + xy) / 4}}
		for _, row := range out.x[i] {
			least = math.Min(least, math.Min(row[0], row[1]))
		}
	}
	return out, least >= 0
}

// Stealth is the t of Algorithm 2 for naive Bayes with the given features at which all released cells are non-negative
// with the given probability when all true cells are 0, found from noise alone: a public number, which does not depend
// on ε. The paper sets its t so that this comes out, and does not give it.
func Stealth(features int, probability float64, seed uint64) float64 {
	const draws = 20_000
	r := rand.New(rand.NewPCG(seed, 90))
	none, needed := naive{x: make([][2][2]float64, features)}, make([]float64, draws)
	for i := range needed {
		c, _ := algorithm2(none, 2*sizeOfN(features), 0, r) // scale 1
		for _, v := range c.class {
			needed[i] = math.Max(needed[i], -2*v)
		}
		for _, t := range c.x {
			for _, row := range t {
				needed[i] = math.Max(needed[i], -4*math.Min(row[0], row[1]))
			}
		}
	}
	slices.Sort(needed)
	return needed[int(probability*draws)] / (2 * sizeOfN(features))
}

// samplerC2 is Appendix C.2: draws of all parameters from the posterior cut to [ω, 1 − ω], ω = e^{−ε/2}. It is nil for
// an empty interval.
func samplerC2(c naive, eps float64, draws int, r *rand.Rand) ([][]float64, error) {
	w := math.Exp(-eps / 2)
	if w >= .5 {
		return nil, nil
	}
	out := make([][]float64, draws)
	add := func(t [2]float64) error {
		law, err := truncated.NewBeta(1+t[1], 1+t[0], w, 1-w)
		if err != nil {
			return err
		}
		s := law.Sampler()
		for k := range out {
			out[k] = append(out[k], s.Draw(r))
		}
		return nil
	}
	if err := add(c.class); err != nil {
		return nil, err
	}
	for _, t := range c.x {
		for y := range 2 {
			if err := add(t[y]); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// averaged is the log-odds of the mean over draws of the joint probabilities, as C.2 forms its prediction.
func averaged(draws [][]float64, x []int) float64 {
	var sum [2]float64
	for _, p := range draws {
		v := [2]float64{1 - p[0], p[0]}
		for i, s := range x {
			for y := range v {
				q := p[1+2*i+y]
				if s == 0 {
					q = 1 - q
				}
				v[y] *= q
			}
		}
		sum[0], sum[1] = sum[0]+v[0], sum[1]+v[1]
	}
	return math.Log(sum[1]) - math.Log(sum[0])
}

// recordsOf reads a frame's rows in the order of the network's nodes, the class first.
func recordsOf(net *bayesnet.Net, columns [][]int) []record {
	out := make([]record, len(columns))
	for i, c := range columns {
		out[i] = record{c[0], c[1:net.DAG().Len()]}
	}
	return out
}
