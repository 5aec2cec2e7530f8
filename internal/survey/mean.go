package survey

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/score"
)

// Six are the boxes of a mean of records: noisy Σt·b and Σt(1 − t)·b for b = (1 − x)², 2x(1 − x), x².
type Six struct{ Weight, Rest [3]float64 }

// bounded keeps all within the range of sums.
func (b Six) bounded() Six {
	return Six{[3]float64(limit(b.Weight[:]...)), [3]float64(limit(b.Rest[:]...))}
}

// sums are Σtx, Σt(1 − x) and Σt²b.
func (b Six) sums() (ones, zeros float64, squares [3]float64) {
	for j := range squares {
		squares[j] = b.Weight[j] - b.Rest[j]
	}
	return b.Weight[1]/2 + b.Weight[2], b.Weight[0] + b.Weight[1]/2, squares
}

// weight is Σt.
func (b Six) weight() float64 { return total(b.Weight[:]) }

// spread is Σt²(x − μ)² from Σt²(1 − x)², Σt²·2x(1 − x) and Σt²x².
func spread(b [3]float64, mu float64) float64 {
	nu := 1 - mu
	return mu*mu*b[0] - mu*nu*b[1] + nu*nu*b[2]
}

// quartic is what the noise of spread is of that of its parts: √(μ⁴ + μ²(1 − μ)² + (1 − μ)⁴).
func quartic(mu float64) float64 {
	a, b := mu*mu, (1-mu)*(1-mu)
	return math.Sqrt(a*a + a*b + b*b)
}

// linear is the test of a mean from T = (1 − μ)·ones − μ·zeros, both at least 0: below, no data give it.
type linear struct {
	ones, zeros float64
	noise       func(mu float64) float64 // of T
	squares     [3]float64               // Σt²b
	squareNoise func(mu float64) float64 // of V
	all         float64                  // Σt²
	weight, cap float64                  // Σt, and the most that V may be over μ(1 − μ)
}

func (m linear) interval(n Noise, level float64) (i Interval) {
	ones, zeros := math.Max(m.ones, 0), math.Max(m.zeros, 0)
	w := score.Weighted{
		Sum:     func(mu float64) (float64, float64) { return (1-mu)*ones - mu*zeros, m.noise(mu) },
		Square:  func(mu float64) (float64, float64) { return spread(m.squares, mu), m.squareNoise(mu) },
		Most:    func(mu float64) float64 { return m.cap * mu * (1 - mu) },
		Squares: m.all, Size: math.Max(m.weight*m.weight/m.all, 1), Normal: n.normal,
	}
	i.Lower, i.Upper = score.Ends((1-level)/2, w.Tail)
	return i
}

// MeanSix is the interval of the mean, at a level in (0, 1), where records are units; no weight is below alpha times
// the largest. T = Σt(x − μ) has the noise s√(μ² + (½ − μ)² + (1 − μ)²), V = Σt²(x − μ)² that of Σt²b, times √(μ⁴ +
// μ²(1 − μ)² + (1 − μ)⁴), and is at most (Σt + √3·s)μ(1 − μ).
func MeanSix(b Six, n Noise, alpha, level float64) Interval {
	b = b.bounded()
	sd := n.box()
	m := linear{
		noise:       func(mu float64) float64 { return sd * partition(mu) },
		squareNoise: func(mu float64) float64 { return n.difference() * quartic(mu) },
		weight:      math.Max(b.weight(), 0),
	}
	m.ones, m.zeros, m.squares = b.sums()
	m.cap, m.all = m.weight+math.Sqrt(3)*sd, sumOfSquares(m.squares, m.weight, sd, alpha)
	return m.interval(n, level).estimated(math.Max(m.ones, 0), math.Max(m.zeros, 0), b.weight(), math.Sqrt(3)*sd)
}

// partition is the noise of Σt(x − μ) from three boxes over that of one.
func partition(mu float64) float64 { return math.Sqrt(mu*mu + (.5-mu)*(.5-mu) + (1-mu)*(1-mu)) }

// sumOfSquares is Σt² between what equal and what the most unequal weights give.
func sumOfSquares(b [3]float64, weight, sd, alpha float64) float64 {
	most := math.Max(weight, sd)
	return clip(total(b[:]), floor(alpha)*most, most)
}

// Five are the boxes of units of several records, or of clusters that are units: with a = Σtx and c = Σt(1 − x) over a
// unit's records, weights in units of the most that a unit may have, and e = 1 − a − c: the noisy sums over units of
// a², c², 2ac, 2ae and 2ce.
type Five [5]float64

// MeanFive is the interval of the mean of records from the boxes of units, as [MeanSix]: V = Σ over units of
// (Σt(x − μ))².
func MeanFive(b Five, n Noise, level float64) Interval {
	v := limit(b[:]...)
	aa, cc, ac, ae, ce := v[0], v[1], v[2]/2, v[3]/2, v[4]/2
	sum, sd := aa+2*ac+cc+ae+ce, n.box()
	m := linear{
		ones: aa + ac + ae, zeros: cc + ac + ce, squares: [3]float64{cc, 2 * ac, aa}, weight: math.Max(sum, 0),
		noise: func(mu float64) float64 {
			return sd * math.Sqrt(1.25*(1-mu)*(1-mu)+1.25*mu*mu+(.5-mu)*(.5-mu))
		},
		squareNoise: func(mu float64) float64 { return sd * quartic(mu) },
	}
	m.cap, m.all = m.weight+math.Sqrt(3.5)*sd, sumOfSquares(m.squares, m.weight, sd, leastAlike)
	return m.interval(n, level).estimated(math.Max(m.ones, 0), math.Max(m.zeros, 0), sum, math.Sqrt(3.5)*sd)
}
