package truncated

import (
	"math"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/internal/sample"
)

// Dirichlet is the law with density proportional to Π θ_i^{α_i−1} on {θ : Σθ_i = 1, θ_i ≥ w}: exact rejection from
// independent truncated Gammas. Let f_i ∝ x^{α_i−1}e^{−λx} on [w, v], v = 1 − (r−1)w, for any λ ≥ 0. On the simplex
//
//	Π f_i(θ_i) ∝ e^{−λΣθ_i} Π θ_i^{α_i−1} ∝ the target,                                                     (*)
//
// so the target is the law of independent X_i ~ f_i given ΣX_i = 1. Drawing it: all but one coordinate j from their
// f_i, then θ_j = 1 − Σ, which makes the density of a proposal Π_{i≠j} f_i.
//
//   - Fixed remainder: accept with probability f_j(θ_j)/M_j, M_j = max f_j. Accepted density: Π f_i/M_j, which is (*).
//     Acceptance f_Σ(1)/M_j, f_Σ the density of ΣX_i.
//   - Largest remainder: choose j with probability M_j/ΣM, M_j now the maximum of f_j on [1/r, v]; accept when θ_j is a
//     largest coordinate (then θ_j ≥ 1/r), with probability f_j(θ_j)/M_j. Accepted density: Σ_j (M_j/ΣM)·Π f_i/M_j·1{j
//     largest} = Π f_i/ΣM, which is (*). Acceptance f_Σ(1)/ΣM. It serves α_i < 1 with small w, where every f_j has a
//     spike at w.
//
// The way with the smaller constant is taken. λ only moves the acceptance: it solves Σ E X_i = 1 (λ = 0 if the sum is
// below 1 there). For α_i ≥ 1 the f_Σ(1) is near 1/(√(2π)·sd ΣX) and M_j near 1/(√(2π)·sd X_j): about √(Σ Var X_i/max
// Var X_i) ≤ √r proposals a draw, each r − 1 inversions; the worst of 1500 random laws (r to 12, α from 0.01 to 1e5,
// w·r from 1e-6 to 1) took 25. Proposals depend on the parameters, hence on data: a side channel in time, as all
// rejection.
//
// Sequential truncated Betas with each stage's own normaliser are not this law: stage k's proposal density leaves out
// the factor that the remaining stages' box mass contributes.
type Dirichlet struct {
	w, top  float64
	size    int
	beta    *Sampler // r = 2
	cells   []*Sampler
	laws    []*Gamma
	logMax  []float64 // ln M_j
	share   []float64 // cumulative M_j; nil for a fixed remainder
	fixed   int
	rate    float64
	logCost float64 // ln M_j or ln ΣM
}

// NewDirichlet checks at least one α, all α_i > 0 and finite, and 0 < w < 1/r. Errors: *domain.Error, *EmptyBoxError.
func NewDirichlet(alpha []float64, w float64) (*Dirichlet, error) {
	r := len(alpha)
	if r == 0 {
		return nil, domain.Refuse("truncated: Dirichlet", "number of cells", 0, "at least 1")
	}
	total := 0.0
	for _, a := range alpha {
		if !(a > 0) || math.IsInf(a, 1) {
			return nil, domain.Refuse("truncated: Dirichlet", "alpha", a, "0 < alpha < ∞")
		}
		total += a
	}
	if !(w > 0) {
		return nil, domain.Refuse("truncated: Dirichlet", "floor", w, "0 < floor < 1/cells")
	}
	if !(w*float64(r) < 1) {
		return nil, &EmptyBoxError{w, r}
	}
	d := &Dirichlet{w: w, top: 1 - float64(r-1)*w, size: r}
	switch r {
	case 1:
	case 2:
		b, err := NewBeta(alpha[0], alpha[1], w, d.top)
		if err != nil {
			return nil, err
		}
		d.beta = b.Sampler()
	default:
		if err := d.tilt(alpha, total); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// tilt finds λ, builds the laws f_i and picks the cheaper of the two ways.
func (d *Dirichlet) tilt(alpha []float64, total float64) error {
	var bad error
	excess := func(rate float64) float64 {
		s := -1.0
		for _, a := range alpha {
			g, err := NewGamma(a, rate, d.w, d.top)
			if err != nil {
				bad = err
				return math.NaN()
			}
			s += math.Exp(g.LogMoment(1))
		}
		return s
	}
	if excess(0) > 0 {
		hi := total
		for excess(hi) > 0 {
			hi *= 2
		}
		if bad == nil {
			a, b, err := num.RootBracket(excess, 0, hi, 1e-5*hi)
			if err != nil {
				return err
			}
			d.rate = (a + b) / 2
		}
	}
	if bad != nil {
		return bad
	}
	r := len(alpha)
	d.laws, d.cells, d.logMax = make([]*Gamma, r), make([]*Sampler, r), make([]float64, r)
	logLargest := make([]float64, r)
	for i, a := range alpha {
		g, err := NewGamma(a, d.rate, d.w, d.top)
		if err != nil {
			return err
		}
		d.laws[i], d.cells[i] = g, g.Sampler()
		d.logMax[i] = d.peak(i, a, d.w)
		logLargest[i] = d.peak(i, a, 1/float64(r))
		if d.logMax[i] < d.logMax[d.fixed] {
			d.fixed = i
		}
	}
	d.logCost = d.logMax[d.fixed]
	if sum := num.LogSumExp(logLargest); sum < d.logCost {
		d.logCost, d.logMax = sum, logLargest
		d.share = make([]float64, r)
		acc := 0.0
		for i, v := range logLargest {
			acc += math.Exp(v - sum)
			d.share[i] = acc
		}
	}
	return nil
}

// peak is the maximum of ln f_i on [from, top], whose only interior maximum is at (α−1)/λ. It is raised by 1e-9, so
// that rounding never makes an acceptance probability exceed 1.
func (d *Dirichlet) peak(i int, alpha, from float64) float64 {
	at := from
	if alpha > 1 {
		at = math.Min(math.Max((alpha-1)/d.rate, from), d.top) // rate 0: +Inf, the top
	}
	return d.laws[i].LogDensity(at) + 1e-9
}

// Draw fills out, of length r, and tells how many proposals it took. A wrong length is a *domain.Error.
func (d *Dirichlet) Draw(src rand.Source, out []float64) (proposals int, err error) {
	if len(out) != d.size {
		return 0, domain.Refuse("truncated: Dirichlet", "length of out", float64(len(out)), "the number of cells")
	}
	switch d.size {
	case 1:
		out[0] = 1
		return 1, nil
	case 2:
		out[0] = d.beta.Draw(src)
		out[1] = math.Max(1-out[0], d.w)
		return 1, nil
	}
	for proposals = 1; ; proposals++ {
		j := d.fixed
		if d.share != nil {
			v := sample.Float64(src)
			for j = 0; j+1 < d.size && d.share[j] < v; j++ {
			}
		}
		if d.propose(src, j, out) {
			return proposals, nil
		}
	}
}

// propose draws all coordinates but j and says whether the proposal is kept.
func (d *Dirichlet) propose(src rand.Source, j int, out []float64) bool {
	rest, largest := 1.0, 0.0
	for i, c := range d.cells {
		if i == j {
			continue
		}
		out[i] = c.Draw(src)
		rest -= out[i]
		largest = math.Max(largest, out[i])
		if rest < d.w {
			return false
		}
	}
	if rest > d.top || (d.share != nil && rest < largest) {
		return false
	}
	out[j] = rest
	return math.Log(sample.Float64(src)) <= d.laws[j].LogDensity(rest)-d.logMax[j]
}

// Rate is the tilt λ.
func (d *Dirichlet) Rate() float64 { return d.rate }

// curve is a concave log-density r(δ) with r(0) = 0 its maximum on the interval in question.
type curve interface {
	value(d float64) float64           // r(δ)
	slopes(d float64) (r1, r2 float64) // r′(δ), r″(δ) ≤ 0
	// longest panel at δ on which e^r is as good as a polynomial; grows with scale
	span(d float64, scale float64) float64
}

const (
	// A cutoff is the fall of the log-density after which panels stop. If r(x) = −c, concavity gives r ≥ −c·t/x on [0,
	// x] and a slope of at least c/x beyond: the mass left out is at most e^−c/(1 − e^−c) of the mass kept.
	fineCutoff, coarseCutoff = 64, 42
	// coarse panels serve integrals by the 24-point rule (error below 1e-19 at a fall of 24 nats), fine ones the
	// sampler's polynomials of degree 15.
	coarseFall, coarseScale = 22, 3
	fineFall, fineScale     = 1.5, 1
)

// edges cuts [lo, hi] ∋ 0 (either end may be infinite) into panels, ascending, between which r falls by about fall at
// most.
func edges(c curve, lo, hi, fall, scale, cutoff float64) []float64 {
	left := march(c, -1, -lo, fall, scale, cutoff)
	right := march(c, 1, hi, fall, scale, cutoff)
	out := make([]float64, 0, len(left)+len(right)+1)
	for i := len(left) - 1; i >= 0; i-- {
		out = append(out, -left[i])
	}
	out = append(out, 0)
	return append(out, right...)
}

// march lists the panel ends in direction dir, as distances from 0, up to reach or to the cutoff.
func march(c curve, dir, reach, fall, scale, cutoff float64) []float64 {
	var out []float64
	x, r := 0.0, 0.0
	for x < reach && r > -cutoff {
		r1, r2 := c.slopes(dir * x)
		s, k := math.Max(-dir*r1, 0), math.Max(-r2, 0)
		h := math.Min(2*fall/(s+math.Sqrt(s*s+2*fall*k)), c.span(dir*x, scale)) // solves s·h + k·h²/2 = fall
		next := math.Min(x+h, reach)
		nr := c.value(dir * next)
		for nr < r-1.25*fall { // the curvature grows outwards
			h /= 2
			next = math.Min(x+h, reach)
			nr = c.value(dir * next)
		}
		if !(next > x) { // below the spacing of floats
			next = math.Nextafter(x, math.Inf(1))
			nr = c.value(dir * next)
		}
		x, r = next, nr
		out = append(out, x)
	}
	return out
}

// tailSpan is the longest panel where the curvature is e^−u: a constant near its bulk; in the tail, where e^r is all
// but an exponential, at most half the way back.
func tailSpan(u, scale float64) float64 { return math.Max(1.25*scale, math.Min(scale/3, 0.5)*u) }

// grid is the coarse quadrature of one law: nodes δ and their shares of the mass.
type grid struct {
	d, share []float64
	log      float64 // ln ∫ e^r dδ
}

// newGrid integrates e^r over [lo, hi].
func newGrid(c curve, lo, hi float64) grid {
	at := edges(c, lo, hi, coarseFall, coarseScale, coarseCutoff)
	n := len(nodes) * (len(at) - 1)
	g := grid{d: make([]float64, 0, n), share: make([]float64, 0, n)}
	total := 0.0
	for i := 1; i < len(at); i++ {
		half, mid := (at[i]-at[i-1])/2, (at[i]+at[i-1])/2
		for k, x := range nodes {
			d := mid + half*x
			f := half * weights[k] * math.Exp(c.value(d))
			g.d, g.share = append(g.d, d), append(g.share, f)
			total += f
		}
	}
	for i := range g.share {
		g.share[i] /= total
	}
	g.log = math.Log(total)
	return g
}

// logMean is the logarithm of the mean of f at the nodes.
func (g *grid) logMean(f func(d float64) float64) float64 {
	s := 0.0
	for i, d := range g.d {
		s += g.share[i] * f(d)
	}
	return math.Log(s)
}

var nodes, weights = num.GaussLegendre24()
