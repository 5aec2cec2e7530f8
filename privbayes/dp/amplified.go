package dp

import (
	"math"
	"math/big"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/cert"
)

// Amplified is the level about a population from which a sample was drawn in secret, each unit with probability at most
// q, where l is the level about the sample:
//
//	ε ↦ ln(1 + q(e^ε − 1)), δ ↦ qδ,
//
// rounded up. It is attained by randomised response. l is what all releases from the sample use together: two releases
// at ε each have ln(1 + q(e^2ε − 1)), and not twice ln(1 + q(e^ε − 1)). Source: Balle, Barthe, Gaboardi 2018,
// Theorems 8 and 9; theory/survey.md. Errors: *ParameterError for q outside [0, 1], and for levels that are not pure ε
// or (ε, δ): from ρ alone no such level follows.
func (l Parameters) Amplified(q *big.Rat) (Parameters, error) {
	const of = "amplified"
	eps := float64(l.Epsilon)
	switch {
	case q == nil || q.Sign() < 0 || q.Cmp(big.NewRat(1, 1)) > 0:
		return Parameters{}, domain.Refuse(of, "rate", q, "a probability")
	case l.Notion != Pure && l.Notion != Approximate:
		return Parameters{}, domain.Refuse(of, "level", l.String(), "pure ε or (ε, δ): from ρ or a Rényi ε no level about "+
			"the population follows; a budget opened with ApproxDP(ε, δ) counts all of them")
	case !(eps >= 0) || math.IsInf(eps, 1):
		return Parameters{}, domain.Refuse(of, "ε", eps, "a finite number")
	}
	out := l
	out.Delta, _ = new(big.Float).SetPrec(53).SetMode(big.ToPositiveInf).SetRat(
		new(big.Rat).Mul(q, new(big.Rat).SetFloat64(l.Delta))).Float64()
	if eps >= maxAmplified {
		return out, nil
	}
	rate := rounded(big.ToPositiveInf).SetRat(q)
	least := expRounded(eps, big.ToPositiveInf) // e^ε, then 1 + q(e^ε − 1)
	least.Sub(least, rounded(big.ToPositiveInf).SetInt64(1))
	least.Mul(least, rate).Add(least, rounded(big.ToPositiveInf).SetInt64(1))
	share, _ := rate.Float64()
	x := math.Log1p(share * math.Expm1(eps))
	if eps > 700 {
		x = eps + math.Log(share)
	}
	x = math.Max(x, 0)
	for step := 0x1p-53; x < eps && expRounded(x, big.ToNegativeInf).Cmp(least) < 0; step *= 2 {
		x = math.Nextafter(x+x*step, math.Inf(1))
	}
	out.Epsilon = l.Epsilon
	if x < eps {
		out.Epsilon = cert.Number(x)
	}
	return out, nil
}

// maxAmplified bounds the ε that is amplified: of a larger one the level is the same.
const maxAmplified = 1 << 16

// rounded is a number that rounds in one direction.
func rounded(mode big.RoundingMode) *big.Float { return new(big.Float).SetPrec(256).SetMode(mode) }

// expRounded is e^x for 0 ≤ x < 2^17, rounded up or down: the series of e^y, y = x·2^−s ≤ 2^−8, whose terms are
// positive and add up to less than one more last term, squared s times.
func expRounded(x float64, mode big.RoundingMode) *big.Float {
	const halvings, terms = 25, 40
	y := rounded(mode).SetFloat64(x)
	y.SetMantExp(y, -halvings)
	sum, term := rounded(mode).SetInt64(1), rounded(mode).SetInt64(1)
	for k := int64(1); k <= terms; k++ {
		term.Mul(term, y)
		term.Quo(term, rounded(mode).SetInt64(k))
		sum.Add(sum, term)
	}
	if mode == big.ToPositiveInf {
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	return sum
}
