package hellinger

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// scaling names the sensitivity S(x) that scores are divided by.
type scaling string

// The scales. LS(x) is the local sensitivity of H at x, Δ_g its maximum over x.
const (
	globalScale scaling = "global" // Δ_g: the same for all x; Theorem 1 with γ = 0 is the classical ε = 2κ
	localScale  scaling = "local"  // LS(x): the notes' "non-private" mode
	// LS⁺(x): LS without the condition that a cell is not empty; 1/LS⁺ is γ⁺-Lipschitz
	localPlusScale  scaling = "local+"
	smoothScale     scaling = "smooth"     // S_β(x) = max_y LS(y)·e^{−β·dist(x,y)}
	reciprocalScale scaling = "reciprocal" // S_γ(x) = max_y 1/(1/LS(y) + γ·dist(x,y)): 1/S_γ is γ-Lipschitz
)

// SetSize is the number N in the notes' β = ln(1 + ε/(2 ln(2N/δ))).
type SetSize string

// The candidates for N: the notes print figures with n, state the lemma with n+1, and would need the size of the
// candidate set.
const (
	SizeN         SetSize = "n"
	SizeNPlusOne  SetSize = "n+1"
	SizeCandidate SetSize = "|R|"
)

// Exponential is the exponential mechanism over posteriors. Build one with New and refine it; it is immutable. It
// releases every model made of count tables under replace-one adjacency. For naive Bayes and networks every one of the
// K measured tables is one posterior over all its cells, with the public total n, at ε/K each; never one posterior per
// class, whose total is private.
type Exponential struct {
	mechanism.Front
	scale   scaling
	gamma   float64
	size    SetSize
	flip    bool
	theorem bool
}

// defaultGamma is in the range that theory/hellinger.md §3 recommends: ρ stays at 2.06 and S_γ close to LS.
const defaultGamma = 0.25

// New is the exponential mechanism with the reciprocal sensitivity S_γ, γ = 0.25: pure ε-DP by Theorem 1, calibrated
// exactly where enumeration allows.
func New() Exponential {
	return Exponential{scale: reciprocalScale, gamma: defaultGamma, size: SizeNPlusOne}.made()
}

// Global divides scores by the global sensitivity.
func (e Exponential) Global() Exponential { e.scale = globalScale; return e.made() }

// Local divides scores by the local sensitivity at the data. Its privacy is what enumeration finds.
func (e Exponential) Local() Exponential { e.scale = localScale; return e.made() }

// LocalPlus divides scores by LS⁺.
func (e Exponential) LocalPlus() Exponential { e.scale = localPlusScale; return e.made() }

// Reciprocal divides scores by S_γ, γ > 0 a public constant.
func (e Exponential) Reciprocal(gamma float64) Exponential {
	e.scale, e.gamma = reciprocalScale, gamma
	return e.made()
}

// Smooth divides scores by the β-smooth sensitivity. With ApproxDP(ε, δ) it is calibrated by Theorem C (κ = ε/3, β =
// ln(1 + κ/ln(|R|/δ))), which proves (ε, δ); with AsPublished(ε, δ) it is the notes' mode, κ = ε/2 and β = ln(1 + ε/(2
// ln(2N/δ))).
func (e Exponential) Smooth(n SetSize) Exponential { e.scale, e.size = smoothScale, n; return e.made() }

// PermuteAndFlip visits the candidates in random order and releases the first whose coin of probability exp(−κ(H −
// H_min)/S) comes up (McKenna, Sheldon 2020). At the same κ it is never less accurate; its guarantee is that of the
// range of scores.
func (e Exponential) PermuteAndFlip() Exponential { e.flip = true; return e.made() }

// ByTheorem calibrates by theorem only, also where enumeration would allow a larger κ.
func (e Exponential) ByTheorem() Exponential { e.theorem = true; return e.made() }

// made is the mechanism with its options as they are.
func (e Exponential) made() Exponential {
	e.Front = mechanism.FrontOf(func() mechanism.Family[*choice, params] { return e.mathematics() })
	return e
}

// Kind is the registered kind of the mechanism.
const Kind = "hellinger-exponential"

func (e Exponential) title() string {
	s := "Hellinger exponential mechanism, "
	if e.flip {
		s = "Hellinger permute-and-flip, "
	}
	switch e.scale {
	case reciprocalScale:
		return s + fmt.Sprintf("reciprocal sensitivity (γ = %g)", e.gamma)
	case smoothScale:
		return s + fmt.Sprintf("smooth sensitivity (N = %s)", e.size)
	case localPlusScale:
		return s + "local sensitivity LS⁺"
	default:
		return s + string(e.scale) + " sensitivity"
	}
}

// maxN bounds n, so that counts stay exact in float64.
const maxN = 1e15

// supports accepts models of at most maxN records: *mechanism.UnsupportedError. A plan needs a public n.
func supports(sh *model.Shape) error {
	if err := mechanism.CountsOnly(sh); err != nil {
		return err
	}
	if n, _ := sh.N(); float64(n) > maxN {
		return mechanism.Unsupported("more than 1e15 records", "Geometric()")
	}
	return nil
}

// valid checks what the user chose and what a file holds.
func (e Exponential) valid() error {
	switch {
	case e.scale == reciprocalScale && (!(e.gamma > 0) || math.IsInf(e.gamma, 1)):
		return domain.Refuse("hellinger", "gamma", e.gamma, "a finite γ > 0, such as 0.25")
	case e.scale == smoothScale && e.size != SizeN && e.size != SizeNPlusOne && e.size != SizeCandidate:
		return domain.Refuse("hellinger", "size", safetext.Short(string(e.size)), `"n", "n+1" or "|R|"`)
	}
	switch e.scale {
	case globalScale, localScale, localPlusScale, smoothScale, reciprocalScale:
		return nil
	}
	return domain.Refuse("hellinger", "scale", safetext.Short(string(e.scale)), "global, local, local+, smooth or reciprocal")
}

func (e Exponential) mathematics() mechanism.Family[*choice, params] {
	return mechanism.Family[*choice, params]{
		Kind: Kind, Title: e.title(), Supports: supports, Prepare: e.prepare, Certify: certify,
		Of: func(p params) (mechanism.Family[*choice, params], error) {
			f := Exponential{scale: p.Scale, gamma: p.Gamma, size: p.Size, flip: p.Flip}.mathematics()
			prepare := f.Prepare
			f.Prepare = func(ctx context.Context, sh *model.Shape, t dp.Request) (*choice, error) {
				c, err := prepare(ctx, sh, t)
				if err == nil {
					err = c.admits(ctx, p)
				}
				return c, err
			}
			return f, nil
		},
		Calibrate: func(ctx context.Context, c *choice) (params, error) {
			err := c.calibrate(ctx)
			return c.params(), err
		},
	}
}
