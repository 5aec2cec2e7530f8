// Package study repeats the experiments of the notes on Hellinger-distance mechanisms with exact expectations and
// quantiles in place of simulation: the whole output law of every mechanism at a data vector is summed or integrated.
//
// The data vectors are hypothetical ones that we choose and publish, so nothing here is private and nothing is drawn. A
// data vector x of n records over d = 2 or 3 cells with prior α has the posterior Dirichlet(α + x); a mechanism's error
// at x is the Hellinger distance H between this posterior and the released one, or their ℓ₁ distance ‖x − r‖₁ in
// counts.
//
// The laws of the exponential mechanisms are made of the very floating-point exponents that the sampler draws from.
//
// Place: at the top, beside the studies in the folders below it; notebook 01_hellinger shows its results.
package study

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/privbayes/privbayes-go/internal/hellinger"
	"github.com/privbayes/privbayes-go/internal/hellingersample"
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
