package counts

import (
	"math"

	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
)

// Output laws are walked up to a probability outputTail outside, and only where they have at most outputWidth values to
// a side.
const (
	outputTail  = 1e-13
	outputWidth = 20_000
)

// walk visits y + z for every z of the noise but for a probability of outputTail, with its probability.
func walk(law noise.Probabilities, y int64, visit func(y int64, p float64)) (ok bool) {
	far := noise.Quantile(law, math.Log(outputTail/2))
	for z := -far; z <= far && far <= outputWidth; z++ {
		visit(y+z, math.Exp(law.LogProb(z)))
	}
	return far <= outputWidth
}

// OutputLaw visits every value that Draw may release of the tables, with its probability, where one count is measured;
// ok is false for other plans and where the noise is too wide. What is visited is overwritten by the next visit.
// Package advise sums errors over it.
func (c *countSampler) OutputLaw(tables [][]int64, visit func(raw [][]int64, p float64)) (ok bool) {
	if len(c.measured) != 1 || c.measured[0] != 1 {
		return false
	}
	raw := [][]int64{{0}}
	return walk(c.laws[0], tables[0][0]*c.unit, func(y int64, p float64) { raw[0][0] = y; visit(raw, p) })
}

// OutputLaw is that of a table of two cells: what one gains the other loses.
func (d *knormSampler) OutputLaw(tables [][]int64, visit func(raw [][]int64, p float64)) (ok bool) {
	if len(d.sums) != 1 || d.sums[0].Dim() != 2 {
		return false
	}
	law, raw := d.sums[0], [][]int64{{0, 0}}
	far := int64(math.Ceil(-math.Log(outputTail) / (2 * law.Rate())))
	for z := -far; z <= far && far <= outputWidth; z++ {
		raw[0][0], raw[0][1] = tables[0][0]+z, tables[0][1]-z
		visit(raw, law.Marginal(z))
	}
	return far <= outputWidth
}

// OutputLaw is that of the one parity of a column with two levels.
func (d *fourierSampler) OutputLaw(tables [][]int64, visit func(raw [][]int64, p float64)) (ok bool) {
	if !d.spectrum.Binary() || d.spectrum.Size() != 2 || len(tables) != 1 || len(tables[0]) != 2 {
		return false
	}
	phi, err := d.spectrum.Coefficients(tables)
	if err != nil {
		return false
	}
	raw := [][]int64{{0}}
	return walk(d.law, (phi[0]-phi[1])/2, func(y int64, p float64) { raw[0][0] = y; visit(raw, p) })
}
