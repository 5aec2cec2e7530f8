package linear

import (
	"math"
	"math/big"
	"math/bits"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/leastsquares"
	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
)

// moment is one released second moment Σ u_i·u_j of coordinates i ≤ j of a row u = [x y], every one in [−1, 1]. Its
// noise has the variance σ²·halves/2: σ² for y², D·σ² for a product with y, D²·σ² for a square and half of that for
// another product, D the greatest squared norm of x. On rows divided by √D this is σ² everywhere, but σ²/2 above the
// diagonal of XᵀX, whose entries count twice in its Frobenius norm.
type moment struct {
	i, j   int
	halves int64
	ofY    int // how many of its two coordinates are y
}

// moments are what is released of the second moments, each once. Left out is what is public or said by another one:
// products of two levels of one factor, which are 0; squares of indicators, which are their products with the
// intercept; the intercept's own, which is n, where n is public; and y² of classes −1 and 1, which is n, too.
func (q proposition) moments(d *leastsquares.Design) (out []moment) {
	intercept, replaced := q.Intercept, q.Replaced
	dim, square := d.Dim(), int64(d.Square())
	of := factorOf(d, intercept)
	for i := range dim {
		for j := i; j < dim; j++ {
			switch {
			case i == j && intercept && (i == 0 && replaced || of[i] > 0):
			case i == j:
				out = append(out, moment{i, j, 2 * square * square, 0})
			case of[i] == 0 || of[i] != of[j]:
				out = append(out, moment{i, j, square * square, 0})
			}
		}
		out = append(out, moment{i, dim, 2 * square, 1})
	}
	if q.Classes {
		return out
	}
	return append(out, moment{dim, dim, 2, 2})
}

// factorOf numbers the factors, from 1 on, that coordinates are indicators of; 0 for the others.
func factorOf(d *leastsquares.Design, intercept bool) []int {
	of, first := make([]int, d.Dim()), 0
	if intercept {
		first = 1
	}
	for k, r := range d.Factors() {
		for j := range r.Len {
			of[first+r.First+j] = k + 1
		}
	}
	return of
}

// proposition is what the sensitivity of the moments depends on: numeric features, and the levels of the factors.
type proposition struct {
	Numbers   int   `json:"numbers"`
	Levels    []int `json:"levels,omitempty"` // of every factor, the reference included
	Intercept bool  `json:"intercept"`
	Replaced  bool  `json:"replaced"`
	Classes   bool  `json:"classes,omitempty"` // y is −1 or 1, and y² is not released
}

// proposition is that of a problem's columns.
func (s *setting) proposition() proposition {
	if s.of != nil {
		return *s.of
	}
	d := s.shape.Linear().Design
	q := proposition{Numbers: d.Dim(), Intercept: s.shape.Linear().Intercept, Replaced: s.replaced, Classes: s.shape.Classifies()}
	if q.Intercept {
		q.Numbers--
	}
	for _, r := range d.Factors() {
		q.Numbers -= r.Len
		q.Levels = append(q.Levels, r.Len+1)
	}
	return q
}

// square is D.
func (q proposition) square() int {
	d := q.Numbers + len(q.Levels)
	if q.Intercept {
		d++
	}
	return d
}

// manyFactors have the general bound: the search over how two records agree would take long.
const manyFactors = 24

// sensitivity is the L2 sensitivity of the moments to one record, each divided by the standard deviation of its noise
// at σ = 1.
//
// It is that of momentsSensitivity for rows of the unit ball, less what is not released, and never above 3/√2. With an
// intercept it is exact: given the other record and y, the squared change is convex in every numeric
// coordinate x_j of a record, its second derivative being at least 12x_j² − 4z_j² + 4/D ≥ 0 for |z_j| ≤ 1/√D, so that
// numbers are at their bounds, where only their number p and t = Σ ±1, the products with the other record's, count. Of
// the factors, q differ between two levels beyond the reference, m agree on such a level, and e or f are at the
// reference in one record alone; with r = 1+p+q+m+e, s = 1+p+q+m+f and c = 1+m+t, all over D, the squared change is
//
//	r² + s² − 2c² − (2q+e+f)/D² + max over y, y′ of ry² + sy′² − 2cyy′ + (y²−y′²)²,
//
// where max(|y|, |y′|) = 1, since all terms grow with the scale of y and y′; of classes y, y′ = ±1 and the maximum is r
// + s + 2c. A record alone has the most with every factor beyond its reference.
func (q proposition) sensitivity() float64 {
	d, f, p := float64(q.square()), len(q.Levels), q.Numbers
	switch {
	case !q.Replaced && q.Classes:
		return math.Sqrt(2-float64(f)/(d*d)) * (1 + 1e-15)
	case !q.Replaced && !q.Intercept:
		return math.Sqrt(3) * (1 + 1e-15)
	case !q.Replaced:
		return math.Sqrt(3-float64(f)/(d*d)) * (1 + 1e-15)
	case !q.Intercept || f > manyFactors:
		return 3 / math.Sqrt2 * (1 + 1e-15)
	}
	several, best := 0, 0.0 // factors that can differ beyond the reference
	for _, levels := range q.Levels {
		if levels > 2 {
			several++
		}
	}
	for differ := range several + 1 {
		for agree := range f - differ + 1 {
			for one := range f - differ - agree + 1 {
				for other := range min(one, f-differ-agree-one) + 1 {
					r := float64(1+p+differ+agree+one) / d
					s := float64(1+p+differ+agree+other) / d
					less := float64(2*differ+one+other) / (d * d)
					for t := -p; t <= p; t += 2 {
						c := math.Abs(float64(1+agree+t)) / d
						change := r*r + s*s - 2*c*c - less
						if q.Classes {
							best = math.Max(best, change+r+s+2*c)
							continue
						}
						if change+r+s+2*c+1 > best { // what the responses add is less than this
							best = math.Max(best, change+math.Max(responses(r, s, c), responses(s, r, c)))
						}
					}
				}
			}
		}
	}
	return math.Min(math.Sqrt(best), 3/math.Sqrt2) * (1 + 1e-12)
}

// responses is the maximum over b in [0, 1] of P(b) = r + sb² + 2cb + (1 − b²)², c ≥ 0: at 1 or, where P is concave,
// where P′ falls through 0.
func responses(r, s, c float64) float64 {
	value := func(b float64) float64 { return r + s*b*b + 2*c*b + (1-b*b)*(1-b*b) }
	slope := func(b float64) float64 { return 2*s*b + 2*c - 4*b + 4*b*b*b }
	lo, hi := 0.0, math.Sqrt(math.Max(2-s, 0)/6) // P″ = 2s − 4 + 12b² < 0 below
	if slope(hi) >= 0 {
		return value(1) // rises to there, and then, convex, on
	}
	for range 60 {
		if mid := (lo + hi) / 2; slope(mid) > 0 {
			lo = mid
		} else {
			hi = mid
		}
	}
	return math.Max(value(1), value(lo)+math.Max(slope(lo), 0)*(hi-lo))
}

// rowsOf is the sensitivity to a unit of that many rows, from above.
func (q proposition) rowsOf(rows int) float64 { return float64(rows) * q.sensitivity() * (1 + 1e-15) }

// noisesOf are the laws of the noise on the integers of the moments, in units of 2^−44, at variance σ².
func noisesOf(list []moment, sigma2 noise.Rational) ([]sample.WideGaussian, error) {
	out, of := make([]sample.WideGaussian, len(list)), map[int64]sample.WideGaussian{}
	for k, m := range list {
		law, ok := of[m.halves]
		if !ok {
			n := new(big.Int).Mul(new(big.Int).SetUint64(sigma2.Num), big.NewInt(m.halves))
			var err error
			if law, err = sample.NewWideGaussian(n.Lsh(n, 4*leastsquares.LatticeBits-1),
				new(big.Int).SetUint64(sigma2.Den)); err != nil {
				return nil, domain.Refuse("linear", "sigma2_moments", sigma2.String(), "a variance that the integer sampler takes")
			}
			of[m.halves] = law
		}
		out[k] = law
	}
	return out, nil
}

// deviation is the standard deviation of the noise on a moment, in products, at σ.
func (m moment) deviation(sigma float64) float64 { return sigma * math.Sqrt(float64(m.halves)/2) }

// stepOf is the exponent of the power of two that a noisy moment is rounded to before it is written down: a thousandth
// of its noise or less, which is post-processing and spares digits that say nothing.
func stepOf(deviation float64) int {
	_, exp := math.Frexp(deviation / 1024)
	return min(max(exp-1, -leastsquares.LatticeBits), 40)
}

// drawMoments adds noise to the integers, times their weights 1, 2 or 4 where they have any, and rounds to steps.
func drawMoments(list []moment, dim int, weights []int64, noise []*big.Int, deviations []float64, exact []num.Int128,
) []float64 {
	out := make([]float64, len(list))
	for k, m := range list {
		v, weight := exact[packed(m.i, m.j, dim+1)], uint(0)
		if weights != nil {
			weight = uint(bits.TrailingZeros64(uint64(weights[k])))
		}
		y := new(big.Int).Lsh(big.NewInt(v.Hi), 64)
		y.Add(y, new(big.Int).SetUint64(v.Lo)).Lsh(y, weight).Add(y, noise[k])
		shift := weight + uint(2*leastsquares.LatticeBits+stepOf(deviations[k]))
		y.Add(y, new(big.Int).Lsh(big.NewInt(1), shift-1)).Rsh(y, shift)
		out[k], _ = new(big.Float).SetInt(y).Float64()
	}
	return out
}

// packed is the place of i ≤ j in an upper triangle by rows.
func packed(i, j, width int) int { return i*width - i*(i-1)/2 + j - i }

// scaled is a released number as a moment of scaled rows.
func (m moment) scaled(steps, deviation float64, square int) float64 {
	return m.onRows(math.Ldexp(steps, stepOf(deviation)), square)
}

// onRows takes products of [−1, 1] to those of rows of which x is divided by √D.
func (m moment) onRows(v float64, square int) float64 {
	switch m.ofY {
	case 0:
		return v / float64(square)
	case 1:
		return v / math.Sqrt(float64(square))
	}
	return v
}
