package totals

import (
	"math"
	"math/big"
)

// Limits of a sequence: its periods, whose slots fit one line of a ledger, and the count of one cell in one period
// above which counts are cut. With both, the sums of a period stay below 2^62 whatever the rows are, so that nothing is
// refused by their number.
const (
	maxPeriods = 400
	maxCount   = 1 << 40
)

// scale is c_0: a record of the current period has this weight in a measurement.
const scale = 1 << 16

// weights are c_j = round(2^16·C(2j, j)/4^j), j < T, in integers: the coefficients of 1/√(1−z), of which the square is
// 1/(1−z), the running sum (theory/publication.md §7).
func weights(periods int) []int64 {
	c := make([]int64, periods)
	choose := big.NewInt(1) // C(2j, j)
	for j := range c {
		twice := new(big.Int).Lsh(choose, 16+1) // 2·2^16·C(2j, j)
		twice.Add(twice, new(big.Int).Lsh(big.NewInt(1), uint(2*j)))
		c[j] = twice.Rsh(twice, uint(2*j+1)).Int64()
		choose.Mul(choose, big.NewInt(int64(2*(2*j+1))))
		choose.Quo(choose, big.NewInt(int64(j+1)))
	}
	return c
}

// squares is Σc_j²: the squared ℓ₂ norm of what a row of the first period does to all measurements of a cell.
func squares(c []int64) *big.Int {
	sum := new(big.Int)
	for _, x := range c {
		sum.Add(sum, new(big.Int).Mul(big.NewInt(x), big.NewInt(x)))
	}
	return sum
}

// measured is the sum Σ_{j ≤ t} c_{t−j}·x_j of every cell, of the counts x of all periods, the cells of a period one
// after the other, for the period t from 0.
func measured(c, counts []int64, cells, t int) []int64 {
	out := make([]int64, cells)
	for j := range t + 1 {
		for i := range cells {
			out[i] += c[t-j] * min(counts[j*cells+i], maxCount)
		}
	}
	return out
}

// inverse are the b_j with Σ_j b_j·y_{t−j} = Σ_{j ≤ t} x_j, where y are the measurements: b·c = 1/(1−z) as series.
func inverse(c []int64) []float64 {
	b := make([]float64, len(c))
	for t := range b {
		rest := 1.
		for j := 1; j <= t; j++ {
			rest -= float64(c[j]) * b[t-j]
		}
		b[t] = rest / float64(c[0])
	}
	return b
}

// leastNoise is the least integer σ² with change/(2σ²) ≤ ρ, and 256 at least: finer noise gains nothing.
func leastNoise(change *big.Int, rho float64) *big.Int {
	exact := new(big.Rat).SetFloat64(2 * rho)
	ratio := new(big.Rat).Quo(new(big.Rat).SetInt(change), exact)
	up := new(big.Int).Add(ratio.Num(), ratio.Denom())
	up.Sub(up, big.NewInt(1)).Quo(up, ratio.Denom())
	if up.Cmp(big.NewInt(256)) < 0 {
		up.SetInt64(256)
	}
	return up
}

// rhoOf is change/(2σ²), rounded up.
func rhoOf(change *big.Int, sigma2 uint64) float64 {
	exact := new(big.Rat).SetFrac(change, new(big.Int).Lsh(new(big.Int).SetUint64(sigma2), 1))
	x, _ := exact.Float64()
	for new(big.Rat).SetFloat64(x).Cmp(exact) < 0 {
		x = math.Nextafter(x, math.Inf(1))
	}
	return x
}
