package counts

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/sensitivity"
)

// DiscreteGaussian adds discrete Gaussian noise, P(Z = z) ∝ e^{−z²/(2σ²)}, to every measured count (Canonne, Kamath,
// Steinke 2020). It supports (ε, δ), Rényi and concentrated targets; no discrete Gaussian is ε-DP. σ² is calibrated to
// the exact profile of the sum of the changed counts ([loss.DiscreteGaussianPair]), not to a conversion from zCDP.
// Arithmetic: exact.
func DiscreteGaussian() Noise { return Noise{gaussianNoise{}, PosteriorMean} }

type gaussianNoise struct{}

func (gaussianNoise) kind() string    { return "discrete-gaussian" }
func (gaussianNoise) title() string   { return "Discrete Gaussian noise on counts" }
func (gaussianNoise) unit() int64     { return 1 }
func (gaussianNoise) everyCell() bool { return false }

// Variances outside [minSigma2, maxSigma2]: below, noise is zero but for a probability under e^{−100}; above, it no
// longer fits the integer sampler's stated range.
const (
	minSigma2 = 1.0 / 256
	maxSigma2 = 1 << 52

	// gaussianBits of σ² lose 1e-6 of the budget and keep the sampler's exponent within 64-bit words, eight times as
	// fast as beyond.
	gaussianBits = 20
)

func (g gaussianNoise) calibrate(ctx context.Context, s sensitivity.CountTables,
	want dp.Level) (mechanism.Rational, error) {
	if want.Notion == dp.Pure {
		return mechanism.Rational{}, &mechanism.UnsupportedError{Mechanism: g.title(),
			What: want.String() + ": its loss is unbounded",
			Use:  "the geometric mechanism, or an (ε, δ), Rényi or zCDP target"}
	}
	meets := func(sigma2 float64) bool {
		return ctx.Err() != nil || loss.Meets(loss.Until(ctx, g.pairAt(sigma2, s)), want)
	}
	if !meets(maxSigma2) {
		return mechanism.Rational{}, mechanism.Unmet(ctx, g.title(), want, g.pairAt(maxSigma2, s),
			fmt.Sprintf("a level at least that of σ² = %.3g per count", float64(maxSigma2)))
	}
	// bracket upward from the smallest noise, so that the exact profile is never asked for at a needlessly large σ
	hi := minSigma2
	for !meets(hi) {
		hi *= 4
	}
	sigma2 := hi
	if hi > minSigma2 {
		sigma2 = mechanism.Least(hi/4, hi, meets)
	}
	r := mechanism.Dyadic(sigma2, gaussianBits, true)
	for !meets(r.Float()) {
		r.Num++ // at most a step or two: the search stopped just above the least σ²
	}
	return r.Reduced(), ctx.Err()
}

func (gaussianNoise) pairAt(sigma2 float64, s sensitivity.CountTables) loss.Pair {
	return loss.DiscreteGaussianPair{Sigma2: sigma2, Cells: s.Cells, Shift: s.Rows}
}

func (g gaussianNoise) pair(r mechanism.Rational, s sensitivity.CountTables) loss.Pair {
	return g.pairAt(r.Float(), s)
}

// gaussianLaw adapts the sampler to the noise interface.
type gaussianLaw struct{ sample.DiscreteGaussian }

func (l gaussianLaw) Draw(src interface{ Uint64() uint64 }) int64 {
	return l.DiscreteGaussian.Draw(src)
}

func (gaussianNoise) noise(r mechanism.Rational) (noise, error) {
	l, err := sample.NewDiscreteGaussian(r.Num, r.Den)
	return gaussianLaw{l}, err
}

// textbook is what zCDP conversion claims: ρ = Δ₂²/(2σ²), ε = ρ + 2√(ρ log 1/δ).
func (g gaussianNoise) textbook(r mechanism.Rational, s sensitivity.CountTables, want dp.Level) mechanism.Textbook {
	rho := float64(s.L2Squared()) / (2 * r.Float())
	l := dp.Level{Notion: dp.Concentrated, Rho: rho}
	src := "ρ = Δ₂²/(2σ²), Canonne, Kamath, Steinke 2020, Theorem 14"
	if want.Notion == dp.Approximate {
		l = dp.Level{Notion: dp.Approximate, Delta: want.Delta,
			Epsilon: cert.Number(rho + 2*math.Sqrt(rho*math.Log(1/want.Delta)))}
		src = "ε = ρ + 2√(ρ log 1/δ), Bun, Steinke 2016, Proposition 1.3"
	}
	return mechanism.Textbook{Level: l, Source: src}
}

func (gaussianNoise) settings(r mechanism.Rational) []mechanism.Setting {
	return []mechanism.Setting{{Name: "noise", Value: fmt.Sprintf("discrete Gaussian, σ² = %s = %.6g", r, r.Float())}}
}

// meanAbsolute is E|Z| = 2 Σ_{z ≥ 1} P(Z ≥ z), by summation; for σ > 1000 it is σ√(2/π), right to 1e-6.
func (g gaussianNoise) meanAbsolute(r mechanism.Rational) float64 {
	sigma := math.Sqrt(r.Float())
	if sigma > 1000 {
		return sigma * math.Sqrt(2/math.Pi)
	}
	law, err := g.noise(r)
	if err != nil {
		return math.NaN()
	}
	sum := 0.0
	for z := int64(1); z <= int64(14*sigma)+10; z++ {
		sum += 2 * float64(z) * math.Exp(law.LogProb(z))
	}
	return sum
}

func (gaussianNoise) additive(r mechanism.Rational) *mechanism.CountNoise {
	return &mechanism.CountNoise{Unit: 1, Sigma2: r.Float()}
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

var gaussianPairChecker = definePair("discrete-gaussian/pair", gaussianNoise{}, cert.ProvedBound)

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
	law, err := gaussianNoise{}.noise(p.Noise)
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
	pulse := cert.NewPulse(ctx, 20*float64(work))
	for i := range side {
		if err := pulse.Step(int(20 * work / side)); err != nil {
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

func (g gaussianNoise) checks(ctx context.Context, r mechanism.Rational, _ *model.Shape, s sensitivity.CountTables,
	t dp.Target) ([]cert.Check, error) {
	a, err := gaussianPairChecker.Check(ctx, cert.Check{
		Statement: "loss of the dominating pair, " + loss.NotionWords(t.Level),
		Formula:   fmt.Sprintf("L = (m + 2S)/(2σ²), m = %d, S the sum of m draws, σ² = %.6g", s.Cells, r.Float()),
		Source:    "dp.DiscreteGaussianPair; Canonne, Kamath, Steinke 2020",
		Bound:     loss.Allowed(t.Level), Scope: "all data; σ² is exact, rounded toward privacy",
	}, pairParams{r, s.Cells, s.Rows, t.Level})
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
	small := dp.Level{Notion: dp.Approximate, Delta: t.Delta, Epsilon: cert.Number(loss.EpsilonFor(bounded, t.Delta))}
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
