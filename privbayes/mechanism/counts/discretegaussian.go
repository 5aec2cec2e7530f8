package counts

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/sensitivity"
)

// DiscreteGaussian adds discrete Gaussian noise, P(Z = z) ∝ e^{−z²/(2σ²)}, to every measured count (Canonne, Kamath,
// Steinke 2020). It supports (ε, δ), Rényi and concentrated targets; no discrete Gaussian is ε-DP. σ² is calibrated to
// the exact profile of the sum of the changed counts ([loss.DiscreteGaussianPair]), of units of several rows to a bound
// of it ([loss.LatticePair]), not to a conversion from zCDP. Arithmetic: exact.
func DiscreteGaussian() Noise { return gaussianNoise.mechanism() }

var gaussianNoise = family{
	Family: noise.GaussianFamily, kind: "discrete-gaussian", title: "Discrete Gaussian noise on counts",
	checks: gaussianChecks, wide: true,
	steps: func(s size, want dp.Notion) float64 {
		switch want {
		case dp.Pure: // refused at once
			return 0
		case dp.Approximate: // a profile is composed table by table
			return 2e5 * s.tables
		}
		return 2e4 * s.tables
	},
}

// Limits of σ² up to which a plan enumerates pairs of counts, and single counts: about a million outputs each.
const (
	maxEnumeratedPairs = 2500
	maxEnumerated      = 1e9
)

var gaussianEnumChecker = cert.Define("discrete-gaussian/enumeration",
	func(ctx context.Context, p pairParams) (cert.Outcome, error) {
		if err := p.valid(); err != nil {
			return cert.Outcome{}, err
		}
		if p.Cells > 2 || p.Rows != 1 || p.Want.Notion != dp.Approximate {
			return cert.Outcome{}, domain.Refuse("counts", "cells, rows, want",
				fmt.Sprint(p.Cells, p.Rows, p.Want), "at most 2 cells, one row, an (ε, δ) level")
		}
		return enumerateGaussian(ctx, p)
	})

// gaussianParams are the public inputs of the check on the dominating pair.
type gaussianParams struct {
	pairParams
	// Vector is that of noise.Gaussian
	Vector bool `json:"vector,omitempty"`
}

var gaussianPairChecker = cert.Define("discrete-gaussian/pair",
	func(ctx context.Context, p gaussianParams) (cert.Outcome, error) {
		if err := p.valid(); err != nil {
			return cert.Outcome{}, err
		}
		z, err := noise.NewGaussian(p.Noise)
		if err != nil {
			return cert.Outcome{}, err
		}
		z.Vector = p.Vector
		value := loss.Spent(loss.Until(ctx, z.Pair(p.Cells, p.Rows)), p.Want)
		return cert.Outcome{Value: value, Method: cert.ProvedBound}, ctx.Err()
	})

// window is the number of standard deviations within which outputs are enumerated: what lies outside is below 1e−8 of
// δ.
func window(delta float64) float64 {
	if delta >= 1e-14 {
		return 10
	}
	return math.Ceil(math.Sqrt(2 * (math.Log(1e10) - math.Log(delta))))
}

// leastEnumerated is the least δ whose sums stay above the numbers that lose digits.
const leastEnumerated = 1e-290

// enumerateGaussian sums the hockey-stick divergence over every pair of outputs of one or two shifted counts, from the
// sampler's own probabilities, with what lies outside the window added whole.
func enumerateGaussian(ctx context.Context, p pairParams) (cert.Outcome, error) {
	law, err := noise.NewGaussian(p.Noise)
	if err != nil {
		return cert.Outcome{}, err
	}
	w := int64(math.Ceil(window(p.Want.Delta)*math.Sqrt(p.Noise.Float()))) + 2
	side := 2*w + 1
	work := side
	if p.Cells == 2 {
		work *= side
	}
	if side > 1<<30 || work > cert.WorkLimit(ctx) {
		return cert.Outcome{}, cert.ErrWorkLimit
	}
	lp := make([]float64, side+1) // log P(Z = i − w)
	for i := range lp {
		lp[i] = law.LogProb(int64(i) - w)
	}
	eps, sum := float64(p.Want.Epsilon), 0.0
	progress := cert.NewProgress(ctx, 20*float64(work))
	for i := range side {
		if err := progress.Step(int(20 * work / side)); err != nil {
			return cert.Outcome{}, err
		}
		a, la := lp[i], lp[i]-lp[i+1]
		if p.Cells == 1 {
			sum += excess(a, la, eps)
			continue
		}
		for j := range side {
			sum += excess(a+lp[j], la+lp[j]-lp[j+1], eps)
		}
	}
	tail := 2 * float64(p.Cells) * math.Exp(law.LogTail(w))
	return cert.Outcome{Value: sum + tail, Method: cert.Enumeration, Work: work}, nil
}

// excess is P·(1 − e^{ε−loss})₊.
func excess(logP, loss, eps float64) float64 {
	if loss <= eps {
		return 0
	}
	return math.Exp(logP) * -math.Expm1(eps-loss)
}

var replacedGaussian, addedGaussian, movedGaussian = cert.Cite("GaussianPrivacy.replace_zcdp"),
	cert.Cite("GaussianPrivacy.add_zcdp"), cert.Cite("GaussianPrivacy.gaussian_renyi")

// forGaussian is the citation of discrete Gaussian noise on counts, of Rényi divergences: the profile is on paper.
// Under replace-value, where fewer counts change than tables have, it is that of any shift of the counts.
func forGaussian(t dp.Request) cert.Citation {
	switch {
	case t.Notion == dp.Approximate:
		return cert.Citation{}
	case t.Adjacency == dp.ReplaceOne:
		return replacedGaussian
	case t.Adjacency == dp.AddRemove:
		return addedGaussian
	}
	return movedGaussian
}

var gaussianText, gaussianTextRenyi = cert.Cite("GaussianWhole.text_normalised"), cert.Cite("GaussianWhole.text_zcdp")

// leastTextSigma2 is the least σ² of which the theorems about the sampler's text speak.
const leastTextSigma2 = 0x1p-18

// textOfGaussian is the citation of the sampler's text: Rényi divergences, or the distribution alone.
func textOfGaussian(sigma2 noise.Rational, l dp.Parameters) *cert.Citation {
	switch {
	case sigma2.Float() < leastTextSigma2:
		return nil
	case l.Notion == dp.Approximate:
		return &gaussianText
	}
	return &gaussianTextRenyi
}

func gaussianChecks(ctx context.Context, d noise.Distribution, _ *model.Shape, s sensitivity.CountTables,
	t dp.Request) ([]cert.Check, error) {
	r, vector := parameter(d), d.(noise.Gaussian).Vector
	formula, source := fmt.Sprintf("L = (m + 2S)/(2σ²), m = %d, S the sum of m draws, σ² = %.6g", s.Cells, r.Float()),
		"dp.DiscreteGaussianPair; Canonne, Kamath, Steinke 2020"
	if vector {
		formula, source = fmt.Sprintf("the smaller of δ by ρ = mk²/(2σ²) and of N(μ, 1) against N(0, 1), "+
			"μ² = mk²/(σ² − 13/4), m = %d, k = %d, σ² = %.6g", s.Cells, s.Rows, r.Float()),
			"dp.LatticePair; docs/theory/ledger.md §4.1"
		if r.Float() <= 13./2 { // where loss.LatticePair has no μ
			formula = fmt.Sprintf("δ by ρ = mk²/(2σ²), m = %d, k = %d, σ² = %.6g ≤ 13/2", s.Cells, s.Rows, r.Float())
		}
	}
	a, err := gaussianPairChecker.Check(ctx, cert.Check{
		Statement: "loss of the dominating pair, " + loss.NotionWords(t.Parameters), Formula: formula, Source: source,
		Bound: loss.Allowed(t.Parameters), Scope: "all data; σ² is exact, rounded toward privacy",
		Citation: forGaussian(t), Program: textOfGaussian(r, t.Parameters),
	}, gaussianParams{pairParams{r, s.Cells, s.Rows, t.Parameters}, vector})
	if err != nil || t.Notion != dp.Approximate || s.Rows != 1 || r.Float() > maxEnumerated ||
		t.Delta < leastEnumerated {
		return []cert.Check{a}, err
	}
	// one or two counts, at the ε where their own profile meets the asked δ
	cells := min(s.Cells, 2)
	if r.Float() > maxEnumeratedPairs {
		cells = 1
	}
	pair := loss.DiscreteGaussianPair{Sigma2: r.Float(), Cells: cells, Shift: 1}
	bounded := loss.Until(ctx, pair)
	small := dp.Parameters{Notion: dp.Approximate, Delta: t.Delta, Epsilon: cert.Number(loss.EpsilonFor(bounded, t.Delta))}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if small.Epsilon == 0 {
		return []cert.Check{a}, nil
	}
	b, err := gaussianEnumChecker.Check(ctx, cert.Check{
		Statement: fmt.Sprintf("δ of the shipped law on %d changed counts at ε = %.4g, by enumeration", cells,
			float64(small.Epsilon)),
		Formula: fmt.Sprintf("Σ (P − e^ε Q)₊ over every output within %gσ, plus the tail", window(t.Delta)),
		Source:  "the sampler's own probabilities",
		Bound:   cert.Number(t.Delta * (1 + 1e-8)), Scope: "one table; independent of the closed form of the sum",
	}, pairParams{r, cells, 1, small})
	if err != nil {
		return nil, err
	}
	return []cert.Check{a, b}, nil
}
