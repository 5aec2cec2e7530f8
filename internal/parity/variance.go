package parity

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/privbayes/privbayes-go/internal/num"
)

// ProjectVariance is, for every family, the variance of each cell of its table from Project, in the unit of the given
// variances (nil: all 1). It is the same for all cells of a table, and needs no data: MarginVariance of the family.
func (s *Spectrum) ProjectVariance(variances []float64) ([]float64, error) {
	out := make([]float64, len(s.given))
	for i, f := range s.given {
		v, err := s.MarginVariance(f, variances)
		if err != nil {
			return nil, err
		}
		out[i] = v
	}
	return out, nil
}

// MarginVariance is the variance of each cell of the table over a set of variables inside a family, from projected
// tables (Margin of ProjectCoefficients), when the cells of family f had uncorrelated noise of variance σ_f² (nil: 1
// everywhere):
//
//	Var = R_S^−2 Σ_{∅ ≠ T ⊆ S} Π_{v∈T} (r_v − 1) / Σ_{f ⊇ T} 1/(σ_f² R_f),  R_S = Π_{v∈S} r_v.
//
// It is 0 for the empty set: the total is known. Derivation: the φ_γ of support T are uncorrelated with variance 1/Σ_{f
// ⊇ T} w_f, and Σ_{supp γ = T} u_γ(c)² = Π_{v∈T}(r_v − 1) for every c, since the columns of the basis have squared
// length r_v. Cost 2^|S|·|S| plus one pass over the families.
//
// Errors: *FamilyError when no family contains the set; *ShapeError, *ValueError for the variances.
func (s *Spectrum) MarginVariance(set []int, variances []float64) (variance float64, err error) {
	defer end(&err)
	if _, err := s.within(set); err != nil {
		return 0, err
	}
	weights, err := s.weights(variances)
	if err != nil {
		return 0, err
	}
	var live []int
	cells := 1.0
	for _, v := range set {
		if s.arities[v] > 1 {
			live = append(live, v)
			cells *= float64(s.arities[v])
		}
	}
	w := make([]float64, 1<<len(live))
	s.watch.at(len(w) * (2 + len(live)))
	var near []int // the families that meet the set; others say nothing of it
	for _, v := range live {
		near = append(near, s.with[v]...)
	}
	slices.Sort(near)
	for _, i := range slices.Compact(near) {
		s.watch.at(4 + len(s.fams[i].vars))
		all := 0
		for _, v := range s.fams[i].vars {
			if k, ok := slices.BinarySearch(live, v); ok {
				all |= 1 << k
			}
		}
		w[all] += weights[i]
	}
	for k := range live { // sums over supersets: families that contain T
		for m := range w {
			if m>>k&1 == 0 {
				w[m] += w[m|1<<k]
			}
		}
	}
	size := make([]float64, len(w)) // Π_{v∈T} (r_v − 1)
	size[0] = 1
	sum := 0.0
	for m := 1; m < len(w); m++ {
		k := bits.TrailingZeros(uint(m))
		size[m] = size[m&(m-1)] * float64(s.arities[live[k]]-1)
		sum += size[m] / w[m]
	}
	return sum / (cells * cells), nil
}

// FourierVariance is the variance of each cell of the table over a set of variables inside a family, from Tables or
// Margin, when every coefficient but φ_0 has uncorrelated noise of variance 1:
//
//	(R − 1)/R²,  R = Π_{v∈S} r_v;  with two states 2^−2s (2^s − 1).
//
// Noise of variance 1 on φ_0 too would make it 1/R. Errors: *FamilyError when no family contains the set.
func (s *Spectrum) FourierVariance(set []int) (float64, error) {
	if _, err := s.within(set); err != nil {
		return 0, err
	}
	r := s.tableCells(set)
	return (r - 1) / r / r, nil
}

// RawVariance is the variance of each cell of the margin over a set, summed from the noisy table of family f ⊇ set
// whose cells have uncorrelated noise of variance 1: the number R_f/R_S of cells added. Errors: *FamilyError when the
// set is not in that family.
func (s *Spectrum) RawVariance(f int, set []int) (float64, error) {
	if err := s.check(-1, set); err != nil {
		return 0, err
	}
	if f < 0 || f >= len(s.given) || !subset(set, s.given[f]) {
		return 0, &FamilyError{-1, slices.Clone(set), "not in the family asked for", "variables of that family"}
	}
	return float64(s.fams[f].cells) / s.tableCells(set), nil
}

func (s *Spectrum) tableCells(set []int) float64 {
	r := 1.0
	for _, v := range set {
		r *= float64(s.arities[v])
	}
	return r
}

// FourierBound bounds the L1 error ‖C_S(noisy) − C_S‖₁ of the table of one family under Laplace noise on its
// coefficients, with probability at least 1 − Delta: the paper's Theorem 3 and a sharper form. All numbers are public.
type FourierBound struct {
	Size int // |N|, all coefficients, at least 1
	// L1 sensitivity of the coefficients: the paper's 2|N|, or 2·odd(N); the noise has scale b = Sensitivity/Epsilon
	Sensitivity float64
	Epsilon     float64 // positive
	Delta       float64 // failure probability, between 0 and 1
	Cells       int     // cells of the table, 2^s with two states everywhere
	Increment   float64 // added to φ_0, at least 0: all of it appears in the error
}

// Paper is Theorem 3,
//
//	b·R·ln(|N|/δ) + increment,  R = 2^s cells;  with b = 2|N|/ε and the increment 4t|N|²/ε
//	(4|N|/ε)(2^(s−1) ln(|N|/δ) + t|N|),
//
// a union bound over all |N| coefficients, each counted with its largest effect. Errors: *ValueError.
func (p FourierBound) Paper() (float64, error) {
	if err := p.check(); err != nil {
		return 0, err
	}
	return p.scale()*float64(p.Cells)*math.Log(float64(p.Size)/p.Delta) + p.Increment, nil
}

// Parseval is
//
//	b·√R·ln(R/δ) + increment.
//
// Only the R coefficients of the table matter, and by Parseval ‖e‖₁ ≤ √R·‖e‖₂ = ‖η‖₂ ≤ √R·max|η| for the noise η on
// them; for any orthogonal basis, so also beyond two states. Errors: *ValueError.
func (p FourierBound) Parseval() (float64, error) {
	if err := p.check(); err != nil {
		return 0, err
	}
	cells := float64(p.Cells)
	return p.scale()*math.Sqrt(cells)*math.Log(cells/p.Delta) + p.Increment, nil
}

func (p FourierBound) scale() float64 { return p.Sensitivity / p.Epsilon }

func (p FourierBound) check() error {
	switch {
	case p.Cells < 1:
		return &ValueError{"the number of cells", float64(p.Cells), "at least 1"}
	case p.Size < p.Cells:
		return &ValueError{"|N|", float64(p.Size), fmt.Sprintf("at least the %d cells of the table", p.Cells)}
	case !(p.Sensitivity >= 0) || math.IsInf(p.Sensitivity, 1):
		return &ValueError{"the sensitivity", p.Sensitivity, "a finite number of at least 0"}
	case !(p.Epsilon > 0) || math.IsInf(p.Epsilon, 1):
		return &ValueError{"ε", p.Epsilon, "a positive finite number"}
	case !(p.Delta > 0 && p.Delta < 1):
		return &ValueError{"δ", p.Delta, "a number between 0 and 1"}
	case !(p.Increment >= 0) || math.IsInf(p.Increment, 1):
		return &ValueError{"the increment", p.Increment, "a finite number of at least 0"}
	}
	return nil
}

// Project is the least-squares projection of noisy tables on the consistent tables of the given total, the best linear
// unbiased estimate when the noise of the cells is uncorrelated with mean 0. It is post-processing: it needs no more
// privacy.
//
// variances are the noise variances of a cell of every family, up to a common factor; nil means all equal. With y_f =
// U_f^T φ_f/R_f + noise of variance σ_f² per cell, R_f = Π_{v∈f} r_v, the transform U_f y_f has uncorrelated entries
// φ_γ + noise of variance σ_f² R_f, because U_f U_f^T = R_f·1. So generalised least squares falls apart into one
// weighted mean for every coefficient,
//
//	φ_γ = Σ_{f ⊇ supp γ} w_f (U_f y_f)_γ / Σ_{f ⊇ supp γ} w_f,  w_f = 1/(σ_f² R_f),  and φ_0 = total,
//
// which is exact whatever families overlap. Leave out the families not released by making the spectrum without them:
// their tables come from Margin. The tables sum to the total, agree on every common margin, and may have negative
// cells.
//
// Errors: *ShapeError; *ValueError for a cell or total not finite, or a variance outside [1e-150, 1e150].
func (s *Spectrum) Project(noisy [][]float64, variances []float64, total float64) ([][]float64, error) {
	phi, err := s.ProjectCoefficients(noisy, variances, total)
	if err != nil {
		return nil, err
	}
	return s.tables(phi), nil
}

// ProjectCoefficients are the coefficients of the tables of Project, for Margin.
func (s *Spectrum) ProjectCoefficients(noisy [][]float64, variances []float64, total float64) ([]float64, error) {
	if err := shapes(s, noisy); err != nil {
		return nil, err
	}
	if math.IsNaN(total) || math.IsInf(total, 0) {
		return nil, &ValueError{"the total", total, "a finite number"}
	}
	weights, err := s.weights(variances)
	if err != nil {
		return nil, err
	}
	phi, sum := make([]float64, len(s.cell)), make([]float64, len(s.cell))
	work := make([]float64, s.largest())
	for i := range s.fams {
		f, w := &s.fams[i], work[:s.fams[i].cells]
		copy(w, noisy[i])
		if err := finite(fmt.Sprintf("table %d: cell", i), w); err != nil {
			return nil, err
		}
		s.forward(f, w)
		for c, at := range f.pos {
			phi[at] += weights[i] * w[c]
			sum[at] += weights[i]
		}
	}
	for at := range phi {
		phi[at] /= sum[at]
	}
	phi[0] = total
	return phi, nil
}

// weights are w_f = 1/(σ_f² R_f). The bounds on the variances keep every sum and reciprocal of them in range.
func (s *Spectrum) weights(variances []float64) ([]float64, error) {
	if variances != nil && len(variances) != len(s.fams) {
		return nil, &ShapeError{"variances", len(variances), len(s.fams)}
	}
	w := make([]float64, len(s.fams))
	for i := range w {
		w[i] = 1 / float64(s.fams[i].cells)
		if variances != nil {
			if v := variances[i]; !(v >= 1e-150 && v <= 1e150) {
				return nil, &ValueError{fmt.Sprintf("the variance of family %d", i), v, "a number between 1e-150 and 1e150"}
			}
			w[i] /= variances[i]
		}
	}
	return w, nil
}

// Watch keeps long work within limits. It is for one goroutine.
type Watch struct {
	// Step is told of elementary steps as the work goes on, and ends it with the error it returns; nil: nobody is told.
	Step func(steps int) error
	// Bytes is what one computation may allocate; 0: what there is. More is refused with *SizeError.
	Bytes float64
	// Steps is how many elementary steps one computation may take; 0: any number. More are refused with *SizeError.
	Steps float64
}

// stopped carries a watch's error out of nested loops to the exported function that they serve.
type stopped struct{ err error }

// at tells the watch of steps.
func (w Watch) at(steps int) {
	if w.Step == nil {
		return
	}
	if err := w.Step(steps); err != nil {
		panic(stopped{err})
	}
}

// allocate refuses what would take more bytes than the watch allows.
func (w Watch) allocate(what string, vars []int, bytes float64) {
	if w.Bytes > 0 && !(bytes <= w.Bytes) {
		panic(stopped{&SizeError{"bytes of " + what, vars, bytes, w.Bytes}})
	}
}

// spend refuses what would take more steps than the watch allows.
func (w Watch) spend(what string, steps float64) {
	if w.Steps > 0 && !(steps <= w.Steps) {
		panic(stopped{&SizeError{"steps of " + what, nil, steps, w.Steps}})
	}
}

// end turns what at and allocate threw into the error of an exported function that defers it.
func end(err *error) {
	switch r := recover().(type) {
	case nil:
	case stopped:
		*err = r.err
	default:
		panic(r)
	}
}

// Watched is the same spectrum, whose long computations go on under w; under the zero Watch they are free.
func (s *Spectrum) Watched(w Watch) *Spectrum {
	c := *s
	c.watch = w
	return &c
}

// MaxShape is the largest k of GammaTail and GammaIncrement.
const MaxShape = 1 << 30

// GammaTail is P(G > x) for G ~ Gamma(k, 1), k a whole number from 1 to MaxShape: the law of a sum of k independent
// magnitudes of Laplace noise of scale 1. With an error of a few 1e-14 relative to the smaller of it and its
// complement, for tails down to 1e-300:
//
//	P(G > x) = Σ_{j<k} e^−x x^j/j!  (a Poisson law),
//
// of which the sum on the short side is taken, from its largest term. Errors: *ValueError for k or x outside their
// domain.
func GammaTail(k int, x float64) (float64, error) {
	if err := shape(k); err != nil {
		return 0, err
	}
	if !(x >= 0) {
		return 0, &ValueError{"x", x, "a number of at least 0"}
	}
	lower, upper := gammaTails(k, x)
	if lower < upper {
		return 1 - lower, nil
	}
	return upper, nil
}

// GammaIncrement is the (1 − δ)-quantile of Gamma(k, 1): the t with P(G > t) = δ, 0 < δ < 1, to a relative 1e-13. When
// k coefficients have independent Laplace noise of scale b, their magnitudes add up to more than b·t with probability
// δ; so φ_0 + b·t makes all tables those of a non-negative joint table with probability at least 1 − δ, whatever the
// data. It is data-free.
//
// Errors: *ValueError for k or δ outside their domain.
func GammaIncrement(k int, delta float64) (float64, error) {
	if err := shape(k); err != nil {
		return 0, err
	}
	if !(delta > 0 && delta < 1) {
		return 0, &ValueError{"δ", delta, "a number between 0 and 1"}
	}
	// The smaller tail keeps its digits; both are compared on the log scale.
	excess := func(x float64) float64 {
		lower, upper := gammaTails(k, x)
		if delta <= 0.5 {
			return math.Log(delta) - math.Log(upper)
		}
		return math.Log(lower) - math.Log1p(-delta)
	}
	lo, hi := float64(k), float64(k)
	for excess(lo) > 0 {
		lo /= 2
	}
	for excess(hi) < 0 {
		hi += math.Sqrt(float64(k)) + hi/4
	}
	a, b, err := num.RootBracket(excess, lo, hi, 0)
	return a + (b-a)/2, err
}

// gammaTails are P(G ≤ x) and P(G > x), the smaller one with its relative accuracy.
func gammaTails(k int, x float64) (lower, upper float64) {
	if x == 0 {
		return 0, 1
	}
	if math.IsInf(x, 1) {
		return 1, 0
	}
	m := float64(k)
	if x < m { // P(G ≤ x) = Σ_{j≥k} e^−x x^j/j!
		sum, term := 0.0, 1.0
		for j := m + 1; term > sum*0x1p-60; j++ {
			sum += term
			term *= x / j
		}
		lower = math.Exp(logPoisson(m, x)) * sum
		return lower, 1 - lower
	}
	sum, term := 0.0, 1.0
	for j := m - 1; term > sum*0x1p-60; j-- { // ends with term = 0 at j = 0
		sum += term
		term *= j / x
	}
	upper = math.Exp(logPoisson(m-1, x)) * sum
	return 1 - upper, upper
}

// logPoisson is ln(e^−x x^m/m!) without cancellation: −m·[r − ln(1+r)] − ½ ln 2πm − S(m) with r = (x − m)/m and S the
// Stirling tail.
func logPoisson(m, x float64) float64 {
	if m == 0 {
		return -x
	}
	r := (x - m) / m
	if r < -0.99 { // far below, where ln(1+r) loses what x has
		return m*math.Log(x) - x - num.LogGamma(m+1)
	}
	return m*num.Log1pMinus(r) - 0.5*math.Log(2*math.Pi*m) - num.StirlingTail(m)
}

func shape(k int) error {
	if k < 1 || k > MaxShape {
		return &ValueError{"the number of noisy coefficients", float64(k), fmt.Sprintf("1 to %d", MaxShape)}
	}
	return nil
}

// Textbook is the non-negativity increment of the paper's Corollary 3 with what it is worth.
type Textbook struct {
	Increment float64 // 2t|N|, in units of the noise scale b = 2|N|/ε
	Claimed   float64 // e^−t, the failure probability it claims
	Failure   float64 // P(Gamma(|N|) > 2t|N|), the proved bound
	Holds     bool    // t ≥ ½, where the claim is proved
}

// TextbookIncrement is the increment 4t|N|²/ε = 2t|N|·b of Corollary 3 (unnormalised coefficients), for size = |N|
// noisy coefficients and t > 0. The claim P(Gamma(|N|, 1) > 2t|N|) ≤ e^−t holds for t ≥ ½: at ½ the median of a gamma
// law is below its mean (and for |N| = 1, e^−2t ≤ e^−t), and beyond, the hazard of the law is at least 1/(2|N|). For
// smaller t it can fail; Failure is then the truth.
//
// Errors: *ValueError for size or t outside their domain.
func TextbookIncrement(size int, t float64) (Textbook, error) {
	if err := shape(size); err != nil {
		return Textbook{}, err
	}
	if !(t > 0) || math.IsInf(t, 1) {
		return Textbook{}, &ValueError{"t", t, "a positive finite number"}
	}
	inc := 2 * t * float64(size)
	failure, err := GammaTail(size, inc)
	return Textbook{inc, math.Exp(-t), failure, t >= 0.5}, err
}
