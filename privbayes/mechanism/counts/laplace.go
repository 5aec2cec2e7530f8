package counts

import (
	"context"
	"fmt"

	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/sensitivity"
)

// Laplace adds Laplace noise of scale b = Δ₁/ε to every count, cut to [0, n], as in the notes and in most textbooks: Δ₁
// = 2 for one table under replace-one, also for two cells, where one noisy count would do ([Geometric] measures one).
// The noise is drawn on the lattice of 1/65536 of a record: two-sided geometric at rate γ/65536 per step, whose law is
// that of rounded Laplace noise, so the arithmetic is exact where floating-point Laplace noise leaks through its gaps
// (Mironov 2012). Nominal(ε) asks for the same noise as PureDP(ε): here the paper's formula is right. n is at most
// 5e11.
func Laplace() Noise { return Noise{laplaceNoise{}, Clamp} }

type laplaceNoise struct{ geometricNoise }

// LaplaceSteps is the lattice of [Laplace]: the raw counts of its releases are in this many steps per record.
const LaplaceSteps = 1 << 16

func (laplaceNoise) kind() string    { return "laplace" }
func (laplaceNoise) title() string   { return "Laplace noise on counts" }
func (laplaceNoise) unit() int64     { return LaplaceSteps }
func (laplaceNoise) everyCell() bool { return true }

// laplacePair is the pair of Laplace noise on the lattice, on Cells counts that one record changes by one: far below
// randomised response at γ in Rényi divergence and δ, and equal to it in pure ε. Its Rényi divergence is that of the
// noise as drawn. Its profile is that of a coarser lattice, which dominates: splitting the mass at a loss between the
// two nearest coarser ones, with the masses of both laws kept, can only increase a hockey-stick divergence, and gives
// the law on the coarser lattice.
type laplacePair struct {
	loss.ShiftedGeometricPair
	coarse loss.ShiftedGeometricPair
}

// coarseSteps is the lattice of the profile; it costs a relative 1e-6 or so.
const coarseSteps = 1 << 10

// Delta is the profile on the coarser lattice.
func (p laplacePair) Delta(epsilon float64) float64 { return p.coarse.Delta(epsilon) }

// DeltaUntil is Delta under loss.Until.
func (p laplacePair) DeltaUntil(epsilon float64, stop func() bool) float64 {
	return p.coarse.DeltaUntil(epsilon, stop)
}

func (laplaceNoise) pairAt(rate float64, s sensitivity.CountTables) loss.Pair {
	return laplacePair{ // for several rows of one unit by the theorem of loss.GeometricPair, with shifts in steps
		loss.ShiftedGeometricPair{Rate: rate / LaplaceSteps, Shift: LaplaceSteps * s.Rows, Cells: s.Cells},
		loss.ShiftedGeometricPair{Rate: rate / coarseSteps, Shift: coarseSteps * s.Rows, Cells: s.Cells},
	}
}

func (l laplaceNoise) pair(r mechanism.Rational, s sensitivity.CountTables) loss.Pair {
	return l.pairAt(r.Float(), s)
}

// calibrate is the geometric mechanism's, with a denominator that leaves room for the lattice.
func (l laplaceNoise) calibrate(ctx context.Context, s sensitivity.CountTables,
	want dp.Level) (mechanism.Rational, error) {
	r, err := calibrateRate(ctx, l.title(), s, want, l.pairAt)
	if err != nil || r.Den <= 1<<24 {
		return r, err
	}
	shift := r.Den >> 24
	r = mechanism.Rational{Num: r.Num / shift, Den: 1 << 24}
	if r.Num < 1<<9 { // a rate of 2^−15: below it a step would pass the sampler's limits, and rounding would cost 0.2 %
		return r, mechanism.Unmet(ctx, l.title(), want, l.pairAt(1.0/(1<<15), s), "a rate of at least 2^−15 per "+
			"count, or Geometric()")
	}
	return r.Reduced(), nil
}

func (laplaceNoise) noise(r mechanism.Rational) (noise, error) {
	l, err := sample.NewTwoSidedGeometric(r.Num, r.Den*LaplaceSteps)
	return geometricLaw{l}, err
}

// meanAbsolute is in steps, like the law.
func (laplaceNoise) meanAbsolute(r mechanism.Rational) float64 {
	return geometricNoise{}.meanAbsolute(mechanism.Rational{Num: r.Num, Den: r.Den * LaplaceSteps})
}

func (laplaceNoise) settings(r mechanism.Rational) []mechanism.Setting {
	return []mechanism.Setting{{Name: "noise", Value: fmt.Sprintf("Laplace of scale 1/γ = %.6g records, on a lattice "+
		"of 1/%d", 1/r.Float(), LaplaceSteps)}}
}

// laplacePairChecker derives the pair; enumeration stands with the geometric mechanism, whose law this is on another
// lattice.
var laplacePairChecker = definePair("laplace/pair", laplaceNoise{}, cert.ClosedForm)

func (laplaceNoise) additive(r mechanism.Rational) *mechanism.CountNoise {
	return &mechanism.CountNoise{Unit: LaplaceSteps, Rate: r.Float() / LaplaceSteps}
}

func (laplaceNoise) checks(ctx context.Context, r mechanism.Rational, sh *model.Shape, s sensitivity.CountTables,
	t dp.Target) ([]cert.Check, error) {
	c, err := laplacePairChecker.Check(ctx, cert.Check{
		Statement: "loss of the dominating pair, " + loss.NotionWords(t.Level),
		Formula: fmt.Sprintf("%d counts shifted by %d steps of rate γ/%d, γ = %.6g", s.Cells, s.Rows*LaplaceSteps,
			LaplaceSteps, r.Float()),
		Source: "dp.ShiftedGeometricPair; theory/dirichlet.md §4",
		Bound:  loss.Allowed(t.Level), Scope: "all data; the rate is exact, rounded toward privacy",
	}, pairParams{r, s.Cells, s.Rows, t.Level})
	if err != nil || s.Rows == 1 {
		return []cert.Check{c}, err
	}
	shifts, err := shiftsCheck(ctx, r, s.Rows)
	return []cert.Check{c, shifts}, err
}
