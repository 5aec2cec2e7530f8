// Package utility bounds how far a Laplace or Fourier release of Bayesian network counts lies from the exact counts,
// and the released posterior from the exact one. Every bound stands in the form printed by Zhang, Rubinstein and
// Dimitrakakis ("On the Differential Privacy of Bayesian Inference", AAAI 2016) and in a corrected form, side by side;
// a printed form that fails is named Paper… and says where.
//
//   - [MaxNoiseBound]: Proposition 1, the largest noise of all cells.
//   - [ClampedMean] and [PaperClampedMean]: the expectation of a count that is clamped to [0, n] after noise.
//   - [ExpectedKL], [CornerMax], [PosteriorLoss], [PublicTail]: Theorem 1, the divergence of the released posterior.
//   - [PaperRange], [PaperExpected], [PaperRefined], [PaperTail], [PaperLemmaA3]: its printed parts.
//   - [IncrementFailure], [SmallestT], [IncrementQuantile]: Corollary 3, the increment against negative cells.
//   - [FourierTable]: Theorem 3, the L1 error of a Fourier table.
//
// Throughout, n is the public number of records, b the Laplace scale (density exp(−|x|/b)/(2b)), δ a failure
// probability; divergences are in nats. Neighbours replace one record.
//
// [Loss] depends on exact counts: it is a diagnostic, private: do not publish. Everything else that takes no counts is
// public.
package utility

import (
	"fmt"
	"math"
	"slices"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/num"
)

// ParameterError is an argument outside its domain: package, function and parameter, the value, and what was wanted.
// Every error of the package is one.
type ParameterError = domain.Error

// check reports the first argument outside its domain.
func check(function string, args ...domain.Argument) error {
	return domain.Check("utility", function, args...)
}

func count(name string, x float64, n int) domain.Argument {
	return domain.Arg(name, x, x >= 0 && x <= float64(n), fmt.Sprintf("a count in [0, %d]", n))
}

// Prior is the Beta(Alpha, Beta) prior of one probability: one parent configuration of one two-level node. Both are >
// 0.
type Prior struct{ Alpha, Beta float64 }

// Cell is a prior and the two exact counts that update it, each in [0, n]. The counts are private.
type Cell struct {
	Prior
	A, B float64
}

func (p Prior) arguments() []domain.Argument {
	return []domain.Argument{domain.Positive("alpha", p.Alpha), domain.Positive("beta", p.Beta)}
}

func (c Cell) arguments(n int, b float64) []domain.Argument {
	return append(c.Prior.arguments(), domain.AtLeast("n", n, 1), count("A", c.A, n), count("B", c.B, n),
		domain.Positive("b", b))
}

// Divergence is f(z), the divergence in nats of the posterior on noisy counts z from the one on exact counts:
//
//	f(z) = KL(Beta(α + A, β + B) ‖ Beta(α + z₁, β + z₂)).
//
// It is a Bregman divergence of a log-partition function in its second argument: convex in z, and 0 at z = (A, B). NaN
// where a parameter is not positive.
func (c Cell) Divergence(z1, z2 float64) float64 {
	a, b := c.Alpha+c.A, c.Beta+c.B
	return num.DirichletKL([]float64{c.Alpha + z1, c.Beta + z2}, []float64{a, b}, []float64{z1 - c.A, z2 - c.B})
}

// Moments are the mean and the variance of f(Z) in nats and nats², with Z the two clamped noisy counts of a cell. They
// depend on the exact counts. Private: do not publish.
type Moments struct{ Mean, Variance float64 }

// ExpectedKL is the exact mean and variance of f(Z), where Z₁ and Z₂ are independent min(max(count + Lap(b), 0), n), by
// a two-dimensional quadrature over the two clamped Laplace laws: two atoms and Gauss panels each. Relative error about
// 1e-11, measured against a finer rule for α, β in [0.002, 20], n ≤ 2000 and b in [0.02, 3000].
//
// The result depends on the exact counts: private, do not publish. Domain: α, β, b > 0, n ≥ 1, counts in [0, n];
// otherwise a *ParameterError. Source: the divergence of Theorem 1, whose printed mean fails (see [PaperExpected]).
func ExpectedKL(c Cell, n int, b float64) (Moments, error) {
	if err := check("ExpectedKL", c.arguments(n, b)...); err != nil {
		return Moments{}, err
	}
	x, y := c.Alpha+c.A, c.Beta+c.B
	h1, w1 := clampedRule(c.A, float64(n), b, c.Alpha)
	h2, w2 := clampedRule(c.B, float64(n), b, c.Beta)
	g2 := make([]float64, len(h2))
	for j, h := range h2 {
		g2[j] = num.LogGammaBregman(c.Beta+(c.B+h), y, h)
	}
	var mean, square float64
	for i, h := range h1 {
		if w1[i] == 0 {
			continue
		}
		z := c.A + h // exactly 0 at the lower atom, so a small prior keeps its digits
		g1 := num.LogGammaBregman(c.Alpha+z, x, h)
		var m, s float64
		for j, k := range h2 {
			f := g1 + g2[j] - num.LogGammaBregman(c.Alpha+c.Beta+(z+(c.B+k)), x+y, h+k)
			m += w2[j] * f
			s += w2[j] * f * f
		}
		mean += w1[i] * m
		square += w1[i] * s
	}
	return Moments{mean, max(square-mean*mean, 0)}, nil
}

// ExpectedKLInterior is the mean of f(Z) to second order, for counts many scales b away from 0 and n:
//
//	b² [ψ′(α + A) + ψ′(β + B) − 2ψ′(α + β + A + B)].
//
// It falls like b²/n: more records, less loss, where the printed rate O(n ln n) of Theorem 1 grows. Private and in
// nats, domain and errors as [ExpectedKL].
func ExpectedKLInterior(c Cell, n int, b float64) (float64, error) {
	if err := check("ExpectedKLInterior", c.arguments(n, b)...); err != nil {
		return 0, err
	}
	x, y := c.Alpha+c.A, c.Beta+c.B
	return b * b * (num.Trigamma(x) + num.Trigamma(y) - 2*num.Trigamma(x+y)), nil
}

// CornerMax is the range c of f(Z): f is convex with minimum 0, so its range over [0, n]² is its maximum over the four
// corners,
//
//	c = max f(z), z ∈ {0, n}².
//
// It depends on the exact counts: private, do not publish; [PublicRange] is the data-free range. Domain: α, β > 0, n ≥
// 1, counts in [0, n]; otherwise a *ParameterError.
func CornerMax(c Cell, n int) (float64, error) {
	if err := check("CornerMax", c.arguments(n, 1)...); err != nil {
		return 0, err
	}
	N, most := float64(n), 0.0
	for _, z := range [...][2]float64{{0, 0}, {0, N}, {N, 0}, {N, N}} {
		most = math.Max(most, c.Divergence(z[0], z[1]))
	}
	return most, nil
}

// PublicRange bounds [CornerMax] over all counts of n records, without data, in nats:
//
//	max{ KL(Beta(α+n, β) ‖ Beta(α, β+n)), KL(Beta(α, β+n) ‖ Beta(α+n, β)) },
//
// which is n[ψ(α+n) − ψ(α)] for α = β. Public. Domain: α, β > 0, n ≥ 1; otherwise a *ParameterError.
func PublicRange(p Prior, n int) (float64, error) {
	if err := check("PublicRange", append(p.arguments(), domain.AtLeast("n", n, 1))...); err != nil {
		return 0, err
	}
	N := float64(n)
	return max(Cell{p, N, 0}.Divergence(0, N), Cell{p, 0, N}.Divergence(N, 0)), nil
}

// DirichletCornerMax is the range of the divergence of one Dirichlet node, in nats:
//
//	max KL(Dir(α + D) ‖ Dir(α + z)), z ∈ {0, n}^r,
//
// in O(r log r) instead of 2^r: with k entries at n, the divergence is Σ_i d_i(z_i) − D(α. + kn), so for every k the
// best entries are those with the largest gain d_i(n) − d_i(0), and sorting the gains finds all k at once. d_i is the
// Bregman divergence of lnΓ.
//
// It depends on the exact counts: private, do not publish. Domain: r ≥ 2 positive α, as many counts in [0, n], n ≥ 1;
// otherwise a *ParameterError.
func DirichletCornerMax(alpha, counts []float64, n int) (float64, error) {
	args := append(priorArguments(alpha, n),
		domain.Arg("number of counts", len(counts), len(counts) == len(alpha), fmt.Sprint(len(alpha))))
	for i, c := range counts {
		args = append(args, count(fmt.Sprintf("counts[%d]", i), c, n))
	}
	if err := check("DirichletCornerMax", args...); err != nil {
		return 0, err
	}
	N, r := float64(n), len(alpha)
	gain, order := make([]float64, r), make([]int, r)
	for i, a := range alpha {
		x := a + counts[i]
		gain[i] = num.LogGammaBregman(a+N, x, N-counts[i]) - num.LogGammaBregman(a, x, -counts[i])
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		switch {
		case gain[i] > gain[j]:
			return -1
		case gain[i] < gain[j]:
			return 1
		}
		return 0
	})
	// Totals in one pass choose k; the divergence itself is then taken without cancellation.
	var base, total, moved float64
	for i, a := range alpha {
		base += num.LogGammaBregman(a, a+counts[i], -counts[i])
		total += a
		moved += counts[i]
	}
	best, bestK := -1.0, 0
	for k := 0; k <= r; k++ {
		h := float64(k)*N - moved
		if v := base - num.LogGammaBregman(total+float64(k)*N, total+moved, h); v > best {
			best, bestK = v, k
		}
		if k < r {
			base += gain[order[k]]
		}
	}
	y, x, h := slices.Clone(alpha), slices.Clone(alpha), make([]float64, r)
	for i := range alpha {
		x[i] += counts[i]
		h[i] = -counts[i]
	}
	for _, i := range order[:bestK] {
		y[i] += N
		h[i] += N
	}
	return num.DirichletKL(y, x, h), nil
}

// DirichletPublicRange bounds [DirichletCornerMax] over all counts in [0, n], without data, in nats:
//
//	Σ_i max{ D(α_i + n; α_i), D(α_i; α_i + n) },  D(y; x) = lnΓ(y) − lnΓ(x) − (y − x)ψ(x).
//
// The divergence is Σ D(α_i + z_i; α_i + D_i) minus such a term for the totals, which is not negative; each D grows as
// its arguments part. An upper bound, not the supremum: for two levels use [PublicRange]. Public. Domain: r ≥ 2
// positive α, n ≥ 1; otherwise a *ParameterError.
func DirichletPublicRange(alpha []float64, n int) (float64, error) {
	if err := check("DirichletPublicRange", priorArguments(alpha, n)...); err != nil {
		return 0, err
	}
	N, sum := float64(n), 0.0
	for _, a := range alpha {
		sum += max(num.LogGammaBregman(a+N, a, N), num.LogGammaBregman(a, a+N, -N))
	}
	return sum, nil
}

func priorArguments(alpha []float64, n int) []domain.Argument {
	args := []domain.Argument{domain.AtLeast("number of levels", len(alpha), 2), domain.AtLeast("n", n, 1)}
	for i, a := range alpha {
		args = append(args, domain.Positive(fmt.Sprintf("alpha[%d]", i), a))
	}
	return args
}

// ClampedMean is the expectation of a count D that is released with Laplace noise and clamped to [0, n], in records:
//
//	E min(max(D + Lap(b), 0), n) = D + (b/2) e^{−D/b} − (b/2) e^{(D−n)/b}.
//
// It lies in [0, n], and is n/2 for D = n/2: clamping pulls towards the middle.
//
// Domain: 0 ≤ D ≤ n, n ≥ 1, b > 0; otherwise a *ParameterError.
func ClampedMean(d float64, n int, b float64) (float64, error) {
	if err := check("ClampedMean", domain.AtLeast("n", n, 1), count("D", d, n), domain.Positive("b", b)); err != nil {
		return 0, err
	}
	N := float64(n)
	// e^{−D/b} − e^{−(n−D)/b} as one difference, which keeps its digits when b is far above n.
	lo, hi := d, N-d
	diff := math.Exp(-lo/b) * -math.Expm1((lo-hi)/b)
	if lo > hi {
		diff = -math.Exp(-hi/b) * -math.Expm1((hi-lo)/b)
	}
	return min(max(d+b/2*diff, 0), N), nil
}

// PaperClampedMean is the same expectation as printed in the proof of Theorem 1:
//
//	D + (b/2) e^{−D/b} + ((n−b)/2) e^{(D−n)/b}.
//
// It is wrong: the part n·P(D + Lap(b) ≥ n) is counted twice, which adds (n/2) e^{(D−n)/b}. Already n = 1, D = 1, b = 1
// gives 1.18, above the largest value 1 of the clamped count.
//
// Domain: as [ClampedMean].
func PaperClampedMean(d float64, n int, b float64) (float64, error) {
	if err := check("PaperClampedMean", domain.AtLeast("n", n, 1), count("D", d, n),
		domain.Positive("b", b)); err != nil {
		return 0, err
	}
	N := float64(n)
	return d + b/2*math.Exp(-d/b) + (N-b)/2*math.Exp((d-N)/b), nil
}

// beyond is the number of scales after which the mass e^{−45}/2 of a Laplace tail is left out of a quadrature.
const beyond = 45

// clampedRule is a discrete law that stands for min(max(D + Lap(b), 0), n) in expectations of functions of z that are
// analytic for z > −prior, as lnΓ(prior + z) is. Its nodes are the steps h = z − D, which keep their digits when b is
// far below D. The two atoms, ½e^{−D/b} at z = 0 and ½e^{−(n−D)/b} at z = n, are exact; the density between is covered
// by 24-point Gauss panels. Panels end at D, where the density has a corner, at 10b, 24b and 45b from it, and grow by a
// factor 5 from the singular point −prior: each then converges to the last digits.
func clampedRule(d, n, b, prior float64) (steps, weights []float64) {
	steps, weights = []float64{-d, n - d}, []float64{math.Exp(-d/b) / 2, math.Exp(-(n-d)/b) / 2}
	edges := []float64{}
	for e := 4 * prior; e < n; e = 5*e + 4*prior {
		edges = append(edges, e-d)
	}
	x, w := num.GaussLegendre24()
	panel := func(lo, hi float64) {
		half, mid := (hi-lo)/2, (hi+lo)/2
		for i := range x {
			h := mid + half*x[i]
			steps = append(steps, h)
			weights = append(weights, half*w[i]*math.Exp(-math.Abs(h)/b)/(2*b))
		}
	}
	cuts := [...]float64{-beyond * b, -24 * b, -10 * b, 0, 10 * b, 24 * b, beyond * b}
	for i, hi := range cuts[1:] {
		lo := max(cuts[i], -d)
		hi = min(hi, n-d)
		for _, e := range edges {
			if lo < e && e < hi {
				panel(lo, e)
				lo = e
			}
		}
		if lo < hi {
			panel(lo, hi)
		}
	}
	return steps, weights
}

// TableError is Theorem 3 for one family of s two-level variables: bounds, in records, of the L1 distance of its
// released Fourier table from the exact one, each holding with probability at least 1 − δ.
type TableError struct {
	Increment     float64 // 4tN²/ε, the exact L1 weight of the increment
	PaperNoise    float64 // (2N/ε) 2^s ln(N/δ)
	ParsevalNoise float64 // (2N/ε) 2^{s/2} ln(2^s/δ)
	Paper         float64 // PaperNoise + Increment, as printed
	Parseval      float64 // ParsevalNoise + Increment

	// With the exact L1 sensitivity 2·odd of the coefficients in place of 2N, hence b = 2·odd/ε:
	ExactIncrement float64 // 2tN·2odd/ε
	ExactNoise     float64 // (2odd/ε) 2^{s/2} ln(2^s/δ)
	Exact          float64 // ExactNoise + ExactIncrement
}

// FourierTable is Theorem 3 as printed and sharpened, for a network of N Fourier coefficients whose exact L1
// sensitivity is 2·odd, and a family of s variables, parents and node. As printed it reads
//
//	(4N/ε) (2^{s−1} ln(N/δ) + tN);
//
// it holds and is loose. Only 2^s coefficients enter the table, so the logarithm is of 2^s/δ; and by Parseval the L1
// distance is at most the Euclidean length of those 2^s noises, at most 2^{s/2} times the largest.
//
// Domain: 1 ≤ s ≤ 62, N ≥ 2^s, 1 ≤ odd ≤ N, t ≥ 0, 0 < δ < 1, ε > 0; otherwise a *ParameterError. Source: Theorem 3 of
// the network paper.
func FourierTable(coefficients, odd, s int, t, delta, epsilon float64) (TableError, error) {
	err := check("FourierTable", domain.Arg("s", s, s >= 1 && s <= 62, "a number of variables in [1, 62]"),
		domain.AtLeast("coefficients", coefficients, 1<<min(max(s, 0), 62)),
		domain.Arg("odd", odd, odd >= 1 && odd <= coefficients, "an integer in [1, coefficients]"),
		domain.Arg("t", t, t >= 0 && domain.Finite(t), "a finite number ≥ 0"), domain.Probability("delta", delta),
		domain.Positive("epsilon", epsilon))
	if err != nil {
		return TableError{}, err
	}
	N, b, exact := float64(coefficients), 2*float64(coefficients)/epsilon, 2*float64(odd)/epsilon
	root, logs := math.Exp2(float64(s)/2), float64(s)*math.Ln2-math.Log(delta)
	e := TableError{
		Increment:  2 * t * N * b,
		PaperNoise: b * math.Exp2(float64(s)) * (math.Log(N) - math.Log(delta)), ParsevalNoise: b * root * logs,
		ExactIncrement: 2 * t * N * exact, ExactNoise: exact * root * logs,
	}
	e.Paper, e.Parseval, e.Exact = e.PaperNoise+e.Increment, e.ParsevalNoise+e.Increment, e.ExactNoise+e.ExactIncrement
	return e, nil
}
