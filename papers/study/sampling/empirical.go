package sampling

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/num"
)

// MaxParts is the largest partition that Lemma 12 allows, ⌊log₂ √(1/δ)⌋; 0 or 1 says that the lemma is empty at this δ.
// Domain: 0 < δ < 1; otherwise a *ParameterError.
func MaxParts(delta float64) (int, error) {
	if err := check("MaxParts", domain.Probability("delta", delta)); err != nil {
		return 0, err
	}
	return int(math.Floor(-math.Log2(delta)/2 + 1e-12)), nil
}

// EmpiricalRadius is Lemma 12: on a partition into at most [MaxParts] sets, ‖P̂ − P‖₁ ≤ √(3 ln(1/δ)/N) with probability
// at least 1 − δ. It holds, loosely: [WorstBinomialTail]. Domain: N ≥ 1, 0 < δ ≤ 1/16 (two parts); otherwise a
// *ParameterError.
func EmpiricalRadius(samples int, delta float64) (float64, error) {
	if err := check("EmpiricalRadius", domain.Between("samples", samples, 1, maxSamples),
		domain.Arg("delta", delta, delta > 0 && delta <= 1./16,
			"in (0, 1/16], for a partition into at least two sets")); err != nil {
		return 0, err
	}
	return math.Sqrt(-3 * math.Log(delta) / float64(samples)), nil
}

// WeissmanRadius is √(2 ln((2^m−2)/δ)/N), which ‖P̂ − P‖₁ exceeds with probability at most δ on m outcomes: the
// inequality behind Lemma 12, without its restriction of m. m = 1 gives 0. Domain: m, N ≥ 1, 0 < δ < 1; otherwise a
// *ParameterError.
func WeissmanRadius(outcomes, samples int, delta float64) (float64, error) {
	if err := check("WeissmanRadius", domain.Between("outcomes", outcomes, 1, math.MaxInt),
		domain.Between("samples", samples, 1, maxSamples), domain.Probability("delta", delta)); err != nil {
		return 0, err
	}
	if outcomes == 1 {
		return 0, nil
	}
	m := float64(outcomes)
	sets := m*math.Ln2 + math.Log1p(-math.Exp2(1-m))
	return math.Sqrt(2 * (sets - math.Log(delta)) / float64(samples)), nil
}

// BinomialTail is the exact P[‖P̂ − P‖₁ ≥ r] for two outcomes of probabilities p and 1 − p: P[|K/N − p| ≥ r/2], K ~
// Bin(N, p). Counts within 1e-12 of the border are counted in. Domain: N ≥ 1, 0 ≤ p ≤ 1, r ≥ 0; otherwise a
// *ParameterError.
func BinomialTail(p float64, samples int, radius float64) (float64, error) {
	if err := check("BinomialTail", domain.Arg("p", p, p >= 0 && p <= 1, "a probability"),
		domain.Between("samples", samples, 1, maxSamples), domain.NotNegative("radius", radius)); err != nil {
		return 0, err
	}
	return binomialTail(p, float64(samples), radius), nil
}

func binomialTail(p, n, radius float64) float64 {
	low := math.Floor(n*(p-radius/2) + 1e-12*n)
	high := math.Ceil(n*(p+radius/2) - 1e-12*n)
	if high <= low {
		return 1
	}
	tail := 0.0
	if low >= 0 {
		tail += 1 - atLeastTail(p, n, low+1)
	}
	return tail + atLeastTail(p, n, high)
}

// atLeastTail is P[Bin(n, p) ≥ k].
func atLeastTail(p, n, k float64) float64 {
	switch {
	case k <= 0:
		return 1
	case k > n:
		return 0
	}
	return num.RegIncBeta(k, n-k+1, p)
}

// WorstBinomialTail is the largest [BinomialTail] over p: the exact failure probability of a radius on two outcomes.
// Between two values of p at which a count enters the tail, the tail is P[K ≤ a] + P[K ≥ b], whose derivative in p
// changes sign once, from − to +: the maximum is at such a value. Domain: 1 ≤ N ≤ 10,000, r > 0; otherwise a
// *ParameterError.
func WorstBinomialTail(samples int, radius float64) (tail, p float64, err error) {
	if err := check("WorstBinomialTail", domain.Between("samples", samples, 1, 10_000),
		domain.Positive("radius", radius)); err != nil {
		return 0, 0, err
	}
	n := float64(samples)
	for k := range samples + 1 {
		for _, v := range []float64{float64(k)/n - radius/2, float64(k)/n + radius/2} {
			if v < 0 || v > 1 {
				continue
			}
			if t := binomialTail(v, n, radius); t > tail {
				tail, p = t, v
			}
		}
	}
	return tail, p, nil
}

// MultinomialTail is the exact P[‖P̂ − P‖₁ ≥ r] after N draws from P, by enumeration. Counts within 1e-12 of the border
// are counted in. Domain: P a probability vector, N ≥ 1, r ≥ 0, at most 20 million compositions of N into len(P) parts;
// otherwise a *ParameterError.
func MultinomialTail(p []float64, samples int, radius float64) (float64, error) {
	const f = "MultinomialTail"
	if err := laws(f, p, p); err != nil {
		return 0, err
	}
	if err := check(f, domain.NotNegative("radius", radius), enumerable(len(p), samples)); err != nil {
		return 0, err
	}
	n, tail := float64(samples), 0.0
	compositions(p, samples, func(counts []int, probability float64) {
		d := 0.0
		for i, k := range counts {
			d += math.Abs(float64(k)/n - p[i])
		}
		if d >= radius-1e-12 {
			tail += probability
		}
	})
	return math.Min(1, tail), nil
}

// maxCompositions bounds enumerations to about a second.
const maxCompositions = 2e7

// enumerable checks the number of compositions, C(N+m−1, m−1).
func enumerable(parts, samples int) domain.Argument {
	count := math.Inf(1)
	if samples >= 1 && samples <= maxSamples && parts >= 1 {
		n, m := float64(samples), float64(parts)
		count = math.Exp(num.LogGamma(n+m) - num.LogGamma(m) - num.LogGamma(n+1))
	}
	return domain.Arg("samples", samples, count <= maxCompositions, "at least 1, and few enough for 20 million ways "+
		"to fall into the outcomes")
}

// compositions calls f with every composition of n into len(p) counts that has positive probability, and its
// multinomial probability.
func compositions(p []float64, n int, f func(counts []int, probability float64)) {
	logFactorial := make([]float64, n+1)
	for i := 1; i <= n; i++ {
		logFactorial[i] = logFactorial[i-1] + math.Log(float64(i))
	}
	logP := make([]float64, len(p))
	for i, v := range p {
		logP[i] = math.Log(v)
	}
	counts := make([]int, len(p))
	var fill func(i, left int, logProb float64)
	fill = func(i, left int, logProb float64) {
		term := func(k int) float64 {
			if k == 0 {
				return 0
			}
			return float64(k)*logP[i] - logFactorial[k]
		}
		if i == len(p)-1 {
			if l := logProb + term(left); !math.IsInf(l, -1) {
				counts[i] = left
				f(counts, math.Exp(l))
			}
			return
		}
		for k := 0; k <= left; k++ {
			if k > 0 && p[i] == 0 {
				break
			}
			counts[i] = k
			fill(i+1, left-k, logProb+term(k))
		}
	}
	fill(0, n, logFactorial[n])
}
