package utility

import (
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
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
