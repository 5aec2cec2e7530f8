package study

import (
	"math"
	"slices"
)

// ray is a direction of noise with its quadrature weight; the weights sum to 1.
type ray struct {
	dir    []float64
	weight float64
}

// orthants are directions for noise in all cells: every orthant of signs with weight 2^−d, and in it sizes (s, 1 − s)
// or (s, (1−s)t, (1−s)(1−t)), uniform on the simplex, whose density in (s, t) is 2(1 − s).
//
// Noise proportional to the posterior's parameters does not change the posterior's mean and changes H little: near this
// ridge, H depends steeply on the direction, and the panels are short. The ridge runs through the orthants of one sign,
// and with clamped counts it can be near in all of them.
func orthants(posterior []float64, everywhere bool, points int) []ray {
	var out []ray
	d, rule := len(posterior), legendre(points)
	for signs := range 1 << d {
		near := everywhere || signs == 0 || signs == 1<<d-1
		share := math.Ldexp(1, -d)
		add := func(w float64, size ...float64) {
			for i := range size {
				if signs>>i&1 == 1 {
					size[i] = -size[i]
				}
			}
			out = append(out, ray{size, w * share})
		}
		rest := posterior[1:]
		panels(cuts(posterior[0], sum(rest), near), rule, func(s, ws float64) {
			if d == 2 {
				add(ws, s, 1-s)
				return
			}
			panels(cuts(rest[0], rest[1], near), rule, func(t, wt float64) {
				add(2*(1-s)*ws*wt, s, (1-s)*t, (1-s)*(1-t))
			})
		})
	}
	return out
}

func sum(v []float64) float64 {
	s := 0.0
	for _, x := range v {
		s += x
	}
	return s
}

// cuts divides [0, 1]: in the middle, or, with a ridge of parameters a and b near, at a/(a + b) and one and four
// standard deviations of Beta(a, b) on either side.
func cuts(a, b float64, near bool) []float64 {
	if !near {
		return []float64{0, 0.5, 1}
	}
	mean := a / (a + b)
	width := math.Sqrt(mean * (1 - mean) / (a + b + 1))
	out := []float64{0, mean, 1}
	for _, k := range []float64{-4, -1, 1, 4} {
		if c := mean + k*width; c > width/4 && c < 1-width/4 {
			out = append(out, c)
		}
	}
	return out
}

// rule is a quadrature rule on [−1, 1].
type rule []struct{ node, weight float64 }

// legendre is the Gauss–Legendre rule, nodes ascending: the zeros of P_n by Newton's method from cos(π(i + ¾)/(n + ½)),
// weights 2/((1 − x²)P_n′²).
func legendre(n int) rule {
	out := make(rule, n)
	for i := range out {
		x, slope := math.Cos(math.Pi*(float64(i)+0.75)/(float64(n)+0.5)), 1.0
		for range 20 {
			p, before := x, 1.0
			for k := 2.0; k <= float64(n); k++ {
				p, before = ((2*k-1)*x*p-(k-1)*before)/k, p
			}
			slope = float64(n) * (x*p - before) / (x*x - 1)
			step := p / slope
			if x -= step; math.Abs(step) < 1e-16 {
				break
			}
		}
		out[n-1-i].node, out[n-1-i].weight = x, 2/((1-x*x)*slope*slope)
	}
	return out
}

// panels visits the nodes of the rule between neighbouring cuts, which may come in any order.
func panels(cuts []float64, r rule, visit func(at, weight float64)) {
	slices.Sort(cuts)
	for i := 1; i < len(cuts); i++ {
		half := (cuts[i] - cuts[i-1]) / 2
		if half <= 0 {
			continue
		}
		for _, g := range r {
			visit(cuts[i-1]+half*(1+g.node), g.weight*half)
		}
	}
}
