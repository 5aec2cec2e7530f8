package formula

import "math"

// LatticeBits says that columns are multiples of 2^−LatticeBits at numbers that were rounded: products of powers are of
// 2^−22, and Legendre polynomials of even degree add one halving at most. The arithmetic of Fill is exact there.
const LatticeBits = 23

// Step is 2^−⌊22/g⌋, g the degree of the formula: of numbers on [−1, 1], so that products of columns are whole numbers.
func (d *Design) Step() float64 { return 1 / float64(uint(1)<<(22/d.Degree)) }

// Round is the multiple of Step nearest to a number of [−1, 1], ties to even.
func (d *Design) Round(u float64) float64 { return math.RoundToEven(u/d.Step()) * d.Step() }

// Fill writes the columns of rows: out a list a column, from a list of every number, scaled to [−1, 1], and of every
// factor's places among its levels.
func (d *Design) Fill(out, numbers [][]float64, levels [][]int) {
	for c, column := range d.Columns {
		to := out[c]
		for r := range to {
			to[r] = 1
		}
		for _, p := range column.Powers {
			for r, x := range numbers[p.Of][:len(to)] {
				to[r] *= p.At(x)
			}
		}
		for _, l := range column.Levels {
			for r, level := range levels[l.Of][:len(to)] {
				if level != l.Level {
					to[r] = 0
				}
			}
		}
	}
}
