// Package hellinger is the geometry of Dirichlet posteriors under the Hellinger distance: distances between the
// posteriors of data sets of the same public size n, and how far replacing one record can move them.
//
// With prior α ∈ (0, ∞)^d and counts x ∈ ℕ^d, Σx = n, the posterior is Dirichlet(α + x) and
//
//	H(x, r) = √(1 − BC),  ln BC = Σ_i φ(α_i + x_i, α_i + r_i),  φ(u, v) = lnΓ((u+v)/2) − ½(lnΓ(u) + lnΓ(v)) ≤ 0.
//
// Neighbours differ in one count moved from a cell i to a cell j; their distance is
//
//	edge(p, q) = √(1 − g(p)·g(q)),  p = α_i + x_i − 1,  q = α_j + x_j,  g(t) = Γ(t + ½)/(Γ(t)·√t).
//
// L = ln g is negative, increasing and concave, which is the reason for every closed form here. The distance of two
// data sets is the number of records to replace, dist(x, y) = ½‖x − y‖₁.
package hellinger

import (
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/num"
)

// MaxCount is the largest n of a Space: counts up to it are exact float64 numbers, whose halves are exact too.
const MaxCount = 1_000_000_000_000_000

// Space is the set of data sets of size n over d cells with a Dirichlet prior. It is immutable and holds O(d) numbers,
// whatever n.
//
// Methods that take data expect counts that [Space.Check] accepts; they do not check again.
type Space struct {
	alpha []float64
	n     int64
	v, g  []float64  // 1 − g(α_i) and g(α_i), each with its full relative accuracy
	ends  [2]float64 // d = 2: edge(α_i, α_j + n − 1), the edge at the corner where cell i is empty
	low   [2]int     // the cells with the smallest and the second smallest α
}

// New makes the space of data sets of size n with prior α. Errors: *domain.Error unless len(α) ≥ 2, every α_i is finite
// and positive, and 0 ≤ n ≤ MaxCount.
func New(alpha []float64, n int64) (*Space, error) {
	if len(alpha) < 2 {
		return nil, domain.Refuse("hellinger", "number of prior parameters", len(alpha), "at least 2")
	}
	for i, a := range alpha {
		if !(a > 0) || math.IsInf(a, 1) {
			return nil, domain.Refuse("hellinger", fmt.Sprintf("alpha[%d]", i), a, "a finite number > 0")
		}
	}
	if n < 0 || n > MaxCount {
		return nil, domain.Refuse("hellinger", "n", n, fmt.Sprintf("an integer in [0, %d]", int64(MaxCount)))
	}
	d := len(alpha)
	s := &Space{alpha: append([]float64(nil), alpha...), n: n, v: make([]float64, d), g: make([]float64, d)}
	low := noLeast
	for i, a := range alpha {
		l := num.LogGammaHalfRatio(a)
		s.v[i], s.g[i] = -math.Expm1(l), math.Exp(l)
		low.see(i, a)
	}
	s.low = low.at
	if d == 2 && n > 0 {
		for i := range s.ends {
			s.ends[i] = s.Edge(alpha[i], alpha[1-i]+float64(n-1))
		}
	}
	return s, nil
}

// Cells is d.
func (s *Space) Cells() int { return len(s.alpha) }

// N is the number of records.
func (s *Space) N() int64 { return s.n }

// Alpha is a copy of the prior.
func (s *Space) Alpha() []float64 { return append([]float64(nil), s.alpha...) }

// CountsError says what is wrong with a vector of counts.
type CountsError struct {
	What string // what was looked at, such as "counts[2]"
	Have int64
	Want string
}

func (e *CountsError) Error() string {
	return fmt.Sprintf("hellinger: %s = %d; want %s", e.What, e.Have, e.Want)
}

// Check accepts counts x of this space: d counts ≥ 0 with sum n. Errors: *CountsError.
func (s *Space) Check(x []int64) error {
	if len(x) != len(s.alpha) {
		return &CountsError{"number of counts", int64(len(x)), fmt.Sprint(len(s.alpha))}
	}
	var sum int64
	for i, k := range x {
		if k < 0 || k > s.n { // n ≤ 10^15 and one step at a time: the sum cannot overflow before it exceeds n
			return &CountsError{fmt.Sprintf("counts[%d]", i), k, fmt.Sprintf("an integer in [0, %d]", s.n)}
		}
		if sum += k; sum > s.n {
			break
		}
	}
	if sum != s.n {
		return &CountsError{"sum of the counts", sum, fmt.Sprintf("%d", s.n)}
	}
	return nil
}

// LogSize is the natural logarithm of the number of data sets, ln C(n + d − 1, d − 1), in O(min(n, d)) with a relative
// error of about min(n, d)·1e-16.
func (s *Space) LogSize() float64 {
	top, steps := s.choose()
	sum := 0.0
	for i := 1.0; i <= steps; i++ {
		sum += math.Log1p(top / i)
	}
	return sum
}

// Size is the number of data sets, C(n + d − 1, d − 1): exact below 2^53, then with a relative error of about min(n,
// d)·2e-16; +Inf beyond the range of float64.
func (s *Space) Size() float64 {
	top, steps := s.choose()
	c := 1.0
	for i := 1.0; i <= steps && !math.IsInf(c, 1); i++ {
		if exact := c * (top + i); exact < 1<<53 {
			c = exact / i // C(top + i, i), a whole number
		} else {
			c += c * (top / i)
		}
	}
	return c
}

// choose gives C(top + steps, steps) with the fewer steps.
func (s *Space) choose() (top, steps float64) {
	n, d := float64(s.n), float64(len(s.alpha)-1)
	return math.Max(n, d), math.Min(n, d)
}

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

// GammaPlus is the Lipschitz constant of 1/LS⁺ between neighbours, for every n,
//
//	γ⁺ = T(α_min + 1) − T(α_min),  T(p) = (1 − g(p))^{−1/2},
//
// which is below 1.9646966 and about √(2/α_min) for large α_min. Relative error at most 1e-14. 0 for n = 0.
//
// T grows like √(8p), so that the difference cancels. With z = 1/(4p(p+1)), g(p+1) = g(p)·√(1+z), and with w = 8p(1 −
// g(p)), w₁ = 8p(1 − g(p+1)), which tend to 1,
//
//	γ⁺ = g(p) · 2√(8p)/(p + 1) / [(1 + √(1+z)) · √(w·w₁) · (√w + √w₁)].
func (s *Space) GammaPlus() float64 {
	if s.n == 0 {
		return 0
	}
	p := s.alpha[s.low[0]]
	l, l1 := num.LogGammaHalfRatio(p), num.LogGammaHalfRatio(p+1)
	if p < 1 {
		return 1/math.Sqrt(-math.Expm1(l1)) - 1/math.Sqrt(-math.Expm1(l))
	}
	w, w1 := math.Sqrt(-8*(p*math.Expm1(l))), math.Sqrt(-8*(p*math.Expm1(l1)))
	z := 0.25 / p / (p + 1)
	return math.Exp(l) * (4 * math.Sqrt2 * math.Sqrt(p) / (p + 1)) / ((1 + math.Sqrt(1+z)) * w * w1 * (w + w1))
}

// GammaPlusUpper is a number that is surely not below γ⁺: the upper end of [Space.GammaPlusEnclosure].
func (s *Space) GammaPlusUpper() float64 { return s.GammaPlusEnclosure().Hi }

// GammaPlusEnclosure encloses γ⁺, relative width at most 1e-12, by the formulas of [Space.GammaPlus].
func (s *Space) GammaPlusEnclosure() num.Interval {
	if s.n == 0 {
		return num.Point(0)
	}
	p := num.Point(s.alpha[s.low[0]])
	one, eight := num.Point(1), num.Point(8)
	next := p.Add(one)
	l := num.LogGammaHalfRatioEnclosure(p.Lo)
	// L increases
	l1 := num.Interval{Lo: num.LogGammaHalfRatioEnclosure(next.Lo).Lo, Hi: num.LogGammaHalfRatioEnclosure(next.Hi).Hi}
	v, v1 := l.Expm1().Neg(), l1.Expm1().Neg()
	if p.Lo < 1 {
		return one.Div(v1.Sqrt()).Sub(one.Div(v.Sqrt()))
	}
	w, w1 := eight.Mul(p.Mul(v)).Sqrt(), eight.Mul(p.Mul(v1)).Sqrt()
	z := num.Point(0.25).Div(p).Div(next)
	above := l.Exp().Mul(num.Point(2)).Mul(eight.Sqrt().Mul(p.Sqrt()).Div(next))
	return above.Div(one.Add(one.Add(z).Sqrt()).Mul(w).Mul(w1).Mul(w.Add(w1)))
}

// objective is what the sensitivities of Theorem S maximise: it increases in the edge h and does not increase in the
// distance.
type objective interface {
	value(h, dist float64) float64
	// weight is what partner needs to know of a count.
	weight(count float64) float64
	// partner is the j > i in the row with the largest value at h² = v_i + g_i·v_j and distance x_i + x_j − 1, if that
	// exceeds best; else −1. It is the inner loop.
	partner(r *row, i int, best float64) int
}

// row holds, for the cells that are not empty, 1 − g(α), g(α), count and weight.
type row struct{ v, g, x, w []float64 }

// smooth is h·e^{−β·dist}.
type smooth float64

func (b smooth) value(h, dist float64) float64 { return h * math.Exp(-float64(b)*dist) }

func (b smooth) weight(count float64) float64 { return math.Exp(-2 * float64(b) * count) }

// partner compares h²·e^{−2β·x_j} with (best·e^{β(x_i−1)})².
func (b smooth) partner(r *row, i int, best float64) int {
	least := best * math.Exp(float64(b)*(r.x[i]-1))
	least *= least
	vi, gi, at := r.v[i], r.g[i], -1
	v, w := r.v[i+1:], r.w[i+1:]
	w = w[:len(v)]
	for k, vk := range v {
		if t := (vi + gi*vk) * w[k]; t > least {
			least, at = t, i+1+k
		}
	}
	return at
}

// reciprocal is 1/(1/h + γ·dist).
type reciprocal float64

func (c reciprocal) value(h, dist float64) float64 {
	if dist == 0 {
		return h
	}
	return 1 / (1/h + float64(c)*dist)
}

func (c reciprocal) weight(count float64) float64 { return float64(c) * count }

// partner looks for 1/h < 1/best − γ(x_i + x_j − 1) =: R, that is, R > 0 and h²R² > 1.
func (c reciprocal) partner(r *row, i int, best float64) int {
	most := 1/best - float64(c)*(r.x[i]-1)
	vi, gi, at := r.v[i], r.g[i], -1
	v, w := r.v[i+1:], r.w[i+1:]
	w = w[:len(v)]
	for k, vk := range v {
		left, h2 := most-w[k], vi+gi*vk
		if left > 0 && h2*left*left > 1 {
			most, at = 1/math.Sqrt(h2)+w[k], i+1+k
		}
	}
	return at
}

// least keeps the indices and values of the two smallest numbers seen; −1 where there is none. Of equal numbers the
// earlier counts as smaller.
type least struct {
	at  [2]int
	val [2]float64
}

var noLeast = least{at: [2]int{-1, -1}, val: [2]float64{math.Inf(1), math.Inf(1)}}

func (l *least) see(i int, v float64) {
	switch {
	case l.at[0] < 0 || v < l.val[0]:
		l.at[1], l.val[1] = l.at[0], l.val[0]
		l.at[0], l.val[0] = i, v
	case l.at[1] < 0 || v < l.val[1]:
		l.at[1], l.val[1] = i, v
	}
}
