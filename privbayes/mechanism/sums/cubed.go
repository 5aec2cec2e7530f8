package sums

import (
	"math"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// Sweeps of the Gibbs sampler before the first point and between points.
const (
	warmSweeps  = 60
	pointSweeps = 6
)

// cubed are points of the posterior of several sums under noise e^{−g·max|z_i|}: given the others, whose noise is at
// most m, the noise of one sum is flat on [−m, m] and falls at the rate g beyond. They are made from a fixed seed, so
// that a file's reader gets the same.
func (d *sampler) cubed(noisy []int64) [][]float64 {
	src := dp.Seeded(1)
	variance := d.law.variance(0)
	dim := float64(d.dims())
	g := math.Sqrt((dim + 1) * (dim + 2) / 3 / variance) // of fine lattices, and nearly of all
	l, top := d.shape.Lattice(), float64(d.n)*float64(d.Steps)
	count := d.Kind == columnsCount
	cols := len(l.Low)
	s := make([]float64, len(noisy)) // the sums: |s_i| ≤ s_last with a count, else in [0, nK]
	for i, v := range noisy {
		s[i] = math.Min(math.Max(float64(v), 0), top)
		if count {
			s[i] = math.Min(math.Max(float64(v), -float64(max(noisy[cols], 1))), float64(max(noisy[cols], 1)))
		}
	}
	sweep := func() {
		for i := range s {
			m := 0.0
			for j := range s {
				if j != i {
					m = math.Max(m, math.Abs(float64(noisy[j])-s[j]))
				}
			}
			low, high := 0.0, top
			switch {
			case count && i < cols:
				low, high = -s[cols], s[cols]
			case count:
				high = math.Inf(1)
				for _, v := range s[:cols] {
					low = math.Max(low, math.Abs(v))
				}
			}
			y := float64(noisy[i])
			s[i] = y - flatTopped(src, g, m, y-high, y-low)
		}
	}
	for range warmSweeps {
		sweep()
	}
	out := make([][]float64, points)
	for k := range out {
		for range pointSweeps {
			sweep()
		}
		out[k] = make([]float64, cols)
		for i := range cols {
			if count {
				out[k][i] = l.Value(i, (part(s[i], s[cols])/2+.5)*float64(d.Steps))
				if s[cols] <= 0 {
					out[k][i] = l.Value(i, .5*float64(d.Steps))
				}
			} else {
				out[k][i] = l.Value(i, part(s[i], float64(d.n))*float64(d.Steps)/float64(d.Steps))
			}
		}
	}
	return out
}

// flatTopped draws from the density e^{−g·max(|z|, m)} on [a, b], −∞ ≤ a < b.
func flatTopped(src rand.Source, g, m, a, b float64) float64 {
	// masses left of −m, inside, and right of m, relative to the height at m
	piece := func(near, far float64) float64 { // of ∫ e^{−g(x−m)} from near to far, m ≤ near
		if far <= near {
			return 0
		}
		return (math.Exp(-g*(near-m)) - math.Exp(-g*(far-m))) / g
	}
	left := [2]float64{math.Max(m, -b), -a}
	right := [2]float64{math.Max(m, a), b}
	inside := [2]float64{math.Max(-m, a), math.Min(m, b)}
	masses := [3]float64{piece(left[0], left[1]), math.Max(inside[1]-inside[0], 0), piece(right[0], right[1])}
	total := masses[0] + masses[1] + masses[2]
	if !(total > 0) { // the whole interval is far out: its nearest end
		return math.Min(math.Max(0, a), b)
	}
	u := sample.Float64(src) * total
	tail := func(near, far float64) float64 {
		v := sample.Float64(src)
		return near - math.Log1p(-v*-math.Expm1(-g*(far-near)))/g
	}
	switch {
	case u < masses[0]:
		return -tail(left[0], left[1])
	case u < masses[0]+masses[1]:
		return inside[0] + sample.Float64(src)*(inside[1]-inside[0])
	}
	return tail(right[0], right[1])
}
