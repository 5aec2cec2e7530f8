package claims

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/hellinger"
	"github.com/privbayes/privbayes-go/internal/num"
)

// orbitSpace is the space of n records over d cells with the prior (a1, big, …, big).
func orbitSpace(d, n int, a1, big float64) *hellinger.Space {
	alpha := make([]float64, d)
	for i := range alpha {
		alpha[i] = big
	}
	alpha[0] = a1
	return space(n, alpha...)
}

// orbit is a set of candidates that permutations of the last d − 2 cells turn into each other, with its distances from
// x and y.
type orbit struct{ count, hx, hy float64 }

// orbitsOf lists the orbits of the candidates seen from x = n·e₁ and y = (n−1)·e₁ + e₂.
func orbitsOf(d, n int, a1, big float64) []orbit {
	var out []orbit
	phi := func(a float64, u, v int) float64 { return num.LogBC(a+float64(u), a+float64(v)) }
	for r1 := 0; r1 <= n; r1++ {
		for r2 := 0; r1+r2 <= n; r2++ {
			partitions(n-r1-r2, d-2, func(parts []int) {
				rest := 0.0
				for _, p := range parts {
					rest += phi(big, 0, p)
				}
				h := func(x1, x2 int) float64 { return hellinger.FromLogBC(phi(a1, x1, r1) + phi(big, x2, r2) + rest) }
				out = append(out, orbit{arrangements(parts, d-2), h(n, 0), h(n-1, 1)})
			})
		}
	}
	return out
}

// partitions visits the ways to write total as a sum of at most most positive parts, in falling order.
func partitions(total, most int, visit func(parts []int)) {
	var parts []int
	var fill func(left, cap int)
	fill = func(left, cap int) {
		if left == 0 {
			visit(parts)
			return
		}
		if len(parts) == most {
			return
		}
		for p := min(left, cap); p >= 1; p-- {
			parts = append(parts, p)
			fill(left-p, p)
			parts = parts[:len(parts)-1]
		}
	}
	fill(total, total)
}

// arrangements is the number of ways to place the parts in cells.
func arrangements(parts []int, cells int) float64 {
	ways, left := 1.0, cells
	for i := 0; i < len(parts); {
		j := i
		for j < len(parts) && parts[j] == parts[i] {
			j++
		}
		for k := range j - i {
			ways *= float64(left-k) / float64(k+1)
		}
		left -= j - i
		i = j
	}
	return ways
}

// orbitDelta is the greater hockey-stick divergence at ε of the smooth mode at the pair (x, y), κ = ε/2.
func orbitDelta(f *Finding, d, n int, a1, big, epsilon, beta float64) float64 {
	s := orbitSpace(d, n, a1, big)
	x, y := make([]int64, d), make([]int64, d)
	x[0], y[0], y[1] = int64(n), int64(n-1), 1
	ax, ay := epsilon/2/s.Smooth(x, beta).Value, epsilon/2/s.Smooth(y, beta).Value
	zx, zy := 0.0, 0.0
	list := orbitsOf(d, n, a1, big)
	for _, o := range list {
		zx += o.count * math.Exp(-ax*o.hx)
		zy += o.count * math.Exp(-ay*o.hy)
	}
	xy, yx := 0.0, 0.0
	for _, o := range list {
		p, q := math.Exp(-ax*o.hx)/zx, math.Exp(-ay*o.hy)/zy
		xy += o.count * math.Max(0, p-math.Exp(epsilon)*q)
		yx += o.count * math.Max(0, q-math.Exp(epsilon)*p)
	}
	f.Cases += int64(len(list))
	return math.Max(xy, yx)
}
