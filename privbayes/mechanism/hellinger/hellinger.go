// Package hellinger releases conjugate posteriors with the exponential mechanism scored by Hellinger distance.
//
// # What is released
//
// The candidates for the posterior Dirichlet(α + x) of n records are the posteriors Dirichlet(α + r) of every other
// data set of n records:
//
//	P(r) ∝ exp(−κ·H(x, r)/S(x)),  H² = 1 − BC,  BC = ∫ √(pq),
//
// S a sensitivity of H and κ the rate.
//
// # Why it is private
//
// By the triangle inequality |H(x, r) − H(y, r)| ≤ H(x, y) for all r, attained at r = x, so that LS(x) = max_y H(x, y)
// is the local sensitivity, with the closed form of [Sensitivity]. Let f(x) = 1/S(x) be γ-Lipschitz between neighbours,
// S ≥ LS. The exponents of x and y differ by κ times
//
//	f(x)H(x, r) − f(y)H(y, r) = f(x)·[H(x, r) − H(y, r)] + [f(x) − f(y)]·H(y, r),
//
// whose first term lies in [−1, 1], while the second has one sign for all r and is at most γ, as H ≤ 1. So it ranges
// over an interval of length 2 + γ; the normalisers cancel from a range, and a log-ratio of two distributions has both
// signs. A finer bound of the same two terms gives Theorem 1,
//
//	ε = κ·ρ,  ρ = min(2 + γ, 1 + √(1 + 2γ²)),
//
// pure and for every n. γ = 0 is the global sensitivity with ε = 2κ; the reciprocal sensitivity max_y 1/(1/LS(y) +
// γ·dist(x, y)) has any γ that is wished for. With the smooth sensitivity a δ is needed (Theorem C).
//
// # Calibration
//
// κ = ε/ρ where the candidates are too many to visit. Else κ is searched, and certified by the largest log-ratio over
// every data set, neighbour and candidate, with the weights that are drawn from, between 0.999 and 1 of the target.
// Source: theory/hellinger.md.
package hellinger

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/hellingersample"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/cert"
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
	return domain.Refuse("hellinger", "scale", safetext.Short(string(e.scale)),
		"global, local, local+, smooth or reciprocal")
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

// Descriptors describes the mechanisms of this room.
func Descriptors() []mechanism.Descriptor {
	flip := New().PermuteAndFlip()
	plain := mechanism.Describe(New(), "Hellinger", "hellinger", "Hellinger, exponential")
	plain.New = func(o mechanism.Options) mechanism.Mechanism {
		switch {
		case o.Nominal && o.Delta != 0:
			return New().Smooth(SizeNPlusOne)
		case o.Nominal:
			return New().Local()
		}
		return New()
	}
	plain.Choices = func(*model.Shape) []mechanism.Choice {
		return []mechanism.Choice{{Name: "as drawn", Mechanism: New(), Go: "Hellinger()"}}
	}
	flipping := mechanism.Describe(flip, "Hellinger", "hellinger-flip", "Hellinger, permute-and-flip")
	flipping.Choices = func(sh *model.Shape) []mechanism.Choice {
		if n, _ := sh.N(); len(sh.Conditionals()) != 1 || n > flipRecords {
			return nil
		}
		return []mechanism.Choice{{Name: "as drawn", Mechanism: flip, Go: "Hellinger().PermuteAndFlip()"}}
	}
	plain.Rebuild, flipping.Rebuild = patient(plain.Rebuild), patient(flipping.Rebuild)
	return []mechanism.Descriptor{plain, flipping}
}

// flipRecords bounds n for permute-and-flip in comparisons: it visits every candidate at every draw.
const flipRecords = 500

// Steps: of the executed theorem on a smaller space; of a candidate that is visited by a draw, by permute-and-flip, and
// by expected errors; of the root of n and of a cell in a mixture's proposals; of a proposal to a cell from the uniform
// law; of a draw in shells.
const (
	smallerSteps  = 1e7
	visitSteps    = 10
	flipSteps     = 200
	expectedSteps = 1000
	recordSteps   = 5e4
	mixtureSteps  = 1e5
	uniformSteps  = 300
	shellSteps    = 1e4
)

// Cost estimates, for every table, a draw by the sampler that its public bound leads to, and a plan by the smaller
// space on which a theorem is executed, by the sensitivity of every cell, and by the candidates where expected errors
// are summed over them.
func (e Exponential) Cost(sh *model.Shape, t dp.Request) mechanism.Cost {
	n, public := sh.N()
	if !public || t.NominalScale || e.Supports(sh) != nil {
		return mechanism.Cost{Plan: 1e9, Draw: 1e9, Bytes: 1 << 28}
	}
	c := mechanism.Cost{Plan: 1e6, Bytes: 1 << 24}
	tables := sh.Tables()
	share := pureShare(t.Parameters, len(tables))
	known := map[int]mechanism.Cost{} // tables of the same size share their proof
	for _, tb := range tables {
		one, ok := known[tb.Cells()]
		if !ok {
			one = e.table(tb.Cells(), int64(n), sh.Model().Prior().At(0), share)
			known[tb.Cells()] = one
			c.Plan += one.Plan
		}
		c.Plan += 1e5
		c.Draw += one.Draw
		c.Bytes += 128 * float64(tb.Cells())
		c.Bytes = math.Max(c.Bytes, one.Bytes)
	}
	return c
}

// table is the cost of one table: its draws, and its part of the plan.
func (e Exponential) table(cells int, n int64, prior, share float64) mechanism.Cost {
	candidates, size := float64(hellingersample.Count(n, cells)), float64(cells)
	c := mechanism.Cost{Plan: smallerSteps + 30*size*size}
	if candidates <= expectedLimit {
		c.Plan += math.Min(expectedSteps*candidates, 5e7)
	}
	switch {
	case e.flip && (candidates > permuteLimit || cells > hellingersample.MaxWalkCells):
		return mechanism.Cost{} // refused at once
	case e.flip:
		c.Draw = flipSteps * candidates
	case cells == 2:
		c.Draw = shellSteps
	case candidates <= hellingersample.MaxCandidates && cells <= hellingersample.MaxWalkCells:
		c.Draw, c.Bytes = visitSteps*candidates, 16*candidates
	default:
		c.Draw = recordSteps*math.Sqrt(float64(n)) + mixtureSteps*size
		alpha := make([]float64, cells)
		for i := range alpha {
			alpha[i] = prior
		}
		s, err := newSpace(alpha, n, e.scale, e.gamma, 0)
		if err != nil {
			return mechanism.Cost{} // refused at once
		}
		rho, proved := s.rho()
		if !proved {
			rho = 2
		}
		if name, _, err := s.sampler(share / rho); err != nil {
			return mechanism.Cost{}
		} else if name == hellingersample.UniformName {
			c.Draw = uniformSteps * size
		}
	}
	return c
}

// settings lists the public parameters for people: of one table, or the range over tables.
func (c *choice) settings(spaces []*space) ([]mechanism.Setting, error) {
	s, p := spaces[0], c.tables[0]
	delta, _, _ := s.Global()
	out := []mechanism.Setting{
		{Name: "candidates", Value: fmt.Sprintf("%.6g posteriors of %d records over %d cells", s.Size(), s.n,
			len(s.alpha))},
		{Name: "global sensitivity of H", Value: fmt.Sprintf("%.10g", delta)},
		{Name: "scale", Value: c.scaleWords(s)},
		{Name: "rate", Value: fmt.Sprintf("κ = %.8g in exp(−κ·H/S)", p.Kappa)},
		{Name: "calibration", Value: c.found(p)},
		{Name: "sampler", Value: c.samplerWords(s, p)},
	}
	if len(spaces) > 1 {
		out[0].Value = fmt.Sprintf("%d tables, one posterior over all cells of each; the first: %s", len(spaces),
			out[0].Value)
	}
	return out, nil
}

func (c *choice) scaleWords(s *space) string {
	switch c.scale {
	case globalScale:
		return "S = Δ_g"
	case localScale:
		return "S = LS(x)"
	case localPlusScale:
		return fmt.Sprintf("S = LS⁺(x), 1/S is γ⁺-Lipschitz, γ⁺ = %.6g", s.GammaPlus())
	case smoothScale:
		return fmt.Sprintf("S = max_y LS(y)·e^(−β·dist), β = %.8g", s.beta)
	}
	return fmt.Sprintf("S = max_y 1/(1/LS(y) + γ·dist), γ = %g", s.gamma)
}

// found says how κ was chosen.
func (c *choice) found(p tableParams) string {
	if c.target.NominalScale {
		return "the notes' formula κ = ε/2"
	}
	switch p.Proof {
	case byEnumeration:
		return "exact calibration (enumeration of all data, neighbours and candidates)"
	case byTheoremC:
		return "Theorem C (κ = ε/3)"
	}
	if c.theorem {
		return "Theorem 1 (κ = ε/ρ)"
	}
	return "Theorem 1 (κ = ε/ρ): the candidate set is too large to enumerate"
}

func (c *choice) samplerWords(s *space, p tableParams) string {
	if c.flip {
		return "permutation and exact random bits"
	}
	name, _, _ := s.sampler(p.Kappa)
	return name
}

// standardFormula is what the notes claim for κ, and for the library's own modes what Theorem 1 or C does.
func (c *choice) standardFormula(spaces []*space) mechanism.StandardFormula {
	total, delta := 0.0, 0.0
	source := "ε = 2κ, McSherry, Talwar 2007"
	for i, s := range spaces {
		kappa := c.tables[i].Kappa
		rho, ok := s.rho()
		switch {
		case c.target.NominalScale:
			total += 2 * kappa
		case c.scale == smoothScale && c.tables[i].Proof == byTheoremC:
			total, source = total+3*kappa, "ε = 3κ, theory/hellinger.md Theorem C"
			_, d := theoremC(s, kappa)
			delta += d
		case ok && c.scale != globalScale:
			total, source = total+rho*kappa, "ε = ρκ, theory/hellinger.md Theorem 1"
		default:
			total += 2 * kappa
		}
	}
	l := dp.Parameters{Notion: dp.Pure, Epsilon: cert.Number(total * float64(c.rows))}
	if c.target.NominalScale {
		source = "the notes: κ = ε/2"
		delta = c.target.Delta
		if c.scale == localScale {
			l, source = dp.NotPrivate("so the notes label it"), "the notes: κ = ε/2, \"non-private\""
			return mechanism.StandardFormula{Level: l, Source: source}
		}
	}
	if delta > 0 {
		l.Notion, l.Delta = dp.Approximate, delta
	}
	return mechanism.StandardFormula{Level: l, Source: source}
}

// expectedLimit is the number of candidates up to which expected errors are summed.
const expectedLimit = 1_000_000

// expected predicts errors at balanced data, a public choice of x: the mean over tables of E[H] and of the absolute
// error of a proportion, by summing the law over all candidates. Empty where the candidate set is too large.
func (c *choice) expected(spaces []*space) []mechanism.Expectation {
	h, abs := 0.0, 0.0
	if c.flip {
		return nil
	}
	type result struct{ h, abs float64 }
	done := map[string]result{}
	for i, s := range spaces {
		if s.n == 0 || s.Size() > expectedLimit {
			return nil
		}
		key := fmt.Sprint(s.alpha, c.tables[i])
		r, ok := done[key]
		if !ok {
			r.h, r.abs = s.errors(c.tables[i].Kappa)
			done[key] = r
		}
		h, abs = h+r.h/float64(len(spaces)), abs+r.abs/float64(len(spaces))
	}
	how := "sum over all candidates, at balanced data"
	return []mechanism.Expectation{
		{Name: "Hellinger distance", Value: h, How: how},
		{Name: "absolute error of a count", Value: abs, Unit: "records", How: how},
		{Name: mechanism.ProportionErrorName, Value: abs / float64(c.n), How: how},
	}
}

// errors sums H(x, r) and the mean over cells of |r_i − x_i| over the law at balanced x.
func (s *space) errors(kappa float64) (h, abs float64) {
	d := len(s.alpha)
	x := make([]int, d)
	for i := range x {
		x[i] = int(s.n)/d + b2i(i < int(s.n)%d)
	}
	lp := make([]float64, law{s, kappa}.Outputs())
	law{s, kappa}.LogLaw(x, lp)
	y := make([]int64, d)
	for i, v := range x {
		y[i] = int64(v)
	}
	dist := make([]float64, len(lp))
	hellingersample.Exponents(s.alpha, y, 1, dist) // at rate 1 the exponent is H itself
	for o, l := range lp {
		p := math.Exp(l)
		h += p * dist[o]
		if p < 1e-18 {
			continue
		}
		for i, v := range hellingersample.Unrank(o, s.n, d) {
			abs += p * math.Abs(float64(v-y[i])) / float64(d)
		}
	}
	return h, abs
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
