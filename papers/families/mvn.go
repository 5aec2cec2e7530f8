package families

import (
	"github.com/privbayes/privbayes-go/internal/domain"

	"fmt"
	"math"
	"math/rand/v2"
)

// MVN is n vectors in the ball of radius R in d dimensions with a multivariate normal likelihood, under any prior on
// its parameter set: the precision matrix A with eigenvalues in [a, b] and mean 0 (known), or the mean ‖μ‖ ≤ m with A
// known, eigenvalues at most b. Epsilon equals Oscillation, which is attained over the priors (two points, the rarer of
// vanishing weight); a particular prior may do better. Source: theory/sampling.md §15.
type MVN struct {
	iid
	d           int
	a, b, m, r  float64
	unknownMean bool
}

// NewMVNPrecision is the family with known mean 0 and eigenvalues of the precision matrix in [a, b], 0 < a < b:
// *ParameterError. A known mean other than 0 is subtracted from the data first; R is the radius after that.
func NewMVNPrecision(n, d int, a, b, radius float64) (*MVN, error) {
	c := mvnNeeds(n, d, radius)
	c.positive("a", a)
	c.that(b > a && domain.Finite(b), "b", b, fmt.Sprintf("a finite number > a = %v", a))
	return newMVN(c, n, MVN{d: d, a: a, b: b, r: radius})
}

// NewMVNMean is the family with unknown mean ‖μ‖ ≤ m and a known precision matrix with greatest eigenvalue b:
// *ParameterError.
func NewMVNMean(n, d int, m, b, radius float64) (*MVN, error) {
	c := mvnNeeds(n, d, radius)
	c.positive("m", m)
	c.positive("b", b)
	return newMVN(c, n, MVN{d: d, b: b, m: m, r: radius, unknownMean: true})
}

func mvnNeeds(n, d int, radius float64) need {
	c := need{family: "multivariate normal"}
	c.records(n)
	c.that(d >= 1 && d <= 1000, "d", d, "1 to 1000 dimensions")
	c.positive("R", radius)
	return c
}

func newMVN(c need, n int, f MVN) (*MVN, error) {
	if c.err != nil {
		return nil, c.err
	}
	f.iid = iid{n, func(src rand.Source) []float64 {
		x := make([]float64, f.d)
		if src.Uint64()&1 == 0 { // a pole of one axis
			x[src.Uint64()%uint64(f.d)] = f.r * float64(1-2*int(src.Uint64()&1))
			return x
		}
		norm := 0.0
		for i := range x {
			x[i] = 2*unit(src) - 1
			norm = math.Hypot(norm, x[i])
		}
		scale := f.r * unit(src) / math.Max(norm, 1e-300)
		for i := range x {
			x[i] *= scale
		}
		return x
	}}
	return &f, nil
}

// Describe names the family and its public bounds.
func (f *MVN) Describe() Description {
	d := Description{Name: "multivariate normal, known mean", Records: f.n, Bounds: fmt.Sprintf("‖x‖ ≤ %.4g", f.r),
		Unit:   "one vector",
		Metric: "Σ‖xx′ − yy′‖_F", Note: "attained over all priors on the parameter set",
		Parameters: []Parameter{{"n", float64(f.n)}, {"d", float64(f.d)}, {"a", f.a}, {"b", f.b}, {"R", f.r}}}
	if f.unknownMean {
		d.Name, d.Metric = "multivariate normal, unknown mean", "Σ(‖xx′ − yy′‖_F + 2‖x − y‖)"
		d.Parameters = []Parameter{{"n", float64(f.n)}, {"d", float64(f.d)}, {"m", f.m}, {"b", f.b}, {"R", f.r}}
	}
	return d
}

// Oscillation is
//
//	½(b − a)·max‖xx′ − yy′‖_* = (b − a)R² for d ≥ 2, ½(b − a)R² for d = 1 (known mean),
//	2m·max‖A(x − y)‖ ≤ 4mRb (unknown mean):
//
// xx′ − yy′ has one positive and one negative eigenvalue, and an A can meet the first with b and the second with a.
func (f *MVN) Oscillation() float64 {
	const up = 1 + 1e-14
	switch {
	case f.unknownMean:
		return 4 * f.m * f.r * f.b * up
	case f.d == 1:
		return (f.b - f.a) * f.r * f.r / 2 * up
	}
	return (f.b - f.a) * f.r * f.r * up
}

// Epsilon is Oscillation.
func (f *MVN) Epsilon() float64 { return f.Oscillation() }

// Paper is 2Lρ by Lemma 23 with L = ½‖A‖_F·max{1, ‖μ‖}, and ρ of the farthest pair in the ball.
func (f *MVN) Paper() Paper {
	frobenius := f.b * math.Sqrt(float64(f.d))
	p := Paper{Epsilon: frobenius * replacedOuter(f.d, f.r), Source: "Lemma 23", Verdict: "holds, loose: ½‖A‖_F for " +
		"½λ_max, and a is ignored"}
	if f.unknownMean {
		p.Epsilon = frobenius * math.Max(1, f.m) * replacedNorm(f.d, f.r)
		p.Verdict = "holds, loose; ρ reaches 4.7096 on the unit ball, not 3"
	}
	return p
}

// Uniform is L = ½b, the least for the known mean (x along the top eigenvector, y = 0) where the paper has ½‖A‖_F; for
// the unknown mean ½b·max{1, m} is a bound.
func (f *MVN) Uniform() float64 {
	if f.unknownMean {
		return f.b / 2 * math.Max(1, f.m)
	}
	return f.b / 2
}

// replacedOuter is max ‖xx′ − yy′‖_F in the ball: √2·R², or R² for d = 1.
func replacedOuter(d int, r float64) float64 {
	if d == 1 {
		return r * r
	}
	return math.Sqrt2 * r * r
}

// replacedNorm is max ‖xx′ − yy′‖_F + 2‖x − y‖ in the ball of radius R, the ρ of one replaced record in Lemma 23 (Lemma
// 22 for d = 1): at d ≥ 2 √2·R² sin φ + 4R sin(φ/2) at the best angle φ, 4.7096 for R = 1; at d = 1 (R+1)² or, for R <
// 1, 4R.
func replacedNorm(d int, r float64) float64 {
	if d == 1 {
		if r >= 1 {
			return (r + 1) * (r + 1)
		}
		return 4 * r
	}
	c := (math.Sqrt(4+16*r*r) - 2) / (4 * math.Sqrt2 * r)
	s := math.Sqrt(1 - c*c)
	return 2*math.Sqrt2*r*r*s*c + 4*r*s
}

// Nodes is the prior that attains the oscillation: two opposite extremes, one of weight e^−30, and some points in
// between. A node is the diagonal of A, or the mean.
func (f *MVN) Nodes() (nodes []Node, exact bool) {
	for axis := range min(f.d, 8) {
		for side := range 2 {
			theta := make([]float64, f.d)
			for i := range theta {
				if !f.unknownMean {
					theta[i] = f.a
					if (i == axis) == (side == 0) {
						theta[i] = f.b
					}
				}
			}
			if f.unknownMean {
				theta[axis] = f.m * float64(1-2*side)
			}
			logWeight := 0.0
			if len(nodes) > 0 {
				logWeight = -30
			}
			nodes = append(nodes, Node{theta, logWeight})
		}
	}
	return nodes, true
}

// LogLikelihood is ½Σ ln a_ii·n − ½Σ a_ii x_i², or −½bΣ‖x − μ‖².
func (f *MVN) LogLikelihood(theta []float64, data Data) float64 {
	sum := 0.0
	for i, t := range theta {
		if !f.unknownMean {
			sum += float64(len(data)) * math.Log(t) / 2
		}
		for _, x := range data {
			if f.unknownMean {
				sum -= f.b / 2 * (x[i] - t) * (x[i] - t)
			} else {
				sum -= t * x[i] * x[i] / 2
			}
		}
	}
	return sum
}
