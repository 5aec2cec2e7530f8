package noiseaware

import "math"

// conditioned is the law of every count given that they add up to n: ∝ w_i(f)·Σ over the other counts with total n − f. left bounds the
// total variation distance to the exact law that cutting tails makes:
//
//	P(some f_i in a tail | total n) ≤ P(some f_i in a tail)/P(total n).
func conditioned(logw [][]float64, n int) (laws []window, left float64, err error) {
	if len(logw) == 2 { // no convolution: the second count is n minus the first
		l := make([]float64, n+1)
		for f := range l {
			l[f] = logw[0][f] + logw[1][n-f]
		}
		a := tilted(l, 0).trim()
		b := window{n - a.hi(), make([]float64, len(a.p))}
		for i, p := range a.p {
			b.p[len(a.p)-1-i] = p
		}
		return []window{a, b}, 2 * tailCut, nil
	}
	s, err := newSums(logw, n, n)
	if err != nil {
		return nil, 0, err
	}
	if left = s.cuts / s.total().at(n); !(left <= maxLeft) {
		return nil, 0, &WorkError{"the posterior's mass in cut tails", left, maxLeft}
	}
	for i := range logw {
		laws = append(laws, s.given(i, n))
	}
	return laws, left, nil
}

// maxLeft is the posterior probability that cutting tails may leave out. It is 1e-20 in practice.
const maxLeft = 1e-12

// given is the law of count i given the total.
func (s *sums) given(i, n int) window {
	c := s.cells[i]
	return c.given(s.others(i, n-c.hi(), n-c.lo), n)
}

// given is the law of a count with law c given that with an independent one it adds up to n.
func (c window) given(others window, n int) window {
	out, sum := window{c.lo, make([]float64, len(c.p))}, 0.0
	for j, p := range c.p {
		out.p[j] = p * others.at(n-c.lo-j)
		sum += out.p[j]
	}
	if sum > 0 {
		for j := range out.p {
			out.p[j] /= sum
		}
	}
	return out
}

// totalLaw is the posterior of a total that is not public, under the flat prior P(N) ∝ 1 on N = 0, 1, 2, …; A is the sum of the
// cells' hyperparameters.
func (s *sums) totalLaw(sum float64) window {
	t := s.total()
	l := make([]float64, len(t.p))
	for i := range l {
		l[i] = s.logTotal(t.lo+i) + logUrn(sum, t.lo+i)
	}
	w := tilted(l, 0)
	w.lo = t.lo
	return w.trim()
}

// parts are the mixture terms of count i, given a law of the total.
func (s *sums) parts(i int, totals window) []part {
	c := s.cells[i]
	others := s.others(i, 0, math.MaxInt)
	var out []part
	for k, weight := range totals.p {
		if weight < leastTotal {
			continue
		}
		g := c.given(others, totals.lo+k).trim()
		q := part{total: totals.lo + k, lo: g.lo, p: make([]float64, len(g.p))}
		for j, p := range g.p {
			q.p[j] = weight * p
		}
		out = append(out, q)
	}
	return out
}

// leastTotal is the posterior probability below which a total is left out of a mixture; with 1e4 totals that is 1e-12 in all.
const leastTotal = 1e-16
