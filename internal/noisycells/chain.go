package noisycells

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/privbayes/privbayes-go/internal/mcmc"
	"github.com/privbayes/privbayes-go/internal/sample"
)

// chain is the state of a Markov chain: ln λ of every cell, and β.
type chain struct {
	p    *Problem
	src  *rand.Rand
	log  []float64
	beta []float64

	cells  []cell
	odds   []float64 // zᵀβ of every cell
	total  float64   // Σλ
	most   float64   // of ln λ
	center []float64 // of the normal distributions that slices of β are about
	root   mat.TriDense
}

// cell is what was released of a cell.
type cell struct {
	first, second count
	window        float64 // of the slices of ln λ
}

// least is the least ln λ: there the counts are 0, and the prior has e^−20 of its mass at λ < 1 below.
const least = -40

func newChain(p *Problem, src *rand.Rand) *chain {
	c := &chain{p: p, src: src, log: make([]float64, len(p.Rows)), beta: make([]float64, len(p.Deviation)),
		odds: make([]float64, len(p.Rows)), center: make([]float64, len(p.Deviation))}
	sum := 0.
	for i := range p.Rows {
		one := cell{newCount(p.First[i], p.Rate), newCount(p.Second[i], p.Rate), 0}
		n := math.Max(one.first.r+one.second.r, 1)
		one.window = math.Min(2, 3*math.Sqrt(n+4/(p.Rate*p.Rate))/n)
		c.cells = append(c.cells, one)
		sum += math.Abs(one.first.r) + math.Abs(one.second.r)
	}
	c.most = math.Log(2*math.Max(p.N, sum) + 100/p.Rate + 100)
	return c
}

// refer puts the normal distributions that slices of β are about at a mean, with multiples of a covariance.
func (c *chain) refer(mean []float64, covariance *mat.SymDense) {
	k := len(mean)
	wide := mat.NewSymDense(k, nil)
	wide.CopySym(covariance)
	for j, sd := range c.p.Deviation { // in case all draws are equal
		wide.SetSym(j, j, wide.At(j, j)*(1+1e-9)+1e-12*sd*sd)
	}
	var chol mat.Cholesky
	if chol.Factorize(wide) {
		copy(c.center, mean)
		chol.LTo(&c.root)
	}
}

// normal is a draw from the normal distribution of that covariance, less its mean.
func (c *chain) normal() []float64 {
	z := make([]float64, len(c.beta))
	for j := range z {
		z[j] = sample.Normal(c.src)
	}
	out := mat.NewVecDense(len(z), nil)
	out.MulVec(&c.root, mat.NewVecDense(len(z), z))
	return out.RawVector().Data
}

// uniform is in (0, 1).
func (c *chain) uniform() float64 { return (float64(c.src.Uint64()>>11) + .5) * 0x1p-53 }

// logCell is the log-likelihood of a cell's released counts, but for a constant.
func (c *chain) logCell(i int, log, odds float64) float64 {
	const tiny = 1e-300
	lambda, one := math.Exp(log), &c.cells[i]
	return one.first.logProbability(math.Max(lambda/(1+math.Exp(odds)), tiny)) +
		one.second.logProbability(math.Max(lambda/(1+math.Exp(-odds)), tiny))
}

// renew computes what follows from the state.
func (c *chain) renew() {
	c.total = 0
	for i, row := range c.p.Rows {
		c.total += math.Exp(c.log[i])
		c.odds[i] = floats.Dot(row, c.beta)
	}
}

// Sweep moves every ln λ, and β about both normal distributions.
func (c *chain) Sweep(bool) {
	for i := range c.log {
		c.moveMean(i)
	}
	c.renew()
	c.moveBeta(near)
	c.moveBeta(far)
}

// moveMean moves ln λ of a cell by a slice. The prior λ^−½ is e^{½ ln λ} of ln λ.
func (c *chain) moveMean(i int) {
	at := c.log[i]
	rest := math.Max(c.total-math.Exp(at), 0)
	density := func(delta float64) float64 {
		log := at + delta
		if log < least || log > c.most {
			return math.Inf(-1)
		}
		out := c.logCell(i, log, c.odds[i]) + log/2
		if n := c.p.N; n > 0 {
			total := rest + math.Exp(log)
			out += n*math.Log(total) - total
		}
		return out
	}
	level := density(0) + math.Log(c.uniform())
	window := c.cells[i].window
	lo := -c.uniform() * window
	hi := lo + window
	for density(lo) > level {
		lo -= window
	}
	for density(hi) > level {
		hi += window
	}
	c.log[i] += mcmc.Slice(c.uniform, lo, hi, level, density)
	c.total = rest + math.Exp(c.log[i])
}

// moveBeta moves β by an elliptical slice about the normal distribution of a multiple of the covariance.
func (c *chain) moveBeta(wide float64) {
	k := len(c.beta)
	start, turn, z, odds := make([]float64, k), c.normal(), make([]float64, k), make([]float64, len(c.odds))
	floats.SubTo(start, c.beta, c.center)
	floats.Scale(math.Sqrt(wide), turn)
	next, white := make([]float64, k), mat.NewVecDense(k, nil)
	target := func() float64 { // log of the posterior over the normal's density, at center + z
		floats.AddTo(next, c.center, z)
		log := 0.
		for j, b := range next {
			log -= b * b / (2 * c.p.Deviation[j] * c.p.Deviation[j])
		}
		if white.SolveVec(&c.root, mat.NewVecDense(k, z)) != nil {
			return math.Inf(-1)
		}
		log += mat.Dot(white, white) / (2 * wide)
		for i, row := range c.p.Rows {
			odds[i] = floats.Dot(row, next)
			log += c.logCell(i, c.log[i], odds[i])
		}
		return log
	}
	copy(z, start)
	level := target() + math.Log(c.uniform())
	if mcmc.Circle(c.uniform, 60, level, func(cos, sin float64) float64 {
		for j := range z {
			z[j] = start[j]*cos + turn[j]*sin
		}
		return target()
	}) {
		copy(c.beta, next)
		copy(c.odds, odds)
	}
}

// Quantities are β and ln Σλ.
func (c *chain) Quantities() []float64 {
	return append(append([]float64(nil), c.beta...), math.Log(c.total))
}
