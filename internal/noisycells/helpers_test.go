package noisycells

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/privbayes/privbayes-go/internal/sample"
)

// crossed are the rows of all cells of factors with main effects, the last factor running fastest.
func crossed(levels ...int) (rows [][]float64) {
	rows = [][]float64{{1}}
	for _, l := range levels {
		var next [][]float64
		for _, row := range rows {
			for at := range l {
				indicators := make([]float64, l-1)
				if at > 0 {
					indicators[at-1] = 1
				}
				next = append(next, append(slices.Clone(row), indicators...))
			}
		}
		rows = next
	}
	return rows
}

// geometric is a draw of two-sided geometric noise.
func geometric(src *rand.Rand, rate float64) int64 {
	one := func() int64 { return int64(math.Log(sample.Float64(src)) / -rate) }
	return one() - one()
}

// drawn is a table of n rows, cells from a flat Dirichlet distribution, coefficients from the prior, with noise.
func drawn(src *rand.Rand, p Problem, n int) (Problem, []float64) {
	shares, sum := make([]float64, len(p.Rows)), 0.
	for c := range shares {
		shares[c] = -math.Log(sample.Float64(src))
		sum += shares[c]
	}
	beta := make([]float64, len(p.Deviation))
	for j, sd := range p.Deviation {
		beta[j] = sd * sample.Normal(src)
	}
	p.First, p.Second = make([]int64, len(p.Rows)), make([]int64, len(p.Rows))
	for range n {
		u, c := sum*sample.Float64(src), 0
		for ; c < len(shares)-1 && u > shares[c]; c++ {
			u -= shares[c]
		}
		odds := 0.
		for j, v := range p.Rows[c] {
			odds += v * beta[j]
		}
		if sample.Float64(src) < 1/(1+math.Exp(-odds)) {
			p.Second[c]++
		} else {
			p.First[c]++
		}
	}
	for c := range p.Rows {
		p.First[c] += geometric(src, p.Rate)
		p.Second[c] += geometric(src, p.Rate)
	}
	return p, beta
}
