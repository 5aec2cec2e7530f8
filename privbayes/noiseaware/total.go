package noiseaware

import "math"

// conditioned is the law of every count given that they add up to n: ∝ w_i(f)·Σ over the other counts with total n − f.
// left bounds the total variation distance to the exact law that cutting tails makes:
//
//	P(some f_i in a tail | total n) ≤ P(some f_i in a tail)/P(total n).
//
// s holds the partial totals; nil where there are two counts.
func conditioned(logw [][]float64, n int, e *effort) (laws []window, s *sums, left float64, err error) {
	if len(logw) == 2 { // no convolution: the second count is n minus the first
		l := make([]float64, n+1)
		for f := range l {
			l[f] = logw[0][f] + logw[1][n-f]
		}
		a := tilted(l, 0, tailCut, e).trim()
		if err := e.failed(); err != nil {
			return nil, nil, 0, err
		}
		b := window{n - a.hi(), make([]float64, len(a.p))}
		for i, p := range a.p {
			b.p[len(a.p)-1-i] = p
		}
		return []window{a, b}, nil, 2 * tailCut, nil
	}
	err = recentre(func(cut float64) (float64, error) { // the tilt is right at once; only tails may be too short
		if s, err = newSums(logw, n, n, cut, e); err != nil {
			return 0, err
		}
		left = s.cuts / s.total().at(n)
		return left, nil
	})
	if err != nil {
		return nil, nil, 0, err
	}
	reserved := e.reserved()
	for i := range logw {
		laws = append(laws, s.given(i, n, reserved))
	}
	return laws, s, left, reserved.failed()
}

// maxLeft is the posterior probability that cutting tails may leave out. It is 1e-20 in practice.
const maxLeft = 1e-12

// tailCuts are tried in turn.
var tailCuts = []float64{tailCut, tailCut, tailCut, 1e-50, 1e-50, 1e-100, 1e-200, 1e-280}

// given is the law of count i given the total.
func (s *sums) given(i, n int, e *effort) window {
	c := s.cells[i]
	return c.given(s.others(i, n-c.hi(), n-c.lo, e), n)
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

// free are counts whose total N is latent, under the flat prior P(N) ∝ 1 on N = 0, 1, 2, …; A is the sum of the cells'
// hyperparameters. The tilt must be right where the posterior of N is, which is found by going to its mean; left bounds
// the total variation distance that cut tails make, see recentre.
func free(logw [][]float64, target int, sum float64, e *effort) (s *sums, law window, left float64, err error) {
	most := 0
	for _, l := range logw {
		most += len(l) - 1
	}
	err = recentre(func(cut float64) (float64, error) {
		if s, err = newSums(logw, target, most, cut, e); err != nil {
			return 0, err
		}
		low, high := make([]float64, most+1), make([]float64, most+1)
		for n := range low {
			if n%often == 0 && !e.spend(perTotal*float64(min(often, len(low)-n))) {
				return 0, e.err
			}
			l, u := s.logTotal(n)
			low[n], high[n] = l+logUrn(sum, n), u+logUrn(sum, n)
		}
		left = 0
		for n, p := range tilted(high, 0, tailCut, e).p {
			left += p * s.short(n)
		}
		law = tilted(low, 0, tailCut, e).trim()
		mean, _ := law.moments()
		target = int(mean)
		return left, e.failed()
	})
	return s, law, left, err
}

// recentre repeats step, which goes on from where the last one came to, until what it leaves out is at most maxLeft,
// with ever smaller tails cut.
//
// Evidence of a total is known from below and from above. Normalised laws made of weights l ≤ w ≤ u are at most 1 −
// Σl/Σu = E_u[1 − l/u] apart in total variation from that of w: what step returns.
func recentre(step func(cut float64) (left float64, err error)) error {
	left := math.Inf(1)
	for _, cut := range tailCuts {
		var err error
		if left, err = step(cut); err != nil || left <= maxLeft {
			return err
		}
	}
	return &WorkError{"the posterior's mass in cut tails", left, maxLeft}
}

// parts are the mixture terms of count i, given a law of the total.
func (s *sums) parts(i int, totals window, e *effort) []part {
	return mixed(s.cells[i], s.others(i, 0, math.MaxInt, e), totals, e)
}

// mixed are the mixture terms of a count with law c beside an independent one, given a law of their total.
func mixed(c, others, totals window, e *effort) []part {
	var out []part
	for k, weight := range totals.p {
		if weight < leastTotal {
			continue
		}
		if !e.spend(perPart * float64(len(c.p))) {
			return []part{{p: []float64{1}}}
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

// leastTotal is the posterior probability below which a total is left out of a mixture; with 1e4 totals that is 1e-12
// in all.
const leastTotal = 1e-16
