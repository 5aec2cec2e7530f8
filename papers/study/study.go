// Package study repeats the experiments of the notes on Hellinger-distance mechanisms with exact expectations and
// quantiles in place of simulation: the whole output distribution of every mechanism at a data vector is summed or
// integrated.
//
// The data vectors are hypothetical ones that we choose and publish, so nothing here is private and nothing is drawn. A
// data vector x of n records over d = 2 or 3 cells with prior α has the posterior Dirichlet(α + x); a mechanism's error
// at x is the Hellinger distance H between this posterior and the released one, or their ℓ₁ distance ‖x − r‖₁ in
// counts.
//
// The distributions of the exponential mechanisms are made of the very floating-point exponents that the sampler draws
// from.
package study

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/privbayes/privbayes-go/internal/hellinger"
	"github.com/privbayes/privbayes-go/internal/hellingersample"
	"github.com/privbayes/privbayes-go/privbayes/posterior"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Limits of a Setting. They keep every enumeration below a few seconds.
const (
	MaxN2      = 2000 // records over two cells
	MaxN3      = 200  // records over three cells
	MinEpsilon = 0.01
	MaxEpsilon = 50
)

// Setting is one experiment: public hypothetical data under a prior, and the nominal privacy parameters.
type Setting struct {
	Prior          []float64 // α, two or three numbers in [1e-6, 1e9]
	X              []int64   // counts x ≥ 0 with a sum n ≥ 1
	Epsilon, Delta float64   // nominal ε in [MinEpsilon, MaxEpsilon], δ in (0, 1)
	Label          string    // for people, such as "beta(7,4), n = 500, balanced"
}

// SettingError is a field of a [Setting], or an argument of an experiment, outside its domain.
type SettingError struct {
	Field string
	Value any
	Want  string
}

func (e *SettingError) Error() string {
	return fmt.Sprintf("study: %s = %v; want %s", e.Field, e.Value, e.Want)
}

// N is Σx.
func (s Setting) N() int64 {
	var n int64
	for _, k := range s.X {
		n += k
	}
	return n
}

// check gives the space of a valid setting.
func (s Setting) check() (*hellinger.Space, error) {
	d := len(s.Prior)
	if d != 2 && d != 3 {
		return nil, &SettingError{"len(Prior)", d, "2 or 3 cells, for which output laws are enumerated"}
	}
	if len(s.X) != d {
		return nil, &SettingError{"len(X)", len(s.X), fmt.Sprintf("%d, the number of prior parameters", d)}
	}
	most := int64(MaxN2)
	if d == 3 {
		most = MaxN3
	}
	var n int64
	for i := range s.X {
		if a := s.Prior[i]; !(a >= hellingersample.MinAlpha && a <= hellingersample.MaxAlpha) {
			return nil, &SettingError{fmt.Sprintf("Prior[%d]", i), a, "a number in [1e-6, 1e9]"}
		}
		if k := s.X[i]; k < 0 || k > most {
			return nil, &SettingError{fmt.Sprintf("X[%d]", i), k, fmt.Sprintf("a count in [0, %d]", most)}
		}
		n += s.X[i]
	}
	if n < 1 || n > most {
		return nil, &SettingError{"ΣX", n, fmt.Sprintf("1 to %d records over %d cells", most, d)}
	}
	if !(s.Epsilon >= MinEpsilon && s.Epsilon <= MaxEpsilon) {
		return nil, &SettingError{"Epsilon", s.Epsilon, fmt.Sprintf("a number in [%v, %v]", MinEpsilon, MaxEpsilon)}
	}
	if !(s.Delta > 0 && s.Delta < 1) {
		return nil, &SettingError{"Delta", s.Delta, "a number in (0, 1)"}
	}
	return hellinger.New(s.Prior, n)
}

// NotesSettings are the settings that the notes print, with our data vectors, since the notes give none: balanced, and
// nearly proportional to the prior (theory/hellinger.md §11). In order: beta(7,4), n = 500 and 300, ε = 0.5 (Figure 2,
// where δ is not printed: 1e-5), then DL(7,4,5), n = 100, 120 (Figure 3) and 150 (Figure 4), ε = δ = 0.8; balanced
// first each time.
func NotesSettings() []Setting {
	beta, dl := []float64{7, 4}, []float64{7, 4, 5}
	var out []Setting
	add := func(prior []float64, name string, epsilon, delta float64, balanced, proportional []int64) {
		for k, x := range [][]int64{balanced, proportional} {
			s := Setting{Prior: slices.Clone(prior), X: x, Epsilon: epsilon, Delta: delta}
			s.Label = fmt.Sprintf("%s, n = %d, %s", name, s.N(), []string{"balanced", "prior-proportional"}[k])
			out = append(out, s)
		}
	}
	add(beta, "beta(7,4)", 0.5, 1e-5, []int64{250, 250}, []int64{318, 182})
	add(beta, "beta(7,4)", 0.5, 1e-5, []int64{150, 150}, []int64{191, 109})
	add(dl, "DL(7,4,5)", 0.8, 0.8, []int64{34, 33, 33}, []int64{44, 25, 31})
	add(dl, "DL(7,4,5)", 0.8, 0.8, []int64{40, 40, 40}, []int64{52, 30, 38})
	add(dl, "DL(7,4,5)", 0.8, 0.8, []int64{50, 50, 50}, []int64{66, 38, 46})
	return out
}

// bench is a checked setting with the Hellinger and ℓ₁ distances of all candidates in the order of
// [hellingersample.Unrank].
type bench struct {
	Setting
	ctx   context.Context
	space *hellinger.Space
	h, l1 []float64
}

func newBench(ctx context.Context, s Setting) (*bench, error) {
	space, err := s.check()
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	b := &bench{Setting: s, ctx: ctx, space: space, h: make([]float64, hellingersample.Count(space.N(), space.Cells()))}
	// At rate 1 the exponents are H itself; at rate A they are the rounded products A·H, which em forms in the same
	// way.
	if err := hellingersample.Exponents(s.Prior, s.X, 1, b.h); err != nil {
		return nil, fmt.Errorf("study: %w", err)
	}
	b.l1 = make([]float64, 0, len(b.h))
	n := space.N()
	for u := range n + 1 {
		if space.Cells() == 2 {
			b.l1 = append(b.l1, float64(gap(u, s.X[0])+gap(n-u, s.X[1])))
			continue
		}
		for v := range n - u + 1 {
			b.l1 = append(b.l1, float64(gap(u, s.X[0])+gap(v, s.X[1])+gap(n-u-v, s.X[2])))
		}
	}
	return b, nil
}

// rank is the place of the composition r among the candidates.
func (b *bench) rank(r []int64) int {
	if len(r) == 2 {
		return int(r[0])
	}
	n := b.space.N()
	return int(r[0]*(n+1) - r[0]*(r[0]-1)/2 + r[1]) // Σ_{u<r₀} (n − u + 1) candidates come before
}

func gap(a, b int64) int64 { return max(a-b, b-a) }

// total is a compensated sum (Neumaier), good to a few units in the last place for terms of one sign.
func total(values func(yield func(float64) bool)) float64 {
	sum, lost := 0.0, 0.0
	for v := range values {
		s := sum + v
		if math.Abs(sum) >= math.Abs(v) {
			lost += (sum - s) + v
		} else {
			lost += (v - s) + sum
		}
		sum = s
	}
	return sum + lost
}

// PrintedConstant is a number that the notes print, with what it is.
type PrintedConstant struct {
	Printed, Where, CalledThere string
	Is                          string
	Value                       float64 // of what it is
	Truth                       float64 // of what it is called there, or of what belongs there
	TruthIs                     string
}

// PrintedConstants recomputes the constants in the captions of Figures 3 and 4 of the notes:
//
//   - 0.239992747797, the "global sensitivity" of DL(7,4,5), is edge(3, 7) = H(Dir(7,4,5), Dir(8,3,5)), the distance of
//     two priors; the global sensitivity is edge(4, 5), smaller, so that the mechanism with the printed number is
//     private but noisier than it need be;
//   - 0.0699407108115 and 0.0677791100173, called bounds of smooth sensitivity, are the parameters β for ε = δ = 0.8
//     and N = n = 100, 120. Figure 4, n = 150, repeats the number of n = 120; its own is 0.0653087964221843.
//
// Source: theory/hellinger.md §0, rows 5 and 6.
func PrintedConstants() []PrintedConstant {
	alpha := []float64{7, 4, 5}
	p, _ := posterior.NewDirichlet(alpha)
	q, _ := posterior.NewDirichlet([]float64{8, 3, 5})
	space, _ := hellinger.New(alpha, 100)
	global, _, _ := space.Global()
	beta := func(n float64) float64 { return NotesBeta(0.8, 0.8, n) }
	return []PrintedConstant{
		{"0.239992747797", "Figures 3 and 4", "global sensitivity", "H(Dir(7,4,5), Dir(8,3,5)) = edge(3, 7)",
			posterior.Hellinger(p, q), global, "Δ_g = edge(4, 5), every n ≥ 1"},
		{"0.0699407108115", "Figure 3a, n = 100", "bound of the smooth sensitivity", "β(ε = δ = 0.8, N = n = 100)",
			beta(100), beta(101), "β of the lemma, N = n + 1"},
		{"0.0677791100173", "Figure 3b, n = 120", "bound of the smooth sensitivity", "β(ε = δ = 0.8, N = n = 120)",
			beta(120), beta(121), "β of the lemma, N = n + 1"},
		{"0.0677791100173", "Figure 4, n = 150", "bound of the smooth sensitivity", "β of n = 120, printed again",
			beta(120), beta(150), "β(ε = δ = 0.8, N = n = 150)"},
	}
}

// Origin shows [PrintedConstants] with all their digits.
func Origin() *table.Table {
	t := table.New("Where the printed constants come from", "printed", "where", "called", "is", "recomputed",
		"difference", "what belongs there", "its value")
	digits := func(x float64) string { return strconv.FormatFloat(x, 'g', 15, 64) }
	for _, c := range PrintedConstants() {
		printed, _ := strconv.ParseFloat(c.Printed, 64)
		t.Add(c.Printed, c.Where, c.CalledThere, c.Is, digits(c.Value), math.Abs(c.Value-printed), c.TruthIs,
			digits(c.Truth))
	}
	return t.Note("edge(p, q) = √(1 − g(p)g(q)), g(t) = Γ(t + ½)/(Γ(t)√t), is the distance of posteriors that differ " +
		"in one record.")
}

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

// BoundRow is one t of [AccuracyBound].
type BoundRow struct {
	Mechanism string
	S         float64 // its sensitivity at x
	T         float64
	Threshold float64 // (2S/ε)(ln|R| + t)
	Bound     float64 // e^−t
	Exact     float64 // P[H ≥ Threshold]
	Vacuous   bool    // Threshold > 1, which no distance exceeds
}

// AccuracyBound sets the notes' accuracy bound beside the exact tail, for the exponential mechanism with rate ε/(2S)
// and S = Δ_g, LS, S_β (N = n) at the setting's data:
//
//	P[H(x, r) ≥ (2S/ε)(ln|R| + t)] ≤ e^−t,
//
// because the truth has weight 1 and the at most |R| candidates that far away weigh at most e^−(ln|R| + t) each.
// Errors: *SettingError, also for no t or a t that is not finite; ctx.Err(). Source: notes, utility of the exponential
// mechanism.
func AccuracyBound(ctx context.Context, s Setting, ts []float64) ([]BoundRow, error) {
	b, err := newBench(ctx, s)
	if err != nil {
		return nil, err
	}
	if len(ts) == 0 {
		return nil, &SettingError{"len(ts)", 0, "at least one t"}
	}
	for i, t := range ts {
		if math.IsNaN(t) || math.IsInf(t, 0) {
			return nil, &SettingError{fmt.Sprintf("ts[%d]", i), t, "a finite number"}
		}
	}
	var out []BoundRow
	for _, m := range mechanisms()[:3] { // Δ_g, LS, S_β with N = n
		l, p := m.law(b)
		for _, t := range ts {
			at := 2 * p.scale / s.Epsilon * (b.space.LogSize() + t)
			out = append(out, BoundRow{m.name, p.scale, t, at, math.Exp(-t), l.tail(at), at > 1})
		}
	}
	return out, nil
}

// BoundTable shows the rows of [AccuracyBound].
func BoundTable(s Setting, rows []BoundRow) *table.Table {
	t := table.New("Accuracy bound of the notes: "+s.Label, "mechanism", "S", "t", "threshold (2S/ε)(ln|R| + t)",
		"bound e^−t", "exact P[H ≥ threshold]", "says something")
	for _, r := range rows {
		says := "yes"
		switch {
		case r.Bound >= 1:
			says = "no: bound ≥ 1"
		case r.Vacuous:
			says = "no: H ≤ 1"
		}
		t.Add(r.Mechanism, r.S, r.T, r.Threshold, r.Bound, r.Exact, says)
	}
	return t.Note(fmt.Sprintf("x = %v, prior %v, ε = %v, δ = %v", s.X, s.Prior, s.Epsilon, s.Delta))
}
