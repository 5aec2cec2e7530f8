package counts

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
)

// shiftLaw is the law of J_s, by which the loss of one count shifted by s is γ(s − 2J_s): see loss.GeometricPair.
type shiftLaw func(s int) []float64

// shippedShift is the law from the sampler's own probabilities: the noise cut to [0, s].
func shippedShift(law noise.Probabilities) shiftLaw {
	return func(s int) []float64 {
		cut, out := clampedCounts{law: law, n: s}, make([]float64, s+1)
		for j := range out {
			out[j] = math.Exp(cut.one(j, 0))
		}
		return out
	}
}

// profile is E(1 − e^{−2γ(i−J)})₊ for i = 1, …, n: the δ at ε = γ(n − 2i) of independent counts shifted by the given
// numbers, n their sum. Between these points it is linear in e^ε, and outside them it is the same for all of one sum.
func (l shiftLaw) profile(gamma float64, shifts ...int) []float64 {
	sum := []float64{1}
	for _, s := range shifts {
		one := l(s)
		next := make([]float64, len(sum)+s)
		for i, p := range sum {
			for j, r := range one {
				next[i+j] += p * r
			}
		}
		sum = next
	}
	out := make([]float64, len(sum)-1)
	for i := range out {
		for j := range i + 1 {
			out[i] += sum[j] * -math.Expm1(-2*gamma*float64(i+1-j))
		}
	}
	return out
}

// excess is the greatest δ of counts shifted by some numbers, in units of the δ of others with the same sum: at most 1
// where the others dominate.
func (l shiftLaw) excess(gamma float64, shifts, others []int) float64 {
	worst := 0.0
	with := l.profile(gamma, others...)
	for i, d := range l.profile(gamma, shifts...) {
		worst = math.Max(worst, d/with[i])
	}
	return worst
}

// exchanges is the greatest excess of shifts (a, b) over (a+1, b−1), 1 ≤ b ≤ a < top.
func (l shiftLaw) exchanges(gamma float64, top int) (worst float64, cases int64) {
	for a := 1; a < top; a++ {
		for b := 1; b <= a; b++ {
			worst = math.Max(worst, l.excess(gamma, []int{a, b}, []int{a + 1, b - 1}))
			cases += int64(a + b)
		}
	}
	return worst, cases
}

// topShift is the largest shift of the exchanges that a certificate visits; they take a millisecond.
const topShift = 16

type shiftsParams struct {
	Noise noise.Rational `json:"noise"`
	Top   int            `json:"top"`
}

var shiftsChecker = cert.Define("geometric/shifts", func(_ context.Context, p shiftsParams) (cert.Outcome, error) {
	if err := p.Noise.Valid(); err != nil {
		return cert.Outcome{}, err
	}
	if p.Top < 2 || p.Top > topShift {
		return cert.Outcome{}, domain.Refuse("counts", "top", p.Top, fmt.Sprintf("2 … %d", topShift))
	}
	law, err := noise.NewGeometric(p.Noise)
	if err != nil {
		return cert.Outcome{}, err
	}
	gamma, l := p.Noise.Float(), shippedShift(law)
	worst, cases := l.exchanges(gamma, p.Top)
	pair := loss.ShiftedGeometricPair{Rate: gamma, Shift: p.Top, Cells: 1}
	for i, d := range l.profile(gamma, p.Top) {
		if eps := gamma * float64(p.Top-2*(i+1)); eps >= 0 {
			worst = math.Max(worst, d/pair.Delta(eps))
			cases++
		}
	}
	return cert.Outcome{Value: worst, Method: cert.Enumeration, Work: cases}, nil
})

// shiftsCheck executes the steps of the theorem of loss.GeometricPair at the given rate, for units of several rows and
// for steps of a lattice.
func shiftsCheck(ctx context.Context, r noise.Rational, rows int) (cert.Check, error) {
	top := min(rows, topShift)
	scope := fmt.Sprintf("every exchange of shifts up to %d, at every loss, on the sampler's own probabilities", top)
	if top < rows {
		scope += "; larger shifts by the closed form of the difference"
	}
	return shiftsChecker.Check(ctx, cert.Check{
		Statement: fmt.Sprintf("shifts that add up to the same and are at most %d each lose no more than if each is "+
			"%d or none: exchanging a step between two counts toward the more shifted one never lowers δ", rows, rows),
		Formula: "δ of shifts (a, b) ≤ δ of (a+1, b−1) for 1 ≤ b ≤ a, δ of one shift by k ≤ that of its pair; " +
			"their greatest ratio, and 1e-12 for rounding",
		Source: "dp.GeometricPair, theorem", Bound: 1 + 1e-12, Scope: scope, Citation: exchangeTheorem,
	}, shiftsParams{r, top})
}
