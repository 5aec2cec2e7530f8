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
//
// Place: for package sensitivity, mechanism/hellinger, and the claims and studies about them.
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
