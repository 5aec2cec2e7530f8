package utility

import (
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/internal/parity"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Loss is the corrected Theorem 1 at the exact counts of a network: the divergence f(Z) = Σ f_ij(Z_ij) of the released
// posterior satisfies
//
//	P[f(Z) ≥ Expected + Tail] ≤ Delta.
//
// Everything in it depends on the exact counts. Private: do not publish. [PublicTail] needs no counts.
type Loss struct {
	Cells    int
	N        int
	Scale    float64   // b
	Delta    float64   // δ
	Expected float64   // Σ E f_ij, nats
	Variance float64   // V = Σ Var f_ij, nats²
	Ranges   []float64 // c_ij, the range of every f_ij, nats

	McDiarmid float64 // sqrt(½ ln(1/δ) Σ c_ij²)
	Bernstein float64 // ML/3 + sqrt((ML/3)² + 2VL), L = ln(1/δ), M = max(c_ij − E f_ij)
	Cantelli  float64 // sqrt(V(1−δ)/δ)
	Tail      float64 // the least of the three
}

// PosteriorLoss is the mean and a tail bound of the divergence of the posterior of Algorithm 1 from the exact one, for
// any priors and any network of two-level nodes: one [Cell] for each parent configuration of each node. The expectation
// and the variance are exact, see [ExpectedKL]; the tail is the least of McDiarmid's, Bernstein's and Cantelli's, each
// valid by itself at the same δ.
//
// As printed, Theorem 1 fails in its range c_ij ([PaperRange]), in Σ c_ij for Σ c_ij² ([PaperTail]) and in its mean
// ([PaperExpected]).
//
// The result is private: do not publish. Domain: at least one cell, each as in [ExpectedKL]; b > 0; 0 < δ < 1;
// otherwise a *ParameterError.
func PosteriorLoss(cells []Cell, n int, b, delta float64) (*Loss, error) {
	if err := check("PosteriorLoss", domain.AtLeast("number of cells", len(cells), 1),
		domain.Probability("delta", delta)); err != nil {
		return nil, err
	}
	l := &Loss{Cells: len(cells), N: n, Scale: b, Delta: delta, Ranges: make([]float64, len(cells))}
	seen := map[Cell]Moments{} // networks have many equal cells, empty ones above all
	var squares, most float64
	for i, c := range cells {
		m, ok := seen[c]
		if !ok {
			var err error
			if m, err = ExpectedKL(c, n, b); err != nil {
				return nil, fmt.Errorf("utility: cell %d: %w", i, err)
			}
			seen[c] = m
		}
		r, err := CornerMax(c, n)
		if err != nil {
			return nil, fmt.Errorf("utility: cell %d: %w", i, err)
		}
		l.Ranges[i] = r
		l.Expected += m.Mean
		l.Variance += m.Variance
		squares += r * r
		most = max(most, r-m.Mean)
	}
	L := -math.Log(delta)
	l.McDiarmid = math.Sqrt(L / 2 * squares)
	l.Bernstein = most*L/3 + math.Sqrt(most*L/3*(most*L/3)+2*l.Variance*L)
	l.Cantelli = math.Sqrt(l.Variance * (1 - delta) / delta)
	l.Tail = min(l.McDiarmid, l.Bernstein, l.Cantelli)
	return l, nil
}

// Table shows the loss and its three tails, under the heading "private: do not publish".
func (l *Loss) Table() *table.Table {
	t := table.New("Divergence of the released posterior (private: do not publish)", "quantity", "nats")
	t.Add("expected", l.Expected).Add("standard deviation", math.Sqrt(l.Variance))
	t.Add("tail, McDiarmid", l.McDiarmid).Add("tail, Bernstein", l.Bernstein).Add("tail, Cantelli", l.Cantelli)
	t.Add("bound: expected + least tail", l.Expected+l.Tail)
	return t.Note(fmt.Sprintf("%d cells, n = %d, b = %s, δ = %s. These numbers depend on the exact counts: "+
		"publishing them has no privacy guarantee at any ε.",
		l.Cells, l.N, table.Number(l.Scale), table.Number(l.Delta)))
}

// String shows the loss as text, marked private.
func (l *Loss) String() string { return table.Text(l) }

// PublicTail is McDiarmid's tail of the divergence with the data-free ranges of [PublicRange], in nats:
//
//	P[f(Z) ≥ E f(Z) + sqrt(½ ln(1/δ) Σ c_ij²)] ≤ δ for every data set of n records.
//
// It grows like n ln n · sqrt(m ln(1/δ)), not like the printed sqrt(m n ln n ln(1/δ)). Public: no count enters. Domain:
// at least one prior, α, β > 0, n ≥ 1, 0 < δ < 1; otherwise a *ParameterError.
func PublicTail(priors []Prior, n int, delta float64) (float64, error) {
	if err := check("PublicTail", domain.AtLeast("number of priors", len(priors), 1),
		domain.Probability("delta", delta)); err != nil {
		return 0, err
	}
	squares := 0.0
	for i, p := range priors {
		c, err := PublicRange(p, n)
		if err != nil {
			return 0, fmt.Errorf("utility: prior %d: %w", i, err)
		}
		squares += c * c
	}
	return math.Sqrt(-math.Log(delta) / 2 * squares), nil
}

// Form is one of the three ways in which the paper prints the range c_ij of Theorem 1.
type Form int

const (
	TheoremForm Form = iota // (2n+1) ln[(α+n+1) + (β+n+1)], in Theorem 1
	LemmaForm               // (2n+1) [ln(α+n+1) + (β+n+1)], in Lemma A.4
	ProofForm               // (2n+1) [ln(α+n+1) + ln(β+n+1)], at the end of its proof
)

// String is where the form is printed.
func (f Form) String() string {
	switch f {
	case TheoremForm:
		return "Theorem 1"
	case LemmaForm:
		return "Lemma A.4"
	case ProofForm:
		return "proof of Lemma A.4"
	}
	return "unknown form"
}

// PaperRange is the range c_ij of one divergence as printed, in nats. As a bound of [CornerMax] it holds for α, β ≥ ½
// in [ProofForm], and is then loose; it fails for small priors: α = β = 0.1, n = 1 has the range 10.0, where the three
// forms claim 4.31, 8.53 and 4.45.
//
// Domain: one of the three forms, α, β > 0, n ≥ 1; otherwise a *ParameterError.
func PaperRange(f Form, p Prior, n int) (float64, error) {
	args := append(p.arguments(), domain.AtLeast("n", n, 1),
		domain.Arg("form", int(f), f >= TheoremForm && f <= ProofForm, "TheoremForm, LemmaForm or ProofForm"))
	if err := check("PaperRange", args...); err != nil {
		return 0, err
	}
	N := float64(n)
	x, y := p.Alpha+N+1, p.Beta+N+1
	switch f {
	case TheoremForm:
		return (2*N + 1) * math.Log(x+y), nil
	case LemmaForm:
		return (2*N + 1) * (math.Log(x) + y), nil
	default:
		return (2*N + 1) * (math.Log(x) + math.Log(y)), nil
	}
}

// PaperTail is the tail of Theorem 1 as printed, sqrt(−½ ln δ Σ c_ij). It is wrong even in its units: McDiarmid's
// inequality needs Σ c_ij². It fails: α = β = 2, n = 10, b = 5, counts (10, 0), δ = 0.01 exceeds mean + tail in
// [TheoremForm] with probability 0.0136; and with α = β = 1, n = 50, counts (50, 0) and b = 1000, all three forms are
// exceeded with probability near ¼ where δ = 0.05 is claimed.
//
// Domain: at least one range, each ≥ 0 and finite; 0 < δ < 1; otherwise a *ParameterError.
func PaperTail(ranges []float64, delta float64) (float64, error) {
	args := []domain.Argument{domain.AtLeast("number of ranges", len(ranges), 1), domain.Probability("delta", delta)}
	sum := 0.0
	for _, c := range ranges {
		args = append(args, domain.Arg("range", c, c >= 0 && domain.Finite(c), "a finite number ≥ 0"))
		sum += c
	}
	if err := check("PaperTail", args...); err != nil {
		return 0, err
	}
	return math.Sqrt(-math.Log(delta) / 2 * sum), nil
}

// PaperExpected is the bound of E f_ij in Theorem 1 as printed, in nats:
//
//	U = n ln[(α + A)(β + B)].
//
// It fails for the uniform prior, the paper's own: α = β = 1 and counts (0, 0) give 0, but the mean is 0.125 at n = 1,
// b = 1. For α, β ≥ 2 no violation is known, and it is loose. Private, like its counts. Domain: α, β > 0, n ≥ 1, counts
// in [0, n]; otherwise a *ParameterError.
func PaperExpected(c Cell, n int) (float64, error) {
	if err := check("PaperExpected", c.arguments(n, 1)...); err != nil {
		return 0, err
	}
	return float64(n) * (math.Log(c.Alpha+c.A) + math.Log(c.Beta+c.B)), nil
}

// PaperRefined is the refined bound of E f_ij for n ≥ b in Theorem 1 as printed, in nats:
//
//	ln[(α+n+1)(β+n+1)] (n/2) e^{−n/b}.
//
// It fails: it falls exponentially in n/b, the mean only like b²/n ([ExpectedKLInterior]). α = β = 2, n = 2, b = 1/4,
// counts (0, 2) has the mean 0.0187, where 0.00108 is claimed.
//
// Domain: α, β > 0, n ≥ 1, 0 < b ≤ n; otherwise a *ParameterError.
func PaperRefined(p Prior, n int, b float64) (float64, error) {
	args := append(p.arguments(), domain.AtLeast("n", n, 1),
		domain.Arg("b", b, b > 0 && b <= float64(n), "a scale in (0, n]"))
	if err := check("PaperRefined", args...); err != nil {
		return 0, err
	}
	N := float64(n)
	return (math.Log(p.Alpha+N+1) + math.Log(p.Beta+N+1)) * N / 2 * math.Exp(-N/b), nil
}

// PaperLemmaA3 is the bound of f(z) in Lemma A.3 as printed, in nats:
//
//	A ln(α+A) + B ln(β+B) − z₁ ln(α+A−1) − z₂ ln(β+B−1).
//
// It fails: its closed form of the divergence drops the lnΓ and ψ of the totals. α = β = 2, counts (0, 0), z = (½, 0)
// gives 0, but the divergence is 0.0394; see [Cell.Divergence]. Private, like its counts.
//
// Domain: α, β ≥ 2, as the lemma asks; n ≥ 1; counts and z in [0, n]; otherwise a *ParameterError.
func PaperLemmaA3(c Cell, n int, z1, z2 float64) (float64, error) {
	args := append(c.arguments(n, 1), count("z1", z1, n), count("z2", z2, n),
		domain.Arg("alpha", c.Alpha, c.Alpha >= 2, "at least 2"), domain.Arg("beta", c.Beta, c.Beta >= 2, "at least 2"))
	if err := check("PaperLemmaA3", args...); err != nil {
		return 0, err
	}
	x, y := c.Alpha+c.A, c.Beta+c.B
	return c.A*math.Log(x) + c.B*math.Log(y) - z1*math.Log(x-1) - z2*math.Log(y-1), nil
}

// IncrementFailure is the exact probability that the increment 2tNb of Corollary 3 is below the sum of the N absolute
// noises Lap(b):
//
//	P(Gamma(N) > 2tN) = Q(N, 2tN),
//
// the regularised upper incomplete gamma function. When it is not below, the table is non-negative, and so is a joint
// table behind all marginals: a bound of the probability of a negative cell that no data enters.
//
// Domain: 1 ≤ N ≤ 2^30, t ≥ 0 and finite; otherwise a *ParameterError. Source: Corollary 3 of the network paper.
func IncrementFailure(coefficients int, t float64) (float64, error) {
	err := check("IncrementFailure", domain.Between("coefficients", coefficients, 1, parity.MaxShape),
		domain.Arg("t", t, t >= 0 && domain.Finite(t), "a finite number ≥ 0"))
	if err != nil {
		return 0, err
	}
	return gammaTail(coefficients, t)
}

// gammaTail is P(Gamma(N) > 2tN).
func gammaTail(coefficients int, t float64) (float64, error) {
	return parity.GammaTail(coefficients, 2*t*float64(coefficients))
}

// SmallestT is the least t₀ with P(Gamma(N) > 2tN) ≤ e^{−t} for all t ≥ t₀: from there on Corollary 3 is proved by the
// sum of the noises. It is 0 for N = 1, 0.184 for N = 2, and rises to ½: so t ≥ ½ is enough for every N. Below t₀ the
// corollary can fail: a collider or a complete network of three nodes (N = 8), with t = 0.03 and empty cells, is
// non-negative with probability 0.019 where 0.0296 is claimed.
//
// The logarithm of the gamma tail is concave in t, so ln P + t is concave, 0 at t = 0 and of slope 1 there for N ≥ 2:
// it has one other root, which a bracket finds to 1e-12. The answer is the upper end.
//
// Domain: 1 ≤ N ≤ 10⁶; otherwise a *ParameterError.
func SmallestT(coefficients int) (float64, error) {
	err := check("SmallestT", domain.Arg("coefficients", coefficients, coefficients >= 1 && coefficients <= 1e6,
		"an integer in [1, 1000000]"))
	if err != nil {
		return 0, err
	}
	if coefficients == 1 {
		return 0, nil // P = e^{−2t}
	}
	_, hi, err := num.RootBracket(func(t float64) float64 {
		p, err := gammaTail(coefficients, t)
		if err != nil {
			return math.NaN()
		}
		return math.Log(p) + t
	}, 0.05, 0.5, 1e-12)
	if err != nil {
		return 0, check("SmallestT", domain.Arg("coefficients", coefficients, false, "a number with t₀ in [0.05, 0.5]"))
	}
	return hi, nil
}

// PaperIncrement is the increment of Corollary 3 in records, on the coefficient whose value is n:
//
//	4tN²/ε = 2tNb, b = 2N/ε.
//
// The paper prints it with a factor 2^{−k/2}, on normalised coefficients. It holds with probability at least 1 − e^{−t}
// when t ≥ ½, see [SmallestT], and is very loose there.
//
// Domain: N ≥ 1, ε > 0, t > 0; otherwise a *ParameterError.
func PaperIncrement(coefficients int, epsilon, t float64) (float64, error) {
	if err := check("PaperIncrement", domain.AtLeast("coefficients", coefficients, 1),
		domain.Positive("epsilon", epsilon), domain.Positive("t", t)); err != nil {
		return 0, err
	}
	N := float64(coefficients)
	return 4 * t * N * N / epsilon, nil
}

// IncrementQuantile is the increment, in records, that the sum of N absolute noises Lap(b) exceeds with probability
// exactly δ:
//
//	b · GammaInv(N; 1 − δ).
//
// It keeps a joint table non-negative with probability at least 1 − δ, needs no data, and replaces [PaperIncrement].
//
// Domain: 1 ≤ N ≤ 2^30, b > 0, 0 < δ < 1; otherwise a *ParameterError.
func IncrementQuantile(coefficients int, b, delta float64) (float64, error) {
	if err := check("IncrementQuantile", domain.Between("coefficients", coefficients, 1, parity.MaxShape),
		domain.Positive("b", b), domain.Probability("delta", delta)); err != nil {
		return 0, err
	}
	t, err := parity.GammaIncrement(coefficients, delta)
	return b * t, err
}

// Bound is Proposition 1: a level that no noise exceeds in absolute value, with probability at least 1 − δ. Units:
// records.
type Bound struct {
	Paper float64 // b ln(cells/δ), as printed: holds, by the union bound
	Exact float64 // −b ln(1 − (1−δ)^{1/cells}): the exact 1 − δ quantile
	Loose float64 // Paper/Exact, at least 1
}

// MaxNoiseBound bounds the largest of cells independent |Lap(b)|, in the printed and in the exact form:
//
//	P(max ≤ z) = (1 − e^{−z/b})^cells.
//
// cells is the number of noisy counts, Σ q_i r_i over the nodes with r_i levels and q_i parent configurations: 2m on
// two-level nodes, where m = Σ 2^{|π_i|}. Clamping to [0, n] afterwards keeps the bound.
//
// Domain: cells ≥ 1, b > 0, 0 < δ < 1; otherwise a *ParameterError. Source: Proposition 1 of the network paper.
func MaxNoiseBound(cells int, b, delta float64) (Bound, error) {
	if err := check("MaxNoiseBound", domain.AtLeast("cells", cells, 1), domain.Positive("b", b),
		domain.Probability("delta", delta)); err != nil {
		return Bound{}, err
	}
	k := float64(cells)
	p := Bound{Paper: b * (math.Log(k) - math.Log(delta))}
	// 1 − (1−δ)^{1/k}, without losing small δ/k.
	p.Exact = -b * math.Log(-math.Expm1(math.Log1p(-delta)/k))
	p.Loose = p.Paper / p.Exact
	return p, nil
}

// HalfCellsBound is b ln(m/δ) with m = cells/2: the reading that counts parent configurations and forgets that each has
// two noisy counts. It fails: a naive Bayes network of 16 features at ε = 1 exceeds it with probability 0.0952 where δ
// = 0.05 is claimed. See [ExceedProbability].
//
// Domain: cells ≥ 2 and even, b > 0, 0 < δ < 1; otherwise a *ParameterError.
func HalfCellsBound(cells int, b, delta float64) (float64, error) {
	err := check("HalfCellsBound", domain.Arg("cells", cells, cells >= 2 && cells%2 == 0,
		"an even number, at least 2"), domain.Positive("b", b), domain.Probability("delta", delta))
	if err != nil {
		return 0, err
	}
	return b * (math.Log(float64(cells/2)) - math.Log(delta)), nil
}

// ExceedProbability is the exact probability that the largest of cells independent |Lap(b)| exceeds z:
//
//	1 − (1 − e^{−z/b})^cells.
//
// Domain: cells ≥ 1, b > 0, z finite; a negative z gives 1. Otherwise a *ParameterError.
func ExceedProbability(cells int, b, z float64) (float64, error) {
	err := check("ExceedProbability", domain.AtLeast("cells", cells, 1), domain.Positive("b", b),
		domain.Arg("z", z, domain.Finite(z), "a finite number"))
	if err != nil {
		return 0, err
	}
	if z <= 0 {
		return 1, nil
	}
	return -math.Expm1(float64(cells) * math.Log1p(-math.Exp(-z/b))), nil
}
