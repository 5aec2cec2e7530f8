package hellinger

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/num"
)

// Edge is edge(p, q) = √(1 − g(p)·g(q)), p, q > 0: the Hellinger distance of neighbours. Relative error at most 2e-15.
func (s *Space) Edge(p, q float64) float64 { return edge(p, q) }

func edge(p, q float64) float64 {
	return math.Sqrt(-math.Expm1(num.LogGammaHalfRatio(p) + num.LogGammaHalfRatio(q)))
}

// Distance is the Hellinger distance H(x, r) of the posteriors of x and r, in [0, 1]. Every cell's share of ln BC has
// the same sign, so nothing cancels: relative error at most 1e-14 for n up to MaxCount, however close x and r are.
// O(d).
func (s *Space) Distance(x, r []int64) float64 {
	log := 0.0
	for i, a := range s.alpha {
		log += phi(a, x[i], r[i])
	}
	return FromLogBC(log)
}

// FromLogBC is √(1 − BC), from ln BC ≤ 0.
func FromLogBC(log float64) float64 { return math.Sqrt(-math.Expm1(log)) }

// phi is φ(a + u, a + v). Two large sums on either side of a power of two are rounded to different grids, and φ depends
// on the square of their difference: where they are close, the smaller is computed from the larger by a subtraction,
// which is exact.
func phi(a float64, u, v int64) float64 {
	if u == v {
		return 0
	}
	if u > v {
		u, v = v, u
	}
	hi := a + float64(v)
	lo := a + float64(u)
	if k := float64(v - u); 2*k <= hi && hi < 1<<53 {
		lo = hi - k
	}
	return num.LogBC(lo, hi)
}

// Phi is the table of cell i's share of ln BC with x_i held fixed,
//
//	t[v] = φ(α_i + x_i, α_i + v),  v = 0, …, n,
//
// so that ln BC of x and r is Σ_i t_i[r_i]. The entries at v = x_i ± 1 come from the same evaluation as
// [Space.Distance]; the others from the recurrence, with a = α_i + x_i and b = α_i + v,
//
//	upward from b = a + k:    φ(a, b + 2) = φ(a, b) − ½ ln(1 + z),  z = (a(k + 1) + k(¾k + 1))/(a + ½k)²,
//	downward to b = a − k:    φ(a, b) = φ(a, b + 2) + ½ ln(1 − z),  z = (b(k − 1) + ¼k²)/(b + ½k)²,
//
// where z > 0 is a sum of positive terms. All increments have one sign and are added with compensation, so that errors
// do not grow along the table: the relative error of an entry is at most that of its start and its steps, 6e-15 (3e-16
// in samples against 50 digits).
func (s *Space) Phi(i int, xi int64) []float64 {
	t := make([]float64, s.n+1)
	alpha := s.alpha[i]
	a := alpha + float64(xi)
	if xi > 0 {
		t[xi-1] = phi(alpha, xi-1, xi)
	}
	if xi < s.n {
		t[xi+1] = phi(alpha, xi, xi+1)
	}
	above, below := t[xi:], t[:xi+1]
	upward(above, a)
	downward(below, alpha)
	return t
}

// upward fills t[k] = φ(a, a + k), k ≥ 2, given t[0] and t[1].
func upward(t []float64, a float64) {
	var even, odd compensated
	if len(t) > 1 {
		odd.sum = t[1]
	}
	for k := 2; k < len(t); k += 2 {
		even.add(upStep(a, float64(k-2)))
		t[k] = even.value()
		if k+1 < len(t) {
			odd.add(upStep(a, float64(k-1)))
			t[k+1] = odd.value()
		}
	}
}

// upStep is φ(a, b + 2) − φ(a, b) at b = a + k.
func upStep(a, k float64) float64 {
	m := a + k/2
	return -math.Log1p((a*(k+1)+k*(0.75*k+1))/(m*m)) / 2
}

// downward fills t[x−k] = φ(α + x, α + x − k), k ≥ 2, x = len(t) − 1, given the last two entries.
func downward(t []float64, alpha float64) {
	var even, odd compensated
	x := len(t) - 1
	if x > 0 {
		odd.sum = t[x-1]
	}
	for k := 2; k <= x; k += 2 {
		even.add(downStep(alpha+float64(x-k), float64(k)))
		t[x-k] = even.value()
		if k+1 <= x {
			odd.add(downStep(alpha+float64(x-k-1), float64(k+1)))
			t[x-k-1] = odd.value()
		}
	}
}

// downStep is φ(a, b) − φ(a, b + 2) at a = b + k, k ≥ 2.
func downStep(b, k float64) float64 {
	m := b + k/2
	if z := (b*(k-1) + 0.25*k*k) / (m * m); z < 0.5 {
		return math.Log1p(-z) / 2
	}
	return math.Log(b/m*((b+1)/m)) / 2
}

// compensated is a sum that also keeps what rounding lost (Neumaier).
type compensated struct{ sum, lost float64 }

func (c *compensated) add(x float64) {
	s := c.sum + x
	t := s - c.sum
	c.lost += (c.sum - (s - t)) + (x - t)
	c.sum = s
}

func (c *compensated) value() float64 { return c.sum + c.lost }
