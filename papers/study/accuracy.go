package study

import (
	"context"
	"fmt"

	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Outcome is the exact accuracy of one mechanism at one data vector. Quantiles are the smallest values whose
// probability of not being exceeded reaches the level; two outcomes at equal distance can make a quantile differ in its
// last digits.
type Outcome struct {
	Name  string
	Short string // at most 16 letters, for axes

	Rate  float64 // of exp(−rate·score); of the noise in exp(−rate·|z|) for integer noise; 0 for continuous noise
	Scale float64 // the sensitivity S(x) of the score, or the scale b of continuous noise; 0 where there is none
	Rho   float64 // ε/(rate·S), the factor of Theorem 1; 0 where it plays no role
	Beta  float64 // the smoothing parameter of smooth sensitivity; 0 elsewhere

	MeanH, SDH                        float64 // of the Hellinger distance H
	Q05, Q25, Q50, Q75, Q95           float64 // of H
	MeanL1                            float64 // of ‖x − r‖₁, in records
	Q05L1, Q25L1, Q50L1, Q75L1, Q95L1 float64 // of ‖x − r‖₁
	ProbTruth                         float64 // probability of releasing x itself
	Privacy                           string  // what is proved of this rate, in words
}

// Accuracy computes the exact accuracy of every mechanism at one data vector, in a fixed order: exponential mechanisms
// with
//
//	P[r] ∝ exp(−ε/(ρ·S)·H(x, r)),  S = Δ_g, LS, S_β (with N = n, n+1 and |R|), S_γ (γ = 0.1, 0.25, 0.5, 1), LS⁺,
//
// ρ = 2 as the notes have it or the ρ of Theorem 1 (3 in Theorem C); permute-and-flip; the exponential mechanism on the
// number of replaced records; sum-zero (K-norm) noise; geometric and Laplace noise. Two mechanisms exist for two cells
// only.
//
// Means of finite laws are exact to about 1e-12; those of continuous noise to about 1e-10 and its quantiles to about
// 1e-8, but only to about 1e-5 and 1e-3 of their ranges when a count is clamped with probability above ½e^−5. Errors:
// *SettingError, ctx.Err(). Source: theory/hellinger.md §3, §6, §8, §9, §11.
func Accuracy(ctx context.Context, s Setting) ([]Outcome, error) { return accuracy(ctx, s, nil) }

// accuracy runs the named mechanisms, or all.
func accuracy(ctx context.Context, s Setting, only map[string]bool) ([]Outcome, error) {
	b, err := newBench(ctx, s)
	if err != nil {
		return nil, err
	}
	var out []Outcome
	for _, m := range mechanisms() {
		if only != nil && !only[m.name] || m.cells == 2 && len(s.X) != 2 {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		o, err := m.outcome(b)
		if err != nil {
			return nil, err
		}
		out = append(out, o)
	}
	return out, nil
}

// AccuracyTable shows outcomes of [Accuracy] at a setting.
func AccuracyTable(s Setting, outcomes []Outcome) *table.Table {
	t := table.New("Exact accuracy: "+s.Label, "mechanism", "rate", "S(x) or b", "E[H]", "sd H", "5 %", "25 %",
		"median", "75 %", "95 %", "E[L1]", "P[truth]", "what is proved")
	for _, o := range outcomes {
		var rate, scale any
		if o.Rate > 0 {
			rate = o.Rate
		}
		if o.Scale > 0 {
			scale = o.Scale
		}
		t.Add(o.Name, rate, scale, o.MeanH, o.SDH, o.Q05, o.Q25, o.Q50, o.Q75, o.Q95, o.MeanL1, o.ProbTruth, o.Privacy)
	}
	return t.Note(fmt.Sprintf("x = %v, prior %v, ε = %v, δ = %v. Nothing is simulated: output laws are summed or "+
		"integrated.", s.X, s.Prior, s.Epsilon, s.Delta))
}
