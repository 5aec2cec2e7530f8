// Package gram samples the posterior of a linear regression of which only noisy second moments are known.
//
// Rows x in the unit ball and responses y in [−1, 1], y = wᵀx + η, η ~ N(0, σ²), give S = XᵀX, Xᵀy and yᵀy. A free
// entry f_k of S is a distinct product of two columns, which stands at one place of S or at several. Of it f̃_k = f_k +
// N(0, T_k) is known, and of the others s̃ = Xᵀy + N(0, τ²I), t̃ = yᵀy + N(0, τ_t²). The target is
//
//	Π_k N(f̃_k; f_k, T_k) · N((s̃, t̃); (Sw, wᵀSw + nσ²), V) · π(S) · N(w; 0, Λ⁻¹) · 1[0 < σ ≤ 1],
//	V = σ²·G S Gᵀ + diag(τ²I, τ_t² + 2nσ⁴),  G = [I; 2wᵀ],
//
// flat in σ, on the S that are positive definite and in the box of moments of rows. Latent are S, w and σ, so that the
// noise on S is part of the uncertainty of w. Source: theory/glm.md §1 and §2.
//
// A [Curve] puts N(s̃; S·m(w), V) in the place of the second factor, with V constant, no t̃ and σ = 1: a step of a
// logistic or Poisson regression. Source: theory/glm.md §4.
package gram

import (
	"math"
	"slices"
)

// Entry is a free entry of S: one distinct product.
type Entry struct {
	Places   [][2]int // where it stands, i ≤ j
	Noisy    float64  // what was released
	Variance float64  // of its noise
	Even     bool     // a sum of products that are never negative
	Interior float64  // of public moments inside cone and box, for S₀₀ = 1
}

// Ordered is at how many places (i, j) of S the entry stands.
func (e Entry) Ordered() (n int) {
	for _, at := range e.Places {
		if n++; at[0] != at[1] {
			n++
		}
	}
	return n
}

// Number is a column that is a number in the first power, in a problem with an intercept, which is column 0.
type Number struct {
	Column        int
	First, Second int    // its entries with the intercept and with itself
	Shift         []Term // the derivatives of all columns by it; none where one of them is no column
	Alone         bool   // it stands in no product column: its spread can be moved
}

// Term is one entry of the matrix N of d columns/du: column Of has the derivative Times·column By.
type Term struct {
	Of, By int
	Times  float64
}

// Bound says |f_Of| ≤ f_By; By = −1 stands for the cap of S₀₀.
type Bound struct{ Of, By int }

// Problem is what was released and what is public.
type Problem struct {
	Dim     int
	Entries []Entry
	Bounds  []Bound
	Numbers []Number
	Base    int // columns that are numbers in the first power or indicators of one factor

	Fixed float64 // S₀₀ of an intercept where n is public; else 0
	Count int     // the entry that is S₀₀ where n is private; else −1
	Cap   float64 // what S₀₀ is at most
	N     float64 // rows, where public
	D     float64 // the greatest squared norm of a row before scaling: n = D·S₀₀

	XY              []float64
	YY              float64
	NoiseXY, NoiseY float64   // variances
	Precision       []float64 // of the prior of w, one a column

	Curve *Curve // of a step; nil in a linear regression
}

// Curve is the likelihood of a step, s̃ ~ N(S·Mean(w), Variance), and where it is.
type Curve struct {
	Mean     func(w, out []float64) // called by several chains at once
	Variance []float64              // V, d × d
	Centre   []float64              // the mean of the prior of w
	Mode     []float64              // of w
	Spread   []float64              // covariance of w about its mode, d × d
}

// gridSize is the number of values of θ, the scale of the columns' spreads, from .05 to 1.
const gridSize = 16

// thetas are the values of θ, spreadNorms log(θ·erf(1/θ√2)), that of a half-normal deviation on (0, 1).
var thetas, spreadNorms = func() (theta, norm [gridSize]float64) {
	for g := range theta {
		theta[g] = .05 * math.Pow(20, float64(g)/(gridSize-1))
		norm[g] = spreadNorm(theta[g])
	}
	return theta, norm
}()

func spreadNorm(theta float64) float64 { return math.Log(theta * math.Erf(1/(theta*math.Sqrt2))) }

// fill sets S to the free entries f.
func (p *Problem) fill(f, s []float64) {
	clear(s)
	s[0] = p.Fixed
	for k := range p.Entries {
		p.put(s, k, f[k])
	}
}

// put sets the places of one entry.
func (p *Problem) put(s []float64, k int, v float64) {
	for _, at := range p.Entries[k].Places {
		s[at[0]*p.Dim+at[1]], s[at[1]*p.Dim+at[0]] = v, v
	}
}

// take reads the free entries off S.
func (p *Problem) take(s, f []float64) {
	for k := range p.Entries {
		at := p.Entries[k].Places[0]
		f[k] = s[at[0]*p.Dim+at[1]]
	}
}

// corner is S₀₀.
func (p *Problem) corner(f []float64) float64 {
	if p.Count >= 0 {
		return f[p.Count]
	}
	return p.Cap
}

// rows is n.
func (p *Problem) rows(f []float64) float64 {
	if p.Count >= 0 {
		return p.D * f[p.Count]
	}
	return p.N
}

// boxed reports whether f are moments that rows can have, entry by entry.
func (p *Problem) boxed(f []float64) bool {
	for k := range p.Entries {
		if p.Entries[k].Even && f[k] < 0 {
			return false
		}
	}
	for _, b := range p.Bounds {
		most := p.Cap
		if b.By >= 0 {
			most = f[b.By]
		}
		if math.Abs(f[b.Of]) > most*(1+1e-9) {
			return false
		}
	}
	return true
}

// logSpread is the log density of the variance C_jj of a number, with the volume of its correlations:
// −½(q+1)·log C_jj − C_jj/2θ² − log(θ·erf(1/θ√2)), q the other base columns, θ number g of its grid; −Inf outside.
func (p *Problem) logSpread(f []float64, number *Number, g int) float64 {
	z := p.corner(f)
	mean := f[number.First] / z
	v := f[number.Second]/z - mean*mean
	if !(v > 0) || mean*mean >= 1 {
		return math.Inf(-1)
	}
	return -float64(p.Base)/2*math.Log(v) - v/(2*thetas[g]*thetas[g]) - spreadNorms[g]
}

// logGram is log π(S) but for a constant; with n private it has S₀₀^{−F}, F the other free entries.
func (p *Problem) logGram(f []float64, g int) (sum float64) {
	for i := range p.Numbers {
		sum += p.logSpread(f, &p.Numbers[i], g)
	}
	if p.Count >= 0 {
		sum -= float64(len(p.Entries)-1) * math.Log(f[p.Count])
	}
	return sum
}

// logNoise is Σ log N(f̃_k; f_k, T_k) but for a constant.
func (p *Problem) logNoise(f []float64) (sum float64) {
	for k := range p.Entries {
		d := f[k] - p.Entries[k].Noisy
		sum -= d * d / (2 * p.Entries[k].Variance)
	}
	return sum
}

// logPrior is log N(w; 0, Λ⁻¹) but for a constant.
func (p *Problem) logPrior(w []float64) (sum float64) {
	for j, v := range w {
		if p.Curve != nil {
			v -= p.Curve.Centre[j]
		}
		sum -= p.Precision[j] * v * v / 2
	}
	return sum
}

// shifted sets out to e^{δN}·m for the matrix or vector m of so many columns; by transposed the same with Nᵀ.
func shifted(n []Term, delta float64, m, term, next []float64, columns int, transposed bool) {
	term, next = term[:len(m)], next[:len(m)]
	copy(term, m)
	for order := 1; order <= 8; order++ {
		clear(next)
		moved := false
		for _, t := range n {
			to, from := t.Of, t.By
			if transposed {
				to, from = from, to
			}
			for c := range columns {
				v := term[from*columns+c] * t.Times * delta / float64(order)
				next[to*columns+c] += v
				moved = moved || v != 0
			}
		}
		if !moved {
			return
		}
		for i, v := range next {
			m[i] += v
		}
		term, next = next, term
	}
}

// touches are the numbers whose spread an entry is part of.
func (p *Problem) touches(k int) (out []int) {
	for i, c := range p.Numbers {
		if k == p.Count || k == c.First || k == c.Second {
			out = append(out, i)
		}
	}
	return out
}

// indices are the rows and columns that the places of an entry touch, and the symmetric matrix of its places among
// them.
func (p *Problem) indices(k int) (index []int, b []float64) {
	for _, at := range p.Entries[k].Places {
		for _, i := range at {
			if !slices.Contains(index, i) {
				index = append(index, i)
			}
		}
	}
	r := len(index)
	b = make([]float64, r*r)
	for _, at := range p.Entries[k].Places {
		i, j := slices.Index(index, at[0]), slices.Index(index, at[1])
		b[i*r+j], b[j*r+i] = 1, 1
	}
	return index, b
}
